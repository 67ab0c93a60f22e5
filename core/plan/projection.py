r"""Projection: the spend within the limits that is nearest to a wish.

    min_x  sum_ct (x_ct - y_ct)^2 / s_ct    within the limits of `core.plan.cells`

Its dual has one price per limit, and x_ct = clip(y_ct - s_ct price_ct, low, high): the
price of a cell is that of the budget, of its channel and of its column together.
Without limits of columns one search after the other finds the prices exactly; with them
the prices of columns and the others are found in turn. Limits of change from one column
to the next tie cells together: then it is an interior-point method's
(`core.plan.change_projection`).
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from core.plan.cells import Cells
from core.plan.change_projection import nearest_with_change

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
    if cells.change is not None:
        return nearest_with_change(cells, wish, scale)
    column_price, row_price = np.zeros(wish.shape[1]), np.zeros(len(wish))
    for _ in range(_ROUNDS):
        moved = wish - scale * column_price
        row_price = _row_prices(cells, moved, scale, row_price)
        spend = _within(cells, moved - scale * row_price[:, None])
        if (spend.sum(axis=0) - cells.column_most).max() <= 1e-7 * cells.budget:
            break
        free = wish - scale * row_price[:, None]
        column_price = _column_prices(cells, free, scale, column_price)
    return spend


def _within(cells: Cells, wish: Spend) -> Spend:
    return np.minimum(np.maximum(wish, cells.low), cells.high)


def _moving(cells: Cells, wish: Spend, scale: Spend) -> Spend:
    """What a cell loses per unit of price."""
    return scale * ((wish > cells.low) & (wish < cells.high))


def _row_prices(cells: Cells, wish: Spend, scale: Spend, start: Prices) -> Prices:
    """Price of the budget plus that of the channel, per channel."""

    def rows(price: Prices) -> tuple[np.ndarray, np.ndarray]:
        moved = wish - scale * price[:, None]
        totals = _within(cells, moved).sum(axis=1)
        return totals, _moving(cells, moved, scale).sum(axis=1)

    def budget(price: Prices) -> tuple[np.ndarray, np.ndarray]:
        totals, rate = rows(np.broadcast_to(price, len(cells.names)))
        wanted = np.minimum(np.maximum(totals, cells.least), cells.most)
        return wanted.sum(keepdims=True), rate[wanted == totals].sum(keepdims=True)

    ends = ((wish - cells.high) / scale).min(), ((wish - cells.low) / scale).max()
    tolerance = _EXACT * cells.budget
    first = np.median(start, keepdims=True)
    price = _budget_price(cells, budget, ends, tolerance, first)
    price = np.repeat(price, len(cells.names))
    totals, _ = rows(price)
    wanted = np.minimum(np.maximum(totals, cells.least), cells.most)
    if (wanted == totals).all():
        return price
    own = _solved(rows, wanted, ends, tolerance, start)
    return np.where(wanted == totals, price, own)


def _budget_price(
    cells: Cells,
    spent: Callable[[Prices], tuple[np.ndarray, np.ndarray]],
    ends: tuple[float, float],
    tolerance: float,
    start: Prices,
) -> Prices:
    """The price at which the budget is spent; none where what may be left is."""
    wanted = cells.budget
    if cells.spare:
        without = float(spent(np.zeros(1))[0][0])
        wanted = float(np.clip(without, wanted - cells.spare, wanted))
        if wanted == without:
            return np.zeros(1)
    return _solved(spent, np.array([wanted]), ends, tolerance, start)


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
