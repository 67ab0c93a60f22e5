"""Years below each other: a row per year and variable, and a column per month.

Each row is put behind the earlier years of its variable, so that months stand side by
side from the first year to the last, as `core.data.layout.shapes.across` has them.
"""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.cells.words import word_set
from core.data.files.columns import months_across
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_averaged, is_total, spoken
from core.data.reading.origins import row_numbers
from core.errors import SchemaError

_YEAR = word_set("calendars.year")
_CELL = re.compile(r"\s*((?:19|20)\d{2})(?:\.0)?\s*")
#: What may stand among the months besides: sums of quarters and halves of a year.
_PART = re.compile(r"[qhst][1-4]|[1-4]\.? ?(?:q|quartal|trim)\w*", re.I)


def with_months(file: File) -> File:
    """A file whose months stand side by side, where each of its rows is a year.

    Raises:
        SchemaError: Two rows are of one variable and year.
    """
    names = [str(name) for name in file.frame.columns]
    months = months_across(names)
    left = names[: names.index(months[0])] if months else []
    right = names[len(left) :]
    others = [name for name in right if name not in months and not _is_sum(name)]
    year = next((name for name in left if _years(file.frame[name]) is not None), None)
    if year is None or file.date not in (None, year):
        return file
    if any(file.frame[name].notna().any() for name in others):
        return file
    frame = file.frame[file.frame[months].notna().any(axis=1)]
    years = _years(frame[year])
    frame = frame[~np.isnan(years)]
    labels = frame[[name for name in left if name != year]].copy()
    above = left[: left.index(year)]
    labels[above] = labels[above].ffill()
    if not labels.notna().any(axis=None):
        is_named = _YEAR.isdisjoint(spoken(year))
        labels = labels.assign(variable=year if is_named else file.part or file.name)
    keys = labels.astype(object).where(labels.notna(), None)
    rows = keys.assign(**{_KEY: years[~np.isnan(years)].astype(int)})
    _refuse_twice(file, rows, year)
    values = frame[months].set_axis(range(1, 13), axis=1)
    long = pd.concat([rows, values], axis=1).melt(
        [*rows.columns], var_name=_MONTH, value_name=_VALUE
    )
    long[_DAY] = [f"{y}-{m:02}" for y, m in zip(long[_KEY], long[_MONTH], strict=True)]
    long = long[long.groupby(_DAY)[_VALUE].transform("count") > 0]
    heads = list(keys.columns)
    wide = long.pivot(index=heads, columns=_DAY, values=_VALUE)
    order = pd.MultiIndex.from_frame(keys.drop_duplicates())
    table = wide.reindex(order if len(heads) > 1 else order.get_level_values(0))
    table = table[sorted(table.columns)].reset_index().rename_axis(columns=None)
    kept = file.frame.attrs.items()
    table.attrs = {key: value for key, value in kept if key == "title_scale"}
    return replace(file, frame=table.infer_objects(), date=None)


#: Columns on the way, which no file has.
_KEY, _MONTH, _DAY, _VALUE = " year", " month", " day", " value"


def _years(column: pd.Series) -> np.ndarray | None:
    """The year of each row, that of merged cells in all of theirs; None without years.

    A row of all years together has none.
    """
    cells = column.astype("str").where(column.notna(), None)
    found = cells.str.extract(rf"^{_CELL.pattern}$", expand=False)
    is_sum = np.array([cell is not None and _is_sum(str(cell)) for cell in cells])
    if found.isna().all() or (found.isna() & cells.notna() & ~is_sum).any():
        return None
    filled = found.ffill().where(~is_sum, None)
    return pd.to_numeric(filled).to_numpy(dtype=np.float64)


def _is_sum(text: str) -> bool:
    """Whether a column or a row is of several months or years together."""
    return is_total(text) or is_averaged(text) or bool(_PART.fullmatch(text.strip()))


def _refuse_twice(file: File, rows: pd.DataFrame, year: str) -> None:
    """Refuse two rows of one variable and year.

    Raises:
        SchemaError: Nothing tells them apart.
    """
    again = rows.duplicated().to_numpy()
    if again.any():
        at = int(np.argmax(again))
        name = " ".join(str(cell) for cell in rows.iloc[at] if cell is not None)
        raise SchemaError(
            f"{file.called} has several rows of {name}, and nothing tells them apart.",
            hint="Sum them to one row, or add a column that says what each is.",
            where=file.where(year, int(row_numbers(rows)[at])),
        )
