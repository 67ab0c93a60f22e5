"""Plans beside today as it is: other budgets, profits, differences that are none."""

import json

import numpy as np
import pytest
from synthetic import curves_dataset

from core.plan.limits.cents import difference
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict
from core.plan.response.curves import response_curves
from core.plan.scenario.find import Find
from core.plan.scenario.scenario import scenario
from core.view import beside_words


@pytest.fixture
def curves():
    rng = np.random.default_rng(1)
    size, spend = (200, 3), np.array([1e6, 2e6, 3e6])
    beta = (
        2 * spend * np.array([1.0, 1.5, 2.0]) * np.exp(0.1 * rng.standard_normal(size))
    )
    stored = curves_dataset(beta, np.ones(size), np.ones(size), spend)
    stored.attrs.update(currency="EUR", outcome_unit="revenue")
    return response_curves(stored)


def test_both_comparisons_of_a_smaller_budget(curves):
    total = float(curves.spend.sum())
    budget = 0.8 * total
    made = plan(curves, scenario(curves, budget=budget, bounds=(0.5, 2.0)))
    told = json.loads(json.dumps(as_dict(made), allow_nan=False))
    now = curves.outcome(curves.spend).sum(axis=1)
    assert told["today"]["spend"] == total
    assert told["today"]["outcome"]["mean"] == pytest.approx(now.mean())
    change = told["against_today"]
    assert change["spend"] == pytest.approx(budget - total)
    lost = made.draws_of("planned") - now
    assert change["outcome"]["mean"] == pytest.approx(lost.mean())
    assert change["outcome"]["mean"] < 0 < told["gain"]["mean"]
    profit = lost - (budget - total)
    assert change["profit"]["gain"]["mean"] == pytest.approx(profit.mean())
    assert change["roi"]["today"]["mean"] == pytest.approx((now / total).mean())
    assert change["roi"]["planned"]["mean"] == pytest.approx(
        (made.draws_of("planned") / budget).mean()
    )


def test_at_the_same_budget_both_comparisons_are_one(curves):
    told = as_dict(plan(curves, scenario(curves)))
    assert told["against_today"]["outcome"] == told["gain"]
    assert told["today"]["outcome"] == told["outcome"]["current"]


def test_a_kpi_that_is_no_money_has_no_profit(curves):
    from dataclasses import replace

    units = replace(curves, outcome_unit="kpi")
    made = plan(units, scenario(units))
    told = as_dict(made)
    assert told["against_today"]["profit"] is None
    assert "profit" not in beside_words.against_what_ran(made, made.units)


def test_largest_profit_is_judged_by_profit_against_today(curves):
    """All channels cut alike are today's split: the gain in revenue is none."""
    asked = scenario(curves, find=Find("profit", margin=0.1), bounds=(0.7, 1.3))
    made = plan(curves, asked)
    told = as_dict(made)
    assert made.budget == pytest.approx(0.7 * curves.spend.sum())
    assert told["gain"] == dict.fromkeys(told["gain"], 0.0)
    assert not made.gain_draws.any()
    profit = told["against_today"]["profit"]
    saved = curves.spend.sum() - made.budget
    now = curves.outcome(curves.spend).sum(axis=1)
    wanted = 0.1 * (made.draws_of("planned") - now).mean() + saved
    assert profit["gain"]["mean"] == pytest.approx(wanted)
    assert profit["margin"] == 0.1
    assert made.advice == "change"
    assert "these periods as they ran" in made.reasons[0]


def test_rounding_to_cents_is_no_gain():
    draws = np.linspace(2.9e8, 3.1e8, 50)
    assert not difference(draws - 0.003, draws).any()
    assert difference(draws + 1e4, draws).min() == pytest.approx(1e4)


def test_words_of_today(curves):
    made = plan(curves, scenario(curves, budget=5e6, bounds=(0.5, 2.0)))
    said = beside_words.against_what_ran(made, made.units)
    for words in ("spend −1.00", "then 6.00", "revenue", "profit", "ROI"):
        assert words in said.replace("\u00a0", " ")
