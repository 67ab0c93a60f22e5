"""What the model says given every latent, the linear block among them.

Written as the equations are; the product integrates the block out.
"""

from jaxtyping import Array, Float

from core.model.density import (
    baseline_kpi,
    common_shocks,
    treatment_kpi,
    treatment_kpi_and_lifts,
)
from core.model.latents import Params
from core.model.media.lift import lift_log_likelihood
from core.model.media.structure import ModelArrays, Structure
from core.model.noise import noise_log_density, noise_of_shocks


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
