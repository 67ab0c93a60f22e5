r"""Projection: the spend within the limits that is nearest to a wish.

    min_x  sum_ct (x_ct - y_ct)^2 / s_ct    within the limits of `core.plan.cells`

Its dual has one price per limit, and x_ct = clip(y_ct - s_ct price_ct, low, high): the
price of a cell is that of the budget, of its channel and of its column together.
Without limits of columns two bisections find the prices exactly; with them the prices
of columns and the others are found in turn.
"""

import numpy as np
from jaxtyping import Float

from core.plan.cells import Cells

_HALVINGS = 50
_ROUNDS = 60

Spend = Float[np.ndarray, "channel column"]


def nearest(cells: Cells, wish: Spend, scale: Spend) -> Spend:
    """The spend within the limits that is nearest to a wish.

    Args:
        cells: Limits that can be met.
        wish: Any amounts.
        scale: How readily each cell moves; above zero.
    """
    spend = _rows_and_budget(cells, wish, scale)
    if not cells.joins_columns:
        return spend
    column_price = np.zeros(wish.shape[1])
    for _ in range(_ROUNDS):
        moved = wish - scale * column_price
        row_price = _row_prices(cells, moved, scale)
        free = wish - scale * row_price[:, None]
        column_price = _column_prices(cells, free, scale)
        moved = wish - scale * column_price
        spend = _rows_and_budget(cells, moved, scale)
        excess = spend.sum(axis=0) - cells.column_most
        if excess.max() <= 1e-9 * cells.budget:
            break
    return spend


def _rows_and_budget(cells: Cells, wish: Spend, scale: Spend) -> Spend:
    price = _row_prices(cells, wish, scale)
    return np.clip(wish - scale * price[:, None], cells.low, cells.high)


def _row_prices(cells: Cells, wish: Spend, scale: Spend) -> np.ndarray:
    """Price of the budget plus that of the channel, per channel."""

    def totals(price: np.ndarray) -> np.ndarray:
        moved = wish - scale * price[:, None]
        return np.clip(moved, cells.low, cells.high).sum(axis=1)

    n = len(cells.names)
    cheap = float(((wish - cells.high) / scale).min()) - 1.0
    dear = float(((wish - cells.low) / scale).max()) + 1.0
    ends = cheap, dear
    for _ in range(_HALVINGS):
        price = (cheap + dear) / 2
        wanted = np.clip(totals(np.full(n, price)), cells.least, cells.most)
        if wanted.sum() > cells.budget:
            cheap = price
        else:
            dear = price
    budget_price = np.full(n, (cheap + dear) / 2)
    free = totals(budget_price)
    wanted = np.clip(free, cells.least, cells.most)
    if np.abs(free - wanted).max() <= 1e-12 * cells.budget:
        return budget_price
    low, high = np.full(n, ends[0]), np.full(n, ends[1])
    for _ in range(_HALVINGS):
        price = (low + high) / 2
        above = totals(price) > wanted
        low, high = np.where(above, price, low), np.where(above, high, price)
    return np.where(free == wanted, budget_price, (low + high) / 2)


def _column_prices(cells: Cells, wish: Spend, scale: Spend) -> np.ndarray:
    """Price of each column, at least zero."""

    def totals(price: np.ndarray) -> np.ndarray:
        return np.clip(wish - scale * price, cells.low, cells.high).sum(axis=0)

    low = np.zeros(wish.shape[1])
    high = np.maximum(((wish - cells.low) / scale).max(axis=0), 0.0)
    is_over = totals(low) > cells.column_most
    for _ in range(_HALVINGS):
        price = (low + high) / 2
        above = totals(price) > cells.column_most
        low, high = np.where(above, price, low), np.where(above, high, price)
    return np.where(is_over, high, 0.0)
