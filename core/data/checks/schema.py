"""Schema: does the mapping fit the table, and do the columns hold what they should?"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.data.cells.apart import is_error
from core.data.mapping import PAID, ChannelColumns, ChannelKind, ColumnMapping
from core.data.observations import Observations
from core.data.reading.date_formats import SERIAL
from core.data.reading.doubts import (
    about_dates,
    about_epoch,
    about_numbers,
    as_findings,
    epoch_note,
    is_midnight_elsewhere,
    stamp_note,
)
from core.data.reading.findings import Finding
from core.text.near import near_name
from core.text.sentences import count, listed

#: Dates outside are slips of a reading, not periods of a market.
EARLIEST, LATEST = np.datetime64("1980-01-01"), np.datetime64("2060-12-31")
#: A time of the day that is not midnight.
_CLOCK = re.compile(
    r"[T ](?!0?0:00(?::00)?(?:[.,]0+)?(?!\d|[:.,])|12:00(?::00)? ?A)\d{1,2}:\d{2}",
    re.IGNORECASE,
)
#: Weeks that are counted within periods of four or five of them: `FY22 P01 W1`.
_RETAIL = re.compile(r"(?:P|PD|Period)\s?\d{1,2}\W*(?:W|WK|Week)\s?\d\b", re.IGNORECASE)
_FEW = 50
_NEEDS: dict[ChannelKind, tuple[str, ...]] = {
    "media": ("media", "spend"),
    "reach_frequency": ("reach", "frequency", "spend"),
    "organic_media": ("media",),
    "organic_reach_frequency": ("reach", "frequency"),
    "non_media": ("column",),
}
_FIELDS = {
    "media": "media units",
    "reach": "reach",
    "frequency": "frequency",
    "column": "values",
    "spend": "spend",
}


def check_mapping(columns: list[str], mapping: ColumnMapping) -> list[Finding]:
    """Missing columns, columns with two roles, doubled names, incomplete channels."""
    return [
        *_missing(columns, mapping),
        *_two_roles(mapping),
        *_doubled_names(mapping),
        *_incomplete(mapping),
    ]


def roles(mapping: ColumnMapping) -> list[tuple[str, str]]:
    """Every column of a mapping with what it is used as."""
    used = [(mapping.time, "time"), (mapping.kpi, "KPI")]
    if mapping.geo:
        used.append((mapping.geo, "geo"))
    if isinstance(mapping.revenue_per_kpi, str):
        used.append((mapping.revenue_per_kpi, "revenue per KPI"))
    if mapping.population:
        used.append((mapping.population, "population"))
    used += [(name, f"control {name}") for name in mapping.controls]
    for channel in mapping.channels:
        once = dict.fromkeys(channel.columns())
        used += [(name, f"channel {channel.name}") for name in once]
    return used


def present_part(columns: list[str], mapping: ColumnMapping) -> ColumnMapping:
    """The mapping without columns that the table lacks; time and KPI must be there."""
    names = set(columns)
    value = mapping.revenue_per_kpi
    return replace(
        mapping,
        geo=mapping.geo if mapping.geo in names else None,
        revenue_per_kpi=None
        if isinstance(value, str) and value not in names
        else value,
        population=mapping.population if mapping.population in names else None,
        controls=tuple(name for name in mapping.controls if name in names),
        channels=tuple(
            channel
            for channel in mapping.channels
            if set(channel.columns()) <= names and not _lacks(channel)
        ),
    )


def check_dates(observed: Observations) -> Iterator[Finding]:
    """Text that is not a date, several ways of writing, and several of reading."""
    column, dates = observed.mapping.time, observed.dates
    where = f"column {column}"
    iso = "Write every date as year-month-day, such as 2021-01-25."
    if not len(observed.times):
        shown = observed.cell_list(column, dates.bad)
        content = f"holds no dates: {shown}" if dates.bad.any() else "is empty"
        cells = observed.frame[column].dropna().astype("str").head(_FEW)
        if len(cells) and cells.str.contains(_RETAIL).all():
            content = f"holds weeks of a retail calendar (4-4-5), not dates: {shown}"
            iso = (
                "Each company begins that calendar on another day. Add a column with "
                "the first day of each week, or say when the first row begins: --start "
                "2024-01-29 --every week with core init, or on the Data screen."
            )
        yield Finding("error", where, f"Column {column} {content}.", iso)
        return
    if len(dates.formats) > 1:
        ways = [
            f"{way.example} ({count(way.count, 'row')}, first row "
            f"{observed.rows[way.row]})"
            for way in dates.formats
        ]
        message = f"Column {column} writes dates in {len(ways)} ways: {listed(ways)}."
        yield Finding("error", where, message, iso)
    if dates.bad.any():
        shown = observed.cell_list(column, dates.bad)
        number = count(int(dates.bad.sum()), "cell")
        message = f"Column {column} has {number} without a valid date: {shown}."
        hint = f"Delete rows that are not data. {iso}"
        yield Finding("error", where, message, hint)
    if dates.is_empty.any():
        empty = observed.row_list(dates.is_empty)
        message = f"Column {column} is empty in {empty}."
        yield Finding("error", where, message, "Add the dates, or delete these rows.")
    if dates.doubt is not None and len(dates.formats) == 1:
        yield from as_findings([about_dates(column, dates.doubt)], column)
    yield from _odd_dates(observed)


def _odd_dates(observed: Observations) -> Iterator[Finding]:
    """Dates that were read in one way of several, and periods that cannot be meant."""
    column, way = observed.mapping.time, observed.dates.formats[0]
    where, first = f"column {column}", observed.times[0]
    first_read = observed.dates.values[way.row]
    if first < EARLIEST or observed.times[-1] > LATEST:
        message = (
            f"Column {column} runs from {first} to {observed.times[-1]}: "
            f'"{way.example}" was read as {first_read} ({way.name}).'
        )
        hint = "Write dates as year-month-day, such as 2021-01-25."
        yield Finding("error", where, message, hint)
    is_yearly = observed.periods.frequency == "yearly"
    if is_yearly and len(observed.times) > 2 and way.name != "year":
        message = (
            f'Column {column} has one date a year: "{way.example}" was read as '
            f"{first_read} ({way.name})."
        )
        hint = "If that is not meant, write dates as year-month-day."
        yield Finding("error", where, message, hint)
    epoch = about_epoch(column, observed.dates, None)
    if epoch is not None and way.name == SERIAL:  # counted from 1900
        yield epoch_note(epoch, where)
    elif note := stamp_note(column, observed.frame[column], observed.dates, where):
        yield note
    elif "week" in way.name:
        message = (
            f"Column {column} holds week numbers: {way.example} was read as the ISO "
            f"week that begins on Monday, {first_read}."
        )
        hint = "If your weeks are counted otherwise, write the date of their first day."
        yield Finding("info", where, message, hint)
    elif _CLOCK.search(way.example):
        message = (
            f"Column {column} holds times of the day: {way.example} was read as "
            f"{first_read}, the date that is written."
        )
        hint = (
            "If it is midnight in your time zone, the day meant is another one: export "
            "dates without a time, or in local time."
        )
        late = is_midnight_elsewhere([way.example])
        yield Finding("warning" if late else "info", where, message, hint)


def check_geos(observed: Observations) -> Iterator[Finding]:
    """Rows without a geo, and geos that differ in capitals only."""
    column = observed.mapping.geo
    if column is None:
        return
    where = f"column {column}"
    missing = observed.geo_at < 0
    if missing.all():
        hint = "Fill it in, or choose no geo column."
        yield Finding("error", where, f"Column {column} is empty.", hint)
    elif missing.any():
        message = f"Column {column} is empty in {observed.row_list(missing)}."
        yield Finding("error", where, message, "Name the geo, or delete these rows.")
    if len(observed.geos) == len(observed.rows) > 1:
        return
    same: dict[str, list[str]] = {}
    for name in observed.geos:
        same.setdefault(" ".join(name.casefold().split()), []).append(name)
    for names in [names for names in same.values() if len(names) > 1][:5]:
        message = f"Geos {listed(names)} differ only in capitals or spaces."
        yield Finding("warning", where, message, "Write each geo one way.")


def check_numbers(observed: Observations) -> Iterator[Finding]:
    """Text in numbers, and columns without any number."""
    for column, numbers in observed.numbers.items():
        where = f"column {column}"
        if numbers.is_empty.all():
            hint = (
                "Fill it in, or leave it out: --ignore with core init, or Ignore on "
                "the Data screen."
            )
            yield Finding("error", where, f"Column {column} is empty.", hint)
            continue
        bad = numbers.bad
        if numbers.doubt is not None:
            question = about_numbers(column, numbers.doubt)
            yield from as_findings([question], observed.mapping.time)
            bad = bad & ~numbers.doubt.where
        if numbers.fault:
            message = f"Column {column} cannot be added up: {numbers.fault}."
            hint = "Write every cell in the same way."
            yield Finding("error", where, message, hint)
        elif bad.any():
            shown = observed.cell_list(column, bad)
            if (bad | numbers.is_empty).all():
                message = f"Column {column} holds no numbers: {shown}."
                hint = "Choose another column, or leave it out of the mapping."
            else:
                number = int(bad.sum())
                cells = (
                    "a cell that is" if number == 1 else f"{number:,} cells that are"
                )
                message = f"Column {column} has {cells} not a number: {shown}."
                hint = "Write a number, or leave the cell empty if there is none."
                if all(map(is_error, observed.frame[column][bad])):
                    holding = count(number, "cell")
                    message = (
                        f"Column {column} has the error of a formula in {holding}: "
                        f"{shown}."
                    )
                    hint = "Mend the formulas, or write the numbers themselves."
                    if column in _of_channels(observed.mapping):
                        hint = (
                            "Mend the formulas, or clear the cells where nothing was "
                            "spent or seen."
                        )
            yield Finding("error", where, message, hint)


def _of_channels(mapping: ColumnMapping) -> set[str]:
    return {name for channel in mapping.channels for name in channel.columns()}


def _missing(columns: list[str], mapping: ColumnMapping) -> Iterator[Finding]:
    """Columns that the mapping names and the table lacks."""
    names = set(columns)
    absent: dict[str, list[str]] = {}
    for column, role in roles(mapping):
        if column not in names:
            absent.setdefault(column, []).append(role)
    for column, used in absent.items():
        near = near_name(column, columns)
        hint = f"Did you mean {near}?" if near else "Choose another column."
        message = f"There is no column {column}, which is mapped as {listed(used)}."
        yield Finding("error", f"column {column}", message, hint)


def _two_roles(mapping: ColumnMapping) -> Iterator[Finding]:
    """Columns that are used twice."""
    used: dict[str, list[str]] = {}
    for column, role in roles(mapping):
        used.setdefault(column, []).append(role)
    for column, own_roles in used.items():
        if len(own_roles) > 1:
            message = (
                f"Column {column} has {len(own_roles)} roles: {listed(own_roles)}."
            )
            hint = "Give every column one role."
            yield Finding("error", f"column {column}", message, hint)


def _doubled_names(mapping: ColumnMapping) -> Iterator[Finding]:
    """Channels that share a name with each other or with a control."""
    names = Counter(channel.name.strip().casefold() for channel in mapping.channels)
    controls = {name.strip().casefold() for name in mapping.controls}
    reported = set()
    for channel in mapping.channels:
        name, key = channel.name, channel.name.strip().casefold()
        where = f"channel {name}"
        if not key:
            message = f"The channel of column {listed(channel.columns())} has no name."
            yield Finding("error", "channels", message, "Give it a name.")
        elif key not in reported and names[key] > 1:
            message = f"{names[key]} channels are called {name}."
            hint = "Give every channel its own name."
            yield Finding("error", where, message, hint)
        if key and key not in reported and key in controls:
            message = f"{name} is the name of a channel and of a control."
            hint = "Rename one of them, or leave the control out."
            yield Finding("error", where, message, hint)
        reported.add(key)


def _lacks(channel: ChannelColumns) -> list[str]:
    return [name for name in _NEEDS[channel.kind] if not getattr(channel, name)]


def _incomplete(mapping: ColumnMapping) -> Iterator[Finding]:
    """Channels without the columns that their kind needs."""
    for channel in mapping.channels:
        lacking = _lacks(channel)
        if not lacking:
            continue
        missing = listed([_FIELDS[name] for name in lacking])
        message = f"Channel {channel.name} has no column of {missing}."
        hint = "Choose the column, or change what kind of channel it is."
        if channel.kind in PAID and lacking == ["spend"]:
            hint = "Choose the column of its cost, or mark it organic."
        yield Finding("error", f"channel {channel.name}", message, hint)
