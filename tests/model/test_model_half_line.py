"""The maps to the positive half and to an interval: values, slopes, tails."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from core.model.priors import families
from core.model.priors.families import (
    EDGE,
    log_unit_slope,
    positive_part,
    unit_part,
)
from core.model.priors.prior import prior

Z = np.array([-6.0, -3.0, -1.0, -0.01, 0.0, 0.01, 0.5, 2.0, 5.0, 40.0])


def test_it_is_the_expected_positive_part():
    for z in Z[:-1]:
        expected, _ = quad(lambda e, z=z: (z + e) * norm.pdf(e), -z, 12.0)
        ours = positive_part(jnp.asarray(z))
        np.testing.assert_allclose(ours, expected, rtol=1e-6)


def test_it_rises_throughout():
    assert (np.diff(positive_part(jnp.asarray(Z))) > 0).all()


def test_its_slope():
    slope = jax.vmap(jax.grad(positive_part))(jnp.asarray(Z))
    np.testing.assert_allclose(slope, norm.cdf(Z), rtol=1e-9)


def test_small_values_keep_their_digits_in_single_precision():
    z = np.linspace(-5.0, -2.0, 31)
    double = positive_part(jnp.asarray(z))
    with jax.enable_x64(False):
        single = positive_part(jnp.asarray(z, np.float32))
        assert single.dtype == np.float32
        nothing = positive_part(jnp.float32(-40.0))
    np.testing.assert_allclose(single, double, rtol=5e-5)
    assert nothing > 0


def test_a_half_normal_has_tails_of_a_normal():
    """Its log density bends down everywhere, at most as a Normal of the map's width."""
    row = jnp.asarray(families.numbers([prior("HalfNormal", scale=1.3)]))[0]

    def log_density(z):
        return families.log_density("HalfNormal", row, z)

    bend = jax.vmap(jax.grad(jax.grad(log_density)))(jnp.linspace(-8.0, 8.0, 81))
    assert (-bend > 0.9).all()
    assert (-bend < 1 / families.WIDTH**2).all()


X = np.array([-0.6, -0.1, 0.0, 0.02, 0.3, 0.5, 0.8, 0.99, 1.0, 1.2, 1.5])


def test_an_interval_is_the_expected_clipped_value():
    for x in X:
        kinks = (-x / EDGE, (1 - x) / EDGE)
        expected, _ = quad(
            lambda e, x=x: np.clip(x + EDGE * e, 0, 1) * norm.pdf(e),
            *(-12, 12),
            points=[kink for kink in kinks if abs(kink) < 12],
        )
        np.testing.assert_allclose(unit_part(jnp.asarray(x)), expected, rtol=1e-6)


def test_the_slope_in_an_interval():
    slope = jax.vmap(jax.grad(unit_part))(jnp.asarray(X))
    expected = norm.cdf(X / EDGE) - norm.cdf((X - 1) / EDGE)
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(log_unit_slope(jnp.asarray(X)), np.log(slope), rtol=1e-6)


def test_a_uniform_has_light_tails_and_its_middle_is_not_stretched():
    """Beyond the ends its log density bends down; between them its value is linear."""
    row = jnp.asarray(families.numbers([prior("Uniform", low=0.2, high=0.8)]))[0]

    def log_density(z):
        return families.log_density("Uniform", row, z)

    bend = jax.vmap(jax.grad(jax.grad(log_density)))(jnp.linspace(-6.0, 6.0, 81))
    assert (bend < 1e-9).all()
    assert (-bend < (families.SLOPE / EDGE) ** 2 + 1e-9).all()
    z = jnp.linspace(-0.5, 0.5, 5)
    steps = np.diff(families.to_support("Uniform", row, z))
    np.testing.assert_allclose(steps, steps[0], rtol=0.02)
