"""Find: the budget itself, for a target or for the largest profit.

    profit    margin times incremental outcome, minus spend, as large as it can be
    mroi      spend until the next unit of currency brings no more than the target
    roi       the largest budget whose outcome is the target times what was spent
    outcome   the smallest budget with which the objective reaches the target

The first two are one optimisation with the budget free, because both put a price on
money. The others look for the budget along the outcome of the best split.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.data.findings import Finding
from core.plan.limits.domain import Domain
from core.plan.response.curves import ResponseCurves
from core.plan.solve.branch_and_bound import best_in

KINDS = ("profit", "mroi", "roi", "outcome")
_TOLERANCE = 1e-7
_SCANNED = 24


@dataclass(frozen=True)
class Find:
    """What the budget is found for.

    Attributes:
        kind: One of `KINDS`.
        target: ROI, marginal ROI, or outcome to reach; unused for a profit.
        margin: Profit per unit of outcome, before media.
        least: Smallest budget, currency; None for what the limits ask.
        most: Largest budget; None for what the limits allow.
    """

    kind: str
    target: float = math.nan
    margin: float = 1.0
    least: float | None = None
    most: float | None = None


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


def find_faults(find: Find, objective: str) -> list[Finding]:
    """What is wrong with the numbers of a wish."""
    faults = []
    if find.kind not in KINDS:
        faults.append(
            _fault(f"Budgets are not found for {find.kind!r}.", f"Use {_or(KINDS)}.")
        )
    elif find.kind != "profit" and not (find.target > 0 and math.isfinite(find.target)):
        faults.append(_fault("The target is not a number above 0.", "Give one."))
    if not (find.margin > 0 and math.isfinite(find.margin)):
        faults.append(
            _fault(
                "The margin is not a number above 0.",
                "Give the profit per unit of outcome, such as 0.4.",
            )
        )
    for amount in (find.least, find.most):
        if amount is not None and not (amount >= 0 and math.isfinite(amount)):
            faults.append(_fault("A limit of the budget is no amount.", "Give one."))
    if None not in (find.least, find.most) and find.least > find.most:
        faults.append(
            _fault("The least budget is above the largest.", "Swap or change them.")
        )
    if objective.startswith("reach") or (
        objective != "mean" and find.kind in ("profit", "mroi")
    ):
        faults.append(
            _fault(
                f"A budget for {find.kind} is found for the expected outcome.",
                "Use the objective mean.",
                where="objective",
            )
        )
    return faults


def found_budget(
    curves: ResponseCurves, domain: Domain, find: Find, value: "Value"
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


Value = Callable[[Domain], tuple[float, np.ndarray]]


def _up_to(domain: Domain, budget: float) -> Domain:
    """The budget or less."""
    most = domain.most.copy()
    most[0] = budget
    return domain._replace(most=most)


def _for_outcome(domain: Domain, target: float, value: Value) -> Found:
    """Bisection: the best outcome never falls as the budget rises."""
    low, high = domain.budgets
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
    curves: ResponseCurves, domain: Domain, target: float, value: Value
) -> Found:
    """The last budget, from the cheapest on, whose outcome is the target times it."""
    low, high = domain.budgets

    def excess(budget: float) -> tuple[float, np.ndarray, float]:
        reached, split = value(_up_to(domain, budget))
        spent = max(float(split.sum()), 1e-9)
        return reached - target * spent, split, reached / spent

    budgets = np.linspace(low, high, _SCANNED + 1)
    turn = float(best_in(curves.charged(target), domain).spend.sum())
    budgets = np.unique(np.append(budgets, np.clip(turn, low, high)))
    tried = [excess(float(budget)) for budget in budgets]
    good = [i for i, one in enumerate(tried) if one[0] >= 0]
    if not good:
        top = max(tried, key=lambda one: one[2])
        return Found(math.nan, top[1], top[2])
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


def _or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _fault(message: str, hint: str, where: str = "budget") -> Finding:
    return Finding("error", where, message, hint)
