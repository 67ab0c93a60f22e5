"""Numbers in text: decimal commas, thousands, currencies, unit words, percent.

`1.234,56`, `1,234.56`, `1 234,56 €`, `-5 %`, `(12.50)`, `1.2 Mio` and `$1,200` are
numbers. Which of comma and point is the decimal sign is decided for a whole column
(`core.data.cells.signs`); what the column and its file leave open is not guessed.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.data.cells.amounts import TOO_LARGE, Done, Parsed, parse
from core.data.cells.apart import Cells, take_apart, without_empty
from core.data.cells.signs import Habit, Marks, Settled, settle
from core.data.mapping import Decimal

_TRUE = ("true", "yes", "y", "wahr", "ja", "j", "oui", "vrai", "si", "sí", "sì", "sim")
_FALSE = ("false", "no", "n", "falsch", "nein", "non", "faux", "não", "nee", "nej")


@dataclass(frozen=True)
class Doubt:
    """Cells that can be read as two numbers.

    Attributes:
        where: Which cells.
        example: One of them.
        point: What it is if the point is the decimal sign.
        comma: What it is if the comma is.
    """

    where: np.ndarray
    example: str
    point: float
    comma: float


@dataclass(frozen=True)
class Numbers:
    """A column as numbers.

    Attributes:
        values: float64, NaN where empty or not a number.
        bad: Where there is text that is not a number, or that could be two.
        is_empty: Where there is nothing.
        doubt: The cells that could be two numbers.
        fault: What is wrong with cells that are numbers one by one, in one sentence.
        done: What had to be done to read it.
        currency: Codes that its currency can be; empty where it has none.
    """

    values: np.ndarray
    bad: np.ndarray
    is_empty: np.ndarray
    doubt: Doubt | None = None
    fault: str = ""
    done: tuple[Done, ...] = ()
    currency: frozenset[str] = frozenset()


def as_numbers(column: pd.Series, decimal: Decimal | None = None) -> Numbers:
    """A column of any type as numbers, with what could not be read.

    Dates are never numbers; booleans are one and zero.

    Args:
        column: The cells.
        decimal: The decimal sign of cells that could be two numbers, where it is known.
    """
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or pd.api.types.is_numeric_dtype(kind):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        bad = np.abs(values) > TOO_LARGE
        return Numbers(np.where(bad, np.nan, values), bad, np.isnan(values))
    if pd.api.types.is_datetime64_any_dtype(kind):
        is_empty = column.isna().to_numpy()
        return Numbers(np.full(len(column), np.nan), ~is_empty, is_empty)
    text = to_arrow_text(column)
    numbers = read_column(text, decimal)
    if numbers.bad.any() and (truth := truth_values(text.drop_null())) is not None:
        values = np.full(len(column), np.nan)
        values[~column.isna().to_numpy()] = truth
        return Numbers(values, np.isinf(values), np.isnan(values))
    return numbers


def to_arrow_text(column: pd.Series) -> pa.ChunkedArray:
    """A pandas column as Arrow text; missing stays missing."""
    missing = column.isna().to_numpy()
    text = column.astype("str").to_numpy(dtype=object)
    return pa.chunked_array([pa.array(text, type=pa.large_string(), mask=missing)])


def read_column(
    text: pa.ChunkedArray,
    answer: Decimal | None = None,
    habit: Habit | None = None,
    signs: list[tuple[Marks, Settled]] | None = None,
) -> Numbers:
    """Text as numbers.

    Args:
        text: Cells; null where empty.
        answer: The decimal sign of cells that could be two numbers, where it is known.
        habit: How the file's other columns write numbers.
        signs: Takes what the column's signs say, for the habit of its file.
    """
    cells, nothing = without_empty(text)
    if not nothing and (plain := _plain(cells)) is not None:
        return plain
    cells, n_below = _halved(cells)
    apart = take_apart(cells)
    settled = settle(apart.marks, habit or Habit(), answer)
    if signs is not None:
        signs.append((apart.marks, settled))
    parsed = parse(apart, settled)
    if nothing:
        parsed.done.append(Done("nothing", len(nothing), nothing[0], 0.0))
    if n_below:
        parsed.done.append(Done("below", n_below, "<1", 0.5))
    is_open = apart.marks.is_open & ~parsed.bad
    doubt = None
    if settled.sign is None and is_open.any():
        doubt = _doubt(apart, is_open)
        parsed.bad |= is_open
    return _spread(apart, parsed, doubt)


def _halved(cells: pa.ChunkedArray) -> tuple[pa.ChunkedArray, int]:
    """Cells with a half for `<1`, as indices of searches have it, and how many."""
    is_below = pc.match_substring_regex(cells, r"^\s*<\s?1\s*$")
    n_below = pc.sum(is_below).as_py() or 0
    if not n_below:
        return cells, 0
    half = pa.scalar("5e-1", pa.large_string())  # without a sign that groups
    return pc.if_else(pc.fill_null(is_below, False), half, cells), n_below


def truth_values(text: pa.ChunkedArray) -> np.ndarray | None:
    """Booleans where every cell is true or false in words, else None."""
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    distinct = set(pc.unique(lower).to_pylist())
    if not distinct or not distinct <= {*_TRUE, *_FALSE}:
        return None
    true_words = pa.array(_TRUE, type=pa.large_string())
    return pc.is_in(lower, value_set=true_words).to_numpy(zero_copy_only=False)


def _plain(cells: pa.ChunkedArray) -> Numbers | None:
    """Numbers all written plainly (`-12.5e3`) that leave no doubt, else None."""
    try:
        values = pc.cast(cells, pa.float64()).to_numpy().astype(np.float64)
    except pa.ArrowInvalid:
        return None
    three = pc.match_substring_regex(cells, r"^[+-]?[1-9]\d{0,2}\.\d{3}$")
    if pc.any(three).as_py():
        more = pc.match_substring_regex(cells, r"^[+-]?(?:0|\d{4,})\.\d{3}|\.\d{4}")
        if not pc.any(more).as_py():
            return None
    is_empty = pc.is_null(cells).to_numpy().astype(bool)
    bad = np.abs(values) > TOO_LARGE
    return Numbers(np.where(bad, np.nan, values), bad, is_empty)


def _doubt(cells: Cells, is_open: np.ndarray) -> Doubt:
    at = int(np.argmax(is_open))
    readings = []
    for sign in (".", ","):
        sure = Settled(sign, sign)
        readings.append(float(parse(cells, sure).values[at]))
    return Doubt(is_open, cells.text[at].as_py(), *readings)


def _spread(cells: Cells, parsed: Parsed, doubt: Doubt | None) -> Numbers:
    """Numbers of distinct cells, back in every row."""
    is_empty = cells.codes.is_null().to_numpy(zero_copy_only=False)
    at = cells.codes.fill_null(0).to_numpy(zero_copy_only=False)
    if not len(parsed.values):
        return Numbers(
            np.full(len(at), np.nan),
            np.zeros(len(at), bool),
            is_empty,
            done=tuple(parsed.done),
        )
    values = np.where(parsed.bad, np.nan, parsed.values)
    if doubt is not None:
        where = doubt.where[at] & ~is_empty
        doubt = Doubt(where, doubt.example, doubt.point, doubt.comma)
    return Numbers(
        np.where(is_empty, np.nan, values[at]),
        parsed.bad[at] & ~is_empty,
        is_empty,
        doubt,
        parsed.fault,
        tuple(parsed.done),
        parsed.currency,
    )
