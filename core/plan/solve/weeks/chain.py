r"""Chain: the spend of a channel's weeks nearest to a goal, limits of change included.

    min_x  sum_t (x_t - g_t)^2 / 2s    low_t <= x_t <= high_t
                                       fall x_t-1 - m <= x_t <= rise x_t-1 + m

Weeks are tied to their neighbours only, so V_t(x), the least that the weeks up to t
cost when week t spends x, follows from that of the week before. Its derivative is made
of lines and grows. With x* where V_t-1 is least, the next one's is

    V'_t-1((x + m) / fall) / fall    below  fall x* - m
    0                                up to  rise x* + m
    V'_t-1((x - m) / rise) / rise    above

plus (x - g_t) / s. Forward, each week keeps its x*; backward, each is moved to where
the week after it allows. Exact, in one pass each; all channels at once.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

_FAR = 1e30


class Ties(NamedTuple):
    """Limits of weeks and of their change, channel first.

    Attributes:
        low: Least spend; channel week.
        high: Most spend; channel week.
        rise: Multiple of the week before that a week may be; channel.
        fall: Multiple of the week before that it has to be; channel.
        room: By what these may be exceeded; inf where a change is free; channel pair.
    """

    low: Float[Array, "channel week"]
    high: Float[Array, "channel week"]
    rise: Float[Array, " channel"]
    fall: Float[Array, " channel"]
    room: Float[Array, "channel pair"]


class _Steepness(NamedTuple):
    """The derivative of what the weeks so far cost: knots, and slopes beyond them."""

    place: Float[Array, "channel knot"]
    value: Float[Array, "channel knot"]
    below: Float[Array, " channel"]
    above: Float[Array, " channel"]
    count: Array
    least: Float[Array, " channel"]
    most: Float[Array, " channel"]


def nearest_on_chains(
    ties: Ties, goal: Float[Array, "channel week"], scale: Float[Array, " channel"]
) -> Float[Array, "channel week"]:
    """The spend within the limits that is nearest to a goal, per channel.

    Args:
        ties: Limits.
        goal: Any amounts.
        scale: How readily the weeks of a channel move; above zero.
    """
    n, n_weeks = goal.shape
    # Every week adds three knots; XLA wants the room for all of them from the start.
    flat = jnp.zeros((n, 3 * n_weeks + 1))
    start = _Steepness(
        jnp.full_like(flat, _FAR).at[:, 0].set(0.0),
        flat,
        jnp.zeros(n),
        jnp.zeros(n),
        jnp.ones((), int),
        ties.low[:, 0],
        ties.high[:, 0],
    )
    after = jnp.concatenate([ties.room, jnp.full((n, 1), jnp.inf)], axis=1)
    limits = (jnp.roll(side, -1, axis=1).T for side in (ties.low, ties.high))

    def week(so_far: _Steepness, inputs):
        goal, room, low, high = inputs
        value = so_far.value + (so_far.place - goal[:, None]) / scale[:, None]
        own = so_far._replace(
            value=value,
            below=so_far.below + 1 / scale,
            above=so_far.above + 1 / scale,
        )
        free = _root(own)
        best = jnp.clip(free, own.least, own.most)
        return _carried(own, best, best == free, ties, (room, low, high)), best

    _, target = jax.lax.scan(week, start, (goal.T, after.T, *limits))

    def back(later, inputs):
        target, room = inputs
        is_free = jnp.isinf(room)
        room = jnp.where(is_free, 0.0, room)
        least = (later - room) / ties.rise
        most = jnp.where(ties.fall > 0, (later + room) / _above_zero(ties.fall), _FAR)
        moved = jnp.clip(target, least, jnp.maximum(most, least))
        spend = jnp.where(is_free, target, moved)
        return spend, spend

    _, spend = jax.lax.scan(back, target[-1], (target, after.T), reverse=True)
    return jnp.clip(spend.T, ties.low, ties.high)


def _above_zero(value: Array) -> Array:
    # jnp.where works out both sides, and the one not taken must not be NaN either.
    return jnp.where(value > 0, value, 1.0)


def _at(series: Array, place: Array) -> Array:
    """One knot of every channel."""
    place = jnp.clip(place, 0, series.shape[1] - 1)
    return jnp.take_along_axis(series, place[:, None], axis=1)[:, 0]


def _root(own: _Steepness) -> Array:
    """Where the derivative is zero."""
    inside = jnp.arange(own.place.shape[1]) < own.count
    i = (inside & (own.value < 0)).sum(axis=1)
    x0, v0 = _at(own.place, i - 1), _at(own.value, i - 1)
    x1, v1 = _at(own.place, i), _at(own.value, i)
    between = x0 + (x1 - x0) * (-v0 / _above_zero(v1 - v0))
    return jnp.where(
        i == 0,
        x1 - v1 / own.below,
        jnp.where(i == own.count, x0 - v0 / own.above, between),
    )


def _split(own: _Steepness, best: Array) -> tuple[Array, Array]:
    """How many knots lie below a spend, and the derivative there."""
    inside = jnp.arange(own.place.shape[1]) < own.count
    x = best[:, None]
    is_below = (own.place < x) | ((own.place <= x) & (own.value < 0))
    j = (inside & is_below).sum(axis=1)
    x0, v0 = _at(own.place, j - 1), _at(own.value, j - 1)
    x1, v1 = _at(own.place, j), _at(own.value, j)
    between = v0 + (v1 - v0) * (best - x0) / _above_zero(x1 - x0)
    value = jnp.where(
        j == 0,
        v1 + (best - x1) * own.below,
        jnp.where(j == own.count, v0 + (best - x0) * own.above, between),
    )
    return j, value


def _carried(
    own: _Steepness, best: Array, is_least: Array, ties: Ties, inputs
) -> _Steepness:
    """The derivative of what the weeks so far cost, over spend of the next week."""
    room, low, high = inputs
    is_free = jnp.isinf(room)
    m = jnp.where(is_free, 0.0, room)
    rise, fall = ties.rise, ties.fall
    is_tied = jnp.where(is_free, 0.0, 1.0)
    down = jnp.where(fall > 0, is_tied / _above_zero(fall), 0.0)
    up = is_tied / rise
    j, value = _split(own, best)
    value = jnp.where(is_least, 0.0, value)
    foot, top = fall * best - m, rise * best + m
    falls = value < 0
    new = (
        (foot, jnp.minimum(value, 0.0) * down),
        (jnp.where(falls, foot, top), jnp.zeros_like(foot)),
        (top, jnp.maximum(value, 0.0) * up),
    )
    knot, at = jnp.arange(own.place.shape[1])[None, :], j[:, None]
    left = own.place * fall[:, None] - m[:, None]
    # Knots above make room for the three that come in between.
    right = jnp.roll(own.place, 3, axis=1) * rise[:, None] + m[:, None]
    place = jnp.where(knot < at, left, right)
    left = jnp.minimum(own.value, 0.0) * down[:, None]
    right = jnp.maximum(jnp.roll(own.value, 3, axis=1), 0.0) * up[:, None]
    values = jnp.where(knot < at, left, right)
    for k, (x, v) in enumerate(new):
        place = jnp.where(knot == at + k, x[:, None], place)
        values = jnp.where(knot == at + k, v[:, None], values)
    count = own.count + 3
    inside = knot < count
    least = jnp.where(is_free, low, jnp.maximum(low, fall * own.least - m))
    most = jnp.where(is_free, high, jnp.minimum(high, rise * own.most + m))
    return _Steepness(
        jnp.where(inside, place, _FAR),
        jnp.where(inside, values, 0.0),
        own.below * down * down,
        own.above * up * up,
        count,
        least,
        jnp.maximum(most, least),
    )
