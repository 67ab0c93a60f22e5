"""A plan over channels as a spreadsheet: live changes and sums, both splits drawn.

Every workbook of a plan has a hidden sheet, too, by which a workbook that comes back
tells what was edited.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from core.plan.record.parts import Line, odds_of_more
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import spend_grid
from core.plan.scenario.workbook import sheet as heads
from core.report.books.room import name_column
from core.report.books.workbook import (
    ENDS,
    Formats,
    Live,
    blank_total,
    chart_sheet,
    ends_of,
    money_axis,
    odds_sheet,
    write_cells,
    write_heads,
    write_sum,
)
from core.text.languages.language import marked, say
from core.view.advice import compared_with, over_what_ran, ran_heading

_HEAD = 4  # rows above the table of channels


class _Column(NamedTuple):
    """One column of the plan: its title, its key in the JSON, its format, its width."""

    title: str
    key: str
    form: str
    width: int = 19


_PLAN = (
    _Column(heads.CHANNEL, "name", "text"),
    _Column("", "current", "money"),
    _Column(heads.PLANNED, "planned", "money"),
    _Column(marked("Change"), "change", "money"),
    _Column(marked("Change, %"), "change_share", "percent", 14),
    _Column(heads.LEAST, "low", "money"),
    _Column(heads.MOST, "high", "money"),
    _Column(heads.LOCKED, "locked", "text", 12),
    _Column(marked("Probability that more pays"), "probability_up", "probability", 24),
    _Column(marked("Beyond observed spend"), "beyond_seen", "text", 18),
)


def plan_sheets(book: Any, plan: PlanRecord, forms: Formats) -> None:
    """The sheets of a plan: channels with a chart, and its odds.

    Args:
        book: The workbook.
        plan: The plan.
        forms: What `formats` gives.
    """
    _channel_sheet(book.add_worksheet(say("Plan")), plan, forms)
    _chart(book, plan)
    if plan.projects:
        _project_sheet(book.add_worksheet(say("Projects")), plan, forms)
    odds_sheet(book.add_worksheet(say("Odds")), plan, forms)


def _channel_sheet(sheet, plan: PlanRecord, forms: Formats) -> None:
    """Channels with live changes and sums."""
    channels = plan.channels
    sheet.write_string(0, 0, plan.title, forms.title)
    sheet.write_string(1, 0, say(heads.BUDGET))
    sheet.write_number(1, 2, plan.budget, forms.money)
    titles = [
        ran_heading(plan) if column.key == "current" else say(column.title)
        for column in _PLAN
    ]
    for at, column in enumerate(_PLAN):
        sheet.set_column(at, at, column.width)
    name_column(sheet, [each.name for each in channels])
    write_heads(sheet, _HEAD - 1, titles, forms)
    for row, channel in enumerate(channels, start=_HEAD):
        _channel_row(sheet, row, channel, forms)
    last = _HEAD + len(channels) - 1
    _total_row(sheet, last + 1, channels, forms)
    sheet.write_string(2, 0, say("Planned minus budget"))
    sheet.write_formula(2, 2, f"=ROUND(C{last + 2}-C2,2)", forms.money, 0)
    sheet.freeze_panes(_HEAD, 1)


def _project_sheet(sheet, plan: PlanRecord, forms: Formats) -> None:
    """What of a portfolio's plan is each project's, and what that gains."""
    name_column(sheet, [part.name for part in plan.projects])
    sheet.set_column(1, 6, 18)
    titles = (say("Project"), ran_heading(plan), say(heads.PLANNED), say("Change"))
    titles += (say("Gain over {over}", over=compared_with(plan)), *ENDS)
    write_heads(sheet, 0, titles, forms)
    for row, part in enumerate(plan.projects, start=1):
        change = Live(f"=C{row + 1}-B{row + 1}", part.planned - part.current)
        amounts = part.current, part.planned, change, *ends_of(part.gain)
        write_cells(sheet, row, (part.name, *amounts), forms.text, forms.money)
    sheet.freeze_panes(1, 1)


def _chart(book: Any, plan: PlanRecord) -> None:
    """Both splits, read off the cells."""
    last = _HEAD + len(plan.channels) - 1
    plans, chart = say("Plan"), book.add_chart({"type": "bar"})
    for column, colour in ((1, "#9AA3AF"), (2, "#235BDC")):
        chart.add_series(
            {
                "name": [plans, _HEAD - 1, column],
                "categories": [plans, _HEAD, 0, last, 0],
                "values": [plans, _HEAD, column, last, column],
                "fill": {"color": colour},
            }
        )
    largest = max(max(line.current, line.planned) for line in plan.channels)
    title = say("Planned spend beside {what}", what=over_what_ran(plan))
    chart.set_title({"name": title})
    chart.set_x_axis(money_axis(say("Spend"), plan.currency, largest))
    chart.set_y_axis({"reverse": True, "interval_unit": 1})
    chart.set_legend({"position": "bottom"})
    chart_sheet(book, chart)


def _channel_row(sheet, row: int, channel: Line, forms) -> None:
    line = row + 1
    current, planned = channel.current, channel.planned
    live = {
        "change": (f"=C{line}-B{line}", planned - current),
        "change_share": (
            f'=IF(B{line}=0,"",C{line}/B{line}-1)',
            planned / current - 1 if current else "",
        ),
    }
    for at, column in enumerate(_PLAN):
        form, content = forms.named(column.form), getattr(channel, column.key, None)
        if column.key == "probability_up":
            content = odds_of_more(channel)
        if column.key in live:
            formula, value = live[column.key]
            sheet.write_formula(row, at, formula, form, value)
        elif column.form == "text":
            text = (
                (say("yes") if content else "")
                if column.key != "name"
                else str(content)
            )
            sheet.write_string(row, at, text, forms.figure if at else form)
        elif content is not None:
            sheet.write_number(row, at, content, form)


def _total_row(sheet, row: int, channels: Sequence[Line], forms) -> None:
    line = row + 1
    sums = [
        sum(getattr(channel, key) for channel in channels)
        for key in ("current", "planned")
    ]
    sheet.write_string(row, 0, say(heads.TOTAL), forms.total_text)
    for at, value in ((1, sums[0]), (2, sums[1]), (3, sums[1] - sums[0])):
        write_sum(sheet, (_HEAD, row), at, value, forms.total_money)
    blank_total(sheet, row, range(5, len(_PLAN)), forms)
    share = sums[1] / sums[0] - 1 if sums[0] else ""
    formula = f'=IF(B{line}=0,"",C{line}/B{line}-1)'
    sheet.write_formula(row, 4, formula, forms.total_percent, share)


_ORIGIN_HEAD = 5  # rows above the table of channels
_LONGEST = 32_000  # characters that a cell can hold, and some room


def origin_sheet(book: Any, plan: PlanRecord) -> None:
    """The hidden sheet by which `core.plan.scenario.workbook` tells what was edited."""
    sheet = book.add_worksheet(heads.ORIGIN)
    sheet.hide()
    sheet.write_row(0, 0, (heads.CURRENCY, plan.currency))
    sheet.write_row(1, 0, (heads.BUDGET, plan.budget))
    scenario = json.dumps(plan.scenario_as_divided)
    if len(scenario) <= _LONGEST:
        sheet.write_row(2, 0, (heads.SCENARIO, scenario))
    sheet.write_row(3, 0, (heads.FIT, plan.run_id))
    _ORIGIN[plan.over](sheet, plan)


def _origin_channels(sheet: Any, plan: PlanRecord) -> None:
    titles = (heads.CHANNEL, heads.PLANNED, heads.LEAST, heads.MOST, heads.LOCKED)
    sheet.write_row(_ORIGIN_HEAD - 1, 0, titles)
    for row, channel in enumerate(plan.channels, start=_ORIGIN_HEAD):
        amounts = channel.planned, channel.low, channel.high
        locked = "yes" if channel.locked else ""
        write_cells(sheet, row, (channel.name, *amounts, locked))


def _origin_weeks(sheet: Any, plan: PlanRecord) -> None:
    """The weeks as dates: what people see is in words."""
    sheet.write_string(_ORIGIN_HEAD - 1, 0, heads.WEEK)
    for row, day in enumerate(spend_grid(plan).rows, start=_ORIGIN_HEAD):
        sheet.write_string(row, 0, str(day)[:10])


def _origin_geos(sheet: Any, plan: PlanRecord) -> None:
    """Amounts of cells, empty where a channel does not run; limits of geos."""
    grid = spend_grid(plan)
    titles = (heads.GEO, *grid.channels, heads.LEAST, heads.MOST, heads.LOCKED)
    sheet.write_row(_ORIGIN_HEAD - 1, 0, titles)
    for row, (line, planned) in enumerate(
        zip(plan.geos, grid.planned, strict=True), start=_ORIGIN_HEAD
    ):
        amounts = (*planned.tolist(), line.low, line.high)
        rounded = (None if each is None else round(each, 6) for each in amounts)
        write_cells(sheet, row, (line.name, *rounded, "yes" if line.locked else ""))


_ORIGIN = {
    "channels": _origin_channels,
    "geos": _origin_geos,
    "weeks": _origin_weeks,
}
