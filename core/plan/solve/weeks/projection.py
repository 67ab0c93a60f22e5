r"""Projection: the spend within the limits that is nearest to a wish.

    min_x  sum_ct (x_ct - y_ct)^2 / s_ct    within `core.plan.limits.cells`

Its dual has one price per limit, and x_ct = clip(y_ct - s_ct price_ct, low, high): the
price of a cell is that of the budget, of its channel and of its column together.
Without limits of columns one search after the other finds the prices exactly
(`row_prices`), limits of change from one column to the next included; with them the
prices of columns and the others are found in turn. Where both kinds bind, it is an
interior-point method's (`interior_point`).
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from core.plan.limits.cells import Cells
from core.plan.solve.weeks.interior_point import nearest_with_change
from core.plan.solve.weeks.row_prices import RowPrices

_STEPS = 60
_ROUNDS = 80
_EXACT = 1e-12

Spend = Float[np.ndarray, "channel column"]
Prices = Float[np.ndarray, " limit"]


def nearest(cells: Cells, wish: Spend, scale: Spend) -> Spend:
    """The spend within the limits that is nearest to a wish.

    Args:
        cells: Limits that can be met.
        wish: Any amounts.
        scale: How readily each cell moves; above zero.
    """
    return Projection(cells, scale)(wish)


class Projection:
    """Spend within limits that is nearest to a wish; the next one begins where it was.

    Attributes:
        cells: Limits that can be met.
        scale: How readily each cell moves; above zero.
    """

    def __init__(self, cells: Cells, scale: Spend):
        self.cells, self.scale = cells, scale
        self._at_prices = RowPrices(cells, scale)
        self._price = np.zeros(len(scale))

    def __call__(self, wish: Spend, step: float = 1.0) -> Spend:
        """The nearest spend.

        Args:
            wish: Any amounts.
            step: How far the wish is; prices grow with it.
        """
        cells, scale = self.cells, self.scale
        column_price, row_price = np.zeros(wish.shape[1]), self._price * step
        for _ in range(_ROUNDS):
            moved = wish - scale * column_price
            spend, row_price = self._at_prices(moved, row_price)
            if (spend.sum(axis=0) - cells.column_most).max() <= 1e-7 * cells.budget:
                break
            if cells.change is not None:
                return nearest_with_change(cells, wish, scale)
            free = wish - scale * row_price[:, None]
            column_price = _column_prices(cells, free, scale, column_price)
        self._price = row_price / step
        return spend


def _within(cells: Cells, wish: Spend) -> Spend:
    return np.minimum(np.maximum(wish, cells.low), cells.high)


def _moving(cells: Cells, wish: Spend, scale: Spend) -> Spend:
    """What a cell loses per unit of price."""
    return scale * ((wish > cells.low) & (wish < cells.high))


def _column_prices(cells: Cells, wish: Spend, scale: Spend, start: Prices) -> Prices:
    """Price of each column, at least zero."""

    def columns(price: Prices) -> tuple[np.ndarray, np.ndarray]:
        moved = wish - scale * price
        totals = _within(cells, moved).sum(axis=0)
        return totals, _moving(cells, moved, scale).sum(axis=0)

    totals, _ = columns(np.zeros(wish.shape[1]))
    is_over = totals > cells.column_most
    wanted = np.where(is_over, cells.column_most, totals)
    ends = 0.0, max(float(((wish - cells.low) / scale).max()), 0.0)
    price = _solved(columns, wanted, ends, _EXACT * cells.budget, start)
    return np.where(is_over, np.maximum(price, 0.0), 0.0)


def _solved(
    totals: Callable[[Prices], tuple[np.ndarray, np.ndarray]],
    wanted: np.ndarray,
    ends: tuple[float, float],
    tolerance: float,
    start: Prices,
) -> Prices:
    """Prices at which falling totals are what is wanted: Newton, kept in a bracket."""
    low = np.full(len(wanted), float(ends[0]) - 1e-9 * abs(ends[0]))
    high = np.full(len(wanted), float(ends[1]) + 1e-9 * abs(ends[1]))
    price = np.clip(start, low, high)
    for _ in range(_STEPS):
        total, rate = totals(price)
        excess = total - wanted
        if np.abs(excess).max() <= tolerance:
            break
        low = np.where(excess > 0, price, low)
        high = np.where(excess > 0, high, price)
        jump = price + excess / np.where(rate > 0, rate, np.inf)
        is_inside = (rate > 0) & (jump > low) & (jump < high)
        price = np.where(is_inside, jump, (low + high) / 2)
    return price
