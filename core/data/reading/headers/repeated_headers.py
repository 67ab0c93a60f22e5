"""Repeated headers: names of columns that stand again among the rows.

A report repeats them at the top of each page, month or year, below a title of that part
at most. They are no data, and neither is such a title. Names in another order are
refused: the cells below them belong to other columns.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.data.cells.words import word_set, words
from core.data.reading.date_formats import MONTHS
from core.errors import SchemaError
from core.text import listed

#: Where a table keeps the numbers of the rows that repeat its header.
REPEATED = "repeated_headers"
#: Where it keeps the row of its header, and how many lines with words stand above it.
HEADER_ROW = "header_row"
#: Words of titles that say which part of a table follows.
_PART = word_set("repeated_headers.part")
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"\d{4}(?:\D\d{2,4})?")
#: Names that a header has, at least, to be known again.
_LEAST = 2
#: Lines of a part's title, at most.
_LINES = 4

Cells = Sequence[str]
Row = TypeVar("Row")


@dataclass
class Headers:
    """Looks for the header of a table among its rows.

    Attributes:
        lines: The row of names, and that of groups above or units below it.
        titles: What stands above the table.
        filename: For messages.
        rows: Numbers of the rows that are left out.
    """

    lines: tuple[Cells, ...]
    titles: tuple[str, ...]
    filename: str
    rows: list[int] = field(default_factory=list)

    def may_begin(self, cells: Cells) -> bool:
        """Whether a row is a line of the header, or a title above it."""
        return self.is_line(cells) or self._is_title(cells) or not any(cells)

    def check(self, number: int, cells: Cells) -> None:
        """Refuse a row that names the columns in another order.

        Raises:
            SchemaError: It does.
        """
        own = [cell for cell in self.lines[0] if cell]
        other = [cell for cell in cells if cell]
        if len(own) < _LEAST or own == other or sorted(own) != sorted(other):
            return
        raise SchemaError(
            f"Row {number} of {self.filename} names the columns again, in another "
            f"order: {listed(other, limit=6)}.",
            hint="Put that part into a file of its own, or give all rows one order of "
            "columns.",
            where=f"{self.filename}, row {number}",
        )

    def is_header(self, block: Sequence[tuple[int, Cells]]) -> bool:
        """Whether rows that may begin a part have the names of the columns."""
        return any(_same(cells, self.lines[0]) for _, cells in block)

    def leave_out(self, block: Iterable[tuple[int, Cells]]) -> None:
        """Keep in mind which rows are left out."""
        self.rows += [number for number, cells in block if any(cells)]

    def is_line(self, cells: Cells) -> bool:
        """Whether a row is a line of the header."""
        return any(_same(cells, line) for line in self.lines)

    def _is_title(self, cells: Cells) -> bool:
        """Whether a row says nothing but which part follows: `Quarter 2`."""
        filled = [cell for cell in cells if cell]
        return len(filled) == 1 and is_part(filled[0], self.titles)


def is_part(title: str, titles: Iterable[str]) -> bool:
    """Whether a title says nothing but which part of a table follows: `Quarter 2`.

    Args:
        title: Above a header that stands again.
        titles: What stands above the table: `Sales 2023`, of which 2024 is a part, too.
    """
    if not _LETTER.search(title) and not _YEAR.fullmatch(title.strip()):
        return False
    vocabulary = _PART | set(MONTHS)
    for one in titles:
        vocabulary |= {word.text for word in words(_DIGITS.sub(" ", one))}
    tokens = {word.text for word in words(_DIGITS.sub(" ", title))}
    return tokens <= vocabulary


def without_headers(
    rows: Iterable[tuple[int, Cells | None, Row]], headers: Headers
) -> Iterator[tuple[int, Row]]:
    """The rows of a table that are no header again, each with its number.

    Args:
        rows: Number, cells as text without spaces around, and the row itself. No cells
            where one of them is no text: that is a row of data.
        headers: Looks for the header.

    Raises:
        SchemaError: A row names the columns in another order.
    """
    buffer: list[tuple[int, Cells, Row]] = []
    for number, cells, row in rows:
        few = len(buffer) < _LINES + len(headers.lines)
        if cells is not None and few and headers.may_begin(cells):
            buffer.append((number, cells, row))
            continue
        if cells is not None:
            headers.check(number, cells)
        if buffer:
            yield from _released(buffer, headers)
            buffer = []
        yield number, row
    yield from _released(buffer, headers)


def _released(
    buffer: list[tuple[int, Cells, Row]], headers: Headers
) -> Iterator[tuple[int, Row]]:
    block = [(number, cells) for number, cells, _ in buffer]
    if headers.is_header(block):
        headers.leave_out(block)
        return
    yield from ((number, row) for number, _, row in buffer)


def repeated_rows(
    columns: Sequence[pa.ChunkedArray], headers: Headers, first: int
) -> np.ndarray:
    """Which rows of a table of text are its header again.

    Args:
        columns: Every cell of the file as text.
        headers: Looks for the header.
        first: The number of the first row.

    Raises:
        SchemaError: A row names the columns in another order.
    """
    n_rows = len(columns[0]) if columns else 0
    is_out = np.zeros(n_rows, dtype=bool)
    names = [cell for cell in headers.lines[0] if cell]
    if len(names) < _LEAST:
        return is_out
    at = headers.lines[0].index(names[0])
    header = pa.array(names, type=pa.large_string())
    is_header = pc.is_in(pc.utf8_trim_whitespace(columns[at]), value_set=header)
    for place in np.flatnonzero(is_header.to_numpy()).tolist():
        if is_out[place]:
            continue
        start, far = max(0, place - _LINES), _LINES + len(headers.lines)
        parts = [column.slice(start, far).to_pylist() for column in columns]
        rows = [
            [(cell or "").strip() for cell in row] for row in zip(*parts, strict=True)
        ]
        low = high = place - start
        if not _same(rows[low], headers.lines[0]):
            headers.check(first + place, rows[low])
            continue
        while low and headers.may_begin(rows[low - 1]):
            low -= 1
        while high + 1 < len(rows) and headers.is_line(rows[high + 1]):
            high += 1
        is_out[start + low : start + high + 1] = True
        part = range(low, high + 1)
        headers.leave_out((first + start + at, rows[at]) for at in part)
    return is_out


def _same(cells: Cells, line: Cells) -> bool:
    filled = [cell for cell in line if cell]
    return len(filled) >= _LEAST and [c for c in cells if c] == filled


def keep_in_mind(frame: pd.DataFrame, headers: Headers, row: int, first: int) -> None:
    """Note in a table's `attrs` where its header stands, and which rows repeat it.

    Args:
        frame: The table.
        headers: Its header, with what stands above.
        row: Of the file, of the last line of the header.
        first: Row of the first of the lines above.
    """
    row -= len(headers.lines) - 1
    titles = headers.titles[: row - first]
    frame.attrs[HEADER_ROW] = [row, sum(bool(title.strip()) for title in titles)]
    if headers.rows:
        frame.attrs[REPEATED] = list(headers.rows)
