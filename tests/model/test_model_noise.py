"""Density of noise with memory: that of a stationary process, run by run."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from core.model.build import build
from core.model.noise import noise_log_density
from tests.small_market import market, spec

SEEN = np.array([[1, 1, 0, 1, 1, 1, 0, 0, 1], [0, 1, 1, 1, 1, 1, 1, 1, 1]], float)
SIGMA = 0.7


def runs(row):
    """Stretches of seen cells without a gap."""
    places = np.flatnonzero(row)
    return np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)


@pytest.mark.parametrize("rho", [None, -0.4, 0.6, 0.93])
def test_it_is_the_density_of_each_run_by_itself(rho):
    noise = np.random.default_rng(2).normal(size=SEEN.shape)
    expected = 0.0
    for geo, row in enumerate(SEEN):
        for places in runs(row):
            apart = np.abs(np.subtract.outer(places, places))
            covariance = SIGMA**2 * (rho or 0.0) ** apart
            expected += multivariate_normal(cov=covariance).logpdf(noise[geo, places])
    params = {"sigma": jnp.asarray(SIGMA)}
    params |= {} if rho is None else {"rho": jnp.asarray(rho)}
    structure = build(market(2, 9), spec()).structure
    none = jnp.zeros(SEEN.shape[1])
    density = noise_log_density(
        structure, jnp.asarray(SEEN), jnp.asarray(noise), none, params
    )
    np.testing.assert_allclose(density, expected, rtol=1e-10)
