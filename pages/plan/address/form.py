"""The plan that is being worked on, in the address: F5 and a copied link keep it.

Periods, budget, objective, limits, targets and groups, as far as they are other than
what the form begins with. Whoever made the address may have typed anything: what it
has is read strictly.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.service.records.plan import ResponseCurves
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan import steps
from pages.plan.limits import Limit, Limits
from pages.plan.more import More
from pages.plan.rare import dated
from pages.plan.rare.dated import Dated
from pages.plan.steps import Step
from pages.ui import state
from pages.ui.document import amount_in, document_in, is_day, keep_document

#: Name of the draft in the address.
_NAME = "draft"
_OBJECTIVE = re.compile(r"mean|p\d\d?|cvar\d\d?")
#: What the form begins with.
_HORIZON, _MEAN = "year", "mean"


def take_periods() -> None:
    """Bring back the periods of the address, once for each browser tab."""
    if state.draft("address.periods.read"):
        return
    state.keep("address.periods.read", True)
    content = document_in(_NAME)
    periods = content.get("for")
    if values := _values(content.get("value")):
        dated.put_values(values)
    if isinstance(periods, str):
        state.put("plan.horizon", periods)
    elif isinstance(periods, list) and len(periods) == 2:
        start, n = periods
        # A JSON true is an int, too, and no number of periods.
        if is_day(start) and type(n) is int:
            state.put("plan.horizon", "custom")
            state.put("plan.periods", n)
            state.put("plan.start", start)


def take(run_id: str, curves: ResponseCurves) -> None:
    """Bring back what the address has of the form, once for each browser tab.

    Args:
        run_id: The fit.
        curves: Of the periods planned.
    """
    if state.draft("address.read"):
        return
    state.keep("address.read", True)
    content = document_in(_NAME)
    if not content:
        return
    limits: Limits = dict(plan_limits.default(curves))
    limits |= {
        name: limit
        for name, limit in _limits(content.get("limits")).items()
        if name in limits
    }
    spend = zip(curves.names, curves.spend, strict=True)
    plan_limits.settle(run_id, {name: float(cost) for name, cost in spend})
    budget = amount_in(content.get("budget")) or state.widget("plan.budget", None)
    budget = budget or round(float(curves.spend.sum()), 2)
    step = steps.of_form(budget, limits, read(content.get("more"), curves.names))
    objective = content.get("objective", _MEAN)
    if isinstance(objective, str) and _OBJECTIVE.fullmatch(objective):
        step = replace(step, objective=objective)
    if (goal := amount_in(content.get("goal"))) is not None and goal >= 1:
        step = replace(step, goal=goal)
    steps.put(step)


def keep(curves: ResponseCurves, step: Step) -> None:
    """Have the address say what was typed; nothing where all is as it begins.

    Args:
        curves: Of the periods planned.
        step: What the form says.
    """
    usual = plan_limits.default(curves)
    content: dict[str, Any] = _periods()
    if step.budget != round(float(curves.spend.sum()), 2):
        content["budget"] = step.budget
    if step.objective != _MEAN:
        content["objective"] = step.objective
    if step.goal is not None:
        content["goal"] = step.goal
    typed = {
        name: [limit.low, limit.high, limit.locked]
        for name, limit in step.limits.items()
        if limit != usual.get(name)
    }
    if typed:
        content["limits"] = typed
    if values := dated.values_now():
        content["value"] = [list(row) for row in values]
    if more := written(step.more):
        content["more"] = more
    keep_document(_NAME, content)


def _periods() -> dict[str, Any]:
    horizon = state.widget("plan.horizon", _HORIZON)
    if horizon == "custom":
        periods = [state.widget("plan.start", ""), int(state.widget("plan.periods", 1))]
        return {"for": periods}
    return {} if horizon == _HORIZON else {"for": horizon}


def _values(content: Any) -> list[tuple[str, float]]:
    """Values of the KPI from a date on."""
    return [
        (row[0], float(row[1]))
        for row in (content if isinstance(content, list) else ())
        if isinstance(row, list)
        and len(row) == 2
        and is_day(row[0])
        and amount_in(row[1])
    ]


def _limits(content: Any) -> Limits:
    limits: Limits = {}
    for name, row in content.items() if isinstance(content, dict) else ():
        if isinstance(row, list) and len(row) == 3:
            low, high = amount_in(row[0]), amount_in(row[1])
            if low is not None and high is not None:
                limits[name] = Limit(low, high, row[2] is True)
    return limits


def written(more: More) -> dict[str, Any]:
    """What is rarely asked for, as the address has it.

    Args:
        more: What is asked for.
    """
    dated_rows = [list(row) for row in more.dated]
    return more.table() | ({"dated": dated_rows} if dated_rows else {})


def read(content: Any, names: Sequence[str]) -> More:
    """The same from an address that anybody may have typed.

    Args:
        content: What the address has.
        names: Channels of the fit.
    """
    if not isinstance(content, dict):
        return More()
    more = plan_more.of_table(content, names)
    return replace(more, dated=_dated(content.get("dated"), names))


def _dated(content: Any, names: Sequence[str]) -> tuple[Dated, ...]:
    """Prices from a date on."""
    return tuple(
        (row[0], row[1], float(row[2]))
        for row in (content if isinstance(content, list) else ())
        if isinstance(row, list)
        and len(row) == 3
        and row[0] in names
        and is_day(row[1])
        and amount_in(row[2])
        and row[2] <= 100
    )
