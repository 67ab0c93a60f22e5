"""The plan's part of the report: its numbers, its table and its figures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.planning import frontier as budget_figures
from core.charts.planning import plan as figures
from core.errors import PlanError
from core.plan.frontier import Point, frontier
from core.plan.limits.cents import difference
from core.plan.record.parts import Line
from core.plan.record.plan_record import PlanRecord
from core.plan.scenario.table import of_table
from core.project.refresh.standing import standing
from core.report.content import Content
from core.report.grid_section import grid_figures, grid_section
from core.report.parts import BudgetRow, PlanSection, SpendRow
from core.report.plan_numbers import cards
from core.team.approval import said_of
from core.text.languages.language import say
from core.view import plan_words
from core.view.advice import advice_lines, compared_with, ran_heading
from core.view.origin import origin_lines


def section(plan: PlanRecord, content: Content) -> PlanSection:
    """A plan as the template shows it; without figures.

    Args:
        plan: The plan.
        content: The run behind it.
    """
    described = _of_channels if plan.over == "channels" else grid_section
    shown = described(plan, content)
    folder = content.run.parents[1]
    origin = origin_lines(plan, standing(folder, plan), content.units)
    notes = f"{shown.notes} {said_of(folder, plan.plan_id)}".strip()
    return replace(shown, notes=notes, origin=" ".join(origin))


def _of_channels(plan: PlanRecord, content: Content) -> PlanSection:
    points = [_budget(point, content.units) for point in budgets(plan, content)]
    return replace(of_channels(plan, content.units), budgets=points)


def of_channels(plan: PlanRecord, units: fmt.Units) -> PlanSection:
    """What a plan over channels says without the fit behind it.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    return PlanSection(
        name=plan.title,
        advice=advice_lines(plan),
        firmness=plan_words.firmness(plan, units),
        cards=cards(plan, units),
        bound=plan_words.nearness(plan),
        ran=ran_heading(plan),
        rows=channel_rows(plan, units),
        notes=plan.notes,
    )


def channel_rows(plan: PlanRecord, units: fmt.Units) -> list[SpendRow]:
    """A row per channel."""
    return [_row(line, units.currency) for line in plan.channels]


def plan_figures(plan: PlanRecord, content: Content) -> list[go.Figure]:
    """Spend, and the distribution of the gain where it can be drawn."""
    if plan.over != "channels":
        return grid_figures(plan, content)
    order = [str(name) for name in content.channels["channel"].values]
    names = [line.name for line in plan.channels]
    if not set(names) <= set(order):
        order = names
    units = content.units
    figures = channel_figures(plan, units, order)
    points = budgets(plan, content)
    if points:
        figures.append(budget_figures.frontier(points, units=units))
    return figures


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
    gain = difference(plan.draws_of("planned"), plan.draws_of("current"))
    if np.ptp(gain) > 0:
        charts.append(figures.gain(gain, units=units, over=compared_with(plan)))
    return charts


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


def _budget(point: Point, units: fmt.Units) -> BudgetRow:
    return BudgetRow(
        fmt.money(point.budget, units.currency),
        outcome=units.estimate(point.outcome, bare=True),
        gain=units.show(point.gain.mean, signed=True),
        mroi=fmt.estimate(point.mroi, "ratio"),
        beyond=", ".join(point.beyond_seen),
        is_plan=say("this plan") if point.is_plan else "",
    )


def _row(line: Line, currency: str) -> SpendRow:
    sign, word = figures.direction(line)
    change, limits = fmt.NONE, fmt.NONE
    if line.multiplier is not None:
        change = fmt.share(line.multiplier - 1, signed=True)
    if line.low is not None and line.high is not None:
        low, high = (fmt.money(end, currency) for end in (line.low, line.high))
        limits = say("{low} to {high}", low=low, high=high)
    return SpendRow(
        line.name,
        current=fmt.money(line.current, currency),
        planned=fmt.money(line.planned, currency),
        change=change,
        limits=limits,
        direction=f"{sign} {word}".strip(),
    )
