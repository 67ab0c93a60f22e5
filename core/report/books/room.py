"""Room: columns and rows of a sheet as wide and as high as what they hold."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

#: Width of a column of names, and the most of it, in letters.
_NAME, _LONGEST_NAME = 24, 64
#: Height of a line of text, points.
LINE = 15
#: Digits across a letter of a head, which is bold.
_BOLD = 1.1
#: Width of a column that nobody set, and of a character, pixels.
_PIXELS, _PER_CHARACTER = 64, 7


def wide(sheet: Any, columns: Sequence[int]) -> float:
    """Characters across some columns; xlsxwriter keeps pixels."""
    col_info = sheet.col_info
    pixels = (col_info[at].width if at in col_info else _PIXELS for at in columns)
    return sum(pixels) / _PER_CHARACTER


def name_column(sheet: Any, names: Iterable[str]) -> None:
    """Room for the longest name in the first column, within reason.

    Args:
        sheet: The sheet.
        names: In its first column.
    """
    longest = max((len(name) for name in names), default=0)
    sheet.set_column(0, 0, min(max(_NAME, longest), _LONGEST_NAME))


def fit_heads(sheet: Any, row: int, heads: Sequence[str]) -> None:
    """Make a row of heads as high as the one that takes most lines.

    Args:
        sheet: The sheet, its columns set.
        row: The row.
        heads: In the first columns.
    """
    sheet.set_row(row, LINE * _lines(sheet, heads, _BOLD) + 2)


def fit_texts(sheet: Any, row: int, texts: Sequence[str]) -> None:
    """Make a row of texts that wrap as high as the one that takes most lines.

    Args:
        sheet: The sheet, its columns set.
        row: The row.
        texts: In the first columns.
    """
    if (lines := _lines(sheet, texts, 1.0)) > 1:
        sheet.set_row(row, LINE * lines)


def _lines(sheet: Any, texts: Sequence[str], letter: float) -> int:
    """Lines of the text that takes most, in columns from the first.

    Args:
        sheet: The sheet, its columns set.
        texts: In the first columns.
        letter: Digits across a letter.
    """
    lines = (
        len(textwrap.wrap(text, max(1, int(wide(sheet, [at]) / letter))))
        for at, text in enumerate(texts)
    )
    return max(lines, default=1)


#: Room beside the longest number of a column, in digits.
_BESIDE = 2


def fit_numbers(sheet: Any) -> None:
    """Widen columns whose longest number, or its sum, would be drawn as ####."""
    widest: dict[int, float] = {}
    for row in sheet.table.values():
        for at, cell in row.items():
            widest[at] = max(widest.get(at, 0.0), _digits(cell))
    for at, digits in widest.items():
        is_hidden = at in sheet.col_info and sheet.col_info[at].hidden
        if digits + _BESIDE > wide(sheet, [at]) and not is_hidden:
            sheet.set_column(at, at, digits + _BESIDE)


def _digits(cell: Any) -> float:
    """Digits across a number with its unit; 0 for what is none or is never long."""
    number = getattr(cell, "value", None) or getattr(cell, "number", None)
    if not isinstance(number, Real) or cell.format is None:
        return 0.0
    form = cell.format.num_format
    if not isinstance(form, str) or "#,##0" not in form:
        return 0.0
    decimals = len(re.sub(r'".*?"', "", form).partition(".")[2])
    units = sum(map(len, re.findall(r'"(.*?)"', form)))
    digits = len(f"{number:,.{decimals}f}") + units
    return digits * (_BOLD if cell.format.bold else 1.0)
