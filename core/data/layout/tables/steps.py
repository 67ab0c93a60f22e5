"""Steps: exports whose rows are months for a while and days then, and days left out."""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.layout.tables.tall import Tall
from core.data.reading.findings import Finding
from core.errors import SchemaError
from core.text.sentences import count

#: Days of a step, dates in a row that make it one, and how many times the amount of a
#: day a row of it has at least.
_COARSE = {"month": ((28, 31), 3, 8.0), "week": ((7, 7), 4, 3.0)}
#: Dates with a row each day, at least, before anything is said of others.
_DAYS = 14
#: Days without a row in an export that has them nearly every day, at least.
_GAP, _DENSE = 14, 0.9


def stepped(tall: Tall) -> Tall:
    """Rows of campaigns or orders by day, with a note where many days have none.

    Raises:
        SchemaError: Some rows are whole weeks or months, as their amounts say.
    """
    if tall.source.kind not in ("campaigns", "orders") or tall.frequency != "daily":
        return tall
    dates = np.unique(tall.dates)
    days = np.diff(dates).astype(np.int64)
    if len(days) < _DAYS:
        return tall
    _refuse_coarse(tall, dates, days)
    at = int(np.argmax(days))
    longest = int(days[at]) - 1
    dense = (len(dates) - 1) / (days.sum() - longest)
    if longest < _GAP or dense < _DENSE:
        return tall
    first, last = dates[at] + 1, dates[at + 1] - 1
    finding = Finding(
        "warning",
        tall.file.where(tall.source.date),
        f"{tall.file.called} has no row for {count(longest, 'day')}, {first} to "
        f"{last}, which count as zero.",
        "If a file is missing, add it.",
    )
    return replace(tall, findings=(*tall.findings, finding))


def _refuse_coarse(tall: Tall, dates: np.ndarray, days: np.ndarray) -> None:
    """Refuse rows at the beginning or end that are a week or a month each.

    Raises:
        SchemaError: There are some; in weeks that begin on their date they are right.
    """
    sums = pd.Series(next(iter(tall.sums.values()))).groupby(tall.dates).sum()
    amounts = np.abs(sums.to_numpy())
    for what, ((low, high), least, times) in _COARSE.items():
        fits = (days >= low) & (days <= high)
        for coarse in _ends(fits):
            fine = np.delete(np.arange(len(dates)), coarse)
            if len(coarse) < least or len(fine) < _DAYS:
                continue
            mondays = (dates[coarse].astype(np.int64) + 3) % 7 == 0
            if what == "week" and mondays.all():
                continue
            if np.median(amounts[coarse]) < times * np.median(amounts[fine]):
                continue
            shown = dates[coarse]
            raise SchemaError(
                f"{tall.file.called} has a row per {what} from {shown[0]} to "
                f"{shown[-1]} and rows per day beside them: each {what} would count "
                "on a single day.",
                hint="Export all of it by day.",
                where=tall.file.where(tall.source.date),
            )


def _ends(fits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of the dates at the beginning and end between which all steps fit."""
    n = len(fits)
    head = n if fits.all() else int(np.argmin(fits))
    tail = n if fits.all() else int(np.argmin(fits[::-1]))
    return np.arange(head), np.arange(n - tail + 1, n + 1)
