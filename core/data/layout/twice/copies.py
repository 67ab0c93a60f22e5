"""Copies: rows that are in one file twice.

A month is pasted twice, or an export repeats some rows. Whole days with equal copies
count once, which is said; others are a question.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.recipe import Overlap
from core.data.layout.tables.orders import order_of, value_column
from core.data.layout.twice.rows_apart import Rows, rows_of
from core.data.mapping import DateReading
from core.data.reading.doubts import Question
from core.data.reading.findings import Finding
from core.text.sentences import count, verb

#: Dates in a row that are doubled are no chance.
RUN = 3
#: Share of rows whose numbers no other date has, where copies are no chance.
_RARE = 0.9


def without_copies(
    file: File, overlap: Overlap | None, dates: DateReading | None
) -> File:
    """A file without rows that were pasted into it twice.

    Raises:
        Doubtful: The copies differ.
    """
    if overlap == "all" or file.date is None or not file.frame.duplicated().any():
        return file
    read = rows_of([file], dates)
    if read is None:
        return file
    rows = read[0]
    table = pd.DataFrame({"day": rows.days, "key": rows.keys, "content": rows.contents})
    doubled, equal = _doubled_days(table, rows)
    if not len(doubled):
        return _without_single(file, overlap, dates)
    inside = np.isin(rows.days, doubled)
    revised = len(equal) < len(doubled)
    again = inside & table.duplicated("key", keep="last").to_numpy()
    if not revised:
        again = inside & table.duplicated("content").to_numpy()
    span = f"{count(len(doubled), 'date')}, {doubled[0]} to {doubled[-1]}"
    if revised and overlap is None:
        both = float(rows.amount[inside].sum())
        late = float(rows.amount[inside & ~again].sum())
        message = (
            f"{file.called} has the rows of {span} twice, with different numbers: "
            f"{rows.about} is {both:,.2f} with both and {late:,.2f} with the later."
        )
        ways = (("newest", "only the later rows count"), ("all", "all are added"))
        question = Question(str(file.date), span, len(doubled), ways)
        raise Doubtful("overlap", question, file, message)
    message = (
        f"{file.called} has the rows of {span} twice: "
        f"{count(int(again.sum()), 'copy', 'copies')} left out."
    )
    text = Finding("info", file.where(str(file.date)), message)
    frame = file.frame[~again]
    file = replace(file, frame=frame, findings=(*file.findings, text))
    return _without_single(file, overlap, dates)


def _without_single(
    file: File, overlap: Overlap | None, dates: DateReading | None
) -> File:
    """A file without single rows that are in it twice, cell by cell.

    Only where amounts tell rows apart: two clicks for the same cent are no copies.

    Raises:
        Doubtful: Nobody has said whether they count.
    """
    read = rows_of([file], dates)
    if read is None:
        return file
    rows = read[0]
    again = file.frame.duplicated().to_numpy() & rows.is_live
    values = pd.Series(rows.values)[rows.is_live]
    lone = pd.Series(rows.days)[rows.is_live].groupby(values).nunique().eq(1)
    is_rare = values.map(lone).mean() >= _RARE
    if not is_rare or len(np.unique(rows.days[again])) < RUN or _is_of_orders(file):
        return file
    copies = count(int(again.sum()), "row")
    both, once = rows.amount[rows.is_live].sum(), rows.amount[~again].sum()
    message = (
        f"{copies} of {file.called} {verb(int(again.sum()), 'are')} there twice, cell "
        f"by cell: {rows.about} is {both:,.2f} with the copies and {once:,.2f} without."
    )
    if overlap is None:
        ways = (("newest", "each row counts once"), ("all", "all are added"))
        question = Question(str(file.date), copies, int(again.sum()), ways)
        raise Doubtful("overlap", question, file, message)
    text = Finding("info", file.called, f"{message} They are left out.")
    return replace(file, frame=file.frame[~again], findings=(*file.findings, text))


def _is_of_orders(file: File) -> bool:
    """Whether rows are orders, or lines of them, of which two may be alike."""
    numbers = columns_of(file).numbers
    return order_of(file, numbers, value_column(numbers)) is not None


def _doubled_days(table: pd.DataFrame, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Dates whose rows are all there twice, and those where the copies are equal."""
    live = table[rows.is_live].assign(value=rows.values[rows.is_live])
    by_day = live.groupby("day")
    days = np.array(sorted(live["day"].unique()), dtype="datetime64[D]")
    sizes = by_day.size()
    equal = live.groupby(["day", "content"]).size().groupby("day").agg(["min", "max"])
    keys = live.groupby(["day", "key"]).size().groupby("day").agg(["min", "max"])
    elsewhere = live.groupby("value")["day"].nunique()
    rare = live["value"].map(elsewhere).eq(1).groupby(live["day"]).mean() >= 0.5
    is_equal = ((equal["min"] == equal["max"]) & (equal["min"] > 1) & rare).to_numpy()
    is_double = ((keys["min"] == keys["max"]) & (keys["min"] > 1) & rare).to_numpy()
    single = (keys["max"] == 1).to_numpy()
    others = ~is_double
    candidates = is_equal
    if not others.any() or single[others].mean() > 0.9:
        candidates = is_equal | is_double
    found = np.zeros(len(days), dtype=bool)
    partly = (equal > 1).any(axis=1).to_numpy()
    edges = np.flatnonzero(np.diff(np.r_[0, candidates.astype(int), 0]))
    for start, end in edges.reshape(-1, 2):
        many = (sizes.to_numpy()[start:end] >= 6).any()
        mostly = is_equal[start:end].mean() >= 0.5
        if (end - start >= RUN or many) and mostly:
            found[start:end] = True
    # A block that was cut within a day has some of the rows of that day.
    after, before = np.r_[found[1:], False], np.r_[False, found[:-1]]
    cut = partly & ~found & (after & before | (after | before) & rare.to_numpy())
    return days[found | cut], days[(found & is_equal) | cut]
