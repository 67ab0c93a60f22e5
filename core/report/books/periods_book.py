"""The sheet of a workbook that says what made each period."""

from datetime import date
from typing import Any

import numpy as np

from core.report.books.workbook import HEAD_HIGH, Formats
from core.report.content import Content
from core.text.languages.language import say

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
    form = forms.whole if content.units.is_money else forms.number
    unit = content.units.outcome or content.units.kpi_name
    titles = (
        say("Period"),
        say("Actual, {unit}", unit=unit),
        say("Expected, {unit}", unit=unit),
        say("Baseline"),
        *names,
    )
    for at, title in enumerate(titles):
        sheet.write_string(0, at, title, forms.number_head if at else forms.head)
    sheet.set_row(0, HEAD_HIGH)
    last = _column_letter(_SUM + parts.shape[1])
    for row, day in enumerate(weeks["time"].values, start=1):
        sheet.write_datetime(row, 0, date.fromisoformat(str(day)[:10]), forms.date)
        actual = float(weeks["actual"].values[row - 1])
        if np.isfinite(actual):
            sheet.write_number(row, 1, actual, form)
        own = parts[row - 1]
        summed = f"=SUM({_column_letter(_FIRST)}{row + 1}:{last}{row + 1})"
        sheet.write_formula(row, _SUM, summed, form, float(own.sum()))
        for at, value in enumerate(own, start=_FIRST):
            sheet.write_number(row, at, float(value), form)
    form = forms.total_whole if content.units.is_money else forms.total_number
    _total(sheet, weeks["actual"].values, parts, form)
    sheet.write_string(len(parts) + 1, 0, say("Total"), forms.total_text)
    sheet.set_column(0, 0, 14)
    sheet.set_column(1, len(titles) - 1, 16)
    sheet.freeze_panes(1, 1)
    sheet.repeat_rows(0)


def _total(sheet: Any, actual: np.ndarray, parts: np.ndarray, form: Any) -> None:
    """The live sum of every column, below the last period."""
    row = len(parts) + 1
    sums = [np.nansum(actual), parts.sum(), *parts.sum(axis=0)]
    for at, known in enumerate(sums, start=1):
        letter = _column_letter(at)
        formula = f"=SUM({letter}2:{letter}{row})"
        sheet.write_formula(row, at, formula, form, float(known))


def _column_letter(column: int) -> str:
    from xlsxwriter.utility import xl_col_to_name

    return xl_col_to_name(column)
