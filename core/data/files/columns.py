"""Columns as they come in: names checked, text turned into numbers where all of it is.

A column whose cells could be two numbers each stays text: `checks.schema` asks. What
had to be done to read the others is kept with the table, in its `attrs`.

The index of a table is the row of the file less two, so that the first row of data
under a header in row 1 has index 0, and messages can name rows as a spreadsheet does.
"""

import re
import unicodedata
from dataclasses import asdict

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.data.cells.carried import carry
from core.data.cells.currencies import symbol
from core.data.cells.signs import Habit, Marks, Settled, habit_of
from core.data.reading.date_formats import MONTHS, upper_ascii
from core.data.reading.dates import parse_dates
from core.data.reading.numbers import (
    Numbers,
    read_column,
    to_arrow_text,
    truth_values,
)
from core.errors import SchemaError

_NAMELESS = re.compile(r"^(unnamed: ?\d+)?$", re.IGNORECASE)
_LIKE_DATA = re.compile(r"^[-+(]?[€$£]?\d[\d.,/:\s-]*([eE][+-]?\d+)?%?( ?[€$£])?$")
_YEAR = re.compile(r"^\s*(?:19|20)\d{2}\s*$")
_SAMPLE = 2000
_DIGITS = re.compile(r"\d")
#: Columns that are dates, at least, where dates stand side by side; of fewer than the
#: second number each has to follow the one before it, and to look like a date.
_ACROSS, _MANY = 3, 8
_CLEAR_DATE = re.compile(r"\D|^(?:19|20)\d{6}$")
#: Digits and their signs of other scripts: Arabic, Persian, of Hindi, Thai, full width.
_DIGITS_ELSEWHERE = "[٠-٩۰-۹०-९๐-๙０-９]"
_AS_ASCII = {
    **{
        chr(zero + digit): str(digit)
        for zero in (0x660, 0x6F0, 0x966, 0xE50, 0xFF10)
        for digit in range(10)
    },
    **{"٫": ".", "٬": "\u202f", "٪": "%", "．": ".", "，": ",", "％": "%", "／": "/"},
}
#: What a page wrote around or within a name: <b>TV</b>, Ad<br>spend.
_TAG = re.compile(
    r"</?(?:[abipu]|em|br|div|font|small|span|strong|su[bp]|t[dhr])(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_CODES = r"^\s*(0\d+|\d{17,})\s*$"
#: `04.2020` is a month: as a number it would lose its last digit.
_MONTHS = r"^\s*\d{1,2}\.(?:19|20)\d{2}\s*$"


def looks_like_data(cells: list[str]) -> bool:
    """Whether at least half of the cells of a row are numbers or dates, not names."""
    filled = [cell.strip() for cell in cells if cell and cell.strip()]
    if not filled:
        return False
    return sum(bool(_LIKE_DATA.match(cell)) for cell in filled) >= max(
        2, len(filled) / 2
    )


def dates_across(header: list[str]) -> list[str]:
    """The names of columns that are dates, side by side at the end of a header.

    Empty where they are none: too few, not in a row, or of no calendar.
    """
    names = [str(name).strip() for name in header]
    if sum(bool(_DIGITS.search(name)) for name in names) < _ACROSS:
        return []
    dates = parse_dates(pd.Series(names, dtype="str")).values
    at = np.flatnonzero(~np.isnat(dates))
    if len(at) < _ACROSS or not at[0]:
        return []
    first, last = int(at[0]), int(at[-1]) + 1  # totals may stand behind them
    is_whole = last - first == len(at)
    steps = np.diff(dates[at]).astype(int)
    is_ordered = (steps > 0).all() or (steps < 0).all()  # the newest may come first
    if len(at) < _MANY:
        is_ordered &= last == len(names) and _follow(names[first:], steps)
    return names[first:last] if is_whole and is_ordered else []


def _follow(names: list[str], steps: np.ndarray) -> bool:
    """Whether a few dates are days, weeks or months one after the other."""
    sizes = {abs(int(step)) for step in steps}
    is_even = len(sizes) == 1 and sizes <= {1, 7} or sizes <= {28, 29, 30, 31}
    return is_even and all(_CLEAR_DATE.search(name) for name in names)


def months_across(header: list[str]) -> list[str]:
    """The names of columns that are the months of whichever year, in their order.

    Empty where they are not all twelve; sums of quarters may stand between them.
    """
    plain = [upper_ascii(str(name)).lower().rstrip(".") for name in header]
    found = [at for at, name in enumerate(plain) if name in MONTHS]
    is_year = [MONTHS[plain[at]] for at in found] == list(range(1, 13))
    return [str(header[at]) for at in found] if is_year else []


def is_value(cell: str) -> bool:
    """Whether a cell is a number or a date of digits."""
    return bool(_LIKE_DATA.match(cell.strip()))


def column_names(header: list[str], filename: str) -> list[str]:
    """Clean names of columns; nameless ones stay empty.

    Raises:
        SchemaError: A name appears twice, or the first row holds data.
    """
    if looks_like_data(header) and not dates_across(header):
        shown = ", ".join(cell for cell in header[:4] if cell)
        if all(map(_YEAR.match, header[1:])) and not _LIKE_DATA.match(header[0]):
            raise SchemaError(
                f"The columns of {filename} are years ({shown}), and its rows parts of "
                "them.",
                hint="Put the years below each other: a row for each date, with its "
                "amount.",
                where=filename,
            )
        raise SchemaError(
            f"The first row of {filename} holds values ({shown}), not column names.",
            hint="Put one row of column names on top.",
            where=filename,
        )
    names = [_clean(name) for name in header]
    places: dict[str, int] = {}
    doubled: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            continue
        if name in places:
            doubled.setdefault(name, [places[name]]).append(position)
        places.setdefault(name, position)
    if doubled:
        name, positions = next(iter(doubled.items()))
        others = [other for other in doubled if other != name]
        also = f" So do {', '.join(others[:5])}." if others else ""
        raise SchemaError(
            f"Column {name} appears {len(positions)} times in {filename} "
            f"(columns {_join(positions)}).{also}",
            hint="Give every column its own name, or delete the copies.",
            where=f"{filename}, column {name}",
        )
    return names


def typed_columns(
    texts: list[pa.ChunkedArray],
) -> tuple[list[pd.Series], list[Numbers | None]]:
    """Columns of text as numbers or booleans where every cell is one, else as text.

    Columns whose cells could be two numbers are read last, in the way of those that
    leave no doubt.

    Args:
        texts: The columns; emptied, so that the text of each can go.

    Returns:
        The columns, and how each that became numbers was read.
    """
    signs: list[tuple[Marks, Settled]] = []
    columns: list[pd.Series] = []
    readings: list[Numbers | None] = []
    waiting: dict[int, pa.ChunkedArray] = {}
    texts.reverse()
    while texts:
        text = _in_ascii_digits(texts.pop())
        column, numbers = _typed(text, signs=signs)
        if numbers is not None and numbers.doubt is not None:
            waiting[len(columns)] = text
        columns.append(column)
        readings.append(numbers)
    habit = habit_of(signs)
    for at, text in waiting.items() if habit != Habit() else ():
        columns[at], readings[at] = _typed(text, habit)
    return columns, readings


def _in_ascii_digits(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cells with the digits 0 to 9, whichever script they were written in."""
    if pc.all(pc.string_is_ascii(text)).as_py() is not False:
        return text
    if not pc.any(pc.match_substring_regex(text, _DIGITS_ELSEWHERE)).as_py():
        return text
    for sign, plain in _AS_ASCII.items():
        text = pc.replace_substring(text, sign, plain)
    return text


def typed_texts(
    columns: list[pd.Series],
) -> tuple[list[pd.Series], list[Numbers | None]]:
    """Columns of which those of text are read as in a CSV file; the others stay."""
    at = [place for place, column in enumerate(columns) if column.dtype == "str"]
    texts = [to_arrow_text(columns[place]) for place in at]
    readings: list[Numbers | None] = [None] * len(columns)
    for place, column, numbers in zip(at, *typed_columns(texts), strict=True):
        columns[place], readings[place] = column, numbers
    return columns, readings


def _typed(
    text: pa.ChunkedArray,
    habit: Habit | None = None,
    signs: list[tuple[Marks, Settled]] | None = None,
) -> tuple[pd.Series, Numbers | None]:
    """One column, and how its numbers were read; None where most of it is text."""
    head = text.drop_null().slice(0, _SAMPLE)
    if not len(head):
        return pd.Series(np.full(len(text), np.nan)), None
    sample = read_column(head)
    open_here = 0 if sample.doubt is None else int(sample.doubt.where.sum())
    # Zeros in front, or more digits than a float holds: two of them could become one.
    codes = pc.any(pc.match_substring_regex(text, _CODES)).as_py()
    months = pc.all(pc.match_substring_regex(head, _MONTHS)).as_py()
    codes = codes or (
        months and pc.all(pc.match_substring_regex(text, _MONTHS)).as_py()
    )
    if not codes and sample.bad.sum() - open_here <= len(head) / 2:
        marks: list[tuple[Marks, Settled]] = []
        numbers = read_column(text, habit=habit, signs=marks)
        if signs is not None and not (numbers.bad & ~_open(numbers)).any():
            signs += marks
        if not numbers.bad.any():
            return pd.Series(whole_numbers(numbers.values)), numbers
        return as_text(text), numbers
    if truth_values(head) is not None and (truth := truth_values(text)) is not None:
        if not text.null_count:
            return pd.Series(truth.astype(bool)), None
    return as_text(text), None


def _open(numbers: Numbers) -> np.ndarray:
    return numbers.bad & False if numbers.doubt is None else numbers.doubt.where


def as_text(text: pa.ChunkedArray) -> pd.Series:
    """A column of text, without spaces around; missing where blank."""
    trimmed = pc.utf8_trim_whitespace(text)
    blank = pc.equal(trimmed, "")
    filled = pc.if_else(blank, pa.scalar(None, pa.large_string()), trimmed)
    return pd.Series(filled.to_pandas(), dtype="str")


def table(
    names: list[str],
    columns: list[pd.Series],
    index: pd.Index,
    filename: str,
    readings: list[Numbers | None] | None = None,
) -> pd.DataFrame:
    """The table without its index column, its blank columns and its blank rows.

    A leading nameless column of whole numbers is a row index and is dropped; any
    other nameless column with content is called after its position. How numbers were
    read from text is in `attrs["read"]`, by column (see `done_to`), and the currency
    that stands in their cells in `attrs["currencies"]`.

    Raises:
        SchemaError: No row of data is left.
    """
    named: dict[str, pd.Series] = {}
    by_column: dict[str, dict[str, list]] = {}
    for position, (name, column) in enumerate(zip(names, columns, strict=True)):
        if _NAMELESS.match(name):
            if column.isna().all() or (position == 0 and _counts(column)):
                continue
            name = f"Column {position + 1}"
        named[name] = column
        numbers = readings[position] if readings else None
        if numbers is not None and not numbers.bad.any() and numbers.done:
            by_column[name] = {
                "done": [asdict(step) for step in numbers.done],
                "currency": sorted(numbers.currency),
            }
    frame = pd.DataFrame({name: column.array for name, column in named.items()}, index)
    blank = frame.isna().all(axis=1).to_numpy()
    if blank.any():
        frame = frame.loc[~blank].copy()
        for name in frame.columns[frame.dtypes == "float64"]:
            frame[name] = whole_numbers(frame[name].to_numpy())
    if frame.empty:
        raise SchemaError(
            f"{filename} has a header but no rows of data.",
            hint="Export it again with one row per week (and geo).",
            where=filename,
        )
    if by_column:
        frame.attrs["read"] = by_column
    codes = {
        name: symbol(frozenset(notes["currency"])) for name, notes in by_column.items()
    }
    if any(codes.values()):
        frame.attrs["currencies"] = {name: code for name, code in codes.items() if code}
    return carry(frame)


def whole_numbers(values: np.ndarray) -> np.ndarray:
    """Numbers as int64 where every one is whole."""
    whole = np.isfinite(values) & (np.abs(values) < 2**53)
    if whole.all() and (values == np.rint(values)).all():
        return values.astype(np.int64)
    return values


def _counts(column: pd.Series) -> bool:
    """Whether a column holds whole numbers only, as a row index does."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return False
    return bool(np.equal(np.mod(column.dropna().to_numpy(), 1), 0).all())


def _clean(name: str) -> str:
    """A name in one line, without marks that cannot be seen."""
    name = _TAG.sub(" ", name) if "<" in name else name
    chars = (char for char in name if unicodedata.category(char) != "Cf")
    visible = "".join(chars).replace("\xa0", " ")
    cleaned = " ".join(unicodedata.normalize("NFC", visible).split())
    return "" if _NAMELESS.match(cleaned) else cleaned


def _join(positions: list[int]) -> str:
    *first, last = (str(position) for position in positions)
    return f"{', '.join(first)} and {last}" if first else last
