"""Figures about budgets: the best outcome over them, and where the next money goes."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.drawing.style import Theme
from core.plan.frontier import Point
from core.text.languages.language import marked, say

_NOTE = marked(
    "Band: 90 % interval of the best split. Grey: the same split at each budget. "
    "Hollow: beyond observed spend."
)


def frontier(
    points: Sequence[Point],
    *,
    units: fmt.Units,
    theme: Theme = "light",
) -> go.Figure:
    """Best outcome by budget with its 90 % band, and that of the split that ran.

    Args:
        points: What `core.plan.frontier` gives.
        units: Units of the project.
        theme: Light or dark.
    """
    colours = style.palette(theme)
    budget = np.array([point.budget for point in points])
    best = np.array([point.outcome.mean for point in points])
    low = np.array([point.outcome.lo for point in points])
    high = np.array([point.outcome.hi for point in points])
    current = np.array([point.current.mean for point in points])
    money, x_unit = marks.scaled(units.symbol, float(budget.max()))
    size, y_unit = marks.scaled(style.label(units.outcome), float(high.max()))
    name = style.label(units.outcome_name)
    figure = style.figure(
        say(
            "{outcome} from the planned spend over the budget, {unit}",
            outcome=name,
            unit=y_unit,
        ),
        theme=theme,
        height=300,
        note=say(_NOTE),
        x=say("Budget, {unit}", unit=x_unit),
        y=f"{name}, {y_unit}",
    )
    band = (budget / money, low / size, high / size)
    figure.add_trace(marks.band(*band, colours.accent, 0.15))
    figure.add_scatter(
        x=budget / money,
        y=current / size,
        mode="lines",
        line={"color": colours.faint, "width": 2, "dash": "dot"},
        **marks.hovering(
            [
                say("the same split: {outcome}", outcome=units.show(float(outcome)))
                for outcome in current
            ]
        ),
    )
    figure.add_scatter(
        x=budget / money,
        y=best / size,
        mode="lines+markers",
        line={"color": colours.accent, "width": 2},
        marker=_dots(points, colours),
        **marks.hovering([_hover(point, units) for point in points]),
    )
    return figure


def _dots(points: Sequence[Point], colours: style.Palette) -> dict:
    """Larger at the plan, hollow beyond observed spend."""
    return {
        "size": [12 if point.is_plan else 7 for point in points],
        "color": [
            colours.background if point.beyond_seen else colours.accent
            for point in points
        ],
        "line": {"color": colours.accent, "width": 1.5},
    }


def _hover(point: Point, units: fmt.Units) -> str:
    lines = [
        f"<b>{fmt.money(point.budget, units.currency)}</b>",
        say("best split: {outcome}", outcome=units.estimate(point.outcome, bare=True)),
        say(
            "next {unit} brings {amount}",
            unit=units.symbol or say("unit"),
            amount=fmt.estimate(point.mroi, "ratio"),
        ),
    ]
    if point.beyond_seen:
        names = ", ".join(style.label(name) for name in point.beyond_seen)
        lines.append(say("beyond observed spend: {names}", names=names))
    return "<br>".join(lines)
