"""Counted: which rows of orders count, and what of each.

Cancelled orders and what was paid back are a question; the total of an order in each of
its lines counts once.

Names of channels in rows: merged cells, and spellings that count as one.

A spreadsheet shows one cell across several rows; its export has the name in the first
of them and nothing below it. Such rows would all be of a channel without a name.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.cells.labels import as_written
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.kinds.vocabulary import is_cancelled, is_fine
from core.data.layout.recipe import Layout, Source
from core.data.layout.tables.orders import (
    MAYBE,
    gone,
    is_flag,
    is_pipeline,
    paid_back,
    share_repeated,
)
from core.data.reading.doubts import Question
from core.data.reading.findings import Finding
from core.data.reading.numbers import as_numbers
from core.text import percent
from core.text.languages.language import marked
from core.text.sentences import count, listed

#: Share of empty cells from which names may stand for the rows below them.
_MANY = 0.05
#: Share of dates on which two spellings both have rows, where they may be two names.
_BESIDE = 0.5


def merged_names(source: Source, file: File) -> list[Finding]:
    """Columns of names that are empty below the first row of each group.

    Rows without a name of their own are no such rows: written with the name above
    them, they would be the same row twice, or they are of variables that no row with a
    name is of, such as the revenue below the spend of channels.
    """
    names = [*source.channel, *filter(None, [source.variable])]
    frame = file.frame
    findings = []
    for name in names:
        empty = frame[name].isna().to_numpy()
        if not len(empty) or empty[0] or empty.mean() < _MANY:
            continue
        if source.variable not in (None, name) and _are_nobodys(source, frame, empty):
            continue
        if _is_unique(source, frame, names, name):
            rows = count(int(empty.sum()), "row")
            message = (
                f"{name} of {file.called} is empty in {rows}, as where cells are "
                "merged and a name stands only in the first row that it is about."
            )
            hint = "Write the name into every row, and load the file again."
            findings.append(Finding("error", file.where(name), message, hint))
    return findings


def alike_names(source: Source, file: File) -> list[Finding]:
    """Names that differ in case or spaces only, which are one channel.

    Where both have rows on the same dates they may be two campaigns.
    """
    if source.kind != "campaigns" or len(source.channel) != 1 or source.groups:
        return []
    name, frame = source.channel[0], file.frame
    cells = frame[name].dropna().astype("str")
    spellings: dict[str, list[str]] = {}
    for text in cells.unique():
        spellings.setdefault(" ".join(text.casefold().split()), []).append(text)
    findings = []
    for texts in spellings.values():
        if len({" ".join(text.split()) for text in texts}) < 2:  # noqa: PLR2004
            continue
        dates = [set(frame[source.date][cells.index[cells == t]]) for t in texts]
        shared = set.intersection(*dates)
        often = len(shared) > _BESIDE * min(map(len, dates))
        shown = listed(sorted(texts))
        message = f"{shown} of {name} in {file.called} count as one channel."
        hint = (
            f"They have rows on {count(len(shared), 'date')} in common: if they are "
            "two campaigns, give one of them another name."
        )
        kind = "warning" if often else "info"
        findings.append(Finding(kind, file.where(name), message, hint if often else ""))
    return findings


def _are_nobodys(source: Source, frame: pd.DataFrame, empty: np.ndarray) -> bool:
    """Whether rows without a name have variables of their own, each once per date."""
    variables = frame[source.variable]
    keys = [source.date, *filter(None, [source.geo]), source.variable]
    once = not frame.loc[empty, keys].duplicated().any()
    return once and set(variables[empty]).isdisjoint(variables[~empty])


def _is_unique(
    source: Source, frame: pd.DataFrame, names: list[str], name: str
) -> bool:
    """Whether no row comes twice where empty cells have the name above them."""
    keys = frame[[source.date, *filter(None, [source.geo]), *names]].copy()
    keys[name] = keys[name].ffill()
    others = [
        text
        for text in frame.columns
        if text not in keys and not pd.api.types.is_numeric_dtype(frame[text].dtype)
    ]
    return not keys.assign(**{text: frame[text] for text in others}).duplicated().any()


#: Words of a column of states that are shown one by one.
_WORDS = 5


def counted(
    source: Source, file: File, layout: Layout
) -> tuple[File, np.ndarray, list[Finding]]:
    """The rows of orders that count, and totals of orders once.

    Returns:
        The file, which of its rows are orders, and what was done. A row whose amount is
        below zero takes an order back and is none.

    Raises:
        Doubtful: Some are cancelled, and nobody has said whether they count.
    """
    frame, noted, off = file.frame, [], None
    if source.status and layout.cancelled != "counted":
        amounts = {name: paid_back(source, frame, name) for name in source.status}
        back = {name: one for name, one in amounts.items() if one is not None}
        by_column = {n: _gone(source, frame, n) for n in source.status if n not in back}
        by_column = {name: rows for name, rows in by_column.items() if rows.any()}
        out = np.any([*by_column.values()], axis=0)
        if by_column and _takes_back(source, frame)[out].all():
            by_column = {}  # they are subtracted, as every row below zero is
        if by_column and layout.cancelled is None:
            raise _about_cancelled(source, file, by_column)
        if back:
            off, text = _paid_back(source, file, layout, back)
            noted += text
        if by_column:
            shown = f"{count(int(out.sum()), 'row')} of {file.called}"
            message = f"{shown} left out: {_shared(frame, by_column)}."
            where = file.where(next(iter(by_column)))
            noted.append(Finding("info", where, message))
            frame = frame[~out]
    if source.order and source.once:
        frame = frame.copy()
        for name in source.once:
            is_known = frame[name].notna() & frame[source.order].notna()
            copies = frame[is_known].duplicated([source.order, name])
            at = copies.index[copies]
            frame[name] = frame[name].mask(frame.index.isin(at))
            message = (
                f"{name} of {file.called} is the total of an order in each of its "
                f"lines, so it counts once per {source.order}."
            )
            noted.append(Finding("info", file.where(name), message))
    is_back = _takes_back(source, frame)
    noted += _below_zero(source, replace(file, frame=frame), is_back)
    if off is not None:
        column = source.amounts[0][1]
        values = as_numbers(frame[column], source.decimal).values
        refunds = off[frame.index].to_numpy()
        # A line without the total of its order may have what was paid back of it.
        values = np.where(np.isnan(values) & (refunds > 0), 0.0, values) - refunds
        frame = frame.assign(**{column: values})
    noted += [*_may_repeat(source, file), *_unknown_states(source, file)]
    noted += alike_names(source, file)
    return replace(file, frame=frame), ~is_back, noted


def _gone(source: Source, frame: pd.DataFrame, name: str) -> np.ndarray:
    """Rows of orders that came to nothing, with lines that do not say so again."""
    out = gone(frame, name)
    if source.order is None or not out.any():
        return out
    orders = frame[source.order]
    return out | (frame[name].isna() & orders.isin(orders[out])).to_numpy(dtype=bool)


def _takes_back(source: Source, frame: pd.DataFrame) -> np.ndarray:
    """Rows of orders with an amount below zero."""
    if source.kind != "orders" or not source.amounts:
        return np.zeros(len(frame), dtype=bool)
    wide, column = source.amounts[0]
    if wide != "revenue":
        return np.zeros(len(frame), dtype=bool)
    return as_numbers(frame[column], source.decimal).values < 0


def _below_zero(source: Source, file: File, back: np.ndarray) -> list[Finding]:
    """That amounts below zero are subtracted, and are no orders."""
    if not back.any():
        return []
    column = source.amounts[0][1]
    values = as_numbers(file.frame[column], source.decimal).values
    total = -float(values[back].sum())
    rows = count(int(back.sum()), "row")
    message = (
        f"{column} of {file.called} is negative in {rows}, {total:,.2f} together, "
        "which is subtracted as refunds."
    )
    if source.count:
        message = (
            f"{column} of {file.called} is negative in {rows}, {total:,.2f} together, "
            "which is subtracted as refunds; these rows do not count as orders."
        )
    return [Finding("info", file.where(column), message)]


def _paid_back(
    source: Source, file: File, layout: Layout, back: Mapping[str, np.ndarray]
) -> tuple[pd.Series | None, list[Finding]]:
    """What is taken off each row of orders, since it was paid back.

    Raises:
        Doubtful: Nobody has said whether it counts.
    """
    frame = file.frame
    name, column = next(iter(back)), source.amounts[0][1]
    most = np.max(list(back.values()), axis=0)  # two columns may say the same
    if not most.any():
        return None, []
    values = as_numbers(frame[column], source.decimal).values
    n_rows, total = int((most > 0).sum()), float(most.sum())
    if layout.cancelled is None:
        every = float(np.nansum(values))
        said = f"{total:,.2f} in {count(n_rows, 'row')}"
        message = (
            f"{name} of {file.called} is {said}: {column} is {every:,.2f} without "
            f"taking it off, and {every - total:,.2f} less it."
        )
        ways = (
            ("left_out", marked("what was paid back does not count")),
            ("counted", f"{column} counts as it is"),
        )
        raise Doubtful("cancelled", Question(name, said, n_rows, ways), file, message)
    message = (
        f"{name} of {file.called} is taken off {column}: {total:,.2f} in "
        f"{count(n_rows, 'row')}."
    )
    off = pd.Series(most, index=frame.index)
    return off, [Finding("info", file.where(name), message)]


def _may_repeat(source: Source, file: File) -> list[Finding]:
    """Amounts of lines that look like totals of their order in most orders."""
    findings = []
    for wide, column in source.amounts if source.order else ():
        if wide == "units" or column in source.once:
            continue
        share = share_repeated(file.frame, str(source.order), column)
        if share > MAYBE:
            message = (
                f"{column} of {file.called} is the same in all lines of "
                f"{percent(share)} of the orders with several. It is summed by line; "
                "if it is the total of the order, it counts several times."
            )
            hint = "Export one row per order if it is the total."
            findings.append(Finding("warning", file.where(column), message, hint))
    return findings


def _unknown_states(source: Source, file: File) -> list[Finding]:
    """Words of a status that nobody knows: those rows count."""
    findings = []
    for name in source.status:
        column = file.frame[name]
        if is_flag(name, file.frame) or pd.api.types.is_numeric_dtype(column.dtype):
            continue
        counts = column.dropna().value_counts()
        odd = [one for one in counts.index if not (is_cancelled(one) or is_fine(one))]
        if len(counts) < 2 or not odd or is_pipeline(column):
            continue
        words = listed([f"{cell} ({counts[cell]:,})" for cell in odd], limit=_WORDS)
        message = (
            f"Rows of {file.called} count whatever {name} says, and nothing is known "
            f"of {words}."
        )
        hint = "Leave rows out of the file that brought no money."
        findings.append(Finding("warning", file.where(name), message, hint))
    return findings


def _about_cancelled(
    source: Source, file: File, by_column: Mapping[str, np.ndarray]
) -> Doubtful:
    """Whether orders count that columns say are cancelled, refunded or a test."""
    status, out = next(iter(by_column)), np.any(list(by_column.values()), axis=0)
    sums = ""
    for _, column in source.amounts[:1]:
        values = as_numbers(file.frame[column], source.decimal).values
        every, rest = np.nansum(values), np.nansum(values[~out])
        sums = f": {column} is {every:,.2f} with them and {rest:,.2f} without"
    rows = count(int(out.sum()), "row")
    message = f"In {rows} of {file.called} {_shared(file.frame, by_column)}{sums}."
    ways = (
        ("left_out", marked("they do not count")),
        ("counted", marked("they count like the others")),
    )
    question = Question(status, _shared(file.frame, by_column), int(out.sum()), ways)
    return Doubtful("cancelled", question, file, message)


def _shared(frame: pd.DataFrame, by_column: Mapping[str, np.ndarray]) -> str:
    """What each column says of some rows: `status is void and refunded is True`."""
    parts = []
    for name, rows in by_column.items():
        words = sorted({str(cell) for cell in as_written(frame[name])[rows]})
        parts.append(
            f"{name} is {listed(words)}" if len(words) <= _WORDS else f"{name} is set"
        )
    return listed(parts)
