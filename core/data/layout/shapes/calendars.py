"""Dates in parts: a year beside a week, or beside a month and a day; `W/E 09/01/22`."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.cells.words import word_set
from core.data.layout.kinds.dating import find_date, holds_dates
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_end, spoken
from core.data.reading.date_formats import MONTHS, date, iso_week, upper_ascii
from core.errors import SchemaError
from core.text.sentences import listed

_YEAR = word_set("calendars.year")
_WEEK = word_set("calendars.week")
_MONTH = word_set("calendars.month")
_DAY = word_set("calendars.day")
#: Words beside those that change nothing: `ISO Week`, `Week number`.
_PLAIN = word_set("calendars.plain")
_FISCAL = frozenset({"fiscal", "fy"})
_FIRST_YEAR, _LAST_YEAR = 1970, 2100
#: A year alone in its cell, and one anywhere in it.
_ALONE = r"(?:19|20)\d{2}(?:\.0)?"
_HAS_YEAR = r"(?<!\d)(?:19|20)\d{2}(?!\d)"


#: A week by its last day, as panels of retailers write it: `1 W/E 09/01/22`.
_ENDS = re.compile(
    r"^(?:1 )?(?:w/e|w\.e\.|we|(?:week|wk|period) end(?:ing|ed)?:?)[ .:]+(.*\d.*)$",
    re.I,
)
#: A week by its number, with or without a word: `KW 3`, `Wk 03`, `3`.
_NUMBERED = re.compile(r"^(?:[^\W\d]{1,14}\.?[ _-]?)?(\d{1,2})$")


def with_years_above(file: File) -> File:
    """A file whose months or weeks have the year that stands alone in a row above them.

    The row of a year may have the sums of the rows below it, and nothing else.
    """
    frame = file.frame
    name = next((n for n in map(str, frame.columns) if frame[n].notna().any()), "")
    if not name or not pd.api.types.is_string_dtype(frame[name].dtype):
        return file
    cells = frame[name].str.strip()
    is_year = cells.str.fullmatch(_ALONE).fillna(False).to_numpy(dtype=bool)
    rest = cells[~is_year].astype("str")
    if not is_year[:1].any() or is_year.all() or rest.str.contains(_HAS_YEAR).any():
        return file
    if not _sums_or_nothing(frame.drop(columns=name), is_year):
        return file
    dated = cells + " " + cells.where(is_year).ffill()
    whole = frame.assign(**{name: dated})[~is_year]
    if not holds_dates(name, whole[name]):
        return file
    years = listed(cells[is_year].astype("str").tolist(), limit=4)
    message = (
        f"The rows of {years} in {file.called} say the year of those below them, and "
        "are left out."
    )
    file = file.noted(message, name, frame=whole)
    return replace(file, date=find_date(whole))


def _sums_or_nothing(rows: pd.DataFrame, is_year: np.ndarray) -> bool:
    """Whether rows of years are empty, or have the sums of those below them."""
    above = rows[is_year]
    if not above.notna().any(axis=None):
        return True
    numbers = rows.select_dtypes("number")
    if numbers.shape[1] < above.notna().any().sum():
        return False
    group = np.cumsum(is_year)
    below = numbers[~is_year].groupby(group[~is_year]).sum().to_numpy()
    own = numbers[is_year].to_numpy()
    return own.shape == below.shape and bool(np.allclose(own, below, rtol=2e-3))


def with_last_days(file: File) -> File:
    """A file whose weeks say that they are dated with their last day, said by its name.

    What reads a column of last days goes by the name of the column.
    """
    frame = file.frame
    for name in map(str, frame.columns):
        cells = frame[name]
        if file.date is not None or not pd.api.types.is_string_dtype(cells.dtype):
            continue
        days = cells.str.extract(_ENDS, expand=False)
        if not len(days) or days.isna().any() or not holds_dates(name, days):
            continue
        new_name = name if is_end(name) else name + " (week ending)"
        changed = frame.assign(**{name: days}).rename(columns={name: new_name})
        return replace(file, frame=changed, date=find_date(changed))
    return file


def with_whole_dates(file: File) -> File:
    """A file with a column of dates, where it has them in parts.

    Raises:
        SchemaError: Weeks are not those of the ISO calendar.
    """
    frame = file.frame
    frame = _with_merged_years(frame)
    year = _column(frame, _YEAR, _FIRST_YEAR, _LAST_YEAR)
    if year is None or file.date not in (None, year) or frame[year].nunique() < 1:
        return file
    frame = _with_numbers_of_weeks(frame)
    file = replace(file, frame=frame)
    week = _column(frame, _WEEK, 0, 53)
    month = _months(frame)
    day = _column(frame, _DAY, 1, 31)
    years = frame[year].to_numpy(dtype=np.float64)
    if week is not None:
        weeks = frame[week].to_numpy(dtype=np.float64)
        dates, parts = iso_week(years, weeks), (year, week)
        _refuse_others(file, years, weeks, dates, parts)
    elif month is not None:
        name, months = month
        days = np.ones(len(frame)) if day is None else frame[day].to_numpy(dtype=float)
        dates = date(years, months, days)
        parts = (year, name) if day is None else (year, name, day)
        if np.isnat(dates).any():
            return file
    else:
        return file
    return _with(file, dates, parts)


def _with_merged_years(frame: pd.DataFrame) -> pd.DataFrame:
    """Years of merged cells in each of their rows."""
    for name in map(str, frame.columns):
        years = frame[name]
        if _says(name, _YEAR) and pd.api.types.is_float_dtype(years.dtype):
            is_merged = years.notna().iloc[:1].all() and (years.dropna() % 1 == 0).all()
            if is_merged and years.dropna().between(_FIRST_YEAR, _LAST_YEAR).all():
                return frame.assign(**{name: years.ffill().astype("int64")})
    return frame


def _with_numbers_of_weeks(frame: pd.DataFrame) -> pd.DataFrame:
    """Weeks by their numbers, where each is written with a word: `KW 3`."""
    for name in map(str, frame.columns):
        if _says(name, _WEEK) and pd.api.types.is_string_dtype(frame[name].dtype):
            numbers = frame[name].str.strip().str.extract(_NUMBERED, expand=False)
            if numbers.notna().all():
                return frame.assign(**{name: numbers.astype("int64")})
    return frame


def _with(file: File, dates: np.ndarray, parts: tuple[str, ...]) -> File:
    frame = file.frame
    called = "date" if "date" not in frame.columns else "whole date"
    rest = frame.drop(columns=list(parts))
    rest.insert(0, called, dates.astype("datetime64[s]"))
    shown = listed(list(parts))
    message = f"{shown} of {file.called} are read as dates from {dates[0]} on."
    if _says(parts[1], _WEEK):
        message = (
            f"{shown} of {file.called} are read as weeks of the ISO "
            f"calendar, which begin on a Monday: the first row is of {dates[0]}."
        )
    file = file.noted(message, parts[0], frame=rest)
    return replace(file, date=find_date(rest))


def _refuse_others(
    file: File,
    years: np.ndarray,
    weeks: np.ndarray,
    dates: np.ndarray,
    parts: tuple[str, ...],
) -> None:
    """Refuse weeks that are counted in another way.

    Raises:
        SchemaError: A year has a week that ISO does not give it, or years are fiscal.
    """
    fiscal = any(_FISCAL & set(spoken(part)) for part in parts)
    bad = np.isnat(dates)
    if not (fiscal or bad.any()):
        return
    at, shown = int(np.argmax(bad)), listed(list(parts))
    message = (
        f"{shown} of {file.called} are not weeks of the ISO calendar. When a week "
        "begins is each company's own choice."
    )
    if bad.any():
        message = (
            f"{shown} of {file.called} are not weeks of the ISO calendar, in which "
            f"{years[at]:.0f} has no week {weeks[at]:.0f}. When a week begins is each "
            "company's own choice."
        )
    raise SchemaError(
        message,
        hint="Add a column with the first day of each week, such as 2024-01-29.",
        where=file.where(parts[1]),
    )


def _column(
    frame: pd.DataFrame, names: frozenset[str], least: int, most: int
) -> str | None:
    """The column of whole numbers that is called so and lies between two numbers."""
    for name in map(str, frame.columns):
        column = frame[name]
        if not _says(name, names) or not pd.api.types.is_integer_dtype(column.dtype):
            continue
        if column.between(least, most).all():
            return name
    return None


def _months(frame: pd.DataFrame) -> tuple[str, np.ndarray] | None:
    """The column of months, by number or name, and their numbers."""
    for name in map(str, frame.columns):
        column = frame[name]
        if not _says(name, _MONTH):
            continue
        if pd.api.types.is_integer_dtype(column.dtype) and column.between(1, 12).all():
            return name, column.to_numpy(dtype=np.float64)
        if pd.api.types.is_string_dtype(column.dtype) and column.notna().all():
            plain = column.map(lambda cell: upper_ascii(str(cell)).lower().strip("."))
            numbers = plain.map(MONTHS)
            if numbers.notna().all():
                return name, numbers.to_numpy(dtype=np.float64)
    return None


def _says(name: str, names: frozenset[str]) -> bool:
    """Whether a name is one of some words, with or without plain ones beside it."""
    has = set(spoken(name))
    return bool(has & names) and has <= names | _PLAIN | _FISCAL
