"""Incremental outcome: the one counterfactual that everything else is made of.

Equations are for one draw; `over_draws` maps them. A draw is the dictionary of
posterior variables by Meridian's names (`core.model.reconstruct`). Outcome is
revenue where a KPI unit has a value, else KPI units. Channels that carry over come
first, in the groups' order; non-media treatments come last.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.density import by_geo as added_by_geo
from core.model.latents import Params
from core.model.media.adstock import adstock
from core.model.media.saturation import saturate
from core.model.media.structure import (
    GroupArrays,
    GroupStructure,
    MediaArrays,
    ModelArrays,
    Structure,
)
from core.model.media.treatments import (
    carryover,
    effectiveness_of,
    half_saturation,
    media_transformed,
    scaled_by,
)
from core.model.noise import noise_of_shocks

MediaBySuffix = dict[str, MediaArrays]


def treatment_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    media: MediaBySuffix | None = None,
) -> Float[Array, "channel geo time"]:
    r"""Outcome of each channel that carries over, against none of it.

    $\beta_{gm}\,\tilde m_{gtm}$ times the outcome per scaled KPI unit.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        media: Other media by group suffix; as it happened where not given.

    Returns:
        Channels of all groups, in the groups' order. Outcome units.
    """
    parts = [jnp.zeros((0, *arrays.kpi.shape), arrays.kpi.dtype)]
    for group in structure.groups:
        numbers = arrays.groups[group.suffix]
        units = (media or {}).get(group.suffix, numbers.media)
        transformed = media_transformed(group, units, numbers, draw, structure.n_times)
        effects = draw[f"beta_g{group.suffix}"].T
        parts.append(effects[:, :, None] * transformed * arrays.outcome_scale)
    return jnp.concatenate(parts)


def non_media_outcome(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel geo time"]:
    """Outcome of each non-media treatment, against its baseline value."""
    if structure.non_media is None:
        return jnp.zeros((0, *arrays.kpi.shape), arrays.kpi.dtype)
    treatments = arrays.non_media
    change = treatments.scaled - treatments.baseline[:, None, None]
    return draw["gamma_gn"].T[:, :, None] * change * arrays.outcome_scale


def incremental_outcome(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel geo time"]:
    """Outcome of every treatment as it happened: carrying over, then non-media."""
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
    kpi_zero: float | Float[Array, ""],
) -> Float[Array, "geo time"]:
    """Expected outcome of one draw.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        kpi_zero: Mean of KPI per capita over its standard deviation: how far below
            zero on the scaled KPI no KPI at all lies.
    """
    scaled = scaled_expected_kpi(structure, arrays, draw)
    return (scaled + kpi_zero) * arrays.outcome_scale


def scaled_expected_kpi(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    """Expected scaled KPI from a draw's posterior variables, without any noise."""
    total = _without_treatments(structure, arrays, draw)
    for group in structure.groups:
        numbers = arrays.groups[group.suffix]
        transformed = media_transformed(
            group, numbers.media, numbers, draw, structure.n_times
        )
        effects = draw[f"beta_g{group.suffix}"].T
        total = total + (effects[:, :, None] * transformed).sum(axis=0)
    if structure.non_media is not None:
        effects = draw["gamma_gn"].T
        total = total + (effects[:, :, None] * arrays.non_media.scaled).sum(axis=0)
    return total


def scaled_mean_kpi(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    """What the noise of each geo is about: the expected KPI and the common noise."""
    common = common_shocks(structure, arrays, draw)
    noise = noise_of_shocks(arrays.is_seen, common, draw)
    return scaled_expected_kpi(structure, arrays, draw) + noise


def common_shocks(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, " time"]:
    """Shocks of the noise that geos have in common, of a draw; scaled KPI."""
    total = jnp.zeros_like(arrays.kpi, shape=structure.n_times)
    for term in structure.terms:
        if term.is_noise:
            design = arrays.baseline.terms[term.name].design
            total = total + design @ draw[f"gamma_{term.name}"]
    return total


def baseline_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    kpi_zero: float | Float[Array, ""],
) -> Float[Array, "geo time"]:
    """Outcome without media and with non-media treatments at their baseline.

    Added up from its own terms: the expected outcome less what treatments add loses
    digits where they add much.
    """
    total = _without_treatments(structure, arrays, draw) + kpi_zero
    if structure.non_media is not None:
        at_baseline = draw["gamma_gn"] @ arrays.non_media.baseline
        total = total + at_baseline[:, None]
    return total * arrays.outcome_scale


def _without_treatments(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    total = draw["tau_g"][:, None] + draw["mu_t"][None, :]
    if structure.n_controls:
        controls = arrays.baseline.controls
        total = total + jnp.einsum("gtc,gc->gt", controls, draw["gamma_gc"])
    for term in structure.geo_terms + structure.cell_terms:
        numbers = arrays.baseline.terms[term.name]
        total = total + added_by_geo(term, numbers, draw[f"gamma_{term.name}"])
    return total


def response(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    multipliers: Float[Array, " multiplier"],
    where: Float[Array, "geo time"] | None = None,
    *,
    beside: MediaBySuffix | None = None,
    by_geo: bool = False,
) -> tuple[Float[Array, "channel *geo multiplier"], ...]:
    """Incremental outcome of each channel at multiples of its media, and its slope.

    Media (reach, where frequency is given) of every period is multiplied, those
    before the KPI's first one included. Media that runs beside it, in other periods,
    stays as it is: what it brings alone is not counted, what it saturates is felt.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        multipliers: Multiples of the media that ran.
        where: Weight of each cell in the sum; all of them where not given.
        beside: Media that stays, by group suffix; none where not given.
        by_geo: Whether geos are kept apart.

    Returns:
        Outcome summed over geos and periods, and its derivative with respect to the
        multiplier, exact. Channels that carry over.
    """
    summed = (2,) if by_geo else (1, 2)
    scale = arrays.outcome_scale if where is None else arrays.outcome_scale * where
    values, slopes = [], []
    for group in structure.groups:
        numbers = arrays.groups[group.suffix]
        weight = draw[f"beta_g{group.suffix}"].T[:, :, None] * scale
        value, slope = _group_response(
            group,
            numbers,
            draw,
            weight,
            multipliers,
            summed,
            (beside or {}).get(group.suffix),
        )
        values.append(value)
        slopes.append(slope)
    return jnp.concatenate(values), jnp.concatenate(slopes)


def _group_response(
    group: GroupStructure,
    numbers: GroupArrays,
    draw: Params,
    weight: Float[Array, "channel geo time"],
    multipliers: Float[Array, " multiplier"],
    summed: tuple[int, ...],
    beside: MediaArrays | None,
):
    """Value and slope at each multiplier; what does not depend on it is done once."""
    x, n_times = group.suffix, weight.shape[-1]
    if group.by_reach:
        return _linear_response(group, numbers, draw, weight, multipliers, summed)
    if group.saturates_first:

        def outcome(multiplier):
            media = scaled_by(
                numbers.media, jnp.broadcast_to(multiplier, (group.n_channels,))
            )
            if beside is not None:
                media = media._replace(units=media.units + beside.units)
            transformed = media_transformed(group, media, numbers, draw, n_times)
            return (transformed * weight).sum(axis=summed)

    else:
        weights = carryover(group, numbers.window, draw)
        # Carryover is linear: once does for all multiples.
        carried = adstock(numbers.media.lags, weights)
        fixed = 0.0 if beside is None else adstock(beside.lags, weights)
        if group.drifts:
            weight = weight * effectiveness_of(group, numbers, draw)[:, None, :]

        def outcome(multiplier):
            curve = saturate(
                group.saturation,
                fixed + carried * multiplier,
                half_saturation(group, numbers, draw),
                draw[f"slope_{x}"],
                slope_is_one=group.slope_is_one,
            )
            return (curve * weight).sum(axis=summed)

    def value_and_slope(multiplier):
        return jax.jvp(outcome, (multiplier,), (jnp.ones_like(multiplier),))

    value, slope = jax.lax.map(value_and_slope, multipliers)
    value, slope = jnp.moveaxis(value, 0, -1), jnp.moveaxis(slope, 0, -1)
    if beside is not None:
        # What the media beside brings alone; its saturation stays in both.
        value = value - outcome(jnp.zeros_like(multipliers[0]))[..., None]
    return value, slope


def _linear_response(
    group: GroupStructure,
    numbers: GroupArrays,
    draw: Params,
    weight: Float[Array, "channel geo time"],
    multipliers: Float[Array, " multiplier"],
    summed: tuple[int, ...],
):
    """The same of reach, in which carryover is linear."""
    n_times = weight.shape[-1]
    transformed = media_transformed(group, numbers.media, numbers, draw, n_times)
    total = (transformed * weight).sum(axis=summed)[..., None]
    slope = jnp.broadcast_to(total, (*total.shape[:-1], len(multipliers)))
    return total * multipliers, slope


def over_draws(function, draws: Params, batch_size: int = 16):
    """A function of one draw, mapped over the leading axis with bounded memory."""
    # Sixteen at a time: enough for vector units, little enough for memory.
    return jax.lax.map(function, draws, batch_size=batch_size)
