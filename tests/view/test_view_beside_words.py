"""The best of several plans in sentences: profit, one horizon, advice, odds."""

import dataclasses

import msgspec
import numpy as np
import pytest

from core import text as fmt
from core.estimate import Estimate
from core.plan.against.lead import lead
from core.plan.record.parts import Profit
from core.plan.record.plan_record import as_draws
from core.project.refresh.standing import Standing
from core.view.beside_words import against_what_ran, best_plan
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
    names = [each.name for each in plans]
    return " ".join(best_plan(plans, names, standings, UNITS))


def test_profit_tells_plans_of_different_budgets_apart():
    more = plan("More", 1e5, outcome=9e5, budget=900.0)
    text = said(more, plan("Same", 3e5))
    assert text.startswith("Same gains most profit over ")
    assert "Advice on it: Recommended." in text


def test_the_best_plan_may_be_one_not_to_follow():
    text = said(plan("A", 2e5, advice="keep"), plan("B", 1e5))
    assert text.startswith("A gains most profit")
    assert "Advice on it: Keep." in text


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


@pytest.mark.parametrize(("other", "is_tie"), [(100_400, True), (108_000, False)])
def test_plans_whose_gains_read_the_same_are_not_told_apart(other, is_tie):
    text = said(plan("A", 100_000), plan("B", other), plan("C", 1e4))
    tied = "A and B gain about as much profit over "
    assert text.startswith(tied if is_tie else "B gains most profit over ")


def drawn(name, draws, *, outcome, budget=200.0, **more):
    """A plan with these draws of its outcome, and no margin."""
    made = plan(name, None, outcome=outcome, budget=budget)
    draws = {"current": as_draws(np.zeros(len(draws))), "planned": as_draws(draws)}
    return msgspec.structs.replace(made, draws=draws, **more)


#: What moves every plan alike: their intervals overlap, their difference is sure.
SHARED = np.linspace(-1e6, 1e6, 200)


def test_odds_are_of_paired_draws():
    text = said(
        drawn("A", SHARED + 3e5, outcome=3e5), drawn("B", SHARED + 1e5, outcome=1e5)
    )
    assert "It beats B with a probability of > 99 %" in text.replace("\u00a0", " ")
    assert ", by 200 k € (200 – 200)" in text.replace("\u00a0", " ")


def test_a_lead_that_is_not_likely_is_too_close_to_call():
    some = np.linspace(-1e5, 1.5e5, 200)
    text = said(
        drawn("A", SHARED + some, outcome=2.5e4), drawn("B", SHARED, outcome=0.0)
    )
    assert "Too close to call against B" in text
    assert f"{round(100 * (some > 0).mean())}\u00a0%" in text


def test_the_nearest_rival_comes_first():
    text = said(
        drawn("A", SHARED + 3e5, outcome=3e5),
        drawn("Far", SHARED, outcome=0.0),
        drawn("Near", SHARED + 2e5, outcome=2e5),
    )
    assert text.index("beats Near") < text.index("beats Far")


@pytest.mark.parametrize(
    "more",
    [{"run_id": "20240102-030405-ffffffff"}, {"over": "weeks"}],
    ids=["another fit", "another view"],
)
def test_plans_of_other_draws_have_no_odds(more):
    text = said(
        drawn("A", SHARED + 3e5, outcome=3e5),
        drawn("B", SHARED + 1e5, outcome=1e5, **more),
    )
    assert "Its odds against B are not known" in text


def test_profit_of_another_budget_pays_for_it():
    a, b = plan("A", 2e5, budget=900.0), plan("B", 1e5, budget=300.0)
    margin = a.against_today.profit.margin
    ahead = lead(a, b)
    both = a.draws_of("planned"), b.draws_of("planned")
    assert ahead.mean == pytest.approx(margin * (both[0] - both[1]).mean() - 600.0)


@pytest.mark.parametrize("of_other", ["margin", "cash"])
def test_profit_that_is_not_known_by_draw_has_no_odds(of_other):
    a, b = plan("A", 2e5), plan("B", 1e5)
    change, more = b.against_today, {"cash": number(300.0)}
    if of_other == "margin":
        profit = msgspec.structs.replace(change.profit, margin=0.5)
        more = {"against_today": msgspec.structs.replace(change, profit=profit)}
    assert lead(a, b) is not None
    assert lead(a, msgspec.structs.replace(b, **more)) is None


def test_profit_of_a_kpi_that_is_counted_is_money():
    units = fmt.Units("kpi", "EUR", "Orders")
    plans = [plan("A", 2e5), plan("B", 1e5)]
    standings = [Standing(each.run_id) for each in plans]
    first, *_ = best_plan(plans, ["A", "B"], standings, units)
    assert "€" in first and "Orders" not in first


def test_return_is_in_units_of_the_kpi_where_that_is_no_money():
    made = record(name="Spring")
    counted = against_what_ran(made, fmt.Units("kpi", "EUR", "orders"))
    assert "orders per € " in counted and "ROI" not in counted
    assert "ROI " in against_what_ran(made, UNITS)
