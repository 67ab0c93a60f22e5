"""Dates: a column of dates in one way of writing, and what is wrong with it if not."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.date_formats import FORMATS, DateFormat, Order, upper_ascii

_NAT = np.datetime64("NaT", "D")
#: Distinct texts up to which every way of writing is tried on every one.
_TRY_ALL = 5000


@dataclass(frozen=True)
class Written:
    """One way of writing that a column uses.

    Attributes:
        name: What it is, in words.
        example: The first cell written so.
        count: Number of cells.
        row: Position of the first.
    """

    name: str
    example: str
    count: int
    row: int


@dataclass(frozen=True)
class Dates:
    """A column as dates.

    Attributes:
        values: datetime64[D], NaT where empty or not a date.
        bad: Where there is text that is no date.
        is_empty: Where there is nothing.
        written: The ways of writing, most frequent first; more than one is a fault.
        is_ambiguous: Whether the order of day and month is a guess.
    """

    values: np.ndarray
    bad: np.ndarray
    is_empty: np.ndarray
    written: tuple[Written, ...]
    is_ambiguous: bool = False


@dataclass
class _Reading:
    """Distinct texts as dates, and in which way each is written.

    `way` is twice the position in `FORMATS`, plus one where the month comes first;
    -1 where no way fits.
    """

    values: np.ndarray
    way: np.ndarray
    is_ambiguous: bool = False


def parse_dates(column: pd.Series) -> Dates:
    """A column of any type as dates, each cell read in the way it is written."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return _from_timestamps(column)
    codes, distinct = pd.factorize(_text(column).to_numpy(dtype=object))
    is_empty = codes < 0
    if not len(distinct):
        return Dates(np.full(len(column), _NAT), ~is_empty, is_empty, ())
    reading = _read(pd.Series(distinct, dtype="str"))
    values = np.where(is_empty, _NAT, reading.values[codes])
    written = _written(np.where(is_empty, -1, reading.way[codes]), codes, distinct)
    bad = ~is_empty & np.isnat(values)
    return Dates(values, bad, is_empty, written, reading.is_ambiguous)


def is_mostly_dates(column: pd.Series) -> bool:
    """Whether a column looks like dates, from up to 300 of its distinct cells."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return True
    if pd.api.types.is_bool_dtype(column.dtype):
        return False
    sample = column.drop_duplicates().dropna().head(300)
    return bool(len(sample)) and bool(parse_dates(sample).bad.mean() < 0.2)


def _from_timestamps(column: pd.Series) -> Dates:
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_localize(None)
    is_empty = column.isna().to_numpy()
    days = column.to_numpy().astype("datetime64[D]")
    written: tuple[Written, ...] = ()
    if not is_empty.all():
        first = int(np.argmin(is_empty))
        count = int((~is_empty).sum())
        written = (Written("date", str(days[first]), count, first),)
    return Dates(days, np.zeros(len(days), bool), is_empty, written)


def _text(column: pd.Series) -> pd.Series:
    """Cells as text; whole numbers without a decimal point."""
    if pd.api.types.is_float_dtype(column.dtype):
        numbers = column.to_numpy(dtype=float)
        whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2**63)
        if (np.isnan(numbers) | whole).all():
            column = column.astype("Int64")
    filled = column.notna().to_numpy()
    text = column.astype("str").str.strip()
    return text.where(filled & (text != "").to_numpy(), None)


def _read(distinct: pd.Series) -> _Reading:
    """Distinct texts as dates."""
    is_ascii = distinct.str.isascii().all() and not distinct.str.contains("  ").any()
    text = distinct.str.upper() if is_ascii else distinct.map(upper_ascii)
    text = text.astype("str")
    ways = list(enumerate(FORMATS))
    if len(text) > _TRY_ALL:
        sample = text.iloc[:: len(text) // _TRY_ALL + 1]
        used = np.unique(_try(sample, ways).way // 2)
        ways = [(at, way) for at, way in ways if at in used]
    return _try(text, ways)


def _try(text: pd.Series, ways: list[tuple[int, DateFormat]]) -> _Reading:
    """Read each text in the first of the ways that gives a date."""
    found = _Reading(np.full(len(text), _NAT), np.full(len(text), -1))
    for at, way in ways:
        left = np.flatnonzero(found.way < 0)
        if not len(left):
            break
        parts = text.iloc[left].str.extract(f"^(?:{way.pattern})$")
        hit = parts[0].notna().to_numpy()
        if not hit.any():
            continue
        rows, parts = left[hit], parts[hit]
        order, is_guess = _order(way, parts) if way.has_order else ("day", False)
        found.is_ambiguous |= is_guess
        _take(found, rows, way.reading(parts, order), 2 * at + (order == "month"))
        if way.has_order:  # what only makes sense the other way round
            other: Order = "month" if order == "day" else "day"
            dates = way.reading(parts, other)
            _take(found, rows, dates, 2 * at + (other == "month"))
    return found


def _take(found: _Reading, rows: np.ndarray, dates: np.ndarray, way: int) -> None:
    """Keep dates for rows that have none yet."""
    new = ~np.isnat(dates) & (found.way[rows] < 0)
    found.values[rows[new]] = dates[new]
    found.way[rows[new]] = way


def _order(way: DateFormat, parts: pd.DataFrame) -> tuple[Order, bool]:
    """Whether day or month comes first, and whether that is a guess.

    A number above 12 settles it; else the reading whose dates are evenly spaced; else
    the custom: day first with points and dashes, month first with slashes.
    """
    first, second = (parts[at].to_numpy(dtype=float) for at in (0, 1))
    n_day, n_month = (first > 12).sum(), (second > 12).sum()
    if n_day or n_month:
        return ("day" if n_day >= n_month else "month"), False
    custom: Order = "month" if "/" in way.name else "day"
    if (first == second).all():
        return custom, False
    even = {order: _is_even(way.reading(parts, order)) for order in ("day", "month")}
    if even["day"] != even["month"]:
        return ("day" if even["day"] else "month"), False
    return custom, "." not in way.name


def _is_even(dates: np.ndarray) -> bool:
    """Whether dates are daily, weekly, monthly or otherwise evenly spaced."""
    steps = np.diff(np.unique(dates[~np.isnat(dates)])).astype(int)
    if len(steps) < 2:
        return False
    low, high = steps.min(), steps.max()
    return bool(low == high or low >= 28 and high <= 31 or low >= 90 and high <= 92)


def _written(
    way: np.ndarray, codes: np.ndarray, distinct: np.ndarray
) -> tuple[Written, ...]:
    """The ways of writing in a column, most frequent first."""
    found = []
    for number in np.unique(way[way >= 0]):
        rows = np.flatnonzero(way == number)
        one = FORMATS[number // 2]
        name = one.name
        if one.has_order:
            mark = next(mark for mark in "./-" if mark in name)
            order = ("month", "day") if number % 2 else ("day", "month")
            name = mark.join((*order, "year"))
        example = str(distinct[codes[rows[0]]])
        found.append(Written(name, example, len(rows), int(rows[0])))
    return tuple(sorted(found, key=lambda written: -written.count))
