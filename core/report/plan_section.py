"""The plan's part of the report: its numbers, its table and its figures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.charts import format as fmt
from core.charts import frontier as budget_figures
from core.charts import plan as figures
from core.errors import PlanError
from core.plan.curves import response_curves
from core.plan.frontier import frontier
from core.plan.scenario_table import of_table
from core.report.content import Content


def section(plan: Mapping[str, Any], content: Content) -> dict[str, Any]:
    """A plan as the template shows it; without figures.

    Args:
        plan: A plan as it was saved.
        content: The run behind it.
    """
    currency, gain = content.units.currency, plan.get("gain") or {}
    return {
        "name": str(plan.get("name") or "Plan"),
        "advice": _advice(plan),
        "cards": _cards(plan, content.units, gain),
        "bound": _bound(plan),
        "rows": [_row(channel, currency) for channel in plan["channels"]],
        "budgets": [_budget(point, content.units) for point in budgets(plan, content)],
        "notes": str(plan.get("notes") or ""),
    }


def plan_figures(plan: Mapping[str, Any], content: Content) -> list[go.Figure]:
    """Spend per channel, and the distribution of the gain where it can be drawn."""
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
    if not plan.get("scenario"):
        return []
    curves = response_curves(content.curves)
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
    curves = response_curves(content.curves)
    rows = {str(channel["name"]): channel for channel in plan["channels"]}
    if set(rows) != set(curves.names):
        return None
    # Against the current split scaled to the plan's budget, where that differs.
    current = np.array(
        [
            float(rows[name].get("comparison", rows[name]["current"]))
            for name in curves.names
        ]
    )
    planned = np.array([float(rows[name]["planned"]) for name in curves.names])
    return (curves.outcome(planned) - curves.outcome(current)).sum(axis=1)


def _advice(plan: Mapping[str, Any]) -> str:
    if plan.get("advice") == "keep":
        return "Keep the current split: the gain is not sure enough to move money."
    if plan.get("advice") == "change":
        return "Change the split as shown."
    return ""


def _cards(
    plan: Mapping[str, Any], units: fmt.Units, gain: Mapping[str, Any]
) -> list[dict[str, str]]:
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    cards = [("Budget", fmt.money(float(plan["budget"]), units.currency))]
    planned = (plan.get("outcome") or {}).get("planned")
    if planned:
        name = f"{units.outcome_name} from paid media"
        cards.append((name, fmt.estimate(planned, kind, unit)))
    if gain:
        text = fmt.estimate(gain, kind, unit, signed=True)
        cards.append(("Gain over current", text))
        if gain.get("probability_positive") is not None:
            sure = fmt.probability(float(gain["probability_positive"]))
            cards.append(("Beats current", sure))
    parts = [(label, *text.partition(" (")) for label, text in cards]
    return [
        {"label": label, "value": value, "ci": f"({bracket}" if bracket else ""}
        for label, value, _, bracket in parts
    ]


def _bound(plan: Mapping[str, Any]) -> str:
    gap = (plan.get("bound") or {}).get("gap")
    if gap is None:
        return ""
    percent = max(0.1, round(100 * float(gap), 1))
    return f"Within {percent:g}\u00a0% of the best possible plan under these limits."


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
