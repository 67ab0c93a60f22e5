"""The plan that is being worked on, in the address: F5 and a copied link keep it.

Periods, budget, objective, limits, targets and groups, as far as they are other than
what the form begins with. Whoever made the address may have typed anything.
"""

import json
import re
from typing import Any

import streamlit as st

from core.plan.response.curves import ResponseCurves
from pages.plan import limits as plan_limits
from pages.plan import more as plan_more
from pages.plan import saved
from pages.plan.address import targets
from pages.plan.limits import Limit, Limits
from pages.plan.steps import Step
from pages.ui import state

#: Name of the draft in the address, and letters that are read of it.
_NAME, _LONGEST = "draft", 8000
_OBJECTIVE = re.compile(r"mean|p\d\d?|cvar\d\d?|reach:\d{1,15}(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
#: What the form begins with.
_HORIZON, _MEAN = "year", "mean"


def take_periods() -> None:
    """Bring back the periods of the address, once for each browser tab."""
    if state.draft("address.periods.read"):
        return
    state.keep("address.periods.read", True)
    periods = document_in(_NAME).get("for")
    if isinstance(periods, str):
        state.put("plan.horizon", periods)
    elif isinstance(periods, list) and len(periods) == 2:
        start, n = periods
        if isinstance(start, str) and _DATE.fullmatch(start) and type(n) is int:
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
    budget = amount_in(content.get("budget"))
    state.keep("limits.run", run_id)
    spend = zip(curves.names, curves.spend, strict=True)
    state.keep("limits.spend", {name: float(cost) for name, cost in spend})
    if budget:
        state.put("plan.budget", budget)
    elif not state.has("plan.budget"):
        state.put("plan.budget", round(float(curves.spend.sum()), 2))
    plan_limits.rebase(limits)
    objective = content.get("objective", _MEAN)
    if isinstance(objective, str) and _OBJECTIVE.fullmatch(objective):
        saved.put_objective(objective)
    plan_more.put(targets.read(content.get("more"), curves.names))


def keep(curves: ResponseCurves, asked: Step) -> None:
    """Have the address say what was typed; nothing where all is as it begins.

    Args:
        curves: Of the periods planned.
        asked: What the form says.
    """
    usual = plan_limits.default(curves)
    content: dict[str, Any] = _periods()
    if asked.budget != round(float(curves.spend.sum()), 2):
        content["budget"] = asked.budget
    if asked.objective == "reach":
        content["objective"] = f"reach:{float(asked.goal or 1.0):.0f}"
    elif asked.objective != _MEAN:
        content["objective"] = asked.objective
    typed = {
        name: [limit.low, limit.high, limit.locked]
        for name, limit in asked.limits.items()
        if limit != usual.get(name)
    }
    if typed:
        content["limits"] = typed
    if more := targets.written(asked.more):
        content["more"] = more
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    if not content or len(text) > _LONGEST:
        st.query_params.pop(_NAME, None)
    elif st.query_params.get(_NAME) != text:
        st.query_params[_NAME] = text


def _periods() -> dict[str, Any]:
    horizon = state.widget("plan.horizon", _HORIZON)
    if horizon == "custom":
        periods = [state.widget("plan.start", ""), int(state.widget("plan.periods", 1))]
        return {"for": periods}
    return {} if horizon == _HORIZON else {"for": horizon}


def document_in(name: str) -> dict[str, Any]:
    """The JSON object of a parameter of the address; empty where it is none."""
    text = st.query_params.get(name, "")
    if not text or len(text) > _LONGEST:
        return {}
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _limits(content: Any) -> Limits:
    limits: Limits = {}
    for name, row in content.items() if isinstance(content, dict) else ():
        if isinstance(row, list) and len(row) == 3:
            low, high = amount_in(row[0]), amount_in(row[1])
            if low is not None and high is not None:
                limits[name] = Limit(low, high, row[2] is True)
    return limits


def amount_in(value: Any) -> float | None:
    """A finite amount of money that is not negative."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e15 else None
