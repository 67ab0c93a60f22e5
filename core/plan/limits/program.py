r"""Linear programs over a polytope, and the one that is elastic.

    min_x,g  cost' x + g     within the limits, one of which gives way by g >= 0

The cheapest spend, the range of the budget, and the least by which a limit has to give
way. Where cells may be off or are bought in steps, whether each is on, and its steps,
are integers. Limits can be met where there is a solution; where there is none, the
elastic one says what would do (`core.plan.limits.faults`).

SciPy is imported where a program is solved: it is 24 MB, which the web process does
without as long as none is.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.limits.polytope import Polytope

#: Most that a limit gives way and steps of a cell, and slack of a closed form.
_MOST, _STEPS, _SLACK = 1e4, 1e9, 1e-6
#: SciPy's status for a program that ended in an error.
_FAILED = 4


class Give(NamedTuple):
    """A limit that gives way, up where it is a maximum, down where it is a minimum.

    Attributes:
        is_up: Which.
        rows: Share of it by which rows' limits move; None for none.
        cells: The same of cells.
    """

    is_up: bool
    rows: Float[np.ndarray, " row"] | None = None
    cells: Float[np.ndarray, " cell"] | None = None


class Solved(NamedTuple):
    """The cheapest spend, and by how much the limit gave way."""

    spend: Float[np.ndarray, " cell"]
    give: float


def can_be_met(limits: Polytope) -> bool:
    """Whether a spend keeps to every limit."""
    return cheapest(limits, np.zeros(len(limits.low))) is not None


def cheapest(
    limits: Polytope,
    cost: Float[np.ndarray, " cell"],
    give: Give | None = None,
    *,
    unit: float | None = None,
    is_integer: bool = False,
) -> Solved | None:
    """The spend with the least cost; None where the limits have none.

    Args:
        limits: A polytope.
        cost: Per unit.
        give: What may give way, at a cost of one; None where nothing may.
        unit: Currency that the program counts in; a large limit where none is given.
        is_integer: Whether cells spend whole units.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n, size = len(limits.low), _unit(limits) if unit is None else unit
    limits = limits.over(size)
    low, high, integer = limits.low, limits.high, np.full(n, is_integer)
    matrix, least, most = _giving(limits, give)
    if not limits.is_whole or (give is not None and give.cells is not None):
        low, high, integer = _parts(limits)
        matrix, least, most = _with_parts(limits, give, (matrix, least, most))
    if give is not None:
        low, high = np.append(low, 0.0), np.append(high, _MOST)
        integer = np.append(integer, False)
    costs = np.zeros(len(low))
    costs[:n] = cost
    # The last column is what gives way; without one there may be no column at all.
    costs[n:][-1:] = give is not None
    constraints = LinearConstraint(matrix, least, most)
    solved = _solved(milp, costs, Bounds(low, high), constraints, integer)
    if solved is None:
        return None
    if integer[n:].any():  # a millionth of being on is money: once more, all of it
        low[integer] = high[integer] = np.round(solved[integer])
        again = _solved(milp, costs, Bounds(low, high), constraints, integer & False)
        solved = solved if again is None else again
    return Solved(solved[:n] * size, float(solved[-1] * size))


def _solved(
    milp: Any, costs: np.ndarray, bounds: Any, constraints: Any, integer: np.ndarray
) -> np.ndarray | None:
    """The solution of a program; again without presolve where HiGHS failed in it."""
    for presolve in (True, False):
        solved = milp(
            costs,
            integrality=integer.astype(int),
            bounds=bounds,
            constraints=constraints,
            options={"presolve": presolve},
        )
        if solved.status != _FAILED:
            break
    return solved.x


def _unit(limits: Polytope) -> float:
    """An amount as large as the limits: the budget's, or that of the dearest cell."""
    ends = np.concatenate([limits.high, limits.rows.least[:1], limits.rows.most[:1]])
    return float(max(ends[np.isfinite(ends)].max(initial=0.0), 1e-6))


def _giving(limits: Polytope, give: Give | None) -> tuple[Any, np.ndarray, np.ndarray]:
    """The rows, with a column by which one gives way."""
    from scipy.sparse import csr_array, hstack

    joint = limits.rows
    if give is None:
        return limits.sparse, joint.least, joint.most
    gives = np.zeros((joint.n, 1)) if give.rows is None else give.rows[:, None]
    gives = -gives if give.is_up else gives
    return hstack([limits.sparse, csr_array(gives)]).tocsr(), joint.least, joint.most


def _parts(limits: Polytope) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounds of spend, of whether a cell is on, of its steps; and which are whole."""
    n = len(limits.low)
    low = np.concatenate([np.zeros(n), ~limits.off, np.zeros(n)])
    stepped = limits.step > 0
    high = np.concatenate([np.full(n, np.inf), np.ones(n), _STEPS * stepped])
    return low, high, np.concatenate([np.zeros(n, dtype=bool), limits.off, stepped])


def _with_parts(
    limits: Polytope, give: Give | None, joint: tuple[Any, np.ndarray, np.ndarray]
) -> tuple[Any, np.ndarray, np.ndarray]:
    """The rows, and those of cells: low on <= spend <= high on, spend = step steps.

    A maximum that gives way is no spend of a cell that is off: spend <= budget on too.
    """
    from scipy.sparse import csr_array, diags_array, eye_array, hstack, vstack

    matrix, least, most = joint
    n = len(limits.low)
    moves = np.zeros(n) if give is None or give.cells is None else give.cells
    is_up = give is not None and give.is_up
    each, far, none = eye_array(n, format="csr"), np.full(n, np.inf), np.zeros(n)
    all_of_it = limits.budgets[1] if np.isfinite(limits.budgets[1]) else _MOST

    def of_cells(on: np.ndarray, steps: np.ndarray, gives: np.ndarray) -> Any:
        parts = [each, -diags_array(on), -diags_array(steps)]
        last = [] if give is None else [csr_array(gives[:, None])]
        return hstack([*parts, *last], format="csr")

    blocks = [
        (
            hstack([matrix[:, :n], csr_array((len(least), 2 * n)), matrix[:, n:]]),
            joint[1:],
        ),
        (of_cells(limits.high, none, -moves * is_up), (-far, none)),
        (of_cells(none + all_of_it, none, none), (-far, none)),
        (of_cells(limits.low, none, moves * (not is_up)), (none, far)),
        (of_cells(none, limits.step, none), (none, none)),
    ]
    mask = np.concatenate([np.ones(len(least) + 3 * n, dtype=bool), limits.step > 0])
    least, most = (
        np.concatenate([ends[side] for _, ends in blocks]) for side in (0, 1)
    )
    stacked = vstack([part for part, _ in blocks], format="csr")
    return stacked[mask], least[mask], most[mask]


def total_range(limits: Polytope) -> tuple[float, float] | None:
    """Least and most total spend, whatever the budget; None if limits contradict.

    Where rows join cells that no other row does, no program is needed: the web process
    asks this at every change.
    """
    limits = limits.with_budget(-np.inf, np.inf).reduced()
    if limits.is_separable:
        return _range_of_parts(limits)
    ends = []
    for sign in (1.0, -1.0):
        solved = cheapest(limits, np.full(len(limits.low), sign))
        if solved is None:
            return None
        ends.append(float(solved.spend.sum()))
    return ends[0], ends[1]


def _range_of_parts(limits: Polytope) -> tuple[float, float] | None:
    """`total_range` where rows share no cell."""
    joint = limits.rows
    inner = joint.row > 0
    least, most = (
        np.bincount(joint.row[inner], side[joint.cell[inner]], minlength=joint.n) + 0.0
        for side in (limits.low, limits.high)
    )
    alone = np.ones(len(limits.low), dtype=bool)
    alone[joint.cell[inner]] = False
    least[1:] = np.maximum(least[1:], joint.least[1:])
    most[1:] = np.minimum(most[1:], joint.most[1:])
    least[0], most[0] = limits.low[alone].sum(), limits.high[alone].sum()
    if (limits.low > limits.high).any() or (least > most + _SLACK).any():
        return None
    return float(least.sum()), float(np.maximum(most, least).sum())
