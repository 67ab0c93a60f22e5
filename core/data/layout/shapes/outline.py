"""Outlines: pivot tables with dates and names in one column, one below the other.

A row of a date is the sum of the rows of channels below it, or a row of a channel the
sum of its dates, or a month the sum of its days. Rows of sums are taken out, and what
they say is written into each of their rows. Nothing is believed of names: the numbers
have to add up.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.layout.kinds.dating import find_date
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_total, measure
from core.data.reading.dates import parse_dates
from core.text.sentences import count, verb

#: Rows of sums, at least, and how many of them have to add up.
_SUMS, _AGREE = 3, 0.95
#: A sum agrees with its rows to this share of it: cells are rounded.
_SAME = 2e-3


def without_outline(file: File) -> File:
    """A file whose rows are single, with what stood above them in a column."""
    frame = file.frame
    labels = next((n for n in map(str, frame.columns) if frame[n].notna().any()), None)
    if labels is None or not pd.api.types.is_string_dtype(frame[labels].dtype):
        return file
    numbers = [
        str(n)
        for n in frame.columns
        if pd.api.types.is_numeric_dtype(frame[n].dtype) and measure(str(n)) != "ratio"
    ]
    others = [n for n in frame.columns if n != labels and n not in numbers]
    if not numbers or any(frame[n].notna().any() for n in others) or len(frame) < 6:
        return file
    whole = np.array([is_total(str(cell)) for cell in frame[labels]], dtype=bool)
    rows = frame[~whole & frame[labels].notna().to_numpy()]
    dates = parse_dates(rows[labels])
    is_date = ~np.isnat(dates.values)
    is_month = is_date & rows[labels].astype("str").str.match(_MONTH).to_numpy()
    days = is_date & ~is_month
    for parents, kind in ((is_month, "month"), (days, "date"), (~is_date, "name")):
        if kind == "month" and not (days.any() and is_date.all()):
            continue
        least = 1 if kind == "name" else _SUMS  # each of a channel's has many rows
        if parents.all() or not _add_up(rows, numbers, parents, least):
            continue
        return _flat(file, rows, labels, parents, kind)
    return file


#: A month without a day: `March 2023`, `2023-03`, `03/2023`.
_MONTH = r"^\s*(?:[^\W\d]+\.?[ \-/']*\d{2,4}|\d{4}[-/.]\d{1,2}|\d{1,2}[-/.]\d{4})\s*$"


def _add_up(
    rows: pd.DataFrame, numbers: list[str], parents: np.ndarray, least: int
) -> bool:
    """Whether each parent is the sum of the rows below it, up to the next one."""
    if parents.sum() < least or not parents[0]:
        return False
    group = np.cumsum(parents)
    if (np.bincount(group, ~parents)[1:] == 0).mean() > 1 - _AGREE:
        return False
    varies = False
    for name in numbers:
        values = np.nan_to_num(rows[name].to_numpy(dtype=np.float64))
        own = np.bincount(group, values * parents)[1:]
        below = np.bincount(group, values * ~parents)[1:]
        agree = np.abs(own - below) <= _SAME * np.abs(own) + 0.02
        if agree.mean() < _AGREE:
            return False
        varies |= len(np.unique(own[own != 0].round(2))) >= least
    return varies


def _flat(
    file: File, rows: pd.DataFrame, labels: str, parents: np.ndarray, kind: str
) -> File:
    """The rows below the sums, each with the label of its sum."""
    cells = rows[labels].astype("str").str.strip()
    above = cells.where(parents).ffill()
    named = {"month": None, "date": "date", "name": "channel"}[kind]
    own = "channel" if kind == "date" else "date"
    frame = rows.drop(columns=labels)
    frame.insert(0, own, cells)
    if named is not None:
        frame.insert(0, named, above)
    frame = frame[~parents]
    n_rows = len(file.frame) - len(frame)
    message = (
        f"{count(n_rows, 'row')} of {file.called} {verb(n_rows, 'are')} the sum of "
        f"those below, such as {cells[parents].iloc[0]}, and {verb(n_rows, 'are')} "
        "left out."
    )
    file = file.noted(message, labels, frame=frame)
    return replace(file, date=find_date(frame))
