"""Budget: found for a target or for the largest profit.

Profit and marginal ROI are one optimisation with the budget free, because both put a
price on money. A return or an outcome is looked for along the outcome of the best
split: by bisection, since that never falls as the budget rises, or, for an ROI, from
the largest budget of a scan that reaches it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

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
from core.plan.solve.dispatch import FULL, Effort, measured_split
from core.text.languages.language import marked

_TOLERANCE = 1e-7
#: Budgets tried first, and then most between two of them.
_SCANNED, _BETWEEN = 24, 60
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


@runtime_checkable
class HasBudget(Protocol):
    """A plan that was tried at a budget."""

    @property
    def budget(self) -> float:
        """Currency."""


T = TypeVar("T", bound=HasBudget)


def turn(
    bad: T,
    good: T,
    excess: Callable[[T], float],
    at: Callable[[float, T], T],
    near: tuple[float, float],
    most: int,
) -> T:
    """The plan nearest to where the excess turns that still has one, by regula falsi.

    The weight of an end that stays twice is halved (Illinois).

    Args:
        bad: One with an excess below zero.
        good: One with none below.
        excess: What a plan has above what was asked.
        at: The best plan of a budget; the search starts from another plan.
        near: Share of the budget, and an excess, that are near enough.
        most: Plans to try.
    """
    weight, was_good = [1.0, 1.0], None
    for _ in range(most):
        below, above = excess(bad), excess(good)
        is_near = abs(good.budget - bad.budget) <= near[0] * good.budget
        if is_near or above <= near[1]:
            break
        close, far = weight[0] * above, weight[1] * -below
        # Never at an end, where the same budget would be tried again.
        share = float(np.clip(close / (close + far), 0.001, 0.999))
        tried = at(good.budget + share * (bad.budget - good.budget), good)
        is_good = excess(tried) >= 0
        good, bad = (tried, bad) if is_good else (good, tried)
        end = 1 if is_good else 0  # the end that stays: the bad one, or the good one
        weight[1 - end] = 1.0
        # Illinois: an end that stays twice counts half, or the search creeps.
        weight[end] = weight[end] / 2 if was_good == is_good else 1.0
        was_good = is_good
    return good


Value = Callable[[Polytope], tuple[float, np.ndarray]]


def budget_for(curves: ResponseCurves, scenario: Scenario, measure: Measure) -> float:
    """The budget that a scenario asks to find, in whole cents.

    Raises:
        PlanError: No budget within the limits does it, or none at all.
    """
    domain = scenario.domain(curves.names)
    return budget_within(curves, domain, scenario, measure)


def budget_within(
    curves: ResponseCurves,
    domain: Polytope,
    scenario: Scenario,
    measure: Measure,
    effort: Effort = FULL,
) -> float:
    """The budget that a scenario asks to find for the splits of a domain.

    Args:
        curves: All draws, a curve per cell.
        domain: The splits that are allowed, with the range of the budget.
        scenario: What the budget is found for, and the currency.
        measure: The scenario's objective.
        effort: How long to search for what is not a mean.

    Raises:
        PlanError: No budget within the limits does it, or none at all.
    """
    mean, last = curves.mean(), None

    def value(part: Polytope) -> tuple[float, np.ndarray]:
        nonlocal last
        begin = last if last is not None and last.points is not None else None
        last = optimum = best_in(mean, part, start=begin)
        if measure.kind == "mean":
            return optimum.outcome, optimum.spend
        spend, _ = measured_split(curves, part, measure, optimum, effort)
        return float(measure.of(curves.outcome(spend).sum(axis=1))), spend

    find = scenario.find
    answer = _found_budget(mean, domain, find, value)
    if np.isnan(answer.budget):
        spent = float(answer.spend.sum())
        raise out_of_reach(find, answer.best, spent, scenario.currency)
    size = float(step(answer.budget))
    # A cent less would miss the outcome; a target of returns has no such side.
    rounded = np.ceil if find.kind == "outcome" else np.round
    cents = float(rounded(answer.budget / size - 1e-6)) * size
    budget = float(np.clip(round(cents, 6), *domain.budgets))
    if budget <= 0:
        raise nothing_pays(find)
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


class _Tried(NamedTuple):
    """A budget, what its best split brings above the target, and that split."""

    budget: float
    above: float
    spend: np.ndarray
    ratio: float


def _for_outcome(domain: Polytope, target: float, value: Value) -> Found:
    """The first budget that does: the best outcome never falls as it rises."""

    def at(budget: float, _: _Tried | None = None) -> _Tried:
        reached, split = value(_up_to(domain, budget))
        return _Tried(budget, reached - target, split, reached)

    low, high = _ends(domain)
    best, spend = value(domain)
    if best < target * (1 - 1e-12):
        return Found(math.nan, spend, best)
    least = at(low)
    if least.above >= 0:
        return Found(float(least.spend.sum()), least.spend)
    most = _Tried(min(high, float(spend.sum())), max(best - target, 0.0), spend, best)
    near = _TOLERANCE, _NEAR * target
    root = turn(least, most, lambda each: each.above, at, near, _BETWEEN)
    return Found(root.budget, root.spend)


def _for_roi(
    curves: ResponseCurves, domain: Polytope, target: float, value: Value
) -> Found:
    """The last budget, from the dearest down, whose outcome is the target times it."""
    low, high = _ends(domain)

    def at(budget: float, _: _Tried | None = None) -> _Tried:
        reached, split = value(_up_to(domain, budget))
        spent = max(float(split.sum()), 1e-9)
        return _Tried(budget, reached - target * spent, split, reached / spent)

    budgets = np.linspace(low, high, _SCANNED + 1)
    # Where the excess is largest: even budgets may step over the only one that does.
    turning = float(best_in(curves.charged(target), domain).spend.sum())
    budgets = np.unique(np.append(budgets, np.clip(turning, low, high)))
    tried: list[_Tried] = []
    for budget in budgets[::-1]:
        tried.append(at(float(budget)))
        if tried[-1].above >= -_NEAR * target * budget:
            break
    else:
        nearest = max(tried, key=lambda each: each.ratio)
        return Found(math.nan, nearest.spend, nearest.ratio)
    root = tried[-1]
    if len(tried) > 1:
        near = _TOLERANCE, _NEAR * target * root.budget
        root = turn(tried[-2], root, lambda each: each.above, at, near, _BETWEEN)
    return Found(float(root.spend.sum()), root.spend)
