"""The ascent's own derivative: the same numbers as the model's outcome."""

import dataclasses

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.plan.flighting import media_draws
from core.plan.response.felt import can_be_felt
from core.plan.response.horizon import horizon
from core.plan.solve.weeks.objective import Objective
from tests.plan.flight_market import by_reach, market, posterior


def steep(n_geos):
    """S-shaped draws of two channels, one of which works against the KPI."""
    rng = np.random.default_rng(4)
    weekly, size = np.array([100.0, 60.0]), (20, 2)
    model = market(weekly, max_lag=3, n_geos=n_geos)
    beta = rng.uniform(300, 900, size) * np.array([1.0, -1.0])
    alpha, slope = rng.uniform(0.1, 0.8, size), rng.uniform(0.7, 3.0, size)
    return model, posterior(model, beta, alpha, 0.8 * np.tile(weekly, (20, 1)), slope)


def objectives(model, draws, ranks):
    given = horizon(model, 6)
    kept = media_draws(given, flat_draws(draws))
    fast = Objective(given, kept, ranks)
    slow = Objective(given, kept, ranks)
    slow._felt = slow._exact = None
    return given, fast, slow


@pytest.mark.parametrize("n_geos", [1, 3])
@pytest.mark.parametrize("is_cautious", [False, True])
def test_value_slope_and_ceiling_are_the_models(n_geos, is_cautious):
    ranks = np.full(20, 1 / 20)
    if is_cautious:
        ranks = np.where(np.arange(20) < 4, 0.25, 0.0)
    given, fast, slow = objectives(*steep(n_geos), ranks)
    spend = np.random.default_rng(0).uniform(0, 200, given.usual.shape)
    spend[0, 2] = 0.0
    for objective in (fast, slow):
        objective.bend(np.zeros_like(spend), np.full_like(spend, spend.sum()))
    for made, exact, close in (
        (fast.exact, slow.exact, 1e-9),
        (fast, slow, 2e-5),
        (fast.near_ceiling, slow.ceiling, 2e-5),
    ):
        (value, slope), (true, true_slope) = made(spend), exact(spend)
        assert value == pytest.approx(true, rel=close, abs=close * 100)
        assert slope == pytest.approx(true_slope, rel=close, abs=close * 10)


def test_reach_is_linear_in_spend():
    model, draws = by_reach(400.0)
    n = int(draws.sizes["chain"] * draws.sizes["draw"])
    given, fast, slow = objectives(model, draws, np.full(n, 1 / n))
    spend = np.random.default_rng(0).uniform(0, 200, given.usual.shape)
    (value, slope), (true, true_slope) = fast.exact(spend), slow.exact(spend)
    assert value == pytest.approx(true, rel=1e-9)
    assert slope == pytest.approx(true_slope, rel=1e-9)


def test_saturation_before_carryover_is_left_to_the_model():
    given, fast, _ = objectives(*steep(1), np.full(20, 1 / 20))
    group = dataclasses.replace(given.structure.groups[0], saturates_first=True)
    structure = dataclasses.replace(given.structure, groups=(group,))
    assert can_be_felt(given)
    assert not can_be_felt(given._replace(structure=structure))
