"""The ascent's own derivative: the same numbers as the model's outcome."""

import dataclasses

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.plan.flighting import media_draws
from core.plan.response.horizon import horizon
from core.plan.response.weeks import all_bends, not_of_the_plan
from core.plan.solve.weeks.objective import Objective
from tests.plan import model_ascent
from tests.plan.flight_market import by_reach, market, posterior


def steep(n_geos):
    """S-shaped draws of two channels, one of which works against the KPI."""
    rng = np.random.default_rng(4)
    weekly, size = np.array([100.0, 60.0]), (20, 2)
    model = market(weekly, max_lag=3, n_geos=n_geos)
    beta = rng.uniform(300, 900, size) * np.array([1.0, -1.0])
    alpha, slope = rng.uniform(0.1, 0.8, size), rng.uniform(0.7, 3.0, size)
    return model, posterior(model, beta, alpha, 0.8 * np.tile(weekly, (20, 1)), slope)


class Model:
    """The same objective of the model itself, differentiated automatically."""

    def __init__(self, given, draws, ranks):
        self.given, self.draws, self.ranks = given, draws, ranks
        self.static = given.structure, given.arrays, given.bought
        self.floor = Objective(given, draws, ranks).floor
        self.others = not_of_the_plan(given, draws, np.zeros_like(given.usual))

    def bend(self, low, high):
        self.bent = all_bends(*self.static, self.draws, low, high)

    def exact(self, spend):
        here = self.draws, spend, self.floor, self.ranks, self.others
        return model_ascent.ranked(*self.static, *here)

    def ceiling(self, spend):
        here = self.draws, self.bent, spend, self.ranks, self.others
        return model_ascent.ranked_ceiling(*self.static, *here)


def objectives(model, draws, ranks, *, saturates_first=False):
    given = horizon(model, 6)
    groups = tuple(
        dataclasses.replace(group, saturates_first=saturates_first)
        for group in given.structure.groups
    )
    structure = dataclasses.replace(given.structure, groups=groups)
    given = given._replace(structure=structure)
    kept = media_draws(given, flat_draws(draws))
    return given, Objective(given, kept, ranks), Model(given, kept, ranks)


@pytest.mark.parametrize("n_geos", [1, 3])
@pytest.mark.parametrize("is_cautious", [False, True])
@pytest.mark.parametrize("saturates_first", [False, True])
def test_value_slope_and_ceiling_are_the_models(n_geos, is_cautious, saturates_first):
    ranks = np.full(20, 1 / 20)
    if is_cautious:
        ranks = np.where(np.arange(20) < 4, 0.25, 0.0)
    given, fast, slow = objectives(
        *steep(n_geos), ranks, saturates_first=saturates_first
    )
    spend = np.random.default_rng(0).uniform(0, 200, given.usual.shape)
    spend[0, 2] = 0.0
    for objective in (fast, slow):
        objective.bend(np.zeros_like(spend), np.full_like(spend, spend.sum()))
    for ascent, exact, close in (
        (fast.exact, slow.exact, 1e-9),
        (fast, slow.exact, 2e-5),
        (fast.ceiling, slow.ceiling, 1e-9),
        (fast.near_ceiling, slow.ceiling, 2e-5),
    ):
        (value, slope), (true, true_slope) = ascent(spend), exact(spend)
        assert value == pytest.approx(float(true), rel=close, abs=close * 100)
        assert slope == pytest.approx(np.array(true_slope), rel=close, abs=close * 10)


def test_reach_is_linear_in_spend():
    model, draws = by_reach(400.0)
    n = int(draws.sizes["chain"] * draws.sizes["draw"])
    given, fast, slow = objectives(model, draws, np.full(n, 1 / n))
    spend = np.random.default_rng(0).uniform(0, 200, given.usual.shape)
    (value, slope), (true, true_slope) = fast.exact(spend), slow.exact(spend)
    assert value == pytest.approx(float(true), rel=1e-9)
    assert slope == pytest.approx(np.array(true_slope), rel=1e-9)
