r"""Projection: the spend within the limits that is nearest to a target.

    min_x  sum_ct (x_ct - y_ct)^2 / s_ct    within `core.plan.limits.cells`

Its dual has one price per limit, and x_ct = clip(y_ct - s_ct price_ct, low, high): the
price of a cell is that of the budget, of its channel and of its column together.
Without limits of columns one search after the other finds the prices exactly
(`row_prices`), limits of change from one column to the next included; with them the
prices of columns and the others are found in turn. Where both kinds bind, or a joint
limit of other cells does, it is an interior-point method's (`nearest_by_program`).
"""

from functools import lru_cache, partial
from typing import Any

import numpy as np

from core.errors import PlanError
from core.plan.limits.cells import Cells
from core.plan.limits.polytope import Polytope
from core.plan.solve.weeks.row_prices import Prices, RowPrices, Spend, at_prices, newton

#: What limits may give way by, so that those with a single plan have an interior.
_GIVES = 1e-7
#: Residual at which it ends.
_CONVERGED = 1e-9
_DONE = ("Solved", "AlmostSolved", "InsufficientProgress")

_ROUNDS = 80
_EXACT = 1e-12
#: Share of the budget by which a joint limit may seem broken.
_JOINT = 1e-9


def nearest(cells: Cells, target: Spend, scale: Spend) -> Spend:
    """The spend within the limits that is nearest to a target.

    Args:
        cells: Limits that can be met.
        target: Any amounts.
        scale: How readily each cell moves; above zero.
    """
    return Projection(cells, scale)(target)


class Projection:
    """Spend within limits nearest to a target; the next one begins where it was.

    Attributes:
        cells: Limits that can be met.
        scale: How readily each cell moves; above zero.
    """

    def __init__(self, cells: Cells, scale: Spend):
        self.cells, self.scale = cells, scale
        self._at_prices = RowPrices(cells, scale)
        self._price = np.zeros(len(scale))

    def __call__(self, target: Spend, step: float = 1.0) -> Spend:
        """The nearest spend.

        Args:
            target: Any amounts.
            step: How far the target is; prices grow with it.
        """
        cells, scale = self.cells, self.scale
        # A price is per step: those of the last projection serve this one, at its
        # length.
        column_price, row_price = np.zeros(target.shape[1]), self._price * step
        for _ in range(_ROUNDS):
            moved = target - scale * column_price
            spend, row_price = self._at_prices(moved, row_price)
            if (spend.sum(axis=0) - cells.column_most).max() <= 1e-7 * cells.budget:
                break
            if cells.change is not None:
                return nearest_by_program(cells, target, scale)
            free = target - scale * row_price[:, None]
            column_price = _column_prices(cells, free, scale, column_price)
        self._price = row_price / step
        if cells.joint is not None and not _keeps(cells, spend):
            return nearest_by_program(cells, target, scale)
        return spend


def _keeps(cells: Cells, spend: Spend) -> bool:
    """Whether joint limits hold."""
    joint, slack = cells.joint, _JOINT * cells.budget
    spent = joint.weight * spend.ravel()[joint.cell]
    sums = np.bincount(joint.row, spent, minlength=joint.n)
    return bool(((sums >= joint.least - slack) & (sums <= joint.most + slack)).all())


def _column_prices(cells: Cells, target: Spend, scale: Spend, start: Prices) -> Prices:
    """Price of each column, at least zero."""
    at = partial(at_prices, cells, target, scale, axis=0)
    totals = at(np.zeros(target.shape[1])).total
    is_over = totals > cells.column_most
    goal = np.where(is_over, cells.column_most, totals)
    ends = 0.0, max(float(((target - cells.low) / scale).max()), 0.0)
    tolerance = _EXACT * cells.budget
    price = newton(at, goal, ends, tolerance, at(np.clip(start, *ends))).price
    return np.where(is_over, np.maximum(price, 0.0), 0.0)


def nearest_by_program(cells: Cells, target: Spend, scale: Spend) -> Spend:
    r"""The spend within the limits that is nearest to a request, by Clarabel.

        min_x  sum_ct (x_ct - y_ct)^2 / 2 s_ct    A x + slack = b,  slack >= 0

    The rows of A are those of the limits' polytope, and its ranges. Amounts are in
    units of an average cell.

    Args:
        cells: Limits that can be met.
        target: Any amounts.
        scale: How readily each cell moves; above zero.

    Raises:
        PlanError: The solver found none, as where no spend keeps to the limits.
    """
    import clarabel
    from scipy.sparse import diags

    # An average cell is one, as Clarabel's tolerances are absolute.
    unit = cells.budget / target.size
    left, right, n_exact = _one_sided(cells.polytope.over(unit))
    weight = (scale.mean() / scale).ravel()
    goal = np.where(cells.low == cells.high, cells.low, target).ravel() / unit
    cones = [clarabel.ZeroConeT(n_exact)] if n_exact else []
    cones.append(clarabel.NonnegativeConeT(len(right) - n_exact))
    solver = clarabel.DefaultSolver(
        diags(weight, format="csc"), -weight * goal, left, right, cones, _settings()
    )
    solution = solver.solve()
    if str(solution.status) not in _DONE:
        raise PlanError(
            "No plan of weeks was found within these limits.",
            hint="Loosen the largest change from week to week, or a joint limit.",
            where="weeks",
        )
    spend = np.array(solution.x).reshape(target.shape) * unit
    # Limits gave way by a little, to have an interior.
    return np.clip(spend, cells.low, cells.high)


@lru_cache(maxsize=1)
def _settings() -> Any:
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _CONVERGED
    return settings


def _one_sided(limits: Polytope) -> tuple[Any, np.ndarray, int]:
    """A, b and the number of rows that hold exactly, which come first."""
    from scipy.sparse import eye_array, vstack

    joint, each = limits.rows, eye_array(len(limits.low), format="csr")
    is_booked, is_exact = limits.low == limits.high, joint.least == joint.most
    sides = [
        (limits.sparse[~is_exact], joint.least[~is_exact], joint.most[~is_exact]),
        (each[~is_booked], limits.low[~is_booked], limits.high[~is_booked]),
    ]
    parts = [(each[is_booked], limits.low[is_booked])]
    parts += [(limits.sparse[is_exact], joint.most[is_exact])]
    n_exact = sum(len(ends) for _, ends in parts)
    for matrix, least, most in sides:
        parts += [(matrix, most + _GIVES), (-matrix, _GIVES - least)]
    left = vstack([matrix for matrix, _ in parts], format="csr")
    right = np.concatenate([ends for _, ends in parts])
    has = np.isfinite(right)
    return left[has].tocsc(), right[has], n_exact
