r"""Projection with limits of change: a quadratic program, by Clarabel.

    min_x  sum_ct (x_ct - y_ct)^2 / 2 s_ct    A x + slack = b,  slack >= 0

The rows of A are those of the other limits, and for each change x_t - rise x_t-1 and
fall x_t-1 - x_t. Amounts are in units of an average cell.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from core.errors import PlanError
from core.plan.limits.cells import Cells

#: What limits may give way by, so that those with a single plan have an interior.
_GIVES = 1e-7
#: Residual at which it ends.
_EXACT = 1e-9
_DONE = ("Solved", "AlmostSolved", "InsufficientProgress")

Spend = Float[np.ndarray, "channel column"]


def nearest_with_change(cells: Cells, wish: Spend, scale: Spend) -> Spend:
    """The spend within the limits that is nearest to a wish.

    Args:
        cells: Limits that can be met, those of change among them.
        wish: Any amounts.
        scale: How readily each cell moves; above zero.

    Raises:
        PlanError: The solver found none, as where no spend keeps to the limits.
    """
    import clarabel
    from scipy.sparse import diags

    unit = cells.budget / wish.size
    booked = cells.low == cells.high
    left, right, n_exact = _limits(cells, booked, unit)
    weight = (scale.mean() / scale).ravel()
    goal = np.where(booked, cells.low, wish).ravel() / unit
    cones = [clarabel.ZeroConeT(n_exact)] if n_exact else []
    cones.append(clarabel.NonnegativeConeT(len(right) - n_exact))
    solver = clarabel.DefaultSolver(
        diags(weight, format="csc"), -weight * goal, left, right, cones, _settings()
    )
    found = solver.solve()
    if str(found.status) not in _DONE:
        raise PlanError(
            "No plan of weeks was found within the limits of change.",
            hint="Loosen the largest change from week to week.",
            where="change",
        )
    spend = np.array(found.x).reshape(wish.shape) * unit
    return np.clip(spend, cells.low, cells.high)


@lru_cache(maxsize=1)
def _settings() -> Any:
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _EXACT
    return settings


def _limits(
    cells: Cells, booked: Bool[np.ndarray, "channel column"], unit: float
) -> tuple[Any, np.ndarray, int]:
    """A, b and the number of rows that hold exactly, which come first."""
    from scipy.sparse import csc_array, eye_array, kron, vstack

    n, width = booked.shape
    each = eye_array(n * width, format="csr")
    rows, columns = np.ones((1, n * width)), np.isfinite(cells.column_most)
    by_channel = kron(eye_array(n), np.ones((1, width)), format="csr")
    by_column = kron(np.ones((1, n)), eye_array(width), format="csr")[columns]
    up, down, room = _changes(cells)
    exact, exactly = [each[booked.ravel()]], [cells.low[booked]]
    if not cells.spare:
        exact, exactly = [*exact, csc_array(rows)], [*exactly, [cells.budget]]
    free = ~booked.ravel()
    most = [
        (each[free], cells.high[~booked]),
        (-each[free], -cells.low[~booked]),
        (up, room),
        (down, room),
        (by_channel, cells.most),
        (-by_channel, -cells.least),
        (by_column, cells.column_most[columns]),
    ]
    if cells.spare:
        most += [
            (csc_array(rows), np.array([cells.budget])),
            (csc_array(-rows), np.array([cells.spare - cells.budget])),
        ]
    left = vstack([*exact, *[part for part, _ in most]], format="csr")
    right = np.concatenate([*exactly, *[limit for _, limit in most]]) / unit
    n_exact = sum(len(limit) for limit in exactly)
    right[n_exact:] += _GIVES
    has = np.isfinite(right)
    return left[has].tocsc(), right[has], n_exact


def _changes(cells: Cells) -> tuple[Any, Any, np.ndarray]:
    """Rows of the changes that have a limit, upwards and downwards, and their room."""
    from scipy.sparse import csr_array

    n, width = cells.low.shape
    places = np.arange(n * width).reshape(n, width)
    room = cells.change.room
    limited = np.isfinite(room)
    before, now = places[:, :-1][limited], places[:, 1:][limited]
    row, one = np.arange(len(now)), np.ones(len(now))
    shape = (len(now), n * width)

    def rows(multiple: np.ndarray) -> csr_array:
        of_before = np.broadcast_to(multiple, room.shape)[limited]
        values = np.concatenate([one, -of_before])
        at = (np.concatenate([row, row]), np.concatenate([now, before]))
        return csr_array((values, at), shape=shape)

    return rows(cells.change.rise), -rows(cells.change.fall), room[limited]
