"""Plan against actuals: a case worked by hand, and parts that add up in every draw."""

import numpy as np
import pytest
import xarray as xr

from core.data.ahead.actual_table import Actuals
from core.errors import PlanError
from core.plan.against.actuals import PARTS, against_actuals
from core.plan.against.planned_spend import planned_spend
from core.plan.record.uncertainty import estimate
from core.plan.response.periods import Horizon
from tests.charts import synthetic
from tests.plan.records import line, record

TIMES = np.datetime64("2024-01-01") + 7 * np.arange(52)


def actuals(n: int, outcome: float, **spend: float) -> Actuals:
    return Actuals(TIMES[:n], outcome, spend)


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


def test_worked_by_hand():
    """80 planned, 120 spent, 155 planned on average, 200 came in.

    The spend explains 0.5 x 50 = 25. What is left is 200 - 180 = 20. The draws of TV at
    120 vary by 15 squared = 225, those of the baseline by 5 squared = 25: response
    takes 225/250 of it, 18, the baseline 2.
    """
    told = against_actuals(by_hand(), {"TV": 80.0}, actuals(1, 200.0, TV=120.0))
    means = [estimate(told.part(name))["mean"] for name in PARTS]
    np.testing.assert_allclose(means, [25.0, 18.0, 2.0])
    np.testing.assert_allclose(told.planned, [140, 160, 150, 170])
    np.testing.assert_allclose(told.expected, [160, 190, 170, 200])
    np.testing.assert_allclose(told.response[:, 0], 0.9 * np.array([40, 10, 30, 0]))
    assert told.chance == 1.0


def test_beyond_what_is_stored_a_curve_goes_on_along_its_tangent():
    told = against_actuals(by_hand(), {"TV": 80.0}, actuals(1, 200.0, TV=400.0))
    np.testing.assert_allclose(told.part("spend"), 4 * np.array([40, 60, 40, 60]))
    assert told.is_beyond.tolist() == [True]


@pytest.mark.parametrize("n", [1, 13, 52])
@pytest.mark.parametrize("times", [0.0, 0.7, 1.0, 4.5])
def test_parts_add_up_in_every_draw(n, times):
    view = synthetic.forecast().astype(np.float32)
    before = view["spend"].isel(time=slice(n)).sum("time").to_numpy().astype(float)
    names = [str(name) for name in view["paid"].to_numpy()]
    spend = dict(zip(names, times * before, strict=True))
    outcome = 1.1 * float(view["expected"].isel(time=slice(n)).sum("time").mean())
    planned = np.array([0.5, 1.0, 1.3, 3.5]) * before
    plan = dict(zip(names, planned, strict=True))
    told = against_actuals(view, plan, actuals(n, outcome, **spend))
    total = sum(told.part(name) for name in PARTS)
    np.testing.assert_allclose(total, told.difference, rtol=0, atol=1e-9 * outcome)
    assert told.is_beyond.tolist() == [times > 3] * 3 + [True]
    said = told.as_dict()
    means = sum(part["mean"] for part in said["parts"])
    assert means == pytest.approx(said["difference"]["mean"])
    rows = said["channels"]
    for name, part in zip(PARTS[:2], said["parts"], strict=False):
        assert sum(row[name]["mean"] for row in rows) == pytest.approx(part["mean"])


def test_what_went_as_planned_has_no_variance():
    view = synthetic.forecast()
    before = view["spend"].isel(time=slice(8)).sum("time").to_numpy()
    names = [str(name) for name in view["paid"].to_numpy()]
    planned = spend = dict(zip(names, 1.2 * before, strict=True))
    first = against_actuals(view, planned, actuals(8, 1.0, **spend))
    expected = float(first.planned.mean())
    told = against_actuals(view, planned, actuals(8, expected, **spend))
    assert np.abs(told.spend).max() < 1e-6
    parts = [abs(estimate(told.part(name))["mean"]) for name in PARTS]
    assert max(parts) < 0.01 * expected


def test_a_channel_that_did_not_run_before_has_no_response():
    view = synthetic.forecast()
    view["spend"][0] = 0.0
    names = [str(name) for name in view["paid"].to_numpy()]
    told = against_actuals(view, {}, actuals(4, 5e6, **dict.fromkeys(names, 1000.0)))
    assert told.is_valued.tolist() == [False, True, True, True]
    assert (told.spend[:, 0] == 0).all()


def test_more_periods_than_were_forecast():
    with pytest.raises(PlanError, match="covers 1 periods, the actuals 3"):
        against_actuals(by_hand(), {}, actuals(3, 1.0, TV=1.0))


def test_a_plan_of_channels_or_geos_multiplies_the_year_before():
    view = synthetic.forecast()
    before = view["spend"].isel(time=slice(8)).sum("time").to_numpy()
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
    assert made[name] == pytest.approx(usual[:3].sum() + 1.5 * usual[3:5].sum())
    with pytest.raises(PlanError, match=f"begins on {days[3]}, and the actuals end"):
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
    assert made[names[0]] == pytest.approx(usual[0, :2].sum() + 12.0)
    assert made[names[1]] == pytest.approx(usual[1, :5].sum())
    with pytest.raises(PlanError, match=f"begins on {days[2]}, and the actuals end"):
        planned_spend(plan, view, 2)
    spend = dict.fromkeys(names, 1e4)
    told = against_actuals(view, made, actuals(5, 5e6, **spend))
    total = sum(told.part(name) for name in PARTS)
    np.testing.assert_allclose(total, told.difference, rtol=0, atol=5e-3)
    assert told.planned_spend[0] == pytest.approx(made[names[0]])
