"""The same layout again: next month's files, read without a question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.layout.guess import Guess
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.geo_columns import rows_of_places
from core.data.layout.kinds.geo_totals import without_geo_totals
from core.data.layout.kinds.money import currency_of, distinct_codes, is_same
from core.data.layout.kinds.vocabulary import MEASURES, is_money
from core.data.layout.reading import read_notes
from core.data.layout.recipe import Layout, Source
from core.data.layout.tables.doubles import read_all
from core.data.layout.tables.people import with_people
from core.data.layout.tables.wide import Table, assembled
from core.data.layout.twice.overlaps import appended
from core.data.layout.twice.place_files import placed_again
from core.data.mapping import PAID, ColumnMapping
from core.data.reading.dates import parse_dates
from core.data.reading.doubts import number_columns
from core.data.reading.findings import Finding
from core.data.reading.numbers import as_numbers
from core.errors import SchemaError
from core.text.sentences import listed


def read_again(
    layout: Layout,
    files: Sequence[File],
    mapping: ColumnMapping | None = None,
    currency: str = "",
) -> Table:
    """The table that a layout makes of new files.

    Files are told apart by their columns, not by their names; several with the same
    columns are put together.

    Args:
        layout: How earlier files were read.
        files: The new ones, in any order.
        mapping: The columns that a project uses; a channel that ran no more gets
            zeros.
        currency: Of the project; empty where nobody has said.

    Raises:
        DataError: A file does not fit the layout or is in another currency, or one is
            missing.
    """
    files_matched = matched(layout, files)
    unknown = other_currencies(files_matched, currency)
    wide = assembled(layout, read_all(layout, files_matched.files))
    table = replace(
        wide,
        files=files_matched.files,
        findings=(*unknown, *read_notes(files_matched), *wide.findings),
        kpi=None if mapping is None else mapping.kpi,
    )
    return table if mapping is None else fitting(table, mapping)


def other_currencies(read_as: Guess, currency: str) -> list[Finding]:
    """What amounts of new files say of their currency, where the layout reads none.

    Raises:
        SchemaError: It is not the one of the project.
    """
    findings = []
    layout = read_as.layout
    for source, file in zip(layout.sources, read_as.files, strict=True):
        if source.currency_column:
            continue  # rows are converted, or have no rate
        money = [c for name, c in source.amounts if is_money(name) or is_money(c)]
        text = currency_of(file, money)
        if not text:
            continue
        codes = [text["currency"], *(code for _, code in text["currencies"])]
        if column := text.get("currency_column"):
            codes += distinct_codes(file.frame[column])
        codes = list(dict.fromkeys(filter(None, codes)))
        ours = source.currency or layout.currency or currency
        own_codes = [ours, *(code for _, code in source.currencies)] if ours else []
        other = [c for c in codes if not any(is_same(c, one) for one in own_codes)]
        if other and own_codes:
            raise SchemaError(
                f"{file.called} is in {listed(other)}, and the project is in {ours}.",
                hint=f"Convert its amounts to {ours}, and load it again.",
                where=file.called,
            )
        if other:
            message = (
                f"{file.called} is in {listed(other)}, and nobody has said what the "
                "project's other amounts are in."
            )
            hint = f"Check that they are in {other[0]} too."
            findings.append(Finding("warning", file.called, message, hint))
    return findings


def with_answers(
    layout: Layout,
    answers: Mapping[str, str | None],
    rates: Mapping[str, float] | None = None,
) -> Layout:
    """A layout with what a person said of new files.

    Args:
        layout: The layout so far.
        answers: To `overlap`, `cancelled`, `dates` and `decimal`; others do not count.
        rates: What one unit of a currency is worth in the layout's; others stay.
    """
    texts = {key: value for key, value in answers.items() if value}
    ways = {key: texts[key] for key in ("overlap", "cancelled") if key in texts}
    reading = {key: texts[key] for key in ("dates", "decimal") if key in texts}
    sources = tuple(replace(source, **reading) for source in layout.sources)
    worth = tuple((dict(layout.rates) | dict(rates or {})).items())
    return replace(layout, sources=sources, rates=worth, **ways)


def matched(layout: Layout, files: Sequence[File]) -> Guess:
    """The file of every source of a layout.

    Raises:
        SchemaError: A file fits no source, or a source has no file.
    """
    files = with_people(files)
    groups: dict[tuple[str, str | None], list[Source]] = {}
    for source in layout.sources:
        groups.setdefault((source.name, source.part), []).append(source)
    by_source: dict[tuple[str, str | None], list[File]] = {key: [] for key in groups}
    for file in placed_again(layout, files) if layout.overlap == "places" else files:
        if layout.geo_columns == "places":
            file = rows_of_places(file, "places")[0]
        key = _best(file, groups)
        if key is None:
            raise _unknown(file, groups)
        by_source[key].append(file)
    for key, members in by_source.items():
        if not members:
            columns = dict.fromkeys(
                c for source in groups[key] for c in source.columns()
            )
            raise SchemaError(
                f"No file has the columns of {key[0]}: {listed(list(columns))}.",
                hint="Add the file that takes its place.",
                where=key[0],
            )
    inside = "newest" if layout.overlap == "apart" else layout.overlap
    whole = {
        key: appended(members, overlap=inside, dates=groups[key][0].dates)
        for key, members in by_source.items()
    }
    if layout.overlap == "places":
        whole = {key: without_geo_totals(file) for key, file in whole.items()}
    return Guess(
        layout, tuple(whole[source.name, source.part] for source in layout.sources)
    )


def _best(
    file: File, groups: dict[tuple[str, str | None], list[Source]]
) -> tuple[str, str | None] | None:
    """The sources whose columns a file has; those with the most columns."""
    present = {str(name) for name in file.frame.columns}
    fits = {}
    for key, sources in groups.items():
        needed = {column for source in sources for column in source.columns()}
        if needed <= present:
            prefix = sources[0].prefix.casefold()
            named = bool(prefix) and prefix in file.called.casefold()
            same = (key[0] == file.name, key[1] == file.part)
            fits[key] = (len(needed), *same, named)
    return max(fits, key=lambda key: fits[key], default=None)


def _unknown(
    file: File, groups: dict[tuple[str, str | None], list[Source]]
) -> SchemaError:
    present = {str(name) for name in file.frame.columns}
    absent = {
        key: [c for source in sources for c in source.columns() if c not in present]
        for key, sources in groups.items()
    }
    nearest = min(absent, key=lambda key: len(absent[key]))
    missing = listed(list(dict.fromkeys(absent[nearest])))
    return SchemaError(
        f"{file.called} does not have the columns of the project's files: unlike "
        f"{nearest[0]}, it lacks {missing}.",
        hint="Export it with the same columns as before, or make a new project.",
        where=file.where(absent[nearest][0]),
    )


def read_as_answered(
    frame: pd.DataFrame, mapping: ColumnMapping, answers: Mapping[str, str | None]
) -> pd.DataFrame:
    """A table with dates and numbers that could be several as somebody said.

    A layout has such answers itself (`with_answers`); this is for one file as it lies.

    Args:
        frame: As it was loaded.
        mapping: The roles of its columns.
        answers: To `dates` and `decimal`; others do not count.
    """
    decimal, reading = (answers.get(key) for key in ("decimal", "dates"))
    values: dict[str, np.ndarray] = {}
    for name in number_columns(mapping) if decimal else ():
        if name in frame and as_numbers(frame[name]).doubt is not None:
            numbers = as_numbers(frame[name], decimal)
            values |= {} if numbers.bad.any() else {name: numbers.values}
    time = mapping.time
    if reading and time in frame and parse_dates(frame[time]).doubt is not None:
        dates = parse_dates(frame[time], reading)
        is_read = not np.isnat(dates.values).any()
        values |= {time: dates.values.astype(str)} if is_read else {}
    return frame.assign(**values)


def fitting(table: Table, mapping: ColumnMapping) -> Table:
    """A table with the columns that a project uses, and what is new in it said.

    Raises:
        SchemaError: A column of the project is missing and cannot be zero.
    """
    needed = [mapping.time, mapping.kpi, mapping.geo, mapping.population]
    needed += [*mapping.controls]
    if isinstance(mapping.revenue_per_kpi, str):
        needed.append(mapping.revenue_per_kpi)
    frame = table.frame
    absent = [name for name in needed if name and name not in frame.columns]
    idle: dict[str, list[str]] = {}
    ran = [c for c in mapping.of_kind(*PAID) if {*c.columns()} & {*frame.columns}]
    for channel in mapping.channels:
        is_gone = bool(ran) and not {*channel.columns()} & {*frame.columns}
        for name in channel.columns():
            if name in frame.columns:
                continue
            of_campaigns = name.rpartition("_")[2] in MEASURES and table.roles
            if of_campaigns or (is_gone and channel.kind in PAID):
                idle.setdefault(channel.name, []).append(name)
            else:
                absent.append(name)
    if absent:
        columns = [str(name) for name in frame.columns]
        raise SchemaError(
            f"The new files give no {listed(list(dict.fromkeys(absent)))}, which the "
            "project uses.",
            hint=f"They give {listed(columns, limit=12)}. Load them as new data to map "
            "them again.",
            where=absent[0],
        )
    zeros = {name: np.zeros(len(frame)) for names in idle.values() for name in names}
    findings = [*table.findings, *_idle(idle), *_new(table, mapping)]
    return replace(table, frame=frame.assign(**zeros), findings=tuple(findings))


def _idle(idle: dict[str, list[str]]) -> list[Finding]:
    if not idle:
        return []
    message = f"{listed(list(idle))} did not run in the new files: counted as zero."
    hint = "Check that the channel was not renamed."
    return [Finding("warning", next(iter(idle)), message, hint)]


def _new(table: Table, mapping: ColumnMapping) -> list[Finding]:
    """Channels that the project does not know."""
    used = {name for channel in mapping.channels for name in channel.columns()}
    names = {channel.name for channel in mapping.channels}
    findings = []
    for role in table.roles:
        is_new = role.role == "spend" and role.column not in used
        if is_new and role.channel not in names:
            spent = float(table.frame[role.column].sum())
            message = (
                f"{role.channel} is new and spent {spent:,.0f}: it is not a channel of "
                "the project yet."
            )
            hint = "Add it on the Data screen, or put it into a group of the layout."
            findings.append(
                Finding("warning", f"channel {role.channel}", message, hint)
            )
    return findings
