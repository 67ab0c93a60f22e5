"""Weeks of channels that work through a mediator: totals, slopes and bounds."""

import numpy as np
import pytest
import xarray as xr

from core.analysis.response.curves import response_curves
from core.data.ahead.horizon import plan_horizon
from core.errors import PlanError
from core.plan.flighting import flight, media_draws, ran_of
from core.plan.response.horizon import horizon
from core.plan.response.weeks import outcomes
from core.plan.scenario.weeks import flight_wish
from core.plan.solve.weeks.objective import Objective
from tests.small_funnel import small_funnel

pytestmark = pytest.mark.usefixtures("hardly_optimised")
N = 5


@pytest.fixture(scope="module")
def weeks():
    """The response of weeks with the blog on the way, and joint draws."""
    _, _, whole, draws = small_funnel()
    response = horizon(whole, N)
    return whole, response, media_draws(response, draws), draws


def added(response, draws, spend):
    none = outcomes(response, draws, np.zeros_like(spend))
    return (outcomes(response, draws, spend) - none).sum(axis=(1, 2))


def objective_of(response, draws):
    n = len(next(iter(draws.values())))
    return Objective(response, draws, np.full(n, 1 / n))


def some_spend(response, seed=0):
    rng = np.random.default_rng(seed)
    return response.usual * rng.uniform(0.3, 2.0, response.usual.shape)


def test_last_years_weeks_bring_what_the_curves_say(weeks):
    """Totals, with what the blog sells after the end of the plan."""
    whole, response, draws, every = weeks
    curves = response_curves(whole, every, plan_horizon(whole.data.times, N))
    at_one = curves["incremental_outcome"].sel(spend_multiplier=1.0, method="nearest")
    np.testing.assert_allclose(ran_of(response, draws), at_one, rtol=1e-5)


@pytest.mark.parametrize("gamma", [0.0, 0.3])
def test_the_ascent_climbs_the_total(weeks, gamma):
    whole, plain, draws, _ = weeks
    response = horizon(whole, N, gammas={"tv": gamma}) if gamma else plain
    objective, spend = objective_of(response, draws), some_spend(response)
    np.testing.assert_allclose(
        objective.by_draw(spend), added(response, draws, spend), rtol=1e-9
    )
    _, slope = objective.exact(spend)
    step = 1e-5 * spend
    for cell in ((0, 0), (0, N - 1), (1, 2)):
        moved = spend.copy()
        moved[cell] += step[cell]
        rise = objective.exact(moved)[0] - objective.exact(spend)[0]
        assert slope[cell] == pytest.approx(rise / step[cell], rel=1e-3)


def test_what_comes_through_the_blog_is_part_of_it(weeks):
    """Without the other model tv brings less, search as much."""
    whole, response, draws, every = weeks
    sales, _, _, _ = small_funnel()
    alone = horizon(sales, N)
    spend = some_spend(response)
    total, direct = (
        objective_of(each, media_draws(each, every)).along(
            spend, spend.sum(axis=1)[:, None]
        )[:, :, 0]
        for each in (response, alone)
    )
    assert (total[:, 0] > direct[:, 0]).all()
    np.testing.assert_allclose(total[:, 1], direct[:, 1], rtol=1e-6)
    np.testing.assert_allclose(total.sum(axis=1), added(response, draws, spend))


def test_no_plan_is_above_the_ceiling(weeks):
    _, response, draws, _ = weeks
    objective = objective_of(response, draws)
    low, high = np.zeros_like(response.usual), 2.5 * response.usual
    objective.bend(low, high)
    here = some_spend(response, 7)
    value, slope = objective.ceiling(here)
    for seed in range(8):
        other = some_spend(response, seed)
        tangent = value + (slope * (other - here)).sum()
        assert objective.ceiling(other)[0] >= objective.exact(other)[0] * (1 - 1e-9)
        assert tangent >= objective.exact(other)[0] * (1 - 1e-9)


def test_weeks_that_teach_are_refused_with_a_mediator(weeks):
    whole = weeks[0]
    wish = flight_wish({"horizon": {"periods": 3}, "teach": True})
    with pytest.raises(PlanError, match="Weeks that teach cannot be planned"):
        flight(whole, xr.Dataset(), wish)
