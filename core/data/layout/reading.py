"""From files to a wide table and its mapping: the one way for every caller."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from core.data.cells.labels import as_written
from core.data.cells.words import word_set
from core.data.layout.answers import answered
from core.data.layout.guess import Guess, guess, without_doubles
from core.data.layout.kinds.dating import clock_example, epoch_question, stamps_note
from core.data.layout.kinds.exports import File, reading_notes
from core.data.layout.kinds.vocabulary import is_bare, measure, spoken
from core.data.layout.recipe import Source
from core.data.layout.stated import NOTHING, StatedColumns
from core.data.layout.tables.doubles import read_all
from core.data.layout.tables.wide import Table, assembled
from core.data.mapping import ColumnMapping
from core.data.multiples import multiple
from core.data.reading.doubts import epoch_note
from core.data.reading.findings import Finding
from core.data.reading.numbers import as_numbers
from core.data.recognition.outcomes import guess_kpi_type
from core.data.recognition.recognise import guess_roles, no_kpi
from core.data.recognition.roles import ColumnRole, mapping_from_roles
from core.errors import SchemaError
from core.text.sentences import count, listed, verb

#: Words for places that sell, which may be app stores or shops on the web, too.
_SHOPS = word_set("reading.shops")


def read_files(files: Sequence[File], stated: StatedColumns = NOTHING) -> Table:
    """One table of one or more files, as guessed, with what a person said.

    Raises:
        DataError: A file is no table, or files do not fit together.
    """
    kpi = stated.kpi or None
    if len(files) == 1 and files[0].date is None:  # the mapping says what is missing
        return Table(files[0].frame, None, tuple(files), kpi=kpi)
    read_as = answered(guess(files, stated), stated)
    if read_as.is_plain:
        file = read_as.files[0]
        findings = file.findings
        return Table(file.frame, None, (file,), findings=findings, kpi=kpi)
    return made(read_as, kpi)


def made(read_as: Guess, kpi: str | None = None) -> Table:
    """The table of a guess that a person has seen.

    Raises:
        DataError: Files do not fit the layout or each other.
    """
    talls = read_all(read_as.layout, read_as.files)
    fewer, doubled = without_doubles(read_as, talls)
    if doubled:
        talls = read_all(fewer.layout, fewer.files)
    wide = assembled(fewer.layout, talls)
    findings = (*doubled, *_unused(fewer), *read_notes(fewer), *wide.findings)
    findings = (*findings, *_same_outcome(fewer), *_stores(fewer))
    return replace(wide, files=fewer.files, findings=tuple(findings), kpi=kpi)


def read_notes(read_as: Guess) -> list[Finding]:
    """What was done to cells that the layout reads."""
    findings = []
    for source, file in zip(read_as.layout.sources, read_as.files, strict=True):
        findings += reading_notes(file, source.columns())
        question = epoch_question(file.frame, source.date)
        if question is not None and (source.dates or question.usual) == "1900":
            findings.append(epoch_note(question, file.where(source.date)))
        stamps = stamps_note(file.called, file.frame, source.date)
        findings += [] if stamps is None else [stamps]
        clock, is_late = clock_example(file.frame[source.date])
        if clock is not None:
            message = (
                f"Column {source.date} of {file.called} holds times of the day: each "
                f"row counts on the date that is written, such as {clock}."
            )
            hint = (
                "If the times are of another time zone, the day meant can be another "
                "one: export dates without a time, or in local time."
            )
            where = file.where(source.date)
            severity = "warning" if is_late else "info"
            findings.append(Finding(severity, where, message, hint))
    return list(dict.fromkeys(findings))


def _unused(read_as: Guess) -> list[Finding]:
    """Columns of files that the layout does not read, and why."""
    findings = []
    for file in dict.fromkeys(read_as.files):
        sources = [
            source
            for source, other in zip(read_as.layout.sources, read_as.files, strict=True)
            if other is file
        ]
        used = {column for source in sources for column in source.columns()}
        rest = [str(name) for name in file.frame.columns if name not in used]
        rest = [name for name in rest if file.frame[name].notna().any()]
        json = [name for name in rest if name in file.json]
        if json:
            message = (
                f"{count(len(json), 'column')} of {file.called} "
                f"{verb(len(json), 'hold')} JSON and {verb(len(json), 'are')} left "
                f"out: {listed(json)}."
            )
            hint = "Export what is in them as columns of numbers to use it."
            findings.append(Finding("info", file.where(json[0]), message, hint))
        plain = [name for name in rest if name not in json]
        if sources[0].kind == "campaigns":
            findings += _spent_twice(sources[0], file, plain)
        if plain and sources[0].kind != "table":
            message = f"Not used of {file.called}: {listed(plain, limit=12)}."
            findings.append(Finding("info", file.called, message))
    return findings


def _spent_twice(source: Source, file: File, unused: list[str]) -> list[Finding]:
    """Columns of spend that are a multiple of the one that is read: with tax."""
    used = next((name for what, name in source.amounts if what == "spend"), None)
    if used is None:
        return []
    amounts = as_numbers(file.frame[used]).values
    factors = {
        name: multiple(amounts, as_numbers(file.frame[name]).values)
        for name in unused
        if measure(name) == "spend"
    }
    return [
        Finding(
            "warning",
            file.where(name),
            f"{name} of {file.called} is {factor:.4g} times {used} in every row: the "
            f"same spend, such as with and without tax or fees. {used} is used.",
            f"If {name} is the spend that is meant, leave {used} out of the file.",
        )
        for name, factor in factors.items()
        if factor is not None
    ]


def _stores(read_as: Guess) -> list[Finding]:
    """Spend by store or shop that is summed to one channel: places, or channels."""
    if read_as.layout.geos != "summed":
        return []
    findings = []
    for source, file in zip(read_as.layout.sources, read_as.files, strict=True):
        spent = [column for _, column in source.amounts if measure(column) == "spend"]
        if source.kind != "table" or source.geo is None or len(spent) != 1:
            continue
        if _SHOPS.isdisjoint(spoken(source.geo)):
            continue
        places = as_written(file.frame[source.geo])
        values = [str(value) for value in places.dropna().unique()]
        message = (
            f"{spent[0]} of {file.called} is summed over {source.geo} "
            f"({listed(values, limit=3)}) to one channel."
        )
        hint = f"If these are channels, call the column Channel, not {source.geo}."
        findings.append(Finding("warning", file.where(source.geo), message, hint))
    return findings


def _same_outcome(read_as: Guess) -> list[Finding]:
    """Files that each have the same outcome, of which only one can be the KPI.

    Beside a file of what was sold, what platforms claim is no part of it.
    """
    files: dict[str, list[str]] = {}
    pairs = list(zip(read_as.layout.sources, read_as.files, strict=True))
    shops = [(source, file) for source, file in pairs if not _has_own_cost(file)]
    if any(measure(n) == "outcome" for source, _ in shops for n, _ in source.amounts):
        pairs = shops
    for source, file in pairs:
        names = [name for name, _ in source.amounts if name == "revenue"]
        if source.kind == "table":
            names = [n for n, _ in source.amounts if measure(n) == "outcome"]
        for name in names:
            files.setdefault(name.casefold(), []).append(file.called)
    return [
        Finding(
            "warning",
            called[0],
            f"{listed(called)} each have {name}, and one column is the KPI: what the "
            "others sold does not count.",
            "If all of it is the business that the media is for, put the rows into one "
            f"file, or add a column of their sum; else choose which {name} is meant.",
        )
        for name, called in files.items()
        if len(set(called)) > 1
    ]


def roles_of_table(table: Table) -> list[ColumnRole]:
    """The role of every column: by the layout, by choice, else as recognised.

    Raises:
        SchemaError: The column chosen for the KPI does not exist.
    """
    by_column = {role.column: role for role in table.roles if role.column != table.kpi}
    if table.kpi is not None and table.kpi not in table.frame.columns:
        columns = [str(name) for name in table.frame.columns]
        raise SchemaError(
            f"There is no column {table.kpi} for the KPI.",
            hint=f"There are {listed(columns, limit=12)}.",
            where=table.kpi,
        )
    guessed = guess_roles(table.frame, kpi=table.kpi, reported=_of_platforms(table))
    entries = [by_column.get(entry.column, entry) for entry in guessed]
    if table.kpi is None:
        return _kpi_beside_channels(entries, by_column)
    return entries


def _of_platforms(table: Table) -> set[str]:
    """Columns of files that have the cost of one account: what they sold is a claim."""
    if table.layout is None:
        return set()
    return {
        name
        for source, file in zip(table.layout.sources, table.files, strict=True)
        if source.kind == "campaigns" or _has_own_cost(file)
        for name in (*(wide for wide, _ in source.amounts), *source.averages)
    }


def _has_own_cost(file: File) -> bool:
    """Whether a file has spend that names no channel: `Cost`, not `TV cost`."""
    names = [str(name) for name in file.frame.columns]
    return any(measure(name) == "spend" and is_bare(name) for name in names)


def _kpi_beside_channels(
    entries: list[ColumnRole], by_column: dict[str, ColumnRole]
) -> list[ColumnRole]:
    """The KPI of a table that has none by name: what orders give."""
    if any(entry.role == "kpi" for entry in entries):
        return entries
    likely = [e for e in entries if e.column in ("revenue", "orders", "units")]
    if not likely or not by_column:
        return entries
    kpi = ColumnRole(likely[0].column, "kpi", reason="The layout says so.")
    return [kpi if entry is likely[0] else entry for entry in entries]


def mapping_of_table(table: Table) -> ColumnMapping:
    """The most likely mapping of a table.

    Raises:
        SchemaError: No column is a time, or none a KPI; the message says which file
            would have it.
    """
    entries = roles_of_table(table)
    by_role = {entry.role: entry.column for entry in entries}
    called = listed(list(dict.fromkeys(file.called for file in table.files)))
    where = table.files[0].called if table.files else "table"
    shown = listed([str(name) for name in table.frame.columns], limit=12)
    if "time" not in by_role:
        raise SchemaError(
            "No column holds dates.",
            hint=f"Add a column such as week, with dates like 2021-01-25, to {shown}; "
            "or say when the first row begins: --start 2021-01-25 --every week with "
            "core init, or on the Data screen.",
            where="time",
        )
    if "kpi" not in by_role:
        raise _no_kpi(table, entries, called, where)
    kpi = by_role["kpi"]
    kind = guess_kpi_type(table.frame, kpi, "revenue_per_kpi" in by_role)
    return mapping_from_roles(entries, kpi_type=kind)


def _no_kpi(
    table: Table, roles: list[ColumnRole], called: str, where: str
) -> SchemaError:
    layout = table.layout
    if layout is not None and all(s.kind == "campaigns" for s in layout.sources):
        reported = _reported(table)
        own = f", or choose what the platform reports: {reported}" if reported else ""
        return SchemaError(
            f"{called} has media but not the KPI of the shop: no sales, revenue or "
            "orders.",
            hint=f"Add a second file with the KPI by day or week{own}.",
            where=where,
        )
    return no_kpi(roles, table.frame)


def _reported(table: Table) -> str:
    """Outcomes that a platform counts itself."""
    names = [
        str(name)
        for file in table.files
        for name in file.frame.columns
        if measure(str(name)) == "outcome"
        and pd.api.types.is_numeric_dtype(file.frame[name].dtype)
    ]
    return listed(names)
