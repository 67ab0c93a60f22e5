"""Workbook: plans and results as spreadsheets, with live sums and native charts.

Names come from uploaded files, so nothing that is text may run: XLSX cells are
written as text.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core.charts.planning import plan_words
from core.plan.record.parts import Line
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import spend_grid
from core.plan.scenario.workbook import sheet as heads
from core.text.currency import cell_format
from core.text.locale import locale

#: Nothing that is text becomes a formula, a link or a number.
OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
#: Ends of an estimate, in the order of columns.
ESTIMATE = ("mean", "lo", "hi")
_A4 = 9
_LINE = 15  # height of a line of text, points
_HEAD = 4  # rows above the table of channels
_LONGEST = 32_000  # characters that a cell can hold, and some room


class _Column(NamedTuple):
    """One column of the plan: its title, its key in the JSON, its format, its width."""

    title: str
    key: str
    form: str
    width: int = 14


_PLAN = (
    _Column(heads.CHANNEL, "name", "text", 24),
    _Column("Current spend", "current", "money"),
    _Column(heads.PLANNED, "planned", "money"),
    _Column("Change", "change", "money"),
    _Column("Change, %", "change_share", "percent", 11),
    _Column(heads.LEAST, "low", "money"),
    _Column(heads.MOST, "high", "money"),
    _Column(heads.LOCKED, "locked", "text", 9),
    _Column("Probability that more pays", "probability_up", "probability", 16),
    _Column("Beyond observed spend", "beyond_seen", "text", 12),
)


def plan_sheets(book: Any, plan: PlanRecord, forms: Mapping[str, Any]) -> None:
    """The sheets of a plan: channels with a chart, and its odds.

    Args:
        book: The workbook.
        plan: The plan.
        forms: What `formats` gives.
    """
    _channel_sheet(book, book.add_worksheet("Plan"), plan, forms)
    odds_sheet(book.add_worksheet("Odds"), plan, forms)


def origin_sheet(book: Any, plan: PlanRecord) -> None:
    """The hidden sheet by which `core.plan.scenario.workbook` tells what was edited."""
    sheet = book.add_worksheet(heads.ORIGIN)
    sheet.hide()
    sheet.write_row(0, 0, (heads.CURRENCY, plan.currency))
    sheet.write_row(1, 0, (heads.BUDGET, plan.budget))
    scenario = json.dumps(plan.scenario)
    if len(scenario) <= _LONGEST:
        sheet.write_row(2, 0, (heads.SCENARIO, scenario))
    _ORIGIN[plan.over](sheet, plan)


def _origin_channels(sheet: Any, plan: PlanRecord) -> None:
    titles = (heads.CHANNEL, heads.PLANNED, heads.LEAST, heads.MOST, heads.LOCKED)
    sheet.write_row(_HEAD - 1, 0, titles)
    for row, channel in enumerate(plan.channels, start=_HEAD):
        sheet.write_string(row, 0, channel.name)
        amounts = (channel.planned, channel.low, channel.high)
        for at, amount in enumerate(amounts, start=1):
            if amount is not None:
                sheet.write_number(row, at, amount)
        sheet.write_string(row, 4, "yes" if channel.locked else "")


def _origin_weeks(sheet: Any, plan: PlanRecord) -> None:
    """The weeks as dates: what people see is in words."""
    sheet.write_string(_HEAD - 1, 0, heads.WEEK)
    for row, day in enumerate(spend_grid(plan).rows, start=_HEAD):
        sheet.write_string(row, 0, str(day)[:10])


def _origin_geos(sheet: Any, plan: PlanRecord) -> None:
    """Amounts of cells, empty where a channel does not run; limits of geos."""
    grid = spend_grid(plan)
    titles = (heads.GEO, *grid.channels, heads.LEAST, heads.MOST, heads.LOCKED)
    sheet.write_row(_HEAD - 1, 0, titles)
    for row, (line, planned) in enumerate(
        zip(plan.geos, grid.planned, strict=True), start=_HEAD
    ):
        sheet.write_string(row, 0, line.name)
        for at, amount in enumerate((*planned, line.low, line.high), start=1):
            if amount is not None and math.isfinite(amount):
                sheet.write_number(row, at, round(float(amount), 6))
        sheet.write_string(row, len(titles) - 1, "yes" if line.locked else "")


_ORIGIN = {
    "channels": _origin_channels,
    "geos": _origin_geos,
    "weeks": _origin_weeks,
}


def set_pages(book: Any) -> None:
    """Have every sheet print across one A4 page, its name and number below."""
    for sheet in book.worksheets():
        sheet.set_landscape()
        sheet.set_paper(_A4)
        sheet.fit_to_pages(1, 0)
        sheet.set_footer("&L&A&RPage &P of &N")


def formats(book: Any, currency: str) -> dict[str, Any]:
    """Formats of cells; money in its currency."""
    money = cell_format(currency)
    head = {"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"}
    note = {"text_wrap": True, "valign": "top"}
    day = {"num_format": locale().cell, "align": "left"}
    return {
        "title": book.add_format({"bold": True, "font_size": 14}),
        "note": book.add_format(note),
        "date": book.add_format(day),
        "whole": book.add_format({"num_format": cell_format(currency, "#,##0")}),
        "ratio": book.add_format({"num_format": "0.00"}),
        "share": book.add_format({"num_format": "0%"}),
        "head": book.add_format(head),
        "text": book.add_format(),
        "number": book.add_format({"num_format": "#,##0.00"}),
        "money": book.add_format({"num_format": money}),
        "percent": book.add_format({"num_format": "0.0%"}),
        "probability": book.add_format(  # never 0 % or 100 %
            {"num_format": '[>0.99]"> 99 %";[<0.01]"< 1 %";0%'}
        ),
        "total text": book.add_format({"bold": True, "top": 1}),
        "total money": book.add_format({"bold": True, "top": 1, "num_format": money}),
        "total percent": book.add_format(
            {"bold": True, "top": 1, "num_format": "0.0%"}
        ),
        "total whole": book.add_format(
            {"bold": True, "top": 1, "num_format": cell_format(currency, "#,##0")}
        ),
        "total number": book.add_format(
            {"bold": True, "top": 1, "num_format": "#,##0.00"}
        ),
        "total ratio": book.add_format({"bold": True, "top": 1, "num_format": "0.00"}),
    }


def notes(
    sheet: Any,
    row: int,
    texts: Sequence[str],
    forms: Mapping[str, Any],
    columns: tuple[int, int],
) -> int:
    """Texts below each other, wrapped within columns; the row after them.

    Args:
        sheet: The sheet, its columns set.
        row: The first row.
        texts: What to write; empty ones are left out.
        forms: What `formats` gives.
        columns: The first and the last column that a text may fill.
    """
    first, last = columns
    wide = sum(sheet.col_info[at].width for at in range(first, last + 1))
    for text in filter(None, texts):
        sheet.merge_range(row, first, row, last, "", forms["note"])
        sheet.write_string(row, first, text, forms["note"])
        sheet.set_row(row, _LINE * max(1, math.ceil(len(text) / (0.95 * wide))))
        row += 1
    return row


def _channel_sheet(book, sheet, plan: PlanRecord, forms: dict[str, Any]) -> None:
    """Channels with live changes and sums, and both splits as a chart."""
    channels = plan.channels
    sheet.write_string(0, 0, plan.title, forms["title"])
    sheet.write_string(1, 0, heads.BUDGET)
    sheet.write_number(1, 2, plan.budget, forms["money"])
    for at, column in enumerate(_PLAN):
        sheet.set_column(at, at, column.width)
        sheet.write_string(_HEAD - 1, at, column.title, forms["head"])
    for row, channel in enumerate(channels, start=_HEAD):
        _channel_row(sheet, row, channel, forms)
    last = _HEAD + len(channels) - 1
    _total_row(sheet, last + 1, channels, forms)
    sheet.write_string(2, 0, "Planned minus budget")
    sheet.write_formula(2, 2, f"=ROUND(C{last + 2}-C2,2)", forms["money"], 0)
    sheet.freeze_panes(_HEAD, 1)
    chart = book.add_chart({"type": "bar"})
    for column, colour in ((1, "#9AA3AF"), (2, "#2F6FDE")):
        chart.add_series(
            {
                "name": ["Plan", _HEAD - 1, column],
                "categories": ["Plan", _HEAD, 0, last, 0],
                "values": ["Plan", _HEAD, column, last, column],
                "fill": {"color": colour},
            }
        )
    unit = plan.currency
    chart.set_title({"name": "Current and planned spend"})
    chart.set_x_axis({"name": f"Spend, {unit}" if unit else "Spend"})
    chart.set_y_axis({"reverse": True})
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 720, "height": 160 + 36 * len(channels)})
    sheet.insert_chart(last + 4, 0, chart)


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
        form, content = forms[column.form], getattr(channel, column.key, None)
        if column.key in live:
            formula, known = live[column.key]
            sheet.write_formula(row, at, formula, form, known)
        elif column.form == "text":
            text = ("yes" if content else "") if column.key != "name" else str(content)
            sheet.write_string(row, at, text, form)
        elif content is not None:
            sheet.write_number(row, at, content, form)


def _total_row(sheet, row: int, channels: Sequence[Line], forms) -> None:
    first, last, line = _HEAD + 1, row, row + 1
    sums = [
        sum(getattr(channel, key) for channel in channels)
        for key in ("current", "planned")
    ]
    sheet.write_string(row, 0, heads.TOTAL, forms["total text"])
    for at, known in ((1, sums[0]), (2, sums[1]), (3, sums[1] - sums[0])):
        letter = "ABCD"[at]
        formula = f"=SUM({letter}{first}:{letter}{last})"
        sheet.write_formula(row, at, formula, forms["total money"], known)
    share = sums[1] / sums[0] - 1 if sums[0] else ""
    formula = f'=IF(B{line}=0,"",C{line}/B{line}-1)'
    sheet.write_formula(row, 4, formula, forms["total percent"], share)


def odds_sheet(
    sheet: Any,
    plan: PlanRecord,
    forms: Mapping[str, Any],
    *,
    over: str = "the current split",
    more: Sequence[tuple[str, Mapping[str, float]]] = (),
) -> None:
    """Outcome and gain with intervals, the bound, the advice.

    Args:
        sheet: A new sheet.
        plan: The plan.
        forms: What `formats` gives.
        over: What the plan is compared with.
        more: Further estimates.
    """
    sheet.set_column(0, 0, 52)
    for at in range(1, 4):
        sheet.set_column(at, at, 18)
    for column, title in enumerate(("", "Mean", "5 %", "95 %")):
        sheet.write_string(0, column, title, forms["head"])
    unit = plan.currency if plan.outcome_unit == "revenue" else "KPI"
    unit = f", {unit}" if unit else ""
    rows = (
        (f"Outcome of {over}{unit}", plan.outcome["current"]),
        (f"Outcome of the plan{unit}", plan.outcome["planned"]),
        (f"Gain{unit}", plan.gain),
        *((f"{label}{unit}", estimate) for label, estimate in more),
    )
    for row, (label, estimate) in enumerate(rows, start=1):
        sheet.write_string(row, 0, label)
        for column, key in enumerate(ESTIMATE, start=1):
            form = forms["whole" if plan.units.is_money else "number"]
            sheet.write_number(row, column, estimate[key], form)
    at = len(rows) + 1
    odds = plan.gain["probability_positive"]
    sheet.write_string(at, 0, f"Probability that the plan beats {over}")
    sheet.write_number(at, 1, odds, forms["probability"])
    sheet.write_string(at + 1, 0, "At most this far from the best possible plan")
    if plan.bound.gap is not None:
        sheet.write_number(at + 1, 1, plan.bound.gap, forms["percent"])
    sheet.write_string(at + 2, 0, "Advice")
    notes(sheet, at + 2, [plan_words.advice(plan, over)], forms, (1, 3))
    known = plan.units
    lines = [
        *plan.reasons,
        plan_words.robustness(plan),
        plan_words.lift_test(plan, known),
        plan_words.other_split(plan, known),
        plan_words.tests(plan),
    ]
    if plan.current_scaled:
        lines += [
            "The current split is scaled to the plan's budget for the comparison.",
            f"Against today as it is: {plan_words.against_today(plan, known)}.",
        ]
    notes(sheet, at + 3, lines, forms, (1, 3))
