"""Budget of weeks: found for a target marginal ROI, ROI or outcome.

A marginal ROI is a price of money, so it is one search with the budget free. A return
or an outcome is looked for along the best plan of each budget: from the largest of some
budgets that has the ROI, or the first that brings the outcome, to where it turns.
Each plan begins from the last one, scaled; where that may end in another optimum than
the plan itself will, the last steps are plans from scratch. Profit itself needs no
budget first: the search of weeks leaves the budget free.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from core.plan.limits.cells import Cells
from core.plan.limits.cents import in_steps, step
from core.plan.limits.program import total_range
from core.plan.response.horizon import WeekResponse
from core.plan.response.worth import worth_of
from core.plan.scenario.find import Find
from core.plan.scenario.measure import Measure
from core.plan.solve.budget import nothing_pays, out_of_reach, turn
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.projected_gradient import climb
from core.plan.solve.weeks.projection import Spend, nearest
from core.plan.solve.weeks.quantile import ORDERED, sharpened
from core.plan.solve.weeks.search import ranks, search
from core.plan.solve.weeks.starts import units_of

#: Budgets tried first, and then between two of them.
_SCANNED, _BETWEEN = 9, 20
#: Share of the budget, and of the target, that is near enough.
_NEAR = 1e-4
#: Where there are several optima: budgets farther from the first one, as shares of it,
#: the excess that is near enough as a share of the target, plans between two budgets.
_FARTHER, _CLOSE, _AGAIN = (0.05, 0.15, 0.3, 0.6, 0.9), 3e-4, 8
#: Smallest budget tried, as a share of the largest.
_LEAST = 1e-3
#: Evaluations of an ascent from the plan of another budget.
_EACH = 40


class _Tried(NamedTuple):
    """A budget, its best plan, and its objective."""

    budget: float
    spend: Spend
    value: float


Along = Callable[[float, _Tried | None], _Tried]


def budget_of_weeks(
    find: Find,
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    cells: Cells,
    measure: Measure,
    currency: str = "",
) -> float:
    """The budget that does what was asked, in whole cents.

    Args:
        find: A marginal ROI, an ROI or an outcome to reach.
        response: That of the weeks.
        draws: Joint posterior draws.
        cells: Limits, with the range of the budget.
        measure: What the plan makes large.
        currency: Of money.

    Raises:
        PlanError: No budget within the limits does it.
    """
    if find.kind == "mroi":
        n, n_after = len(response.weeks), response.n_after
        worth = worth_of(n, n_after, 1, margin=1 / find.target)
        spend = search(response, draws, cells, measure, worth=worth).spend
        if not spend.any():
            raise nothing_pays(find)
        return float(spend.sum())
    at = _along(response, draws, cells.relaxed, measure)
    low, high = total_range(cells.relaxed.polytope)
    low, high = max(low, cells.budget - cells.spare), min(high, cells.budget)
    budgets = np.linspace(max(low, _LEAST * high), high, _SCANNED)
    budgets = budgets[::-1] if find.kind == "roi" else budgets
    scanned: list[_Tried] = []
    for budget in budgets:
        scanned.append(at(float(budget), scanned[-1] if scanned else None))
        if _excess(find, scanned[-1]) >= 0:
            break
    else:
        best = max(scanned, key=lambda each: _score(find, each))
        raise out_of_reach(find, _score(find, best), best.budget, currency)
    root = scanned[-1]
    if len(scanned) > 1:
        scale = find.target * (root.budget if find.kind == "roi" else 1.0)
        near = _NEAR, _NEAR * scale
        excess = partial(_excess, find)
        root = turn(scanned[-2], root, excess, at, near, _BETWEEN)
    budget = root.budget
    if not cells.is_whole or measure.kind in ORDERED:
        budget = _allowed(
            find,
            budget,
            (low, high),
            _from_scratch(response, draws, cells, measure),
            currency,
        )
    size = step(budget)
    return float(in_steps(budget, size) * size)


def _from_scratch(
    response: WeekResponse, draws: dict[str, np.ndarray], cells: Cells, measure: Measure
) -> Along:
    """The best plan of a budget by the search that plans use, where optima are several.

    That is where weeks pause or come in steps, and for odds and percentiles.
    """
    n = len(next(iter(draws.values())))
    objective = Objective(response, draws, ranks(measure, n))

    def at(budget: float, _: _Tried | None) -> _Tried:
        limits = replace(cells, budget=budget, spare=0.0)
        spend = search(response, draws, limits, measure).spend
        return _Tried(budget, spend, float(measure.of(objective.by_draw(spend))))

    return at


def _allowed(
    find: Find, budget: float, ends: tuple[float, float], at: Along, currency: str
) -> float:
    """The budget near another whose plan, searched from scratch, reaches the target.

    Raises:
        PlanError: None near it does.
    """
    excess, tried = partial(_excess, find), []
    side = -1.0 if find.kind == "roi" else 1.0
    scale = find.target * (budget if find.kind == "roi" else 1.0)
    for share in (0.0, *_FARTHER):
        other = float(np.clip(budget * (1 + side * share), *ends))
        tried.append(at(other, None))
        if excess(tried[-1]) >= 0:
            break
    else:
        best = max(tried, key=lambda each: _score(find, each))
        raise out_of_reach(find, _score(find, best), best.budget, currency)
    if len(tried) == 1:
        return budget
    near = _NEAR, _CLOSE * scale
    return turn(tried[-2], tried[-1], excess, at, near, _AGAIN).budget


def _score(find: Find, tried: _Tried) -> float:
    return tried.value / (tried.budget if find.kind == "roi" else 1.0)


def _along(
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    cells: Cells,
    measure: Measure,
) -> Along:
    """The best plan of a budget, begun from that of another."""
    n = len(next(iter(draws.values())))
    objective = Objective(response, draws, ranks(measure, n))

    def at(budget: float, last: _Tried | None) -> _Tried:
        limits = replace(cells, budget=budget, spare=0.0)
        begin = response.usual if last is None else last.spend
        begin = begin * (budget / max(float(begin.sum()), 1e-300))
        begin = nearest(limits, begin, units_of(limits))
        spend = climb(objective, limits, begin, most=_EACH, tolerance=1e-6).spend
        if measure.kind in ORDERED:
            spend = sharpened(objective, limits, spend, measure)
        return _Tried(budget, spend, float(measure.of(objective.by_draw(spend))))

    return at


def _excess(find: Find, tried: _Tried) -> float:
    """What a plan brings above the target, times its budget where that is an ROI."""
    return tried.value - find.target * (tried.budget if find.kind == "roi" else 1.0)
