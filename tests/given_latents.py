"""What the model says given every latent, the linear block among them.

Written as the equations are; the product integrates the block out.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float
from tensorflow_probability.substrates.jax import distributions as tfd

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

#: Place of the shift in a row of numbers of a prior.
SHIFT = 4


def distribution(family: Family, row: Float[Array, "*n 6"]) -> Any:
    """The family's distribution by TensorFlow Probability, without the shift.

    Raises:
        ValueError: The family has no density (Deterministic).
    """
    p = [row[..., place] for place in range(SHIFT)]
    match family:
        case "Normal":
            return tfd.Normal(p[0], p[1])
        case "LogNormal":
            return tfd.LogNormal(p[0], p[1])
        case "HalfNormal":
            return tfd.HalfNormal(p[0])
        case "TruncatedNormal":
            return tfd.TruncatedNormal(p[0], p[1], p[2], p[3])
        case "Gamma":
            return tfd.Gamma(p[0], p[1])
        case "Beta":
            return tfd.Beta(p[0], p[1])
        case "Uniform":
            return tfd.Uniform(p[0], p[1])
        case "Deterministic":
            return tfd.Deterministic(p[0])
    raise ValueError(f"family {family!r}")  # Prior refuses unknown families


def log_prob(
    family: Family, value: Float[Array, "*shape"], row: Float[Array, "*row 6"]
) -> Float[Array, "*shape"]:
    """Log density at a value; zero for Deterministic."""
    if family == "Deterministic":
        return jnp.zeros_like(value)
    return distribution(family, row).log_prob(value - row[..., SHIFT])


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
