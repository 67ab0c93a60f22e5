r"""Projection onto limits of any rows: a quadratic program, by Clarabel.

    min_x  sum_ct (x_ct - y_ct)^2 / 2 s_ct    A x + slack = b,  slack >= 0

The rows of A are those of the limits' polytope, and its ranges. Amounts are in units of
an average cell. Clarabel and SciPy are imported where they solve, as in
`core.plan.limits.program`.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from core.errors import PlanError
from core.plan.limits.cells import Cells
from core.plan.limits.polytope import Polytope

#: What limits may give way by, so that those with a single plan have an interior.
_GIVES = 1e-7
#: Residual at which it ends.
_EXACT = 1e-9
_DONE = ("Solved", "AlmostSolved", "InsufficientProgress")

Spend = Float[np.ndarray, "channel column"]


def nearest_by_program(cells: Cells, target: Spend, scale: Spend) -> Spend:
    """The spend within the limits that is nearest to a request.

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
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _EXACT
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
