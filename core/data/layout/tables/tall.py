"""Rows of a file as dates, geos, columns of the wide table and numbers.

Every fault of a file is collected before anything is raised: a cell that is not a
number, a row without a date, two rows where there should be one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from core.data.cells.apart import is_error
from core.data.cells.scales import stated_scale
from core.data.layout import currencies
from core.data.layout.grouping import channels
from core.data.layout.kinds.dating import read_dates
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.kinds.vocabulary import is_unit
from core.data.layout.recipe import Layout, Source
from core.data.layout.tables.counted import counted, merged_names
from core.data.mapping import Decimal
from core.data.periods import Frequency, periods
from core.data.reading.doubts import about_dates, about_numbers, known_dates
from core.data.reading.findings import Finding
from core.data.reading.numbers import as_numbers
from core.data.reading.origins import row_numbers
from core.errors import SchemaError, ValueRangeError
from core.text.sentences import count, listed, verb

#: More columns than this come of names that are not channels.
MAX_CHANNELS = 300


@dataclass(frozen=True)
class Tall:
    """The rows of one source.

    Attributes:
        source: How the file is read.
        file: The file.
        dates: First day of what each row covers, datetime64[D].
        geos: Geo of each row as a position in `geo_names`; None for a national file.
        geo_names: The geos, as the file writes them.
        places: What each row is about, as a position in `names`; None where a row has
            all columns.
        names: Channels or variables.
        sums: Columns that are summed, by their name in the wide table or, for
            campaigns, by measure.
        means: Columns that are averaged.
        texts: Columns of text.
        frequency: How often the file has rows.
        findings: What was done to it.
    """

    source: Source
    file: File
    dates: np.ndarray
    geos: np.ndarray | None = None
    geo_names: tuple[str, ...] = ()
    places: np.ndarray | None = None
    names: tuple[str, ...] = ()
    sums: Mapping[str, np.ndarray] = field(default_factory=dict)
    means: Mapping[str, np.ndarray] = field(default_factory=dict)
    texts: Mapping[str, pd.Series] = field(default_factory=dict)
    frequency: Frequency = "daily"
    findings: tuple[Finding, ...] = ()

    @property
    def span(self) -> tuple[np.datetime64, np.datetime64]:
        """First and last day that the file covers."""
        first, last = self.dates.min(), self.dates.max()
        if self.frequency == "weekly":
            return first, last + np.timedelta64(6, "D")
        if self.frequency == "monthly":
            first = first.astype("datetime64[M]").astype("datetime64[D]")
            month = last.astype("datetime64[M]") + 1
            return first, month.astype("datetime64[D]") - np.timedelta64(1, "D")
        return first, last


def read_rows(source: Source, file: File, layout: Layout) -> Tall:
    """The rows of a file under a layout.

    Raises:
        SchemaError: A column is missing, or rows contradict each other.
        ValueRangeError: Cells are not numbers, or money has no rate.
    """
    check_columns(source, file)
    if source.repeats:
        keys = [source.date] if source.geo is None else [source.date, source.geo]
        first = file.frame.drop_duplicates(keys)
        file = File(file.name, first, file.part, file.findings, file.date, file.json)
    file, is_order, noted = counted(source, file, layout)
    faults = merged_names(source, file)
    dates = _dates(source, file, faults)
    geos, geo_names = _geos(source, file.frame, faults, file)
    factors = currencies.factors(source, file, layout, faults)
    if source.kind == "variables":
        by_unit, text = _in_units(file)
        worth = factors.get(str(source.value), 1.0)
        factors = {str(source.value): worth * by_unit} if text else factors
        noted = [*noted, *text]
    numbers = {
        wide: _numbers(
            file,
            column,
            faults,
            factors.get(column),
            source.decimal,
        )
        for wide, column in _amounts(source)
    }
    means = {
        name: _numbers(file, name, faults, factors.get(name), source.decimal)
        for name in source.averages
    }
    if faults:
        raise ValueRangeError.of(faults)
    places, names = _places(source, file)
    if source.count:
        numbers[source.count] = is_order.astype(np.float64)
    noted = [*noted, *_moved(source, file, dates)]
    return Tall(
        source=source,
        file=file,
        dates=dates,
        geos=geos,
        geo_names=geo_names,
        places=places,
        names=tuple(names),
        sums=numbers,
        means=means,
        texts={name: file.frame[name] for name in source.texts},
        frequency=_frequency(source, dates),
        findings=(*noted, *currencies.notes(source, file, layout)),
    )


def check_columns(source: Source, file: File) -> None:
    """Refuse a file that lacks what the layout reads.

    Raises:
        SchemaError: Columns are missing; every one is named.
    """
    present = {str(name) for name in file.frame.columns}
    absent = [name for name in source.columns() if name not in present]
    if absent:
        raise SchemaError(
            f"{file.called} lacks {listed(absent)}, which the layout reads.",
            hint="Export the file with the same columns as before, or load it as new "
            f"data. It has {listed(sorted(present), limit=12)}.",
            where=file.where(absent[0]),
        )


def _amounts(source: Source) -> tuple[tuple[str, str], ...]:
    if source.kind == "variables" and source.value:
        return ((source.value, source.value),)
    return source.amounts


def _dates(source: Source, file: File, faults: list[Finding]) -> np.ndarray:
    answer = source.dates or known_dates(file.frame)
    dates = read_dates(file.frame[source.date], answer)
    if dates.doubt is not None and answer is None:
        raise Doubtful("dates", about_dates(source.date, dates.doubt), file)
    bad = np.isnat(dates.values)
    if bad.any():
        at = int(np.argmax(bad))
        row = int(row_numbers(file.frame)[at])
        cell = file.frame[source.date].iloc[at]
        says = "is empty" if pd.isna(cell) else f'is "{cell}"'
        have = verb(int(bad.sum()), "have")
        message = f"{_n_rows(bad)} of {file.called} {have} no date: row {row} {says}."
        hint = "Correct the date, or delete the row."
        faults.append(Finding("error", file.where(source.date, row), message, hint))
    days = dates.values
    if not source.date_is_end or _frequency(source, days) == "daily":
        return days
    return days - np.timedelta64(6, "D")


def _moved(source: Source, file: File, dates: np.ndarray) -> list[Finding]:
    """That weeks are dated with their last day, and begin six days before it."""
    if not source.date_is_end or _frequency(source, dates) != "weekly":
        return []
    message = (
        f"{source.date} of {file.called} is the last day of each week: the table has "
        f"the first one, such as {dates.min()}."
    )
    return [Finding("info", file.where(source.date), message)]


def _geos(
    source: Source, frame: pd.DataFrame, faults: list[Finding], file: File
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    if source.geo is None:
        return None, ()
    column = frame[source.geo]
    if pd.api.types.is_numeric_dtype(column.dtype):
        column = column.astype("Int64").astype("str").where(column.notna(), None)
    codes, names = pd.factorize(column.astype("str").str.strip().where(column.notna()))
    if (codes < 0).any() and source.kind != "variables":
        bad = codes < 0
        row = int(row_numbers(frame)[int(np.argmax(bad))])
        message = (
            f"{_n_rows(bad)} of {file.called} {verb(int(bad.sum()), 'have')} no "
            f"{source.geo}: row {row}."
        )
        where = file.where(source.geo, row)
        faults.append(Finding("error", where, message, "Fill it in."))
    return codes, tuple(str(name) for name in names)


def _numbers(
    file: File,
    column: str,
    faults: list[Finding],
    factors: np.ndarray | float | None,
    decimal: Decimal | None,
) -> np.ndarray:
    numbers = as_numbers(file.frame[column], decimal)
    if numbers.doubt is not None:
        raise Doubtful("decimal", about_numbers(column, numbers.doubt), file)
    if numbers.bad.any():
        at = int(np.argmax(numbers.bad))
        row = int(row_numbers(file.frame)[at])
        cell = file.frame[column].iloc[at]
        message = (
            f"{_n_rows(numbers.bad)} of column {column} in {file.called} cannot be "
            f'read as numbers: row {row} is "{cell}".'
        )
        where = file.where(column, row)
        hint = "Correct the cells."
        if is_error(cell):
            hint = "Mend the formulas, or clear the cells that have no value."
        faults.append(Finding("error", where, message, hint))
    return numbers.values if factors is None else numbers.values * factors


def _in_units(file: File) -> tuple[np.ndarray, list[Finding]]:
    """What a column of units multiplies each row by: 1,000 where it says TEUR."""
    factors, lines = np.ones(len(file.frame)), []
    for name in map(str, file.frame.columns):
        column = file.frame[name]
        if not is_unit(name) or pd.api.types.is_numeric_dtype(column.dtype):
            continue
        scales = {cell: stated_scale(f"amount {cell}") for cell in column.unique()}
        if all(factor == 1 for factor in scales.values()):
            continue
        factors = column.map(scales).fillna(1.0).to_numpy(dtype=np.float64)
        words = listed(sorted(str(c) for c, factor in scales.items() if factor != 1))
        rows = count(int((factors != 1).sum()), "row")
        message = (
            f"Column {name} of {file.called} says {words} in {rows}, which are read "
            "in whole units."
        )
        lines.append(Finding("info", file.where(name), message))
    return factors, lines


def _n_rows(mask: np.ndarray) -> str:
    return count(int(mask.sum()), "row")


def _places(source: Source, file: File) -> tuple[np.ndarray | None, list[str]]:
    """Channel or variable of each row."""
    if source.kind == "campaigns":
        places, names = channels(file.frame, source)
    elif source.kind == "variables":
        places, names = _variables(source, file.frame)
    else:
        return None, []
    if len(names) > MAX_CHANNELS:
        column = listed([*source.channel, *filter(None, [source.variable])])
        raise SchemaError(
            f"{column} in {file.called} gives {len(names):,} columns: {names[0]}, "
            f"{names[1]} and so on; the limit is {MAX_CHANNELS}.",
            hint="Make one channel per platform or per campaign, or group campaigns.",
            where=file.where(column),
        )
    return places, names


def _variables(source: Source, frame: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """The variable of each row, called after what it is about where there is any."""
    parts, about = channels(frame, source) if source.channel else (None, [])
    column = frame[str(source.variable)].astype("str").str.strip()
    codes, variables = pd.factorize(column)
    if parts is None:
        return codes, [str(name) for name in variables]
    together, codes = np.unique(parts * len(variables) + codes, return_inverse=True)
    names = []
    for number in together:
        part, variable = divmod(int(number), len(variables))
        plain = not frame[list(source.channel)].notna().to_numpy().any()
        alone = about[part] == "Other" or plain
        variable = str(variables[variable])
        names.append(variable if alone else f"{about[part]}_{variable}")
    return codes.reshape(-1), names


def _frequency(source: Source, dates: np.ndarray) -> Frequency:
    distinct = np.unique(dates)
    frequency = periods(distinct).frequency
    if source.kind in ("campaigns", "orders") and frequency in (
        "irregular",
        "every n days",
    ):
        return "daily"
    return "daily" if len(distinct) == 1 else frequency
