"""Noise: its scales, its shocks and its density, given parameters.

Where noise has no memory (`core.model.block.memory`) it is its shocks.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.block.memory import carried, n_runs, shock_share, shocks_of
from core.model.latents import Params
from core.model.media.structure import Structure


def noise_of_shocks(
    is_seen: Float[Array, "geo time"], shocks: Float[Array, " time"], params: Params
) -> Float[Array, "geo time"]:
    """Noise in common of its shocks, by geo: it begins again after a gap of a geo."""
    shocks = jnp.broadcast_to(shocks, is_seen.shape)
    return carried(shocks, is_seen, params["rho"]) if "rho" in params else shocks


def sigma_g(structure: Structure, params: Params) -> Float[Array, " geo"]:
    """Residual scale of each geo; scaled KPI."""
    return jnp.broadcast_to(params["sigma"], (structure.n_geos,))


def shock_g(structure: Structure, params: Params) -> Float[Array, " geo"]:
    """Scale of the shocks of each geo's noise; scaled KPI."""
    return sigma_g(structure, params) * share_of_shocks(params)


def share_of_shocks(params: Params) -> jax.Array | float:
    """Scale of a shock over that of the noise; one where it has no memory."""
    return shock_share(params["rho"]) if "rho" in params else 1.0


def rho_of(params: Params) -> Float[Array, ""]:
    """Share of the noise that goes on into the next period; zero for none."""
    return params.get("rho", jnp.zeros_like(params["sigma"], shape=()))


def noise_log_density(
    structure: Structure,
    is_seen: Float[Array, "geo time"],
    noise: Float[Array, "geo time"],
    common: Float[Array, " time"],
    params: Params,
) -> Float[Array, ""]:
    """Log density of the noise of the seen cells.

    Args:
        structure: Static.
        is_seen: One where the likelihood sees a cell.
        noise: Scaled KPI less all that is expected.
        common: Shocks that geos have in common.
        params: sigma, and rho where noise has memory.
    """
    rho = params.get("rho")
    # Shocks in common are subtracted after the noise is whitened: they have memory,
    # too.
    own = shocks_of(noise, is_seen, rho) - common * is_seen
    scale = shock_g(structure, params)[:, None]
    cell = -0.5 * (own / scale) ** 2 - jnp.log(scale) - 0.5 * jnp.log(2 * jnp.pi)
    total = (cell * is_seen).sum()
    return total if rho is None else total + n_runs(is_seen) * jnp.log(shock_share(rho))
