"""Evidence: what the cells of a column say about its role."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.cells import words as vocabulary
from core.data.cells.words import word_set
from core.data.reading.dates import is_mostly_dates, parse_dates
from core.data.reading.epochs import is_epoch
from core.data.reading.numbers import as_numbers
from core.data.recognition.naming import Name, read_name

_SAMPLE = 20_000
#: Share of cells that are no numbers above which a column is text: where its name may
#: be that of a label, where it says nothing, and where it says a control.
_LABEL, _TEXT, _SPOILT = 0.2, 0.5, 0.9
#: Last words of names that are labels, whatever else they say: `spend_currency`.
_LABELS = vocabulary.NOT_GEO | word_set("evidence.labels")
#: Names of media that are as often those of a column of labels.
_GENERIC = word_set("evidence.generic")
#: Share of negative numbers that are mistakes rather than a column of both signs.
_STRAY = 0.05


@dataclass(frozen=True)
class Evidence:
    """What is known about one column before its role is.

    Attributes:
        name: Its name, read.
        is_empty: Whether it has no content.
        is_number: Whether most of its cells are numbers.
        is_date: Whether most of its cells are dates, and not plain numbers.
        is_flag: Whether it holds zeros and ones only.
        is_whole: Whether all its numbers are whole.
        is_counter: Whether it counts rows or periods: 1, 2, 3.
        is_constant: Whether all its cells are the same.
        is_signed: Whether more than a stray number is below zero.
    """

    name: Name
    is_empty: bool = False
    is_number: bool = False
    is_date: bool = False
    is_flag: bool = False
    is_whole: bool = False
    is_counter: bool = False
    is_constant: bool = False
    is_signed: bool = False


def evidence(frame: pd.DataFrame) -> dict[str, Evidence]:
    """What the name and the cells of every column say."""
    return {str(name): _column(str(name), frame[name]) for name in frame.columns}


def distinct_dates(column: pd.Series) -> int:
    """Number of distinct dates in a column; zero where most of it is none."""
    dates = parse_dates(column)
    if dates.bad.mean() > 0.5:
        return 0
    return len(np.unique(dates.values[~np.isnat(dates.values)]))


def _column(name: str, column: pd.Series) -> Evidence:
    label = read_name(name)
    filled = column.dropna()
    if not len(filled):
        is_number = _names_numbers(label)
        return Evidence(label, is_empty=not is_number, is_number=is_number)
    is_constant = bool((filled == filled.iloc[0]).all())
    is_numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if is_numeric and is_epoch(filled.head(_SAMPLE).rename(name)):
        return Evidence(label, is_date=True, is_constant=is_constant)
    if not is_numeric:
        sample = filled.head(_SAMPLE)
        numbers = as_numbers(sample, ".")
        bad = numbers.bad.sum() / max(1, (~numbers.is_empty).sum())
        if bad > _text_share(label) and not _promises(label, sample):
            is_date = is_mostly_dates(column)
            return Evidence(label, is_date=is_date, is_constant=is_constant)
        filled = sample
    values = as_numbers(filled, ".").values
    values = values[np.isfinite(values)]
    if not len(values):
        is_number = _promises(label, filled)
        return Evidence(label, is_empty=not is_number, is_number=is_number)
    head = values[:_SAMPLE]
    steps = np.diff(np.unique(head))
    is_whole = bool((values == np.rint(values)).all())
    return Evidence(
        label,
        is_number=True,
        is_flag=bool(np.isin(values, (0.0, 1.0)).all()),
        is_whole=is_whole,
        is_counter=is_whole and len(steps) > 5 and _counts(head, steps),
        is_constant=is_constant,
        is_signed=bool((values < 0).mean() > _STRAY),
    )


def _names_numbers(name: Name) -> bool:
    """Whether a name promises numbers: media, spend or an outcome."""
    labels = vocabulary.TIME | vocabulary.IDENTIFIER
    if not name.words or name.words[-1] in _LABELS or name.has(labels):
        return False
    outcomes = vocabulary.KPI_REVENUE | vocabulary.KPI_COUNT | vocabulary.KPI_OPEN
    return name.measure is not None or name.has(outcomes | vocabulary.ORGANIC)


def _promises(name: Name, cells: pd.Series) -> bool:
    """Whether a column must hold numbers by its name, even where none can be read.

    Such a column keeps its role, so that what is wrong with its cells is an error.
    """
    if _names_numbers(name):
        return True
    is_media = name.has(vocabulary.MEDIA_NAME) and not name.is_all(_GENERIC)
    if not is_media or name.words[-1] in _LABELS or name.has(vocabulary.TIME):
        return False
    return bool(cells.astype("str").str.contains(r"\d").mean() > _TEXT)


def _text_share(name: Name) -> float:
    """Share of cells that are no numbers above which a column is text."""
    if name.has(vocabulary.GEO) or (name.words and name.words[-1] in _LABELS):
        return _LABEL
    says_control = vocabulary.CONTROL | vocabulary.CONTROL_MARK | vocabulary.NON_MEDIA
    return _SPOILT if name.has(says_control) else _TEXT


def _counts(values: np.ndarray, steps: np.ndarray) -> bool:
    """Whether numbers go up by one from 0 or 1, in the order of rows or over again."""
    in_turn = np.diff(values)
    up = (in_turn == 1) | (in_turn == 0) | (in_turn < -3)
    return bool((steps == 1).all() and values.min() in (0, 1) and up.mean() > 0.98)
