"""Dispatch: the best split for a scenario and objective, in cents, with its bound.

Solvers take limits, curves and an objective and return a spend and a bound; which one
serves which objective is decided here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.errors import PlanError
from core.plan.limits.cents import apportion, in_money, in_steps, limits_in_steps, step
from core.plan.limits.polytope import Polytope
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.measure import Measure
from core.plan.scenario.scenario import Scenario
from core.plan.solve.bisection import Optimum
from core.plan.solve.branch_and_price import best_in
from core.plan.solve.conditional_gradient import climbed_split
from core.plan.solve.cutting_planes import cautious_split
from core.plan.solve.draws_bound import draws_bound
from core.plan.solve.per_draw import OwnPlans, own_plans
from core.plan.solve.rounding import in_whole_steps

#: How the bound was found, by kind of objective.
METHODS = {
    "mean": "Lagrangian dual of the mean outcome, with branch and bound",
    "quantile": "quantile of the draws' Lagrangian duals, with branch and bound",
    "reach": "share of draws whose Lagrangian dual reaches it, with branch and bound",
    "cvar": "Lagrangian dual of the mean of draws that is hardest to beat",
}


class Effort(NamedTuple):
    """How long to search for what is not a mean.

    Attributes:
        boxes: Parts of S-shaped problems to examine.
        boxes_of_start: The same where the mean is only a start.
        cuts: Most cuts of a CVaR.
        rounds: Most steps of a climb at each width.
        starts: Whether to climb from more than the best plan of the mean.
        close: Gap of a CVaR to its bound that is small enough.
    """

    boxes: int = 60
    boxes_of_start: int = 60
    cuts: int = 60
    rounds: int = 5
    starts: bool = True
    close: float = 1e-4


FULL = Effort()


class Problem(NamedTuple):
    """What a solver takes.

    Attributes:
        curves: All draws.
        domain: Limits that can be met.
        measure: What is to be large.
        mean: The best split of the mean.
        effort: How long to search.
        own: Each draw's own best split, for a bound; None for none.
    """

    curves: ResponseCurves
    domain: Polytope
    measure: Measure
    mean: Optimum
    effort: Effort
    own: OwnPlans | None


class Solution(NamedTuple):
    """What a solver returns.

    Attributes:
        spend: Currency, not rounded.
        bound: No split of the domain has an objective above this.
    """

    spend: Float[np.ndarray, " channel"]
    bound: float


class Best(NamedTuple):
    """The best split found.

    Attributes:
        spend: Currency, in whole cents.
        bound: No split of the domain has an objective above this.
        method: How that was found.
        domain: The splits that were allowed.
        own: Each draw's own best split.
    """

    spend: Float[np.ndarray, " channel"]
    bound: float
    method: str
    domain: Polytope
    own: OwnPlans


def best_plan(curves: ResponseCurves, scenario: Scenario, measure: Measure) -> Best:
    """The best split of a fixed budget.

    Args:
        curves: All draws.
        scenario: One that can be met, its budget known.
        measure: The scenario's objective.
    """
    size = step(scenario.budget)
    # In whole steps before it is solved, so that the bound is on what can be bought.
    floors, ceilings = limits_in_steps(*scenario.ranges(curves.names), size)
    total = float(in_steps(scenario.budget, size) * size)
    domain = scenario.domain(curves.names).with_budget(total, total)
    low, high = in_money(floors, size), in_money(ceilings, size)
    return best_within(curves, replace(domain, low=low, high=high), measure)


def best_within(
    curves: ResponseCurves, domain: Polytope, measure: Measure, effort: Effort = FULL
) -> Best:
    """The best split of a domain, by the solver that serves its objective.

    Args:
        curves: All draws.
        domain: Limits that can be met, in whole cents; the budget is fixed.
        measure: What is to be large.
        effort: How long to search.

    Raises:
        PlanError: No split in whole cents keeps to the limits.
    """
    boxes = effort.boxes if measure.kind == "mean" else effort.boxes_of_start
    mean = best_in(curves.mean(), domain, most_boxes=boxes)
    ends = domain.floor, domain.high, domain.budgets[0]
    own = own_plans(curves, *ends, curves.spend, groups=mean.groups)
    spend, bound = measured_split(curves, domain, measure, mean, effort, own=own)
    whole = whole_cents(spend, domain)
    if whole is None:
        raise PlanError(
            "No split in whole cents keeps to all limits.",
            hint="Widen one of the limits by a cent.",
            where="limits",
        )
    return Best(whole, bound, METHODS[measure.kind], domain, own)


def whole_cents(
    spend: Float[np.ndarray, " channel"], domain: Polytope
) -> Float[np.ndarray, " channel"] | None:
    """A split of the domain in whole cents; None where rounding keeps to no limit.

    Args:
        spend: Within the limits, currency.
        domain: Its limits and its budget, which is fixed, are in whole cents.
    """
    budget = domain.budgets[0]
    size = step(budget)
    if not domain.is_simple:
        return in_whole_steps(spend, domain, float(size))
    floors, ceilings = limits_in_steps(domain.low, domain.high, size)
    total = in_steps(budget, size)
    return in_money(apportion(spend, floors, ceilings, total, size), size)


def measured_split(
    curves: ResponseCurves,
    domain: Polytope,
    measure: Measure,
    mean: Optimum,
    effort: Effort = FULL,
    *,
    own: OwnPlans | None = None,
) -> Solution:
    """The split with the best measure that was found, and the bound on any.

    Args:
        curves: All draws.
        domain: Limits that can be met.
        measure: What is to be large.
        mean: The best split of the mean.
        effort: How long to search.
        own: Each draw's own best split; None where no bound on odds and quantiles is
            asked for, which is then infinite.
    """
    problem = Problem(curves, domain, measure, mean, effort, own)
    return SOLVERS[measure.kind](problem)


def _of_mean(problem: Problem) -> Solution:
    """A mean is solved already: by bisection, or by branch and price."""
    return Solution(problem.mean.spend, problem.mean.bound)


def _by_cutting_planes(problem: Problem) -> Solution:
    """A CVaR is the least of many means."""
    curves, domain, measure, mean, effort, _ = problem
    search = {"rounds": effort.cuts, "close": effort.close}
    return Solution(*cautious_split(curves, domain, measure, mean.spend, **search))


def _by_conditional_gradient(problem: Problem) -> Solution:
    """No curve per channel stands for a quantile or odds: the draws bound them."""
    curves, domain, measure, mean, effort, own = problem
    starts = [mean.spend]
    # Draws split on their own regardless of joint limits, which their mean may break.
    if own is not None and domain.is_simple and effort.starts:
        starts.append(own.spend.mean(axis=0))
    spend = climbed(curves, domain, measure, tuple(starts), effort)
    if own is None:
        return Solution(spend, np.inf)
    bound = draws_bound(
        curves,
        (domain.floor, domain.high),
        domain.budgets[0],
        own.price,
        measure=measure,
        reached=float(measure.of(curves.outcome(spend).sum(axis=1))),
        groups=mean.groups,
    )
    return Solution(spend, bound)


#: Which solver serves an objective; of the two for a mean, see `best_in`.
SOLVERS: dict[str, Callable[[Problem], Solution]] = {
    "mean": _of_mean,
    "cvar": _by_cutting_planes,
    "quantile": _by_conditional_gradient,
    "reach": _by_conditional_gradient,
}


def climbed(
    curves: ResponseCurves,
    domain: Polytope,
    measure: Measure,
    starts: tuple[np.ndarray, ...],
    effort: Effort = FULL,
) -> Float[np.ndarray, " channel"]:
    """The best split that climbing leads to; back on steps where there are some."""
    free = domain if domain.is_whole else domain.around(starts[0])
    spend = climbed_split(
        curves,
        free,
        measure,
        starts=starts,
        rounds=effort.rounds,
        by_chance=effort.starts,
    )
    if domain.is_whole:
        return spend
    if domain.step.any():
        spend = _on_steps(curves, domain, spend)
    ends = [starts[0], spend]
    values = [float(measure.of(curves.outcome(end).sum(axis=1))) for end in ends]
    return ends[int(np.argmax(values))]


def _on_steps(
    curves: ResponseCurves, domain: Polytope, spend: np.ndarray
) -> np.ndarray:
    """The allowed split nearest in money: the best one for curves that peak there."""
    width = np.maximum(domain.high - domain.floor, 1.0)
    grid = np.linspace(0.0, 1.0, 61) * float((domain.high / curves.spend).max())
    x = grid * curves.spend[:, None]
    gap = (x - spend[:, None]) / width[:, None]
    slope = -2 * gap / width[:, None] * curves.spend[:, None]
    peaked = replace(curves, grid=grid, value=-(gap**2)[None], slope=slope[None])
    return best_in(peaked, domain, most_boxes=10).spend
