"""The sheet of a plan of weeks that says what to spend in which geo."""

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from core.plan.record.plan_record import PlanRecord
from core.plan.record.tables import money_by_geo
from core.plan.record.teaching import Share
from core.report.books.workbook import HEAD_HIGH, Formats
from core.text.languages.language import say
from core.view.weeks import teaching_words


class _Place(NamedTuple):
    """Where the plan's own amounts are.

    Attributes:
        sheet: Name of the sheet of spend.
        first: Row of the first week.
        forms: Formats of cells.
    """

    sheet: str
    first: int
    forms: Formats


def geos_sheet(
    book: Any, plan: PlanRecord, sheet: str, first: int, forms: Formats
) -> None:
    """Add the sheet; nothing for a plan whose geos have last year's shares.

    Its amounts are live: those of the plan's weeks, times the shares.

    Args:
        book: The workbook.
        plan: The plan.
        sheet: Name of the sheet of its spend.
        first: Row there of the first week.
        forms: What `formats` gives.
    """
    if not plan.shares:
        return
    here, place = book.add_worksheet(say("Spend by geo")), _Place(sheet, first, forms)
    here.set_column(0, 1, 24)
    here.set_column(2, 2 + len(plan.shares), 17)
    _shares(here, plan, place)
    _weeks(here, plan, place)


def _shares(sheet: Any, plan: PlanRecord, place: _Place) -> None:
    """A row per channel and geo: its shares, and what it spends in all weeks."""
    forms, known = place.forms, money_by_geo(plan)
    for column, title in enumerate(teaching_words.share_heads(plan)):
        form = forms.number_head if column > 1 else forms.head
        sheet.write_string(0, column, title, form)
    sheet.set_row(0, HEAD_HIGH)
    top, bottom = _weeks_top(plan) + 1, _weeks_top(plan) + len(plan.weeks)
    for row, line in enumerate(plan.shares, start=1):
        sheet.write_string(row, 0, line.channel)
        sheet.write_string(row, 1, line.geo)
        sheet.write_number(row, 2, line.usual, forms.percent)
        sheet.write_number(row, 3, line.planned, forms.percent)
        formula = f"=SUM({_cell(top, row)}:{_cell(bottom, row)})"
        spent = sum(known[line.channel, line.geo])
        sheet.write_formula(row, 4, formula, forms.money, spent)


def _weeks(sheet: Any, plan: PlanRecord, place: _Place) -> None:
    """A row per week, a column per channel and geo."""
    forms, top, known = place.forms, _weeks_top(plan), money_by_geo(plan)
    sheet.write_string(top, 0, say("Week"), forms.head)
    for row, week in enumerate(plan.weeks, start=top + 1):
        sheet.write_datetime(row, 0, date.fromisoformat(week), forms.date)
    for column, (line, begin, is_last) in enumerate(_columns(plan), start=1):
        title = f"{line.channel}: {line.geo}"
        sheet.write_string(top, column, title, forms.number_head)
        for at in range(len(plan.weeks)):
            row, whole = top + 1 + at, _of_plan(plan, line.channel, at, place)
            formula = f"=ROUND({whole}*{_cell(column, 3)},2)"
            if is_last:  # the rest, so that geos add up to the week
                others = f"{_cell(row, begin)}:{_cell(row, column - 1)}"
                formula = f"={whole}-SUM({others})"
            amount = known[line.channel, line.geo][at]
            sheet.write_formula(row, column, formula, forms.money, amount)
    sheet.set_row(top, HEAD_HIGH)


def _columns(plan: PlanRecord) -> Iterator[tuple[Share, int, bool]]:
    """Every share, the column of its channel's first geo, and whether it is the last.

    The column of a share in the table of weeks is its row in that of shares.
    """
    begin, before = 1, ""
    for place, line in enumerate(plan.shares, start=1):
        begin = begin if line.channel == before else place
        before = line.channel
        following = plan.shares[place] if place < len(plan.shares) else None
        yield line, begin, following is None or following.channel != line.channel


def _of_plan(plan: PlanRecord, channel: str, at: int, place: _Place) -> str:
    """The cell of a channel's week on the sheet of spend."""
    names = [line.name for line in plan.channels]
    sheet = place.sheet.replace("'", "''")
    return f"'{sheet}'!{_cell(place.first + at, 1 + names.index(channel))}"


def _weeks_top(plan: PlanRecord) -> int:
    """The row of the heads of the table of weeks."""
    return len(plan.shares) + 3


def _cell(row: int, column: int) -> str:
    """A cell as formulas name it."""
    from xlsxwriter.utility import xl_rowcol_to_cell

    return xl_rowcol_to_cell(row, column)
