"""Columns: what tables hold, what they leave open, and the project they become."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core import text as fmt
from core.data.checks.validate import in_order
from core.data.currency import guess_currency
from core.data.layout.describe import sentence
from core.data.layout.kinds.exports import File
from core.data.layout.reading import Table, mapping_of_table, read_files
from core.data.layout.recipe import Layout
from core.data.layout.stated import NOTHING, StatedColumns
from core.data.mapping import ColumnMapping
from core.data.observations import observe
from core.data.query.definition import Query
from core.data.reading.doubts import answered, questions
from core.data.reading.findings import Finding
from core.data.recognition.questions import guess_findings, like_spend
from core.data.recognition.text_events import event_values, text_events
from core.data.recognition.without_media import media_finding, with_paid
from core.errors import SchemaError
from core.model.inputs.events import Event, holidays_of
from core.model.readiness import readiness
from core.model.spec import ModelSpec
from core.project.settings.defaults import default_spec
from core.project.shelf.lifecycle import init_project, refuse_taken
from core.text.languages.locale import STANDARD
from core.text.sentences import count, listed, verb

#: Any days: whether a country has a calendar does not depend on them.
_TWO_WEEKS = np.array(["2024-01-01", "2024-01-08"], "datetime64[D]")


@dataclass(frozen=True)
class Recognised:
    """What files were recognised as.

    Attributes:
        table: Their table.
        mapping: The role of each column.
        spec: Options of the model.
        currency: Of spend and revenue; empty where nobody and nothing says.
    """

    table: Table
    mapping: ColumnMapping
    spec: ModelSpec
    currency: str

    def as_dict(self) -> dict[str, Any]:
        """As `init --json` prints it."""
        about = {"rows": len(self.table.frame), "mapping": asdict(self.mapping)}
        return about | {"currency": self.currency} | layout_of(self.table)


def gone(
    earlier: pd.DataFrame,
    frame: pd.DataFrame,
    mapping: ColumnMapping,
    *,
    earlier_mapping: ColumnMapping | None = None,
) -> list[Finding]:
    """That periods or geos of a project are not in the table that replaces its own.

    Args:
        earlier: The project's table.
        frame: The new one.
        mapping: The roles of the columns of the new one.
        earlier_mapping: Those of the project's, where they are others.
    """
    before = earlier_mapping or mapping
    had, has = observe(earlier, before), observe(frame, mapping)
    lost = sorted(set(had.times) - set(has.times))
    findings = _periods_gone(lost, mapping.time)
    if before.geo is not None and mapping.geo is not None:
        findings += _geos_gone(had.geos, has.geos, mapping.geo)
    return findings


def _geos_gone(had: Sequence[str], has: Sequence[str], column: str) -> list[Finding]:
    """That geos of a project are not in the new files."""
    lost = [name for name in had if name not in has]
    if not lost:
        return []
    message = (
        f"{count(len(lost), 'geo')} that the project had, {listed(lost, limit=6)}, "
        f"{verb(len(lost), 'are')} not in the new files, which replace its table."
    )
    fresh = [name for name in has if name not in had]
    if fresh:
        message += f" New in them: {listed(fresh, limit=6)}."
    hint = "Add their rows, or check that the geos were not renamed."
    return [Finding("warning", f"column {column}", message, hint)]


def _periods_gone(lost: Sequence[np.datetime64], column: str) -> list[Finding]:
    """That periods which a project had are not in the new files."""
    if not lost:
        return []
    message = (
        f"{count(len(lost), 'date')} that the project had, {lost[0]} to {lost[-1]}, "
        f"{verb(len(lost), 'are')} not in the new files, which replace its table."
    )
    hint = "To add rows to those it has, use refresh, or New rows on History."
    return [Finding("warning", f"column {column}", message, hint)]


def in_words(table: Table) -> str:
    """How a table was made of files, in one sentence."""
    return sentence(table.layout, table.files)


def layout_of(table: Table) -> dict[str, Any]:
    """How a table was made, for machines; findings alone for a file as it lies."""
    problems = [finding.as_dict() for finding in table.findings]
    if table.layout is None:
        return {"findings": problems}
    return {
        "layout": in_words(table),
        "totals": [asdict(total) for total in table.totals],
        "findings": problems,
    }


def findings(
    files: Sequence[File], stated: StatedColumns = NOTHING
) -> tuple[Table, list[Finding]]:
    """The table of files, and what is wrong with it or left open.

    Args:
        files: The files.
        stated: What a person says about them.

    Raises:
        DataError: A file is no table, or files do not fit together.
        SpecError: Nobody knows the holidays of the country.
    """
    table = _read(files, stated)
    mapping = _read_as(table.frame, mapping_of_table(table), stated)
    return table, findings_of(table.frame, mapping, table.findings)


def findings_of(
    frame: pd.DataFrame, mapping: ColumnMapping, notes: Sequence[Finding] = ()
) -> list[Finding]:
    """What is wrong with a table that is to become a project, worst first.

    Args:
        frame: One row per period and geo.
        mapping: The role of each column.
        notes: What was found while it was read.
    """
    of_model = readiness(frame, mapping, default_spec(mapping))[1]
    return in_order([*of_model, *guess_findings(frame, mapping), *notes])


def recognised(files: Sequence[File], stated: StatedColumns = NOTHING) -> Recognised:
    """What files are recognised as.

    Args:
        files: The files.
        stated: What a person says about them.

    Raises:
        DataError: A file is no table, files do not fit together, or an answer names a
            column that there is none of.
        SpecError: Nobody knows the holidays of the country.
    """
    table = _read(files, stated)
    mapping = _with_roles(table, stated)
    open_ones = [name for name in mapping.controls if name not in stated.control]
    rest = replace(mapping, controls=tuple(open_ones))
    table = replace(table, findings=(*table.findings, *like_spend(table.frame, rest)))
    return Recognised(
        table,
        mapping,
        _spec(table.frame, mapping, stated),
        currency_of(table, mapping, stated.currency or None),
    )


def create(
    folder: Path,
    table: Recognised,
    *,
    query: Query | None = None,
    locale: str = STANDARD,
) -> Path:
    """Make a project of a table; its folder.

    Args:
        folder: The project's, which does not exist yet.
        table: What files were recognised as.
        query: What the table can be read again with.
        locale: How its numbers, money and dates are written.

    Raises:
        AccessError: The one who acts may not.
        SchemaError: The table has no media.
        WorkspaceError: There is something already, or it cannot be written.
    """
    refuse_taken(folder)
    names = fmt.listed(list(dict.fromkeys(file.called for file in table.table.files)))
    check_media(table.table.frame, table.mapping, names or "The table")
    return init_project(
        folder,
        table.table.frame,
        table.mapping,
        currency=table.currency,
        spec=table.spec,
        layout=table.table.layout,
        query=query,
        locale=locale,
    )


def currency_of(table: Table, mapping: ColumnMapping, stated: str | None) -> str:
    """The currency of spend and revenue; empty where nobody and nothing says."""
    if stated is not None:
        return stated
    return currency_of_table(table.frame, mapping, table.layout)


def currency_of_table(
    frame: pd.DataFrame, mapping: ColumnMapping, layout: Layout | None
) -> str:
    """The currency that a table names; empty where it names none."""
    if layout is not None and layout.currency:
        return layout.currency
    return guess_currency(frame, mapping)[0]


def _read(files: Sequence[File], stated: StatedColumns) -> Table:
    """The table of files; a country without a calendar is refused before."""
    if stated.holidays:
        holidays_of(stated.holidays, _TWO_WEEKS)
    return read_files(files, stated)


def _read_as(
    frame: pd.DataFrame, mapping: ColumnMapping, stated: StatedColumns
) -> ColumnMapping:
    """The mapping with how ambiguous dates and numbers are read."""
    doubts = questions(frame, mapping)
    choices = {
        question.column: stated.dates
        if question.column == mapping.time
        else stated.decimal
        for question in doubts
    }
    return answered(mapping, doubts, choices)


def _with_roles(table: Table, stated: StatedColumns) -> ColumnMapping:
    """The guessed mapping, with what a person says."""
    frame = table.frame
    of_value = [stated.value] if isinstance(stated.value, str) else []
    _check_columns(frame, [*stated.control, *stated.ignore, *stated.events, *of_value])
    _refuse_contradiction(stated, of_value)
    # A channel is several columns, so what is left out is left out before the guess.
    rest = frame.drop(columns=[*stated.ignore, *of_value])
    mapping = mapping_of_table(replace(table, frame=rest))
    if stated.value is not None:
        value = stated.value if of_value else float(stated.value)
        mapping = replace(mapping, kpi_type="non_revenue", revenue_per_kpi=value)
    elif stated.kpi_is is not None:
        kind = "revenue" if stated.kpi_is == "money" else "non_revenue"
        value = None if kind == "revenue" else mapping.revenue_per_kpi
        mapping = replace(mapping, kpi_type=kind, revenue_per_kpi=value)
    added = [name for name in stated.control if name not in mapping.controls]
    mapping = replace(
        mapping, spend_unit=stated.spend_unit, controls=(*mapping.controls, *added)
    )
    mapping = _read_as(frame, mapping, stated)
    return with_paid(mapping, list(stated.paid))


def _refuse_contradiction(stated: StatedColumns, of_value: Sequence[str]) -> None:
    """Refuse to leave a column out that another answer uses."""
    used = {stated.kpi, *stated.control, *stated.events, *of_value}
    for name in stated.ignore:
        if name in used:
            raise SchemaError(
                f"Column {name} cannot be left out and used at once.",
                hint="Take back one of the two answers.",
                where=name,
            )


def _check_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse names of columns that the table does not have."""
    known = [str(name) for name in frame.columns]
    for name in names:
        if name not in known:
            raise SchemaError(
                f"There is no column {name}.",
                hint=f"The table has {fmt.listed(known, limit=12)}.",
                where=name,
            )


def check_media(
    frame: pd.DataFrame, mapping: ColumnMapping, called: str = "The table"
) -> None:
    """Refuse to make a project without media.

    Args:
        frame: Its table.
        mapping: The role of each column.
        called: What the message calls the table.

    Raises:
        SchemaError: There is none; the hint says what the table is good for.
    """
    absent = media_finding(frame, mapping, called)
    if absent is not None:
        raise SchemaError(absent.message, hint=absent.hint, where=absent.where)


def _spec(
    frame: pd.DataFrame, mapping: ColumnMapping, stated: StatedColumns
) -> ModelSpec:
    """The default options, with holidays, and the events that columns of text hold."""
    events = events_in(frame, mapping, stated.events)
    spec = default_spec(mapping, frame)
    return replace(spec, events=events, holidays=stated.holidays)


def events_in(
    frame: pd.DataFrame, mapping: ColumnMapping, columns: Sequence[str]
) -> tuple[Event, ...]:
    """The events that the values of columns of text are."""
    return tuple(
        Event(*event)
        for column in columns
        for event in text_events(frame, mapping, column)
    )


def event_columns(frame: pd.DataFrame) -> list[str]:
    """Columns of text that look like events."""
    return list(event_values(frame, ColumnMapping("", "")))
