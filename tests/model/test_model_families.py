"""Prior families: densities against SciPy, maps to the real line."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from core.model.priors import families
from core.model.priors.prior import prior

CASES = {
    "Normal": (prior("Normal", loc=1.0, scale=2.0), scipy.stats.norm(1.0, 2.0)),
    "LogNormal": (
        prior("LogNormal", loc=0.2, scale=0.9),
        scipy.stats.lognorm(0.9, scale=np.exp(0.2)),
    ),
    "HalfNormal": (prior("HalfNormal", scale=3.0), scipy.stats.halfnorm(scale=3.0)),
    "TruncatedNormal": (
        prior("TruncatedNormal", loc=0.8, scale=0.8, low=0.1, high=10.0),
        scipy.stats.truncnorm(-0.7 / 0.8, 9.2 / 0.8, loc=0.8, scale=0.8),
    ),
    "Gamma": (
        prior("Gamma", concentration=2.0, rate=3.0),
        scipy.stats.gamma(2.0, scale=1 / 3),
    ),
    "Beta": (
        prior("Beta", concentration1=2.0, concentration0=5.0),
        scipy.stats.beta(2.0, 5.0),
    ),
    "Uniform": (prior("Uniform", low=-1.0, high=3.0), scipy.stats.uniform(-1.0, 4.0)),
}


@pytest.mark.parametrize("family", CASES)
def test_density_agrees_with_scipy(family):
    given, reference = CASES[family]
    x = reference.ppf(np.linspace(0.05, 0.95, 7))
    row = jnp.asarray(families.numbers([given]))[0]
    ours = families.log_prob(given.family, jnp.asarray(x), row)
    np.testing.assert_allclose(ours, reference.logpdf(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("family", CASES)
def test_density_on_the_real_line_integrates_to_one(family):
    given, _ = CASES[family]
    row = jnp.asarray(families.numbers([given]))[0]
    z = jnp.linspace(-60.0, 60.0, 120_001)
    log_density = families.log_density(given.family, row, z)
    density = np.nan_to_num(np.exp(np.asarray(log_density)), posinf=0.0)
    np.testing.assert_allclose(np.trapezoid(density, z), 1.0, rtol=1e-4)


@pytest.mark.parametrize("family", CASES)
def test_density_on_the_real_line_is_the_density_times_the_slope(family):
    given, _ = CASES[family]
    row = jnp.asarray(families.numbers([given]))[0]
    z = jnp.linspace(-4.0, 4.0, 41)  # beyond, a Uniform's value is its end

    def at(z):
        return families.to_support(family, row, z)

    slope = jax.vmap(jax.grad(at))(z)
    expected = families.log_prob(family, at(z), row) + jnp.log(slope)
    ours = families.log_density(family, row, z)
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("low", "high"), [(-9.0, -8.0), (-1.0, 30.0), (8.0, 9.0)])
def test_truncated_far_from_its_centre(low, high):
    given = prior("TruncatedNormal", loc=0.0, scale=1.0, low=low, high=high)
    row = jnp.asarray(families.numbers([given]))[0]
    z = jnp.linspace(-3.0, 3.0, 7)
    x = families.to_support("TruncatedNormal", row, z)
    slope = (x - low) * (high - x) / (high - low)
    reference = scipy.stats.truncnorm(low, high).logpdf(x) + np.log(slope)
    ours = families.log_density("TruncatedNormal", row, z)
    np.testing.assert_allclose(ours, reference, rtol=1e-9)


def test_deterministic_has_nothing_free():
    row = jnp.zeros(6)
    for ask in (families.to_support, families.log_density):
        with pytest.raises(ValueError, match="Deterministic"):
            ask("Deterministic", row, jnp.zeros(()))


def test_shift_moves_density_and_support():
    given = prior("LogNormal", loc=0.7, scale=0.4, shift=0.1)
    row = jnp.asarray(families.numbers([given]))[0]
    assert families.to_support("LogNormal", row, jnp.array(-50.0)) > 0.1
    x = jnp.array([1.0, 2.0])
    ours = families.log_prob("LogNormal", x, row)
    reference = scipy.stats.lognorm(0.4, loc=0.1, scale=np.exp(0.7))
    np.testing.assert_allclose(ours, reference.logpdf(x), rtol=1e-9)
