"""Spans: how long a horizon is, in what its periods are called."""

from datetime import date

from core.text.sentences import count

#: Days from one period to the next, and what the periods are called.
_NAMES = {1: "days", 7: "weeks", 30: "months", 31: "months", 91: "quarters"}


def periods_name(start: str, end: str, n: int) -> str:
    """What periods are called, such as `weeks`; `periods` where that is not known.

    Args:
        start: First day of the first one, ISO; empty where not known.
        end: First day of the last one, likewise.
        n: How many they are.
    """
    if not start or not end or n < 2:
        return "periods"
    first, last = (date.fromisoformat(day[:10]) for day in (start, end))
    return _NAMES.get(round((last - first).days / (n - 1)), "periods")


def span(start: str, end: str, n: int) -> str:
    """How long periods are together: `52 weeks`, `1 period`; see `periods_name`."""
    return count(n, periods_name(start, end, n).removesuffix("s"))
