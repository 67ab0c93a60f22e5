"""Readiness: everything to know before a fit, of the table, the options and both.

Free of JAX: the command line, the Data and the Model screen ask the same function.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.data.assemble import checked
from core.data.cells.words import CALENDAR, HOLIDAY, SEASON
from core.data.checks.validate import in_order
from core.data.input_data import InputData
from core.data.mapping import ColumnMapping
from core.data.reading.findings import Finding
from core.data.recognition.naming import Name, read_name
from core.data.recognition.questions import mapping_findings
from core.data.recognition.without_media import media_finding, spend_finding
from core.errors import DataError
from core.model.shares.contradiction import contradictions
from core.model.shares.totals import totals
from core.model.spec import ModelSpec
from core.model.terms.season import short_history
from core.text.sentences import listed

if TYPE_CHECKING:
    import pandas as pd


def readiness(
    frame: "pd.DataFrame", mapping: ColumnMapping, spec: ModelSpec
) -> tuple[InputData | None, list[Finding]]:
    """The market, and everything worth knowing before it is fitted, errors first.

    Args:
        frame: The table as loaded.
        mapping: The roles of its columns.
        spec: The options of the model.

    Returns:
        None for the market where the table itself blocks a fit.
    """
    data, findings = checked(frame, mapping, spec)
    absent = media_finding(frame, mapping)
    if absent is not None:
        return data, in_order([absent, *findings])
    unpaid = spend_finding(mapping)
    findings = findings if unpaid is None else [*findings, unpaid]
    if data is None:
        return data, in_order(findings)
    return data, in_order(
        [
            *contradictions(spec, totals(data), mapping.kpi),
            *findings,
            *mapping_findings(mapping),
            *_calendar_twice(spec, data),
            *short_history(spec, data.times),
        ]
    )


def _calendar_twice(spec: ModelSpec, data: InputData) -> Iterator[Finding]:
    """Dummies of holidays or weeks beside terms of the model that say the same."""
    names = data.control_names
    holidays = [name for name in names if read_name(name).has(HOLIDAY)]
    weeks = [name for name in names if is_season_dummy(read_name(name))]
    if spec.holidays and holidays:
        message = (
            f"The model has the holidays of {spec.holidays} already, beside controls "
            f"{listed(holidays)}."
        )
        hint = "Keep one of both: leave these controls out, or take out holidays."
        yield Finding("info", "model.holidays", message, hint)
    if weeks and (spec.recurring or spec.is_structural):
        message = (
            f"The model has a season already, beside controls {listed(weeks)}, which "
            "count the time of the year."
        )
        hint = "Leave these controls out, unless they mark single weeks that stand out."
        yield Finding("info", "model.seasonality", message, hint)


def refuse_contradictions(spec: ModelSpec, data: InputData, kpi: str) -> None:
    """Refuse to fit where spend and KPI cannot be the same money.

    Raises:
        DataError: Carries every error; its message is the first.
    """
    errors = [
        finding
        for finding in contradictions(spec, totals(data), kpi)
        if finding.severity == "error"
    ]
    if errors:
        raise DataError.of(errors)


def is_season_dummy(name: Name) -> bool:
    """Whether a control counts the time of the year: `seas_week_40`, `month_3`."""
    rest = {word for word in name.words if not word.isdigit()}
    return bool(rest & SEASON) and rest <= (SEASON | CALENDAR)
