"""Dates: a column of dates in one way of writing, and what is wrong with it if not.

What can be read in several ways (`03/04/2021`, `23-01-02`, `202301`) is settled by the
whole column: by numbers that make no sense otherwise, by dates that are evenly spaced,
or by the column's name. What that leaves open is a question, not a guess.
"""

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
import pandas as pd

from core.data.cells.words import word_set, words
from core.data.mapping import DateReading
from core.data.periods import periods
from core.data.reading.date_formats import (
    FORMATS,
    DateFormat,
    Reading,
    day_alone,
    upper_ascii,
)
from core.data.reading.epochs import is_epoch, is_stamp, says_moment

_NAT = np.datetime64("NaT", "D")
#: Distinct texts up to which every way of writing is tried on every one.
_TRY_ALL = 5000
#: Words in a column's name that say what its numbers count.
_NAMED: dict[DateReading, frozenset[str]] = {
    "weeks": word_set("dates.weeks"),
    "months": word_set("dates.months"),
}
#: Ways of writing months, quarters and years, by their lengths in months.
_LONG = {
    ("month-name year", "year month-name", "year-month", "yearmonth")
    + ("year-number in months", "number-year in months"): 1,
    ("year-quarter", "quarter-year"): 3,
    ("year",): 12,
}
#: Share of cells that may be no dates in a column of them.
_SOME = 0.2
#: Share of dates that may be missing or out of step in a reading that is regular.
_GAPS = 0.2


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
class DateDoubt:
    """A cell that can be read as several dates.

    Attributes:
        example: The cell.
        count: How many distinct cells are written like it.
        readings: What it is under each answer that is possible.
    """

    example: str
    count: int
    readings: tuple[tuple[DateReading, np.datetime64], ...]


@dataclass(frozen=True)
class Dates:
    """A column as dates.

    Attributes:
        values: datetime64[D], NaT where empty or not a date.
        bad: Where there is text that is not a date.
        is_empty: Where there is nothing.
        formats: The ways of writing, most frequent first; more than one is a fault.
        doubt: What could be read in several ways and is read in the usual one.
    """

    values: np.ndarray
    bad: np.ndarray
    is_empty: np.ndarray
    formats: tuple[Written, ...]
    doubt: DateDoubt | None = None


@dataclass
class _Found:
    """Distinct texts as dates, and in which way each is written.

    `way` is the position in `names`; -1 where no way fits.
    """

    values: np.ndarray
    way: np.ndarray
    names: list[str] = field(default_factory=list)
    doubt: DateDoubt | None = None


def parse_dates(column: pd.Series, answer: DateReading | None = None) -> Dates:
    """A column of any type as dates, each cell read in the way it is written.

    Args:
        column: The cells; its name counts where it says weeks or months.
        answer: How to read what could be read in several ways, where it is known.
    """
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return _from_timestamps(column)
    # Distinct cells only: geos repeat each date, and every pattern is tried on every
    # text.
    codes, distinct = pd.factorize(_date_texts(column).to_numpy(dtype=object))
    is_empty = codes < 0
    if not len(distinct):
        return Dates(np.full(len(column), _NAT), ~is_empty, is_empty, ())
    named = {word.text for word in words(str(column.name or ""))}
    readings = frozenset(way for way, known in _NAMED.items() if named & known)
    # The same column is read by whoever looks at a table: its role, checks, screens.
    reader = _read_again if len(distinct) <= _TRY_ALL else _read
    cells = reader(tuple(distinct), answer, readings)
    values = np.where(is_empty, _NAT, cells.values[codes])
    way = np.where(is_empty, -1, cells.way[codes])
    formats = _written(way, codes, distinct, cells.names)
    bad = ~is_empty & np.isnat(values)
    return Dates(values, bad, is_empty, formats, cells.doubt)


def parse_known(
    column: pd.Series, expected: np.ndarray, answer: DateReading | None = None
) -> Dates:
    """Dates that ought to be among known ones, which settles how they are read."""
    dates = parse_dates(column, answer)
    if dates.doubt is None:
        return dates
    tried = [parse_dates(column, reading) for reading, _ in dates.doubt.readings]
    fits = [np.isin(reading.values, expected).sum() for reading in tried]
    best = [
        reading for reading, fit in zip(tried, fits, strict=True) if fit == max(fits)
    ]
    if len(best) > 1 and "." in dates.doubt.example:
        # With points the day comes first wherever people write so.
        best = [one for one, (way, _) in zip(tried, dates.doubt.readings, strict=True)
                if way == "day first" and one in best]  # fmt: skip
    return best[0] if len(best) == 1 else dates


def last_days(column: pd.Series, first: np.ndarray) -> np.ndarray:
    """The last days of what a column says: of a week, a month, a quarter or a year.

    Args:
        column: The cells.
        first: Their first days, as read; a day is its own last.
    """
    formats = parse_dates(column).formats
    way = formats[0].name if formats else ""
    if "week" in way:
        return first + np.timedelta64(6, "D")
    n_months = next((n for unit, n in _LONG.items() if way in unit), 0)
    if not n_months:
        return first
    after = first.astype("datetime64[M]") + n_months
    return after.astype("datetime64[D]") - 1


def is_mostly_dates(column: pd.Series) -> bool:
    """Whether a column looks like dates, from up to 300 of its distinct cells."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return True
    if pd.api.types.is_bool_dtype(column.dtype):
        return False
    sample = column.drop_duplicates().dropna().head(300)
    dates = parse_dates(sample)
    if not len(sample) or dates.bad.mean() >= _SOME:
        return False
    # So many digits are as often an order or a phone.
    many = bool(dates.formats) and is_stamp(dates.formats[0].name)
    if not many or says_moment(str(column.name or "")):
        return True
    return is_epoch(pd.to_numeric(sample, errors="coerce"))


def _from_timestamps(column: pd.Series) -> Dates:
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_localize(None)
    is_empty = column.isna().to_numpy()
    days = column.to_numpy().astype("datetime64[D]")
    formats: tuple[Written, ...] = ()
    if not is_empty.all():
        first = int(np.argmin(is_empty))
        count = int((~is_empty).sum())
        stamp = column.iloc[first]
        example = str(days[first] if stamp == stamp.normalize() else stamp)
        formats = (Written("date", example, count, first),)
    return Dates(days, np.zeros(len(days), bool), is_empty, formats)


def _date_texts(column: pd.Series) -> pd.Series:
    """Cells as text; whole numbers without a decimal point."""
    if pd.api.types.is_float_dtype(column.dtype):
        numbers = column.to_numpy(dtype=float)
        whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2**63)
        # 20240105.0 is how pandas reads a column of days with an empty cell.
        if (np.isnan(numbers) | whole).all():
            column = column.astype("Int64")
    filled = column.notna().to_numpy()
    text = column.astype("str").str.strip()
    return text.where(filled & (text != "").to_numpy(), None)


def _read(
    cells: tuple[str, ...], answer: DateReading | None, named: frozenset[DateReading]
) -> _Found:
    """Distinct texts as dates."""
    distinct = pd.Series(cells, dtype="str")
    is_ascii = distinct.str.isascii().all() and not distinct.str.contains("  ").any()
    text = distinct.str.upper() if is_ascii else distinct.map(upper_ascii)
    text = text.astype("str").map(day_alone)
    ways = list(FORMATS)
    # Patterns are slow: a sample tells which ways occur, and only those are tried on
    # all.
    if len(text) > _TRY_ALL:
        sample = _try(text.iloc[:: len(text) // _TRY_ALL + 1], ways, answer, named)
        in_sample = np.unique(sample.way[sample.way >= 0])
        used = {sample.names[at].split(":")[0] for at in in_sample}
        ways = [way for way in ways if way.name in used]
    return _try(text, ways, answer, named)


#: What it gives is never changed by whoever gets it.
_read_again = lru_cache(maxsize=32)(_read)


def _try(
    text: pd.Series,
    ways: list[DateFormat],
    answer: DateReading | None,
    named: frozenset[DateReading],
) -> _Found:
    """Read each text in the first of the ways that gives a date."""
    cells = _Found(np.full(len(text), _NAT), np.full(len(text), -1))
    texts = text.tolist()
    for way in ways:
        # The first way that gives a date wins; later ones see what is left.
        remaining = np.flatnonzero(cells.way < 0)
        if not len(remaining):
            break
        fits = _pattern(way.pattern).match
        matched = [
            (at, match.groups()) for at in remaining if (match := fits(texts[at]))
        ]
        if not matched:
            continue
        places = np.array([at for at, _ in matched])
        parts = pd.DataFrame([groups for _, groups in matched], dtype="str")
        dates = [reading.dates(parts) for reading in way.readings]
        order, is_sure = _rank(way.readings, dates, answer, named)
        if not is_sure and cells.doubt is None:
            cells.doubt = _doubt(text.iloc[places], way.readings, dates, order)
        for at in order:  # what only makes sense another way is kept as such
            cells.names.append(f"{way.name}:{way.readings[at].name}")
            new = ~np.isnat(dates[at]) & (cells.way[places] < 0)
            cells.values[places[new]] = dates[at][new]
            cells.way[places[new]] = len(cells.names) - 1
    return cells


@cache
def _pattern(way: str) -> re.Pattern[str]:
    """What the whole text of a date matches."""
    return re.compile(f"^(?:{way})$")


def _rank(
    readings: tuple[Reading, ...],
    dates: list[np.ndarray],
    answer: DateReading | None,
    named: frozenset[DateReading],
) -> tuple[list[int], bool]:
    """Positions of the readings, the right one first, and whether that is settled."""
    usual = [reading.is_usual or reading.answer == answer for reading in readings]
    valid = np.array([(~np.isnat(days)).sum() for days in dates]) * np.array(usual)
    at_all = [at for at, is_usual in enumerate(usual) if is_usual]
    ranked = sorted(at_all, key=lambda at: (-valid[at], at))
    possible = [at for at in ranked if valid[at] == valid[ranked[0]]]
    answered = [at for at in possible if readings[at].answer == answer]
    if answered and answer is not None:
        return [answered[0], *(at for at in ranked if at != answered[0])], True
    # 05/05/2021 leaves nothing to decide.
    same = all(
        np.array_equal(dates[possible[0]], dates[at], equal_nan=True) for at in possible
    )
    if len(possible) == 1 or same:
        return ranked, True
    for reading in (each for each in _NAMED if each in named):
        is_named = [at for at in possible if readings[at].answer == reading]
        if is_named:
            return [is_named[0], *(at for at in ranked if at != is_named[0])], True
    # 01/02, 01/03, ... is the first of each month or days in January: only one of them
    # comes evenly.
    even = [at for at in possible if _is_even(dates[at])]
    first = even[0] if even else possible[0]
    return [first, *(at for at in ranked if at != first)], len(even) == 1


def _is_even(dates: np.ndarray) -> bool:
    """Whether dates come daily, weekly, monthly or otherwise evenly, with few gaps."""
    times = np.unique(dates[~np.isnat(dates)])
    if len(times) < 3:
        return False
    calendar = periods(times)
    # Days of one month in two digits come yearly if read year first.
    if calendar.frequency in ("irregular", "yearly"):
        return False
    odd = len(calendar.missing) + len(calendar.out_of_step)
    return bool(odd <= _GAPS * len(times))


def _doubt(
    text: pd.Series,
    readings: tuple[Reading, ...],
    dates: list[np.ndarray],
    order: list[int],
) -> DateDoubt:
    """The question about a way of writing, by the first cell that is read in two."""
    most = max((~np.isnat(days)).sum() for days in dates)
    possible = [at for at in order if (~np.isnat(dates[at])).sum() == most]
    differs = np.zeros(len(text), bool)
    for at in possible[1:]:
        differs |= dates[at] != dates[possible[0]]
    row = int(np.argmax(differs))
    choices = tuple((readings[at].answer, dates[at][row]) for at in possible)
    return DateDoubt(str(text.iloc[row]), int(differs.sum()), choices)


def _written(
    way: np.ndarray, codes: np.ndarray, distinct: np.ndarray, names: list[str]
) -> tuple[Written, ...]:
    """The ways of writing in a column, most frequent first."""
    ways = []
    for number in np.unique(way[way >= 0]):
        places = np.flatnonzero(way == number)
        name = names[number].split(":")[1]
        example = str(distinct[codes[places[0]]])
        ways.append(Written(name, example, len(places), int(places[0])))
    return tuple(sorted(ways, key=lambda each: -each.count))
