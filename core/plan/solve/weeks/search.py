r"""Search: the best plan of weeks within limits, and a bound on every one.

The objective is climbed from several starts, among them the best plan with last year's
pattern, and bounded by the maximum of its concave ceiling:

    bound = U(x) + max_y  dU/dx (y - x)    for a ceiling U, at its highest point x

A quantile and odds have no concave ceiling: see `quantile`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.plan.limits.cells import Cells
from core.plan.limits.cents import step
from core.plan.response.horizon import WeekResponse
from core.plan.response.weeks import outcomes
from core.plan.response.worth import Worth
from core.plan.scenario.measure import Measure, tail_weights
from core.plan.solve.rounding import cells_in_whole_steps
from core.plan.solve.weeks.bound import bounded
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.on_off import around, best_choice, nearest_allowed
from core.plan.solve.weeks.projected_gradient import climb
from core.plan.solve.weeks.projection import Spend
from core.plan.solve.weeks.quantile import ORDERED, draws_bound, near, sharpened
from core.plan.solve.weeks.starts import Starts, best_of, pulses, starts

#: About how many draws a coarse ascent takes.
_FEW = 50
#: Gap to the bound below which no more starts are tried.
_CLOSE = 1e-3
#: Evaluations of an ascent: from another start, of few draws, at the end; and the
#: growth of ten steps at which it ends.
_SHORT, _LONG, _LAST, _FLAT = 25, 60, 60, 1e-6
#: Evaluations in double precision with which ascents end.
_EXACT = 10


Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Search:
    """What a search found.

    Attributes:
        spend: The plan, in whole cents.
        starts: Plans to compare with.
        bound: No plan within the limits has an objective above this.
    """

    spend: Spend
    starts: Starts
    bound: float


def ranks(measure: Measure, n: int) -> np.ndarray:
    """Weights of the draws from worst to best."""
    if measure.kind in ("mean", "reach"):
        return np.full(n, 1 / n)
    if measure.kind == "quantile":
        return near(measure.level, n)
    return tail_weights(n, measure.level)


def search(
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    cells: Cells,
    measure: Measure,
    tell: Report = lambda *_: None,
    worth: Worth | None = None,
) -> Search:
    """The best plan found within limits, and a bound on every one.

    Args:
        response: That of the weeks.
        draws: Joint posterior draws.
        cells: Limits that can be met.
        measure: What is made large.
        tell: Takes what is being done, and how far it is.
        worth: What outcome and money of each week count for; None for one.
    """
    n = len(next(iter(draws.values())))
    objective = Objective(response, draws, ranks(measure, n), worth)
    some = {name: by_draw[:: max(1, n // _FEW)] for name, by_draw in draws.items()}
    few = len(next(iter(some.values())))
    coarse = Objective(response, some, ranks(measure, few), worth)
    of_mean = coarse
    if np.ptp(ranks(measure, few)):
        of_mean = Objective(response, some, np.full(few, 1 / few), worth)
    exact = _measured(response, draws, measure, worth)
    several = objective, coarse, of_mean
    best, begin, bound = _searched(several, exact, cells.relaxed, response, tell)
    plans, is_allowed = [best, *begin], np.ones(1 + len(begin), bool)
    if not cells.is_whole:
        tell("pausing", 0.8)
        near = [nearest_allowed(cells, plan) for plan in begin]
        is_allowed[1:] = [plan is not None for plan in near]
        plans = [best_choice(coarse, cells, best)] + [
            plan if near_plan is None else near_plan
            for plan, near_plan in zip(begin, near, strict=True)
        ]
        limits = around(cells, plans[0])
        plans[0] = climb(objective, limits, plans[0], most=_LAST, tolerance=_FLAT).spend
    if measure.kind in ORDERED:
        plans[0] = sharpened(objective, around(cells, plans[0]), plans[0], measure)
        tell("bounding", 0.85)
        bound = draws_bound(objective, cells.relaxed, plans[0], measure)
    limits = [around(cells, plan) for plan in plans]
    if measure.kind not in ORDERED:
        plans[0] = climb(objective.exact, limits[0], plans[0], most=_EXACT).spend
    size = float(step(cells.budget))
    whole = [
        cells_in_whole_steps(*each, size) for each in zip(limits, plans, strict=True)
    ]
    allowed = [plan for plan, may in zip(whole, is_allowed, strict=True) if may]
    spend, value, _ = best_of(allowed, exact)
    return Search(spend, Starts(*whole[1:]), max(bound, value))


def _measured(
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    measure: Measure,
    worth: Worth | None,
) -> Callable[[Spend], float]:
    """Gives the measure of what a plan brings, as it is reported."""
    none = outcomes(response, draws, np.zeros_like(response.usual))

    def exact(spend: Spend) -> float:
        gains = outcomes(response, draws, spend) - none
        if worth is not None:
            return float(measure.of(worth.of(gains, spend)))
        return float(measure.of(gains.sum(axis=(1, 2))))

    return exact


def _searched(
    several: tuple[Objective, Objective, Objective],
    exact: Callable[[Spend], float],
    cells: Cells,
    response: WeekResponse,
    tell: Report,
) -> tuple[Spend, Starts, float]:
    """The best plan within convex limits, plans to compare with, and the bound.

    Args:
        several: What is climbed, that of few draws, and the mean of these.
        exact: What is made large, which no ascent follows where it is a quantile.
        cells: Convex limits.
        response: That of the weeks.
        tell: Takes what is being done, and how far it is.
    """
    objective, coarse, of_mean = several
    tell("compiling", 0.1)
    begin = starts(objective, cells, response.usual)
    tell("climbing", 0.3)
    first, _, _ = best_of(list(begin), lambda spend: objective(spend)[0])
    near = climb(coarse, cells, first, most=_LONG, tolerance=_FLAT)
    best = climb(objective, cells, near.spend, most=_LAST, tolerance=_FLAT)
    tell("bounding", 0.5)
    top, bound = bounded(objective, cells, best.spend)
    tell("climbing", 0.7)
    if bound - best.value > _CLOSE * abs(bound):
        others = [_elsewhere(coarse, cells, best.spend, top)]
        if of_mean is not coarse:
            # Some draws have tops of their own: no plan for them is to lose to that
            # for the mean.
            others.append(climb(of_mean, cells, best.spend, most=_LONG).spend)
        ends = [best.spend, *others[1:]]
        for other in others:
            end = climb(objective, cells, other, most=_LAST, tolerance=_FLAT)
            ends.append(end.spend)
        return best_of(ends, exact)[0], begin, bound
    return best.spend, begin, bound


def _elsewhere(coarse: Objective, cells: Cells, spend: Spend, other: Spend) -> Spend:
    """The best place that short ascents from other starts end at, or where it was."""
    best, value = spend, coarse(spend)[0]
    for start in (other, *pulses(cells, spend)):
        tried = climb(coarse, cells, start, most=_SHORT)
        if tried.value > value:
            best, value = tried.spend, tried.value
    return best
