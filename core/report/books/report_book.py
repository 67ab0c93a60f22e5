"""The report as a workbook: what the HTML and the slides say, and cells to work on."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from xlsxwriter.utility import xl_col_to_name

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report import content as report_content
from core.report.assumptions import assumptions, prior_columns
from core.report.books.ahead_book import ahead_sheets
from core.report.books.grid_book import grid_sheets
from core.report.books.plan_book import origin_sheet, plan_sheets
from core.report.books.results_book import details_sheet, results_sheets
from core.report.books.room import fit_heads, fit_texts, name_column
from core.report.books.workbook import (
    ENDS,
    FINE,
    WHOLE,
    Formats,
    Live,
    notes,
    outcome_form,
    write_cells,
    write_heads,
    write_sum,
    written,
)
from core.report.content import Content
from core.report.plan_section import recommended, section
from core.text.languages.language import say, spoken_in
from core.view.sections.headline import Headline
from core.view.sections.of_fit import sections
from core.view.sections.section import Cards, Section, Table


def report_workbook(content: Content, plan: PlanRecord | None = None) -> bytes:
    """The report of a finished fit as an XLSX file.

    Sheets in the order in which they are read: Report (verdict and headline numbers),
    Plan and Odds where there is a plan, Channels, Forecast and planned spend by
    period where the fit has a forecast, Periods (what made each), Channel details,
    Assumptions; charts behind their tables.

    Args:
        content: The run.
        plan: A plan to report with it.
    """
    with fmt.written_in(content.locale), spoken_in(content.language):
        return _report(content, plan)


def _report(content: Content, plan: PlanRecord | None) -> bytes:
    def write(book: Any, forms: Formats) -> None:
        _front(book.add_worksheet(say("Report")), content, plan, forms)
        if plan is not None:
            _sheets(book, plan, forms)
        results_sheets(book, content.fit, forms)
        ahead_sheets(book, content, plan, forms)
        periods_sheet(book, content, forms)
        details_sheet(book, content.fit, forms)
        _assumptions(book.add_worksheet(say("Assumptions")), content, forms)

    return written(content.project.name, content.units.currency, write)


def plan_workbook(plan: PlanRecord) -> bytes:
    """A plan as an XLSX file: its spend with a chart, and its odds."""

    def write(book: Any, forms: Formats) -> None:
        _sheets(book, plan, forms)
        origin_sheet(book, plan)

    return written(plan.title, plan.currency, write)


def _sheets(book: Any, plan: PlanRecord, forms: Formats) -> None:
    sheets = plan_sheets if plan.over == "channels" else grid_sheets
    sheets(book, plan, forms)


def _front(
    sheet: Any,
    content: Content,
    plan: PlanRecord | None,
    forms: Formats,
) -> None:
    """Verdict, finding and headline numbers; the plan; what else is said of the fit."""
    sheet.set_column(0, 0, 46)
    sheet.set_column(1, _WIDE, 18)
    facts = assumptions(content)
    sheet.write_string(0, 0, content.project.name, forms.title)
    lines: list[str | tuple[str, str]] = [f"{facts.window}, {facts.periods}"]
    if plan is not None:
        claim = recommended(plan, content)
        label = fmt.named(say("What we recommend"), "")
        lines.append((label, f"{claim}."))
    lines += [report_content.sentence(content), *report_content.verdict_lines(content)]
    row = notes(sheet, 1, lines, forms, (0, _WIDE))
    row = _cards(sheet, row + 1, report_content.headline(content), forms)
    planned = [] if plan is None else [section(plan, content, "workbook")]
    news = report_content.news(content, "workbook")
    for each in (*planned, *news, *sections(content.fit, "workbook")):
        row = _section(sheet, row + 1, each, forms)


#: The last column that a sentence in front goes over.
_WIDE = 5


def _section(sheet: Any, row: int, topic: Section, forms: Formats) -> int:
    """Notes and tables below their title; the row after them."""
    sheet.write_string(row, 0, topic.title, forms.title)
    row += 1
    for block in topic.words:
        if isinstance(block, Cards):
            row = _cards(sheet, row + 1, block.cards, forms)
            continue
        if not isinstance(block, Table):
            text = (f"{block.about}. ", block.text) if block.about else block.text
            row = notes(sheet, row, [text], forms, (0, _WIDE))
            continue
        if block.title:
            sheet.write_string(row + 1, 0, block.title, forms.bold)
            row += 2
        for at in range(_WIDE + 1, len(block.heads)):
            sheet.set_column(at, at, 18)
        fit_heads(sheet, row, block.heads)
        sides = (forms.head, forms.note), (forms.number_head, forms.figure)
        for place, cells in enumerate((block.heads, *block.rows)):
            if place:
                fit_texts(sheet, row + place, cells[: block.texts])
            for at, text in enumerate(cells):
                form = sides[at >= block.texts][place > 0]
                sheet.write_string(row + place, at, text, form)
        row += len(block.rows)
        row = notes(sheet, row + 1, [block.note], forms, (0, _WIDE))
    return row


def _cards(sheet: Any, row: int, cards: Sequence[Headline], forms: Formats) -> int:
    """Headline numbers as numbers, with both ends; the row after them."""
    write_cells(sheet, row, ("", say("Estimate"), *ENDS), forms.number_head)
    for at, card in enumerate(cards, start=row + 1):
        numbers = (card.number, *(card.ends or ()))
        in_form = (forms.named(_form(card, number)) for number in numbers)
        write_cells(sheet, at, (card.label, *numbers), None, *in_form)
    return row + 1 + len(cards)


def _form(card: Headline, number: float) -> str:
    """The format of a headline's cells: cents only where they count."""
    is_whole = abs(number) >= WHOLE
    if card.kind == "money":
        return "whole" if is_whole else "fine" if 0 < number < FINE else "money"
    return "count" if card.kind == "number" and is_whole else card.kind


def _assumptions(sheet: Any, content: Content, forms: Formats) -> None:
    """Priors, then data, options and fit."""
    facts = assumptions(content)
    named = [facts.data, facts.options, facts.fit]
    name_column(sheet, [name for part in named for name, _ in part.values()])
    sheet.set_column(1, 5, 28)
    columns = prior_columns()
    write_cells(sheet, 0, columns.values(), forms.head)
    row = 1
    for prior in facts.priors:
        write_cells(sheet, row, [getattr(prior, key) for key in columns], forms.text)
        row += 1
    parts = (
        (facts.data, say("Data")),
        (facts.options, say("Options")),
        (facts.fit, say("Fit")),
    )
    for part, title in parts:
        write_cells(sheet, row + 1, (title, ""), forms.head)
        row += 2
        for name, value in part.values():
            sheet.write_string(row, 0, name, forms.note)
            row = notes(sheet, row, [value or fmt.NONE], forms, (1, 5))


#: Column of the sum, and the first of what is summed.
_SUM, _FIRST = 2, 3


def periods_sheet(book: Any, content: Content, forms: Formats) -> None:
    """What made the outcome of each period: baseline and channels, summed live.

    The expected outcome is the sum of its parts, the last row that of the periods.

    Args:
        book: The workbook.
        content: The run.
        forms: What `formats` gives.
    """
    sheet, weeks = book.add_worksheet(say("Periods")), content.weeks
    names = [str(name) for name in weeks["channel"].values]
    parts = np.column_stack(
        [
            weeks["baseline"].values,
            weeks["contribution"].transpose("time", "channel").values,
        ]
    )
    kind = outcome_form(content.units, float(np.abs(parts).max()))
    form = forms.named(kind)
    unit = content.units.outcome or content.units.kpi_name
    titles = (
        say("Period"),
        say("Actual, {unit}", unit=unit),
        say("Expected, {unit}", unit=unit),
        say("Baseline"),
        *names,
    )
    first, last = map(xl_col_to_name, (_FIRST, _SUM + parts.shape[1]))
    for row, day in enumerate(weeks["time"].values, start=1):
        summed = f"=SUM({first}{row + 1}:{last}{row + 1})"
        own, actual = parts[row - 1].tolist(), float(weeks["actual"].values[row - 1])
        cells = actual, Live(summed, sum(own)), *own
        written_day = date.fromisoformat(str(day)[:10])
        write_cells(sheet, row, (written_day, *cells), forms.date, form)
    _total(sheet, weeks["actual"].values, parts, forms.total(kind))
    sheet.write_string(len(parts) + 1, 0, say("Total"), forms.total_text)
    sheet.set_column(0, 0, 14)
    sheet.set_column(1, len(titles) - 1, 16)
    write_heads(sheet, 0, titles, forms)
    sheet.freeze_panes(1, 1)
    sheet.repeat_rows(0)


def _total(sheet: Any, actual: np.ndarray, parts: np.ndarray, form: Any) -> None:
    """The live sum of every column, below the last period."""
    row = len(parts) + 1
    sums = [np.nansum(actual), parts.sum(), *parts.sum(axis=0)]
    for at, value in enumerate(sums, start=1):
        write_sum(sheet, (1, row), at, float(value), form)
