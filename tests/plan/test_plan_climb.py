import numpy as np
import pytest
from exhaustive import splits_of_three
from synthetic import random_dataset

from core.plan.limits.polytope import budget_row, polytope
from core.plan.response.curves import response_curves
from core.plan.scenario.measure import Measure
from core.plan.solve.bisection import best_split
from core.plan.solve.conditional_gradient import climbed_split, measured
from core.plan.solve.draws_bound import draws_bound
from core.plan.solve.per_draw import own_plans


def outcome_quantile(curves, spend, quantile):
    return measured(curves, spend, Measure("quantile", quantile))


def answer(curves, low, high, budget, quantile):
    mean = best_split(curves.mean(), low, high, budget).spend
    own = own_plans(curves, low, high, budget, curves.spend)
    measure = Measure("quantile", quantile)
    domain = polytope(curves.names, low, high, budget_row(len(low), budget, budget))
    spend = climbed_split(curves, domain, measure, starts=(mean, curves.spend))
    reached, of_mean = outcome_quantile(curves, np.stack([spend, mean]), quantile)
    bound = draws_bound(
        curves, (low, high), budget, own.price, measure=measure, reached=reached
    )
    return spend, reached, of_mean, bound


@pytest.mark.parametrize("seed", range(12))
def test_no_split_on_a_grid_is_better_or_above_the_bound(seed):
    n = 2 + seed % 2
    stored = random_dataset(seed, n_channels=n, n_draws=80, s_shaped=seed % 4 > 1)
    curves = response_curves(stored)
    low, high = 0.4 * curves.spend, 2.0 * curves.spend
    budget = float(curves.spend.sum())
    quantile = (0.1, 0.25, 0.9)[seed % 3]
    spend, reached, of_mean, bound = answer(curves, low, high, budget, quantile)
    grid = outcome_quantile(curves, splits_of_three(low, high, budget), quantile)
    assert reached >= of_mean
    assert reached >= grid.max() * (1 - 1e-3)
    assert bound >= max(grid.max(), reached)
    assert bound <= reached * 1.02
    assert abs(spend.sum() - budget) <= 1e-9 * budget
    assert (spend >= low - 1e-6).all()
    assert (spend <= high + 1e-6).all()


def test_bound_holds_for_ten_channels():
    curves = response_curves(random_dataset(50, n_channels=10, n_draws=150))
    low, high = 0.7 * curves.spend, 1.3 * curves.spend
    budget = float(curves.spend.sum())
    _, reached, _, bound = answer(curves, low, high, budget, 0.1)
    assert reached <= bound <= 1.02 * reached
    rng = np.random.default_rng(0)
    splits = low + rng.dirichlet(np.ones(10), 2000) * (budget - low.sum())
    splits = splits[(splits <= high).all(axis=1)]
    assert (outcome_quantile(curves, splits, 0.1) <= bound).all()
