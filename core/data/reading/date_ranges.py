"""Ranges: weeks that are written with their first and last day, as `1-7 Jan 2024`.

The first day counts. A year, or a month, that only the last day has is the first day's,
too: `30 Dec - 5 Jan 2024` begins in 2023.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

#: Days from the first to the last of a range, at most.
_LONGEST = 31

Parts = pd.DataFrame
Dates = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
Months = Callable[[pd.Series], np.ndarray]

_TO = r"(?: ?(?:-|~|TO|BIS|AU|AL|HASTA|ATE|TOT|T/M|DO|THROUGH|UNTIL) ?| A )"
_NAME = r"([A-Z]{3,10})\.?"
#: Groups of the first day, then of the last: each is day, month, year or the like.
_ISO_DAY = r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
ISO = rf"{_ISO_DAY}(?:{_TO}|/){_ISO_DAY}"
_COMPACT_DAY = r"((?:19|20)\d{2})(\d{2})(\d{2})"
COMPACT = rf"{_COMPACT_DAY}{_TO}{_COMPACT_DAY}"
DAY_NAME = (
    rf"(\d{{1,2}})\.?(?: ?{_NAME})?(?:,? ?(\d{{4}}))?{_TO}"
    rf"(\d{{1,2}})\.? ?{_NAME},? ?(\d{{4}})"
)
NAME_DAY = (
    rf"{_NAME} (\d{{1,2}})(?:,? (\d{{4}}))?{_TO}(?:{_NAME} )?(\d{{1,2}}),? (\d{{4}})"
)


def numeric(mark: str) -> str:
    """The pattern of ranges of numbers with a mark between them.

    The first day may stand without its month, too: `01.-07.01.2024`, `1-7/1/2024`.
    """
    year = r"(\d{4}|\d{2})"
    start = rf"(\d{{1,2}})(?:{mark}(\d{{1,2}})(?:{mark}{year}?)?|\.)?"
    return rf"{start}{_TO}(\d{{1,2}}){mark}(\d{{1,2}}){mark}{year}"


def first_days(
    order: str, date: Dates, month_number: Months
) -> Callable[[Parts], np.ndarray]:
    """Reads the first days of ranges.

    Args:
        order: Of a day's parts, such as `dmy`; the last day has the same.
        date: Makes dates of years, months and days; NaT where there is none.
        month_number: Numbers of months by their names.
    """
    places = [order.index(letter) for letter in "ymd"]

    def numbers(column: pd.Series) -> np.ndarray:
        is_name = column.dropna().str.contains("[A-Z]").any()
        return month_number(column) if is_name else column.to_numpy(dtype=float)

    def read(parts: Parts) -> np.ndarray:
        filled = [parts[place].notna().to_numpy() for place in range(6)]
        year, month, day = (numbers(parts[place]) for place in places)
        last_year, last_month, last_day = (numbers(parts[at + 3]) for at in places)
        at = order.index("m")
        month = np.where(filled[at], month, last_month)
        last_month = np.where(filled[at + 3], last_month, month)
        same = np.where(month > last_month, last_year - 1, last_year)
        day = np.nan_to_num(day)  # `01.-07.01.2024` has no month first: no day is 0
        first = date(np.where(np.isnan(year), same, year), month, day)
        length = (date(last_year, last_month, last_day) - first) / np.timedelta64(
            1, "D"
        )
        exists = ~np.isnat(first) & (length >= 0) & (length <= _LONGEST)
        return np.where(exists, first, np.datetime64("NaT", "D"))

    return read
