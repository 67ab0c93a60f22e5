r"""Envelope: the concave ceiling of a draw's outcome, for a bound on any plan.

A Hill curve with a slope above one bends up first. Between the least and the most
media that a period can have it is replaced by its concave envelope: the line from the
least media to the point where it touches the curve, then the curve itself. Media is
linear in spend and the effects are weights, so that the sum is concave in spend, and
never below the outcome. Where an effect is negative the envelope is a chord below the
curve (or the curve's least value, where it bends up).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.latents import Params
from core.model.media.adstock import adstock
from core.model.media.saturation import hill
from core.model.media.structure import (
    GroupStructure,
    MediaArrays,
    ModelArrays,
    Structure,
)
from core.model.media.treatments import carryover, half_saturation

_HALVINGS = 40
#: Below this share of half-saturation, a curve is drawn on along its tangent.
_NEAR_ZERO = 1e-4


class Bends(NamedTuple):
    """Where a group's ceilings are lines; channel geo time.

    Attributes:
        touch: Media where the line meets the curve.
        value: The curve there.
        slope: Of the line.
        least: Media where the chord below the curve begins.
        least_value: The curve there.
        chord: Slope of that chord.
    """

    touch: jax.Array
    value: jax.Array
    slope: jax.Array
    least: jax.Array
    least_value: jax.Array
    chord: jax.Array


def bends(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    least: dict[str, MediaArrays],
    most: dict[str, MediaArrays],
) -> dict[str, Bends | None]:
    """The ceilings of one draw between two plans, one below the other in every cell."""
    return {
        group.suffix: None
        if group.by_reach
        else _bends(
            half_saturation(group, arrays.groups[group.suffix], draw),
            draw[f"slope_{group.suffix}"],
            *(
                _before_saturation(group, media[group.suffix], arrays, draw)
                for media in (least, most)
            ),
        )
        for group in structure.groups
    }


def _before_saturation(
    group: GroupStructure, media: MediaArrays, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel geo time"]:
    if group.saturates_first:
        return media.units
    weights = carryover(group, arrays.groups[group.suffix].window, draw)
    return adstock(media.lags, weights)


def _bends(ec, slope, low, high) -> Bends:
    high = jnp.maximum(high, low)
    near = _NEAR_ZERO * ec[:, None, None]

    def curve(media):
        return hill(media, ec, slope)

    def steepness(media):
        return jax.jvp(curve, (media,), (jnp.ones_like(media),))[1]

    # A slope below one has no turn; this stands in where the line is not used.
    s = jnp.maximum(slope, 1.0 + 1e-6)
    turn = (ec * ((s - 1) / (s + 1)) ** (1 / s))[:, None, None]
    start = curve(low)

    def halved(_, ends):
        inside, outside = ends
        middle = (inside + outside) / 2
        rises = steepness(middle) * (middle - low) > curve(middle) - start
        return jnp.where(rises, middle, inside), jnp.where(rises, outside, middle)

    ends = jnp.clip(turn, low, high), high
    _, outside = jax.lax.fori_loop(0, _HALVINGS, halved, ends)
    is_line = (slope[:, None, None] > 1) & (outside > jnp.maximum(low, near))
    width = jnp.where(is_line, outside - low, 1.0)
    touch = jnp.where(is_line, outside, jnp.maximum(low, near))
    line = jnp.where(
        is_line, (curve(touch) - start) / width, steepness(jnp.maximum(touch, near))
    )
    chord = (curve(high) - start) / jnp.where(high > low, high - low, 1.0)
    chord = jnp.where((slope[:, None, None] > 1) | (high <= low), 0.0, chord)
    return Bends(touch, curve(touch), line, low, start, chord)
