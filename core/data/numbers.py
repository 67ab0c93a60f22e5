"""Numbers in text: decimal commas, thousands separators, currency signs, percent.

`1.234,56`, `1,234.56`, `1 234,56 €`, `-5 %`, `(12.50)` and `$1,200` are numbers. Which
of comma and point is the decimal sign is decided for a whole column, never per cell.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Decimal = Literal[".", ","]

#: Text that stands for an empty cell in a column of numbers, in lower case.
EMPTY = (
    *("", "-", "–", "—", "na", "n/a", "n.a.", "nan", "null", "none", "nil", "#n/a"),
    *("#na", "#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!", "<na>"),
)
#: Larger numbers are mistakes, and squares of them overflow.
TOO_LARGE = 1e100
_TRUE = ("true", "yes", "wahr", "ja", "oui", "vrai")
_FALSE = ("false", "no", "falsch", "nein", "non", "faux")
_CURRENCY = r"(?:[A-Z]{3}|[€$£¥₹₩₽₺฿]|kr\.?|zł|R\$)"
_SPACED = r"^[+-]?\d{1,3}(?:[ \x{00a0}\x{202f}'’]\d{3})+(?:[.,]\d+)?$"
_EXPONENT = r"(?:[eE][+-]?\d+)?$"
_FORM = {
    ".": r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d*)?" + _EXPONENT,
    ",": r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d*)?" + _EXPONENT,
}
_SURE = (
    r"^[+-]?(?:\d+{sign}(?:\d{{1,2}}|\d{{4,}})|0{sign}\d+"
    r"|\d{{1,3}}(?:{other}\d{{3}})+{sign}\d+)$"
)
_BARE = {".": r"^[+-]?\.\d+" + _EXPONENT, ",": r"^[+-]?,\d+" + _EXPONENT}


@dataclass(frozen=True)
class Numbers:
    """A column as numbers.

    Attributes:
        values: float64, NaN where empty or not a number.
        bad: Where there is text that is not a number.
        is_empty: Where there is nothing.
    """

    values: np.ndarray
    bad: np.ndarray
    is_empty: np.ndarray


def as_numbers(column: pd.Series) -> Numbers:
    """A column of any type as numbers, with what could not be read.

    Dates are never numbers; booleans are one and zero.
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
    numbers, _ = read_column(text)
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
    text: pa.ChunkedArray, prefer: Decimal = "."
) -> tuple[Numbers, Decimal]:
    """Text as numbers, with the decimal sign that fits most of its cells.

    Args:
        text: Cells; null where empty.
        prefer: The decimal sign to use where both fit equally well.

    Returns:
        The numbers and the decimal sign used.
    """
    cells = _without_empty(text)
    if prefer == "." and (plain := _plain(cells)) is not None:
        return plain, "."
    codes = cells.combine_chunks().dictionary_encode()
    prepared = _prepare(codes.dictionary)
    other: Decimal = "," if prefer == "." else "."
    numbers = _spread(_parse(prepared, prefer), codes.indices)
    if not numbers.bad.any():
        return numbers, prefer
    alternative = _spread(_parse(prepared, other), codes.indices)
    if alternative.bad.sum() < numbers.bad.sum():
        return alternative, other
    return numbers, prefer


def decimal_sign(texts: list[str], *, delimiter: str) -> Decimal:
    """The decimal sign of a file, judged from sample cells.

    Only cells that leave no doubt count: `1,5` and `1.234,5` against `1.5` and
    `1,234.5`. A file with semicolons in which every point stands before exactly three
    digits uses points for thousands.
    """
    cells = pa.array(texts, type=pa.large_string())
    comma = _count(cells, r"^[+-]?(?:\d+,(?:\d{1,2}|\d{4,})|0,\d+|[\d.]+\.\d{3},\d+)$")
    point = _count(
        cells, r"^[+-]?(?:\d+\.(?:\d{1,2}|\d{4,})|0\.\d+|[\d,]+,\d{3}\.\d+)$"
    )
    if comma != point:
        return "," if comma > point else "."
    thousands = _count(cells, r"^[+-]?[1-9]\d{0,2}(?:\.\d{3})+$")
    return "," if delimiter == ";" and thousands and not point else "."


def truth_values(text: pa.ChunkedArray) -> np.ndarray | None:
    """Booleans where every cell is true or false in words, else None."""
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    distinct = set(pc.unique(lower).to_pylist())
    if not distinct or not distinct <= {*_TRUE, *_FALSE}:
        return None
    known = pa.array(_TRUE, type=pa.large_string())
    return pc.is_in(lower, value_set=known).to_numpy(zero_copy_only=False)


def _count(cells: pa.Array, pattern: str) -> int:
    return pc.sum(pc.match_substring_regex(cells, pattern)).as_py() or 0


def _without_empty(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cells without spaces around; null where they stand for nothing."""
    cells = pc.utf8_trim_whitespace(text)
    empty = pa.array(EMPTY, type=pa.large_string())
    is_empty = pc.is_in(pc.utf8_lower(cells), value_set=empty)
    return pc.if_else(is_empty, pa.scalar(None, pa.large_string()), cells)


def _plain(cells: pa.ChunkedArray) -> Numbers | None:
    """Numbers of cells that are all written plainly (`-12.5e3`), else None."""
    try:
        values = pc.cast(cells, pa.float64()).to_numpy().astype(np.float64)
    except pa.ArrowInvalid:
        return None
    is_empty = pc.is_null(cells).to_numpy().astype(bool)
    bad = np.abs(values) > TOO_LARGE
    return Numbers(np.where(bad, np.nan, values), bad, is_empty)


def _prepare(cells: pa.Array) -> pa.Array:
    """Cells without currency signs, spaced thousands and signs in odd places."""
    odd = pc.invert(pc.match_substring_regex(cells, r"^[-+]?[\d.,]+(?:[eE][-+]?\d+)?$"))
    rest = pc.filter(cells, odd)
    if not len(rest):
        return cells
    rest = pc.replace_substring(rest, "−", "-")
    rest = pc.replace_substring_regex(rest, r"^\((.*\d.*)\)$", r"-\1")
    rest = pc.replace_substring_regex(rest, r"^(.*\d)\s?-$", r"-\1")
    lead = rf"^([+-]?)\s*{_CURRENCY}\s*([+-]?)(\d|[.,]\d)"
    rest = pc.replace_substring_regex(rest, lead, r"\1\2\3")
    rest = pc.replace_substring_regex(rest, rf"(\d[.,]?)\s*{_CURRENCY}$", r"\1")
    rest = pc.replace_substring_regex(rest, r"^([+-])\s+(\d)", r"\1\2")
    spaced = pc.match_substring_regex(rest, _SPACED)
    joined = pc.replace_substring_regex(rest, r"[ \x{00a0}\x{202f}'’]", "")
    return pc.replace_with_mask(cells, odd, pc.if_else(spaced, joined, rest))


def _spread(numbers: Numbers, codes: pa.Array) -> Numbers:
    """Numbers of distinct cells, back in every row."""
    is_empty = codes.is_null().to_numpy(zero_copy_only=False)
    at = codes.fill_null(0).to_numpy(zero_copy_only=False)
    if not len(numbers.values):
        return Numbers(np.full(len(at), np.nan), np.zeros(len(at), bool), is_empty)
    values = np.where(is_empty, np.nan, numbers.values[at])
    return Numbers(values, numbers.bad[at] & ~is_empty, is_empty)


def _parse(cells: pa.Array, decimal: Decimal) -> Numbers:
    """Distinct cells as numbers under one decimal sign."""
    percent = pc.match_substring_regex(cells, r"\d[.,]?\s*%$")
    has_percent = pc.any(percent).as_py()
    if has_percent:
        cells = pc.replace_substring_regex(cells, r"\s*%$", "")
    fits = pc.or_(
        pc.match_substring_regex(cells, _FORM[decimal]),
        pc.match_substring_regex(cells, _BARE[decimal]),
    )
    good = pc.if_else(fits, cells, pa.scalar(None, pa.large_string()))
    good = pc.replace_substring(good, "," if decimal == "." else ".", "")
    if decimal == ",":
        good = pc.replace_substring(good, ",", ".")
    good = pc.replace_substring_regex(good, r"^\+", "")
    values = pc.cast(good, pa.float64()).to_numpy(zero_copy_only=False)
    if has_percent:
        values = np.where(percent.to_numpy(zero_copy_only=False), values / 100, values)
    bad = ~(np.abs(values) <= TOO_LARGE)
    return Numbers(np.where(bad, np.nan, values), bad, np.zeros(len(values), bool))
