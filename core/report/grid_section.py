"""A plan of weeks or of geos in the report: its numbers, its tables, its figures."""

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.planning import flight as week_figures
from core.charts.planning import geos as geo_figures
from core.charts.planning import plan as figures
from core.plan.limits.cents import difference
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import SpendGrid, spend_grid
from core.report.content import Content
from core.report.headline import Headline, estimated
from core.report.parts import PlanSection
from core.report.plan_numbers import cards
from core.text.languages.language import say
from core.view import plan_words
from core.view.advice import (
    BETWEEN_GEOS,
    advice_lines,
    compared_with,
    ran_heading,
)
from core.view.sections.section import Table
from core.view.weeks import teaching_words
from core.view.weeks.week_limits import week_limits


def grid_section(plan: PlanRecord, content: Content) -> PlanSection:
    """A plan as the template and the slides show it; without figures.

    Args:
        plan: The plan.
        content: The run behind it.
    """
    units, grid = content.units, spend_grid(plan)
    large = plan_words.objective(plan, units)
    lines = [_about(grid), say("Maximises {what}.", what=large) if large else ""]
    lines += [plan_words.nearness(plan), week_limits(plan)]
    return PlanSection(
        name=plan.title,
        advice=advice_lines(plan),
        firmness=plan_words.firmness(plan, content.units),
        cards=cards(plan, units, more=_more(plan, units)),
        bound=" ".join(line for line in lines if line),
        notes=plan.notes,
        tables=[
            _spend(grid, plan, units),
            _channels(grid, plan, units),
            *_teaching(plan),
        ],
    )


def grid_figures(plan: PlanRecord, content: Content) -> list[go.Figure]:
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
    gain = difference(plan.draws_of("planned"), plan.draws_of("current"))
    if np.ptp(gain) > 0:
        charts.append(figures.gain(gain, units=units, over=compared_with(plan)))
    return charts


def _about(grid: SpendGrid) -> str:
    """What a plan of geos is over; a plan of weeks says its weeks anyway."""
    if grid.over != "geo":
        return ""
    return say(
        "Over {channels} channels and {geos} geos.",
        channels=len(grid.channels),
        geos=len(grid.rows),
    )


def _more(plan: PlanRecord, units: fmt.Units) -> list[Headline]:
    """What is told of plans of weeks, or of geos, only."""
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    moved = plan.gain_over_channels
    if moved is not None:
        name = say(BETWEEN_GEOS[plan.geo_advice])
        return [estimated(name, moved, kind, unit, signed=True)]
    if plan.terminal is not None:
        return [estimated(say("Carryover after the plan"), plan.terminal, kind, unit)]
    return []


def _spend(grid: SpendGrid, plan: PlanRecord, units: fmt.Units) -> Table:
    """Spend of every cell, with totals of rows and columns."""
    names = [fmt.date(row) if grid.over == "week" else row for row in grid.rows]
    heads = [
        say("Geo") if grid.over == "geo" else say("Week"),
        *grid.channels,
        say("All channels"),
    ]
    lines = [
        [name, *_amounts(cells, beyond), amount(total)]
        for name, cells, beyond, total in zip(
            names, grid.planned, grid.beyond, grid.row_totals, strict=True
        )
    ]
    totals = [say("Total"), *map(amount, grid.totals), amount(grid.row_totals.sum())]
    if grid.row_current is not None:
        heads += [ran_heading(plan), say("Change")]
        now = zip(lines, grid.row_totals, grid.row_current, strict=True)
        for row, planned, current in now:
            row += [amount(current), change(planned, current)]
        both = float(grid.row_totals.sum()), float(grid.row_current.sum())
        totals += [amount(both[1]), change(*both)]
    note = fmt.titled(say("Planned spend"), units.symbol) + "."
    if grid.beyond.any():
        note += " " + say("×: beyond observed spend there.")
    title = (
        say("Spend by geo and channel")
        if grid.over == "geo"
        else say("Spend by week and channel")
    )
    return Table(title, heads, [*lines, totals], texts=1, note=note)


def _teaching(plan: PlanRecord) -> list[Table]:
    """What a plan that teaches costs, is to bring, and why which weeks."""
    lines = [
        teaching_words.headline(plan),
        *teaching_words.why_these_weeks(plan),
        *teaching_words.why_these_geos(plan),
        teaching_words.learned(plan),
        *teaching_words.told_apart(plan),
    ]
    rows = [[row.label, row.value, row.meaning] for row in teaching_words.rows(plan)]
    if not rows:
        return []
    return [
        Table(
            say("What the plan teaches"),
            ["", say("Expected, 90 %"), say("What it is")],
            rows,
            texts=3,
            note=" ".join(part for part in lines if part),
        ),
        *_shares(plan),
    ]


def _shares(plan: PlanRecord) -> list[Table]:
    """Shares of geos that differ from last year so that the plan teaches."""
    rows = teaching_words.share_rows(plan)
    heads = teaching_words.share_heads()
    return [Table(say("Geos that differ"), heads, rows, texts=2)] if rows else []


def _channels(grid: SpendGrid, plan: PlanRecord, units: fmt.Units) -> Table:
    """What each channel has, and what it brings or gains."""
    of_geos = grid.over == "geo"
    last = (
        say("{outcome} gained", outcome=units.outcome_name)
        if of_geos
        else units.outcome_name
    )
    channels = []
    for line, planned in zip(plan.channels, grid.totals, strict=True):
        brings = line.gain if of_geos else line.outcome.planned
        channels.append(
            [
                line.name,
                amount(line.current),
                amount(planned),
                change(float(planned), line.current),
                units.estimate(brings, bare=True, signed=of_geos),
            ]
        )
    heads = [
        say("Channel"),
        ran_heading(plan),
        say("Planned"),
        say("Change"),
        say("{name}, 90 %", name=last),
    ]
    return Table(say("Channels"), heads, channels, texts=1, of_channels=True)


def _amounts(cells: np.ndarray, beyond: np.ndarray) -> list[str]:
    return [
        ("× " if is_beyond else "") + amount(cell)
        for cell, is_beyond in zip(cells, beyond, strict=True)
    ]


def amount(money: float) -> str:
    """Money as tables of many cells have it: whole units of currency."""
    return fmt.exact(float(money), decimals=0)


def change(planned: float, current: float) -> str:
    """The change in percent."""
    return fmt.share(planned / current - 1, signed=True) if current else fmt.NONE
