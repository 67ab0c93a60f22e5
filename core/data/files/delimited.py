"""CSV and TSV: encoding and delimiter are sniffed, then it is read.

Every cell is read as text first and a column becomes numbers only when all of it is,
so that no value is bent on the way in.
"""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from core.data.cells.scales import title_scale
from core.data.files.columns import (
    column_names,
    dates_across,
    is_value,
    looks_like_data,
    table,
    typed_columns,
)
from core.data.files.encoding import SAVE_AS, as_utf8
from core.data.files.limits import MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from core.data.reading.headers.header_rows import with_group_names, with_rows_below
from core.data.reading.headers.repeated_headers import (
    Headers,
    keep_in_mind,
    repeated_rows,
)
from core.errors import SchemaError
from core.text import count
from core.text.languages.language import marked

_RULE = re.compile(r"^[\s|]*[-=+][-=+| :]{5,}$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
#: Rules, and columns between bars, at least.
_RULES, _BARS = 2, 3
#: Share of the lines with text that are rows.
_ROWS = 0.5
_SAMPLE = 64 * 1024
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 512 * 1024
_SAMPLE_ROWS = 400
#: Lines below a table, at most.
_NOTES = 30
#: Further rows of one other width from which on they may be another table.
_SECOND = 10
#: From so many columns on, a row with its first cell alone is a title.
_TITLED = 3
#: One row must fit into a block.
_BLOCK_BYTES = 8 * 1024**2


#: A text as a formula, and a digit behind the mark of a text.
_KEPT = r"^\s*(?:=\"([^\"]*)\"|'([0-9][0-9.,:/ -]*))\s*$"


#: A row of names, each between apostrophes: 'date','TV spend'.
_QUOTED_ONCE = re.compile(r"^\s*'[^']*[^\W\d][^']*'(?:[,;\t|]'[^']*[^\W\d][^']*')+\s*$")


@dataclass(frozen=True)
class Dialect:
    """How a text file is laid out.

    Attributes:
        delimiter: What separates columns.
        header: The names in the header row.
        header_record: The header's row, counted from one.
        skip_lines: Physical lines up to and including the header.
        above: Lines above the header.
        lines: The row of names, and that of groups above or units below it.
        quote: What stands around texts.
    """

    delimiter: str
    header: tuple[str, ...]
    header_record: int
    skip_lines: int
    above: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    quote: str = '"'


def read_delimited(data: bytes, filename: str) -> pd.DataFrame:
    """Table from the bytes of a CSV or TSV file.

    Raises:
        SchemaError: The text is not a table.
    """
    data = without_rules(as_utf8(data, filename))
    dialect = sniff(data, filename)
    _check_size(data, dialect, filename)
    names = column_names([_typed_in(name) for name in dialect.header], filename)
    texts, index, below = _cells(data, dialect, filename)
    if b'="' in data or b"'" in data:
        texts = [_as_typed(text) for text in texts]
    headers = Headers(dialect.lines, dialect.above, filename)
    is_out = repeated_rows(texts, headers, int(index[0]) + 2 if len(index) else 0)
    if is_out.any():
        texts = [text.filter(pa.array(~is_out)) for text in texts]
        index = index[~is_out]
    columns, readings = typed_columns(texts)
    frame = table(names, columns, index, filename, readings)
    keep_in_mind(frame, headers, dialect.header_record, 1)
    if below:
        frame.attrs["notes_below"] = below
    frame.attrs["title_scale"] = title_scale(dialect.above)
    return frame


def _as_typed(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cells without what keeps a spreadsheet from reading them as numbers or dates.

    Exports write `="0012"` and `'2024-01-02` for it; both show what stands within.
    """
    if not pc.any(pc.match_substring_regex(text, _KEPT)).as_py():
        return text
    return pc.replace_substring_regex(text, _KEPT, r"\1\2")


def _typed_in(name: str) -> str:
    """One name, as `_as_typed` has cells."""
    return re.sub(_KEPT, r"\1\2", name)


def sniff(data: bytes, filename: str) -> Dialect:
    """Delimiter and header of UTF-8 text.

    Raises:
        SchemaError: No delimiter separates columns.
    """
    sample = data[:_SAMPLE_BYTES].decode("utf-8", errors="ignore")
    if len(data) > _SAMPLE_BYTES:
        sample = sample[: sample.rfind("\n") + 1] or sample
    quote = _quote_of(sample)
    named = [mark for mark in _DELIMITERS if sample.lower().startswith(f"sep={mark}")]
    best, best_score = None, (False, 0.0, 0)
    for delimiter in named[:1] or _DELIMITERS:
        rows, lines = _sample_rows(sample, delimiter, quote)
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
    above = tuple(" ".join(row) for row in rows[:at])
    names = rows[at]  # above dates side by side stand their months, which they say
    if at and not dates_across(rows[at]):
        names = with_group_names(rows[at - 1], rows[at])
    header = [rows[at]] if names == rows[at] else [rows[at], rows[at - 1]]
    if len(rows) > at + 2 and len(rows[at + 1]) == width:
        below = with_rows_below([names, *rows[at + 1 : at + 5]])
        if below is not None:
            names, n = below
            at, header = at + n, rows[at : at + n + 1]
    plain = tuple(tuple(cell.strip() for cell in row) for row in header)
    return Dialect(delimiter, tuple(names), at + 1, lines[at], above, plain, quote)


def _quote_of(sample: str) -> str:
    """What stands around texts: an apostrophe, if a row of names has it around each."""
    rows = sample.splitlines()[:_NOTES]
    return "'" if any(map(_QUOTED_ONCE.match, rows)) else '"'


def _sample_rows(
    sample: str, delimiter: str, quote: str
) -> tuple[list[list[str]], list[int]]:
    """First rows, and the physical line on which each ends."""
    text = io.StringIO(sample, newline="")
    reader = csv.reader(text, delimiter=delimiter, quotechar=quote)
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
    across = [at for at, row in enumerate(rows[:30]) if dates_across(row)]
    if across:  # whatever stands above them: a title, or their months
        return across[0]
    for at, row in enumerate(rows[:30]):
        if len(row) != width or not any(row) or looks_like_data(row):
            continue
        if width < _TITLED or any(row[1:]):  # `Report (in TEUR),,,` is a title
            return at
    return next(at for at, row in enumerate(rows) if any(row))


def _one_column(sample: str, filename: str) -> SchemaError:
    """The error for text without a known delimiter."""
    lines = [line for line in sample.splitlines()[:20] if line.strip()]
    if _are_quoted(lines):
        return SchemaError(
            f"{filename} has one column only: each row stands in quotation marks as a "
            f"whole.",
            hint="Export it again, or remove the quotation marks around the rows: they "
            "come from saving the text as one column of a spreadsheet.",
            where=filename,
        )
    suspects = {":": "colons", "^": "carets", "~": "tildes", "#": "hash signs"}
    for mark, name in suspects.items():
        counts = {line.count(mark) for line in lines}
        if len(counts) == 1 and counts != {0}:
            reason = f"it seems to be separated by {name}"
            break
    else:
        spaced = lines and all(len(line.split()) > 1 for line in lines)
        reason = (
            marked("it seems to be separated by spaces")
            if spaced
            else marked(
                "no comma, semicolon, tab or vertical bar separates its columns"
            )
        )
    return SchemaError(
        f"{filename} has one column only: {reason}.", hint=SAVE_AS, where=filename
    )


def _are_quoted(lines: list[str]) -> bool:
    """Whether each row is one quoted cell, whose text is a row of several cells."""
    inner = [line.strip()[1:-1] for line in lines if line.strip()[:1] == '"']
    counts = ({text.count(mark) for text in inner} for mark in _DELIMITERS)
    return len(inner) == len(lines) > 1 and any(0 not in numbers for numbers in counts)


def _check_size(data: bytes, dialect: Dialect, filename: str) -> None:
    """Refuse more rows or columns than the limits before parsing."""
    width = len(dialect.header)
    if width > MAX_COLUMNS:
        raise SchemaError(
            f"{filename} has {width:,} columns; the limit is {MAX_COLUMNS:,}.",
            hint="Keep only the columns the model needs.",
            where=filename,
        )
    n_rows = data.count(b"\n") - dialect.skip_lines
    if dialect.quote.encode() not in data and n_rows > MAX_ROWS:
        raise too_many_rows(n_rows, filename)
    if min(n_rows, MAX_ROWS) * width > MAX_CELLS:
        raise SchemaError(
            f"{filename} has {n_rows:,} rows of {width:,} columns, which is too large.",
            hint="Keep only the columns the model needs.",
            where=filename,
        )


def too_many_rows(n_rows: int, filename: str) -> SchemaError:
    """The error for a table with more rows than the limit."""
    return SchemaError(
        f"{filename} has {n_rows:,} rows; the limit is {MAX_ROWS:,}.",
        hint="Sum the rows to one per geo and week.",
        where=filename,
    )


def _cells(
    data: bytes, dialect: Dialect, filename: str
) -> tuple[list[pa.ChunkedArray], pd.Index, list[str]]:
    """Columns of text, the index (the file's row less two), and lines below them."""
    odd: list[tuple[int, int, str]] = []

    def keep_in_mind(row: pa_csv.InvalidRow) -> str:
        if len(odd) < 1000:
            odd.append((row.number or 0, row.actual_columns, row.text or ""))
        return "skip"

    quoted = dialect.quote.encode() in data
    names = [str(position) for position in range(len(dialect.header))]
    options = pa_csv.ReadOptions(
        use_threads=False,
        block_size=_BLOCK_BYTES,
        skip_rows=dialect.skip_lines,
        column_names=names,
    )
    parse = pa_csv.ParseOptions(
        delimiter=dialect.delimiter,
        quote_char=dialect.quote,
        newlines_in_values=quoted,
        ignore_empty_lines=False,
        invalid_row_handler=keep_in_mind,
    )
    convert = pa_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.large_string()),
        strings_can_be_null=True,
        null_values=[""],
    )
    if len(data) < _SAMPLE_BYTES and not data.endswith((b"\n", b"\r")):
        data += b"\n"
    try:
        table = pa_csv.read_csv(pa.BufferReader(data), options, parse, convert)
    except pa.ArrowInvalid as error:
        raise SchemaError(
            f"{filename} cannot be read as a table.",
            hint=f'A quote (") may be opened and never closed. {SAVE_AS}',
            where=filename,
        ) from error
    shift = dialect.header_record - dialect.skip_lines
    odd = [(row + shift, *about) for row, *about in odd]
    if odd and not _are_below(odd, table, dialect):
        raise _ragged(odd, dialect, filename, has_quotes=quoted)
    if table.num_rows > MAX_ROWS:
        raise too_many_rows(table.num_rows, filename)
    index = pd.RangeIndex(table.num_rows) + (dialect.header_record - 1)
    below = [text.replace(dialect.delimiter, " ").strip('" ') for *_, text in odd]
    return list(table.columns), index, below


def _are_below(
    odd: list[tuple[int, int, str]], table: pa.Table, dialect: Dialect
) -> bool:
    """Whether lines that are too short are notes: few, and after the last whole row."""
    if len(odd) > _NOTES or any(width >= len(dialect.header) for _, width, _ in odd):
        return False
    for *_, text in odd:
        first, *rest = (cell.strip('" ') for cell in text.split(dialect.delimiter))
        values = [first] if first.endswith(":") else [first, *rest]
        if any(map(is_value, values)):  # a row of data that was cut off
            return False
    tail = table.slice(max(0, table.num_rows - _NOTES)).to_pandas()
    whole = np.flatnonzero(tail.notna().sum(axis=1) > 1)
    if not len(whole):
        return False
    last = table.num_rows - len(tail) + int(whole[-1])
    return min(row for row, *_ in odd) > dialect.header_record + 1 + last


def _ragged(
    odd: list[tuple[int, int, str]],
    dialect: Dialect,
    filename: str,
    *,
    has_quotes: bool,
) -> SchemaError:
    """The error for rows that are longer or shorter than the header."""
    row, n_values, _ = odd[0]
    width = len(dialect.header)
    others = len(odd) - 1
    noun = "row" if others == 1 else "rows"
    more = f" (and {others:,} more {noun} like it)" if others else ""
    hint = "Every row needs one value per column; empty ones too."
    if n_values > width and dialect.delimiter == ",":
        hint = (
            "If numbers have decimal commas, separate the columns by semicolons; "
            "text that contains commas needs quotes."
        )
    if others >= _SECOND and len({values for _, values, _ in odd}) == 1:
        hint += " If another table begins there, put it in a file of its own."
    if n_values < width and has_quotes:
        hint += marked(
            ' A quote (") that is opened and never closed swallows what follows.'
        )
    return SchemaError(
        f"Row {row} of {filename} has {count(n_values, 'value')}, but the header names "
        f"{count(width, 'column')}{more}.",
        hint=hint,
        where=f"{filename}, row {row}",
    )


def without_rules(data: bytes) -> bytes:
    """UTF-8 text without rules, pages and their headers; as it is where it has none.

    SAP saves tables so: each page repeats the header between two rules, and each line
    begins and ends with a bar.
    """
    if not _is_list(data[:_SAMPLE].decode("utf-8", errors="ignore").splitlines()):
        return data
    header, rows = "", []
    for line in data.decode("utf-8", errors="replace").splitlines():
        if not _ROW.match(line) or _RULE.match(line):
            continue
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        row = "|".join(cells)
        if row != header:
            rows.append(row)
        header = header or row
    return "\n".join(rows).encode()


def _is_list(lines: list[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    rules = sum(bool(_RULE.match(line)) for line in filled)
    rows = [line for line in filled if _ROW.match(line) and not _RULE.match(line)]
    barred = [line for line in rows if line.count("|") >= _BARS]
    texts = len(filled) - rules
    # A rule of a Markdown table has bars, too.
    has_rules = rules >= _RULES or (rules == 1 and bool(rows) and rows[0] == filled[0])
    return has_rules and len(barred) > _ROWS * texts
