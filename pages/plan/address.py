"""The plan that is being worked on, in the address: F5 and a copied link keep it."""

import json
from typing import Any

import streamlit as st

from core.plan.response.curves import ResponseCurves
from pages.plan import limits as plan_limits
from pages.plan.limits import Limit, Limits
from pages.ui import state

#: Name of the draft in the address, and letters that are read of it.
_NAME, _LONGEST = "draft", 8000


def take(run_id: str, curves: ResponseCurves) -> None:
    """Bring back budget and limits from the address, once for each browser tab.

    Args:
        run_id: The fit.
        curves: Of the periods planned.
    """
    if state.draft("address.read"):
        return
    state.keep("address.read", True)
    content = _read()
    if not content:
        return
    limits: Limits = dict(plan_limits.default(curves))
    limits |= {
        name: limit
        for name, limit in _limits(content.get("limits")).items()
        if name in limits
    }
    budget = _amount(content.get("budget"))
    state.keep("limits.run", run_id)
    spend = zip(curves.names, curves.spend, strict=True)
    state.keep("limits.spend", {name: float(cost) for name, cost in spend})
    if budget:
        state.put("plan.budget", budget)
    elif not state.has("plan.budget"):
        state.put("plan.budget", round(float(curves.spend.sum()), 2))
    plan_limits.rebase(limits)


def keep(curves: ResponseCurves, budget: float, limits: Limits) -> None:
    """Have the address say what was typed; nothing where all is as it begins.

    Args:
        curves: Of the periods planned.
        budget: Currency.
        limits: Of channels, currency.
    """
    usual = plan_limits.default(curves)
    content: dict[str, Any] = {}
    if round(budget, 2) != round(float(curves.spend.sum()), 2):
        content["budget"] = round(budget, 2)
    typed = {
        name: [limit.low, limit.high, limit.locked]
        for name, limit in limits.items()
        if limit != usual.get(name)
    }
    if typed:
        content["limits"] = typed
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    if not content or len(text) > _LONGEST:
        st.query_params.pop(_NAME, None)
    elif st.query_params.get(_NAME) != text:
        st.query_params[_NAME] = text


def _read() -> dict[str, Any]:
    """What the address holds; nothing where it is not what `keep` writes."""
    text = st.query_params.get(_NAME, "")
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
            low, high = _amount(row[0]), _amount(row[1])
            if low is not None and high is not None:
                limits[name] = Limit(low, high, row[2] is True)
    return limits


def _amount(value: Any) -> float | None:
    """A finite amount of money that is not negative."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e15 else None
