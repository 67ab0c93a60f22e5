"""Simulation-based calibration: the rank of the truth among its draws is uniform.

References:
    Talts et al. (2018), Validating Bayesian Inference Algorithms with
    Simulation-Based Calibration.
"""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chi2

from core.analysis.checking.residual import with_memory
from core.analysis.learning.prior_draws import prior_draws
from core.data.input_data import InputData, Treatments
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import Model, build
from core.model.noise import sigma_g
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from tests.given_latents import expected_kpi

N_SIMULATIONS, N_WEEKS = 200, 40
N_RANKS, N_BINS = 50, 10
PARAMETERS = ("roi_m", "alpha_m", "ec_m", "knot_values", "gamma_c", "sigma", "beta_m")
#: What each further term adds to them.
OF_TERM = {
    "rho": ("rho",),
    "xi_demand": ("xi_demand", "gamma_demand"),
    "follows_demand": ("follows_demand",),
    "xi_drift": ("xi_drift", "drift_m"),
}
SETTINGS = SamplerSettings(chains=2, warmup=200, draws=245, precision="float64")


def market(*, follows_demand: bool | float = False, **options) -> Model:
    """A small national market; its KPI sets the scale only."""
    rng = np.random.default_rng(1)
    times = np.datetime64("2024-01-01") + 7 * np.arange(N_WEEKS)
    media = rng.gamma(2.0, 50.0, (1, N_WEEKS, 2)) * (
        rng.random((1, N_WEEKS, 2)) < [0.9, 0.5]
    )
    data = InputData(
        geos=("national",),
        times=times,
        media_times=times,
        kpi=rng.normal(1000.0, 100.0, (1, N_WEEKS)),
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=rng.standard_normal((1, N_WEEKS, 1)),
        control_names=("price",),
        media=Treatments(("TV", "Search"), media, spend=media * [1.0, 0.5]),
    )
    first = ChannelSpec("TV", follows_demand=follows_demand)
    preset = "mixwright" if follows_demand else "meridian"
    channels = (first, ChannelSpec("Search"))
    return build(data, ModelSpec(channels, preset, knots=3, max_lag=4, **options))


@partial(jax.jit, static_argnums=0)
def of_latents(structure, arrays, latents):
    """Posterior variables, expected KPI and residual scale."""
    truth = posterior_variables(structure, arrays, latents)
    mean = expected_kpi(structure, arrays, truth)
    return truth, mean, sigma_g(structure, truth)


def simulated(model: Model, seed: int) -> tuple[dict[str, np.ndarray], Model]:
    """Parameters from the prior, and the market as they would have made it."""
    drawn = prior_draws(model, 1, seed)
    latents = {name: jnp.asarray(one[0]) for name, one in drawn.items()}
    arrays = model.arrays
    truth, mean, sigma = of_latents(model.structure, arrays, latents)
    noise = np.random.default_rng([seed, 1]).standard_normal(arrays.kpi.shape)
    if model.structure.has_memory:
        noise = with_memory(noise, np.asarray(truth["rho"]).reshape(1))
    made = replace(model, arrays=arrays._replace(kpi=mean + sigma[:, None] * noise))
    names = {name for term in OF_TERM if term in truth for name in OF_TERM[term]}
    names |= set(PARAMETERS)
    return {name: np.asarray(truth[name]) for name in sorted(names)}, made


def ranks(model: Model) -> dict[str, np.ndarray]:
    """Rank of each true value among thinned draws, simulation first."""
    found: dict[str, list[np.ndarray]] = {}
    for seed in range(N_SIMULATIONS):
        truth, made = simulated(model, seed)
        posterior = fit(made, replace(SETTINGS, seed=seed)).posterior
        for name, value in truth.items():
            draws = posterior[name].to_numpy()
            draws = draws.reshape(-1, *draws.shape[2:])[:: 490 // (N_RANKS - 1)]
            found.setdefault(name, []).append(
                _rank(draws[: N_RANKS - 1], value, np.random.default_rng([seed, 2]))
            )
    return {
        name: np.array(one).reshape(N_SIMULATIONS, -1) for name, one in found.items()
    }


def _rank(draws: np.ndarray, value: np.ndarray, rng) -> np.ndarray:
    """Draws below the truth; of those equal to it, as of an indicator, any number."""
    below, same = (draws < value).sum(axis=0), (draws == value).sum(axis=0)
    return below + rng.integers(0, same + 1)


def p_value(of_one: np.ndarray) -> float:
    """Probability of a histogram as uneven as this, if ranks are uniform."""
    seen = np.bincount(of_one * N_BINS // N_RANKS, minlength=N_BINS)
    expected = len(of_one) / N_BINS
    return float(chi2.sf(((seen - expected) ** 2 / expected).sum(), N_BINS - 1))


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("options", "term"),
    [
        ({}, "sigma"),
        ({"autocorrelation": True}, "rho"),
        ({"follows_demand": True}, "xi_demand"),
        ({"follows_demand": 0.6}, "follows_demand"),
        ({"effectiveness": "drifting"}, "xi_drift"),
    ],
    ids=["meridian", "memory", "demand", "perhaps demand", "drift"],
)
def test_ranks_of_the_truth_are_uniform(options, term):
    found = ranks(market(**options))
    assert term in found
    values = {
        f"{name}[{place}]": p_value(column)
        for name, of_all in found.items()
        for place, column in enumerate(of_all.T)
    }
    assert len(values) >= 12
    # One in a hundred over all parameters together, each at its share of it.
    assert min(values.values()) > 0.01 / len(values), values


def test_ranks_of_wrong_posteriors_are_not():
    """Too narrow, too wide or shifted by half a standard deviation is seen."""
    rng = np.random.default_rng(1)
    truth = rng.standard_normal(N_SIMULATIONS)
    for shift, width in ((0.0, 0.6), (0.0, 1.6), (0.5, 1.0)):
        draws = shift + width * rng.standard_normal((N_RANKS - 1, N_SIMULATIONS))
        assert p_value((draws < truth).sum(axis=0)) < 0.01 / 13
    right = rng.standard_normal((N_RANKS - 1, N_SIMULATIONS))
    assert p_value((right < truth).sum(axis=0)) > 0.01 / 13
