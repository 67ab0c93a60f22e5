"""Rows without dates: numbered from a first date, as a person says.

LightweightMMM and many scripts keep media and target as arrays, one row per period,
without dates. Nothing in such a table says when it begins or how long a row is, so
neither is guessed.
"""

import datetime
from typing import Literal

import numpy as np
import pandas as pd

from core.data.cells.words import GEO
from core.data.layout.kinds.exports import File
from core.data.reading.numbers import as_numbers
from core.data.recognition.evidence import evidence
from core.errors import SchemaError
from core.text.sentences import count

Step = Literal["day", "week", "month"]
_COLUMN = "date"
#: Numbers of periods from here on are none: days of a hundred years.
_MOST = 36_500


def numbered(file: File, start: str, step: Step) -> File:
    """A table with a column of dates, counted from the first row.

    Where a column numbers the periods (`Nth week`), its numbers count, not the order.
    With a column of geos, each geo's rows are counted for themselves.

    Args:
        file: A table; one that has dates is returned as it is.
        start: The first period's date (ISO).
        step: What one row covers.

    Raises:
        SchemaError: The date is none, the table has a column called date, or geos
            have different numbers of rows.
    """
    if file.date is not None:
        return file
    if _COLUMN in file.frame.columns:
        raise SchemaError(
            f"Column {_COLUMN} of {file.called} holds no dates, so rows cannot be "
            "numbered into it.",
            hint="Rename it, or write its dates like 2021-01-25.",
            where=file.where(_COLUMN),
        )
    by_number = _numbers(file)
    at = _places(file) if by_number is None else by_number[1]
    try:
        first = pd.Timestamp(datetime.date.fromisoformat(start))
        steps = {"day": pd.DateOffset(days=1), "week": pd.DateOffset(weeks=1)}
        offset = steps.get(step, pd.DateOffset(months=1))
        every = [first + n * offset for n in range(int(at.max(initial=0)) + 1)]
        dates = pd.DatetimeIndex(every)[at]
    except (ValueError, OverflowError) as error:
        raise SchemaError(
            f"{start[:40]!r} is not a date that "
            f"{count(len(file.frame), 'row')} can begin on.",
            hint="Write the first period's date as 2021-01-25.",
            where=file.called,
        ) from error
    frame = file.frame.copy()
    frame.insert(0, _COLUMN, dates.to_numpy().astype("datetime64[s]"))
    periods, since = count(len(every), step), f"{every[0]:%Y-%m-%d}"
    said = (
        f"{file.called} has no dates: {periods} are counted from {since} on, in the "
        "order of its rows."
    )
    if by_number is not None:
        said = (
            f"{file.called} has no dates: {periods} are counted from {since} on, by "
            f"the numbers in {by_number[0]}."
        )
    return file.noted(said, frame=frame, date=_COLUMN)


def _numbers(file: File) -> tuple[str, np.ndarray] | None:
    """A column that numbers the periods from zero, and what it says of each row.

    GA4 writes `Nth week` instead of dates; its rows may be in any order, and a period
    without traffic has none.
    """
    for name, facts in evidence(file.frame).items():
        if "nth" in facts.name.words and facts.is_number:
            values = as_numbers(file.frame[name]).values
            whole = (values == values.round()) & (values >= 0) & (values < _MOST)
            if whole.all():
                return name, values.astype(int)
    return None


def _places(file: File) -> np.ndarray:
    """The period of each row, from zero."""
    frame = file.frame
    geos = [
        name
        for name, facts in evidence(frame).items()
        if not facts.is_number and not facts.is_empty and facts.name.has(GEO)
    ]
    if not geos:
        return np.arange(len(frame))
    sizes = frame.groupby(geos[0], observed=True).size()
    if sizes.nunique() > 1:
        least, most = sizes.idxmin(), sizes.idxmax()
        raise SchemaError(
            f"{file.called} has {sizes.max():,} rows of {most} and {sizes.min():,} of "
            f"{least}, so rows do not say their period.",
            hint="Add a column of dates.",
            where=file.where(geos[0]),
        )
    return frame.groupby(geos[0], observed=True).cumcount().to_numpy()
