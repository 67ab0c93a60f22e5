"""Transport: linear programs over cells, whose vertices are whole amounts.

Cells with limits of rows, columns and the total are a transportation problem: its
matrix is totally unimodular, so a vertex is whole where the limits are.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from core.plan.limits.cells import Cells
from core.plan.limits.change import Change

_SLACK = 1e-6  # currency, for sums of floating point numbers


def best_linear(
    cells: Cells, slope: Float[np.ndarray, "channel column"]
) -> Float[np.ndarray, "channel column"]:
    """Spend within the limits with the largest sum of slope times spend."""
    scale = float(np.abs(slope).max()) or 1.0
    return _solved(cells, -slope / scale, cells.low, cells.high)


def total_range(cells: Cells) -> tuple[float, float] | None:
    """Least and most total spend, whatever the budget; None if limits contradict."""
    if cells.change is None and (cells.high.sum(axis=0) <= cells.column_most).all():
        return _range_of_channels(cells)
    ends = []
    for sign in (1.0, -1.0):
        cost = np.full(cells.low.shape, sign)
        spend = _solved(cells, cost, cells.low, cells.high, has_budget=False)
        if spend is None:
            return None
        ends.append(float(spend.sum()))
    return ends[0], ends[1]


def _range_of_channels(cells: Cells) -> tuple[float, float] | None:
    """`total_range` where channels are free of each other: no solver is needed.

    SciPy's would be 29 MB more in the web process, which asks this at every change.
    """
    least = np.maximum(cells.least, cells.low.sum(axis=1))
    most = np.minimum(cells.most, cells.high.sum(axis=1))
    if (cells.low > cells.high).any() or (least > most + _SLACK).any():
        return None
    return float(least.sum()), float(np.maximum(most, least).sum())


def in_whole_steps(
    cells: Cells, spend: Float[np.ndarray, "channel column"], size: float
) -> Float[np.ndarray, "channel column"]:
    """Spend in whole steps within the limits, next to a spend that keeps to them.

    With limits of change the matrix is no longer unimodular: spend is first moved to
    where they are kept with room for a step up or down in every cell.

    Args:
        cells: Limits; each is met to less than a step.
        spend: Spend within the limits, or next to it.
        size: Currency per step.
    """
    if cells.spare:
        least = cells.budget - cells.spare
        budget = float(
            np.clip(np.round(spend.sum() / size) * size, least, cells.budget)
        )
        cells = replace(cells, budget=budget, spare=0.0)
    reaches = (1.0, 100.0, np.inf)
    if cells.change is not None:
        spend = _with_room(cells, spend, size)
        cells, reaches = replace(cells, change=None), (None, *reaches)
    base = np.floor(spend / size + 1e-6)
    part = spend / size - base
    low, high = np.floor(cells.low / size + 1e-6), np.ceil(cells.high / size - 1e-6)
    booked = cells.low == cells.high
    exact = np.round(cells.low / size)
    base = np.where(booked, exact, np.clip(base, low, high))
    low, high = np.where(booked, exact, low), np.where(booked, exact, high)
    whole = Cells(
        cells.names,
        cells.columns,
        low,
        high,
        np.floor(cells.least / size + 1e-6),
        np.ceil(cells.most / size - 1e-6),
        np.ceil(cells.column_most / size - 1e-6),
        float(np.round(cells.budget / size)),
    )
    for reach in reaches:  # steps up or down; None: only to the next one up
        floor = base if reach is None else np.maximum(low, base - reach)
        ceiling = np.minimum(high, base + (reach or 1.0))
        found = _solved(whole, 0.5 - part, floor, ceiling, centre=base)
        if found is not None:
            digits = max(2, round(-np.log10(size)))
            return np.round(np.round(found) * size, digits)
    return spend


def _with_room(
    cells: Cells, spend: Float[np.ndarray, "channel column"], size: float
) -> Float[np.ndarray, "channel column"]:
    """The nearest spend whose changes still fit when each cell moves by a step."""
    part = replace(
        cells,
        low=cells.low / size,
        high=cells.high / size,
        least=cells.least / size,
        most=cells.most / size,
        column_most=cells.column_most / size,
        budget=float(np.round(cells.budget / size)),
    )
    centre, cost = spend / size, np.zeros(spend.shape)
    for steps in (1.0, 0.0, -1e-3):
        change = cells.change.in_units(size).with_room(steps)
        tried = replace(part, change=change)
        found = _solved(tried, cost, part.low, part.high, centre=centre)
        if found is not None:
            return found * size
    return spend


def _solved(
    cells: Cells,
    cost: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    has_budget: bool = True,
    centre: np.ndarray | None = None,
) -> np.ndarray | None:
    """Cheapest spend; with a centre, leaving it costs what the sign of a cell says.

    Each cell goes up at `cost` and down at one minus it, from the centre.
    """
    from scipy.optimize import linprog

    shape = cells.low.shape
    base = np.zeros(shape) if centre is None else centre
    above, below = _matrix(cells, has_budget)
    left = above @ base.ravel()
    is_exact = has_budget and not cells.spare
    budget = np.ones((1, base.size)) if is_exact else None
    up, sides = (low - base, high - base), [cost.ravel()]
    bounds = [np.stack([side.ravel() for side in up], axis=1)]
    matrix = above
    if centre is not None:
        bounds = [
            np.stack([np.zeros(base.size), np.maximum(high - base, 0).ravel()], 1),
            np.stack([np.zeros(base.size), np.maximum(base - low, 0).ravel()], 1),
        ]
        sides = [1 + cost.ravel(), 1 - cost.ravel()]
        from scipy.sparse import hstack

        matrix = hstack([above, -above]).tocsr()
        budget = None if budget is None else np.hstack([budget, -budget])
    size = 1.0 if centre is not None else max(cells.budget, 1e-9)
    solved = linprog(
        np.concatenate(sides),
        A_ub=matrix,
        b_ub=(below - left) / size,
        A_eq=budget,
        b_eq=None if budget is None else [(cells.budget - base.sum()) / size],
        bounds=np.concatenate(bounds) / size,
        method="highs",
    )
    if solved.x is None:
        return None
    moved = solved.x * size
    if centre is not None:
        moved = moved[: base.size] - moved[base.size :]
    return base + moved.reshape(shape)


def _matrix(cells: Cells, has_budget: bool):
    """Limits of sums and changes as rows: matrix, right-hand side."""
    from scipy.sparse import csr_array, eye_array, kron, vstack

    n, n_columns = cells.low.shape
    rows = kron(eye_array(n), np.ones((1, n_columns)))
    parts, ends = [rows, -rows], [cells.most, -cells.least]
    limited = np.isfinite(cells.column_most)
    if limited.any():
        columns = csr_array(kron(np.ones((1, n)), eye_array(n_columns)))
        parts.append(columns[limited])
        ends.append(cells.column_most[limited])
    if has_budget and cells.spare:
        total = csr_array(np.ones((1, n * n_columns)))
        parts += [total, -total]
        ends += [[cells.budget], [cells.spare - cells.budget]]
    if cells.change is not None:
        matrix, most = _changes(cells.change, n, n_columns)
        parts.append(matrix)
        ends.append(most)
    return csr_array(vstack(parts)), np.concatenate(ends)


def _changes(change: Change, n: int, n_columns: int):
    """Limits of change as rows: a rise, then a fall, per held pair of columns."""
    from scipy.sparse import csr_array

    channel, pair = np.nonzero(~change.free)
    now, before = channel * n_columns + pair + 1, channel * n_columns + pair
    rows, one = np.arange(len(now)), np.ones(len(now))
    rise, fall = change.rise[channel, 0], change.fall[channel, 0]
    matrix = csr_array(
        (
            np.concatenate([one, -rise, -one, fall]),
            (
                np.concatenate([rows, rows, rows + len(rows), rows + len(rows)]),
                np.concatenate([now, before, now, before]),
            ),
        ),
        shape=(2 * len(rows), n * n_columns),
    )
    return matrix, np.tile(change.room[channel, pair], 2)
