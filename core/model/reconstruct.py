"""Reconstruct: from sampled latents to every posterior variable, by Meridian's names.

The linear block is drawn exactly, once per posterior draw.
"""

import jax
import jax.numpy as jnp

from core.model.block.block_columns import GEO_EFFECT, block_columns, prior_numbers
from core.model.block.block_draw import Noise, conditional_draw
from core.model.density import (
    block_given,
    coefficients,
    local_scale,
    mu_t,
    residual,
    tau_g,
)
from core.model.latents import Params, constrain
from core.model.media.structure import ModelArrays, Structure
from core.model.media.treatments import (
    hierarchical_mean,
    media_and_effects,
    non_media_effects,
)
from core.model.noise import shock_g
from core.model.terms.demand import PRESENT


def latents_of(
    structure: Structure,
    arrays: ModelArrays,
    position: jax.Array,
    noise: Noise,
) -> Params:
    """Every latent of one draw: the sampled ones, and the block drawn given them.

    Args:
        structure: Static.
        arrays: Data and prior numbers.
        position: The sampler's vector.
        noise: Random numbers for the draw of the block.

    Returns:
        Latents by name; idle ones are left out. `follows_demand` tells which of the
        columns that may be absent are there: one or zero each.
    """
    params, _ = constrain(structure.latents, position, arrays.priors, arrays.errors)
    block = block_given(structure, arrays, params)
    scale = local_scale(structure, arrays, params)
    draws = conditional_draw(
        block,
        residual(structure, arrays, params),
        shock_g(structure, params),
        scale,
        noise,
    )
    params |= block_latents(structure, arrays, draws.shared, draws.local, scale)
    return params | {PRESENT: draws.present} if len(draws.present) else params


def block_latents(
    structure: Structure,
    arrays: ModelArrays,
    shared: jax.Array,
    local: jax.Array,
    scale: jax.Array,
) -> Params:
    """Latents of the block from its vectors v (less prior mean) and u."""
    columns, values = block_columns(structure), {}
    for column in columns.common:
        mean, _ = prior_numbers(arrays, column)
        values[column.name] = shared[column.columns] + mean
    for column in columns.local:
        own, spread = local[:, column.columns], scale[:, column.columns]
        if column.name == GEO_EFFECT:
            mean, _ = prior_numbers(arrays, column)
            # Geos other than the baseline, in order: `tau_index` places them.
            tau, baseline = own[:, 0] + mean, arrays.baseline
            nowhere = jnp.zeros(structure.n_geos - 1, tau.dtype)
            values[column.name] = nowhere.at[baseline.tau_index].add(
                tau * baseline.tau_is_free
            )
        else:
            # Back to standard deviations; where the spread is zero u says nothing of
            # them, and zero is the prior's middle.
            values[column.name] = jnp.where(
                spread > 0, own / jnp.where(spread > 0, spread, 1.0), 0.0
            )
    return values


def posterior_variables(
    structure: Structure, arrays: ModelArrays, latents: Params
) -> Params:
    """Every variable of one draw as Meridian's posterior names it.

    Effects and their spreads come out with geo before channel.
    """
    values = dict(latents)
    for group in structure.groups:
        _, effects = media_and_effects(structure, group, arrays, latents)
        x = group.suffix
        values[f"beta_g{x}"] = effects.T
        values[f"beta_{x}"] = hierarchical_mean(
            group, effects, latents, structure.media_effects
        )
    if structure.non_media is not None:
        effects = non_media_effects(
            structure.non_media, arrays.non_media, latents, arrays.outcome_scale
        )
        values["gamma_gn"] = effects.T
    for term in structure.terms:
        values[f"gamma_{term.name}"] = coefficients(arrays, latents, term)
    values["mu_t"] = mu_t(structure, arrays, latents)
    values["tau_g"] = tau_g(arrays, latents)
    if structure.n_controls:
        gamma = jnp.broadcast_to(
            latents["gamma_c"], (structure.n_geos, structure.n_controls)
        )
        if "gamma_gc_dev" in latents:
            gamma = gamma + latents["xi_c"] * latents["gamma_gc_dev"]
        values["gamma_gc"] = gamma
    return values
