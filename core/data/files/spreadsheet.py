"""XLSX: the sheet with a table. Formulas are never evaluated.

Where a cell holds a formula, the value that the spreadsheet program saved with it
counts. A workbook is a zip file: its expansion is checked before it is unpacked.
"""

import datetime as dt
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from core.data.cells.cell_formats import shows_units, units_of
from core.data.cells.hidden import Hidden, hidden_in, keep_hidden
from core.data.cells.scales import sheet_scale, title_scale
from core.data.files.columns import (
    column_names,
    dates_across,
    looks_like_data,
    table,
    typed_texts,
    whole_numbers,
)
from core.data.files.delimited import too_many_rows
from core.data.files.limits import MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from core.data.files.workbook import (
    LEAD,
    area_of,
    damaged,
    has_no_table,
    no_sheet,
    opened,
)
from core.data.reading.headers.header_rows import with_group_names, with_rows_below
from core.data.reading.headers.repeated_headers import (
    Headers,
    keep_in_mind,
    without_headers,
)
from core.data.reading.numbers import Numbers
from core.errors import SchemaError

_CHUNK = 20_000

Row = tuple[object, ...]
#: Cells of a sheet: first column and row, last column and row; the first is 1.
Area = tuple[int, ...]


def read_spreadsheet(
    data: bytes, filename: str, part: str | None = None
) -> pd.DataFrame:
    """Table from the bytes of an XLSX workbook.

    Args:
        data: The workbook.
        filename: Its name, for messages.
        part: The sheet; None for the one with a table.

    Raises:
        SchemaError: The workbook is damaged, too large, or has no table.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            book = opened(data, filename)
            titles = [sheet.title for sheet in book.worksheets]
            area = None
            if part is not None:
                part, area = area_of(part, titles)
            if part is not None and part not in titles:
                raise no_sheet(part, titles, filename)
            sheets = sorted(book.worksheets, key=_rank if part is None else _is_hidden)
            for at, sheet in enumerate(sheets):
                if part not in (None, sheet.title):
                    continue
                sheet.reset_dimensions()
                cells = _cells_of(sheet, area)
                rows = _Rows(cells, filename)
                hidden = _within(hidden_in(book, sheet), area)
                frame = _read_sheet(iter(rows), filename, hidden, area, sheet.title)
                if frame is None:
                    continue
                if part is None:
                    _refuse_several(sheets[at:], filename)
                names = frame.attrs.pop("header")
                if shows_units(book):
                    _add_units(frame, sheet, names, filename, area)
                if book.epoch.year == 1904:
                    frame.attrs["dates"] = "1904"
                return frame
    except SchemaError:
        raise
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise damaged(filename) from error
    raise SchemaError(
        f"{filename} has no sheet with a table of at least two columns and a header.",
        hint="Put the table on the first sheet, with its column names in one row.",
        where=filename,
    )


def _is_hidden(sheet) -> bool:
    return sheet.sheet_state != "visible"


def _rank(sheet) -> tuple[bool, bool]:
    """Sheets that are seen come first, and those without a table last."""
    return _is_hidden(sheet), has_no_table(sheet)


def _read_sheet(
    rows: Iterator[Sequence[object]],
    filename: str,
    hidden: Hidden,
    area: Area | None,
    title: str = "",
) -> pd.DataFrame | None:
    """The table of one sheet, or None where the sheet has none."""
    lead = []
    for number, row in enumerate(rows, start=area[1] if area else 1):
        lead.append((number, _trimmed(row)))
        if len(lead) >= LEAD:
            break
    widths = [len([cell for cell in row if cell is not None]) for _, row in lead]
    width = max(widths, default=0)
    if width < 2:
        return None
    at = _header_at(lead, widths)
    header_row, header = lead[at]
    header += (None,) * _nameless_at_the_end(len(header), lead[at + 1 :])
    lead[at] = header_row, header
    if len(header) > MAX_COLUMNS:
        raise SchemaError(
            f"{filename} has {len(header):,} columns; the limit is {MAX_COLUMNS:,}.",
            hint="Keep only the columns the model needs.",
            where=filename,
        )
    texts = [[_shown(cell) for cell in row] for _, row in lead[max(0, at - 1) : at + 5]]
    above, texts = (texts[0], texts[1:]) if at else ([], texts)
    grouped = _grouped(above, texts[0])
    below = with_rows_below([grouped, *texts[1:]])
    lines = [texts[0]] if grouped == texts[0] else [texts[0], above]
    _refuse_uncalculated(hidden, header_row, len(header), filename)
    names = column_names(below[0] if below else grouped, filename)
    if below:
        n = below[1]
        header_row, at, lines = header_row + n, at + n, texts[: n + 1]
    titles = [" ".join(_shown(cell) for cell in row) for _, row in lead[:at]]
    headers = Headers(tuple(map(_plain, lines)), tuple(titles), filename)
    data = chain((row for _, row in lead[at + 1 :]), map(_trimmed, rows))
    body, numbers = _Body(len(header), filename), []
    for number, row in without_headers(_numbered(data, header_row + 1), headers):
        body.add(row)
        numbers.append(number - 2)
    columns, readings = body.columns()
    frame = table(names, columns, pd.Index(numbers, dtype="int64"), filename, readings)
    keep_in_mind(frame, headers, header_row, lead[0][0])
    frame.attrs["title_scale"] = title_scale(titles) * sheet_scale(title, titles)
    frame.attrs["header"] = names
    keep_hidden(frame, hidden, names)
    return frame


def _grouped(above: list[str], names: list[str]) -> list[str]:
    """Names with their groups; months above dates side by side are none."""
    return list(names) if dates_across(names) else with_group_names(above, names)


def _header_at(lead: list[tuple[int, Row]], widths: list[int]) -> int:
    """The first row of names among the rows at the top; else the first of full width.

    Args:
        lead: Rows at the top, with their numbers.
        widths: Cells of each that are filled.
    """
    width = max(widths)
    return next(
        (
            at
            for at, (_, row) in enumerate(lead)
            if (widths[at] > width / 2 and widths[at] > 1 and _may_be_names(row))
            or _is_corner(row, lead[at + 1 : at + 2])
        ),
        widths.index(width),
    )


def _nameless_at_the_end(width: int, below: list[tuple[int, Row]]) -> int:
    """How many columns go on right of the last name: most rows have them.

    Of a merged head only the first cell has a name. What a few rows have there is a
    remark or a sum, and no column.
    """
    lengths = [len(row) for _, row in below if len(row) > 1]
    return max(0, int(np.median(lengths)) - width) if lengths else 0


def _numbered(
    rows: Iterator[Row], first: int
) -> Iterator[tuple[int, list[str] | None, Row]]:
    """Rows with their numbers, and their cells as text where all of them are."""
    for number, row in enumerate(rows, first):
        yield number, _texts(row), row


def _add_units(
    frame: pd.DataFrame,
    sheet,
    names: list[str],
    filename: str,
    area: Area | None,
) -> None:
    """Note the currencies and units that formats of cells show."""
    left = area[0] if area else 1
    first = int(frame.index[0]) + 2
    rows = sheet.iter_rows(
        min_row=first,
        max_row=area[3] if area else None,
        min_col=left,
        max_col=left + len(names) - 1,
    )
    currencies, scales = units_of(_Rows(rows, filename), names, filename)
    frame.attrs["format_scale"] = scales
    currencies = {
        name: code for name, code in currencies.items() if name in frame.columns
    }
    if currencies:
        frame.attrs["currencies"] = frame.attrs.get("currencies", {}) | currencies


def _cells_of(sheet, area: Area | None) -> Iterator[Sequence[object]]:
    """The cells of a sheet, or of a range of it."""
    if area is None:
        return sheet.iter_rows(values_only=True)
    left, top, right, bottom = area
    return sheet.iter_rows(top, bottom, left, right, values_only=True)


def _within(hidden: Hidden, area: Area | None) -> Hidden:
    """What is hidden of a range, whose first column is 0."""
    if area is None:
        return hidden
    columns = frozenset(at - area[0] + 1 for at in hidden.columns if at >= area[0] - 1)
    formulas = tuple((row, at - area[0] + 1) for row, at in hidden.uncalculated)
    return Hidden(hidden.rows, columns, hidden.sheet, formulas)


def _refuse_uncalculated(
    hidden: Hidden, header_row: int, width: int, filename: str
) -> None:
    """Refuse formulas without results: their cells would be read as empty.

    Raises:
        SchemaError: A column of the table has some.
    """
    for row, column in hidden.uncalculated:
        if row > header_row and 0 <= column < width:
            raise SchemaError(
                f"{filename} has formulas that were never calculated, the first in row "
                f"{row}, column {column + 1}.",
                hint="Open it in a spreadsheet program, save it, and load it again.",
                where=f"{filename}, row {row}",
            )


def _refuse_several(sheets: list, filename: str) -> None:
    """Refuse a workbook with a table on another sheet that is seen, lest it be lost."""
    others = [sheet for sheet in sheets[1:] if not _is_hidden(sheet)]
    others = [sheet.title for sheet in others if not has_no_table(sheet)]
    if others:
        raise SchemaError(
            f"{filename} has tables on several sheets: {sheets[0].title} and "
            f"{', '.join(others[:5])}.",
            hint="Put all rows on one sheet, and delete the sheets that are not meant.",
            where=filename,
        )


class _Rows:
    """Rows of a sheet, of which only so many cells are looked at, empty ones included.

    A row of a few bytes can claim thousands of empty cells.
    """

    def __init__(self, rows: Iterator[Sequence[object]], filename: str):
        self._rows, self._filename, self._left = rows, filename, MAX_CELLS

    def __iter__(self) -> Iterator[Sequence[object]]:
        for row in self._rows:
            self._left -= len(row)
            if self._left < 0:
                raise SchemaError(
                    f"{self._filename} has more than {MAX_CELLS:,} cells.",
                    hint="Copy the table into a new workbook, or save it as CSV.",
                    where=self._filename,
                )
            yield row


def _trimmed(row: Sequence[object]) -> Row:
    """A row without empty cells at its end."""
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return tuple(row[:end])


def _plain(row: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in row]


def _texts(row: Row) -> list[str] | None:
    """The cells of a row of texts alone; None where a cell is none."""
    if not all(cell is None or isinstance(cell, str) for cell in row):
        return None
    return [(cell or "").strip() for cell in row]


def _is_corner(row: Row, below: list[tuple[int, Row]]) -> bool:
    """Whether a row names one amount, and nothing above the labels left of it."""
    if len(row) != 2 or row[0] is not None or not isinstance(row[1], str):
        return False
    return (
        bool(below)
        and len(below[0][1]) == 2
        and isinstance(below[0][1][1], float | int)
    )


def _may_be_names(row: Row) -> bool:
    texts = [_shown(cell) for cell in row]
    return not looks_like_data(texts) or bool(dates_across(texts))


def _exact(cell: object) -> str:
    """A cell as text that leaves no doubt: a number has no point that could group.

    Where a column has texts among its numbers, only the texts can be read two ways.
    """
    text = _shown(cell)
    if isinstance(cell, float) and "." in text and "e" not in text:
        whole, _, rest = text.partition(".")
        return f"{whole}{rest}e-{len(rest)}"
    return text


def _shown(cell: object) -> str:
    """A cell as text, the way a CSV file would hold it."""
    if cell is None:
        return ""
    if isinstance(cell, dt.datetime):
        midnight = cell.time() == dt.time()
        return cell.date().isoformat() if midnight else cell.isoformat(sep=" ")
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell)


class _Body:
    """Rows of a sheet, gathered into columns chunk by chunk to bound memory."""

    def __init__(self, width: int, filename: str):
        self.n_rows = 0
        self._width = width
        self._filename = filename
        self._pending: list[Row] = []
        self._chunks: list[list[pd.Series]] = [[] for _ in range(width)]

    def add(self, row: Row) -> None:
        """Take one row, cut or filled up to the width of the header."""
        short = self._width - len(row)
        self._pending.append(
            row[: self._width] if short <= 0 else row + (None,) * short
        )
        self.n_rows += 1
        if self.n_rows > MAX_ROWS:
            raise too_many_rows(self.n_rows, self._filename)
        if len(self._pending) >= _CHUNK:
            self._flush()

    def columns(self) -> tuple[list[pd.Series], list[Numbers | None]]:
        """Every column as numbers, booleans, dates or text, and how it was read."""
        self._flush()
        return typed_texts([_joined(chunks) for chunks in self._chunks])

    def _flush(self) -> None:
        if self._pending:
            for at, cells in enumerate(zip(*self._pending, strict=True)):
                self._chunks[at].append(_chunk(cells))
        self._pending = []


def _chunk(cells: tuple[object, ...]) -> pd.Series:
    """Cells of one column as numbers, booleans or dates where all are, else as text."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds <= {int, float}:
        return pd.Series(cells, dtype="float64")
    if kinds == {bool} and None not in cells:
        return pd.Series(cells, dtype="bool")
    if kinds == {dt.datetime}:
        return pd.Series(pd.to_datetime(list(cells)))
    return pd.Series([_exact(cell) or None for cell in cells], dtype="str")


def _joined(chunks: list[pd.Series]) -> pd.Series:
    """Chunks of one column as one; as text where their types differ."""
    if not chunks:
        return pd.Series([], dtype="float64")
    filled = [chunk for chunk in chunks if not chunk.isna().all()]
    if not filled:
        return pd.Series(np.full(sum(map(len, chunks)), np.nan))
    kind = filled[0].dtype
    if kind != "str" and all(chunk.dtype == kind for chunk in filled):
        whole = pd.concat(
            [chunk if chunk.dtype == kind else chunk.astype(kind) for chunk in chunks],
            ignore_index=True,
        )
        is_float = kind == "float64"
        return pd.Series(whole_numbers(whole.to_numpy())) if is_float else whole
    cells = [_exact(cell) or None for chunk in chunks for cell in _objects(chunk)]
    return pd.Series(cells, dtype="str")


def _objects(chunk: pd.Series) -> list[object]:
    """Cells as Python objects, None where missing."""
    missing = chunk.isna()
    return [None if no else cell for cell, no in zip(chunk, missing, strict=True)]
