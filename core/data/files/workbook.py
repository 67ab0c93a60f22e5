"""Workbooks: opened with care, and the sheets that have tables.

A workbook is a zip file: its expansion is checked before it is unpacked.

Markup: parts of a workbook that say nothing and take the parser the square of time.

Python's XML parser begins a comment, an instruction or a literal section anew with each
piece that it is fed, so that one of 45 MB, which packs into 50 kB, takes a minute.
"""

import io
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

from core.data.cells.hidden import hidden_in
from core.data.files.limits import (
    HARMLESS_BYTES,
    MAX_MEMBERS,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
)
from core.data.reading.headers.header_rows import tables_among
from core.errors import SchemaError
from core.text.languages.language import marked

AGAIN = "Save it again as XLSX or CSV."
#: Files that only documents of office programs have.
_OFFICE = {"[Content_Types].xml", "mimetype", "content.xml"}
#: Rows at the top of a sheet among which its header is looked for.
LEAD = 50
#: What is read of a workbook cell by cell.
_SHEETS, _ROWS, _COLUMNS = 20, 2_000, 60
#: Cells of a row of notes, at most; fewer rows with digits are no table beside one.
_OF_NOTES, _FEW = 2, 5
#: Rows of a sheet among which further tables are looked for.
_SCANNED = 5_000


def sheets_with_tables(data: bytes, filename: str) -> tuple[str, ...]:
    """The sheets whose first rows have two columns or more and a header.

    Raises:
        SchemaError: The workbook is damaged or too large.
    """
    titles, notes = [], []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for sheet in opened(data, filename).worksheets:
                rows = _first_rows(sheet)
                if _are_several(rows):
                    (notes if _are_notes(rows) else titles).append(sheet.title)
    except SchemaError:
        raise
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise damaged(filename) from error
    return tuple(titles or notes)


def has_no_table(sheet) -> bool:
    """Whether a sheet has next to nothing, or a few lines about the others."""
    rows = _first_rows(sheet)
    return not _are_several(rows) or _are_notes(rows)


def _are_several(rows: list[list[object]]) -> bool:
    return sum(len(row) > 1 for row in rows) > 1


def _first_rows(sheet) -> list[list[object]]:
    """The filled cells of the rows at the top of a sheet."""
    sheet.reset_dimensions()
    rows = sheet.iter_rows(values_only=True, max_row=LEAD)
    return [[cell for cell in row if cell is not None] for row in rows]


def _are_notes(rows: list[list[object]]) -> bool:
    """Whether rows are lines of a name and a text, with hardly a number in them."""
    are_narrow = all(len(row) <= _OF_NOTES for row in rows)
    values = sum(any(map(str.isdigit, str(row[-1]))) for row in rows if len(row) > 1)
    return are_narrow and values < _FEW


def tables_of(data: bytes, filename: str) -> tuple[str, ...]:
    """The sheets with tables; of a sheet with several, the range of each: `A!D1:F90`.

    Raises:
        SchemaError: The workbook is damaged or too large.
    """
    parts = []
    titles = sheets_with_tables(data, filename)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        book = opened(data, filename)
        for title in titles:
            sheet = book[title]
            sheet.reset_dimensions()
            rows = list(sheet.iter_rows(values_only=True, max_row=_SCANNED + 1))
            ranges = tables_among(rows) if len(rows) <= _SCANNED else []
            parts += [f"{title}!{area}" for area in ranges] or [title]
    return tuple(parts)


def area_of(part: str, titles: Sequence[str]) -> tuple[str, tuple[int, ...] | None]:
    """The sheet and the cells of a part: first column, first row, last of each."""
    title, _, cells = part.rpartition("!")
    if part in titles or title not in titles:
        return part, None
    from openpyxl.utils import range_boundaries  # noqa: PLC0415  slow to import

    try:
        return title, tuple(map(int, range_boundaries(cells)))
    except (ValueError, TypeError):
        return part, None


def cells_of(data: bytes, filename: str) -> list[dict[str, Any]]:
    """The cells of a small workbook: of each sheet its title and rows.

    A cell that is not empty is its place, its content and its number format. Formulas
    hold what the spreadsheet program saved with them. `hidden` are the numbers of rows
    that are hidden or filtered out.

    Raises:
        SchemaError: The workbook is damaged or too large.
    """
    sheets = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            book = opened(data, filename)
            for sheet in book.worksheets[:_SHEETS]:
                sheet.reset_dimensions()
                rows = [
                    [
                        [cell.coordinate, _plain(cell.value), cell.number_format]
                        for cell in row
                        if cell.value is not None
                    ]
                    for row in sheet.iter_rows(max_row=_ROWS, max_col=_COLUMNS)
                ]
                rows = [row for row in rows if row]
                hidden = sorted(hidden_in(book, sheet).rows)
                sheets.append({"sheet": sheet.title, "rows": rows, "hidden": hidden})
    except SchemaError:
        raise
    except Exception as error:  # openpyxl raises whatever a broken file leads it to
        raise damaged(filename) from error
    return sheets


def _plain(content: object) -> object:
    """What a cell holds, as JSON can say it."""
    return content if isinstance(content, bool | int | float) else str(content)


def opened(data: bytes, filename: str):
    """The workbook, its expansion checked before anything is unpacked.

    Raises:
        SchemaError: It would unpack to too much, or its XML was written to be slow.
    """
    _check_zip(data, filename)
    if has_long_markup(data):
        raise SchemaError(
            f"{filename} holds comments in its XML that no spreadsheet program writes.",
            hint="Open it in a spreadsheet program and save it again as XLSX or CSV.",
            where=filename,
        )
    import openpyxl  # noqa: PLC0415  slow to import, rarely needed

    return openpyxl.load_workbook(
        io.BytesIO(data), read_only=True, data_only=True, keep_links=False
    )


def damaged(filename: str) -> SchemaError:
    """The error for a workbook that cannot be read."""
    return SchemaError(f"{filename} is a damaged workbook.", hint=AGAIN, where=filename)


def no_sheet(part: str, sheets: list[str], filename: str) -> SchemaError:
    """The error for a sheet that is not there."""
    return SchemaError(
        f"{filename} has no sheet {part}.",
        hint=f"It has {', '.join(sheets[:8])}.",
        where=filename,
    )


def _check_zip(data: bytes, filename: str) -> None:
    """Refuse archives that are no workbook or would unpack without bounds."""
    try:
        members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise damaged(filename) from error
    unpacked = sum(member.file_size for member in members)
    packed = max(1, sum(member.compress_size for member in members))
    expands = unpacked > HARMLESS_BYTES and unpacked / packed > MAX_RATIO
    if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED_BYTES or expands:
        raise SchemaError(
            f"{filename} unpacks to {unpacked / 1024**2:,.0f} MB in {len(members):,} "
            "parts, which is too large for a workbook.",
            hint="Copy the table into a new workbook, or save it as CSV.",
            where=filename,
        )
    names = {member.filename for member in members}
    if "xl/workbook.xml" in names:
        return
    if not names & _OFFICE and not any(name.endswith(".iwa") for name in names):
        shown = ", ".join(sorted(names)[:4]) or "nothing"
        raise SchemaError(
            f"{filename} is an archive without a table. It holds {shown}.",
            hint="Put CSV, XLSX or Parquet files into the archive, or choose the table "
            "itself.",
            where=filename,
        )
    kind = "a workbook"
    if "content.xml" in names:
        kind = marked("an XLSX workbook but an OpenDocument file")
    elif "xl/workbook.bin" in names:
        kind = marked("an XLSX workbook but a binary one (XLSB)")
    elif "word/document.xml" in names:
        kind = marked("a workbook but a Word document")
    elif "ppt/presentation.xml" in names:
        kind = marked("a workbook but a presentation")
    elif any(name.endswith(".iwa") for name in names):
        kind = marked("an XLSX workbook but an Apple iWork document")
    raise SchemaError(f"{filename} is not {kind}.", hint=AGAIN, where=filename)


#: Bytes of a comment; spreadsheet programs write none, or a line.
_MOST = 256 * 1024
_PIECE = 1024**2
_OPENS = {b"<!--": b"-->", b"<?": b"?>", b"<![CDATA[": b"]]>"}


def has_long_markup(data: bytes) -> bool:
    """Whether a part of a workbook has a comment or the like that is very long.

    False for what cannot be unpacked, too: whoever reads it says why.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            names = book.namelist()
            parts = [name for name in names if name.endswith((".xml", ".rels"))]
            return any(_is_long(book, name) for name in parts)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError):
        return False


def _is_long(book: zipfile.ZipFile, name: str) -> bool:
    rest, close, length = b"", b"", 0
    with book.open(name) as part:
        while piece := part.read(_PIECE):
            text, at = rest + piece, 0
            while True:
                if close:
                    end = text.find(close, at)
                    length += (end if end >= 0 else len(text)) - at
                    if length > _MOST:
                        return True
                    if end < 0:
                        break
                    at, close, length = end + len(close), b"", 0
                start, close = _next_opening(text, at)
                if not close:
                    at = len(text)
                    break
                at = start
            rest = text[-8:]  # what opens or closes may be cut in two
    return False


def _next_opening(text: bytes, at: int) -> tuple[int, bytes]:
    """Where the next comment or the like begins, and how it ends; empty for none."""
    openings = [(text.find(mark, at), end) for mark, end in _OPENS.items()]
    openings = [(start, end) for start, end in openings if start >= 0]
    return min(openings, default=(len(text), b""))
