"""Rows apart: what tells the rows of a file from each other, and what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.data.cells.words import MEDIA_NAME, word_set
from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.dating import holds_dates, read_dates
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_id, measure, spoken
from core.data.layout.tables.orders import order_column
from core.data.mapping import DateReading
from core.data.reading.doubts import known_dates
from core.data.reading.numbers import as_numbers
from core.data.recognition.naming import read_name

_STATUS = word_set("rows_apart.status")
#: Channels side by side, at least, and parts of a date such as hours, at most.
_SEVERAL, _PARTS = 2, 100


@dataclass(frozen=True)
class Rows:
    """What tells rows of a file apart; arrays are row.

    Attributes:
        days: The date.
        keys: Hash of date, geo, campaign and the like, or of the order's number.
        names: The same without the date.
        contents: Hash of key and numbers.
        values: Hash of the numbers alone.
        amount: The most telling number.
        about: The column of that number.
        is_live: Whether any number is other than zero.
    """

    days: np.ndarray
    keys: np.ndarray
    names: np.ndarray
    contents: np.ndarray
    values: np.ndarray
    amount: np.ndarray
    about: str
    is_live: np.ndarray

    def table(self, **more: Any) -> pd.DataFrame:
        """A row of each, its columns called by what one row has."""
        columns = {"day": self.days, "key": self.keys, "name": self.names}
        columns |= {"content": self.contents, "value": self.values}
        columns |= {"amount": self.amount, "is_live": self.is_live}
        return pd.DataFrame(columns | more)


def rows_of(group: Sequence[File], dates: DateReading | None) -> list[Rows] | None:
    """What tells rows apart; None where dates are open or nothing is a number."""
    if any(file.date != group[0].date or file.date is None for file in group):
        return None
    several = [columns_of(file) for file in group]
    numbers = [
        name
        for name in several[0].numbers
        if not is_id(name) and all(name in other.numbers for other in several)
    ]
    if not numbers:
        return None
    rows = [_read(file, numbers, dates) for file in group]
    return None if any(one is None for one in rows) else rows


def _read(file: File, numbers: Sequence[str], dates: DateReading | None) -> Rows | None:
    answer = dates or known_dates(file.frame)
    parsed_dates = read_dates(file.frame[str(file.date)], answer)
    if (parsed_dates.doubt is not None and answer is None) or np.isnat(
        parsed_dates.values
    ).any():
        return None
    frame, days = file.frame, parsed_dates.values.astype("datetime64[D]")
    order = order_column(tuple(map(str, frame.columns)))
    names = [order] if order else _telling(file, numbers)
    key = pd.DataFrame({name: _as_text(frame[name]) for name in names})
    called = np.zeros(len(days), dtype=np.uint64)
    if names:
        called = pd.util.hash_pandas_object(key, index=False).to_numpy()
    if not order:
        key["_day"] = days.astype(np.int64)
    amounts = pd.DataFrame({name: as_numbers(frame[name]).values for name in numbers})
    amounts = amounts.fillna(0.0).round(6) + 0.0
    keys = pd.util.hash_pandas_object(key, index=False).to_numpy()
    values = pd.util.hash_pandas_object(amounts, index=False).to_numpy()
    about = next((name for name in numbers if measure(name) == "spend"), numbers[0])
    with np.errstate(over="ignore"):
        contents = keys * np.uint64(0x9E3779B97F4A7C15) ^ values
    live = amounts.to_numpy().any(axis=1)
    amount = amounts[about].to_numpy()
    return Rows(days, keys, called, contents, values, amount, about, live)


def _telling(file: File, numbers: Sequence[str]) -> list[str]:
    """Columns that tell rows of one date apart: geo, campaign; in one order."""
    return [
        name
        for name in sorted(map(str, file.frame.columns))
        if name not in numbers
        and name != file.date
        and not set(spoken(name)) & _STATUS
        and not (not is_id(name) and holds_dates(name, file.frame[name]))
    ]


def are_untold(file: File) -> bool:
    """Whether rows have spend of several channels, and nothing tells those of a date.

    A clock or a number such as the hour does, as every word does.
    """
    frame, columns = file.frame, columns_of(file)
    if file.date is None or columns.geo or columns.texts:
        return False
    names = [read_name(name) for name in columns.numbers]
    spent = [n for n in names if n.measure == "spend" and n.has(MEDIA_NAME)]
    often = frame[file.date].value_counts() > 1
    if len(spent) < _SEVERAL or often.mean() <= 1 / 2:
        return False
    return not any(
        measure(name) is None and not frame.duplicated([file.date, name]).any()
        for name in columns.numbers
        if frame[name].nunique() <= _PARTS
    )


def _as_text(column: pd.Series) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype("float64").astype("str").to_numpy(dtype=object)
    texts = column.astype("str").str.casefold().str.split().str.join(" ")
    return texts.to_numpy(dtype=object)
