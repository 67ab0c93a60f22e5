"""Plan against actuals: a case worked by hand, and parts that add up in every draw."""

import numpy as np
import pytest
import xarray as xr

from core.data.ahead.actual_table import Actuals
from core.errors import PlanError
from core.plan.against import changed_response
from core.plan.against.actuals import PARTS, against_actuals
from core.plan.against.carried import brought
from core.plan.against.planned_spend import planned_spend
from core.plan.response.periods import Horizon
from core.project.refresh.record import Moved
from core.view.refresh_words import sections
from core.view.what_happened import notes, refitted
from tests.charts import synthetic
from tests.plan.records import about, line, record, refresh_record

TIMES = np.datetime64("2024-01-01") + 7 * np.arange(52)


def actuals(n: int, outcome: float, **spend: float) -> Actuals:
    """The same every period; totals are given."""
    even = np.full(n, 1 / n)
    by_week = {name: total * even for name, total in spend.items()}
    return Actuals(TIMES[:n], outcome * even, by_week)


def weekly(view: xr.Dataset, n: int, times=1.0) -> dict[str, np.ndarray]:
    """Spend a year earlier, multiplied."""
    names = [str(name) for name in view["paid"].to_numpy()]
    before = view["spend"].isel(time=slice(n)).to_numpy().astype(float)
    times = np.broadcast_to(times, len(names))
    return {name: by * row for name, by, row in zip(names, times, before, strict=True)}


def by_hand() -> xr.Dataset:
    """One period, four draws: baseline 100 or 110, TV brings 40 or 60 per 80 spent."""
    base, slope = np.array([100.0, 100, 110, 110]), np.array([40.0, 60, 40, 60])
    grid = np.array([0.0, 1.0, 2.0, 3.0])
    expected = (base + slope)[:, None]
    return xr.Dataset(
        {
            "outcome": (("draw", "time"), expected),
            "expected": (("draw", "time"), expected),
            "response": (
                ("draw", "paid", "multiplier", "time"),
                (slope[:, None] * grid)[:, None, :, None],
            ),
            "spend": (("paid", "time"), np.array([[80.0]])),
        },
        coords={"time": TIMES[:1], "paid": ["TV"], "multiplier": grid},
    )


def test_worked_by_hand(monkeypatch):
    """80 planned, 120 spent, 155 planned on average, 200 came in.

    The spend explains 0.5 x 50 = 25, and 20 are left on average: in the draws 40, 10,
    30 and 0, of 60, 90, 60 and 90 that TV brings. Where nothing broke, its change of
    response takes 0.5^2 f^2 / (0.5^2 f^2 + (0.03^2 + 0.01^2) 180^2) of each on average,
    which is 0.97 and 0.98; the baseline has the rest.
    """
    monkeypatch.setattr(changed_response, "LEVEL_BROKE", 1e-12)
    monkeypatch.setattr(changed_response, "RESPONSES_BROKE", (1.0, 1e-12, 1e-12))
    many = by_hand().isel(draw=np.tile(np.arange(4), 5000))
    plan = {"TV": np.array([80.0])}
    told = against_actuals(many, plan, actuals(1, 200.0, TV=120.0))
    draws = np.array([60.0, 90, 60, 90])
    part = 0.25 * draws**2 / (0.25 * draws**2 + 0.001 * 180**2)
    response = told.response[:, 0].reshape(-1, 4).mean(axis=0)
    np.testing.assert_allclose(response, part * [40, 10, 30, 0], atol=1.0)
    assert told.part("spend").mean() == pytest.approx(25.0)
    np.testing.assert_allclose(told.planned[:4], [140, 160, 150, 170])
    np.testing.assert_allclose(told.expected[:4], [160, 190, 170, 200])
    rest = 200.0 - told.expected - told.response[:, 0]
    np.testing.assert_allclose(told.baseline, rest)
    assert told.chance == 1.0


def test_beyond_what_is_stored_a_curve_goes_on_along_its_tangent():
    plan = {"TV": np.array([80.0])}
    told = against_actuals(by_hand(), plan, actuals(1, 200.0, TV=400.0))
    np.testing.assert_allclose(told.part("spend"), 4 * np.array([40, 60, 40, 60]))
    assert told.is_beyond.tolist() == [True]


def test_a_period_in_which_nothing_ran_takes_the_curve_of_the_one_with_most():
    """Twice as much in a pause as in that period: what twice of it brings there."""
    grid = np.array([0.0, 0.5, 1.0, 2.0, 3.0])
    curve = grid / (1 + grid)
    value = np.stack([np.zeros(5), curve, 10 * curve, np.ones(5)], axis=1)
    response = xr.DataArray(
        value[None, None],
        dims=("draw", "paid", "multiplier", "time"),
        coords={"multiplier": grid},
    )
    usual = np.array([[0.0, 1.0, 2.0, 0.0]])
    spend = np.array([[4.0, 0.5, 2.0, 1.0]])
    outcome, is_beyond = brought(response, spend, usual, np.ones((1, 1)))
    at = 10 * np.array([2.0, 0.0, 0.0, 0.5])
    expected = [at[0] / 3, 0.5 / 1.5, 10 / 2, 1 + at[3] / 1.5]
    np.testing.assert_allclose(outcome[0, 0], expected)
    assert not is_beyond.any()


def test_another_timing_is_spend_not_response():
    """TV's money moves between two weeks of which one is worth twice as much."""
    grid = np.array([0.0, 1.0, 2.0, 3.0])
    worth = np.array([10.0, 20.0])
    response = np.broadcast_to(grid[:, None] * worth, (6, 1, 4, 2))
    outcome = np.broadcast_to(100 + worth, (6, 2))
    view = xr.Dataset(
        {
            "outcome": (("draw", "time"), outcome),
            "expected": (("draw", "time"), outcome),
            "response": (("draw", "paid", "multiplier", "time"), response),
            "spend": (("paid", "time"), np.array([[50.0, 50.0]])),
        },
        coords={"time": TIMES[:2], "paid": ["TV"], "multiplier": grid},
    )
    moved = Actuals(TIMES[:2], np.array([100.0, 140.0]), {"TV": np.array([0.0, 100])})
    told = against_actuals(view, {}, moved)
    np.testing.assert_allclose(told.part("spend"), 10.0)
    # All of it carries over by one week at the same strength: the move costs 10.
    later = against_actuals(view, {}, moved, {"TV": np.array([1.0, 1.0])})
    np.testing.assert_allclose(later.part("spend"), -10.0)


@pytest.mark.parametrize("n", [1, 13, 52])
@pytest.mark.parametrize("times", [0.0, 0.7, 1.0, 4.5])
def test_parts_add_up_in_every_draw(n, times):
    view = synthetic.forecast().astype(np.float32)
    spend = weekly(view, n, times)
    by_week = 1.1 * view["expected"].isel(time=slice(n)).mean("draw").to_numpy()
    outcome = float(by_week.sum())
    plan = weekly(view, n, np.array([0.5, 1.0, 1.3, 3.5]))
    told = against_actuals(view, plan, Actuals(TIMES[:n], by_week, spend))
    total = sum(told.part(name) for name in PARTS)
    np.testing.assert_allclose(total, told.difference, rtol=0, atol=1e-9 * outcome)
    assert told.is_beyond.tolist() == [times > 3] * 3 + [True]
    said = told.record()
    means = sum(part.mean for part in said.parts)
    assert means == pytest.approx(said.difference.mean)
    rows = said.channels
    for name, part in zip(PARTS[:2], said.parts, strict=False):
        assert sum(getattr(row, name).mean for row in rows) == pytest.approx(part.mean)


def test_what_went_as_planned_has_no_variance():
    view = synthetic.forecast()
    spend = weekly(view, 8, 1.2)
    first = against_actuals(view, spend, Actuals(TIMES[:8], np.ones(8), spend))
    expected = float(first.planned.mean())
    by_week = np.full(8, expected / 8)
    told = against_actuals(view, spend, Actuals(TIMES[:8], by_week, spend))
    assert np.abs(told.spend).max() < 1e-6
    said = told.record()
    firm = [row.name for row in said.channels if row.response.is_firm]
    assert not firm and not any(part.is_firm for part in said.parts)


@pytest.mark.parametrize("times", [0.5, 2.0])
def test_a_change_that_is_sure_is_firm_whatever_its_sign(times):
    view = synthetic.forecast()
    plan, by_week = weekly(view, 8, 1.0), np.ones(8)
    record = against_actuals(
        view, plan, Actuals(TIMES[:8], by_week, weekly(view, 8, times))
    ).record()
    spend = record.parts[0]
    assert spend.name == "spend" and spend.is_firm
    assert (spend.hi < 0) if times < 1 else (spend.lo > 0)


def test_causes_of_one_shape_are_named_together():
    """Every channel of these brings the same each week, as demand does."""
    view = synthetic.forecast()
    spend = weekly(view, 13)
    by_week = 0.92 * view["expected"].isel(time=slice(13)).mean("draw").to_numpy()
    told = against_actuals(view, {}, Actuals(TIMES[:13], by_week, spend)).record()
    assert ("TV", "baseline") in told.confused
    said = " ".join(notes(told))
    assert "13 weeks cannot tell demand from the response of TV" in said
    assert "Beyond spend no cause is firm" in said
    _, beside = sections(refresh_record(actuals=told), "text")
    assert [each.text for each in beside.words[3:]] == notes(told)
    assert [each.name for each in sections(refresh_record(), "text")] == ["refresh"]


@pytest.mark.parametrize(
    ("sds", "units", "speaks"),
    [(-1.2, 9.0, True), (-0.3, 9.0, False), (-1.2, 2.0, False), (None, None, False)],
)
def test_a_fit_that_saw_the_periods_says_what_it_moved(sds, units, speaks):
    row = Moved(
        name="Search",
        before=about(2.1),
        after=about(1.6),
        move=-0.5,
        sds=sds,
        units=units,
    )
    said = refitted(refresh_record(channels=(row,)))
    assert ("Search from 2.10 to 1.60" in said) is speaks
    assert ("no reason to blame a channel" in said) is not speaks


def test_a_channel_that_did_not_run_before_has_no_response():
    view = synthetic.forecast()
    view["spend"][0] = 0.0
    names = [str(name) for name in view["paid"].to_numpy()]
    told = against_actuals(view, {}, actuals(4, 5e6, **dict.fromkeys(names, 1000.0)))
    assert (told.response[:, 0] == 0).all()
    assert told.is_valued.tolist() == [False, True, True, True]
    assert (told.spend[:, 0] == 0).all()


def test_more_periods_than_were_forecast():
    with pytest.raises(PlanError, match="covers 1 periods, the actuals 3"):
        against_actuals(by_hand(), {}, actuals(3, 1.0, TV=1.0))


def test_a_plan_of_channels_or_geos_multiplies_the_year_before():
    view = synthetic.forecast()
    before = view["spend"].isel(time=slice(8)).to_numpy()
    names = [str(name) for name in view["paid"].to_numpy()]
    own = Horizon("2021-01-04", "2023-12-25", 156, as_fitted=True)
    for over in ("channels", "geos"):
        plan = record(line(names[0], 150.0, 100.0), over=over, horizon=own)
        made = planned_spend(plan, view, 8)
        assert made[names[0]] == pytest.approx(1.5 * before[0])
        assert made[names[1]] == pytest.approx(before[1])


def test_a_plan_multiplies_its_own_periods_only():
    view = synthetic.forecast()
    days = view["time"].to_numpy().astype("datetime64[D]").astype(str)
    name = str(view["paid"].to_numpy()[0])
    usual = view["spend"].to_numpy()[0]
    horizon = Horizon(days[3], days[20], 18, as_fitted=False)
    plan = record(line(name, 150.0, 100.0), horizon=horizon)
    made = planned_spend(plan, view, 5)
    assert made[name] == pytest.approx(usual[:5] * [1, 1, 1, 1.5, 1.5])
    with pytest.raises(PlanError, match=f"begins on {days[3]}, after these periods"):
        planned_spend(plan, view, 2)


def test_a_plan_of_weeks_says_what_each_week_spends():
    """Of five weeks the plan has the third to the fifth; two are as a year earlier."""
    view = synthetic.forecast()
    names = [str(name) for name in view["paid"].to_numpy()]
    days = view["time"].to_numpy().astype("datetime64[D]").astype(str)
    first = line(names[0], 15.0, weeks=(7.0, 0.0, 5.0, 3.0))
    plan = record(first, over="weeks", weeks=tuple(days[2:6].tolist()))
    made = planned_spend(plan, view, 5)
    usual = view["spend"].to_numpy()
    assert made[names[0]] == pytest.approx([*usual[0, :2], 7.0, 0.0, 5.0])
    assert made[names[1]] == pytest.approx(usual[1, :5])
    with pytest.raises(PlanError, match=f"begins on {days[2]}, after these periods"):
        planned_spend(plan, view, 2)
    spend = dict.fromkeys(names, 1e4)
    told = against_actuals(view, made, actuals(5, 5e6, **spend))
    total = sum(told.part(name) for name in PARTS)
    np.testing.assert_allclose(total, told.difference, rtol=0, atol=5e-3)
    assert told.planned_spend[0] == pytest.approx(made[names[0]].sum())
