r"""Bound of a plan of weeks: the tangent of its concave ceiling, at the highest point.

    bound = U(x) + max_y  dU/dx (y - x)    for a ceiling U, and every x

The best y is that of a linear program over the limits, as in conditional gradient; the
higher x lies, the lower the bound.
"""

import numpy as np
from jaxtyping import Float

from core.plan.limits.cells import Cells
from core.plan.limits.program import cheapest
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.projected_gradient import climb

Spend = Float[np.ndarray, "channel column"]

#: Evaluations of an ascent in single and in double precision, and the growth of ten
#: steps at which it ends.
_LONG, _EXACT, _FLAT = 60, 10, 1e-6


def bounded(objective: Objective, cells: Cells, start: Spend) -> tuple[Spend, float]:
    """Where the ceiling is highest, and the bound found there."""
    objective.bend(cells.low, cells.high)
    near = climb(objective.near_ceiling, cells, start, most=_LONG, tolerance=_FLAT)
    top = climb(objective.ceiling, cells, near.spend, most=_EXACT).spend
    return top, bound_at(top, objective, cells)


def bound_at(spend: Spend, objective: Objective, cells: Cells) -> float:
    """The most that the ceiling's tangent at a spend reaches within the limits."""
    value, slope = objective.ceiling(spend)
    farthest = best_linear(cells, slope)
    rise = float((slope * (farthest - spend)).sum())
    return value + max(rise, 0.0) + 1e-9 * abs(value)


def best_linear(cells: Cells, slope: Spend) -> Spend:
    """Spend within the limits with the largest sum of slope times spend."""
    scale = float(np.abs(slope).max()) or 1.0
    unit = max(cells.budget, 1e-9)
    solved = cheapest(cells.polytope, -slope.ravel() / scale, unit=unit)
    return solved.spend.reshape(slope.shape)
