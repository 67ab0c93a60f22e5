"""Power scaling, held to that of arviz-stats; smooth densities to SciPy's."""

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.stats import gaussian_kde

from core.analysis.draws import kernel_density
from core.analysis.learning.evidence import ALPHAS, SENSITIVE, sensitivity


def of_arviz(values, log_density):
    weights = []
    for alpha in ALPHAS:
        scaled = array_stats.power_scale_lw(log_density, alpha=alpha, axis=[0, 1])
        weight = np.exp(scaled - scaled.max())
        weights.append(weight / weight.sum())
    return float(
        array_stats.power_scale_sense(
            values, *weights, *ALPHAS, chain_axis=0, draw_axis=1
        )
    )


@pytest.mark.filterwarnings("ignore:Number of tail draws")
@pytest.mark.parametrize("shape", [(4, 500), (2, 60), (1, 10), (4, 10)])
@pytest.mark.parametrize("memory", [0.0, 0.9])
def test_sensitivities_are_those_of_arviz(shape, memory):
    """Of draws that depend on each other, too: their tails are longer."""
    rng = np.random.default_rng(3)
    theta = rng.normal(size=shape)
    for at in range(1, shape[1]):
        theta[:, at] += memory * theta[:, at - 1]
    densities = (
        -0.5 * theta**2,
        -0.5 * (theta - 1) ** 2 / 0.3**2,
        np.log(rng.gamma(0.5, size=shape)),
    )
    for values in (theta, np.exp(theta).round(1)):  # with ties
        for log_density in densities:
            own = sensitivity(values, log_density)
            assert own == pytest.approx(of_arviz(values, log_density), rel=1e-9)


def test_sensitivity_finds_the_part_that_holds_a_number():
    """Normal prior and likelihood: whichever is sharper moves the posterior more."""
    rng = np.random.default_rng(2)
    for prior_sd, kpi_sd in ((0.2, 2.0), (2.0, 0.2)):
        precision = prior_sd**-2 + kpi_sd**-2
        middle = kpi_sd**-2 * 1.0 / precision
        theta = middle + precision**-0.5 * rng.normal(size=(4, 500))
        of_prior = sensitivity(theta, -0.5 * (theta / prior_sd) ** 2)
        of_kpi = sensitivity(theta, -0.5 * ((theta - 1) / kpi_sd) ** 2)
        assert (of_prior > SENSITIVE) == (prior_sd < kpi_sd)
        assert (of_kpi > SENSITIVE) == (kpi_sd < prior_sd)
    assert np.isnan(sensitivity(theta, np.zeros_like(theta)))
    assert sensitivity(theta, rng.normal(size=theta.shape)) < SENSITIVE


@pytest.mark.parametrize("n", [10, 400])
def test_densities_are_those_of_scipy(n):
    rng = np.random.default_rng(4)
    for values in (rng.normal(3.0, 2.0, n), rng.lognormal(0.0, 1.0, n)):
        grid = np.linspace(values.min() - 1.0, values.max() + 1.0, 50)
        theirs = gaussian_kde(values)(grid)
        np.testing.assert_allclose(kernel_density(values, grid), theirs, rtol=1e-9)
