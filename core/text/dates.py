"""Dates, written out so that nobody takes the day for the month."""

from datetime import date as Date

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def date(day: Date | str) -> str:
    """A date as `23 Aug 2021`, wherever it is read.

    Args:
        day: A date, or a text that begins with an ISO date (NumPy's dates too).
    """
    if isinstance(day, str):
        day = Date.fromisoformat(day[:10])
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
