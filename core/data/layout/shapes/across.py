"""Dates across: a column per week and a row per variable, turned into rows by date.

Planners keep weeks side by side. The texts left of them say what a row is: a channel
and a measure, or `TV spend`; a column of geos among them stays a column.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.cells.scales import scaled
from core.data.files.columns import dates_across
from core.data.layout.dating import find_date
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_total, spoken
from core.data.reading.words import GEO
from core.errors import SchemaError
from core.text.sentences import count, listed, verb

_NAME = "date"


def by_date(file: File) -> File:
    """A file with a row per date, where its columns are dates.

    Raises:
        SchemaError: Two rows have the same name, or cells are no numbers.
    """
    columns = [str(name) for name in file.frame.columns]
    dates = dates_across(columns)
    if not dates:
        return file
    frame = file.frame
    texts = [
        name
        for name in columns[: columns.index(dates[0])]
        if not pd.api.types.is_numeric_dtype(frame[name].dtype)
        and frame[name].notna().any()
    ]
    geo = next((n for n in texts if spoken(n) and set(spoken(n)) <= GEO), None)
    names = _row_names(frame, [name for name in texts if name != geo])
    _refuse_text(file, dates)
    is_whole = np.array([is_total(name) for name in names], dtype=bool)
    file, frame, names = _without_totals(file, is_whole, names)
    keys = [names] if geo is None else [names, frame[geo].astype("str").to_numpy()]
    _refuse_twins(file, keys)
    values = frame[dates].set_axis(pd.MultiIndex.from_arrays(keys), axis=0).T
    if geo is not None:
        values = values.stack(level=1, future_stack=True)
        index = values.index.get_level_values(1)
        values.insert(0, geo, index)
        values.index = values.index.get_level_values(0)
    else:
        values.columns = values.columns.get_level_values(0)
    order = list(dict.fromkeys(names))
    values = values[[*([geo] if geo else []), *order]]
    values.insert(0, _NAME, np.asarray(values.index, dtype=object))
    # Rows of messages are those of this table, whose header is its first.
    table = values.reset_index(drop=True).rename_axis(columns=None).infer_objects()
    table[_NAME] = table[_NAME].astype("str")
    table.attrs = {"title_scale": file.frame.attrs.setdefault("title_scale", 1.0)}
    message = (
        f"The dates of {file.called} stand side by side, {dates[0]} to {dates[-1]}: "
        f"each is a row now, with columns for {listed(order, limit=6)}."
    )
    table = scaled(table, file.name)
    file = file.noted(message, frame=table)
    return replace(file, date=find_date(table), json=())


def _row_names(frame: pd.DataFrame, texts: list[str]) -> np.ndarray:
    """What each row is, from its texts: `Brand Search Spend`."""
    cells = frame[texts].astype(object).where(frame[texts].notna(), "").astype("str")
    joined = [" ".join(" ".join(row).split()) for row in cells.to_numpy()]
    return np.array(
        [name or f"Row {at + 1}" for at, name in enumerate(joined)], dtype=object
    )


def _without_totals(
    file: File, is_whole: np.ndarray, names: np.ndarray
) -> tuple[File, pd.DataFrame, np.ndarray]:
    """The rows that are no totals, which are said."""
    frame = file.frame[~is_whole]
    if not is_whole.any():
        return file, frame, names
    n_rows = int(is_whole.sum())
    message = (
        f"{count(n_rows, 'row')} of {file.called} {verb(n_rows, 'are')} left out: "
        f"{listed(list(names[is_whole]))}."
    )
    file = file.noted(message)
    return file, frame, names[~is_whole]


def _refuse_text(file: File, dates: list[str]) -> None:
    """Refuse cells that are no numbers.

    Raises:
        SchemaError: A column of a date has texts among its numbers.
    """
    for name in dates:
        column = file.frame[name]
        if pd.api.types.is_numeric_dtype(column.dtype) or column.isna().all():
            continue
        numbers = pd.to_numeric(column, errors="coerce")
        bad = column[numbers.isna() & column.notna()]
        example = str(bad.iloc[0]) if len(bad) else str(column.dropna().iloc[0])
        raise SchemaError(
            f'Below {name}, {file.called} has cells that are no numbers: "{example}".',
            hint="Correct them, or leave their rows out: with dates side by side every "
            "row is one variable.",
            where=file.where(name),
        )


def _refuse_twins(file: File, keys: list[np.ndarray]) -> None:
    """Refuse two rows of one name.

    Raises:
        SchemaError: Nothing tells them apart.
    """
    twins = pd.DataFrame(dict(enumerate(keys)))
    again = twins.duplicated()
    if again.any():
        name = " ".join(map(str, twins[again].iloc[0]))
        raise SchemaError(
            f"{file.called} has several rows of {name}, and nothing tells them apart.",
            hint="Sum them to one row, or add a column that says what each is.",
            where=file.called,
        )
