"""Epochs: dates as numbers of seconds, or parts of a second, since 1970 (Unix time).

A number of so many digits may as well be an order or a phone: what a column's name does
not say is a date only where every number is the midnight of a day somewhere.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.data.cells.words import IDENTIFIER, TIME, word_set, words
from core.text.languages.language import marked

#: Numbers in a second, and what they are called.
UNITS = {
    1: marked("seconds since 1970"),
    1_000: marked("milliseconds since 1970"),
    1_000_000: marked("microseconds since 1970"),
    1_000_000_000: marked("nanoseconds since 1970"),
}
#: A day and its hour, also minute and second, in one number: 2024013113.
DATE_HOUR = "yearmonthdayhour"
#: Seconds from which and until which numbers are dates: 1990 to 2030. From then on they
#: look like days with their hours.
_FIRST, _LAST = 631_152_000, 1_900_000_000
_DAY, _NOON = 86_400, 43_200
#: Until which time of the day, UTC, it can be midnight west of Greenwich; and the step
#: between time zones.
_WEST, _ZONE = 37_800, 900
#: Days in a column whose numbers alone say that they are dates, at least.
_DAYS = 10
#: Words of moments, besides those of dates.
_MOMENT = word_set("epochs.moment")


def pattern(unit: int) -> str:
    """The pattern of numbers of so many in a second."""
    zeros = len(str(unit)) - 1
    rest = r"(?:\.\d+)?" if unit == 1 else r"(?:\.0+)?"
    return rf"([1-9]\d{{{8 + zeros},{9 + zeros}}}){rest}"


def reader(unit: int) -> Callable[[pd.DataFrame], np.ndarray]:
    """Reads numbers of so many in a second as days."""

    def read(parts: pd.DataFrame) -> np.ndarray:
        seconds = np.array([int(text) // unit for text in parts[0]], np.int64)
        days = day_numbers(seconds).astype("datetime64[D]")
        is_date = (seconds >= _FIRST) & (seconds < _LAST)
        return np.where(is_date, days, np.datetime64("NaT", "D"))

    return read


def day_numbers(seconds: np.ndarray) -> np.ndarray:
    """Days since 1970: those that begin in a time zone, or those of UTC.

    Where all times are one or two (summer and winter) that midnight can have somewhere,
    the day is the one that begins then.
    """
    shift = 0
    if is_midnight(seconds) and (seconds % _DAY != _NOON).any():
        shift = _DAY - _WEST - 1
    return (seconds + shift) // _DAY


def is_midnight(seconds: np.ndarray) -> bool:
    """Whether all times of the day are one or two, by whole quarters of an hour."""
    clocks = np.unique(seconds % _DAY)
    near = len(clocks) < 2 or clocks[1] - clocks[0] in (_ZONE * 4, _DAY - _ZONE * 4)
    return 0 < len(clocks) <= 2 and bool((clocks % _ZONE == 0).all() and near)


def unit_of(name: str) -> int | None:
    """The unit of a way of writing, by its name; None where it is none of these."""
    return next((unit for unit, called in UNITS.items() if called == name), None)


def is_stamp(name: str) -> bool:
    """Whether a way of writing has so many digits that it may be another number."""
    return name == DATE_HOUR or unit_of(name) is not None


def says_moment(name: str) -> bool:
    """Whether the name of a column is that of a date or a moment."""
    spoken = {word.text for word in words(name)}
    return bool(spoken & (TIME | _MOMENT)) and not spoken & IDENTIFIER


def is_epoch(column: pd.Series) -> bool:
    """Whether numbers are moments since 1970, by their name or by themselves."""
    kind = column.dtype
    if not pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
        return False
    values = np.unique(column.dropna().to_numpy(dtype=np.float64))
    if not len(values) or not np.isfinite(values).all():
        return False
    for unit in UNITS:
        seconds = np.floor_divide(values, unit)
        if ((seconds < _FIRST) | (seconds >= _LAST)).any():
            continue
        whole = seconds.astype(np.int64)
        alone = is_midnight(whole) and len(values) >= _DAYS
        return says_moment(str(column.name or "")) or alone
    return False
