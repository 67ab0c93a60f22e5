"""Apart: the distinct cells of a column, cut into numbers and what surrounds them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.data.cells.affixes import Affix, read_affix
from core.data.cells.currencies import CODES
from core.data.cells.signs import Marks, read_marks
from core.data.cells.words import word_set

#: Text that stands for an empty cell in a column of numbers, in lower case.
EMPTY = ("", *sorted(word_set("cells.nothing")))
#: What spreadsheets write where a formula has no result, in their languages, such as
#: `#DIV/0!`, `#WERT!`, `#¡VALOR!`, `#NV` and `Err:502`. A value was meant there.
_ERROR = re.compile(
    r"#[¡¿]?[^\W_][\w/]*[!?]|#(?:N/?[ABDV]|SPILL|CALC)|Err:\d{3}", re.IGNORECASE
)
_MONEY = rf"[€$£¥₹]|R\$|kr|zł|Kč|Ft|{'|'.join(sorted(CODES))}"
#: What Excel's format for accounts makes of zero: `$ -`, `- €`.
NOTHING = rf"(?i)^(?:{_MONEY})\.?\s*[-–—]{{1,3}}$|^[-–—]{{1,3}}\s*(?:{_MONEY})$"
#: What matches all of that, and is quick to compile.
DASHED = r"^\D*[-–—]\D*$"
#: A letter before a decimal sign, and what matches all of that.
LETTERED, PRECEDED = r"\pL[.,]\d", r"[^\x00-@\[-`{-\x7f][.,]\d"
_SPACE = r"[ \x{00a0}\x{202f}\x{2009}'’‘´ʼ`]"
_SPLIT = (
    r"^(?P<head>[^\d]*?)(?P<body>[.,]?\d(?:[\d.,]|" + _SPACE + r"\d)*"
    r"(?:[eE][-+]?\d+)?)(?P<tail>[^\d]*)$"
)
_SPACED = r"^\d{1,3}(?:" + _SPACE + r"\d{3})+(?:[.,]\d*)?$"


#: Currencies without cents, where a point is the decimal sign.
_WHOLE = frozenset({"JPY", "KRW"})
Text = TypeVar("Text", pa.Array, pa.ChunkedArray)
_NUL = pa.scalar("\0", pa.large_string())


@dataclass(frozen=True)
class Cells:
    """The distinct cells of a column, taken apart.

    Attributes:
        text: As they stand.
        counts: Rows of each.
        codes: Position of every row's cell; null where it is empty.
        affixes: What surrounds each number; None where that is not understood.
        which: Position of each distinct cell's affix; cell.
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


def is_error(cell: object) -> bool:
    """Whether a cell holds the error of a formula."""
    return _ERROR.fullmatch(str(cell).strip()) is not None


def without_empty(text: pa.ChunkedArray) -> tuple[pa.ChunkedArray, list[str]]:
    """Cells without spaces around, null where they stand for nothing.

    Returns:
        The cells, and the words for nothing among them, such as `--`.
    """
    cells = pc.utf8_trim_whitespace(text)
    empty = pa.array(EMPTY, type=pa.large_string())
    is_empty = pc.is_in(pc.utf8_lower(cells), value_set=empty)
    is_empty = pc.or_(is_empty, pc.fill_null(_matched(cells, NOTHING, DASHED), False))
    if not pc.any(is_empty).as_py():
        return cells, []
    words = pc.filter(cells, pc.and_(is_empty, pc.greater(pc.utf8_length(cells), 0)))
    filled = pc.if_else(is_empty, pa.scalar(None, pa.large_string()), cells)
    return filled, words.to_pylist()


def _matched(text: Text, pattern: str, wider: str) -> Text:
    """`match_substring_regex`, whose pattern takes longer to compile than to match.

    Args:
        text: Cells.
        pattern: What is looked for.
        wider: Matches all that the pattern does, and is quick to compile: where no cell
            matches it, the pattern is left alone.
    """
    may = pc.match_substring_regex(text, wider)
    return pc.match_substring_regex(text, pattern) if pc.any(may).as_py() else may


def _has_no_cents(affix: Affix | None) -> bool:
    """Whether an amount is in yen or won: there is no part of them to write."""
    return affix is not None and bool(affix.currency) and affix.currency <= _WHOLE


def _settle_yen(marks: Marks, is_whole: np.ndarray) -> None:
    """Read `111,222円` as what it can only be: the comma is between thousands."""
    sure = marks.is_open & marks.has_comma & is_whole
    marks.comma[sure] = marks.point[sure]
    marks.is_open[sure], marks.is_grouped[sure] = False, True
    marks.decimals[sure] = -1


def take_apart(cells: pa.ChunkedArray) -> Cells:
    """Distinct cells, cut into what stands before, the number, and what follows."""
    encoded = cells.combine_chunks().dictionary_encode()
    text = encoded.dictionary
    valid = encoded.indices.drop_null().to_numpy(zero_copy_only=False)
    counts = np.bincount(valid, minlength=len(text))
    # "5,-" and "5,--" are prices without cents, not minus five
    priced = pc.replace_substring_regex(text, r"(\d[.,])[-–—]{1,2}(\D|$)", r"\1\2")
    parts = pc.extract_regex(priced, _SPLIT)
    body = pc.fill_null(pc.struct_field(parts, "body"), "")
    is_spaced = pc.match_substring_regex(body, _SPACED)
    body = pc.if_else(is_spaced, pc.replace_substring_regex(body, _SPACE, ""), body)
    around = pc.binary_join_element_wise(
        pc.struct_field(parts, "head"), pc.struct_field(parts, "tail"), _NUL
    )
    around = pc.dictionary_encode(pc.fill_null(around, "?\0?"))
    affixes = [
        read_affix(*ends.split("\0", 1)) for ends in around.dictionary.to_pylist()
    ]
    which = around.indices.to_numpy(zero_copy_only=False)
    spaced = is_spaced.to_numpy(zero_copy_only=False).astype(bool)
    marks = read_marks(body, spaced, counts)
    is_whole = np.array([_has_no_cents(one) for one in affixes], dtype=bool)
    _settle_yen(marks, is_whole[which])
    # "Rs.5" is not half a rupee
    glued = _matched(text, LETTERED, PRECEDED)
    glued = glued.to_numpy(zero_copy_only=False)
    if glued.any():
        marks.point[glued], marks.comma[glued] = np.nan, np.nan
    return Cells(text, counts, encoded.indices, affixes, which, marks)
