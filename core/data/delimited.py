"""CSV and TSV: encoding, delimiter and number format are sniffed, then it is read.

Every cell is read as text first and a column becomes numbers only when all of it is,
so that no value is bent on the way in.
"""

import codecs
import csv
import io
from collections import Counter
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv

from core.data.columns import column_names, looks_like_data, table, typed
from core.data.limits import MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from core.data.numbers import decimal_sign
from core.errors import SchemaError

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 512 * 1024
_SAMPLE_ROWS = 400
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAVE_AS = "Save it as CSV (UTF-8, columns separated by commas), XLSX or Parquet."


@dataclass(frozen=True)
class Dialect:
    """How a text file is laid out.

    Attributes:
        delimiter: What separates columns.
        header: The names in the header row.
        header_record: The header's row, counted from one.
        skip_lines: Physical lines up to and including the header.
        cells: A sample of cells, for the number format.
    """

    delimiter: str
    header: tuple[str, ...]
    header_record: int
    skip_lines: int
    cells: tuple[str, ...]


def read_delimited(data: bytes, filename: str) -> pd.DataFrame:
    """Table from the bytes of a CSV or TSV file.

    Raises:
        SchemaError: The text is not a table.
    """
    data = as_utf8(data, filename)
    dialect = sniff(data, filename)
    _check_size(data, dialect, filename)
    names = column_names(list(dialect.header), filename)
    texts, index = _cells(data, dialect, filename)
    decimal = decimal_sign(list(dialect.cells), delimiter=dialect.delimiter)
    texts.reverse()
    columns = []
    while texts:  # one at a time, so that the text of a column can go
        columns.append(typed(texts.pop(), decimal))
    return table(names, columns, index, filename)


def as_utf8(data: bytes, filename: str) -> bytes:
    """The text in UTF-8, from UTF-8 or UTF-16 (with or without a mark) or CP1252.

    Raises:
        SchemaError: The file is not text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return body if encoding == "utf-8" else _recode(body, encoding, filename)
    head = data[:65536]
    if b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) < 0.3 * len(head) / 2:
            raise _not_text(filename)
        return _recode(data, "utf-16-le" if odd > even else "utf-16-be", filename)
    if _control_characters(head.decode("latin-1")) > 0.001 * len(head) + 1:
        raise _not_text(filename)
    try:
        _check_utf8(data)
    except UnicodeDecodeError:
        return _recode(data, "cp1252", filename)
    return data


def sniff(data: bytes, filename: str) -> Dialect:
    """Delimiter, header and sample cells of UTF-8 text.

    Raises:
        SchemaError: No delimiter separates columns.
    """
    sample = data[:_SAMPLE_BYTES].decode("utf-8", errors="ignore")
    if len(data) > _SAMPLE_BYTES:
        sample = sample[: sample.rfind("\n") + 1] or sample
    named = [mark for mark in _DELIMITERS if sample.lower().startswith(f"sep={mark}")]
    best, best_score = None, (False, 0.0, 0)
    for delimiter in named[:1] or _DELIMITERS:
        rows, lines = _sample_rows(sample, delimiter)
        filled = [len(row) for row in rows if any(row)]
        if not filled:
            continue
        width = Counter(filled).most_common(1)[0][0]
        share = round(filled.count(width) / len(filled), 2)
        score = (len(rows[0]) == width, share, width)
        if width > 1 and score > best_score:
            best, best_score = (delimiter, rows, lines, width), score
    if best is None:
        raise _one_column(sample, filename)
    delimiter, rows, lines, width = best
    at = _header_row(rows, width)
    cells = tuple(cell.strip() for row in rows[at + 1 :] for cell in row if cell)
    return Dialect(delimiter, tuple(rows[at]), at + 1, lines[at], cells)


def _check_utf8(data: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    step = 1 << 22
    for start in range(0, len(data), step):
        decoder.decode(data[start : start + step], final=start + step >= len(data))


def _recode(data: bytes, encoding: str, filename: str) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)()
    step = 1 << 22
    parts = []
    try:
        for start in range(0, len(data), step):
            final = start + step >= len(data)
            text = decoder.decode(data[start : start + step], final=final)
            parts.append(text.encode("utf-8"))
            if start == 0 and _control_characters(text) > 0.001 * len(text):
                raise _not_text(filename)
    except UnicodeError:
        raise _not_text(filename) from None
    return b"".join(parts)


def _control_characters(text: str) -> int:
    """Number of characters that no text has."""
    head = text[:65536]
    return sum(head.count(chr(code)) for code in range(32)) - sum(
        head.count(usual) for usual in "\t\n\r\f\x1a"
    )


def _not_text(filename: str) -> SchemaError:
    return SchemaError(
        f"{filename} is not a text file: it holds binary data.",
        hint=f"Open it in the program it came from. {_SAVE_AS}",
        where=filename,
    )


def _sample_rows(sample: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """First rows, and the physical line on which each ends."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows, lines = [], []
    try:
        for row in reader:
            rows.append(row)
            lines.append(reader.line_num)
            if len(rows) >= _SAMPLE_ROWS:
                break
    except csv.Error:
        pass
    return rows, lines


def _header_row(rows: list[list[str]], width: int) -> int:
    """Position of the header: the first full row of names, after any title lines."""
    for at, row in enumerate(rows[:30]):
        if len(row) == width and any(row) and not looks_like_data(row):
            return at
    return next(at for at, row in enumerate(rows) if any(row))


def _one_column(sample: str, filename: str) -> SchemaError:
    """The error for text without a known delimiter."""
    lines = [line for line in sample.splitlines()[:20] if line.strip()]
    suspects = {":": "colons", "^": "carets", "~": "tildes", "#": "hash signs"}
    for mark, name in suspects.items():
        counts = {line.count(mark) for line in lines}
        if len(counts) == 1 and counts != {0}:
            found = f"it seems to be separated by {name}"
            break
    else:
        spaced = lines and all(len(line.split()) > 1 for line in lines)
        found = (
            "it seems to be separated by spaces"
            if spaced
            else "no comma, semicolon, tab or vertical bar separates its columns"
        )
    return SchemaError(
        f"{filename} has one column only: {found}.", hint=_SAVE_AS, where=filename
    )


def _check_size(data: bytes, dialect: Dialect, filename: str) -> None:
    """Refuse more rows or columns than the limits before parsing."""
    width = len(dialect.header)
    if width > MAX_COLUMNS:
        raise SchemaError(
            f"{filename} has {width:,} columns; the limit is {MAX_COLUMNS:,}.",
            hint="Keep only the columns the model needs.",
            where=filename,
        )
    rows = data.count(b"\n") - dialect.skip_lines
    if b'"' not in data and rows > MAX_ROWS:
        raise too_many_rows(rows, filename)
    if min(rows, MAX_ROWS) * width > MAX_CELLS:
        raise SchemaError(
            f"{filename} has {rows:,} rows of {width:,} columns, which is too large.",
            hint="Keep only the columns the model needs.",
            where=filename,
        )


def too_many_rows(rows: int, filename: str) -> SchemaError:
    """The error for a table with more rows than the limit."""
    return SchemaError(
        f"{filename} has {rows:,} rows; the limit is {MAX_ROWS:,}.",
        hint="Sum the rows to one per geo and week.",
        where=filename,
    )


def _cells(
    data: bytes, dialect: Dialect, filename: str
) -> tuple[list[pa.ChunkedArray], pd.Index]:
    """Columns of text, and the index: the file's row less two."""
    odd: list[tuple[int, int]] = []

    def keep_in_mind(row: pa_csv.InvalidRow) -> str:
        if len(odd) < 1000:
            odd.append((row.number or 0, row.actual_columns))
        return "skip"

    names = [str(position) for position in range(len(dialect.header))]
    table = pa_csv.read_csv(
        pa.BufferReader(data),
        read_options=pa_csv.ReadOptions(
            use_threads=False, skip_rows=dialect.skip_lines, column_names=names
        ),
        parse_options=pa_csv.ParseOptions(
            delimiter=dialect.delimiter,
            newlines_in_values=b'"' in data,
            ignore_empty_lines=False,
            invalid_row_handler=keep_in_mind,
        ),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            strings_can_be_null=True,
            null_values=[""],
        ),
    )
    if odd:
        shift = dialect.header_record - dialect.skip_lines
        raise _ragged([(row + shift, found) for row, found in odd], dialect, filename)
    if table.num_rows > MAX_ROWS:
        raise too_many_rows(table.num_rows, filename)
    first = dialect.header_record - 1
    index = pd.RangeIndex(first, first + table.num_rows)
    return list(table.columns), index


def _ragged(odd: list[tuple[int, int]], dialect: Dialect, filename: str) -> SchemaError:
    """The error for rows that are longer or shorter than the header."""
    row, found = odd[0]
    width = len(dialect.header)
    others = len(odd) - 1
    rows = "row" if others == 1 else "rows"
    more = f" (and {others:,} more {rows} like it)" if others else ""
    hint = "Every row needs one value per column; empty ones too."
    if found > width and dialect.delimiter == ",":
        hint = (
            "If numbers have decimal commas, separate the columns by semicolons; "
            "text that contains commas needs quotes."
        )
    return SchemaError(
        f"Row {row} of {filename} has {found} values, but the header names {width} "
        f"columns{more}.",
        hint=hint,
        where=f"{filename}, row {row}",
    )
