"""Dates across: a column per week and a row per variable, turned into rows by date.

Planners keep weeks side by side. The texts left of them say what a row is: a channel
and a measure, or `TV spend`; a column of geos among them stays a column. A name that
stands only in the first of its rows, as where cells are merged, is that of the rows
below it; a row without numbers is the title of the block below it.

Outlines: pivot tables with dates and names in one column, one below the other.

A row of a date is the sum of the rows of channels below it, or a row of a channel the
sum of its dates, or a month the sum of its days. Rows of sums are taken out, and what
they say is written into each of their rows. Nothing is believed of names: the numbers
have to add up.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.cells.scales import scaled
from core.data.cells.words import GEO, KPI_COUNT, KPI_OPEN, KPI_REVENUE
from core.data.files.columns import dates_across
from core.data.layout.kinds.dating import find_date
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_bare, is_total, measure, spoken
from core.data.reading.dates import parse_dates
from core.data.reading.origins import row_numbers
from core.errors import SchemaError
from core.text.sentences import count, listed, verb

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


_NAME = "date"
_OUTCOMES = KPI_REVENUE | KPI_COUNT | KPI_OPEN


def by_date(file: File) -> File:
    """A file with a row per date, where its columns are dates.

    Raises:
        SchemaError: Two rows have the same name, or cells are no numbers.
    """
    columns = [str(name) for name in file.frame.columns]
    dates = dates_across(columns)
    if not dates:
        return file
    file, titles = _without_titles(file, dates)
    frame = file.frame
    labels = frame[_texts(frame, columns[: columns.index(dates[0])])]
    geo = _geo(labels)
    labels = _filled_down(labels)
    names = _row_names(labels.drop(columns=_places(labels)))
    names = _under_titles(names, titles, None if geo is None else labels[geo])
    _refuse_text(file, dates)
    is_whole = np.array([_is_sum(name) for name in names], dtype=bool)
    file, frame, names = _without_totals(file, is_whole, names)
    keys = [names]
    if geo is not None:
        places = labels[geo][~is_whole]
        _refuse_nowhere(file, geo, places, names)
        keys.append(places.astype("str").to_numpy())
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


def _texts(frame: pd.DataFrame, names: list[str]) -> list[str]:
    """The columns of texts that have any."""
    return [
        name
        for name in names
        if not pd.api.types.is_numeric_dtype(frame[name].dtype)
        and frame[name].notna().any()
    ]


def _places(labels: pd.DataFrame) -> list[str]:
    """The columns that are called places."""
    return [n for n in labels.columns if spoken(n) and set(spoken(n)) <= GEO]


def _geo(labels: pd.DataFrame) -> str | None:
    """The column of geos: of a country beside its regions, that of the regions."""
    return max(_places(labels), key=lambda name: labels[name].nunique(), default=None)


def _without_titles(file: File, dates: list[str]) -> tuple[File, np.ndarray]:
    """The rows that have numbers, each with the title of the block that it is in."""
    frame = file.frame
    columns = [str(name) for name in frame.columns]
    labels = frame[_texts(frame, columns[: columns.index(dates[0])])]
    is_title = frame[dates].isna().all(axis=1) & (labels.notna().sum(axis=1) == 1)
    is_title = is_title.to_numpy()
    words = labels.bfill(axis=1).iloc[:, 0] if labels.shape[1] else pd.Series(dtype=str)
    titles, last = [], ""
    for at, is_one in enumerate(is_title):
        last = str(words.iloc[at]) if is_one else last
        titles.append(last)
    if not is_title.any() or is_title.all():
        return file, np.full(len(frame), "", dtype=object)
    of_rows = np.array(titles, dtype=object)[~is_title]
    return replace(file, frame=frame[~is_title]), of_rows


def _filled_down(labels: pd.DataFrame) -> pd.DataFrame:
    """Labels with names of merged cells in each of their rows.

    A row without a name is of the one above only if what stands right of it is said of
    other rows, too: revenue below the spend of channels is nobody's.
    """
    labels = labels.copy()
    for at in reversed(range(labels.shape[1] - 1)):
        column = labels.iloc[:, at]
        right = list(labels.iloc[:, at + 1 :].itertuples(index=False, name=None))
        counts = Counter(right)
        is_one_of = np.array([counts[cells] > 1 for cells in right], dtype=bool)
        is_open = column.isna().to_numpy() & is_one_of
        labels.isetitem(at, column.ffill().where(is_open, column))
    return labels


def _row_names(labels: pd.DataFrame) -> np.ndarray:
    """What each row is, from its texts: `Brand Search Spend`."""
    cells = labels.astype(object).where(labels.notna(), "").astype("str")
    joined = [" ".join(" ".join(row).split()) for row in cells.to_numpy()]
    return np.array(
        [name or f"Row {at + 1}" for at, name in enumerate(joined)], dtype=object
    )


def _under_titles(
    names: np.ndarray, titles: np.ndarray, places: pd.Series | None
) -> np.ndarray:
    """Names with the title of their block: a measure that they lack, or what tells.

    Below `Spend` a row of Google is `Google Spend`; below `Media` it is what it says.
    """
    keys = pd.DataFrame({"name": names})
    if places is not None:
        keys["place"] = places.to_numpy()
    tells = bool(keys.duplicated().any())
    return np.array(
        [
            f"{name} {title}"
            if title and (tells or is_bare(title)) and measure(name) is None
            else name
            for name, title in zip(names, titles, strict=True)
        ],
        dtype=object,
    )


def _is_sum(name: str) -> bool:
    """Whether a row is a total; that of sales is no sum of channels, but the KPI."""
    is_kpi = not _OUTCOMES.isdisjoint(spoken(name))
    return is_total(name) and not (is_kpi and measure(name) in (None, "outcome"))


def _refuse_nowhere(file: File, geo: str, places: pd.Series, names: np.ndarray) -> None:
    """Refuse rows that are of no geo beside those that are of one.

    Raises:
        SchemaError: What they say is of all geos together, or of one nobody names.
    """
    nowhere = places.isna().to_numpy()
    if not nowhere.any():
        return
    row = int(row_numbers(places.to_frame())[int(np.argmax(nowhere))])
    n_rows = count(int(nowhere.sum()), "row")
    raise SchemaError(
        f"{n_rows} of {file.called} {verb(int(nowhere.sum()), 'have')} no {geo}, such "
        f"as {names[nowhere][0]}.",
        hint=f"Write the {geo} into every row, or put what is of all of them into a "
        "file of its own.",
        where=file.where(geo, row),
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
