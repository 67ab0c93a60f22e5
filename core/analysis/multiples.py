r"""Multiples: outcome of channels at multiples k of their media, and its slope.

Carryover is linear, so it is worked out once for all k: with the media $x$ that works
in a period, and what works of media that stays, $f$, the Hill curve at $kx + f$ is

$$h = \frac{1}{1 + u}, \quad u = \Bigl(\frac{ec}{kx + f}\Bigr)^s, \quad
\frac{dh}{dk} = h (1 - h)\, s\, \frac{x}{kx + f}$$

and where nothing stays, $u = (ec / x)^s k^{-s}$ takes no power of every k. Cells are
added up one after the other with k as the innermost axis: sums over cells in one go
leave vector units idle.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.analysis.incremental import MediaBySuffix
from core.model.latents import Params
from core.model.media.adstock import adstock
from core.model.media.carried import per_mediator
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
from core.model.mediation.mediators import draws_of


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
    What comes through mediators counts; of a mediator itself the whole is multiplied.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        multipliers: Multiples of the media that ran.
        where: Weight of each cell in the sum; all of them where not given.
        beside: Media that stays, as `treatment_outcome` takes it; none where not given.
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
        fixed = (beside or {}).get(group.suffix)
        grid = _Grid(weight, multipliers, summed, fixed)
        value, slope = _group_response(group, numbers, draw, grid)
        values.append(value)
        slopes.append(slope)
    total = jnp.concatenate(values), jnp.concatenate(slopes)
    for place, link in enumerate(structure.mediators):
        # A mediator does not saturate: a unit is worth the same at any multiple.
        caused = response(
            link.structure,
            arrays.mediators[place],
            draws_of(place, draw),
            multipliers,
            per_mediator(structure, link, arrays, draw, where),
            beside=draws_of(place, beside or {}) or None,
            by_geo=by_geo,
        )
        ours, theirs = jnp.array(link.ours, int), jnp.array(link.theirs, int)
        total = tuple(
            own.at[ours].add(through[theirs])
            for own, through in zip(total, caused, strict=True)
        )
    return total


class _Grid(NamedTuple):
    """Multiples of which a group's outcome is computed, how it is weighed and summed.

    Attributes:
        weight: Outcome of a unit of transformed media.
        multipliers: Multiples of the media.
        summed: Axes that are summed over.
        beside: Media that runs beside, at no multiple.
    """

    weight: Float[Array, "channel geo time"]
    multipliers: Float[Array, " multiplier"]
    summed: tuple[int, ...]
    beside: MediaArrays | None


def _group_response(
    group: GroupStructure, numbers: GroupArrays, draw: Params, grid: _Grid
):
    """Value and slope of a group's channels at each multiplier."""
    if group.by_reach:
        return _linear_response(group, numbers, draw, grid)
    of = _saturating_first if group.saturates_first else _carried_first
    if grid.beside is None:
        return of(group, numbers, draw, grid)
    multipliers = grid.multipliers
    every = jnp.append(multipliers, jnp.zeros_like(multipliers[:1]))
    value, slope = of(group, numbers, draw, grid._replace(multipliers=every))
    # Less what the media beside brings alone; its saturation stays in both.
    return value[..., :-1] - value[..., -1:], slope[..., :-1]


def _saturating_first(
    group: GroupStructure, numbers: GroupArrays, draw: Params, grid: _Grid
):
    """Value and slope where media saturates before it carries over."""
    weight, multipliers, summed, beside = grid

    def outcome(multiplier):
        media = scaled_by(
            numbers.media, jnp.broadcast_to(multiplier, (group.n_channels,))
        )
        if beside is not None:
            media = media._replace(units=media.units + beside.units)
        n_times = weight.shape[-1]
        transformed = media_transformed(group, media, numbers, draw, n_times)
        return (transformed * weight).sum(axis=summed)

    def value_and_slope(multiplier):
        return jax.jvp(outcome, (multiplier,), (jnp.ones_like(multiplier),))

    value, slope = jax.lax.map(value_and_slope, multipliers)
    return jnp.moveaxis(value, 0, -1), jnp.moveaxis(slope, 0, -1)


class _Hill(NamedTuple):
    """Numbers of the curves of a group, each with axes channel, geo, multiplier."""

    ec: Float[Array, "channel 1 1"]
    slope: Float[Array, "channel 1 1"]
    multiplier: Float[Array, " multiplier"]
    #: k^-s, one at k = 0.
    power: Float[Array, "channel 1 multiplier"]


def _carried_first(
    group: GroupStructure, numbers: GroupArrays, draw: Params, grid: _Grid
):
    """Value and slope where media carries over before it saturates."""
    weight, multipliers, summed, beside = grid
    weights = carryover(group, numbers.window, draw)
    carried = adstock(numbers.media.lags, weights)
    fixed = None if beside is None else adstock(beside.lags, weights)
    if group.drifts:
        weight = weight * effectiveness_of(group, numbers, draw)[:, None, :]
    slope = draw[f"slope_{group.suffix}"][:, None, None]
    positive = jnp.where(multipliers > 0, multipliers, 1.0)
    hill = _Hill(
        half_saturation(group, numbers, draw)[:, None, None],
        slope,
        multipliers,
        positive**-slope,
    )
    saturates = jnp.array([kind == "hill" for kind in group.saturation])
    n_rows = 1 if 1 in summed else weight.shape[1]

    def add(total, period):
        media, stays, worth = period
        h, dh = _value_and_slope(group, hill, media, stays)
        if "none" in group.saturation:
            is_hill = saturates[:, None, None]
            reached = media * multipliers + (0.0 if stays is None else stays)
            h, dh = jnp.where(is_hill, h, reached), jnp.where(is_hill, dh, media)
        return (total[0] + h * worth, total[1] + dh * worth), None

    # Where geos are summed, too, they are periods of one geo.
    cells = jax.tree.map(
        lambda values: _in_blocks(values.reshape(group.n_channels, n_rows, -1)),
        (carried, fixed, weight),
    )
    nothing = jnp.zeros((group.n_channels, n_rows, len(multipliers)), weight.dtype)

    def add_block(total, block):
        part, _ = jax.lax.scan(add, (nothing, nothing), block)
        return (total[0] + part[0], total[1] + part[1]), None

    totals, _ = jax.lax.scan(add_block, (nothing, nothing), cells)
    return tuple(total[:, 0] if 1 in summed else total for total in totals)


def _in_blocks(
    values: Float[Array, "channel row cell"],
) -> Float[Array, "block place channel row 1"]:
    """Cells in about as many blocks as a block has cells, filled up with zeros.

    One long sum in single precision would lose two digits, and with them the marginal
    return, which is a small difference of two.
    """
    n = values.shape[-1]
    size = math.isqrt(max(n - 1, 0)) + 1
    blocks = -(-n // size)
    filled = jnp.pad(values, ((0, 0), (0, 0), (0, blocks * size - n)))
    parted = filled.reshape(*values.shape[:2], blocks, size, 1)
    return jnp.moveaxis(parted, (2, 3), (0, 1))


def _value_and_slope(
    group: GroupStructure,
    hill: _Hill,
    media: Float[Array, "channel geo 1"],
    stays: Float[Array, "channel geo 1"] | None,
) -> tuple[Float[Array, "channel geo multiplier"], ...]:
    """The Hill curve of a period at each multiple, and its derivative."""
    tiny = jnp.finfo(media.dtype).tiny
    if group.slope_is_one:
        reached = media * hill.multiplier + (0.0 if stays is None else stays)
        part = 1.0 / (reached + hill.ec)
        return reached * part, media * hill.ec * part * part
    if stays is None:
        is_on = (media > tiny) & (hill.multiplier > 0)
        log_ratio = jnp.log(jnp.where(media > tiny, media, 1.0)) - jnp.log(hill.ec)
        inverse = jnp.exp(-hill.slope * log_ratio) * hill.power
        growth = 1.0 / jnp.where(hill.multiplier > 0, hill.multiplier, 1.0)
    else:
        reached = media * hill.multiplier + stays
        is_on = reached > tiny
        reached = jnp.where(is_on, reached, 1.0)
        inverse = jnp.exp(-hill.slope * (jnp.log(reached) - jnp.log(hill.ec)))
        growth = media / reached
    h = jnp.where(is_on, 1.0 / (1.0 + inverse), 0.0)
    return h, h * (1.0 - h) * hill.slope * growth


def _linear_response(
    group: GroupStructure, numbers: GroupArrays, draw: Params, grid: _Grid
):
    """The same of reach, in which carryover is linear."""
    weight, multipliers, summed, _ = grid
    n_times = weight.shape[-1]
    transformed = media_transformed(group, numbers.media, numbers, draw, n_times)
    total = (transformed * weight).sum(axis=summed)[..., None]
    slope = jnp.broadcast_to(total, (*total.shape[:-1], len(multipliers)))
    return total * multipliers, slope
