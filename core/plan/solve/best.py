"""Best: the best split for a scenario and objective, in cents, with its bound."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.errors import PlanError
from core.plan.limits.cents import apportion, in_money, in_steps, limits_in_steps, step
from core.plan.limits.channels import Money
from core.plan.limits.domain import Domain
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.find import found_budget
from core.plan.scenario.measure import Measure
from core.plan.scenario.scenario import Scenario
from core.plan.solve.bisection import Optimum
from core.plan.solve.branch_and_bound import best_in
from core.plan.solve.climb import climbed_split
from core.plan.solve.cutting_planes import cautious_split
from core.plan.solve.draws_bound import draws_bound
from core.plan.solve.per_draw import OwnPlans, own_plans
from core.plan.solve.rounding import in_cents

#: How the bound was found, by kind of objective.
METHODS = {
    "mean": "Lagrangian dual of the mean outcome, with branch and bound",
    "quantile": "quantile of the draws' Lagrangian duals, with branch and bound",
    "reach": "share of draws whose Lagrangian dual reaches it, with branch and bound",
    "cvar": "Lagrangian dual of the mean of draws that is hardest to beat",
}
#: How near a goal counts as reached, as a share of it.
_NEAR = 1e-9


class Effort(NamedTuple):
    """How long to search for what is not a mean.

    Attributes:
        cuts: Most cuts of a CVaR.
        rounds: Most steps of a climb at each width.
        starts: Whether to climb from more than the best plan of the mean.
        close: Gap of a CVaR to its bound that is small enough.
    """

    cuts: int = 60
    rounds: int = 5
    starts: bool = True
    close: float = 1e-4


_FULL = Effort()


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
    domain: Domain
    own: OwnPlans


def best_plan(curves: ResponseCurves, scenario: Scenario, measure: Measure) -> Best:
    """The best split of a fixed budget.

    Args:
        curves: All draws.
        scenario: One that can be met, its budget known.
        measure: The scenario's objective.
    """
    size = step(scenario.budget)
    floors, ceilings = limits_in_steps(*scenario.ranges(curves.names), size)
    total = in_steps(scenario.budget, size)
    domain = scenario.domain(curves.names).with_budget(float(total * size))
    low, high = in_money(floors, size), in_money(ceilings, size)
    domain = domain._replace(low=low, high=high)
    mean = best_in(curves.mean(), domain)
    own = own_plans(
        curves,
        domain.floor,
        high,
        domain.budgets[0],
        curves.spend,
        groups=mean.groups,
    )
    spend, bound = measured_split(curves, domain, measure, mean, own)
    spend = whole_cents(spend, domain, scenario.budget)
    return Best(spend, bound, METHODS[measure.kind], domain, own)


def whole_cents(
    spend: Float[np.ndarray, " channel"], domain: Domain, budget: float
) -> Float[np.ndarray, " channel"] | None:
    """A split of the domain in whole cents; None where rounding keeps to no limit.

    Args:
        spend: Within the limits, currency.
        domain: Its limits are in whole cents.
        budget: As the scenario has it.
    """
    size = step(budget)
    if not domain.is_simple:
        return in_cents(spend, domain, float(size))
    floors, ceilings = limits_in_steps(domain.low, domain.high, size)
    total = in_steps(budget, size)
    return in_money(apportion(spend, floors, ceilings, total, size), size)


def measured_split(
    curves: ResponseCurves,
    domain: Domain,
    measure: Measure,
    mean: Optimum,
    own: OwnPlans,
    *,
    effort: Effort = _FULL,
) -> tuple[Float[np.ndarray, " channel"], float]:
    """The split with the best measure that was found, and the bound on any.

    Args:
        curves: All draws.
        domain: Limits that can be met.
        measure: What is to be large.
        mean: The best split of the mean.
        own: Each draw's own.
        effort: How long to search.
    """
    if measure.kind == "mean":
        return mean.spend, mean.bound
    if measure.kind == "cvar":
        search = {"rounds": effort.cuts, "close": effort.close}
        return cautious_split(curves, domain, measure, mean.spend, **search)
    starts = [mean.spend]
    if domain.is_simple and effort.starts:
        starts.append(own.spend.mean(axis=0))
    spend = climbed(curves, domain, measure, tuple(starts), effort)
    reached = float(measure.of(curves.outcome(spend).sum(axis=1)))
    bound = draws_bound(
        curves,
        (domain.floor, domain.high),
        domain.budgets[0],
        own.price,
        measure=measure,
        reached=reached,
        groups=mean.groups,
    )
    return spend, bound


def climbed(
    curves: ResponseCurves,
    domain: Domain,
    measure: Measure,
    starts: tuple[np.ndarray, ...],
    effort: Effort = _FULL,
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


def _on_steps(curves: ResponseCurves, domain: Domain, spend: np.ndarray) -> np.ndarray:
    """The allowed split nearest in money: the best one for curves that peak there."""
    width = np.maximum(domain.high - domain.floor, 1.0)
    grid = np.linspace(0.0, 1.0, 61) * float((domain.high / curves.spend).max())
    x = grid * curves.spend[:, None]
    gap = (x - spend[:, None]) / width[:, None]
    slope = -2 * gap / width[:, None] * curves.spend[:, None]
    peaked = replace(curves, grid=grid, value=-(gap**2)[None], slope=slope[None])
    return best_in(peaked, domain, most_boxes=10).spend


def found(curves: ResponseCurves, scenario: Scenario, measure: Measure) -> float:
    """The budget that a scenario asks to find, in whole cents.

    Raises:
        PlanError: No budget within the limits does it.
    """
    domain, mean = scenario.domain(curves.names), curves.mean()

    def value(part: Domain) -> tuple[float, np.ndarray]:
        optimum = best_in(mean, part)
        if measure.kind == "mean":
            return optimum.outcome, optimum.spend
        if measure.kind == "cvar":
            spend, _ = cautious_split(curves, part, measure, optimum.spend)
        else:
            spend = climbed(curves, part, measure, (optimum.spend,))
        return float(measure.of(curves.outcome(spend).sum(axis=1))), spend

    asked = scenario.find
    answer = found_budget(mean, domain, asked, value)
    if np.isnan(answer.budget):
        raise _out_of_reach(scenario, answer.best, float(answer.spend.sum()))
    size = float(step(answer.budget))
    rounded = np.ceil if asked.kind == "outcome" else np.round
    cents = float(rounded(answer.budget / size - 1e-6)) * size
    return float(np.clip(round(cents, 6), *domain.budgets))


def _out_of_reach(scenario: Scenario, best: float, budget: float) -> PlanError:
    money, find = Money(scenario.currency), scenario.find
    if find.kind == "roi":
        said = f"No budget within the limits has an ROI of {find.target:g}."
        reached = f"{np.floor(1000 * best) / 1000:g}, with a budget of {money(budget)}"
        other = "lower the minimums of the channels with the lowest ROI"
    else:
        said = f"No budget within the limits brings {find.target:,.0f}."
        reached = f"{np.floor(best * (1 - _NEAR)):,.0f}, with {money(budget)}"
        other = "raise the maximums of the channels"
    hint = f"Lower the target to {reached}; or {other}."
    return PlanError(said, hint=hint, where="budget")
