"""An edited workbook of a plan of weeks: its amounts, to be evaluated as they are.

The sheet that is edited has a row per week and a column per channel. The hidden sheet
`As planned` has the weeks as dates, and the scenario: prices, values and the objective
are those that the plan was made with.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.data.reading.findings import Finding
from core.errors import PlanError
from core.plan.limits.findings import fault, refuse
from core.plan.limits.stated import part
from core.plan.response.price import evaluated
from core.plan.scenario.workbook.changes import tables_of
from core.plan.scenario.workbook.faults import CellCheck
from core.plan.scenario.workbook.sheet import (
    ORIGIN,
    WEEK,
    Sheet,
    stored_scenario,
    week_sheet,
    with_beliefs,
)
from core.text import count
from core.text.languages.locale import date


def edited_weeks(
    sheets: Sequence[Mapping[str, Any]],
    filename: str,
    names: Sequence[str],
    currency: str,
) -> dict[str, Any]:
    """The scenario of an edited workbook: as in a scenario file, with `[spend]`.

    Args:
        sheets: What `core.data.files.load.workbook_cells` gives.
        filename: Its name, for messages.
        names: Paid channels of the fit.
        currency: Of the fit; empty where unknown.

    Raises:
        PlanError: It is no plan of weeks, or cells are no amounts; `findings` has
            every one, with file and cell.
    """
    edited, origin = tables_of(sheets, week_sheet)
    if edited is None or origin is None:
        lacks = f"table with the head {WEEK}" if edited is None else f"sheet {ORIGIN}"
        raise PlanError(
            f"{filename} has no {lacks}.",
            hint="Download a plan of weeks as XLSX, edit its amounts and upload that.",
            where=filename,
        )
    names = with_beliefs(names, origin)
    check = CellCheck(filename, edited, currency)
    faults = [*check.currency_of(origin), *check.columns(names, names)]
    refuse([*faults, *check.hidden(WEEK), *_weeks(check, origin)])
    refuse([*_amounts(check, names)])
    scenario = stored_scenario(origin)
    days = [day for day, _ in origin.lines]
    value = part(scenario, "horizon").get("value")
    horizon = {"start": days[0], "periods": len(days)}
    spend = {
        name: [float(line[name].value) for _, line in edited.lines] for name in names
    }
    table = evaluated(scenario, "weeks", spend)
    return table | {"horizon": horizon | ({"value": value} if value else {})}


def _weeks(check: CellCheck, origin: Sheet) -> Iterator[Finding]:
    """Weeks that are missing, new, or in another order."""
    days, weeks = [date(day) for day, _ in origin.lines], check.sheet.lines
    if len(weeks) != len(days):
        known = count(len(weeks), "week")
        message = f"{check.filename} has {known}; the plan has {len(days)}."
        hint = "Keep a row for every week; 0 is an amount, too."
        yield fault(check.sheet.title, message, hint)
        return
    for day, (week, line) in zip(days, weeks, strict=True):
        if _as_typed(week) != day:
            hint, cell = "Keep the weeks, in their order.", line[WEEK]
            message = f"{_as_typed(week) or 'nothing'} stands for the week of {day}."
            yield check.fault(cell, message, hint)


def _as_typed(week: str) -> str:
    """A cell of weeks in words: a date as it is read, or what was typed there."""
    try:
        return date(week)
    except ValueError:
        return week


def _amounts(check: CellCheck, names: Sequence[str]) -> Iterator[Finding]:
    for week, line in check.sheet.lines:
        for name in names:
            yield from check.amount(
                line[name], f"spend of {name} in the week of {_as_typed(week)}"
            )
