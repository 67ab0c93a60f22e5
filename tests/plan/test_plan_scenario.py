import math

import numpy as np
import pytest
from synthetic import random_dataset

from core.errors import PlanError
from core.plan.limits.channels import ChannelLimits
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.scenario import Scenario, scenario
from core.plan.scenario.table import of_table

NAMES = ("TV", "Search", "Radio")


@pytest.fixture
def curves():
    stored = random_dataset(0, n_channels=3)
    stored["spend"].values[:] = [100_000.0, 200_000.0, 300_000.0]
    stored["channel"] = list(NAMES)
    return response_curves(stored)


def test_bounds_are_multiples_of_current_spend(curves):
    own = {"TV": {"min": "90 %", "max": "110 %"}}
    request = of_table({"bounds": [0.5, 1.5], "channel": own}, curves)
    low, high = request.ranges(curves.names)
    np.testing.assert_allclose(low, [90_000, 100_000, 150_000])
    np.testing.assert_allclose(high, [110_000, 300_000, 450_000])
    assert request.budget == 600_000


def test_bounds_can_follow_the_budget(curves):
    request = scenario(curves, budget=1_200_000, scaled=True)
    low, high = request.ranges(curves.names)
    np.testing.assert_allclose(low, [140_000, 280_000, 420_000])
    np.testing.assert_allclose(high, [260_000, 520_000, 780_000])


def test_money_and_locks(curves):
    own = {"TV": {"min": 0.0, "max": 50_000.0}, "Radio": {"lock": True}}
    request = of_table({"bounds": [0.5, 2.0], "channel": own}, curves)
    low, high = request.ranges(curves.names)
    np.testing.assert_allclose(low, [0, 100_000, 300_000])
    np.testing.assert_allclose(high, [50_000, 400_000, 300_000])


REFUSED = {
    "floors": (
        {"bounds": [1.2, 1.3]},
        "minimums add up to 720,000, 120,000 more than the budget of 600,000",
        "raise the budget to 720,000; or lower the minimum of Radio from 360,000 to "
        "240,000; or lower the minimum of Search from 240,000 to 120,000.",
    ),
    "floors of several": (
        {"budget": 100_000.0},
        "minimums add up to 420,000",
        "The smallest change that works: raise the budget to 420,000.",
    ),
    "ceilings": (
        {"bounds": [0.5, 0.9]},
        "maximums add up to 540,000, 60,000 less than the budget of 600,000",
        "lower the budget to 540,000; or raise the maximum of Radio from 270,000 to "
        "330,000; or raise",
    ),
    "all locked": (
        {
            "budget": 700_000.0,
            "channel": dict.fromkeys(NAMES, {"lock": True}),
        },
        "maximums add up to 600,000",
        "lower the budget to 600,000; or lock Radio at 400,000",
    ),
    "locks above the budget": (
        {"budget": 250_000.0, "channel": {"Radio": {"lock": True}}},
        "minimums add up to 510,000",
        "raise the budget to 510,000; or lock Radio at 40,000",
    ),
    "not a number": ({"budget": math.nan}, "The budget is not a number", "above 0"),
    "endless": ({"budget": math.inf}, "The budget is not a number", "above 0"),
    "nothing": ({"budget": 0.0}, "The budget is 0", "above 0"),
    "negative": ({"budget": -5.0}, "The budget is −5", "above 0"),
    "bound not a number": (
        {"channel": {"TV": {"min": "50 %", "max": math.nan}}},
        "A limit of channel TV is not a number",
        "Give one",
    ),
    "negative bound": (
        {"channel": {"TV": {"min": -1.0, "max": 5.0}}},
        "A limit of channel TV is negative: −1",
        "below 0",
    ),
    "crossed": (
        {"channel": {"TV": {"min": 7.0, "max": 5.0}}},
        "The minimum of channel TV (7) is above its maximum (5)",
        "by 2",
    ),
    "unknown": (
        {"channel": {"Serach": {"lock": True}}},
        "There is no channel Serach",
        "Did you mean Search?",
    ),
    "lock outside": (
        {"channel": {"TV": {"min": 10.0, "max": 20.0, "lock": 50.0}}},
        "Channel TV is locked at 50, outside its limits of 10 to 20",
        "move its maximum to 50, or lock it at 20",
    ),
    "objective": ({"objective": "p0"}, "Objective 'p0' is unknown", "p1 to p99"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_met_is_refused_with_a_way_out(curves, name):
    request, message, hint = REFUSED[name]
    with pytest.raises(PlanError) as caught:
        of_table(request, curves)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_the_change_that_is_named_is_enough(curves):
    scenario(curves, bounds=(1.2, 1.3), budget=720_000)
    own = {"Radio": {"min": 240_000, "max": 390_000}}
    of_table({"bounds": [1.2, 1.3], "channel": own}, curves)
    scenario(curves, bounds=(0.5, 0.9), budget=540_000)
    own = {"Radio": {"min": 100_000, "max": 330_000}}
    of_table({"bounds": [0.5, 0.9], "channel": own}, curves)


@pytest.mark.parametrize("bounds", [(0.7, 1.3), (0.0, 1e300)])
def test_a_budget_that_nobody_has_is_refused_in_a_sentence(curves, bounds):
    with pytest.raises(PlanError, match="more than the 1,000,000") as refused:
        plan(curves, scenario(curves, budget=1e300, bounds=bounds))
    assert len(str(refused.value)) < 200


def test_every_fault_is_collected(curves):
    with pytest.raises(PlanError) as caught:
        own = {"TV": {"min": -1.0, "max": 5.0}, "Search": {"min": 7.0, "max": 5.0}}
        of_table({"channel": own}, curves)
    assert len(caught.value.findings) == 2
    assert "(1 more like it.)" in caught.value.message


def test_every_channel_needs_limits_once(curves):
    one = ChannelLimits("TV", 0.0, 1e6)
    with pytest.raises(PlanError, match="Channel Radio has no limits"):
        Scenario(budget=1000.0, channels=(one,)).check(curves.names)
    with pytest.raises(PlanError, match="Channel TV has limits twice"):
        Scenario(budget=1000.0, channels=(one, one)).check(curves.names)


def test_currency_stands_behind_amounts(curves):
    low = ChannelLimits("TV", 2000.0, 3000.0)
    with pytest.raises(PlanError, match="more than the budget of 1,000\u00a0€"):
        Scenario(budget=1000.0, channels=(low,), currency="EUR").check(("TV",))


def test_objectives():
    assert measure_of("mean") == Measure("mean")
    assert measure_of("p10") == Measure("quantile", 0.1)
    assert measure_of("cvar5") == Measure("cvar", 0.05)
    assert measure_of("reach:41e6") == Measure("reach", 41e6)
    for wrong in ("p100", "p", "best", "P10", "", "cvar0", "reach:", "reach:-1"):
        with pytest.raises(PlanError):
            measure_of(wrong)
