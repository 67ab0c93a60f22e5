"""Effects of geos from what a return stands for, where one geo has all of it."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.model.build import build
from core.model.latents import constrain, n_dims
from core.model.media.treatments import (
    hierarchical_mean,
    media_effects,
    media_transformed,
)
from tests.small_market import market, spec

DEVIATION = ([-3.0], [0.0], [5.0])


@cache
def effects_of(precision: str):
    """Effects of three geos and what follows, as a function of their spread."""
    model = build(market(), spec(), precision=precision)
    structure, arrays = model.structure, model.arrays
    (group,) = structure.groups
    given = arrays.groups[group.suffix]
    start = jnp.zeros(n_dims(structure.latents), precision)
    params, _ = constrain(structure.latents, start, arrays.priors, arrays.errors)
    media = media_transformed(group, given.media, given, params, structure.n_times)

    def effects(eta, deviation):
        spread = {"eta_m": eta, "beta_gm_dev": deviation}
        known = params | spread
        scale, kind = arrays.outcome_scale, structure.media_effects
        made = media_effects(group, given, media, known, scale, kind)
        return made, hierarchical_mean(group, made, known, kind)

    def outcome_squared(eta, deviation):
        return (effects(eta, deviation)[0][:, :, None] * media**2).sum()

    @jax.jit
    def found(eta, deviation):
        made, middle = effects(eta, deviation)
        total = (made[:, :, None] * media * arrays.outcome_scale).sum()
        slopes = jax.grad(outcome_squared, argnums=(0, 1))(eta, deviation)
        return made, middle, (total, *slopes)

    return found, media


@pytest.mark.parametrize("eta", [1.0, 10.0, 40.0])
def test_the_return_is_kept_and_its_derivative_is_exact_in_float32(eta):
    found = {}
    for precision in ("float32", "float64"):
        outcome, media = effects_of(precision)
        at = jnp.full(1, eta, precision), jnp.asarray(DEVIATION, precision)
        made, middle, found[precision] = outcome(*at)
        assert np.isfinite(middle).all()
    _, of_eta, of_deviation = found["float64"]
    np.testing.assert_allclose(found["float32"][0], found["float64"][0], rtol=1e-5)
    # What one geo gains the others lose: derivatives are differences of such terms.
    noise = 1e-5 * max(abs(float(of_eta[0])), float(made.max() * (media**2).sum()))
    np.testing.assert_allclose(found["float32"][1], of_eta, rtol=1e-4, atol=noise)
    np.testing.assert_allclose(found["float32"][2], of_deviation, rtol=1e-4, atol=noise)
