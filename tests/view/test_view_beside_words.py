"""The best of several plans in a sentence: profit, one horizon, its own advice."""

import dataclasses

import msgspec
import pytest

from core import text as fmt
from core.estimate import Estimate
from core.plan.record.parts import Profit
from core.project.refresh.standing import Standing
from core.view.beside_words import best_plan
from tests.plan.records import record

UNITS = fmt.Units("revenue", "EUR")


def plan(name, profit, *, advice="change", outcome=2e5, budget=300.0, start=None):
    """A plan that adds so much profit and outcome to what ran; None for no profit."""
    made = record(name=name)
    change = msgspec.structs.replace(
        made.against_today,
        outcome=number(outcome),
        profit=None if profit is None else _profit(profit),
    )
    horizon = made.horizon
    if start:
        horizon = dataclasses.replace(horizon, start=start)
    return msgspec.structs.replace(
        made, against_today=change, advice=advice, budget=budget, horizon=horizon
    )


def _profit(mean):
    return Profit(margin=1.0, planned=number(mean), gain=number(mean))


def number(mean):
    return Estimate(
        mean=mean,
        median=mean,
        sd=1.0,
        lo=mean - 10,
        hi=mean + 10,
        probability_positive=0.9,
    )


def said(*plans):
    standings = [Standing(each.run_id) for each in plans]
    return best_plan(plans, [each.name for each in plans], standings, UNITS)


def test_profit_tells_plans_of_different_budgets_apart():
    more = plan("More", 1e5, outcome=9e5, budget=900.0)
    text = said(more, plan("Same", 3e5))
    assert text.startswith("Same gains most profit over ")
    assert "Advice on it: Recommended." in text


def test_the_best_plan_may_be_one_not_to_follow():
    text = said(plan("A", 2e5, advice="keep"), plan("B", 1e5))
    assert text.startswith("A gains most profit")
    assert text.endswith("Advice on it: Keep.")


def test_the_outcome_decides_where_there_is_no_profit():
    text = said(plan("A", None, outcome=1e5), plan("B", None, outcome=2e5))
    assert text.startswith("B gains most revenue")


@pytest.mark.parametrize(
    "plans",
    [
        (plan("A", 1e5),),
        (plan("A", 1e5), plan("B", 1e5)),
        (plan("A", 1e5), plan("B", 2e5, start="2030-01-07")),
        (plan("A", None, budget=1.0), plan("B", None, outcome=3e5)),
    ],
    ids=["one", "equal", "other periods", "other budgets without profit"],
)
def test_nothing_is_best_where_nothing_tells(plans):
    assert said(*plans) == ""
