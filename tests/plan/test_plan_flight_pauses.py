"""Pauses, steps, budgets of months, groups and dates against all plans of a grid."""

import re
from dataclasses import replace

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.flighting import flight
from core.plan.limits.program import can_be_met
from core.plan.scenario.weeks import week_request
from core.plan.solve.weeks.on_off import fixed_to, nearest_allowed
from tests.plan.flight_limits import cells
from tests.plan.flight_market import N_TIMES, market, outcome, posterior, splits

WEEKLY = np.array([100.0, 150.0])
LAG = 2


def known(slope: float, n: int):
    """A market of n channels, one draw of it, and what it brings by the equations."""
    weekly = WEEKLY[:n]
    model = market(weekly, max_lag=LAG)
    numbers = {
        "beta": np.array([500.0, 420.0])[:n],
        "alpha": np.array([0.6, 0.3])[:n],
        "ec": np.array([90.0, 160.0])[:n],
        "slope": np.full(n, slope),
    }
    draws = posterior(model, *([numbers[key]] for key in numbers))
    before = np.repeat(weekly[:, None], N_TIMES, axis=1)
    after = np.repeat(weekly[:, None], LAG, axis=1)

    def brings(plans):
        return outcome(plans, before, after, **numbers, max_lag=LAG)

    return model, draws, brings


def planned(model, draws, n_weeks: int, table):
    asked = {"bounds": [0, 100], "horizon": {"periods": n_weeks}} | table
    made = flight(model, draws, week_request(asked))
    return made, made.stored["spend"].to_numpy()


def check(made, spend, brings, grid, near: float):
    """The plan beside the best of a grid of allowed plans, and the bound above all."""
    own = float(brings(spend[None])[0])
    assert made.record.objective.planned == pytest.approx(own, rel=1e-4)
    best = float(brings(grid).max())
    assert own >= best * (1 - near)
    assert made.record.bound.best_possible >= max(best, own) * (1 - 1e-6)


@pytest.mark.parametrize("slope", [1.0, 2.0])
@pytest.mark.parametrize("least", [70.0, 130.0])
def test_a_week_pauses_or_spends_its_least(slope, least):
    model, draws, brings = known(slope, 1)
    table = {"budget": 400, "channel": {"a": {"week_min": least}}}
    made, spend = planned(model, draws, 5, table)
    grid = splits(40, 5)[:, None, :] * 10.0
    is_allowed = ((grid == 0) | (grid >= least)).all(axis=(1, 2))
    assert ((spend == 0) | (spend >= least - 0.001)).all()
    assert spend.sum() == pytest.approx(400, abs=1e-9)
    check(made, spend, brings, grid[is_allowed], near=1e-3)


def test_two_channels_that_pause_with_a_change_and_a_booked_week():
    model, draws, brings = known(1.0, 2)
    channels = {
        "a": {"week_min": 60, "change": "50 %"},
        "b": {"week_min": 80, "weeks": {"2024-04-01": 40}},
    }
    table = {"budget": 400, "channel": channels}
    made, spend = planned(model, draws, 3, table)
    grid = splits(36, 5) * 10.0
    a, b = grid[:, :3], grid[:, 3:]
    plans = np.stack([a, np.column_stack([b, np.zeros(len(b))])], axis=1)
    at = [str(day)[:10] for day in made.stored["week"].values].index("2024-04-01")
    plans[:, 1] = np.insert(b, at, 40.0, axis=1)

    def allowed(plan):
        a, b = plan[:, 0], np.delete(plan[:, 1], at, axis=1)
        pauses = ((a == 0) | (a >= 59.99)).all(axis=1)
        pauses &= ((b == 0) | (b >= 79.99)).all(axis=1)
        for before, now in ((a[:, 0], a[:, 1]), (a[:, 1], a[:, 2])):
            near = (now <= 1.5 * before + 0.02) & (now >= 0.5 * before - 0.02)
            pauses &= near | (before == 0) | (now == 0)
        return pauses

    assert allowed(spend[None])[0]
    check(made, spend, brings, plans[allowed(plans)], near=1e-3)


def test_weeks_in_steps_are_the_best_of_all():
    model, draws, brings = known(1.0, 2)
    table = {"budget": 420, "channel": {"a": {"step": 60}, "b": {"step": 60}}}
    made, spend = planned(model, draws, 3, table)
    np.testing.assert_allclose(spend / 60, np.round(spend / 60), atol=1e-9)
    grid = splits(7, 6).reshape(-1, 2, 3) * 60.0
    check(made, spend, brings, grid, near=3e-3)


def test_budgets_of_months_groups_and_dates_hold_and_are_best():
    model, draws, brings = known(1.0, 2)
    table = {
        "weeks": {"budget": {"2024-03": 150, "2024-04": [0, 250]}},
        "budget": 400,
        "channel": {"b": {"from": "2024-04-01", "week_max": 120}},
        "group": {"of b": {"channels": ["b"], "min": "25 %"}},
    }
    made, spend = planned(model, draws, 3, table)
    weeks = [str(day)[:10] for day in made.stored["week"].values]
    assert weeks == ["2024-03-25", "2024-04-01", "2024-04-08"]
    assert spend[:, 0].tolist() == [150.0, 0.0]
    assert spend[1].sum() >= 100 - 1e-6 and spend[1].max() <= 120
    grid = splits(25, 4).reshape(-1, 2, 2) * 10.0
    grid = np.concatenate([np.zeros((len(grid), 2, 1)), grid], axis=2)
    grid[:, 0, 0] = 150.0
    is_allowed = (grid[:, 1].sum(axis=1) >= 100) & (grid[:, 1].max(axis=1) <= 120)
    check(made, spend, brings, grid[is_allowed], near=1e-4)
    # Budgets of all weeks are the budget.
    whole = {"weeks": {"budget": {"2024-03": 150, "2024-Q2": 250}}}
    _, spend = planned(model, draws, 3, whole)
    assert spend.sum() == pytest.approx(400, abs=1e-9)
    assert spend[:, 0].sum() == pytest.approx(150, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_plan_that_is_allowed_is_allowed(seed):
    rng = np.random.default_rng(seed)
    steps = {"step": 25} if seed % 2 else {}
    table = {
        "budget": 1000,
        "bounds": [0, 100],
        "channel": {"TV": {"week_min": 150} | steps, "Radio": {"week_min": 60}},
        "weeks": {"change": 120, "most": 500},
    }
    limits = cells(table)
    goal = rng.uniform(0, 200, limits.low.shape)
    near = nearest_allowed(limits, goal * 1000 / goal.sum())
    assert near.sum() == pytest.approx(1000, rel=1e-6)
    for place, least in ((0, 150), (1, 60)):
        row = near[place]
        assert ((row == 0) | (row >= least - 1e-6)).all()
    on = (near > 0) | ~limits.off
    fixed = replace(fixed_to(limits, on), low=near, high=near)
    slack = replace(fixed, low=np.maximum(near - 1e-5, 0), high=near + 1e-5)
    assert can_be_met(slack.polytope)


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        ({"channel": {"a": {"week_min": 90, "week_max": 50}}}, "most is 50", "50"),
        ({"channel": {"a": {"week_min": -1}}}, "amounts of 0 or more", "money"),
        ({"channel": {"a": {"may_be_off": 3}}}, "neither true nor false", ""),
        ({"channel": {"a": {"from": "soon"}}}, "soon is not a date", "2025"),
        (
            {"channel": {"a": {"from": "2024-04-08", "until": "2024-04-01"}}},
            "before it starts",
            "Swap",
        ),
        (
            {"channel": {"a": {"step": 70, "min": 150, "max": 160}}},
            "no whole number",
            "140 or 210",
        ),
        ({"weeks": {"budget": {"May": 5}}}, "May is not a period", "quarter"),
        ({"weeks": {"budget": {"2031-05": 5}}}, "No week of the plan", "begin"),
        ({"weeks": {"budget": {"2024-04": [9, 5]}}}, "range of amounts", "smaller"),
        ({"weeks": {"budget": {"2024": 700}}, "budget": 600}, "700", "budget"),
        ({"group": {"x": {"channels": ["z"]}}}, "z", ""),
        (
            {
                "group": {"x": {"channels": ["a"], "max": 100}},
                "channel": {"a": {"min": 300}},
            },
            "keeps to all limits|300",
            "300|100",
        ),
        (
            {"channel": {"a": {"week_min": 350, "min": 100, "max": 300}}},
            "keeps to all limits|minimum of a",
            "a",
        ),
    ],
)
def test_what_cannot_be_met_is_refused_with_what_would_do(table, message, hint):
    model, draws, _ = known(1.0, 2)
    with pytest.raises(PlanError, match=message) as error:
        planned(model, draws, 3, {"budget": 400} | table)
    assert re.search(hint, error.value.hint)
