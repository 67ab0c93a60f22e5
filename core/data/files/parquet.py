"""Parquet: read what was uploaded, and keep tables in a project."""

import io
import os
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.data.cells.carried import carry
from core.data.files.columns import column_names, table, typed_texts
from core.data.files.limits import (
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_TEXT_BYTES,
    MAX_UNPACKED_BYTES,
)
from core.errors import SchemaError, WorkspaceError
from core.text.languages.language import marked
from core.text.sentences import listed

#: Key in the metadata of a file that Mixwright wrote.
_MARK = b"mixwright"
_DAMAGED = "Export it again, or save it as CSV or XLSX."


def read_parquet(data: bytes, filename: str) -> pd.DataFrame:
    """Table from the bytes of a Parquet file made elsewhere.

    Raises:
        SchemaError: The file is damaged, too large, or has nested columns.
    """
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        _check_size(file, filename)
        names = [name for name in file.schema_arrow.names if not _is_index(name)]
        column_names(names, filename)  # doubled ones, before they are asked for
        arrow = _read_packed(data, file.schema_arrow, filename)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SchemaError(
            f"{filename} is a damaged Parquet file.", hint=_DAMAGED, where=filename
        ) from error
    columns = [plain_column(arrow.column(name), name, filename) for name in names]
    index = pd.RangeIndex(arrow.num_rows)
    columns, readings = typed_texts(columns)
    return table(column_names(names, filename), columns, index, filename, readings)


def write_table(frame: pd.DataFrame, file: BinaryIO) -> None:
    """Write a table into an open file, as `read_table` reads it."""
    arrow = pa.Table.from_pandas(frame)
    arrow = arrow.replace_schema_metadata({**arrow.schema.metadata, _MARK: b"table"})
    pq.write_table(arrow, file, compression="zstd")


def save_table(frame: pd.DataFrame, path: Path) -> None:
    """Keep a table as Parquet; readers see the old file or the new one, whole."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            write_table(frame, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def is_kept(path: Path) -> bool:
    """Whether a file says that `write_table` wrote it."""
    try:
        return _MARK in (pq.read_schema(path).metadata or {})
    except (pa.ArrowException, OSError, ValueError):
        return False


def read_table(path: Path) -> pd.DataFrame:
    """A table kept by `save_table`, with its row numbers.

    Raises:
        WorkspaceError: The file is missing or damaged.
    """
    if not path.is_file():
        raise WorkspaceError(
            f"The project's table {path.name} is missing.",
            hint="Load the file again on the Data screen.",
            where=str(path),
        )
    try:
        # Not pq.read_table: it loads the part of pyarrow that reads whole folders.
        return carry(pq.ParquetFile(path).read().to_pandas())
    except (pa.ArrowException, OSError, ValueError) as error:
        raise WorkspaceError(
            f"The project's table {path.name} is damaged.",
            hint="Load the file again on the Data screen.",
            where=str(path),
        ) from error


def _is_index(name: str) -> bool:
    """Whether a column is the nameless row index of pandas."""
    return name.startswith("__index_level_")


def _check_size(file: pq.ParquetFile, filename: str) -> None:
    """Refuse what would not fit, before reading it."""
    meta = file.metadata
    width = len(file.schema_arrow)
    groups = (meta.row_group(at) for at in range(meta.num_row_groups))
    unpacked = sum(group.total_byte_size for group in groups)
    if meta.num_rows > MAX_ROWS:
        size, limit = f"{meta.num_rows:,} rows", f"{MAX_ROWS:,}"
    elif width > MAX_COLUMNS:
        size, limit = f"{width:,} columns", f"{MAX_COLUMNS:,}"
    elif meta.num_rows * width > MAX_CELLS:
        size, limit = f"{meta.num_rows * width:,} cells", f"{MAX_CELLS:,}"
    elif unpacked > MAX_UNPACKED_BYTES:
        size, limit = f"{unpacked / 1024**3:.1f} GB unpacked", "2 GB"
    else:
        return
    raise _too_large(filename, size, limit)


def _read_packed(data: bytes, schema: pa.Schema, filename: str) -> pa.Table:
    """The table, its texts kept as numbers into a dictionary until they are measured.

    A text that a dictionary holds once takes next to nothing in the file, however
    long it is and however many rows have it.
    """
    texts = [
        field.name
        for field in schema
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
    ]
    arrow = pq.ParquetFile(io.BytesIO(data), read_dictionary=texts).read()
    unpacked = sum(
        _unpacked(chunk) for name in texts for chunk in arrow.column(name).chunks
    )
    if unpacked > MAX_TEXT_BYTES:
        text = f"{unpacked / 1024**2:,.0f} MB of text"
        raise _too_large(filename, text, f"{MAX_TEXT_BYTES / 1024**2:,.0f} MB")
    return arrow


def _unpacked(chunk: pa.Array) -> int:
    """Bytes of a column's texts, each counted as often as it occurs."""
    if not pa.types.is_dictionary(chunk.type):
        return chunk.nbytes
    lengths = pc.binary_length(chunk.dictionary)
    return pc.sum(pc.cast(lengths.take(chunk.indices), pa.int64())).as_py() or 0


def _too_large(filename: str, size: str, limit: str) -> SchemaError:
    return SchemaError(
        f"{filename} has {size}; the limit is {limit}.",
        hint="Keep only the columns the model needs, one row per geo and week.",
        where=filename,
    )


def _said(kind: pa.DataType) -> str:
    """What the cells of a column hold that is neither number, date nor text."""
    if pa.types.is_struct(kind):
        fields = [kind.field(at).name for at in range(kind.num_fields)]
        shown = listed(fields, limit=5)
        return f"several fields in each cell ({shown})"
    if pa.types.is_binary(kind):
        return marked("binary data")
    return marked("a list in each cell")


def _nested(kind: str, name: str, filename: str) -> SchemaError:
    """The error for cells that hold what no cell of a table holds."""
    return SchemaError(
        f"Column {name} of {filename} holds {kind}, not numbers, dates or text.",
        hint="Write the file again without it, or with a column for each of its parts.",
        where=f"{filename}, column {name}",
    )


def plain_column(column: pa.ChunkedArray, name: str, filename: str) -> pd.Series:
    """A column of numbers, booleans, dates or text.

    Raises:
        SchemaError: Its values have no place in a table of numbers, dates and text.
    """
    try:
        return _plain(column, name, filename)
    except MemoryError:
        raise
    except (pa.ArrowException, ArithmeticError, LookupError, ValueError) as error:
        zone = getattr(column.type, "tz", None)
        reason = f"the time zone {zone} is unknown" if zone else str(error)[:120]
        raise SchemaError(
            f"Column {name} of {filename} cannot be read as {column.type}: {reason}.",
            hint="Write plain dates, numbers or text.",
            where=f"{filename}, column {name}",
        ) from error


def _plain(column: pa.ChunkedArray, name: str, filename: str) -> pd.Series:
    """A column of numbers, booleans, dates or text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_uint64(kind):
        # Beyond 63 bits they are identifiers, and a float would make two of them one.
        most = pc.max(column).as_py() or 0
        column = column.cast(pa.int64() if most < 2**63 else pa.large_string())
    elif pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s"))
    elif pa.types.is_timestamp(kind) and kind.tz:
        local = pd.Series(column.to_pandas()).dt.tz_localize(None)
        return local
    elif pa.types.is_boolean(kind) and column.null_count:
        column = column.cast(pa.float64())
    elif pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise _nested(_said(kind), name, filename)
    return pd.Series(column.to_pandas())
