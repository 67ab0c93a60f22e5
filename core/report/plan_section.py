"""The plan's part of the report: its numbers, its table and its figures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.planning import flight as week_figures
from core.charts.planning import geos as geo_figures
from core.charts.planning import plan as budget_figures
from core.charts.planning import plan as figures
from core.errors import PlanError
from core.plan.frontier import Point, frontier
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import spend_grid
from core.plan.scenario.table import of_table
from core.project.refresh.standing import standing
from core.report.content import Content
from core.team.approval import said_of
from core.text.languages.language import say
from core.view.advice import compared_with
from core.view.origin import claim_now, origin_lines
from core.view.sections import of_plan
from core.view.sections.section import Figure, Medium, Section
from core.view.weeks import teaching_words


def section(plan: PlanRecord, content: Content, medium: Medium) -> Section:
    """A plan in a report.

    Args:
        plan: The plan.
        content: The run behind it.
        medium: Where it is drawn.
    """
    points = budgets(plan, content)
    figures = plan_figures(plan, content, points) if medium == "page" else []
    return of_plan.section(
        plan,
        medium,
        figures=as_drawn(figures),
        points=points,
        first=superseded(plan, content),
        more=about(plan, content),
    )


def recommended(plan: PlanRecord, content: Content) -> str:
    """What a report recommends: the plan's claim, or what the newest fit says of it."""
    stood = standing(content.run.parents[1], plan)
    return claim_now(plan, stood, content.units)


def advice_now(plan: PlanRecord, content: Content) -> str | None:
    """The advice of the newest fit on a plan, where that is another than its own."""
    stood = standing(content.run.parents[1], plan)
    return stood.again.advice if stood.is_changed else None


def superseded(plan: PlanRecord, content: Content) -> str:
    """That the newest fit advises otherwise; empty where it does not."""
    if advice_now(plan, content) is None:
        return ""
    return say(
        "{claim}. What follows is by the fit that it was planned with.",
        claim=recommended(plan, content),
    )


def as_drawn(figures: Sequence[go.Figure]) -> list[Figure]:
    """Blocks of figures that are drawn already."""
    return [Figure(lambda each=each: each, each) for each in figures]


def about(plan: PlanRecord, content: Content) -> tuple[str, str]:
    """Where a plan comes from, and what was written about it; each may be empty."""
    folder = content.run.parents[1]
    origin = origin_lines(plan, standing(folder, plan), content.units)
    approval = said_of(folder, plan.plan_id)
    return " ".join(origin), f"{plan.notes} {approval}".strip()


def plan_figures(
    plan: PlanRecord, content: Content, points: Sequence[Point]
) -> list[go.Figure]:
    """Spend, and the distribution of the gain where it can be drawn.

    Args:
        plan: The plan.
        content: The run behind it.
        points: `budgets` of them, which take a fifth of a report's time.
    """
    if plan.over != "channels":
        return _grid_figures(plan, content)
    order = [str(name) for name in content.channels["channel"].values]
    names = [line.name for line in plan.channels]
    if not set(names) <= set(order):
        order = names
    units = content.units
    figures = channel_figures(plan, units, order)
    if points:
        figures.append(budget_figures.frontier(points, units=units))
    return figures


def _grid_figures(plan: PlanRecord, content: Content) -> list[go.Figure]:
    """The heat map, and the distribution of the gain."""
    units, grid = content.units, spend_grid(plan)
    if grid.over == "geo":
        order = [str(name) for name in content.channels["channel"].values]
        order = order if set(grid.channels) <= set(order) else None
        charts = [geo_figures.change(plan, order=order, currency=units.currency)]
    else:
        weeks = np.array(grid.rows, dtype="datetime64[D]")
        charts = [
            week_figures.spend(
                grid.channels,
                weeks,
                grid.planned.T,
                title=say("Planned spend per week"),
                currency=units.currency,
                beyond=grid.beyond.T,
                reasons=teaching_words.why_by_week(plan),
            )
        ]
    return charts + _of_gain(plan, units)


def _of_gain(plan: PlanRecord, units: fmt.Units) -> list[go.Figure]:
    """The distribution of the gain, where it can be drawn."""
    gain = plan.gain_draws
    if not np.ptp(gain) > 0:
        return []
    return [figures.gain(gain, units=units, over=compared_with(plan))]


def channel_figures(
    plan: PlanRecord, units: fmt.Units, order: list[str]
) -> list[go.Figure]:
    """Spend of channels, and the distribution of the gain where it can be drawn.

    Args:
        plan: A plan over channels.
        units: Words for the units.
        order: Of the channels, which settles their colours.
    """
    charts = [figures.spend(plan, currency=units.currency, order=order)]
    return charts + _of_gain(plan, units)


def budgets(plan: PlanRecord, content: Content) -> Sequence[Point]:
    """The best outcome over the budget within the plan's limits.

    Empty where the limits leave one budget, or the fit has other channels.
    """
    if plan.over != "channels":
        return ()
    curves = content.plan_curves(plan)
    if curves is None:
        return ()
    try:
        limits = of_table(plan.scenario, curves)
    except PlanError:  # kept with another fit's channels
        return ()
    limits = replace(limits, budget=plan.budget, find=None)
    points = frontier(curves, limits)
    return points if len(points) > 1 else ()
