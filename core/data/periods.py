"""Periods: how often the data comes, and which dates are missing or out of step.

Periods are evenly spaced in days (daily, weekly, every n days) or are calendar
months, quarters or years, which are 28 to 31, 90 to 92 and 365 to 366 days apart.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

Frequency = Literal[
    "daily", "weekly", "monthly", "quarterly", "yearly", "every n days", "irregular"
]

#: What one period is called.
PERIOD: dict[Frequency, str] = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "every n days": "period",
    "irregular": "period",
}
#: Periods in a year.
PER_YEAR: dict[Frequency, float] = {
    "daily": 365.25,
    "weekly": 52.18,
    "monthly": 12.0,
    "quarterly": 4.0,
    "yearly": 1.0,
}
_MONTHS: dict[Frequency, int] = {"monthly": 1, "quarterly": 3, "yearly": 12}
_WEEKDAYS = (
    *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
)


@dataclass(frozen=True)
class Periods:
    """The periods that dates stand for.

    Attributes:
        frequency: How often.
        days: Length of a period in days; None where it follows the calendar.
        missing: Dates between the first and the last that should be there.
        out_of_step: Dates that fall between periods.
    """

    frequency: Frequency
    days: int | None
    missing: np.ndarray
    out_of_step: np.ndarray

    @property
    def period(self) -> str:
        """What one period is called: day, week, month, quarter, year or period."""
        return PERIOD[self.frequency]


def periods(dates: np.ndarray) -> Periods:
    """The periods behind dates, judged from the most common step between them.

    Args:
        dates: datetime64[D], in any order, repeats allowed, NaT ignored.
    """
    times = np.unique(dates[~np.isnat(dates)])
    none = times[:0]
    if len(times) < 2:
        return Periods("irregular", None, none, none)
    steps = np.diff(times).astype(int)
    step = _most_common(steps)
    calendar = _calendar(steps)
    if calendar is not None:
        return _by_month(times, calendar)
    start = _most_common(times.astype(int) % step)
    in_step = times.astype(int) % step == start
    expected = np.arange(times[in_step][0], times[in_step][-1] + 1, step)
    missing = np.setdiff1d(expected, times)
    out_of_step = times[~in_step]
    if len(times) > 2 and len(out_of_step) + len(missing) > len(times) / 2:
        return Periods("irregular", None, none, none)
    named: dict[int, Frequency] = {1: "daily", 7: "weekly"}
    return Periods(named.get(step, "every n days"), step, missing, out_of_step)


def weekday(date: np.datetime64) -> str:
    """The name of a date's day of the week."""
    return _WEEKDAYS[(date.astype("datetime64[D]").astype(int) + 3) % 7]


def _most_common(values: np.ndarray) -> int:
    distinct, counts = np.unique(values, return_counts=True)
    return int(distinct[np.argmax(counts)])


def _calendar(steps: np.ndarray) -> Frequency | None:
    """Months, quarters or years, where most steps have their length."""
    if (steps == 28).mean() > 0.9 and len(steps) > 1:
        return None  # every four weeks
    bounds: tuple[tuple[Frequency, int, int], ...] = (
        ("monthly", 28, 31),
        ("quarterly", 90, 92),
        ("yearly", 365, 366),
    )
    for frequency, low, high in bounds:
        if ((steps >= low) & (steps <= high)).mean() > 0.5:
            return frequency
    return None


def _by_month(times: np.ndarray, frequency: Frequency) -> Periods:
    """Periods that follow the calendar."""
    every = _MONTHS[frequency]
    months = times.astype("datetime64[M]")
    day = times - months.astype("datetime64[D]")
    number = months.astype(int)
    in_step = number % every == _most_common(number % every)
    in_step[1:] &= np.diff(number) > 0
    expected = np.arange(number[in_step][0], number[in_step][-1] + 1, every)
    absent = np.setdiff1d(expected, number).astype("datetime64[M]")
    typical = np.timedelta64(_most_common(day.astype(int)), "D")
    last = (absent + 1).astype("datetime64[D]") - np.timedelta64(1, "D")
    missing = np.minimum(absent.astype("datetime64[D]") + typical, last)
    return Periods(frequency, None, missing, times[~in_step])
