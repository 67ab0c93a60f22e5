"""New periods: a later table beside the one that is there, cell by cell.

Rows are matched by period and geo, whatever order, format of dates or way of writing
numbers they come in. What is new is appended; what an old row says now that it did not
say before is named, never taken in silence.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.data.ahead.horizon import MOST_YEARS, next_times, periods_per_year
from core.data.ahead.odd_amounts import Rows, jumps, row_name, running, spikes
from core.data.cells.apart import is_error
from core.data.mapping import PAID, ColumnMapping
from core.data.observations import dates_of, geo_names, numbers_of
from core.data.reading.dates import Dates, parse_known
from core.data.reading.doubts import known_dates, number_columns
from core.data.reading.numbers import Numbers
from core.data.reading.origins import row_numbers
from core.dims import NATIONAL_GEO
from core.errors import CoverageError, SchemaError, ValueRangeError
from core.text.sentences import listed

#: Numbers that differ by less, relative to their size, are the same.
_SAME = 1e-9
#: Last periods in which a channel must have run to be missed in the new ones.
_RECENT = 13


@dataclass(frozen=True)
class ChangedCell:
    """A cell of an old row that the later table has another value for.

    Attributes:
        date: The row's period, YYYY-MM-DD.
        geo: Its geo; empty for a national table.
        column: The column.
        before: The value so far; None for an empty cell.
        after: The value now; None for an empty cell.
    """

    date: str
    geo: str
    column: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Arrival:
    """What a later table has that an earlier one has not.

    Attributes:
        periods: Periods that are new, YYYY-MM-DD, in order.
        n_rows: Rows of new periods.
        changed: Cells of old rows with another value, in order of date.
        absent: Old rows, as period and geo, that the later table leaves out although
            it has rows before and after them.
        idle: Paid channels that ran in the last periods and not in the new ones.
        jumps: Columns of money whose new periods lie about 100, 1,000 or 1,000,000
            times above or below those before, in words.
        running: Columns of money whose new periods look like sums to date.
        spikes: Amounts of single new periods far beyond all others, and new periods
            with a KPI of 0 where none had it, in words.
    """

    periods: tuple[str, ...] = ()
    n_rows: int = 0
    changed: tuple[ChangedCell, ...] = ()
    absent: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    jumps: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    spikes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing came."""
        return not (self.periods or self.changed)


def arrival(
    earlier: pd.DataFrame, later: pd.DataFrame, mapping: ColumnMapping
) -> Arrival:
    """What a later table brings.

    Args:
        earlier: The table so far.
        later: New rows, or the whole table again.
        mapping: The roles of the columns, which both have.

    Raises:
        CoverageError: The later table has a date that cannot be read, or a row twice.
        SchemaError: The later table lacks a column.
        ValueRangeError: A cell of the later table is not a number.
    """
    old = _read(earlier, mapping)
    return _arrival(old, _read(later, mapping, old), mapping)


def joined(
    earlier: pd.DataFrame, later: pd.DataFrame, mapping: ColumnMapping
) -> tuple[pd.DataFrame, Arrival]:
    """The table with what came: new rows at its end, changed cells replaced.

    Old rows that the later table leaves out stay. Columns are those of the earlier
    table.

    Raises:
        DataError: As for `arrival`.
    """
    old = _read(earlier, mapping)
    new = _read(later, mapping, old)
    came = _arrival(old, new, mapping)
    if came.is_empty:
        return earlier, came
    is_new = ~new.keys.isin(old.keys)
    frame = earlier.reset_index(drop=True)
    extra = new.frame.reset_index(drop=True)[is_new]
    extra = extra.reindex(columns=frame.columns)
    for column, values in new.numbers.items():
        plain = all(
            pd.api.types.is_numeric_dtype(part[column].dtype)
            for part in (earlier, new.frame)
        )
        if not plain:
            frame[column] = old.numbers[column]
            extra[column] = values[is_new]
    for column in {cell.column for cell in came.changed}:
        values = old.numbers[column].copy()
        at = old.keys.get_indexer(new.keys[~is_new])
        values[at] = new.numbers[column][~is_new]
        frame[column] = values
    whole = pd.concat([frame, extra], ignore_index=True)
    whole.attrs = dict(earlier.attrs)
    return _dated(whole, mapping, np.concatenate([old.dates, new.dates[is_new]])), came


def parted(
    frame: pd.DataFrame, mapping: ColumnMapping, last: np.datetime64
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of a table up to a period, that one included, and those after it."""
    is_before = dates_of(frame, mapping).values <= last
    parts = frame[is_before].copy(), frame[~is_before].copy()
    for part in parts:
        part.attrs = dict(frame.attrs)
    return parts


def _read(frame: pd.DataFrame, mapping: ColumnMapping, old: Rows | None = None) -> Rows:
    """A table by row; that of new rows is checked."""
    needed = [mapping.time, *([mapping.geo] if mapping.geo else [])]
    absent = [name for name in needed if name not in frame.columns]
    absent += [name for name in number_columns(mapping) if name not in frame.columns]
    if absent:
        raise SchemaError(
            f"The new rows have no column {listed(absent)}, which the project uses.",
            hint="Export them with the columns of before, under the same names.",
            where=absent[0],
        )
    dates = dates_of(frame, mapping)
    if old is not None and len(frame):
        if dates.doubt is not None:
            answer = mapping.dates or known_dates(frame)
            dates = parse_known(frame[mapping.time], _expected(old.dates), answer)
        _refuse_dates(frame, mapping, dates)
    geos: np.ndarray = np.full(len(frame), NATIONAL_GEO, dtype=object)
    if mapping.geo is not None:
        geos = geo_names(frame[mapping.geo])
    keys = pd.MultiIndex.from_arrays([pd.DatetimeIndex(dates.values), geos])
    numbers = {}
    for name in number_columns(mapping):
        column = numbers_of(frame, mapping, name)
        if old is not None:
            _refuse_numbers(frame, name, column)
        numbers[name] = column.values
    if old is not None and keys.has_duplicates:
        twice = keys[keys.duplicated()][0]
        raise CoverageError(
            f"The new rows have {row_name(*twice)} twice.",
            hint="Keep one row for each period and geo.",
            where=mapping.time,
        )
    return Rows(frame, keys, numbers)


def _expected(dates: np.ndarray) -> np.ndarray:
    """Dates so far and those that may follow."""
    times = np.unique(dates)
    n = MOST_YEARS * periods_per_year(times)
    return np.concatenate([times, next_times(times, n)])


def _refuse_dates(frame: pd.DataFrame, mapping: ColumnMapping, dates: Dates) -> None:
    """Refuse rows without a date, and dates that are none or could be several."""
    name, hint = mapping.time, "Write dates as 2025-03-31."
    if dates.bad.any():
        cells = _shown(frame, name, dates.bad)
        message = f"The new rows have {cells} in {name}, which is not a date."
    elif np.isnat(dates.values).any():
        rows = row_numbers(frame)[np.isnat(dates.values)].tolist()
        message = f"The new rows have no {name} in row {listed(rows, limit=3)}."
        hint = "Add the date, or delete the row."
    elif dates.doubt is not None:
        readings = " or ".join(str(day) for _, day in dates.doubt.readings)
        cell = dates.doubt.example
        message = f"{cell} in {name} of the new rows can be {readings}."
        hint += " Or say which with --dates."
    else:
        return
    raise CoverageError(message, hint=hint, where=name)


def _refuse_numbers(frame: pd.DataFrame, name: str, column: Numbers) -> None:
    """Refuse cells that are not numbers, or could be two."""
    bad, hint = column.bad, "Write numbers as 1234.56."
    if not bad.any():
        return
    cells = _shown(frame, name, bad)
    if column.doubt is not None:
        point, comma = (f"{x:,.6g}" for x in (column.doubt.point, column.doubt.comma))
        cell = column.doubt.example
        message = f"{cell} in {name} of the new rows can be {point} or {comma}."
        hint += " Or say with --decimal which sign is the decimal one."
    elif column.fault:
        message = f"The new rows cannot be added up in {name}: {column.fault}."
        hint = "Write every cell in the same way."
    elif all(map(is_error, frame[name][bad])):
        message = f"The new rows have the error of a formula in {name}: {cells}."
        hint = "Mend the formulas, or write the numbers themselves."
    else:
        message = f"The new rows have {cells} in {name}, which is not a number."
    raise ValueRangeError(message, hint=hint, where=name)


def _shown(frame: pd.DataFrame, name: str, where: np.ndarray) -> str:
    """Cells of a column with their rows: `"n/k" (row 6)`."""
    rows = row_numbers(frame)
    cells = [
        f'"{str(frame[name].iloc[at])[:40]}" (row {rows[at]})'
        for at in np.flatnonzero(where)
    ]
    return listed(cells, limit=3)


def _arrival(old: Rows, new: Rows, mapping: ColumnMapping) -> Arrival:
    is_new = ~new.keys.isin(old.keys)
    times = np.unique(new.dates[is_new])
    fresh = times[~np.isin(times, old.dates)]
    arrived = Arrival(
        periods=tuple(map(str, fresh)),
        n_rows=int(is_new.sum()),
        changed=tuple(_changed(old, new, ~is_new)),
        absent=tuple(_absent(old, new, ~is_new)),
    )
    return replace(
        arrived,
        idle=tuple(_idle(old, new, is_new, mapping)),
        jumps=tuple(jumps(old, new, is_new, mapping)),
        running=tuple(running(old, new, is_new, mapping)),
        spikes=tuple(spikes(old, new, is_new, mapping)),
    )


def _changed(old: Rows, new: Rows, is_old: np.ndarray) -> Iterator[ChangedCell]:
    places = np.flatnonzero(is_old)
    at = old.keys.get_indexer(new.keys[is_old])
    order = np.lexsort((at, old.dates[at]))
    for column in new.numbers:
        was, now = old.numbers[column][at], new.numbers[column][places]
        differs = ~(
            np.isclose(was, now, rtol=_SAME, atol=0.0) | (np.isnan(was) & np.isnan(now))
        )
        for i in order[differs[order]]:
            date, geo = old.keys[at[i]]
            yield ChangedCell(
                f"{date:%Y-%m-%d}",
                "" if geo == NATIONAL_GEO else str(geo),
                column,
                _plain(was[i]),
                _plain(now[i]),
            )


def _absent(old: Rows, new: Rows, is_old: np.ndarray) -> Iterator[str]:
    """Rows that a new export of old periods leaves out."""
    if not is_old.any():
        return
    first, last = new.dates[is_old].min(), new.dates.max()
    inside = (old.dates >= first) & (old.dates <= last)
    for date, geo in old.keys[inside & ~old.keys.isin(new.keys)]:
        yield row_name(date, geo)


def _idle(
    old: Rows, new: Rows, is_new: np.ndarray, mapping: ColumnMapping
) -> Iterator[str]:
    if not is_new.any():
        return
    recent = old.dates >= np.unique(old.dates)[-_RECENT:][0]
    for channel in mapping.of_kind(*PAID):
        columns = [name for name in channel.columns() if name in new.numbers]
        ran = any(np.nansum(old.numbers[name][recent]) > 0 for name in columns)
        runs = any(np.nansum(new.numbers[name][is_new]) > 0 for name in columns)
        if ran and not runs:
            yield channel.name


def _dated(
    frame: pd.DataFrame, mapping: ColumnMapping, dates: np.ndarray
) -> pd.DataFrame:
    """The table with dates that are read as they are; written plainly where not."""
    days = dates_of(frame, mapping)
    is_plain = days.doubt is None and len(days.formats) < 2
    if is_plain and np.array_equal(days.values, dates):
        return frame
    return frame.assign(**{mapping.time: dates.astype(str)})


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
