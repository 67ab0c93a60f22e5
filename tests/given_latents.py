"""What the model says given every latent, the linear block among them.

Written as the equations are; the product integrates the block out.
"""

import jax.numpy as jnp
from jax.scipy import stats
from jaxtyping import Array, Float

from core.model.density import (
    baseline_kpi,
    coefficients,
    treatment_kpi,
    treatment_kpi_and_lifts,
)
from core.model.latents import Latent, Params
from core.model.media.lift import lift_log_likelihood
from core.model.media.structure import ModelArrays, Structure
from core.model.noise import noise_log_density, noise_of_shocks
from core.model.priors.prior import Family
from core.model.terms.linear_terms import deviations


def common_shocks(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, " time"]:
    """Shocks of the noise that geos have in common; scaled KPI.

    Where noise has no memory, its shocks are the noise.
    """
    total = jnp.zeros_like(arrays.kpi, shape=structure.n_times)
    for term in structure.shared_terms:
        if term.is_noise and deviations(term.name) in params:
            gamma = coefficients(arrays, params, term)
            total = total + arrays.baseline.terms[term.name].design @ gamma
    return total


def expected_kpi(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, "geo time"]:
    """Mean of the scaled KPI, given every latent; with the noise in common."""
    expected = treatment_kpi(structure, arrays, params)
    expected = expected + baseline_kpi(structure, arrays, params)
    common = common_shocks(structure, arrays, params)
    return expected + noise_of_shocks(arrays.is_seen, common, params)


def log_likelihood(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, ""]:
    """Log likelihood of the seen cells and of lift tests, given every latent."""
    treatments, lifts = treatment_kpi_and_lifts(structure, arrays, params)
    noise = arrays.kpi - treatments - baseline_kpi(structure, arrays, params)
    common = common_shocks(structure, arrays, params)
    of_cells = noise_log_density(structure, arrays.is_seen, noise, common, params)
    return of_cells + lift_log_likelihood(lifts, arrays.lifts)


def log_prob(
    family: Family, value: Float[Array, "*shape"], row: Float[Array, "*row 6"]
) -> Float[Array, "*shape"]:
    """Log density of a prior at a value, by JAX's SciPy; zero for Deterministic."""
    first, second, low, high, shift, _ = (row[..., place] for place in range(6))
    x = value - shift
    match family:
        case "Normal":
            return stats.norm.logpdf(x, first, second)
        case "LogNormal":
            return stats.norm.logpdf(jnp.log(x), first, second) - jnp.log(x)
        case "HalfNormal":
            above = stats.norm.logpdf(x, 0.0, first) + jnp.log(2.0)
            return jnp.where(x < 0, -jnp.inf, above)
        case "TruncatedNormal":
            ends = (low - first) / second, (high - first) / second
            return stats.truncnorm.logpdf(x, *ends, first, second)
        case "Gamma":
            return stats.gamma.logpdf(x, first, scale=1.0 / second)
        case "Beta":
            return stats.beta.logpdf(x, first, second)
        case "Uniform":
            return stats.uniform.logpdf(x, first, second - first)
    return jnp.zeros_like(value)


def log_prior(latents: tuple[Latent, ...], values: Params, priors: Params) -> Params:
    """Log prior density of every latent, on its own scale, summed over entries."""
    return {
        latent.name: sum(
            log_prob(
                family,
                values[latent.name][..., latent.places(family)]
                if latent.shape
                else values[latent.name],
                latent.rows(priors[latent.name], family),
            ).sum()
            for family in latent.distinct()
        )
        for latent in latents
    }
