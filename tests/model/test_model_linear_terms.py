"""Linear terms: sines and cosines of the year, with a scale fixed or learned."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.learning.prior_draws import prior_draws
from core.errors import SpecError
from core.model.build import build
from core.model.density import block_given, collapsed_log_density, residual
from core.model.latents import constrain, n_dims
from core.model.priors.prior import prior
from core.model.reconstruct import latents_of, posterior_variables
from core.model.spec import ModelSpec
from core.model.terms.linear_terms import fourier
from core.model.terms.season import most_pairs
from tests.small_market import market, spec

LEARNED = (("xi_fourier", prior("HalfNormal", scale=1.0)),)


def test_columns_are_sines_then_cosines_of_the_year():
    days = np.arange("1970-01-01", "1974-01-02", dtype="datetime64[D]")
    columns = fourier(days, 2)
    assert columns.shape == (1462, 4)
    np.testing.assert_allclose(columns[0], [0, 0, 1, 1], atol=1e-12)
    np.testing.assert_allclose(columns[1461], columns[0], atol=1e-9)  # four years
    np.testing.assert_allclose((columns**2).mean(axis=0), 0.5, atol=1e-3)
    np.testing.assert_allclose(columns[:, :2] ** 2 + columns[:, 2:] ** 2, 1.0)


@pytest.mark.parametrize(("step", "most"), [(1, 182), (7, 26), (31, 5)])
def test_pairs_need_two_periods_for_each_wave(step, most):
    assert most_pairs(np.datetime64("2024-01-01") + step * np.arange(20)) == most


def test_too_many_pairs_are_refused():
    with pytest.raises(SpecError, match="need shorter periods"):
        build(market(), spec(seasonality=27))
    with pytest.raises(SpecError, match="zero or more"):
        ModelSpec(seasonality=-1)


@pytest.mark.parametrize("n", [10**5, 2**63 - 1])
def test_more_columns_than_periods_are_refused_before_they_are_built(n):
    with pytest.raises(SpecError, match="smooth functions do not fit"):
        build(market(), spec(smooth=n))
    with pytest.raises(SpecError, match="of at most 366 each"):
        spec(holiday_window=(n, 0))


def test_default_adds_nothing():
    structure = build(market(), spec()).structure
    assert structure.terms == ()
    assert not any("fourier" in latent.name for latent in structure.latents)


@pytest.mark.parametrize("priors", [(), LEARNED], ids=["fixed", "learned"])
def test_collapsed_density_agrees_with_a_dense_gaussian(priors):
    model = build(market(n_geos=1), spec(seasonality=3, priors=priors))
    structure, arrays = model.structure, model.arrays
    position = jnp.asarray(
        np.random.default_rng(3).normal(size=n_dims(structure.latents)) * 0.3
    )

    @jax.jit
    def of(position, arrays):
        params, log_prior = constrain(
            structure.latents, position, arrays.priors, arrays.errors
        )
        collapsed = collapsed_log_density(structure, position, arrays)
        return params, residual(structure, arrays, params), collapsed - log_prior

    params, r, collapsed = of(position, arrays)
    r = np.asarray(r)[0]
    season = np.asarray(params["xi_fourier"]) * fourier(model.data.times, 3)
    block = arrays.block
    f = np.concatenate([block.shared[:, :-6], block.by_geo[0].T], axis=1)
    precision = np.delete(np.asarray(block.precision), range(5, 11))
    covariance = f @ np.diag(1 / precision) @ f.T + season @ season.T
    covariance += float(params["sigma"]) ** 2 * np.eye(len(r))
    _, log_det = np.linalg.slogdet(2 * np.pi * covariance)
    dense = -0.5 * (r @ np.linalg.solve(covariance, r) + log_det)
    np.testing.assert_allclose(collapsed, dense, rtol=1e-9)


def test_a_scale_of_zero_is_no_season():
    """Learned scales reach zero: nothing may overflow there."""
    zero = (("xi_fourier", prior("Deterministic", loc=0.0)),)
    model = build(market(), spec(seasonality=2, priors=zero), precision="float32")
    without = build(market(), spec(), precision="float32")
    position = jnp.zeros(n_dims(without.structure.latents), jnp.float32)
    values = [
        jax.jit(partial(collapsed_log_density, one.structure))(position, one.arrays)
        for one in (model, without)
    ]
    np.testing.assert_allclose(*values, rtol=1e-5)

    @jax.jit
    def block_at(position, arrays):
        latents = model.structure.latents
        params, _ = constrain(latents, position, arrays.priors, arrays.errors)
        return block_given(model.structure, arrays, params)

    assert not np.asarray(block_at(position, model.arrays).shared[:, -4:]).any()


def test_the_season_is_found_and_is_part_of_mu_t():
    data = market(n_times=160)
    wave = fourier(data.times, 1) @ [3.0, -1.0]
    kpi = data.population[:, None] * (10 + wave + 0.1 * data.controls[:, :, 0])
    model = build(
        data.__class__(**vars(data) | {"kpi": kpi}), spec(seasonality=1, knots=1)
    )
    structure, arrays = model.structure, model.arrays
    # A small residual scale, next to no media.
    position = jnp.full(n_dims(structure.latents), -3.0)
    block = arrays.block
    noise = tuple(map(jnp.zeros, (block.precision.shape, block.local_scale.shape, ())))

    @jax.jit
    def variables(position, noise):
        latents = latents_of(structure, arrays, position, noise)
        return posterior_variables(structure, arrays, latents)

    draw = variables(position, noise)
    found = np.asarray(draw["gamma_fourier"]) * model.scale.std
    np.testing.assert_allclose(found, [3.0, -1.0], atol=0.2)
    mu_t = draw["knot_values"] @ arrays.baseline.knot_weights
    mu_t += fourier(data.times, 1) @ draw["gamma_fourier"]
    np.testing.assert_allclose(draw["mu_t"], mu_t, rtol=1e-9)


def test_prior_draws_have_the_season():
    draws = prior_draws(build(market(), spec(seasonality=2, priors=LEARNED)), 50, 1)
    assert draws["gamma_fourier_dev"].shape == (50, 4)
    assert (draws["xi_fourier"] > 0).all()
