"""Mean: the best split on one curve per channel, by the solver that serves.

A mean of draws, however weighted, is one curve per channel. Where only a fixed budget
joins channels its dual has one price, and bisection finds it; joint limits, a budget
with a range, minimums when on and steps take branch and price.
"""

from core.plan.limits.polytope import Polytope
from core.plan.response.curves import ResponseCurves
from core.plan.solve.bisection import Optimum, best_split
from core.plan.solve.branch_and_price import best_joint_split


def best_in(
    curves: ResponseCurves,
    domain: Polytope,
    *,
    most_boxes: int = 60,
    tolerance: float = 0.0,
    known: Optimum | None = None,
) -> Optimum:
    """The best split of a domain on the curves' only draw.

    Args:
        curves: One draw.
        domain: Limits that can be met.
        most_boxes: Parts to examine before the bound is taken as it is.
        tolerance: Share of the bound by which a part's split may fall short of it; as
            little as can be told where none is given.
        known: The best of another draw in the same domain, to begin from.
    """
    if not domain.is_simple:
        options = {"tolerance": tolerance, "known": known}
        return best_joint_split(curves, domain, most_boxes=most_boxes, **options)
    boxes = 6 * most_boxes if most_boxes > 1 else 1  # each takes a fraction of the time
    limits = domain.low, domain.high, domain.budgets[0]
    return best_split(curves, *limits, most_boxes=boxes)
