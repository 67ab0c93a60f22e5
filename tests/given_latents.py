"""What the model says given every latent, the linear block among them.

Written as the equations are; the product integrates the block out.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.density import (
    baseline_kpi,
    coefficients,
    treatment_kpi,
    treatment_kpi_and_lifts,
)
from core.model.latents import Params
from core.model.media.lift import lift_log_likelihood
from core.model.media.structure import ModelArrays, Structure
from core.model.noise import noise_log_density, noise_of_shocks
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
