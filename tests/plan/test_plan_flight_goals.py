"""Goals over weeks: quantiles, odds, and budgets for a target; grids and hand work."""

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.flighting import flight
from core.plan.scenario.measure import measure_of
from core.plan.scenario.weeks import week_request
from tests.plan.flight_market import N_TIMES, market, outcome, posterior, splits

BETA, EC = 5000.0, 50.0


@pytest.fixture(scope="module")
def alone():
    """A channel that ran in the first two weeks only, without carryover; one draw."""
    spend = np.zeros((N_TIMES, 1))
    spend[:2] = 100.0
    model = market(np.array([100.0]), max_lag=0, spend=spend)
    return model, posterior(model, [BETA], [1.0], [EC], [1.0])


@pytest.fixture(scope="module")
def uncertain():
    """Two channels, of which one is safe and one is a gamble; 60 draws."""
    rng = np.random.default_rng(8)
    size = (60, 1)
    known = {
        "beta": np.hstack([np.full(size, 400.0), rng.lognormal(6.0, 0.6, size)]),
        "alpha": np.full((60, 2), 0.4),
        "ec": np.hstack([np.full(size, 90.0), rng.uniform(60, 160, size)]),
        "slope": np.hstack([np.ones(size), rng.uniform(0.9, 2.2, size)]),
    }
    model = market(np.array([100.0, 100.0]), max_lag=1)
    grid = splits(14, 4).reshape(-1, 2, 2) * (400.0 / 14)
    before = np.full((2, 1), 100.0)
    rows = [
        outcome(grid, before, before, *(known[key][draw] for key in known), 1)
        for draw in range(60)
    ]
    return model, posterior(model, *known.values()), np.stack(rows)


def made(market_of, **more):
    model, draws = market_of[:2]
    table = {"bounds": [0, 100], "horizon": {"periods": 2}, **more}
    found = flight(model, draws, week_request(table))
    return found.stored, found.record


@pytest.mark.parametrize("objective", ["p10", "p50", "reach:460"])
def test_quantiles_and_odds_are_no_worse_than_any_plan_of_a_grid(uncertain, objective):
    found, plan = made(uncertain, objective=objective)
    measure = measure_of(objective)
    best = float(measure.of(uncertain[2]).max())
    value, bound = plan.objective.planned, plan.bound.best_possible
    assert value == pytest.approx(
        float(measure.of(found["outcome"].sel(plan="planned").values))
    )
    assert value >= best * 0.999
    assert bound >= max(value, best)
    assert plan.bound.gap == pytest.approx((bound - value) / bound)
    assert plan.objective.name == objective
    if objective == "p10":
        cautious, mean = value, made(uncertain)[0]
        assert cautious >= float(measure.of(mean["outcome"].sel(plan="planned").values))
        assert plan.bound.gap < 0.1  # two in three draws have a plan of their own


def test_the_bound_of_one_draw_is_that_of_its_mean(alone):
    """A quantile of one draw is its outcome, which is concave here."""
    found, plan = made(alone, objective="p10")
    assert plan.bound.gap < 1e-4
    assert found["spend"].values[0] == pytest.approx([100.0, 100.0], abs=0.1)


def test_a_week_may_pause_in_a_plan_for_a_quantile(uncertain):
    found, plan = made(uncertain, objective="p10", channel={"a": {"week_min": 150}})
    spend = found["spend"].sel(channel="a").values
    assert ((spend == 0) | (spend >= 150 - 1e-6)).all()
    assert plan.bound.best_possible >= plan.objective.planned


@pytest.mark.parametrize(
    ("find", "budget"),
    [
        # 2 b x / (x + e) in two weeks of x: with B = 2 x it is 2 b B / (B + 2 e)
        ({"kind": "roi", "target": 20}, 2 * BETA / 20 - 2 * EC),
        ({"kind": "mroi", "target": 20}, np.sqrt(4 * BETA * EC / 20) - 2 * EC),
        ({"kind": "outcome", "target": 6000}, 2 * EC * 6000 / (2 * BETA - 6000)),
        ({"kind": "roi", "target": 20, "most": 300}, 300.0),
        ({"kind": "profit", "least": 700, "most": 900}, 900.0),
    ],
)
def test_the_budget_of_a_target(alone, find, budget):
    found, plan = made(alone, find=find)
    assert plan.budget == pytest.approx(budget, rel=1e-3)
    assert 0 <= plan.bound.gap < 1e-3
    brought = plan.outcome.planned.mean
    assert brought == pytest.approx(2 * BETA * budget / (budget + 2 * EC), rel=1e-3)
    if find["kind"] != "profit":  # a goal decides on the budget
        assert plan.on_budget is None and plan.goal.kind == find["kind"]
        assert plan.goal.target == find["target"]


@pytest.mark.parametrize(
    ("find", "message", "hint"),
    [
        ({"kind": "roi", "target": 200}, "has an ROI of 200", "Lower the target to"),
        ({"kind": "outcome", "target": 99999}, "brings 99,999", "Lower the target to"),
    ],
)
def test_a_target_that_no_budget_reaches(alone, find, message, hint):
    with pytest.raises(PlanError) as caught:
        made(alone, find=find)
    assert message in caught.value.message
    assert caught.value.hint.startswith(hint)
