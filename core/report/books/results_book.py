"""Results as a spreadsheet: what each channel returned, with 90 % intervals."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import Channel
from core.report.books.room import fit_heads, name_column
from core.report.books.workbook import (
    ENDS,
    FINE,
    GRID,
    Formats,
    blank_total,
    chart_sheet,
    outcome_form,
    write_cells,
    written,
)
from core.text.languages.language import marked, say
from core.view.sections.returns import ranked


class _Result(NamedTuple):
    """One result: its title, its name on a channel, the format of its cells.

    Without a format it is that of the outcome.
    """

    title: str
    key: str
    form: str
    is_estimate: bool = True


_SPEND = _Result(marked("Spend"), "spend", "whole", False)
_BROUGHT = _Result(marked("Incremental {outcome}"), "contribution", "")
_SHARE = _Result(marked("Share of {outcome}"), "contribution_share", "percent")
_ROI = _Result(marked("ROI"), "roi", "ratio")
_COST = _Result(marked("Cost per incremental KPI"), "cpik", "money")
_LATEST = _Result(marked("ROI, last year"), "roi_last_year", "ratio")
_MARGINAL = _Result(marked("Marginal ROI"), "mroi", "ratio")
#: What a channel returned where the KPI is money, and where it is not; the rest of the
#: results are details.
_OF_MONEY = (_SPEND, _BROUGHT, _ROI)
_OF_UNITS = (_SPEND, _BROUGHT, _COST)
_DETAILS = (_SHARE, _LATEST, _MARGINAL)
#: Columns of spend, of what it brought, and of ROI.
_SPENT_AT, _BROUGHT_AT, _ROI_AT = "B", "C", "F"
#: Columns of what a channel returned.
_COLUMNS = 8
#: ROI and its ends, and hidden: how far the ends are below and above it.
_ROI_WITH_ENDS_AT, _REACHES_AT = ("F", "G", "H"), ("I", "J")


def results_workbook(fit: FitRecord) -> bytes:
    """What each channel returned, as an XLSX file with 90 % intervals.

    Args:
        fit: What it says.
    """

    def write(book: Any, forms: Formats) -> None:
        results_sheets(book, fit, forms)
        details_sheet(book, fit, forms)

    return written(say("What each channel returned"), fit.currency, write)


def results_sheets(book: Any, fit: FitRecord, forms: Formats) -> None:
    """What each channel cost, brought and returned, and ROI as a chart.

    Args:
        book: The workbook.
        fit: What it says.
        forms: What `formats` gives.
    """
    sheet, units = book.add_worksheet(say("Channels")), fit.units
    _write_results(sheet, _OF_MONEY if units.is_money else _OF_UNITS, fit, forms)
    below = len(fit.channels) + 1
    _paid_media(sheet, below, fit.channels, forms, units)
    sheet.write_string(
        below + 2, 0, say("Verdict on the fit: {verdict}", verdict=say(fit.verdict))
    )
    if units.is_money:
        _roi_chart(book, sheet, ranked(fit.channels, units), units)


def details_sheet(book: Any, fit: FitRecord, forms: Formats) -> None:
    """What analysts ask next of each channel: shares, last year, the next unit, costs.

    Args:
        book: The workbook.
        fit: What it says.
        forms: What `formats` gives.
    """
    other = _COST if fit.units.is_money else _ROI
    sheet = book.add_worksheet(say("Channel details"))
    results = [
        result
        for result in (*_DETAILS, other)
        if any(None not in _numbers(channel, result) for channel in fit.channels)
    ]
    _write_results(sheet, results, fit, forms)


def _write_results(
    sheet: Any,
    results: Sequence[_Result],
    fit: FitRecord,
    forms: Formats,
) -> None:
    """A row per channel, the best first: results with the ends of their intervals."""
    units, column = fit.units, 1
    channels, heads = ranked(fit.channels, units), [say("Channel")]
    outcome = outcome_form(units, _most_brought(fit.channels))
    name_column(sheet, [channel.name for channel in channels])
    sheet.freeze_panes(1, 1)
    sheet.write_string(0, 0, say("Channel"), forms.head)
    for result in results:
        title = _title(result, units)
        form = forms.named(_form(result, channels) or outcome)
        ends = [title] + [f"{title}, {end}" for end in ENDS] * result.is_estimate
        write_cells(sheet, 0, ends, forms.number_head, first=column)
        heads += ends
        for row, channel in enumerate(channels, start=1):
            write_cells(sheet, row, _numbers(channel, result), form, first=column)
        column += len(ends)
    sheet.set_column(1, column - 1, 16)
    for row, channel in enumerate(channels, start=1):
        sheet.write_string(row, 0, channel.name, forms.text)
    fit_heads(sheet, 0, heads)


def _form(result: _Result, channels: Sequence[Channel]) -> str:
    """The format of a result's cells."""
    if result.key != "cpik":
        return result.form
    costs = (_numbers(channel, result)[0] for channel in channels)
    least = min((cost for cost in costs if cost), default=1.0)
    return "fine" if least < FINE else result.form


def _most_brought(channels: Sequence[Channel]) -> float:
    """The largest contribution, outcome units."""
    brought = (channel.contribution for channel in channels)
    return max((abs(each.mean) for each in brought if each), default=0.0)


def _title(result: _Result, units: fmt.Units) -> str:
    """The head of a column; what the KPI is called is in it."""
    if result.key == "cpik" and not units.is_money:
        return units.cost_name
    name = units.kpi_in_text
    return say(result.title, outcome=name)


def _paid_media(
    sheet: Any,
    row: int,
    channels: Sequence[Channel],
    forms: Formats,
    units: fmt.Units,
) -> None:
    """Live sums over what was paid for: spend, what it brought, ROI or its cost."""
    paid = [channel for channel in channels if channel.spend]
    if not paid:
        return
    spend = sum(channel.spend for channel in paid)
    brought = sum(channel.contribution.mean for channel in paid)
    spends = f"{_SPENT_AT}2:{_SPENT_AT}{row}"
    summed = f'=SUMIF({spends},">0",{_BROUGHT_AT}2:{_BROUGHT_AT}{row})'
    sheet.write_string(row, 0, say("Paid media"), forms.total_text)
    live = [
        (_SPENT_AT, f"=SUM({spends})", "whole", spend),
        (_BROUGHT_AT, summed, outcome_form(units, _most_brought(channels)), brought),
    ]
    if units.is_money:
        roi = f"={_BROUGHT_AT}{row + 1}/{_SPENT_AT}{row + 1}"
        live.append((_ROI_AT, roi, "ratio", brought / spend))
    blank_total(sheet, row, range(3, _COLUMNS), forms)
    for column, formula, form, value in live:
        cell = f"{column}{row + 1}"
        sheet.write_formula(cell, formula, forms.total(form), value)


def _roi_chart(
    book: Any, sheet: Any, channels: Sequence[Channel], units: fmt.Units
) -> None:
    """ROI as bars, read off the cells, with their intervals."""
    has_roi = [channel.has_roi for channel in channels]
    if not any(has_roi):
        return
    last = max(i for i, has in enumerate(has_roi, start=1) if has)
    # LibreOffice draws ends that stand in cells, and none that a chart has itself.
    for row, channel in enumerate(channels[:last], start=2):
        for column, (formula, reach) in zip(
            _REACHES_AT, _reaches(row, channel), strict=False
        ):
            sheet.write_formula(f"{column}{row}", formula, None, reach)
    sheet.set_column(":".join(_REACHES_AT), 0, None, {"hidden": True})
    below, above = (
        f"='{say('Channels')}'!${column}$2:${column}${last + 1}"
        for column in _REACHES_AT
    )
    chart = book.add_chart({"type": "bar"})
    chart.add_series(
        {
            "name": say("ROI"),
            "categories": [say("Channels"), 1, 0, last, 0],
            "values": [say("Channels"), 1, 5, last, 5],
            "fill": {"color": "#235BDC", "transparency": 50},
            "gap": 45,
            "y_error_bars": {
                "type": "custom",
                "minus_values": below,
                "plus_values": above,
            },
        }
    )
    title = say(
        "{name}, {unit}: {centre} and 90 % interval",
        name=say("ROI"),
        unit=units.roi,
        centre=say("mean"),
    )
    chart.set_title({"name": title, "name_font": {"size": 14}})
    lowest = min(channel.roi.lo for channel in channels[:last] if channel.has_roi)
    highest = max(channel.roi.hi for channel in channels[:last] if channel.has_roi)
    room = {"min": min(0, math.floor(lowest)), "max": math.ceil(highest)}  # for ends
    chart.set_x_axis({"major_gridlines": GRID, "num_format": "General", **room})
    chart.set_y_axis({"reverse": True, "interval_unit": 1})
    chart.set_legend({"none": True})
    chart.show_hidden_data()
    chart_sheet(book, chart, say("ROI"))


def _reaches(row: int, channel: Channel) -> list[tuple[str, float]]:
    """How far the interval of ROI goes below and above its mean: formula and value."""
    roi = channel.roi
    if roi is None or not channel.has_roi:
        return []
    mean, low, high = (f"{column}{row}" for column in _ROI_WITH_ENDS_AT)
    return [
        (f"=MAX({mean}-{low},0)", max(roi.mean - roi.lo, 0.0)),
        (f"=MAX({high}-{mean},0)", max(roi.hi - roi.mean, 0.0)),
    ]


def _numbers(channel: Channel, result: _Result) -> list[float | None]:
    """A result of a channel: its estimate with both ends, or the one number."""
    estimate = getattr(channel, result.key)
    if not result.is_estimate:
        return [estimate]
    centre = "median" if result.key == "cpik" else "mean"  # as everywhere
    return [(estimate or {}).get(end) for end in (centre, "lo", "hi")]
