"""Report rows: rows of an export that are no data, such as totals and notes.

A total of all rows is no day, neither is the sub-total of a month in a pivot table, nor
a line that says where the numbers are from. Each is left out, and said.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.cells.scales import note_scale, scaled
from core.data.layout.kinds.dating import find_date, holds_dates, read_dates
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_end, is_total, measure
from core.data.reading.numbers import as_numbers
from core.data.reading.origins import row_numbers
from core.text.sentences import count, listed, verb

_SAMPLE = 200
#: Where the reader of a text file keeps lines that are too short to be rows.
_BELOW = "notes_below"
#: Rows without a date that are totals although nothing names them so, at most.
_FEW, _PART = 20, 10
#: Share of rows that totals by name can be.
_MOST = 0.5
#: Lines below a table, at most.
_NOTES = 30
#: A sum agrees with its rows to this share of it: cells are rounded.
_SAME = 1e-3
#: Rows of which one can be the sum, at least.
_ROWS = 5
#: Share of rows in which a column of names is filled, where a total has none.
_NAMED = 0.95
#: Share of rows with a date whose order's number is that of the row above, at most.
_SAME_ORDER = 0.1
#: Share of rows without a date that have that of the row above, at least.
_MERGED = 0.2
_TOTALS = ("spend", "impressions", "clicks", "views", "sends")


def without_report_rows(file: File) -> File:
    """The rows that are days, and what was left out."""
    file = _of_orders(_without_notes(_dated(file)))
    file = _below_each_other(_without_totals(file))
    return _without_dated_total(file)


def _dated(file: File) -> File:
    """A file whose dates are seen once the sub-totals between them are gone."""
    if file.date is not None or not len(file.frame):
        return file
    frame = file.frame
    for name in map(str, frame.columns):
        if not _is_text(frame[name]):
            continue
        is_sum = _named_totals(frame[name])
        if 0 < is_sum.mean() <= _MOST and holds_dates(name, frame[name][~is_sum]):
            rest = _left_out(file, np.flatnonzero(is_sum))
            return replace(rest, date=find_date(rest.frame))
    return file


def _named_totals(column: pd.Series) -> np.ndarray:
    is_sum = [isinstance(cell, str) and is_total(cell) for cell in column]
    return np.array(is_sum, dtype=bool)


def _without_notes(file: File) -> File:
    """The rows above the notes at the end: source, remarks, the filters of a report."""
    frame = file.frame
    lines = list(frame.attrs.get(_BELOW, ()))
    n_kept = len(frame)
    if file.date is not None:
        while n_kept > 1 and len(frame) - n_kept < _NOTES:
            words = _note(frame.iloc[n_kept - 1], file.date)
            if not words:
                break
            lines.insert(0, words)
            n_kept -= 1
    if not lines:
        return file
    body = frame.iloc[:n_kept]
    body.attrs = {key: each for key, each in frame.attrs.items() if key != _BELOW}
    file = replace(file, frame=_retyped(body) if n_kept < len(frame) else body)
    file = _in_units(file, lines)
    is_ = "is" if len(lines) == 1 else "are"
    message = (
        f"{count(len(lines), 'line')} below the table {is_} left out: "
        f'"{lines[0][:60]}"{" and more" if len(lines) > 1 else ""}.'
    )
    return file.noted(message)


def _in_units(file: File, notes: list[str]) -> File:
    """Amounts in the thousands or millions that a note below the table states."""
    factor, is_sure = note_scale(notes)
    if factor == 1:
        return file
    if is_sure:
        file.frame.attrs["title_scale"] = factor
        return replace(file, frame=scaled(file.frame))
    message = (
        f"A line below the table of {file.called} speaks of thousands or millions, and "
        "amounts are read as they are written."
    )
    hint = "If amounts are in that unit, write it into the names of their columns."
    return file.noted(message, hint=hint)


def _note(row: pd.Series, date: str) -> str:
    """The words of a row that is a remark; empty where it is data."""
    if not np.isnat(read_dates(pd.Series([row[date]], name=date)).values[0]):
        return ""
    filled = [row[name] for name in row.index if pd.notna(row[name])]
    if not all(isinstance(cell, str) for cell in filled) or not filled:
        return ""
    is_pair = filled[0].rstrip().endswith(":")
    if len(filled) > 1 and not is_pair and len(filled) >= len(row) / 2:
        return ""
    numbers = as_numbers(pd.Series(filled, dtype="str"))
    if is_total(filled[0]) or (~numbers.bad & ~numbers.is_empty).any():
        return ""
    return " ".join(filled)


def _without_totals(file: File) -> File:
    """The rows that are days; total rows are left out where they have no date."""
    if file.date is None:
        return file
    frame = file.frame
    undated = np.flatnonzero(np.isnat(read_dates(frame[file.date]).values))
    if not len(undated) or len(undated) > _MOST * len(frame):
        return file
    texts = [name for name in frame.columns if _is_text(frame[name])]
    named = [at for at in undated if _names_total(frame, int(at), texts, undated)]
    totals = np.array(named, dtype=np.int64)
    rest = np.setdiff1d(undated, totals)
    unnamed: list[int] = []
    if len(rest) <= max(_FEW, len(frame) // _PART):
        ends = {0, len(frame) - 1}
        unnamed = [at for at in rest if at in ends and _is_sum(frame, int(at), totals)]
    out = np.union1d(totals, np.array(unnamed, dtype=np.int64)).astype(np.int64)
    return _left_out(file, out) if len(out) else file


def _names_total(
    frame: pd.DataFrame, at: int, texts: list[str], undated: np.ndarray
) -> bool:
    """Whether a row is called a total, and not as rows of days are, too.

    A brand is called Total: one of its rows that lacks its date is no sum.
    """
    row = frame.iloc[at]
    lines = [n for n in texts if isinstance(row[n], str) and is_total(str(row[n]))]
    days = np.setdiff1d(np.arange(len(frame)), undated)
    return any(
        not (frame[name].iloc[days] == row[name]).any()
        or _is_sum(frame, at, undated[undated != at], named=True)
        for name in lines
    )


def _is_sum(
    frame: pd.DataFrame, at: int, totals: np.ndarray, *, named: bool = False
) -> bool:
    """Whether a row is the sum of the others; or has no number at all.

    Its texts are those of every row, such as the currency, unless one names it.
    """
    row = frame.iloc[at]
    others = frame.drop(index=frame.index[[at, *totals]])
    equal, n_numbers = [], 0
    for name in frame.columns:
        if pd.isna(row[name]):
            continue
        if _is_text(frame[name]):
            if named:
                continue
            number = as_numbers(pd.Series([row[name]], dtype="str"))
            if number.bad.any() and not (others[name].dropna() == row[name]).all():
                return False
            continue
        if pd.api.types.is_numeric_dtype(frame[name].dtype) and float(row[name]):
            n_numbers += 1
            equal.append(np.isclose(float(row[name]), others[name].sum(), rtol=_SAME))
    return any(equal) or not n_numbers


def _left_out(file: File, at: np.ndarray) -> File:
    frame = file.frame
    numbers = list(row_numbers(frame)[at])
    which = "row " if len(numbers) == 1 else "rows "
    message = f"{count(len(numbers), 'total row')} left out: {which}{listed(numbers)}."
    rest = _retyped(frame.drop(index=frame.index[at]))
    return file.noted(message, frame=rest)


def _of_orders(file: File) -> File:
    """Dates that stand only in the first line of an order, written into the others."""
    if file.date is None:
        return file
    frame = file.frame
    empty = frame[file.date].isna().to_numpy()
    if not empty.any() or empty[0]:
        return file
    for name in map(str, frame.columns):
        column = frame[name]
        if name == file.date or column.isna().any():
            continue
        same = (column == column.shift()).to_numpy(dtype=bool)
        # Every line without a date goes on with an order; others mostly begin one.
        if not same[empty].all() or same[~empty].mean() > _SAME_ORDER:
            continue
        n_rows = int(empty.sum())
        message = (
            f"{count(n_rows, 'row')} of {file.called} without {file.date} "
            f"{verb(n_rows, 'have')} that of the row above, of the same {name}."
        )
        dated = frame.assign(**{file.date: frame[file.date].ffill()})
        return file.noted(message, file.date, frame=dated)
    return file


def _below_each_other(file: File) -> File:
    """Dates that stand only in the first of their rows, written into each of them.

    Only where the rows of a date then have different names.
    """
    if file.date is None:
        return file
    frame = file.frame
    empty = frame[file.date].isna().to_numpy()
    if empty.mean() < _MERGED or empty[0]:
        return file
    texts = [
        name
        for name in frame.columns
        if name != file.date and _is_text(frame[name]) and frame[name].notna().all()
    ]
    whole = frame.assign(**{file.date: frame[file.date].ffill()})
    if not texts or whole[[file.date, *texts]].duplicated().any():
        return file
    n_rows = int(empty.sum())
    message = (
        f"{count(n_rows, 'row')} of {file.called} without {file.date} "
        f"{verb(n_rows, 'have')} that of the row above, as in a pivot table."
    )
    return file.noted(message, file.date, frame=whole)


def _without_dated_total(file: File) -> File:
    """The rows without a total on top or at the end that bears a date.

    Meta's has the first day of the report, and no campaign: it is the sum of all rows.
    """
    frame = file.frame
    if file.date is None or len(frame) <= _ROWS:
        return file
    measured = [
        str(name)
        for name in frame.columns
        if pd.api.types.is_numeric_dtype(frame[name].dtype)
        and measure(str(name)) in _TOTALS
    ]
    for at in (0, len(frame) - 1):
        others = frame.drop(index=frame.index[at])
        row = frame.iloc[at]
        own = [float(row[name]) for name in measured]
        sums = [float(others[name].sum()) for name in measured]
        agree = [
            np.isclose(one, total, rtol=_SAME)
            for one, total in zip(own, sums, strict=True)
            if one and np.isfinite(one)
        ]
        if not agree or not all(agree):
            continue
        # A sum of one column may be chance, so then its day is one of the others.
        is_again = bool((others[file.date] == row[file.date]).any())
        if (is_again or len(agree) > 1) and _is_nobody(row, others, file.date):
            return _left_out(file, np.array([at]))
    return file


def _is_nobody(row: pd.Series, others: pd.DataFrame, date: str) -> bool:
    """Whether a row has no name where all others have one, or covers all their days."""
    for name in map(str, others.columns):
        column = others[name]
        if name == date:
            continue
        if holds_dates(name, column):
            if is_end(name) and pd.notna(row[name]):
                ends = read_dates(pd.concat([column, pd.Series([row[name]])])).values
                starts = read_dates(pd.concat([others[date], pd.Series([row[date]])]))
                days = (ends - starts.values).astype(np.int64)
                if days[-1] > 2 * days[:-1].max() + 1:
                    return True
            continue
        if _is_text(column) and column.notna().mean() >= _NAMED:
            if pd.isna(row[name]) or is_total(str(row[name])):
                return True
    return False


def _is_text(column: pd.Series) -> bool:
    kind = column.dtype
    return not (
        pd.api.types.is_numeric_dtype(kind)
        or pd.api.types.is_datetime64_any_dtype(kind)
    )


def _retyped(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of text that are numbers now that some rows are gone."""
    changed = {}
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column.dtype) or column.isna().all():
            continue
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            continue
        if as_numbers(column.dropna().head(_SAMPLE)).bad.any():
            continue
        if column.astype("str").str.match(r"0\d").any():
            continue
        numbers = as_numbers(column)
        if not numbers.bad.any():
            changed[name] = pd.Series(numbers.values, index=column.index)
    return frame.assign(**changed) if changed else frame
