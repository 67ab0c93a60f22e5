"""The sheet of a workbook that says what made each period."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core import text as fmt
from core.report.content import Content

#: Column of the sum, and the first of what is summed.
_SUM, _FIRST = 2, 3


def periods_sheet(book: Any, content: Content, forms: Mapping[str, Any]) -> None:
    """What made the outcome of each period: baseline and channels, summed live.

    Args:
        book: The workbook.
        content: The run.
        forms: What `formats` gives.
    """
    sheet, weeks = book.add_worksheet("Periods"), content.weeks
    names = [str(name) for name in weeks["channel"].values]
    parts = np.column_stack(
        [
            weeks["baseline"].values,
            weeks["contribution"].transpose("time", "channel").values,
        ]
    )
    form = forms["money" if content.units.is_money else "number"]
    unit = content.units.outcome or content.units.kpi_name
    titles = ("Period", f"Actual, {unit}", f"Expected, {unit}", "Baseline", *names)
    for at, title in enumerate(titles):
        sheet.write_string(0, at, title, forms["head"])
    last = _column_letter(_SUM + parts.shape[1])
    for row, day in enumerate(weeks["time"].values, start=1):
        sheet.write_string(row, 0, fmt.date(str(day)))
        actual = float(weeks["actual"].values[row - 1])
        if np.isfinite(actual):
            sheet.write_number(row, 1, actual, form)
        own = parts[row - 1]
        summed = f"=SUM({_column_letter(_FIRST)}{row + 1}:{last}{row + 1})"
        sheet.write_formula(row, _SUM, summed, form, float(own.sum()))
        for at, value in enumerate(own, start=_FIRST):
            sheet.write_number(row, at, float(value), form)
    sheet.set_column(0, 0, 14)
    sheet.set_column(1, len(titles) - 1, 16)
    sheet.freeze_panes(1, 1)
    sheet.repeat_rows(0)


def _column_letter(column: int) -> str:
    from xlsxwriter.utility import xl_col_to_name

    return xl_col_to_name(column)
