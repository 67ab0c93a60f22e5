"""The sheets of a workbook that look ahead: the forecast, and a plan's spend in it."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
import xarray as xr
from xlsxwriter.utility import xl_col_to_name

from core import text as fmt
from core.analysis.ahead.outlook import outlook
from core.errors import PlanError
from core.plan.against.planned_forecast import begun_spend_in, planned_forecast
from core.plan.against.planned_spend import planned_spend
from core.plan.record.plan_record import PlanRecord
from core.plan.response.periods import horizon_to_come
from core.project.plans.plan_actuals import terms
from core.report.books.workbook import (
    Formats,
    Live,
    notes,
    outcome_form,
    write_cells,
    write_heads,
    write_sum,
)
from core.report.content import Content
from core.text.languages.language import say

#: Rows above the first period.
_HEAD = 3
#: Periods of a forecast where no plan says how many.
_PERIODS = 26
#: Columns of a period's outcome: their keys in the outlook.
_ENDS = ("mean", "lo90", "lo50", "hi50", "hi90")


def ahead_sheets(
    book: Any, content: Content, plan: PlanRecord | None, forms: Formats
) -> None:
    """Forecast of the next periods, and what a plan spends in each of its own.

    Nothing where the fit has no forecast. The forecast follows the plan where it has
    periods of the plan; else media go on as a year earlier.

    Args:
        book: The workbook.
        content: The run.
        plan: The plan that is reported with it.
        forms: What `formats` gives.
    """
    view = content.forecast
    if view is None:
        return
    n = min(_PERIODS, view.sizes["time"])
    spend: dict[str, np.ndarray] = {}
    if plan is not None and not plan.horizon.as_fitted:
        ours = _until(view, plan.horizon.end)
        try:
            spend = planned_spend(plan, view, ours)
        except PlanError:  # it begins after the forecast ends
            spend = {}
        if spend:
            bought = terms(content.run, plan, view)
            spend |= begun_spend_in(plan, view, ours)
            view, n = planned_forecast(plan, view, ours, bought), ours
    forecast = view.isel(time=slice(n))
    _forecast_sheet(book, content, forecast, plan if spend else None, forms)
    if plan is not None and spend and plan.over != "weeks":
        days = [str(day)[:10] for day in forecast["time"].values]
        own = [place for place, day in enumerate(days) if day >= plan.horizon.start]
        planned = {name: amounts[own] for name, amounts in spend.items()}
        ran = plan.horizon.as_it_ran
        _spend_sheet(book, [days[i] for i in own], planned, ran, forms)


def _until(view: xr.Dataset, end: str) -> int:
    """Periods of the forecast up to a day."""
    days = view["time"].values.astype("datetime64[D]").astype(str)
    return max(1, int((days <= end).sum()))


def _forecast_sheet(
    book: Any,
    content: Content,
    view: xr.Dataset,
    plan: PlanRecord | None,
    forms: Formats,
) -> None:
    """The outcome of each period with both intervals, and what it is made of."""
    sheet, units = book.add_worksheet(say("Forecast")), content.units
    names, parts = _parts(view)
    form = forms.named(outcome_form(units, float(np.abs(parts).max())))
    expected = fmt.titled(say("Expected"), units.outcome or units.kpi_name)
    heads = (
        say("Period"),
        expected,
        *(f"{end}\u00a0%" for end in (5, 25, 75, 95)),
        say("Baseline"),
        *names,
    )
    sheet.set_column(0, 0, 14)
    sheet.set_column(1, len(heads) - 1, 14)
    if plan is None:
        days = [week.time for week in outlook(view).weeks]
        about = say(
            "Forecast of {kpi} with the media of {ran}.",
            kpi=units.outcome_in_text,
            ran=horizon_to_come(view.attrs, days).as_it_ran,
        )
    elif not plan.name:
        about = say("Forecast of {kpi} with this plan.", kpi=units.outcome_in_text)
    else:
        about = say(
            "Forecast of {kpi} with the plan {name}.",
            kpi=units.outcome_in_text,
            name=plan.title,
        )
    spread = say(
        "Half of all periods fall between 25 % and 75 %, "
        "nine of ten between 5 % and 95 %."
    )
    notes(sheet, 0, [about, spread], forms, (0, 6))
    _heads(sheet, heads, forms)
    for place, week in enumerate(outlook(view).weeks):
        sizes = [getattr(week, end) for end in _ENDS] + [part[place] for part in parts]
        cells = date.fromisoformat(week.time), *map(float, sizes)
        write_cells(sheet, _HEAD + place, cells, forms.date, form)


def _parts(view: xr.Dataset) -> tuple[list[str], list[np.ndarray]]:
    """Channels, and the expected outcome of the baseline and of each, by period."""
    parts = [view["baseline"].mean("draw").values]
    if "events" in view:
        parts[0] = parts[0] + view["events"].mean("draw").values
    added = view["contribution"].mean("draw").transpose("channel", "time").values
    return [str(name) for name in view["channel"].values], [*parts, *added]


def _spend_sheet(
    book: Any,
    days: list[str],
    spend: Mapping[str, np.ndarray],
    ran: str,
    forms: Formats,
) -> None:
    """What a plan spends on each channel in each period, summed live."""
    sheet = book.add_worksheet(say("Planned spend"))
    heads = (say("Period"), *spend, say("All channels"))
    sheet.set_column(0, 0, 14)
    sheet.set_column(1, len(heads) - 1, 15)
    about = say(
        "Planned spend: each channel's budget, with the timing of {ran}; evenly where "
        "it had no spend then.",
        ran=ran,
    )
    notes(sheet, 0, [about], forms, (0, 6))
    _heads(sheet, heads, forms)
    last = xl_col_to_name(len(spend))
    for place, day in enumerate(days):
        row = _HEAD + place
        amounts = [float(weeks[place]) for weeks in spend.values()]
        summed = Live(f"=SUM(B{row + 1}:{last}{row + 1})", sum(amounts))
        cells = date.fromisoformat(day), *amounts, summed
        write_cells(sheet, row, cells, forms.date, forms.whole)
    row = _HEAD + len(days)
    sheet.write_string(row, 0, say("Total"), forms.total_text)
    sums = [float(weeks.sum()) for weeks in spend.values()]
    for column, value in enumerate((*sums, sum(sums)), start=1):
        write_sum(sheet, (_HEAD, row), column, value, forms.total_whole)


def _heads(sheet: Any, heads: tuple[str, ...], forms: Formats) -> None:
    """The heads above the periods, on every page that is printed."""
    write_heads(sheet, _HEAD - 1, heads, forms)
    sheet.freeze_panes(_HEAD, 1)
    sheet.repeat_rows(_HEAD - 1)
