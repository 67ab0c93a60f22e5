"""Periods in one cell: `2024-03-04 – 2024-04-14`, `KW 10–15 2024`, `6 weeks`.

The two days are cut apart, and each takes from the other what it leaves out: a year, a
month, the word of its week. What they are then is read as any other dates are.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.data.cells.words import plain, word_sets
from core.data.reading.dates import parse_dates

#: Days of a unit of duration; months are counted by the calendar.
_DAYS = {"days": 1, "weeks": 7}
_UNITS = word_sets("durations")
_DURATION = re.compile(r"^\s*(?P<number>\d+(?:[.,]\d+)?)\s*(?P<unit>[^\W\d_]*)\.?\s*$")
#: What stands between two days, the surest first. A bare hyphen may be within a day.
_BETWEEN = (
    r"\s+(?:to|until|till|through|thru|and|bis|und|à|au|et|al?|hasta|y|tot|ate|do)\s+",
    r"\s*(?:→|->|—|–|~|…|\.\.+)\s*",
    r"\s+[-‐‑−/]\s+",
    r"\s*[-‐‑−]\s*",
    r"/",
)
_PREFIX = re.compile(
    r"^(?:from|between|vom|von|du|de|del|desde(?: el)?|dal)\s+", re.IGNORECASE
)
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[\W_]+")


class Days(NamedTuple):
    """The first and the last day of a period, as texts."""

    first: str
    last: str


def days_of(cell: str) -> Days | None:
    """The two days that a cell names; None where it does not name two.

    Args:
        cell: Its text.
    """
    text = _PREFIX.sub("", cell.strip())
    for first, last in _cuts(text):
        if days := _completed(first.strip(), last.strip()):
            return days
    return None


def duration(cell: str, unit: str = "") -> tuple[float, str] | None:
    """A number of days, weeks or months, and which of them; None where it is none.

    Args:
        cell: Its text: `6 weeks`, `42`.
        unit: What the name of its column counts, where the cell does not say.
    """
    match = _DURATION.match(cell)
    if match is None:
        return None
    named = unit_of([plain(match.group("unit"))]) if match.group("unit") else unit
    number = float(match.group("number").replace(",", "."))
    return (number, named) if named and number > 0 else None


def unit_of(texts: list[str]) -> str:
    """Whether words name days, weeks or months; empty where they name none."""
    units = [unit for unit, known in _UNITS.items() if known & {*texts}]
    return units[0] if len(units) == 1 else ""


def last_day(first: str, number: float, unit: str) -> str | None:
    """The last day of what begins on a day; None where it does not end on a day.

    Args:
        first: ISO.
        number: How many of the unit.
        unit: Days, weeks or months.
    """
    start = np.datetime64(first, "D")
    days = number * _DAYS.get(unit, 1)
    if days != int(days):
        return None
    if unit in _DAYS:
        return str(start + int(days) - 1)
    after = pd.Timestamp(start) + pd.DateOffset(months=int(number), days=-1)
    return str(after.date())


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    for between in _BETWEEN:
        places = list(re.finditer(between, text, re.IGNORECASE))
        if len(places) % 2:  # of `2024-03-04-2024-04-14` the middle one
            place = places[len(places) // 2]
            yield text[: place.start()], text[place.end() :]


def _completed(first: str, last: str) -> Days | None:
    """Two days that are written alike, with the least that one lends the other."""
    before, after = _TOKEN.findall(first), _TOKEN.findall(last)
    lent = sorted(
        ((n_first, n_last) for n_first in range(len(after) + 1)
         for n_last in range(len(before) + 1)),
        key=sum,
    )  # fmt: skip
    for n_first, n_last in lent:
        one = first + "".join(after[len(after) - n_first :])
        other = "".join(before[:n_last]) + last
        shape = _shape(one)
        if shape == _shape(other) and _says_year(shape) and _are_days(one, other):
            if _is_after(one, other) and n_first and "Y" not in _shape(first):
                one = re.sub(r"\d{4}", lambda year: str(int(year.group(0)) - 1), one)
            return None if _is_after(one, other) else Days(one, other)
    return None


def _shape(text: str) -> str:
    """Kinds of its parts: years, other numbers and words."""
    parts = [part for part in _TOKEN.findall(text) if part[0].isalnum()]
    if len(parts) == 1 and re.fullmatch(r"(?:19|20)\d{6}", parts[0]):
        return "YNN"
    return "".join(
        ("Y" if len(part) >= 4 else "N") if part.isdigit() else "A"
        for part in parts
        if plain(part) not in ("st", "nd", "rd", "th", "er", "de", "of")
    )


def _says_year(shape: str) -> bool:
    """Whether a date has its year: `Mar 10` alone would be March of 2010.

    A number alone, of a spreadsheet's days or of anything else, is none.
    """
    return shape != "Y" and "Y" in shape or shape.count("N") >= 3


def _are_days(*texts: str) -> bool:
    dates = parse_dates(pd.Series(texts, dtype="str"))
    return len(dates.formats) == 1 and not dates.bad.any()


def _is_after(one: str, other: str) -> bool:
    first, last = parse_dates(pd.Series([one, other], dtype="str")).values
    return bool(first > last)
