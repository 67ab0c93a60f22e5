"""Contents: the columns of a file by what they hold, before anything is made."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import pandas as pd

from core.data.cells import words as vocabulary
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.money import code_columns
from core.data.layout.kinds.vocabulary import (
    LEVELS,
    is_cancelled,
    is_id,
    level,
    spoken,
)
from core.data.reading.numbers import as_numbers

SAMPLE = 20_000
#: More different cells are places.
_STATES = 12


@dataclass(frozen=True)
class Columns:
    """The columns of a file by what they hold.

    Attributes:
        numbers: Columns of numbers.
        texts: Columns of text, flags and codes, without dates, geos,
            currencies and JSON.
        geo: The column of geos.
        distinct: Number of different values of each column of text.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    geo: str | None
    distinct: dict[str, int]


#: Every reader of a layout asks again about the same file.
_SEEN: WeakKeyDictionary[File, Columns] = WeakKeyDictionary()


def columns_of(file: File) -> Columns:
    """The columns of a file by what they hold."""
    if file not in _SEEN:
        _SEEN[file] = _columns_of(file)
    return _SEEN[file]


def _columns_of(file: File) -> Columns:
    numbers, texts, distinct = [], [], {}
    geos: list[str] = []
    codes = set(code_columns(file.frame))
    for name in map(str, file.frame.columns):
        column = file.frame[name]
        if name == file.date or name in file.json or name in codes:
            continue
        if column.isna().all():
            continue
        if _is_geo(name, column):
            geos.append(name)
        elif _is_number(column) and not _numbers_media(name):
            numbers.append(name)
        elif not pd.api.types.is_datetime64_any_dtype(column.dtype):
            texts.append(name)
            distinct[name] = int(column.nunique())
    varied = [name for name in geos if file.frame[name].nunique() > 1]
    geo = max(varied, key=lambda name: file.frame[name].nunique(), default=None)
    return Columns(tuple(numbers), tuple(texts), geo, distinct)


def _is_geo(name: str, column: pd.Series) -> bool:
    spoken_words = [word for word in spoken(name) if word not in ("name", "code", "id")]
    if not spoken_words or not set(spoken_words) <= vocabulary.GEO:
        return False
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return not ({"state", "estado"} & set(spoken_words) and _is_status(column))
    values = column.dropna()
    return bool((values == values.round()).all())


def _numbers_media(name: str) -> bool:
    """Whether a name is that of the number of a campaign, an ad or the like."""
    return is_id(name) and level(name) in LEVELS


def _is_status(column: pd.Series) -> bool:
    """Whether a column called state says what became of orders."""
    cells = column.dropna().unique()
    return len(cells) <= _STATES and any(is_cancelled(cell) for cell in cells)


def _is_number(column: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(column.dtype):
        return False
    if pd.api.types.is_numeric_dtype(column.dtype):
        return True
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return False
    numbers = as_numbers(column.dropna().head(SAMPLE), ".")
    return not numbers.bad.sum() > 0.2 * max(1, (~numbers.is_empty).sum())
