"""Results as a spreadsheet: what each channel returned, with 90 % intervals."""

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import Channel
from core.report.books.workbook import (
    HEAD_HIGH,
    OPTIONS,
    chart_sheet,
    formats,
    set_pages,
)
from core.text.languages.language import marked, say


class _Result(NamedTuple):
    """One result: its title, its name on a channel, the format of its cells.

    Without a format it is that of the outcome.
    """

    title: str
    key: str
    form: str
    is_estimate: bool = True


_RESULTS = (
    _Result(marked("Spend"), "spend", "whole", False),
    _Result(marked("ROI"), "roi", "ratio"),
    _Result(marked("ROI, last year"), "roi_last_year", "ratio"),
    _Result(marked("Marginal ROI"), "mroi", "ratio"),
    _Result(marked("CPIK"), "cpik", "money"),
    _Result(marked("Incremental {outcome}"), "contribution", ""),
    _Result(marked("Share of {outcome}"), "contribution_share", "percent"),
)
#: Columns of spend, ROI and what it brought.
_SPEND, _ROI, _BROUGHT = "B", "C", "O"
_ENDS = ("5 %", "95 %")


def results_workbook(fit: FitRecord) -> bytes:
    """What each channel returned, as an XLSX file with 90 % intervals.

    Args:
        fit: What it says.
    """
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file, OPTIONS) as book:
        results_sheet(book, fit, formats(book, fit.currency))
        set_pages(book)
    return file.getvalue()


def results_sheet(book: Any, fit: FitRecord, forms: Mapping[str, Any]) -> None:
    """The sheet of results: every channel's numbers, and ROI as a chart.

    Args:
        book: The workbook.
        fit: What it says.
        forms: What `formats` gives.
    """
    sheet, known = book.add_worksheet(say("Channels")), fit.units
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 19, 13)
    sheet.set_row(0, 2 * HEAD_HIGH)
    sheet.freeze_panes(1, 1)
    outcome = "whole" if known.is_money else "number"
    column = 1
    sheet.write_string(0, 0, say("Channel"), forms["head"])
    for result in _RESULTS:
        title = _title(result, known)
        form = forms[result.form or outcome]
        ends = [title] + [f"{title}, {end}" for end in _ENDS] * result.is_estimate
        for at, head in enumerate(ends, start=column):
            sheet.write_string(0, at, head, forms["number head"])
        for row, channel in enumerate(fit.channels, start=1):
            for at, number in enumerate(_numbers(channel, result), start=column):
                if number is not None and math.isfinite(number):
                    sheet.write_number(row, at, number, form)
        column += len(ends)
    for row, channel in enumerate(fit.channels, start=1):
        sheet.write_string(row, 0, channel.name, forms["text"])
    below = len(fit.channels) + 1
    _paid_media(sheet, below, fit.channels, forms, outcome)
    sheet.write_string(
        below + 2, 0, say("Verdict on the fit: {verdict}", verdict=say(fit.verdict))
    )
    _roi_chart(book, fit.channels)


def _title(result: _Result, units: fmt.Units) -> str:
    """The head of a column; what the KPI is called is in it."""
    if result.key == "cpik" and not units.is_money:
        return units.cost_name
    return say(result.title, outcome=units.outcome_name)


def _paid_media(
    sheet: Any,
    row: int,
    channels: Sequence[Channel],
    forms: Mapping[str, Any],
    outcome: str,
) -> None:
    """Live sums over what was paid for: spend, what it brought, and its ROI."""
    paid = [channel for channel in channels if channel.spend]
    if not paid:
        return
    spend = sum(channel.spend for channel in paid)
    brought = sum(channel.contribution["mean"] for channel in paid)
    spends = f"{_SPEND}2:{_SPEND}{row}"
    summed = f'=SUMIF({spends},">0",{_BROUGHT}2:{_BROUGHT}{row})'
    sheet.write_string(row, 0, say("Paid media"), forms["total text"])
    for column, formula, form, known in (
        (_SPEND, f"=SUM({spends})", "whole", spend),
        (_ROI, f"={_BROUGHT}{row + 1}/{_SPEND}{row + 1}", "ratio", brought / spend),
        (_BROUGHT, summed, outcome, brought),
    ):
        cell = f"{column}{row + 1}"
        sheet.write_formula(cell, formula, forms[f"total {form}"], known)


def _roi_chart(book: Any, channels: Sequence[Channel]) -> None:
    """Posterior mean of ROI as bars, read off the cells."""
    has_roi = [channel.has_roi for channel in channels]
    if not any(has_roi):
        return
    last = max(i for i, has in enumerate(has_roi, start=1) if has)
    chart = book.add_chart({"type": "bar"})
    chart.add_series(
        {
            "name": say("ROI"),
            "categories": [say("Channels"), 1, 0, last, 0],
            "values": [say("Channels"), 1, 2, last, 2],
            "fill": {"color": "#235BDC"},
        }
    )
    chart.set_title({"name": say("ROI, posterior mean")})
    chart.set_y_axis({"reverse": True})
    chart.set_legend({"none": True})
    chart_sheet(book, chart, say("ROI"))


def _numbers(channel: Channel, result: _Result) -> list[float | None]:
    """A result of a channel: its estimate with both ends, or the one number."""
    estimate = getattr(channel, result.key)
    if not result.is_estimate:
        return [estimate]
    centre = "median" if result.key == "cpik" else "mean"  # as everywhere
    return [(estimate or {}).get(end) for end in (centre, "lo", "hi")]
