"""The counterfactual: sums, slopes, and returns that agree with their priors."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.incremental import (
    incremental_outcome,
    scaled_expected_kpi,
    treatment_outcome,
)
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.multiples import response
from core.analysis.returns import returns
from core.model.build import build
from core.model.reconstruct import posterior_variables
from tests.given_latents import expected_kpi
from tests.other_media import media_without
from tests.small_market import market, spec


def draws_of(model, n=4, seed=0):
    variables = partial(posterior_variables, model.structure, model.arrays)
    return jax.jit(jax.vmap(variables))(prior_draws(model, n, seed))


@pytest.fixture(scope="module")
def everything():
    model = build(market(every_kind=True), spec(every_kind=True))
    return model, draws_of(model)


def test_expected_kpi_of_draws_equals_that_of_latents(everything):
    model, draws = everything
    structure, arrays = model.structure, model.arrays
    ours = jax.jit(jax.vmap(partial(scaled_expected_kpi, structure, arrays)))(draws)
    theirs = jax.jit(jax.vmap(partial(expected_kpi, structure, arrays)))(draws)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_response_at_one_is_the_incremental_outcome(everything):
    model, draws = everything
    structure, arrays = model.structure, model.arrays
    one = jnp.ones(1)
    value, _ = jax.jit(jax.vmap(lambda d: response(structure, arrays, d, one)))(draws)
    total = jax.jit(jax.vmap(partial(incremental_outcome, structure, arrays)))(draws)
    n = value.shape[1]
    np.testing.assert_allclose(value[:, :, 0], total.sum((2, 3))[:, :n], rtol=1e-9)


def test_slope_is_the_derivative(everything):
    model, draws = everything
    structure, arrays = model.structure, model.arrays
    grid = jnp.array([0.5 - 1e-5, 0.5, 0.5 + 1e-5])
    value, slope = jax.jit(jax.vmap(lambda d: response(structure, arrays, d, grid)))(
        draws
    )
    numeric = (value[:, :, 2] - value[:, :, 0]) / 2e-5
    np.testing.assert_allclose(slope[:, :, 1], numeric, rtol=1e-5)


def test_drawn_roi_comes_back(everything):
    model, draws = everything
    given = returns(model, {name: np.asarray(v) for name, v in draws.items()})
    np.testing.assert_allclose(given["roi"][:, :2], draws["roi_m"], rtol=1e-8)
    np.testing.assert_allclose(given["roi"][:, 2:3], draws["roi_rf"], rtol=1e-8)


@pytest.mark.parametrize("saturation", ["hill", "none"])
def test_drawn_marginal_roi_comes_back(saturation):
    """Also without saturation, where Meridian's prior and analysis disagree."""
    options = {"tv": {"prior_kind": "mroi", "saturation": saturation}}
    model = build(market(), spec(channels=options))
    draws = draws_of(model)
    given = returns(model, {name: np.asarray(v) for name, v in draws.items()})
    np.testing.assert_allclose(given["mroi"][:, 0], draws["mroi_m"][:, 0], rtol=1e-6)


def test_drawn_roi_of_a_calibration_window_comes_back_without_saturation():
    data = market()
    window = (str(data.times[5]), str(data.times[11]))
    options = {"tv": {"calibration": (window,), "saturation": "none"}}
    model = build(data, spec(channels=options))
    draws = draws_of(model)
    inside = (data.media_times >= data.times[5]) & (data.media_times <= data.times[11])
    off = media_without(model, inside)

    def in_window(draw):
        ran = incremental_outcome(model.structure, model.arrays, draw)[0]
        rest = treatment_outcome(model.structure, model.arrays, draw, off)[0]
        return (ran - rest).sum()

    outcome = jax.jit(jax.vmap(in_window))(draws)
    spend = data.media.spend[:, 5:12, 0].sum()
    np.testing.assert_allclose(outcome / spend, draws["roi_m"][:, 0], rtol=1e-6)


def test_population_scaled_non_media_contribution_comes_back():
    """Scaled once: Meridian scales the baseline twice (a drawn +0.05 became -2.7)."""
    options = {"price": {"baseline": "max"}}
    model = build(
        market(), spec(channels=options, population_scaled_non_media=("price",))
    )
    draws = draws_of(model)
    outcome = jax.jit(
        jax.vmap(partial(incremental_outcome, model.structure, model.arrays))
    )
    total = outcome(draws).sum((2, 3))[:, -1] / model.data.outcome.sum()
    np.testing.assert_allclose(total, draws["contribution_n"][:, 0], rtol=1e-6)
