"""Backtests: nothing looks ahead, references are what they claim, scores add up."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from msgspec import structs

from core.analysis.ahead.backtest import (
    Case,
    fold,
    knots_spec,
    paid_returns,
    spec_until,
    until,
    whole_until,
)
from core.analysis.ahead.backtest_record import Ends, Fold, Refitted, Share, Week
from core.analysis.ahead.forecast_score import origins, score, scored, skill, stability
from core.data.assemble import assemble
from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import CoverageError, MMMError
from core.estimate import Estimate
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.priors.prior import prior
from core.model.spec import ChannelSpec, ModelSpec
from tests.small_market import lift_test

QUICK = SamplerSettings(chains=1, warmup=100, draws=100, precision="float64")
MAPPING = ColumnMapping(
    "week",
    "sales",
    geo="region",
    kpi_type="revenue",
    population="people",
    controls=("price",),
    channels=(ChannelColumns("TV", "media", media="tv", spend="tv_spend"),),
)
SPEC = ModelSpec(channels=(ChannelSpec("TV"),))


def table(geos=("N",), n_times: int = 70, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    weeks = pd.date_range("2023-01-02", periods=n_times, freq="7D")
    frames = []
    for place, geo in enumerate(geos):
        t = np.arange(n_times)
        spend = 500 * rng.gamma(2.0, 0.5, n_times)
        sales = 8_000 + 25 * t + 2_000 * np.sin(2 * np.pi * t / 52.18) + 1.5 * spend
        columns = {
            "week": weeks.strftime("%Y-%m-%d"),
            "region": geo,
            "people": 1000.0 * (place + 1) + 3 * t,
            "tv": spend * 20,
            "tv_spend": spend,
            "price": rng.normal(10, 1, n_times),
            "sales": sales + rng.normal(0, 150, n_times),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def case(frame: pd.DataFrame) -> Case:
    return Case(frame, MAPPING, SPEC, QUICK)


@pytest.mark.parametrize("knots", [False, True])
def test_nothing_looks_ahead(knots):
    """Whatever happens after the origin, the model built there is the same."""
    frame = table(("N", "S"))
    other = frame.copy()
    late = other["week"] >= other["week"].unique()[50]
    for name in ("tv", "tv_spend", "price", "sales", "people"):
        other.loc[late, name] *= 3.7
    spec = knots_spec(SPEC) if knots else SPEC
    models = [
        build(
            (seen := until(case(one), assemble(one, MAPPING), 50)),
            spec_until(spec, seen),
        )
        for one in (frame, other)
    ]
    assert models[0].data.n_times == 50
    assert (models[0].knots == models[1].knots).all()
    assert models[0].structure == models[1].structure
    first, second = (_leaves(model.arrays) for model in models)
    for ours, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def _leaves(tree):
    import jax

    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def test_options_about_the_time_after_the_origin_are_left_out():
    seen = until(case(table()), assemble(table(), MAPPING), 50)
    early = lift_test("TV", "2023-03-06", "2023-03-26", 100.0, 10.0)
    late = structs.replace(early, start="2024-03-04", end="2024-03-24")
    windows = (("2023-02-06", "2023-04-03"), ("2024-02-05", "2024-04-01"))
    spec = ModelSpec(
        channels=(ChannelSpec("TV", calibration=windows),),
        knots=(0, 40, 60),
        experiments=(early, late),
        holdout=(("N", "2024-04-01"),),
    )
    told = spec_until(spec, seen)
    assert told.experiments == (early,)
    assert told.channels[0].calibration == windows[:1]
    assert told.knots == (0, 40)
    assert told.holdout == ()


def test_weeks_of_the_year_wait_for_two_years():
    frame = table(n_times=110)
    whole = assemble(frame, MAPPING)
    spec = replace(SPEC, recurring=True)
    assert spec_until(spec, whole).recurring
    assert not spec_until(spec, until(case(frame), whole, 100)).recurring


def test_the_knots_model_is_meridians():
    spec = ModelSpec(
        channels=SPEC.channels,
        holidays="DE",
        autocorrelation=True,
        priors=(
            ("xi_smooth", prior("HalfNormal", scale=1.0)),
            ("rho", prior("Uniform", low=0.0, high=0.9)),
        ),
    )
    told = knots_spec(spec)
    assert not told.is_structural
    assert (told.preset, told.knots, told.holidays) == ("meridian", "auto", None)
    assert told.priors == ()
    assert not told.has_memory


def test_origins_follow_on_one_another():
    assert origins(100, 4, 8) == [68, 76, 84, 92]
    assert origins(40, 4, 8) == [24, 32]
    with pytest.raises(CoverageError, match="too few"):
        origins(20, 4, 8)


def a_week(actual, naive):
    ends = Ends(median=9.0, lo50=8.0, hi50=10.0, lo90=5.0, hi90=13.0)
    naive = Ends(median=naive)
    return Week(time="2024-01-01", actual=actual, model=ends, seasonal_naive=naive)


def test_scores():
    weeks = [a_week(10.0, naive=10.0), a_week(12.0, naive=8.0)]
    told = score(weeks, "model")
    assert told.wmape == pytest.approx(4 / 22)
    assert told.bias == pytest.approx(-4 / 22)
    assert (told.coverage_50, told.coverage_90) == (0.5, 1.0)
    assert score(weeks, "seasonal_naive").coverage_90 is None
    assert skill(1.0, 4.0) == 0.75
    assert skill(1.0, 0.0) is None


def test_a_backtest_of_a_season_beats_last_year_and_knots():
    full = assemble(table(), MAPPING)
    assert origins(full.n_times, 1, 6) == [64]
    one = fold(case(table()), full, 64, 6, True)
    assert one.n_seen == 64
    assert len(one.weeks) == 6
    frame = table()
    actual = frame["sales"].to_numpy()
    for i, week in enumerate(one.weeks):
        assert week.actual == pytest.approx(actual[64 + i])
        assert week.seasonal_naive.median == pytest.approx(actual[12 + i])
        assert week.model.lo90 < week.model.median < week.model.hi90
    told = scored([one], [], horizon=6, is_structural=SPEC.is_structural)
    assert told.skill["seasonal_naive"] > 0
    assert told.skill["knots"] > 0
    assert set(told.scores) == {"model", "seasonal_naive", "knots"}


def test_an_origin_that_cannot_be_fitted_says_why():
    frame = table(n_times=60)
    frame.loc[:53, ["tv", "tv_spend"]] = 0.0
    with pytest.raises(MMMError, match="TV"):
        fold(case(frame), assemble(frame, MAPPING), 54, 6, False)


def test_refresh_measures_moves_in_standard_deviations():
    wholes = {n: whole_until(case(table(n_times=40)), 40 - n) for n in (0, 8)}
    told = stability(
        {
            n: {name: Refitted(roi) for name, roi in paid_returns(*whole).items()}
            for n, whole in wholes.items()
        }
    )
    (row,) = told.channels
    now, before = row.roi["0"], row.roi["8"]
    moved = abs(before.mean - now.mean) / now.sd
    assert row.moved == pytest.approx(moved)
    assert told.largest == "TV"


def test_folds_are_scored_together():
    windows = [(a_week(actual, naive=8.0),) for actual in (10.0, 9.0)]
    folds = [
        Fold(origin="2024-01-01", n_seen=9, weeks=weeks, scores={}) for weeks in windows
    ]
    told = scored(folds, [], horizon=1, is_structural=True)
    assert told.model.wmape == pytest.approx(1 / 19)
    assert told.skill == {"seasonal_naive": pytest.approx(2 / 3)}
    assert scored([], [], horizon=1, is_structural=True).scores == {}


def test_moves_are_in_units_of_the_uncertainty_with_all_data():
    def row(mean, share):
        roi = Estimate(mean=mean, median=mean, sd=0.5, lo=mean - 1, hi=mean + 1)
        return {"TV": Refitted(roi, Share(share, 0.1))}

    told = stability({4: row(2.0, 0.3), 0: row(1.0, 0.25), 8: row(0.5, 0.25)})
    (tv,) = told.channels
    assert told.drops == (0, 4, 8)
    assert tv.moved == pytest.approx(2.0)
    assert tv.share_moved == pytest.approx(0.5)
    assert told.largest == "TV"
