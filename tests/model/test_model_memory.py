"""Noise with memory: shocks and noise by definition, Gram matrices as products."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.errors import SpecError
from core.model.block.memory import (
    added_up,
    carried,
    n_runs,
    parts,
    products,
    shocks_of,
    slope_of_shocks,
    transposed,
    weight_slopes,
    weights,
)
from core.model.build import build
from core.model.density import collapsed_log_density
from core.model.latents import n_dims
from core.model.priors.prior import prior
from core.model.spec import ModelSpec
from tests.small_market import market, spec

SEEN = np.array([[1, 1, 0, 1, 1, 1, 0, 0, 1], [0, 1, 1, 1, 1, 1, 1, 1, 1]], float)
RHO = (-0.4, 0.0, 0.6, 0.93)


def whitening(rho: float) -> np.ndarray:
    """W of each geo, from its definition; geo time time."""
    made = np.zeros((*SEEN.shape, SEEN.shape[1]))
    for geo, row in enumerate(SEEN):
        for t in np.flatnonzero(row):
            goes_on = t > 0 and row[t - 1]
            made[geo, t, t] = 1.0 if goes_on else np.sqrt(1 - rho**2)
            if goes_on:
                made[geo, t, t - 1] = -rho
    return made


@pytest.mark.parametrize("rho", RHO)
def test_shocks_and_their_noise(rho):
    noise, shocks = jnp.asarray(np.random.default_rng(1).normal(size=(2, *SEEN.shape)))
    w, at, seen = whitening(rho), jnp.asarray(rho), jnp.asarray(SEEN)
    of_noise = np.einsum("gts,gs->gt", w, noise)
    np.testing.assert_allclose(shocks_of(noise, seen, at), of_noise, atol=1e-12)
    back = np.einsum("gts,gt->gs", w, shocks * seen)
    np.testing.assert_allclose(transposed(shocks * seen, seen, at), back, atol=1e-12)
    again = shocks_of(carried(shocks, seen, at), seen, at)
    np.testing.assert_allclose(again, shocks * seen, atol=1e-12)
    _, slope = jax.jvp(lambda x: shocks_of(noise, seen, x), (at,), (jnp.ones(()),))
    np.testing.assert_allclose(slope_of_shocks(noise, seen, at), slope, atol=1e-12)
    assert n_runs(seen) == 4


def test_noise_without_memory_is_its_shocks():
    noise = jnp.asarray(np.random.default_rng(1).normal(size=SEEN.shape))
    seen = jnp.asarray(SEEN)
    np.testing.assert_array_equal(shocks_of(noise, seen, None), noise * seen)
    np.testing.assert_array_equal(transposed(noise, seen, None), noise)


@pytest.mark.parametrize("rho", RHO)
def test_gram_matrices_are_sums_of_products(rho):
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(*SEEN.shape, 5))
    is_shock = np.array([False, False, True, True, False])
    w = whitening(rho)
    white = np.einsum("gts,gsp->gtp", w, columns)
    white[:, :, is_shock] = (columns * SEEN[:, :, None])[:, :, is_shock]
    split = parts(columns, SEEN, is_shock)
    made = products(lambda x, y: np.einsum("gtp,gtq->gpq", x, y), split, split)
    at = jnp.asarray(rho)
    np.testing.assert_allclose(
        added_up(made, weights(at)),
        np.einsum("gtp,gtq->gpq", white, white),
        atol=1e-12,
    )
    slopes = jax.jacfwd(lambda x: added_up(made, weights(x)))(at)
    np.testing.assert_allclose(added_up(made, weight_slopes(at)), slopes, atol=1e-12)


def test_three_matrices_are_enough_where_nothing_is_in_common():
    columns = np.random.default_rng(3).normal(size=(1, 30, 4))
    split = parts(columns, np.ones((1, 30)), np.zeros(4, bool))
    made = products(lambda x, y: np.einsum("gtp,gtq->gpq", x, y), split, split)
    assert len(made.matrices) == 3


def test_noise_has_memory_in_a_structural_baseline_and_where_asked():
    def has(**options) -> bool:
        return build(market(), spec(**options)).structure.has_memory

    assert not has()
    assert not has(baseline="structural", autocorrelation=False)
    assert has(baseline="structural")
    assert has(autocorrelation=True)
    assert not ModelSpec(preset="meridian").has_memory


@pytest.mark.parametrize("edge", [(-1.0, 0.9), (0.0, 1.0)])
def test_a_prior_that_lets_noise_grow_is_refused(edge):
    low, high = edge
    given = (("rho", prior("Uniform", low=low, high=high)),)
    with pytest.raises(SpecError, match="grow without end"):
        build(market(), spec(autocorrelation=True, priors=given))


@pytest.mark.parametrize("n_geos", [1, 6])
def test_single_precision_keeps_value_and_slopes_with_a_long_memory(n_geos):
    fixed = (("rho", prior("Uniform", low=0.9, high=0.94)),)
    options = spec(baseline="structural", priors=fixed, max_lag=8)
    found = []
    for precision in ("float64", "float32"):
        with jax.enable_x64(precision == "float64"):
            model = build(market(n_geos, 156), options, precision=precision)
            rng = np.random.default_rng(4)
            position = 0.2 * rng.normal(size=n_dims(model.structure.latents))
            of = partial(collapsed_log_density, model.structure)
            value, slope = jax.jit(jax.value_and_grad(of))(
                jnp.asarray(position, precision), model.arrays
            )
            found.append((float(value), np.asarray(slope, np.float64)))
    (value, slope), (ours, our_slope) = found
    assert abs(ours - value) < 0.02
    np.testing.assert_allclose(our_slope, slope, rtol=2e-3, atol=2e-2)


def test_days_of_a_week_share_a_shock_that_goes_on():
    days = np.datetime64("2024-01-01") + np.arange(28)
    data = market(n_geos=2, n_times=28)
    data = type(data)(**{**vars(data), "times": days, "media_times": days})
    model = build(data, spec(baseline="structural", smooth=4))
    block = model.arrays.block
    assert block.shocks.shape == (28, 4)
    np.testing.assert_array_equal(block.shocks.sum(axis=0), 7)
    position = jnp.zeros(n_dims(model.structure.latents))
    value = jax.jit(partial(collapsed_log_density, model.structure))
    assert np.isfinite(value(position, model.arrays))
