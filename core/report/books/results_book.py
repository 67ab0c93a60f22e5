"""Results as a spreadsheet: what each channel returned, with 90 % intervals."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from core.report.books.workbook import ESTIMATE, OPTIONS, formats

_RESULTS = (
    ("Spend", "spend", False),
    ("ROI", "roi", True),
    ("ROI, last year", "roi_last_year", True),
    ("Marginal ROI", "mroi", True),
    ("CPIK", "cpik", True),
    ("Incremental outcome", "contribution", True),
    ("Share of outcome", "contribution_share", True),
)


def results_workbook(summary: Mapping[str, Any]) -> bytes:
    """What each channel returned, as an XLSX file with 90 % intervals.

    Args:
        summary: The summary of a fit, as the command line prints it.
    """
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file, OPTIONS) as book:
        results_sheet(book, summary, formats(book, str(summary.get("currency") or "")))
    return file.getvalue()


def results_sheet(
    book: Any, summary: Mapping[str, Any], forms: Mapping[str, Any]
) -> None:
    """The sheet of results: every channel's numbers, and ROI as a chart.

    Args:
        book: The workbook.
        summary: The summary of a fit.
        forms: What `formats` gives.
    """
    sheet = book.add_worksheet("Channels")
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 21, 13)
    sheet.freeze_panes(1, 1)
    titles = ["Channel"]
    for title, _, is_estimate in _RESULTS:
        titles += [title] + [f"{title}, {end}" for end in ("5 %", "95 %")] * is_estimate
    for column, title in enumerate(titles):
        sheet.write_string(0, column, title, forms["head"])
    for row, channel in enumerate(summary["channels"], start=1):
        sheet.write_string(row, 0, str(channel["name"]), forms["text"])
        for column, number in enumerate(_numbers(channel), start=1):
            if number is not None:
                sheet.write_number(row, column, number, forms["number"])
    verdict = (summary.get("diagnostics") or {}).get("verdict", "")
    below = len(summary["channels"]) + 2
    sheet.write_string(below, 0, f"Verdict on the fit: {verdict}")
    _roi_chart(book, sheet, summary["channels"], below + 2)


def _roi_chart(
    book: Any, sheet: Any, channels: Sequence[Mapping[str, Any]], row: int
) -> None:
    """Posterior mean of ROI as bars, read off the cells."""
    has_roi = [
        (channel.get("roi") or {}).get("mean") is not None for channel in channels
    ]
    if not any(has_roi):
        return
    last = max(i for i, has in enumerate(has_roi, start=1) if has)
    chart = book.add_chart({"type": "bar"})
    chart.add_series(
        {
            "name": "ROI",
            "categories": ["Channels", 1, 0, last, 0],
            "values": ["Channels", 1, 2, last, 2],
            "fill": {"color": "#2F6FDE"},
        }
    )
    chart.set_title({"name": "ROI, posterior mean"})
    chart.set_y_axis({"reverse": True})
    chart.set_legend({"none": True})
    chart.set_size({"width": 720, "height": 160 + 28 * last})
    sheet.insert_chart(row, 0, chart)


def _numbers(channel: Mapping[str, Any]) -> list[float | None]:
    numbers: list[float | None] = []
    for _, key, is_estimate in _RESULTS:
        estimate = channel.get(key)
        if is_estimate:
            numbers += [(estimate or {}).get(end) for end in ESTIMATE]
        else:
            numbers.append(estimate)
    return numbers
