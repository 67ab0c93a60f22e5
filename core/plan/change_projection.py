r"""Projection with limits of change: a quadratic program, by an interior point.

    min_x  sum_ct (x_ct - y_ct)^2 / 2 s_ct
    G x + slack = h    slack >= 0    sum x = budget

Mehrotra's predictor and corrector. A Newton step solves (P + G' W G) dx = r, in which
cells and changes are tridiagonal per channel, while sums over channels, columns and the
whole are few rows that Woodbury's formula adds.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.cells import Cells

_ROUNDS = 60
#: Residual at which it ends, and below which one that grows is round-off.
_EXACT, _CLOSE = 1e-8, 1e-4
#: Weight that holds a locked cell, and how far a step goes towards the border.
_LOCKED, _NEAR = 1e8, 0.995

Spend = Float[np.ndarray, "channel column"]


class _Program(NamedTuple):
    """Limits in units of an average cell.

    Attributes:
        rise: Multiple of the cell before, see `Change`.
        fall: Multiple of the cell before.
        columns: Which columns have a limit.
        has: Which limits there are.
        most: Right-hand sides of those.
        budget: The sum that is exact; None where it may fall short.
    """

    rise: np.ndarray
    fall: np.ndarray
    columns: np.ndarray
    has: np.ndarray
    most: np.ndarray
    budget: float | None

    def left(self, spend: Spend) -> np.ndarray:
        """Left-hand sides."""
        up = spend[:, 1:] - self.rise * spend[:, :-1]
        down = self.fall * spend[:, :-1] - spend[:, 1:]
        cells = spend.ravel()
        total = self.sums(spend)
        parts = (-cells, cells, up.ravel(), down.ravel(), -total, total)
        return np.concatenate(parts)[self.has]

    def sums(self, spend: np.ndarray) -> np.ndarray:
        """Sums of channels, of columns with a limit, and of the whole."""
        by_channel, by_column = spend.sum(axis=1), spend.sum(axis=0)[self.columns]
        return np.concatenate([by_channel, by_column, by_channel.sum(0)[None]])

    def spread(self, prices: np.ndarray) -> Spend:
        """What prices of sums charge a cell."""
        n = len(self.rise)
        by_column = np.zeros(len(self.columns))
        by_column[self.columns] = prices[n:-1]
        return prices[:n, None] + by_column + prices[-1]

    def back(self, prices: np.ndarray, shape: tuple[int, int]) -> Spend:
        """The transpose: what prices of limits charge a cell."""
        low, high, up, down, least, most = self.parts(prices, shape)
        up, down = up.reshape(len(self.rise), -1), down.reshape(len(self.rise), -1)
        charged = (high - low).reshape(shape) + self.spread(most - least)
        charged[:, 1:] += up - down
        charged[:, :-1] += self.fall * down - self.rise * up
        return charged

    def parts(self, prices: np.ndarray, shape: tuple[int, int]) -> list[np.ndarray]:
        """Prices by kind of limit, zero where there is none."""
        every = np.zeros(len(self.has))
        every[self.has] = prices
        n, pairs = shape[0] * shape[1], shape[0] * (shape[1] - 1)
        sums = shape[0] + int(self.columns.sum()) + 1
        return np.split(every, np.cumsum([n, n, pairs, pairs, sums]))


def nearest_with_change(cells: Cells, wish: Spend, scale: Spend) -> Spend:
    """The spend within the limits that is nearest to a wish.

    Args:
        cells: Limits that can be met, those of change among them.
        wish: Any amounts.
        scale: How readily each cell moves; above zero.
    """
    unit = cells.budget / wish.size
    program = _program(cells, unit)
    locked = cells.low == cells.high
    weight = np.where(locked, _LOCKED, scale.mean() / scale)
    goal = np.where(locked, cells.low, wish) / unit
    shift = np.median((goal - 1.0)[~locked]) if not locked.all() else 0.0
    if (
        program.budget is not None
    ):  # the same everywhere is no news where a sum is given
        goal = np.where(locked, goal, goal - shift * scale / scale.mean())
    inside = np.clip(1.0, cells.low / unit, cells.high / unit)
    spend = _solved(program, goal, weight, inside) * unit
    return np.where(locked, cells.low, np.clip(spend, cells.low, cells.high))


def _program(cells: Cells, unit: float) -> _Program:
    n, width = cells.low.shape
    change, free = cells.change, cells.low < cells.high
    columns = np.isfinite(cells.column_most)
    none = np.full(int(columns.sum()), np.inf)
    whole = [cells.budget if cells.spare else np.inf]
    least = [cells.spare - cells.budget if cells.spare else np.inf]
    room = change.room.ravel()
    most = np.concatenate(
        [
            np.where(free, -cells.low, np.inf).ravel(),
            np.where(free, cells.high, np.inf).ravel(),
            room,
            room,
            np.concatenate([-cells.least, none, least]),
            np.concatenate([cells.most, cells.column_most[columns], whole]),
        ]
    )
    has = np.isfinite(most)
    slack = 1e-7  # an interior, where limits leave a single point
    budget = None if cells.spare else cells.budget / unit
    return _Program(
        change.rise, change.fall, columns, has, most[has] / unit + slack, budget
    )


def _solved(program: _Program, goal: Spend, weight: Spend, start: Spend) -> Spend:
    """Mehrotra's method from a start."""
    spend, price = start.copy(), 0.0
    size = max(1.0, float(np.abs(weight * (start - goal)).mean()))
    slack = np.maximum(program.most - program.left(spend), 1.0)
    dual = size / slack
    n = len(slack)
    best, error = spend, np.inf
    for _ in range(_ROUNDS):
        rest = weight * (spend - goal) + program.back(dual, spend.shape) + price
        gap = program.left(spend) + slack - program.most
        lack = 0.0 if program.budget is None else spend.sum() - program.budget
        mean = float(slack @ dual) / n
        wrong = max(
            np.abs(rest).max() / size, np.abs(gap).max(), abs(lack), mean / size
        )
        if wrong < error:
            best, error = spend, wrong
        if wrong <= _EXACT or (error < _CLOSE and wrong > 10 * error):
            break
        step = _Newton(program, weight, slack, dual)
        moved = step.towards(rest, gap, lack, slack * dual)
        share = _share(slack, moved[1]), _share(dual, moved[2])
        ahead = float((slack + share[0] * moved[1]) @ (dual + share[1] * moved[2]))
        centre = mean * (ahead / n / mean) ** 3
        product = slack * dual + moved[1] * moved[2] - centre
        moved = step.towards(rest, gap, lack, product)
        share = min(_share(slack, moved[1]), _share(dual, moved[2]), 1 / _NEAR) * _NEAR
        spend = spend + share * moved[0]
        slack = slack + share * moved[1]
        dual = dual + share * moved[2]
        price = price + share * moved[3]
    return best


def _share(value: np.ndarray, way: np.ndarray) -> float:
    """How much of a way leaves values above zero."""
    falls = way < 0
    if not falls.any():
        return 1.0
    return min(1.0, float((-value[falls] / way[falls]).min()))


class _Newton:
    """A Newton step, its matrix factorised once."""

    def __init__(self, program, weight, slack, dual):
        from scipy.linalg import cho_factor
        from scipy.linalg.lapack import dpbtrf

        self.program, self.slack, self.dual = program, slack, dual
        self.shape = weight.shape
        low, high, up, down, least, most = program.parts(dual / slack, self.shape)
        pairs = self.shape[0], self.shape[1] - 1
        up, down = up.reshape(pairs), down.reshape(pairs)
        middle = weight + (low + high).reshape(self.shape)
        middle[:, 1:] += up + down
        middle[:, :-1] += program.rise**2 * up + program.fall**2 * down
        beside = np.zeros(self.shape)
        beside[:, 1:] = -(program.rise * up + program.fall * down)
        self.band, _ = dpbtrf(np.stack([beside.ravel(), middle.ravel()]))
        weights = least + most
        self.used = weights > 0
        inverse = np.zeros(len(weights))
        inverse[self.used] = 1 / weights[self.used]
        if program.budget is not None:
            self.used[-1] = True
        rows = self._rows()[:, self.used]
        self.across = self._through(rows)
        inner = self._sums(self.across) + np.diag(inverse[self.used])
        self.inner = cho_factor(inner, check_finite=False) if len(inner) else None

    def _rows(self) -> np.ndarray:
        """Indicators of the sums, cell by sum."""
        n, width = self.shape
        by_channel = np.repeat(np.eye(n), width, axis=0)
        by_column = np.tile(np.eye(width), (n, 1))[:, self.program.columns]
        return np.hstack([by_channel, by_column, np.ones((n * width, 1))])

    def _sums(self, cells: np.ndarray) -> np.ndarray:
        """Sums that are limited, of what is given per cell."""
        shaped = cells.reshape(*self.shape, *cells.shape[1:])
        return self.program.sums(shaped)[self.used]

    def _through(self, rows: np.ndarray) -> np.ndarray:
        from scipy.linalg.lapack import dpbtrs

        return dpbtrs(self.band, rows)[0]

    def towards(self, rest, gap, lack, product):
        """Steps of spend, slack, prices, and the price of the budget."""
        program = self.program
        charge = (self.dual * gap - product) / self.slack
        right = -(rest + program.back(charge, self.shape)).ravel()
        from scipy.linalg import cho_solve

        plain = self._through(right)
        aim = self._sums(plain)
        if program.budget is not None:
            aim[-1] += lack
        prices = (
            cho_solve(self.inner, aim, check_finite=False)
            if self.inner is not None
            else aim
        )
        charged = np.zeros(len(self.used))
        charged[self.used] = prices
        way = self._through(right - self.program.spread(charged).ravel())
        way = way.reshape(self.shape)
        fall = -gap - program.left(way)
        dual = -(product + self.dual * fall) / self.slack
        price = float(prices[-1]) if program.budget is not None else 0.0
        return way, fall, dual, price
