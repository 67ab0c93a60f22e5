"""A plan of weeks or of geos as a spreadsheet: live sums over rows and columns.

A plan for outcome and knowledge has a sheet of its cost, its promise and why which
weeks; one of weeks a sheet of what to spend in which geo.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from xlsxwriter.utility import xl_rowcol_to_cell

from core.charts.drawing.style import COLORWAY
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import SpendGrid, spend_grid
from core.plan.record.tables import money_by_geo
from core.plan.record.teaching import Share, Teaching
from core.plan.scenario.workbook.sheet import ALL_CHANNELS, LEAST, LOCKED, MOST
from core.report.books.room import fit_heads, name_column
from core.report.books.workbook import (
    ENDS,
    Formats,
    Live,
    chart_sheet,
    date_format,
    ends_of,
    money_axis,
    notes,
    odds_sheet,
    outcome_form,
    write_cells,
    write_heads,
    write_sum,
)
from core.text.languages.language import say
from core.view import beside_words
from core.view.advice import BETWEEN_GEOS, ran_heading
from core.view.sections.plan_tables import spend_title
from core.view.weeks import teaching_words

_HEAD = 4  # rows above the first week or geo
_MOST_SERIES = 255


def grid_sheets(book: Any, plan: PlanRecord, forms: Formats) -> None:
    """The sheets of a plan of weeks or of geos: spend, and its odds.

    Args:
        book: The workbook.
        plan: The plan.
        forms: What `formats` gives.
    """
    grid, sheet = spend_grid(plan), book.add_worksheet(say("Plan"))
    sheet.write_string(0, 0, plan.title, forms.title)
    sheet.write_string(1, 0, say("Budget"))
    sheet.write_number(1, 1, plan.budget, forms.money)
    sheet.write_string(2, 0, say("Planned minus budget"))
    _heads(sheet, grid, ran_heading(plan), forms)
    _write_amounts(sheet, grid, forms)
    _limits(sheet, plan, len(grid.channels) + 4, forms)
    _totals(sheet, grid, ran_heading(plan), forms)
    last = _cell(_HEAD + len(grid.rows), len(grid.channels) + 1)
    sheet.write_formula(2, 1, f"=ROUND({last}-B2,2)", forms.money, 0)
    sheet.freeze_panes(_HEAD, 1)
    _chart(book, grid, plan)
    odds_sheet(book.add_worksheet(say("Odds")), plan, forms, more=_more(plan))
    geos_sheet(book, plan, forms)
    knowledge_sheet(book, plan, forms)


def _heads(sheet: Any, grid: SpendGrid, ran: str, forms: Formats) -> None:
    heads = [say("Geo") if grid.over == "geo" else say("Week"), *grid.channels]
    heads += [say(ALL_CHANNELS)]
    if grid.row_current is not None:
        heads += [ran, say("Change, %"), say(LEAST), say(MOST), say(LOCKED)]
    name_column(sheet, grid.rows if grid.over == "geo" else ())
    sheet.set_column(1, len(heads) - 1, 17)
    write_heads(sheet, _HEAD - 1, heads, forms)


def _write_amounts(sheet: Any, grid: SpendGrid, forms: Formats) -> None:
    """A row per week or geo: amounts, their live sum, and for geos the change."""
    n = len(grid.channels)
    for place, name in enumerate(grid.rows):
        row, total = _HEAD + place, float(grid.row_totals[place])
        amounts = [round(float(amount), 6) for amount in grid.planned[place]]
        cells = [*amounts, Live(f"=SUM({_cell(row, 1)}:{_cell(row, n)})", total)]
        if grid.over == "week":
            day = date.fromisoformat(name[:10])
            write_cells(sheet, row, (day, *cells), forms.date, forms.money)
        else:
            write_cells(sheet, row, (name, *cells), None, forms.money)
        if grid.row_current is not None:
            current = float(grid.row_current[place])
            change = _share((row, n + 3), (total, current), _across)
            now = forms.money, forms.percent
            write_cells(sheet, row, (current, change), *now, first=n + 2)


def _limits(sheet: Any, plan: PlanRecord, first: int, forms: Formats) -> None:
    """Least and most of every geo, and whether it is locked."""
    for row, line in enumerate(plan.geos, start=_HEAD):
        ends = [None if end is None else round(end, 6) for end in (line.low, line.high)]
        cells = (*ends, say("yes") if line.locked else "")
        forms_of = forms.money, forms.money, forms.figure
        write_cells(sheet, row, cells, *forms_of, first=first)


def _totals(sheet: Any, grid: SpendGrid, ran: str, forms: Formats) -> None:
    """Live sums of columns, what channels have now, and the change."""
    n, row = len(grid.channels), _HEAD + len(grid.rows)
    planned = [*grid.totals, grid.row_totals.sum()]
    current = [*grid.current, grid.current.sum()]
    sheet.write_string(row, 0, say("Total"), forms.total_text)
    sheet.write_string(row + 1, 0, ran)
    sheet.write_string(row + 2, 0, say("Change, %"))
    for column in range(1, n + 2):
        sums = float(planned[column - 1]), float(current[column - 1])
        write_sum(sheet, (_HEAD, row), column, sums[0], forms.total_money)
        of_row = f"=SUM({_cell(row + 1, 1)}:{_cell(row + 1, n)})"
        now = sums[1] if column <= n else Live(of_row, sums[1])
        write_cells(sheet, row + 1, [now], forms.money, first=column)
        change = _share((row + 2, column), sums, _down)
        write_cells(sheet, row + 2, [change], forms.percent, first=column)
    if grid.row_current is not None:
        sums = float(planned[-1]), float(grid.row_current.sum())
        write_sum(sheet, (_HEAD, row), n + 2, sums[1], forms.total_money)
        change = _share((row, n + 3), sums, _across)
        write_cells(sheet, row, [change], forms.total_percent, first=n + 3)


def _across(row: int, column: int) -> tuple[str, str]:
    """Cells of planned and current, left of a change."""
    return _cell(row, column - 2), _cell(row, column - 1)


def _down(row: int, column: int) -> tuple[str, str]:
    """Cells of planned and current, above a change."""
    return _cell(row - 2, column), _cell(row - 1, column)


def _share(at: tuple[int, int], sums: tuple[float, float], beside: Any) -> Live:
    """A live change in percent; empty where nothing is spent now."""
    planned, current = beside(*at)
    formula = f'=IF({current}=0,"",{planned}/{current}-1)'
    return Live(formula, sums[0] / sums[1] - 1 if sums[1] else "")


def _chart(book: Any, grid: SpendGrid, plan: PlanRecord) -> None:
    """Planned spend as stacked columns, read off the cells."""
    last = _HEAD + len(grid.rows) - 1
    plans = say("Plan")
    chart = book.add_chart({"type": "column", "subtype": "stacked"})
    for column in range(1, min(len(grid.channels), _MOST_SERIES) + 1):
        chart.add_series(
            {
                "name": [plans, _HEAD - 1, column],
                "categories": [plans, _HEAD, 0, last, 0],
                "values": [plans, _HEAD, column, last, column],
                "fill": {"color": COLORWAY[(column - 1) % len(COLORWAY)]},
                "gap": 40,
            }
        )
    chart.set_x_axis({"text_axis": True, "num_format": date_format()})
    chart.set_title({"name": spend_title(grid)})
    largest = float(np.nanmax(grid.row_totals))
    chart.set_y_axis(money_axis(say("Spend"), plan.currency, largest))
    chart.set_legend({"position": "bottom"})
    chart_sheet(book, chart)


def _more(plan: PlanRecord) -> Sequence[tuple[str, Mapping[str, float]]]:
    """Further estimates of plans of weeks, or of geos."""
    estimates = (
        (say(BETWEEN_GEOS.get(plan.geo_advice, "")), plan.gain_over_channels),
        *beside_words.timings(plan),
        (say("Inherited from media before the plan"), plan.inherited),
        (say("Carryover after the plan"), plan.terminal),
    )
    return [(label, estimate) for label, estimate in estimates if estimate is not None]


def _cell(row: int, column: int) -> str:
    """A cell as formulas name it."""
    return xl_rowcol_to_cell(row, column)


def knowledge_sheet(book: Any, plan: PlanRecord, forms: Formats) -> None:
    """Add the sheet; nothing for a plan that only earns.

    Args:
        book: The workbook.
        plan: The plan.
        forms: What `formats` gives.
    """
    teaching = plan.teaching
    if teaching is None:
        return
    sheet = book.add_worksheet(say("Knowledge"))
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 5, 17)
    sheet.set_column(6, 6, 70)
    row = notes(sheet, 0, [teaching_words.headline(plan)], forms, (0, 5))
    row = _estimates(sheet, row + 1, plan, forms)
    row = _channels(sheet, row + 1, teaching, forms)
    row = notes(sheet, row + 1, teaching_words.told_apart(plan), forms, (0, 5))
    _changes(sheet, row + 1, plan, forms)


def _estimates(sheet: Any, row: int, plan: PlanRecord, forms: Formats) -> int:
    teaching = plan.teaching
    form = forms.named(outcome_form(plan.units, abs(teaching.later.mean)))
    write_cells(sheet, row, ("", say("Mean"), *ENDS), forms.number_head)
    lines = teaching_words.rows(plan)
    amounts = [ends_of(teaching.cost), ends_of(teaching.later)] * teaching.is_other
    amounts += [[teaching.certainty], [teaching.bound]]
    for line, numbers in zip(lines, amounts, strict=True):
        row += 1
        write_cells(sheet, row, (line.label, *numbers), None, form)
    return row + 1


def _channels(sheet: Any, row: int, teaching: Teaching, forms: Formats) -> int:
    """How much the interval of each channel's return is expected to narrow."""
    heads = (
        say("Interval of the return narrows by"),
        say("This plan"),
        *([say("Plan that only earns")] if teaching.is_other else []),
    )
    write_cells(sheet, row, heads, forms.head, forms.number_head)
    for line in teaching.channels:
        row += 1
        cells = line.channel, line.teaching, line.earning
        write_cells(sheet, row, cells[: len(heads)], None, forms.percent)
    return row + 1


def _changes(sheet: Any, row: int, plan: PlanRecord, forms: Formats) -> None:
    """Weeks that differ from the plan that only earns, and why; nothing if none do."""
    if not plan.teaching.changes:
        return
    heads = (
        say("Weeks that differ"),
        say("First week"),
        say("Last week"),
        say("Weeks"),
        say("Change"),
        "",
        say("Why"),
    )
    write_cells(sheet, row, heads, forms.head)
    for change in plan.teaching.changes:
        row += 1
        days = map(date.fromisoformat, (change.first, change.last))
        why = teaching_words.why_this_week(plan, change.channel, change.first)
        spend = round(change.spend, 6)
        cells = change.channel, *days, change.weeks, spend, None, why
        in_form = None, forms.date, forms.date, None, forms.money, None
        write_cells(sheet, row, cells, *in_form)


def geos_sheet(book: Any, plan: PlanRecord, forms: Formats) -> None:
    """Add the sheet; nothing for a plan whose geos have last year's shares.

    Its amounts are live: those of the plan's weeks, times the shares.

    Args:
        book: The workbook.
        plan: The plan.
        forms: What `formats` gives.
    """
    if not plan.shares:
        return
    sheet = book.add_worksheet(say("Spend by geo"))
    sheet.set_column(0, 1, 24)
    sheet.set_column(2, 2 + len(plan.shares), 17)
    _shares(sheet, plan, forms)
    _weeks(sheet, plan, forms)


def _shares(sheet: Any, plan: PlanRecord, forms: Formats) -> None:
    """A row per channel and geo: its shares, and what it spends in all weeks."""
    money = money_by_geo(plan)
    heads = teaching_words.share_heads(plan)
    write_heads(sheet, 0, heads, forms, texts=2)
    top, bottom = _weeks_top(plan) + 1, _weeks_top(plan) + len(plan.weeks)
    in_form = None, None, forms.percent, forms.percent, forms.money
    for row, line in enumerate(plan.shares, start=1):
        spent = sum(money[line.channel, line.geo])
        live = Live(f"=SUM({_cell(top, row)}:{_cell(bottom, row)})", spent)
        cells = line.channel, line.geo, line.usual, line.planned, live
        write_cells(sheet, row, cells, *in_form)


def _weeks(sheet: Any, plan: PlanRecord, forms: Formats) -> None:
    """A row per week, a column per channel and geo."""
    top, money = _weeks_top(plan), money_by_geo(plan)
    heads = [say("Week")]
    sheet.write_string(top, 0, heads[0], forms.head)
    for row, week in enumerate(plan.weeks, start=top + 1):
        sheet.write_datetime(row, 0, date.fromisoformat(week), forms.date)
    for column, (line, begin, is_last) in enumerate(_columns(plan), start=1):
        heads.append(f"{line.channel}: {line.geo}")
        sheet.write_string(top, column, heads[-1], forms.number_head)
        for at in range(len(plan.weeks)):
            row, whole = top + 1 + at, _of_plan(plan, line.channel, at)
            formula = f"=ROUND({whole}*{_cell(column, 3)},2)"
            if is_last:  # the rest, so that geos add up to the week
                others = f"{_cell(row, begin)}:{_cell(row, column - 1)}"
                formula = f"={whole}-SUM({others})"
            amount = money[line.channel, line.geo][at]
            sheet.write_formula(row, column, formula, forms.money, amount)
    fit_heads(sheet, top, heads)


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


def _of_plan(plan: PlanRecord, channel: str, at: int) -> str:
    """The cell of a channel's week on the sheet of spend."""
    names = [line.name for line in plan.channels]
    return f"'{say('Plan')}'!{_cell(_HEAD + at, 1 + names.index(channel))}"


def _weeks_top(plan: PlanRecord) -> int:
    """The row of the heads of the table of weeks."""
    return len(plan.shares) + 3
