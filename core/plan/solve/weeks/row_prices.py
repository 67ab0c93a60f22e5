"""Dual prices of channels: what a unit of money has to cost so that totals are kept.

The total that a channel wants falls as its price rises, in straight pieces. So the
budget has one price, and a channel whose total is not within its limits at that price
has one of its own: both by Newton's method, kept in a bracket. With limits of change a
channel's weeks are a chain (`chain`), else each week stands alone.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.plan.limits.cells import Cells
from core.plan.solve.weeks.chain import Ties, nearest_on_chains

_STEPS = 60
_EXACT = {False: 1e-12, True: 1e-11}

Spend = Float[np.ndarray, "channel column"]
Prices = Float[np.ndarray, " limit"]


class AtPrices(NamedTuple):
    """Prices of limits, the spend at them, its totals, how fast those fall."""

    price: Prices
    spend: Spend
    total: Prices
    rate: Prices


#: Totals that are to be met, and how fast they fall, of what is wanted at prices.
Falling = Callable[[AtPrices], tuple[np.ndarray, np.ndarray]]


class RowPrices:
    """Spend nearest to a request within all limits but those of columns, and prices.

    Attributes:
        cells: Limits that can be met.
        scale: How readily cells move; the same in all of a channel with change.
    """

    def __init__(self, cells: Cells, scale: Spend):
        self.cells, self.scale = cells, scale
        self.has_change = cells.change is not None
        n, n_columns = scale.shape
        rise = fall = np.ones(n)
        room = np.zeros((n, n_columns - 1))
        if self.has_change:
            rise, fall = cells.change.rise[:, 0], cells.change.fall[:, 0]
            room = cells.change.room
        # Totals are met to a hundred-billionth of the budget: single is too rough.
        with jax.enable_x64(True):
            sides = (cells.low, cells.high, rise, fall, room)
            self._ties = Ties(*(jnp.asarray(side, jnp.float64) for side in sides))

    def __call__(self, target: Spend, start: Prices) -> tuple[Spend, Prices]:
        """The spend and the price of each channel.

        Args:
            target: Any amounts.
            start: Prices to begin with; zero where there is no idea.
        """
        cells, at = self.cells, partial(self._at, target)
        ends = (
            float(((target - cells.high) / self.scale).min()),
            float(((target - cells.low) / self.scale).max()),
        )
        tolerance = _EXACT[self.has_change] * cells.budget
        here = at(np.full(len(start), np.median(start)))
        here = newton(at, self._budget(at), ends, tolerance, here, self._joint)
        total = np.clip(here.total, cells.least, cells.most)
        is_kept = (total == here.total) | (start == 0)
        if not is_kept.all():
            here = at(np.where(is_kept, here.price, start))
        here = newton(at, total, ends, tolerance, here)
        return here.spend, here.price

    def _at(self, target: Spend, price: Prices) -> AtPrices:
        if self.has_change:
            goal = target - self.scale * price[:, None]
            with jax.enable_x64(True):
                nearest = _on_chains(self._ties, goal, self.scale[:, 0])
            return AtPrices(price, *map(np.asarray, nearest))
        return at_prices(self.cells, target, self.scale, price, axis=1)

    def _joint(self, here: AtPrices) -> tuple[np.ndarray, np.ndarray]:
        """What all channels spend, each within its own limits."""
        total = np.clip(here.total, self.cells.least, self.cells.most)
        rate = here.rate[total == here.total].sum()
        return np.full_like(total, total.sum()), np.full_like(total, rate)

    def _budget(self, at: Callable[[Prices], AtPrices]) -> np.ndarray:
        """What is to be spent: the budget, or less where less is wanted for nothing."""
        cells, none = self.cells, np.zeros(len(self.scale))
        if not cells.spare:
            return none + cells.budget
        without = self._joint(at(none))[0]
        return np.clip(without, cells.budget - cells.spare, cells.budget)


def at_prices(
    cells: Cells, target: Spend, scale: Spend, price: Prices, *, axis: int
) -> AtPrices:
    """What each cell alone wants at the price of its channel (axis 1) or column (0)."""
    moved = target - scale * np.expand_dims(price, axis)
    spend = np.minimum(np.maximum(moved, cells.low), cells.high)
    rate = scale * ((moved > cells.low) & (moved < cells.high))
    return AtPrices(price, spend, spend.sum(axis=axis), rate.sum(axis=axis))


def newton(
    at: Callable[[Prices], AtPrices],
    targets: Float[np.ndarray, " limit"],
    ends: tuple[float, float],
    tolerance: float,
    begin: AtPrices,
    falling: Falling = lambda here: (here.total, here.rate),
) -> AtPrices:
    """Prices at which falling totals are what is wanted: Newton's method in a bracket.

    A jump that leaves the bracket, or starts where nothing moves, is its middle
    instead; a price at which its total is met stays where it is.

    Args:
        at: What is wanted at prices.
        targets: Totals.
        ends: Between which all prices are.
        tolerance: Currency by which a total may differ.
        begin: What is known at some prices.
        falling: The totals that are to be met, and how fast they fall.
    """
    # The ends themselves may be the answer, and must lie inside.
    low = np.full(len(targets), ends[0] - 1e-9 * abs(ends[0]))
    high = np.full(len(targets), ends[1] + 1e-9 * abs(ends[1]))
    here = begin
    for _ in range(_STEPS):
        total, rate = falling(here)
        excess, price = total - targets, here.price
        is_met = np.abs(excess) <= tolerance
        if is_met.all():
            break
        low = np.where(excess > 0, np.maximum(price, low), low)
        high = np.where(excess > 0, high, np.minimum(price, high))
        jump = price + excess / np.where(rate > 0, rate, np.inf)
        is_inside = (rate > 0) & (jump > low) & (jump < high)
        moved = np.where(is_inside, jump, (low + high) / 2)
        here = at(np.where(is_met, price, moved))
    return here


@jax.jit
def _on_chains(ties: Ties, goal: Array, scale: Array) -> tuple[Array, Array, Array]:
    """The nearest spend of channels, its totals, and how fast a price lowers them."""

    def spend(price):
        return nearest_on_chains(ties, goal - (scale * price)[:, None], scale)

    none = jnp.zeros_like(scale)
    nearest, slope = jax.jvp(spend, (none,), (jnp.ones_like(scale),))
    return nearest, nearest.sum(axis=1), -slope.sum(axis=1)
