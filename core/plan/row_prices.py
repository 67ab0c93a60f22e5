"""Prices of channels: what a unit of money has to cost so that totals are kept.

The total that a channel wants falls as its price rises, in straight pieces. So the
budget has one price, and a channel whose total is not within its limits at that price
has one of its own: both by Newton's method, kept in a bracket. With limits of change a
channel's weeks are a chain (`core.plan.chain`), else each week stands alone.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.plan.cells import Cells
from core.plan.chain import Ties, nearest_on_chains

_STEPS = 60
_EXACT = {False: 1e-12, True: 1e-11}

Spend = Float[np.ndarray, "channel column"]
Prices = Float[np.ndarray, " channel"]


class _Found(NamedTuple):
    """Prices of channels, the spend at them, its totals, how fast those fall."""

    price: Array
    spend: Array
    total: Array
    rate: Array


class Limits(NamedTuple):
    """Limits of cells, channels and the budget, without those of columns."""

    ties: Ties
    least: Array
    most: Array
    budget: Array
    spare: Array


def limits_of(cells: Cells) -> Limits:
    """Limits as arrays."""
    n, n_columns = cells.low.shape
    rise = fall = np.ones(n)
    room = np.zeros((n, n_columns - 1))
    if cells.change is not None:
        rise, fall = cells.change.rise[:, 0], cells.change.fall[:, 0]
        room = cells.change.room
    with jax.enable_x64(True):
        return Limits(
            Ties(*map(_double, (cells.low, cells.high, rise, fall, room))),
            *map(_double, (cells.least, cells.most, cells.budget, cells.spare)),
        )


def _double(rows: np.ndarray | float) -> Array:
    return jnp.asarray(rows, jnp.float64)


def spend_at_prices(
    limits: Limits, has_change: bool, wish: Spend, scale: Spend, start: Prices
) -> tuple[Spend, Prices]:
    """The spend nearest to a wish within all limits but those of columns, and prices.

    Args:
        limits: See `limits_of`; they can be met.
        has_change: Whether limits of change are among them.
        wish: Any amounts.
        scale: How readily cells move; the same in all of a channel with change.
        start: Prices to begin with, per channel; zero where there is no idea.
    """
    with jax.enable_x64(True):
        found = _found(has_change, limits, *map(_double, (wish, scale, start)))
        return np.asarray(found.spend), np.asarray(found.price)


@partial(jax.jit, static_argnums=0)
def _found(
    has_change: bool, limits: Limits, wish: Array, scale: Array, start: Array
) -> _Found:
    tolerance = _EXACT[has_change] * limits.budget
    at = partial(_at_prices, has_change, limits.ties, wish, scale)
    low, high = limits.ties.low, limits.ties.high
    ends = ((wish - high) / scale).min(), ((wish - low) / scale).max()

    def joint(found: _Found) -> tuple[Array, Array]:
        total = jnp.clip(found.total, limits.least, limits.most)
        rate = jnp.where(total == found.total, found.rate, 0.0)
        return total.sum() * jnp.ones_like(total), rate.sum() * jnp.ones_like(rate)

    def own(found: _Found) -> tuple[Array, Array]:
        return found.total, found.rate

    wanted = _budget(at, joint, limits, len(wish))
    found = at(jnp.median(start) * jnp.ones_like(start))
    found = _solved(at, joint, wanted, ends, tolerance, found)
    kept = jnp.clip(found.total, limits.least, limits.most)
    is_kept = (kept == found.total) | (start == 0)
    held = found.price
    begin = jax.lax.cond(
        is_kept.all(), lambda: found, lambda: at(jnp.where(is_kept, held, start))
    )
    return _solved(at, own, kept, ends, tolerance, begin)


def _budget(
    at: Callable[[Array], _Found],
    joint: Callable[[_Found], tuple[Array, Array]],
    limits: Limits,
    n: int,
) -> Array:
    """What is to be spent: the budget, or less where less is wanted for nothing."""

    def free() -> Array:
        without = joint(at(jnp.zeros(n)))[0]
        return jnp.clip(without, limits.budget - limits.spare, limits.budget)

    return jax.lax.cond(limits.spare > 0, free, lambda: limits.budget * jnp.ones(n))


def _at_prices(
    has_change: bool, ties: Ties, wish: Array, scale: Array, price: Array
) -> _Found:
    if has_change:

        def spend(price):
            return nearest_on_chains(ties, wish - scale * price[:, None], scale[:, 0])

        made, slope = jax.jvp(spend, (price,), (jnp.ones_like(price),))
        return _Found(price, made, made.sum(axis=1), -slope.sum(axis=1))
    moved = wish - scale * price[:, None]
    is_free = (moved > ties.low) & (moved < ties.high)
    made = jnp.clip(moved, ties.low, ties.high)
    return _Found(price, made, made.sum(axis=1), (scale * is_free).sum(axis=1))


def _solved(
    at: Callable[[Array], _Found],
    totals: Callable[[_Found], tuple[Array, Array]],
    wanted: Array,
    ends: tuple[Array, Array],
    tolerance: Array,
    start: _Found,
) -> _Found:
    """Prices at which falling totals are what is wanted: Newton, kept in a bracket."""
    one = jnp.ones_like(start.price)
    low = (ends[0] - 1e-9 * jnp.abs(ends[0])) * one
    high = (ends[1] + 1e-9 * jnp.abs(ends[1])) * one

    def is_off(state):
        found, _, _, count = state
        off = jnp.abs(totals(found)[0] - wanted).max() > tolerance
        return off & (count < _STEPS)

    def step(state):
        found, low, high, count = state
        total, rate = totals(found)
        excess = total - wanted
        low = jnp.where(excess > 0, jnp.maximum(found.price, low), low)
        high = jnp.where(excess > 0, high, jnp.minimum(found.price, high))
        jump = found.price + excess / jnp.where(rate > 0, rate, jnp.inf)
        is_inside = (rate > 0) & (jump > low) & (jump < high)
        price = jnp.where(is_inside, jump, (low + high) / 2)
        is_met = jnp.abs(excess) <= tolerance
        return at(jnp.where(is_met, found.price, price)), low, high, count + 1

    return jax.lax.while_loop(is_off, step, (start, low, high, 0))[0]
