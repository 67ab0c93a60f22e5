r"""Quantile and odds of a plan of weeks: sharpened ascents, and a bound by draws.

A quantile is climbed as a weighted sum of the draws near it, with weights that get
narrower; odds of a goal as the quantile at which the goal lies now. Neither is concave,
so each draw is bounded alone: with U_d its concave ceiling,

    bound = quantile of max_x U_d(x),  or  share of draws with max_x U_d(x) >= goal

Only draws that can move the bound are bounded: those from the worst on, until the next
one already brings more than the bound; for odds those that miss the goal.
"""

import numpy as np

from core.plan.limits.cells import Cells
from core.plan.scenario.measure import Measure
from core.plan.solve.weeks.bound import bound_at
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.projected_gradient import climb
from core.plan.solve.weeks.projection import Spend

#: Kinds of measure that are of the order of draws alone.
ORDERED = ("quantile", "reach")
#: Widths of the weights around a quantile, as shares of the draws: first and then.
_FIRST, _WIDTHS = 0.1, (0.05, 0.03, 0.015, 0.008)
#: Evaluations of an ascent at each width, and from the plan to a draw's own best.
_EACH, _OWN = 25, 12


def near(level: float, n_draws: int, width: float = _FIRST) -> np.ndarray:
    """Weights of the draws from worst to best, around a quantile."""
    place = (np.arange(n_draws) + 0.5) / n_draws
    weight = np.exp(-0.5 * ((place - level) / width) ** 2)
    return weight / weight.sum()


def sharpened(
    objective: Objective, cells: Cells, plan: Spend, measure: Measure
) -> Spend:
    """The best plan that ascents of narrower weights lead to, one after the other.

    Args:
        objective: Value and gradient, of any weights.
        cells: Convex limits.
        plan: Where to begin.
        measure: A quantile, or odds.
    """
    n = len(objective.others)
    best, draws = plan, objective.by_draw(plan)
    for width in _WIDTHS:
        level = float(np.clip(measure.share(draws), 0.5 / n, 1 - 0.5 / n))
        weighted = objective.ranked_by(near(level, n, width))
        tried = climb(weighted, cells, best, most=_EACH, tolerance=1e-6).spend
        reached = objective.by_draw(tried)
        if _rank(measure, reached) > _rank(measure, draws):
            best, draws = tried, reached
    return best


def _rank(measure: Measure, draws: np.ndarray) -> tuple[float, float]:
    """What makes a plan better; of equal odds, the larger mean."""
    return float(measure.of(draws)), float(draws.mean())


def draws_bound(
    objective: Objective, cells: Cells, plan: Spend, measure: Measure
) -> float:
    """No plan within convex limits has a higher quantile, or better odds.

    Args:
        objective: Whose ceilings are those between the limits (`bend`).
        cells: Convex limits.
        plan: Where ascents of single draws begin.
        measure: A quantile, or odds.
    """
    draws = objective.by_draw(plan)
    bounds = np.full(len(draws), np.inf)
    order = np.argsort(draws)
    last = int(measure.level * (len(draws) - 1)) + 1  # the upper of the two it is of
    for count, place in enumerate(order):
        if measure.kind == "reach" and draws[place] >= measure.level:
            break
        if measure.kind == "quantile" and count > last:
            # Every draw left brings more at the plan itself than the one that decides
            # ever can.
            if np.partition(bounds, last)[last] <= draws[place]:
                break
        bounds[place] = _of_one(objective.of_draw(int(place)), cells, plan)
    return float(measure.of(bounds))


def _of_one(objective: Objective, cells: Cells, plan: Spend) -> float:
    """The most that one draw can bring."""
    top = climb(objective.near_ceiling, cells, plan, most=_OWN, tolerance=1e-5).spend
    return bound_at(top, objective, cells)
