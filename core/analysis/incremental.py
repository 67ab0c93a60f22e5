"""Incremental outcome: the one counterfactual that everything else is made of.

Equations are for one draw; callers map over draws. A draw is the dictionary of
posterior variables by Meridian's names (`core.model.reconstruct`). Outcome is
revenue where a KPI unit has a value, else KPI units.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.latents import Params
from core.model.structure import MediaArrays, ModelArrays, Structure
from core.model.treatments import media_transformed

MediaBySuffix = dict[str, MediaArrays]


def treatment_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    media: MediaBySuffix | None = None,
) -> Float[Array, "channel geo time"]:
    r"""Outcome of each carrying-over channel, against none of it.

    $\beta_{gm}\,\tilde m_{gtm}\,$ times the outcome per scaled KPI unit.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        media: Other media by group suffix; as it happened where not given.

    Returns:
        Channels of all groups, in the groups' order. Outcome units.
    """
    parts = []
    for group in structure.groups:
        given = arrays.groups[group.suffix]
        units = (media or {}).get(group.suffix, given.media)
        transformed = media_transformed(
            group, units, given.window, draw, structure.n_times
        )
        effects = draw[f"beta_g{group.suffix}"].T
        parts.append(effects[:, :, None] * transformed * arrays.outcome_scale)
    if not parts:
        return jnp.zeros((0, *arrays.kpi.shape), arrays.kpi.dtype)
    return jnp.concatenate(parts)


def non_media_outcome(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel geo time"]:
    """Outcome of each non-media treatment, against its baseline value."""
    if structure.non_media is None:
        return jnp.zeros((0, *arrays.kpi.shape), arrays.kpi.dtype)
    given = arrays.non_media
    change = given.scaled - given.baseline[:, None, None]
    return draw["gamma_gn"].T[:, :, None] * change * arrays.outcome_scale


def incremental_outcome(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel geo time"]:
    """Outcome of every treatment as it happened: media groups, then non-media."""
    return jnp.concatenate(
        [
            treatment_outcome(structure, arrays, draw),
            non_media_outcome(structure, arrays, draw),
        ]
    )


def expected_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    kpi_mean: Float[Array, ""],
    kpi_std: Float[Array, ""],
) -> Float[Array, "geo time"]:
    """Expected outcome of one draw.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        kpi_mean: Mean of KPI per capita.
        kpi_std: Standard deviation of KPI per capita.
    """
    scaled = scaled_expected_kpi(structure, arrays, draw)
    return (scaled + kpi_mean / kpi_std) * arrays.outcome_scale


def scaled_expected_kpi(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    """Mean of the scaled KPI from a draw's posterior variables."""
    total = draw["tau_g"][:, None] + draw["mu_t"][None, :]
    if structure.n_controls:
        controls = arrays.baseline.controls
        total = total + jnp.einsum("gtc,gc->gt", controls, draw["gamma_gc"])
    for group in structure.groups:
        given = arrays.groups[group.suffix]
        transformed = media_transformed(
            group, given.media, given.window, draw, structure.n_times
        )
        effects = draw[f"beta_g{group.suffix}"].T
        total = total + (effects[:, :, None] * transformed).sum(axis=0)
    if structure.non_media is not None:
        effects = draw["gamma_gn"].T
        total = total + (effects[:, :, None] * arrays.non_media.scaled).sum(axis=0)
    return total


def over_draws(function, draws: Params, batch_size: int = 50):
    """A function of one draw, mapped over the leading axis with bounded memory."""
    return jax.lax.map(function, draws, batch_size=batch_size)
