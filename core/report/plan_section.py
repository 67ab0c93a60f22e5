"""The plan's part of the report: its numbers, its table and its figures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts import frontier as budget_figures
from core.charts import plan as figures
from core.errors import PlanError
from core.plan.frontier import frontier
from core.plan.record.today import difference
from core.plan.scenario.table import of_table
from core.report.content import Content
from core.report.grid_section import grid_figures, grid_section
from core.report.plan_numbers import advice, bound, cards, firmness
from core.workspace.access.approval import said_of
from core.workspace.plans import CHANNELS, kind_of


def section(plan: Mapping[str, Any], content: Content) -> dict[str, Any]:
    """A plan as the template shows it; without figures.

    Args:
        plan: A plan as it was saved.
        content: The run behind it.
    """
    is_of_channels = kind_of(plan) == CHANNELS
    shown = (
        _of_channels(plan, content) if is_of_channels else grid_section(plan, content)
    )
    approval = said_of(content.run.parents[1], str(plan.get("plan_id") or ""))
    return shown | {"notes": f"{shown['notes']} {approval}".strip()}


def _of_channels(plan: Mapping[str, Any], content: Content) -> dict[str, Any]:
    currency = content.units.currency
    return {
        "name": str(plan.get("name") or "Plan"),
        "advice": advice(plan),
        "firmness": firmness(plan, content.units),
        "cards": cards(plan, content.units),
        "bound": bound(plan),
        "tables": [],
        "rows": [_row(channel, currency) for channel in plan["channels"]],
        "budgets": [_budget(point, content.units) for point in budgets(plan, content)],
        "notes": str(plan.get("notes") or ""),
    }


def plan_figures(plan: Mapping[str, Any], content: Content) -> list[go.Figure]:
    """Spend, and the distribution of the gain where it can be drawn."""
    if kind_of(plan) != CHANNELS:
        return grid_figures(plan, content)
    order = [str(name) for name in content.channels["channel"].values]
    names = [str(channel["name"]) for channel in plan["channels"]]
    if not set(names) <= set(order):
        order = names
    units = content.units
    drawn = [figures.spend(plan, currency=units.currency, order=order)]
    gain = _gain(plan, content)
    if gain is not None and np.ptp(gain) > 0:
        drawn.append(figures.gain(gain, units=units))
    points = budgets(plan, content)
    if points:
        drawn.append(budget_figures.frontier(points, units=units))
    return drawn


def budgets(plan: Mapping[str, Any], content: Content) -> list[dict[str, Any]]:
    """The best outcome over the budget within the plan's limits.

    Empty where a plan has not kept its scenario, or the limits leave one budget.
    """
    if not plan.get("scenario") or kind_of(plan) != CHANNELS:
        return []
    curves = content.plan_curves(plan)
    if curves is None:
        return []
    try:
        wish = of_table(plan["scenario"], curves)
    except PlanError:  # kept with another fit's channels
        return []
    wish = replace(wish, budget=float(plan["budget"]), find=None)
    points = [point.as_dict() for point in frontier(curves, wish)]
    return points if len(points) > 1 else []


def _budget(point: Mapping[str, Any], units: fmt.Units) -> dict[str, str]:
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    gain = point["outcome"]["mean"] - point["current"]["mean"]
    return {
        "budget": fmt.money(point["budget"], units.currency),
        "outcome": fmt.estimate(point["outcome"], kind, unit),
        "gain": units.show(gain, signed=True),
        "mroi": fmt.estimate(point["mroi"], "ratio"),
        "beyond": ", ".join(point["beyond_seen"]),
        "is_plan": "this plan" if point["is_plan"] else "",
    }


def _gain(plan: Mapping[str, Any], content: Content) -> np.ndarray | None:
    """Draws of planned minus current outcome; None if the plan has other channels."""
    curves = content.plan_curves(plan)
    rows = {str(channel["name"]): channel for channel in plan["channels"]}
    if curves is None or set(rows) != set(curves.names):
        return None
    # Against the current split scaled to the plan's budget, where that differs.
    current = np.array(
        [
            float(rows[name].get("comparison", rows[name]["current"]))
            for name in curves.names
        ]
    )
    planned = np.array([float(rows[name]["planned"]) for name in curves.names])
    after, before = (curves.outcome(each).sum(axis=1) for each in (planned, current))
    return difference(after, before)


def _row(channel: Mapping[str, Any], currency: str) -> dict[str, str]:
    sign, word = figures.direction(channel)
    current, planned = float(channel["current"]), float(channel["planned"])
    change = fmt.share(planned / current - 1, signed=True) if current else fmt.NONE
    limits = fmt.NONE
    if channel.get("low") is not None and channel.get("high") is not None:
        limits = (
            f"{fmt.money(float(channel['low']), currency)} to "
            f"{fmt.money(float(channel['high']), currency)}"
        )
    return {
        "name": str(channel["name"]),
        "current": fmt.money(current, currency),
        "planned": fmt.money(planned, currency),
        "change": change,
        "limits": limits,
        "direction": f"{sign} {word}".strip(),
    }
