"""What is asked of a plan of weeks: horizon, budget, limits, booked spend."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from core.charts import format as fmt
from core.plan.scenario.weeks import MOST_WEEKS
from core.workspace.plans import list_plans
from core.workspace.runs import Run
from pages.flighting.weeks import Weeks
from pages.ui import state
from pages.ui.reading import Opened

_OBJECTIVES = {
    "mean": "expected outcome",
    "cvar10": "worst tenth of draws",
}
_FREE = "free within limits"
_DEFAULTS = {"count": 26, "spread": 30, "seen": True, "margin": 0.4, "discount": 0.0}


def wishes(here: Opened, run: Run, weeks: Weeks, units: fmt.Units) -> dict[str, Any]:
    """The controls; what they ask for, as a scenario file has it."""
    for name, first in _DEFAULTS.items():
        state.setdefault(f"flight.{name}", first)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input(
            "Weeks",
            1,
            MOST_WEEKS,
            key="flight.count",
            width=80,
            persist_state="session",
        )
        start = st.selectbox(
            "First week",
            [str(day) for day in weeks.starts[:MOST_WEEKS]],
            format_func=fmt.date,
            key="flight.start",
            width=140,
            persist_state="session",
        )
        first = [str(day) for day in weeks.starts].index(start)
        usual = weeks.usual[:, first : first + count]
        before = round(float(usual.sum()), 2)
        found = bool(state.widget("flight.profit", False))
        most = _budget(f"flight.budget.{count}.{start}", before, found, units)
        objective = st.selectbox(
            "Make large",
            list(_OBJECTIVES),
            format_func=_OBJECTIVES.get,
            key="flight.objective",
            width=165,
            persist_state="session",
        )
    limits = _limits(here, run, weeks, most, found)
    table: dict[str, Any] = {"weeks": {"count": int(count), "start": start}}
    table["weeks"] |= limits.pop("weeks", {})
    if found:
        limits["find"] |= {"most": most}
        limits.pop("scaled", None)
        return table | limits
    return table | {"budget": most, "objective": objective} | limits


def _budget(key: str, before: float, found: bool, units: fmt.Units) -> float:
    """The budget of all weeks, or the largest one that may be found."""
    state.setdefault(key, max(before, 0.01))
    typed = state.widget(key, before) or before
    amount = fmt.exact(float(typed), units.symbol, decimals=2)
    budget = st.number_input(
        f"At most {amount}" if found else f"Budget {amount}",
        min_value=0.01,
        format="%.2f",
        key=key,
        help="Of all weeks, spent to the cent. The same weeks of the year before "
        f"cost {fmt.money(before, units.currency)}.",
        width=185,
    )
    return float(budget or before)


def _more(found: bool) -> dict[str, Any]:
    """Spend seen, the discount, and whether the budget is found for a profit."""
    with st.popover("More", icon=":material/tune:"):
        seen = st.toggle(
            "Within spend seen",
            key="flight.seen",
            help="No week dearer than the channel's dearest so far.",
        )
        st.toggle(
            "Find the budget with the largest profit",
            key="flight.profit",
            help="Margin times what the plan brings, minus what it spends.",
        )
        margin = st.number_input(
            "Margin per unit of outcome",
            min_value=0.001,
            step=0.05,
            format="%.3f",
            key="flight.margin",
            disabled=not found,
        )
        discount = st.number_input(
            "Discount a year, %",
            min_value=0.0,
            max_value=1000.0,
            step=1.0,
            key="flight.discount",
            help="What comes a year later counts this much less.",
        )
    made: dict[str, Any] = {"within_seen": bool(seen)}
    if discount:
        made["discount"] = f"{discount:g} %"
    if found:
        made["find"] = {"kind": "profit", "margin": float(margin or 0.4)}
    return made


def put(scenario: Mapping[str, Any]) -> None:
    """Set the controls to what a scenario asks for."""
    weeks, find = scenario.get("weeks") or {}, scenario.get("find") or {}
    state.put("flight.profit", bool(find))
    if find.get("margin"):
        state.put("flight.margin", float(find["margin"]))
    state.put("flight.discount", percent(scenario.get("discount")) or 0.0)
    objective = str(scenario.get("objective", "mean"))
    state.put("flight.objective", objective if objective in _OBJECTIVES else "mean")
    state.put("flight.seen", bool(scenario.get("within_seen", False)))
    state.put("flight.change", percent(weeks.get("change")))
    bounds = scenario.get("bounds")
    if bounds and not isinstance(bounds[1], str):
        state.put("flight.spread", int(np.clip(round(100 * (bounds[1] - 1)), 0, 100)))
    state.put("flight.split", _FREE)


def percent(given: Any) -> float | None:
    """The number of a percentage such as "30 %"; None where it is none."""
    if isinstance(given, str) and given.strip().endswith("%"):
        return float(given.strip().removesuffix("%"))
    return None


def _limits(
    here: Opened, run: Run, weeks: Weeks, budget: float, found: bool
) -> dict[str, Any]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        plans = {
            str(plan["plan_id"]): plan
            for plan in list_plans(here.folder)
            if plan.get("run_id") == run.run_id and plan.get("channels")
        }
        split = st.selectbox(
            "Split over channels",
            [_FREE, *plans],
            format_func=lambda key: (
                key if key == _FREE else f"as in {plans[key].get('name', key)}"
            ),
            key="flight.split",
            width=185,
            help="Free, or in the proportions of a saved plan.",
        )
        spread = st.number_input(
            "Channels ±, %",
            0,
            100,
            step=10,
            key="flight.spread",
            width=115,
            disabled=split != _FREE,
            help="How far a channel may move from its share of the year before.",
        )
        change = _change()
        more = _more(found)
    table: dict[str, Any] = more
    if change is not None:
        table["weeks"] = {"change": f"{change:g} %"}
    if split == _FREE:
        return table | {
            "scaled": True,
            "bounds": [1 - spread / 100, 1 + spread / 100],
        }
    return table | {"channel": _as_in(plans[split], weeks.names, budget)}


def _change() -> float | None:
    """How far spend may move from week to week, percent; None where it is free."""
    return st.number_input(
        "Weekly change ±, %",
        min_value=0.0,
        value=None,
        step=10.0,
        format="%.0f",
        placeholder="free",
        key="flight.change",
        width=145,
        help="How far a channel's spend may move from one week to the next. Empty: "
        "as far as it likes. Free next to dark weeks and between booked ones.",
    )


def _as_in(plan: dict[str, Any], names: tuple[str, ...], budget: float):
    """Limits that leave each channel its share of a saved plan."""
    rows = {row["name"]: float(row["planned"]) for row in plan["channels"]}
    scale = budget / (sum(rows.values()) or 1.0)
    totals = {name: scale * rows.get(name, 0.0) for name in names}
    return {
        name: {"min": math.floor(total), "max": math.ceil(total) + 1}
        for name, total in totals.items()
    }
