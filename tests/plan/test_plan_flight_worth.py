"""Profit, discount, and spend that is only evaluated: examples worked by hand."""

import numpy as np
import pytest

from core.analysis.ahead.planned_periods import of_periods
from core.data.ahead.horizon import plan_horizon
from core.errors import PlanError
from core.plan.flighting import flight
from core.plan.record.parts import Bound
from core.plan.response.periods import REPEATED, horizon_of
from core.plan.response.worth import worth_of
from core.plan.scenario.weeks import week_request
from tests.plan.flight_market import N_TIMES, market, posterior

BETA, EC, MARGIN = 5000.0, 50.0, 0.4
PROFIT = {"kind": "profit", "margin": 1}


def once(max_lag=0):
    """A market that ran in the first two weeks only: nothing before the plan."""
    spend = np.zeros((N_TIMES, 1))
    spend[:2] = 100.0
    model = market(np.array([100.0]), max_lag=max_lag, spend=spend)
    return model, posterior(model, [BETA], [1.0], [EC], [1.0])


def test_the_budget_with_the_largest_profit():
    """m b x / (x + e) - x is largest where m b e = (x + e)^2, in each of two weeks.

    Both weeks' outcome and money are discounted alike, so the amounts are the same.
    """
    best = np.sqrt(MARGIN * BETA * EC) - EC
    for discount in (0.0, 0.9**-52 - 1):
        table = {"bounds": [0, 100], "horizon": {"periods": 2}, "discount": discount}
        table["find"] = {"kind": "profit", "margin": MARGIN}
        model, draws = once()
        made = flight(model, draws, week_request(table))
        assert made.stored["spend"].values[0] == pytest.approx([best, best], rel=1e-3)
        weight = 1 + (1 + discount) ** (-1 / 52)
        profit = weight * (MARGIN * BETA * best / (best + EC) - best)
        plan = made.record
        assert plan.profit.planned.mean == pytest.approx(profit, rel=1e-6)
        ran = weight * (MARGIN * BETA * 100 / (100 + EC) - 100)
        assert plan.profit.gain.mean == pytest.approx(profit - ran, rel=1e-6)
        assert plan.compared_with == "the data's weeks as they ran"
        assert "the data's weeks as they ran" in plan.on_split.reasons[0]
        assert plan.budget == round(float(made.stored["spend"].sum()), 2)
        assert made.record.objective.planned == pytest.approx(profit, rel=1e-6)
        assert 0 <= made.record.bound.gap < 1e-4


def test_a_budget_of_nothing_is_said_to_be_none():
    model, draws = once()
    table = {"bounds": [0, 100], "horizon": {"periods": 2}}
    table["find"] = {"kind": "profit", "margin": 0.9 * EC / BETA}
    with pytest.raises(PlanError, match="No spend pays within these limits"):
        flight(model, draws, week_request(table))


def test_a_growth_of_profit_is_a_share_of_profit_before_media():
    """As over channels: 0.96 a week is 0.6 % of profit after media, 0.38 % before."""
    model, draws = once()
    table = {"bounds": [0, 100], "horizon": {"periods": 2}}
    table["find"] = {"kind": "profit", "margin": 138**2 / (BETA * EC)}  # best at 88
    plan = flight(model, draws, week_request(table)).record
    assert plan.profit.gain.mean == pytest.approx(2 * 0.96, rel=1e-2)
    assert plan.on_split.advice == "keep"
    assert "It would gain 0.38" in plan.on_split.reasons[0]


def test_what_comes_later_counts_less():
    """Half is felt at once, half a week later at d = 0.9, after the plan's end.

    m b (1 + d) z / (z + e) - 2 z with z = x / 2 is largest where
    m b e (1 + d) / 2 = (z + e)^2.
    """
    model, draws = once(max_lag=1)
    table = {"bounds": [0, 100], "horizon": {"periods": 1}, "weeks": {"after": 0.0}}
    table |= {"find": {"kind": "profit", "margin": MARGIN}, "discount": 0.9**-52 - 1}
    made = flight(model, draws, week_request(table))
    half = np.sqrt(MARGIN * BETA * EC * 1.9 / 2) - EC
    assert made.stored["spend"].values[0, 0] == pytest.approx(2 * half, rel=1e-3)


def test_a_discount_moves_a_given_budget_to_the_front():
    """x / (x + e) + d y / (y + e) with x + y = 200: (y + e) / (x + e) = sqrt(d)."""
    model, draws = once()
    table = {"bounds": [0, 100], "horizon": {"periods": 2}, "discount": 0.25**-52 - 1}
    made = flight(model, draws, week_request(table))
    assert made.stored["spend"].values[0] == pytest.approx([150.0, 50.0], abs=0.05)
    held = 150 / 200 + 0.25 * 50 / 100
    assert made.record.objective.planned == pytest.approx(BETA * held)
    outcome = float(made.stored["outcome"].sel(plan="planned")[0])
    assert outcome == pytest.approx(BETA * (150 / 200 + 50 / 100))  # not discounted


def test_a_budget_of_weeks_is_judged_in_the_weeks_that_stay():
    """One channel in two like weeks: last year's are the best there are."""
    model, draws = once()
    table = {"budget": 230.0, "bounds": [0, 100], "horizon": {"periods": 2}}
    plan = flight(model, draws, week_request(table)).record
    assert plan.on_split.advice == "keep" and plan.on_budget.advice == "change"
    assert plan.on_budget.reasons[0].startswith("In the split that stays, profit is")


@pytest.mark.parametrize(("budget", "advice"), [(230.0, "keep"), (170.0, "change")])
def test_weeks_that_gain_do_not_pay_for_a_budget_that_loses(budget, advice):
    """At 100 a week the next unit brings 0.89; even weeks bring far more than uneven.

    So profit grows by 144 over last year's 190 and 10, and a raise takes 6 of it.
    """
    spend = np.zeros((N_TIMES, 1))
    spend[:2, 0] = 190.0, 10.0
    model = market(np.array([100.0]), max_lag=0, spend=spend)
    draws = posterior(model, [400.0], [1.0], [EC], [1.0])
    table = {"budget": budget, "bounds": [0, 100], "horizon": {"periods": 2}}
    made = flight(model, draws, week_request(table))
    alone = float(made.stored["outcome_channel_alone"].mean())
    assert made.stored["spend_alone"].values == pytest.approx([200.0])
    assert alone == pytest.approx(400 * 2 * 100 / (100 + EC), rel=1e-3)
    plan = made.record
    assert plan.against_today.profit.gain.mean > 100
    assert (plan.on_split.advice, plan.on_budget.advice) == ("change", advice)
    assert plan.on_budget.reasons[0].startswith("In the planned split, profit is")


def test_the_range_of_the_budget_is_kept():
    model, draws = once()
    for limits, spent in (({"most": 300}, 300.0), ({"least": 700, "most": 800}, 700.0)):
        table = {
            "bounds": [0, 100],
            "horizon": {"periods": 2},
            "weeks": {"change": "50 %"},
        }
        table["find"] = {"kind": "profit", "margin": MARGIN, **limits}
        made = flight(model, draws, week_request(table))
        assert made.record.budget == pytest.approx(spent, abs=0.5)
        assert limits.get("least", 0) <= made.record.budget <= limits["most"]


def test_spend_that_is_given_is_evaluated():
    model, draws = once()
    table = {"horizon": {"periods": 2}, "spend": {"a": [30.0, 120.0]}}
    made = flight(model, draws, week_request(table))
    plan = made.record
    assert plan.channels[0].weeks == (30.0, 120.0)
    brings = BETA * (30 / 80 + 120 / 170)
    assert plan.outcome.planned.mean == pytest.approx(brings)
    assert plan.bound == Bound(None, None, "spend was given")
    even = BETA * 2 * 75 / 125
    assert plan.gain_over_even.mean == pytest.approx(brings - even)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"find": {"kind": "roi", "margin": 1}}, "target is not a number above 0"),
        ({"find": {"kind": "share"}}, "No budget can be found for 'share'"),
        ({"find": {"kind": "roi", "target": 2}, "discount": 0.1}, "every week alike"),
        ({"objective": "reach:5", "discount": 0.1}, "Odds of a goal count every week"),
        ({"objective": "reach:X"}, "Objective 'reach:X' is unknown"),
        (
            {"find": {**PROFIT, "least": 2, "most": 1}},
            "above the largest",
        ),
        (
            {"find": {**PROFIT, "most": -1}},
            "limit of the budget is not an",
        ),
        (
            {"find": {**PROFIT}, "budget": 5},
            "a fixed budget or ask Mixwright to find one",
        ),
        (
            {"find": {**PROFIT}, "objective": "cvar10"},
            "budget for profit needs the expected",
        ),
        ({"find": {**PROFIT}, "scaled": True}, "scaled"),
        ({"discount": -1}, "not a yearly rate"),
        ({"spend": {"b": [1, 2]}}, "every channel once"),
        ({"spend": {"a": [1]}}, "not 2 amounts"),
        ({"spend": {"a": [1, -2]}}, "has to be amounts of money"),
    ],
)
def test_what_is_refused(table, message):
    with pytest.raises(PlanError) as caught:
        model, draws = once()
        flight(model, draws, week_request({**table, "horizon": {"periods": 2}}))
    assert message in caught.value.message


def test_weights_of_weeks():
    worth = worth_of(3, 2, 52, 0.08, 0.4)
    assert worth.weight == pytest.approx(1.08 ** (-np.arange(5) / 52))
    assert worth.cost == pytest.approx(worth.weight[:3])
    assert not worth_of(3, 2, 52, 0.08).is_profit


def test_data_shorter_than_a_year_are_said_to_stand_for_last_years():
    model, draws = once()
    table = {"budget": 230.0, "bounds": [0, 100], "horizon": {"periods": 2}}
    plan = flight(model, draws, week_request(table)).record
    is_short = N_TIMES < 52
    assert any(REPEATED in reason for reason in plan.reasons) == is_short
    ran = "the data's weeks as they ran" if is_short else "the same weeks last year"
    assert plan.horizon.as_it_ran == ran
    said = of_periods(model.data, plan_horizon(model.data.times, 2))
    assert (REPEATED in horizon_of(said).note) == is_short
    assert not horizon_of(of_periods(model.data, None)).note
