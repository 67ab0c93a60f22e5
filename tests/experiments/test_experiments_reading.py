"""Reading a test: the estimate, its interval, its checks, and what is refused."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.errors import CoverageError, DataError, SchemaError, SpecError
from core.experiments.panel import panel_of_table
from core.experiments.reading import readout
from core.experiments.reading.geo_test import GeoTest
from core.experiments.reading.placebo import earlier, groups_of
from core.experiments.reading.readout import read_out
from core.experiments.reading.synthetic import Periods, balance, fit
from tests.experiments.geo_panels import panel, with_lift
from tests.reference import REFERENCE

TREATED = ("g03", "g07", "g11", "g15")
TEST = GeoTest(TREATED, "2024-09-02", "2024-10-13", ("TV",))
needs_public = pytest.mark.skipif(
    not (REFERENCE / "public").is_dir(), reason="no public tables"
)


def public(name):
    return panel_of_table(load_table(REFERENCE / "public" / name, name), name)


def heavy(given, times=1.5):
    """The panel with more spend in treated geos while they were tested."""
    money = given.spend["TV"].copy()
    money[np.ix_(given.is_in(TREATED), given.within(TEST.start, TEST.end))] *= times
    return replace(given, spend={"TV": money})


@pytest.fixture
def one_kpi_read_once(monkeypatch):
    """Placebos of a KPI are kept: the spend beside it changes none of them."""
    kept = {}
    for name in ("chosen_ridge", "placebos"):
        work = getattr(readout, name)

        def once(kpi, treated, periods, *args, work=work, **more):
            key = work, kpi.tobytes(), treated.tobytes(), periods
            if key not in kept:
                kept[key] = work(kpi, treated, periods, *args, **more)
            return kept[key]

        monkeypatch.setattr(readout, name, once)


def status(read, name):
    return next(check.status for check in read.checks if check.name == name)


@needs_public
def test_the_geolift_test_is_read_as_geolift_reads_it():
    test = GeoTest(("chicago", "portland"), "2021-04-01", "2021-04-15")
    read = read_out(public("geolift_test.csv"), test)
    assert read.lift.lo < 0.054 < read.lift.hi
    assert read.incremental.lo < 4667 < read.incremental.hi
    assert abs(read.lift.mean - 0.054) < 0.005
    assert read.iroas is None
    assert 0 < read.p < 0.2
    assert read.record().checks


@pytest.mark.parametrize("lift", [-0.1, 0.0, 0.08])
def test_a_known_lift_is_in_its_interval(lift):
    given = panel(24, seed=4)
    read = read_out(with_lift(given, TREATED, TEST.start, TEST.end, lift), TEST)
    assert read.lift.lo < lift < read.lift.hi
    inside = np.ix_(given.is_in(TREATED), given.within(TEST.start, TEST.end))
    true = lift * given.kpi[inside].sum()
    assert read.incremental.lo < true < read.incremental.hi
    series = read.cumulative()
    assert series.mean[-1] == pytest.approx(read.incremental.mean)
    assert len(series.time) == 6


def test_intervals_hold_zero_where_nothing_happened():
    """A/A on fixed markets: of 60 intervals of 90 %, 48 to 60 hold zero."""
    holds = 0
    for seed in range(60):
        given = panel(20, 80, seed=seed, noise=0.05)
        rng = np.random.default_rng(seed)
        treated = tuple(rng.choice(given.geos, 3, replace=False))
        days = given.times[[60, 64]]
        read = read_out(given, GeoTest(treated, str(days[0]), str(days[1])))
        holds += read.lift.lo <= 0 <= read.lift.hi
    assert 48 <= holds < 60


def test_a_named_channel_that_was_off_changed_however_controls_swing():
    """A dark test in a small geo, whose controls spend far more and in bursts."""
    given = panel(24, seed=5)
    rng = np.random.default_rng(0)
    spend = given.spend["TV"] * 30 * rng.gamma(0.5, 2.0, given.spend["TV"].shape)
    small, inside = given.is_in(TREATED), given.within(TEST.start, TEST.end)
    spend[small] = 100.0
    spend[np.ix_(small, inside)] = 0.0
    wild = replace(given, spend={"TV": spend})
    named = replace(TEST, channels=("TV",))
    read = read_out(wild, named)
    assert read.spend_change["TV"] == pytest.approx(-read.usual_spend["TV"])
    (check,) = (each for each in read.checks if each.name == "Spend changed")
    assert check.status == "good"
    assert "TV" not in read_out(wild, replace(TEST, channels=())).spend_change


def test_iroas_is_the_effect_over_the_money():
    given = heavy(with_lift(panel(24, seed=4), TREATED, TEST.start, TEST.end, 0.08))
    read = read_out(given, TEST)
    inside = np.ix_(given.is_in(TREATED), given.within(TEST.start, TEST.end))
    more = given.spend["TV"][inside].sum() / 3
    assert read.spend_change["TV"] == pytest.approx(more, rel=0.15)
    ratio = read.incremental.mean / read.spend_change["TV"]
    assert read.iroas.mean == pytest.approx(ratio)
    assert read.iroas.lo < read.iroas.mean < read.iroas.hi


def test_spend_that_did_not_change_is_no_test():
    read = read_out(panel(24, seed=4), TEST)
    assert status(read, "Spend changed") == "warning"
    assert read.iroas is None


def test_control_geos_that_got_the_treatment_are_named():
    given = heavy(panel(24, seed=4))
    money = given.spend["TV"].copy()
    money[given.is_in(("g05",)), given.within(TEST.start, TEST.end)] *= 1.5
    read = read_out(replace(given, spend={"TV": money}), TEST)
    assert status(read, "Spend changed") == "good"
    (told,) = [check for check in read.checks if check.name == "Controls left alone"]
    assert told.status == "warning"
    assert "g05" in told.message and "g06" not in told.message
    clean = read_out(given, TEST)
    assert status(clean, "Controls left alone") == "good"


@pytest.mark.parametrize(("strays", "says"), [(0.0, "good"), (0.15, "warning")])
def test_a_window_in_which_controls_stray_is_named(strays, says):
    given = panel(n_geos=30, seed=4)
    inside = given.within("2024-10-07", "2024-11-03")
    rng = np.random.default_rng(2)
    given.kpi[:, inside] *= np.exp(strays * rng.standard_normal((30, 1)))
    read = read_out(given, GeoTest(("g03", "g07"), "2024-10-07", "2024-11-03"))
    assert status(read, "A window like earlier ones") == says


def test_geos_left_out_take_no_part():
    given = panel(24, seed=4)
    wild = given.kpi.copy()
    wild[0] *= np.random.default_rng(0).lognormal(0, 1, wild.shape[1])
    with_it = replace(given, kpi=wild)
    without = replace(TEST, left_out=("g00",))
    assert (
        read_out(with_it, without).lift["mean"] == read_out(given, without).lift["mean"]
    )


def test_weights_are_those_of_a_control_that_is_the_treated_geo():
    rng = np.random.default_rng(1)
    kpi = 100 + rng.normal(0, 5, (6, 60)).cumsum(axis=1)
    kpi[0] = 0.3 * kpi[2] + 0.7 * kpi[4] + 11
    treated = np.arange(6) == 0
    made = fit(kpi, treated[None], ~treated[None], Periods(50, 60), ridge=np.inf)
    assert made.weights[0, [2, 4]] == pytest.approx([0.3, 0.7], abs=0.02)
    assert made.weights.sum() == pytest.approx(1)
    assert abs(made.effect(Periods(50, 60))[0]) < 0.01


def test_no_other_weights_fit_better():
    """Where a weight is positive the slope is least; elsewhere it is no lower."""
    kpi = panel(12, noise=0.05).kpi
    treated = np.eye(12, dtype=bool)
    made = balance(kpi, treated, ~treated, Periods(90, 104))
    smooth = made.gram + 1e-3 * np.mean(np.diag(made.gram)) * np.eye(12)
    slope = made.weights @ smooth - treated @ made.gram
    assert made.weights.sum(axis=1) == pytest.approx(1)
    assert made.weights.min() == 0 == made.weights[treated].max()
    for weights, slopes, controls in zip(made.weights, slope, ~treated, strict=True):
        least = slopes[controls].min()
        near = 1e-9 * np.abs(slopes).max()
        assert slopes[weights > 0] == pytest.approx(least, abs=near)


def test_ridge_takes_out_what_weights_leave():
    """A geo outside of what controls did: only the augmented fit follows it."""
    rng = np.random.default_rng(2)
    trend = rng.normal(0, 1, 60).cumsum()
    kpi = 100 + np.outer([3.0, 1.0, 0.8, 0.5, 0.2], trend)
    kpi += rng.normal(0, 0.2, kpi.shape)
    treated = np.arange(5) == 0
    plain, augmented = (
        fit(kpi, treated[None], ~treated[None], Periods(50, 60), ridge=ridge)
        for ridge in (np.inf, 0.1)
    )
    assert augmented.error[0] < 0.5 * plain.error[0]


def test_placebo_groups_hold_no_treated_geo_and_are_like_it_in_size():
    sizes = np.arange(1.0, 41.0)
    treated = np.isin(sizes, (39, 40))
    drawn = groups_of(treated, 100, np.random.default_rng(0), sizes)
    assert not drawn[:, treated].any()
    assert (drawn.sum(axis=1) == 2).all()
    assert (drawn @ sizes).mean() / 2 > 28  # the mean geo has 20


def test_earlier_windows_do_not_overlap():
    windows = earlier(Periods(60, 70))
    assert windows[0] == Periods(50, 60)
    assert all(a.before == b.end for a, b in zip(windows, windows[1:], strict=False))
    assert earlier(Periods(14, 20)) == []


@pytest.mark.parametrize(
    ("changes", "said", "hint"),
    [
        ({"treated": ("Mars",)}, "Mars is not in the data", "g00"),
        ({"treated": ()}, "No geo is treated", "g00"),
        ({"start": "2024-10-14"}, "before it starts", "Swap"),
        ({"start": "soon"}, "are not two dates", "2024-01-31"),
        ({"end": "2034-01-01"}, "the data from 2 Jan 2023", "missing periods"),
        ({"channels": ("Radio",)}, "Radio has no spend", "TV"),
    ],
)
def test_tests_that_cannot_be_read_are_refused(changes, said, hint):
    with pytest.raises(SpecError, match=said) as caught:
        read_out(panel(24), replace(TEST, **changes))
    assert hint in caught.value.hint


def test_one_treated_and_one_control_geo_are_refused():
    with pytest.raises(SpecError, match="1 geo is left to compare g00") as caught:
        read_out(panel(2), replace(TEST, treated=("g00",), channels=()))
    assert "two control geos" in caught.value.hint


def test_a_test_without_a_past_is_refused():
    early = replace(TEST, start="2023-02-06", end="2023-03-05")
    with pytest.raises(DataError, match="5 periods lie before"):
        read_out(panel(24), early)


def test_a_table_needs_dates_geos_and_a_kpi_only():
    frame = pd.DataFrame(
        {
            "date": np.repeat(["2024-01-01", "2024-01-08", "2024-01-15"], 2),
            "city": ["Ulm", "Bonn"] * 3,
            "sales": [1, 2, 3, 4, 5, 6],
        }
    )
    made = panel_of_table(frame, "t.csv")
    assert made.geos == ("Ulm", "Bonn")
    assert made.kpi.tolist() == [[1, 3, 5], [2, 4, 6]]
    assert (made.spend, made.step) == ({}, 7)
    with pytest.raises(SchemaError, match="no column of geos"):
        panel_of_table(frame.drop(columns="city").iloc[::2], "t.csv")
    with pytest.raises(CoverageError, match="missing in some periods of Bonn"):
        panel_of_table(frame.iloc[:-1], "t.csv")
    with pytest.raises(CoverageError, match="several rows for it"):
        panel_of_table(pd.concat([frame, frame.iloc[:1]]), "t.csv")
    with pytest.raises(CoverageError, match="of one date, 2024-01-01"):
        panel_of_table(frame.iloc[:2], "t.csv")


def arms(kind, seed, roi=2.0):
    """A test in a market whose KPI is a baseline and `roi` per unit of spend."""
    given = panel(24, seed=seed, noise=0.02)
    money = 2 * given.spend["TV"]
    treated, inside = given.is_in(TREATED), given.within(TEST.start, TEST.end)
    own, others = np.ix_(treated, inside), np.ix_(~treated, inside)
    if kind == "new":
        money[:, ~inside] = 0.0
    money[own] *= {"dark": 0.0, "heavy-up": 2.0, "both": 1.5}.get(kind, 1.0)
    held = {"holdback": 0.0, "part": 0.3, "both": 0.0, "new": 0.0}
    money[others] *= held.get(kind, 1.0)
    return replace(given, kpi=given.kpi + roi * money, spend={"TV": money})


@pytest.mark.parametrize(
    "kind", ["holdback", "part", "dark", "heavy-up", "both", "new"]
)
def test_a_return_holds_whichever_arm_was_changed(kind):
    held, errors = 0, []
    for seed in range(4):
        read = read_out(arms(kind, seed), TEST)
        held += read.iroas.lo <= 2.0 <= read.iroas.hi
        errors.append(read.iroas.mean - 2.0)
        assert status(read, "Spend changed") == "good"
    assert held >= 3
    assert abs(np.mean(errors)) < 0.2


@pytest.mark.usefixtures("one_kpi_read_once")
def test_the_tested_channel_is_the_one_that_left_its_swings():
    """Without a name the one that changed is found; natural swings hardly ever are."""
    found, wrong, unnamed = Counter(), 0, replace(TEST, channels=())
    kinds = ("independent", "persistent", "bursts")
    for kind, before, seed in product(kinds, (12, 20, 52), range(4)):
        rng = np.random.default_rng([seed, before])
        given = panel(24, seed=seed, channels=("TV", "Radio"))
        first = int(np.flatnonzero(given.within(TEST.start, TEST.end))[0]) - before
        cut = {
            name: _swinging(kind, rng, money)[:, first:]
            for name, money in given.spend.items()
        }
        given = replace(
            given, times=given.times[first:], kpi=given.kpi[:, first:], spend=cut
        )
        quiet = read_out(given, unnamed)
        wrong += quiet.iroas is not None
        asked = next(each for each in quiet.checks if each.name == "Tested channel")
        assert (asked.status == "unknown") == (quiet.iroas is None)
        inside = np.ix_(given.is_in(TREATED), given.within(TEST.start, TEST.end))
        given.spend["TV"][inside] *= 4
        loud = read_out(given, unnamed)
        found[kind] += loud.test.channels == ("TV",)
        wrong += loud.test.channels not in ((), ("TV",))
    # 72 reads; by the windows of the past alone 8 of them are wrong.
    assert wrong <= 1
    assert found["independent"] == 12
    assert found["persistent"] >= 3


def _swinging(kind, rng, money):
    n_geos, n_times = money.shape
    level = money.mean(axis=1, keepdims=True)
    if kind == "independent":
        return level * rng.gamma(4.0, 0.25, money.shape)
    steps = rng.standard_normal(money.shape)
    state = np.zeros(money.shape)
    for place in range(1, n_times):
        state[:, place] = 0.8 * state[:, place - 1] + 0.6 * steps[:, place]
    if kind == "persistent":
        return level * np.exp(0.5 * state)
    return level * 3 * (state > np.quantile(state, 0.7))


@pytest.mark.usefixtures("one_kpi_read_once")
def test_natural_swings_of_spend_are_no_test():
    for seed in range(4):
        given = panel(24, seed=seed, channels=("TV", "Radio"))
        swings = np.random.default_rng(seed).gamma(1.0, 1.0, given.kpi.shape)
        given.spend["Radio"][:] = given.spend["Radio"] * swings
        for channels in ((), ("TV",), ("Radio",)):
            read = read_out(given, replace(TEST, channels=channels))
            assert read.iroas is None
