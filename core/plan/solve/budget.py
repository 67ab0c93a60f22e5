"""Budget: found for a target or for the largest profit.

Profit and marginal ROI are one optimisation with the budget free, because both put a
price on money. A return or an outcome is looked for along the outcome of the best
split: by bisection, since that never falls as the budget rises, or, for an ROI, from
the last budget of a scan that reaches it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.errors import PlanError
from core.plan.limits.cents import step
from core.plan.limits.channels import Money
from core.plan.limits.polytope import Polytope
from core.plan.limits.program import cheapest
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.find import Find
from core.plan.scenario.measure import Measure
from core.plan.scenario.scenario import Scenario
from core.plan.solve.branch_and_price import best_in
from core.plan.solve.dispatch import measured_split
from core.text.languages.language import marked

_TOLERANCE = 1e-7
_SCANNED = 24
#: How near a goal counts as reached, as a share of it.
_NEAR = 1e-9


@dataclass(frozen=True)
class Found:
    """A budget, or why there is none.

    Attributes:
        budget: Currency; NaN where no budget does it.
        spend: Its best split of the mean outcome.
        best: What can be reached, in the unit of the target, where it cannot be.
    """

    budget: float
    spend: np.ndarray
    best: float = math.nan


Value = Callable[[Polytope], tuple[float, np.ndarray]]


def budget_for(curves: ResponseCurves, scenario: Scenario, measure: Measure) -> float:
    """The budget that a scenario asks to find, in whole cents.

    Raises:
        PlanError: No budget within the limits does it, or none at all.
    """
    domain, mean = scenario.domain(curves.names), curves.mean()

    def value(part: Polytope) -> tuple[float, np.ndarray]:
        optimum = best_in(mean, part)
        if measure.kind == "mean":
            return optimum.outcome, optimum.spend
        spend, _ = measured_split(curves, part, measure, optimum)
        return float(measure.of(curves.outcome(spend).sum(axis=1))), spend

    asked = scenario.find
    answer = _found_budget(mean, domain, asked, value)
    if np.isnan(answer.budget):
        spent = float(answer.spend.sum())
        raise out_of_reach(asked, answer.best, spent, scenario.currency)
    size = float(step(answer.budget))
    rounded = np.ceil if asked.kind == "outcome" else np.round
    cents = float(rounded(answer.budget / size - 1e-6)) * size
    budget = float(np.clip(round(cents, 6), *domain.budgets))
    if budget <= 0:
        raise nothing_pays(asked)
    return budget


def nothing_pays(find: Find) -> PlanError:
    """The budget that does what was asked is none at all.

    Args:
        find: The largest profit, or a marginal ROI.
    """
    if find.kind == "profit":
        return PlanError(
            "No spend pays within these limits: the first unit in every channel "
            "returns less than it costs.",
            hint="Raise the margin, or say the least that channels spend.",
            where="budget",
        )
    return PlanError(
        f"No channel has a marginal ROI of {find.target:g} for its first unit of "
        "spend, so there is nothing to plan.",
        hint="Lower the target, or say the least that channels spend.",
        where="budget",
    )


def out_of_reach(find: Find, best: float, budget: float, currency: str) -> PlanError:
    """No budget does what was asked; the nearest that one does.

    Args:
        find: An ROI or an outcome.
        best: What can be reached of it.
        budget: With which.
        currency: Of money.
    """
    money = Money(currency)
    if find.kind == "roi":
        message = f"No budget within the limits has an ROI of {find.target:g}."
        reached = f"{np.floor(1000 * best) / 1000:g}, with a budget of {money(budget)}"
        other = marked("lower the minimums of the channels with the lowest ROI")
    else:
        message = f"No budget within the limits brings {find.target:,.0f}."
        reached = f"{np.floor(best * (1 - _NEAR)):,.0f}, with {money(budget)}"
        other = marked("raise the maximums of the channels")
    hint = f"Lower the target to {reached}; or {other}."
    return PlanError(message, hint=hint, where="budget")


def _found_budget(
    curves: ResponseCurves, domain: Polytope, find: Find, value: "Value"
) -> Found:
    """The budget that does what was asked.

    Args:
        curves: The mean curves.
        domain: Limits, with the range of the budget.
        find: What was asked.
        value: Objective and split of the best plan within a domain.
    """
    if find.kind in ("profit", "mroi"):
        cost = find.target if find.kind == "mroi" else 1 / find.margin
        spend = best_in(curves.charged(cost), domain).spend
        return Found(float(spend.sum()), spend)
    if find.kind == "outcome":
        return _for_outcome(domain, find.target, value)
    return _for_roi(curves, domain, find.target, value)


def _up_to(domain: Polytope, budget: float) -> Polytope:
    """The budget or less."""
    return domain.with_budget(domain.budgets[0], budget)


def _ends(domain: Polytope) -> tuple[float, float]:
    """Budgets to look among: from the least that joint limits and steps leave."""
    least, most = domain.budgets
    cheap = cheapest(domain, np.ones(len(domain.low)))
    if cheap is not None:
        least = max(least, float(cheap.spend.sum()) * (1 + _NEAR))
    return min(least, most), most


def _for_outcome(domain: Polytope, target: float, value: Value) -> Found:
    """Bisection: the best outcome never falls as the budget rises."""
    low, high = _ends(domain)
    best, spend = value(domain)
    if best < target * (1 - 1e-12):
        return Found(math.nan, spend, best)
    least, cheap = value(_up_to(domain, low))
    if least >= target:
        return Found(float(cheap.sum()), cheap)
    high = min(high, float(spend.sum()))
    while high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        reached, split = value(_up_to(domain, middle))
        if reached >= target:
            high, spend = middle, split
        else:
            low = middle
    return Found(high, spend)


def _for_roi(
    curves: ResponseCurves, domain: Polytope, target: float, value: Value
) -> Found:
    """The last budget, from the cheapest on, whose outcome is the target times it."""
    low, high = _ends(domain)

    def excess(budget: float) -> tuple[float, np.ndarray, float]:
        reached, split = value(_up_to(domain, budget))
        spent = max(float(split.sum()), 1e-9)
        return reached - target * spent, split, reached / spent

    budgets = np.linspace(low, high, _SCANNED + 1)
    turn = float(best_in(curves.charged(target), domain).spend.sum())
    budgets = np.unique(np.append(budgets, np.clip(turn, low, high)))
    tried = [excess(float(budget)) for budget in budgets]
    good = [place for place, (above, _, _) in enumerate(tried) if above >= 0]
    if not good:
        _, spend, ratio = max(tried, key=lambda each: each[2])
        return Found(math.nan, spend, ratio)
    last = good[-1]
    spend = tried[last][1]
    if last == len(budgets) - 1:
        return Found(float(spend.sum()), spend)
    low, high = float(budgets[last]), float(budgets[last + 1])
    while high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        above, split, _ = excess(middle)
        if above >= 0:
            low, spend = middle, split
        else:
            high = middle
    return Found(float(spend.sum()), spend)
