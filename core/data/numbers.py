"""Numbers in text: decimal commas, thousands, currencies, unit words, percent.

`1.234,56`, `1,234.56`, `1 234,56 €`, `-5 %`, `(12.50)`, `1.2 Mio` and `$1,200` are
numbers. Which of comma and point is the decimal sign is decided for a whole column
(`core.data.cells.signs`); what the column and its file leave open is not guessed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.data.cells.affixes import Affix, read_affix
from core.data.cells.signs import Habit, Marks, Settled, read_marks, settle
from core.data.mapping import Decimal

#: Text that stands for an empty cell in a column of numbers, in lower case.
EMPTY = (
    *(
        "",
        "-",
        "--",
        "---",
        "–",
        "—",
        "na",
        "n/a",
        "n.a.",
        "nan",
        "null",
        "none",
        "nil",
    ),
    *("<na>", "#n/a", "#na", "#nv", "#div/0!"),
)
#: Larger numbers are mistakes, and squares of them overflow.
TOO_LARGE = 1e100
_TRUE = ("true", "yes", "wahr", "ja", "oui", "vrai")
_FALSE = ("false", "no", "falsch", "nein", "non", "faux")
_SPACE = r"[ \x{00a0}\x{202f}\x{2009}'’]"
_SPLIT = (
    r"^(?P<head>[^\d]*?)(?P<body>[.,]?\d(?:[\d.,]|" + _SPACE + r"\d)*"
    r"(?:[eE][-+]?\d+)?)(?P<tail>[^\d]*)$"
)
_SPACED = r"^\d{1,3}(?:" + _SPACE + r"\d{3})+(?:[.,]\d*)?$"


_NUL = pa.scalar("\0", pa.large_string())


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
class Done:
    """What had to be done to read cells of a column.

    Attributes:
        kind: `comma`, `settled`, `currency`, `unit`, `percent` or `nothing`.
        count: Number of cells.
        example: One of them, as it stands.
        value: What it was read as.
        detail: The currency, or what settled a doubt.
    """

    kind: str
    count: int
    example: str
    value: float
    detail: str = ""


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


@dataclass(frozen=True)
class _Cells:
    """The distinct cells of a column, taken apart.

    Attributes:
        text: As they stand.
        counts: Rows of each.
        codes: Position of every row's cell; null where it is empty.
        affixes: What surrounds each number; None where that is not understood.
        marks: What the signs in the numbers say.
    """

    text: pa.Array
    counts: np.ndarray
    codes: pa.Array
    affixes: list[Affix | None]
    which: np.ndarray
    marks: Marks

    def per_cell(self, values: Iterable) -> np.ndarray:
        """A value of each affix, for every distinct cell."""
        return np.array(list(values))[self.which]


@dataclass
class _Parsed:
    """Distinct cells as numbers, and what is to be said about them."""

    values: np.ndarray
    bad: np.ndarray
    fault: str = ""
    done: list[Done] = field(default_factory=list)
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
    seen: list[tuple[Marks, Settled]] | None = None,
) -> Numbers:
    """Text as numbers.

    Args:
        text: Cells; null where empty.
        answer: The decimal sign of cells that could be two numbers, where it is known.
        habit: How the file's other columns write numbers.
        seen: Takes what the column's signs say, for the habit of its file.
    """
    cells, nothing = _without_empty(text)
    if not nothing and (plain := _plain(cells)) is not None:
        return plain
    apart = _apart(cells)
    settled = settle(apart.marks, habit or Habit(), answer)
    if seen is not None:
        seen.append((apart.marks, settled))
    parsed = _parse(apart, settled)
    if nothing:
        parsed.done.append(nothing)
    is_open = apart.marks.is_open & ~parsed.bad
    doubt = None
    if settled.sign is None and is_open.any():
        doubt = _doubt(apart, is_open)
        parsed.bad |= is_open
    return _spread(apart, parsed, doubt)


def truth_values(text: pa.ChunkedArray) -> np.ndarray | None:
    """Booleans where every cell is true or false in words, else None."""
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    distinct = set(pc.unique(lower).to_pylist())
    if not distinct or not distinct <= {*_TRUE, *_FALSE}:
        return None
    known = pa.array(_TRUE, type=pa.large_string())
    return pc.is_in(lower, value_set=known).to_numpy(zero_copy_only=False)


def _without_empty(text: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Done | None]:
    """Cells without spaces around, null where they stand for nothing."""
    cells = pc.utf8_trim_whitespace(text)
    empty = pa.array(EMPTY, type=pa.large_string())
    is_empty = pc.is_in(pc.utf8_lower(cells), value_set=empty)
    if not pc.any(is_empty).as_py():
        return cells, None
    words = pc.filter(cells, pc.and_(is_empty, pc.greater(pc.utf8_length(cells), 0)))
    done = None
    if len(words):
        done = Done("nothing", len(words), words[0].as_py(), 0.0)
    return pc.if_else(is_empty, pa.scalar(None, pa.large_string()), cells), done


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


def _apart(cells: pa.ChunkedArray) -> _Cells:
    """Distinct cells, cut into what stands before, the number, and what follows."""
    encoded = cells.combine_chunks().dictionary_encode()
    text = encoded.dictionary
    valid = encoded.indices.drop_null().to_numpy(zero_copy_only=False)
    counts = np.bincount(valid, minlength=len(text))
    # "5,-" is a price without cents, not minus five
    priced = pc.replace_substring_regex(text, r"(\d[.,])[-–—](\D|$)", r"\1\2")
    parts = pc.extract_regex(priced, _SPLIT)
    body = pc.fill_null(pc.struct_field(parts, "body"), "")
    is_spaced = pc.match_substring_regex(body, _SPACED)
    body = pc.if_else(is_spaced, pc.replace_substring_regex(body, _SPACE, ""), body)
    around = pc.binary_join_element_wise(
        pc.struct_field(parts, "head"), pc.struct_field(parts, "tail"), _NUL
    )
    around = pc.dictionary_encode(pc.fill_null(around, "?\0?"))
    affixes = [read_affix(*one.split("\0", 1)) for one in around.dictionary.to_pylist()]
    which = around.indices.to_numpy(zero_copy_only=False)
    spaced = is_spaced.to_numpy(zero_copy_only=False).astype(bool)
    marks = read_marks(body, spaced, counts)
    # "Rs.5" is not half a rupee
    glued = pc.match_substring_regex(text, r"\pL[.,]\d").to_numpy(zero_copy_only=False)
    if glued.any():
        marks.point[glued], marks.comma[glued] = np.nan, np.nan
    return _Cells(text, counts, encoded.indices, affixes, which, marks)


def _parse(cells: _Cells, settled: Settled) -> _Parsed:
    """Distinct cells as numbers."""
    marks = cells.marks
    base, sign = settled.base or ".", settled.sign or "."
    sure = marks.comma if base == "," else marks.point
    values = np.where(
        marks.is_open, marks.comma if sign == "," else marks.point, sure
    ).astype(float)
    known = [one or Affix() for one in cells.affixes] or [Affix()]
    factor = cells.per_cell([one.factor for one in known]).astype(float)
    percent = cells.per_cell([one.is_percent for one in known]).astype(bool)
    negative = cells.per_cell([one.is_negative for one in known]).astype(bool)
    understood = cells.per_cell([one is not None for one in cells.affixes or [None]])
    values = np.where(negative, -values, values)
    bad = ~(np.abs(values * factor) <= TOO_LARGE) | ~understood.astype(bool)
    parsed = _Parsed(values, bad)
    _check_percent(cells, parsed, percent)
    _check_units(cells, parsed, factor)
    _check_currency(cells, parsed)
    parsed.values = np.where(percent, values / 100, values * factor)
    parsed.values[parsed.bad] = np.nan
    _note(cells, parsed, settled, percent, factor)
    return parsed


def _check_percent(cells: _Cells, parsed: _Parsed, percent: np.ndarray) -> None:
    """`5%` beside `6`: nobody knows whether that is 6 or 600 percent."""
    bare = ~percent & ~parsed.bad & (parsed.values != 0)
    if (percent & ~parsed.bad).any() and bare.any():
        n, of = int(cells.counts[bare].sum()), int(cells.counts[percent].sum())
        parsed.fault = (
            f"{of:,} of its cells have a percent sign ({_first(cells, percent)}) and "
            f"{n:,} have none ({_first(cells, bare)})"
        )
        parsed.bad |= bare if n <= of else percent


def _check_units(cells: _Cells, parsed: _Parsed, factor: np.ndarray) -> None:
    """`2.5 Mio` beside `3`: three, or three million?"""
    scaled = (factor != 1) & ~parsed.bad
    if not scaled.any():
        return
    largest = np.abs(parsed.values[scaled]).max()
    size = np.abs(parsed.values)
    if factor[scaled].min() > 1e3:
        largest = max(largest, 1e3)
    bare = (factor == 1) & ~parsed.bad & (size > 0) & (size <= largest)
    if bare.any():
        parsed.fault = (
            f"some of its cells have a unit ({_first(cells, scaled)}) and others have "
            f"none ({_first(cells, bare)}), though they may be in the same unit"
        )
        parsed.bad |= bare


def _check_currency(cells: _Cells, parsed: _Parsed) -> None:
    """One currency per column: dollars and euros are not added."""
    found: dict[frozenset[str], np.ndarray] = {}
    for at, one in enumerate(cells.affixes):
        if one is not None and one.currency:
            where = (cells.which == at) & ~parsed.bad
            found[one.currency] = found.get(one.currency, False) | where
    if not found:
        return
    common = frozenset.intersection(*found)
    if common:
        parsed.currency = common
        return
    ranked = sorted(found.values(), key=lambda where: -cells.counts[where].sum())
    parsed.fault = "it has more than one currency: " + " and ".join(
        _first(cells, where) for where in ranked[:3] if where.any()
    )
    for where in ranked[1:]:
        parsed.bad |= where


def _note(
    cells: _Cells,
    parsed: _Parsed,
    settled: Settled,
    percent: np.ndarray,
    factor: np.ndarray,
) -> None:
    """What had to be done, by kind."""
    marks, good = cells.marks, ~parsed.bad
    has_currency = cells.per_cell(
        [bool(one and one.currency) for one in cells.affixes or [None]]
    ).astype(bool)
    sure = good & ~marks.is_open & (marks.decimals >= 0)
    comma = sure & np.isnan(marks.point) if settled.base == "," else sure & False
    kinds = {
        "comma": (comma, ""),
        "settled": (good & marks.is_open & bool(settled.by), settled.by),
        "currency": (good & has_currency, "/".join(sorted(parsed.currency)[:3])),
        "unit": (good & (factor != 1), ""),
        "percent": (good & percent, ""),
    }
    for kind, (where, detail) in kinds.items():
        if where.any():
            at = int(np.argmax(where))
            n = int(cells.counts[where].sum())
            shown, value = cells.text[at].as_py(), float(parsed.values[at])
            parsed.done.append(Done(kind, n, shown, value, detail))


def _doubt(cells: _Cells, is_open: np.ndarray) -> Doubt:
    at = int(np.argmax(is_open))
    readings = []
    for sign in (".", ","):
        sure = Settled(sign, sign)
        readings.append(float(_parse(cells, sure).values[at]))
    return Doubt(is_open, cells.text[at].as_py(), *readings)


def _first(cells: _Cells, where: np.ndarray) -> str:
    return f'"{cells.text[int(np.argmax(where))].as_py()[:30]}"'


def _spread(cells: _Cells, parsed: _Parsed, doubt: Doubt | None) -> Numbers:
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
