"""Loading: from a CSV, TSV, XLSX or Parquet file to a table, whatever its name says.

What a file is follows from its first bytes; its name is only used in messages.

Archives: the tables in a zip file.
"""

import io
import os
import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from core.data.cells.scales import scaled
from core.data.files.columns import dates_across, months_across
from core.data.files.delimited import read_delimited
from core.data.files.limits import HARMLESS_BYTES, MAX_BYTES, MAX_RATIO, TABLES
from core.data.files.parquet import read_parquet
from core.data.files.spreadsheet import read_spreadsheet
from core.data.files.workbook import cells_of, tables_of
from core.errors import SchemaError
from core.text.languages.language import marked

_SAVE_AS = "Save it as CSV, XLSX or Parquet."

_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b\x08"
#: What a TAR archive has after the name of its first file.
_TAR, _TAR_AT = b"ustar", 257
#: How an archive of nothing begins, and the stream of a workbook with a password.
_EMPTY_ZIP, _LOCKED = b"PK\x05\x06", "EncryptedPackage".encode("utf-16-le")
#: How a DuckDB file begins, after its checksum of eight bytes.
_DUCKDB, _DUCKDB_AT = b"DUCK", 8
#: First bytes of files that are not tables, and what they are.
_NOT_TABLES = (
    (b"\xd0\xcf\x11\xe0", marked("a workbook in the old XLS format")),
    (b"%PDF", marked("a PDF document")),
    (b"\x89PNG", marked("an image")),
    (b"\xff\xd8\xff", marked("an image")),
    (b"GIF8", marked("an image")),
    (b"BZh", marked("a compressed file (bzip2)")),
    (b"\xfd7zXZ", marked("a compressed file (xz)")),
    (b"7z\xbc\xaf", marked("a compressed file (7z)")),
    (b"\x28\xb5\x2f\xfd", marked("a compressed file (zstd)")),
    (b"Rar!", marked("a compressed file (rar)")),
    (b"ARROW1", marked("a Feather file")),
    (b"SQLite format 3", marked("an SQLite database")),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"{\\rtf", marked("a text document (RTF)")),
)


#: Texts that programs and people put beside tables: README.txt, license_en.txt.
_ABOUT = re.compile(
    "(?:read[ _-]?me|lies[ _-]?mich|lisez[ _-]?moi|l[eé]ame|leggimi|licen[sc]e|lizenz|"
    "copying|notice|change[ _-]?log|release[ _-]?notes|notes?|notizen?|info|about|"
    "disclaimer|terms|manifest|legal|version)(?![a-z])",
    re.IGNORECASE,
)

Source = Path | bytes | io.BufferedIOBase


def load_table(source: Source, filename: str, part: str | None = None) -> pd.DataFrame:
    """Table of an uploaded file: its original columns, as numbers, dates or text.

    A leading index column, blank columns and blank rows are left out. The index is
    the row of the file less two (see `core.data.files.columns.row_numbers`). Thousands
    and other scales that a header states are applied (`core.data.cells.scales`).

    Args:
        source: A path, the bytes, or an open binary file.
        filename: The name to use in messages.
        part: The sheet of a workbook, or the file in a zip archive; None for the
            only sheet with a table, or the only file.

    Raises:
        SchemaError: The file is not a table, or is too large.
    """
    data = _bytes(source, filename)
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise SchemaError(
            f"{filename} is empty.",
            hint="Choose a file with a row of column names and one row per week.",
            where=filename,
        )
    if data.startswith(_GZIP):
        name = filename.removesuffix(".gz")
        return load_table(_gunzipped(data, filename), name, part)
    _refuse(data, filename)
    if data.startswith(_ZIP):
        if members(data):
            name, content = unpacked(data, filename, part)
            return load_table(content, f"{filename}/{name}")
        return _in_units(read_spreadsheet(data, filename, part), filename)
    if data.startswith(b"PAR1"):
        return _in_units(read_parquet(data, filename), filename)
    return _in_units(read_delimited(data, filename), filename)


def _gunzipped(data: bytes, filename: str) -> bytes:
    """The file that gzip has packed, as far as it may go.

    Raises:
        SchemaError: It is damaged, too large, or holds several files.
    """
    content, rest = b"", data
    while rest.startswith(_GZIP) and len(content) <= MAX_BYTES:  # one after the other
        unpacker = zlib.decompressobj(wbits=31)
        try:
            content += unpacker.decompress(rest, MAX_BYTES + 1 - len(content))
        except zlib.error as error:
            raise _broken_off(filename) from error
        if not unpacker.eof and len(content) <= MAX_BYTES:
            raise _broken_off(filename)
        rest = unpacker.unused_data
    if len(content) > MAX_BYTES:
        raise SchemaError(
            f"{filename} unpacks to more than {MAX_BYTES // 1024**2} MB.",
            hint="Sum it to one row per geo and week, or save it as Parquet.",
            where=filename,
        )
    if content[_TAR_AT:].startswith(_TAR) or content.startswith(_GZIP):
        raise SchemaError(
            f"{filename} holds an archive (TAR), not a table.",
            hint="Unpack it, and choose the tables in it.",
            where=filename,
        )
    return content


def _broken_off(filename: str) -> SchemaError:
    return SchemaError(
        f"{filename} is damaged: it cannot be unpacked to its end.",
        hint="Export or copy it again.",
        where=filename,
    )


def _in_units(frame: pd.DataFrame, filename: str) -> pd.DataFrame:
    """The table in whole units, unless its columns are dates: names of money are rows.

    `core.data.layout.shapes` turns it, and sees to its units then.
    """
    names = [str(name) for name in frame.columns]
    across = dates_across(names) or months_across(names)
    return frame if across else scaled(frame, filename)


def parts_of(source: Source, filename: str) -> tuple[str, ...]:
    """Sheets of a workbook that have tables, or tables in a zip archive.

    Empty where the file is one table, or none that can be read: `load_table` says why.

    Raises:
        SchemaError: The file is missing or too large.
    """
    data = _bytes(source, filename)
    if not data.startswith(_ZIP):
        return ()
    return members(data) or tables_of(data, filename)


def workbook_cells(source: Source, filename: str) -> list[dict[str, Any]]:
    """The cells of a small workbook, see `core.data.files.workbook.cells_of`.

    Raises:
        SchemaError: The file is no XLSX workbook, is damaged, missing or too large.
    """
    data = _bytes(source, filename)
    if not data.startswith(_ZIP):
        raise SchemaError(
            f"{filename} is not an XLSX workbook.",
            hint="Save it as XLSX.",
            where=filename,
        )
    return cells_of(data, filename)


def _bytes(source: Source, filename: str) -> bytes:
    """The content of the file, if it is within the limit."""
    if isinstance(source, bytes):
        size, data = len(source), source
    elif isinstance(source, Path):
        if not os.path.isfile(source):
            raise SchemaError(
                f"There is no file {source.name[:80]}.",
                hint="Check the path.",
                where=filename,
            )
        before = source.stat()
        size = before.st_size
        data = source.read_bytes() if size <= MAX_BYTES else b""
        after = source.stat()
        if (size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise SchemaError(
                f"{filename} was changed while it was read.",
                hint="Wait until the program that writes it is done, then try again.",
                where=filename,
            )
    else:
        data = source.read(MAX_BYTES + 1)
        size = len(data)
    if size > MAX_BYTES:
        raise SchemaError(
            f"{filename} is larger than {MAX_BYTES // 1024**2} MB.",
            hint="Sum it to one row per geo and week, or save it as Parquet.",
            where=filename,
        )
    return data


def _refuse(data: bytes, filename: str) -> None:
    """Name the files that people upload by mistake."""
    if data.startswith(_EMPTY_ZIP):
        raise SchemaError(
            f"{filename} is an archive without any file.",
            hint="Put CSV, XLSX or Parquet files into the archive, or choose the table "
            "itself.",
            where=filename,
        )
    if data.startswith(_NOT_TABLES[0][0]) and _LOCKED in data:
        raise SchemaError(
            f"{filename} is protected by a password.",
            hint="Open it in a spreadsheet program and save it without one.",
            where=filename,
        )
    if data[_DUCKDB_AT:].startswith(_DUCKDB):
        raise _mistaken(filename, marked("a DuckDB database"))
    for magic, kind in _NOT_TABLES:
        is_text = len(magic) < 4 and b"\0" not in data[:2000]
        if data.startswith(magic) and not is_text:
            raise _mistaken(filename, kind)
    start = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<table", b"<meta", b"<head")):
        raise _mistaken(filename, marked("a web page (HTML)"))
    if start.startswith((b"<?xml", b"<")):
        raise _mistaken(filename, marked("an XML document"))
    if start.startswith((b"{", b"[")):
        raise _mistaken(filename, marked("a JSON document"))


def _mistaken(filename: str, kind: str) -> SchemaError:
    hint = f"Open it in the program it came from. {_SAVE_AS}"
    if "compressed" in kind:
        hint = "Unpack it first."
    elif "SQLite" in kind:
        hint = (
            "Read it with a query: on the Data screen, or with --query and --database "
            "NAME=sqlite:FILE."
        )
    elif "DuckDB" in kind:
        hint = "Save the table that you need from it as Parquet or CSV."
    elif "XLS" in kind or "web page" in kind or "XML" in kind:
        hint = "Open it in a spreadsheet program and save it again as XLSX or CSV."
    return SchemaError(f"{filename} is {kind}, not a table.", hint=hint, where=filename)


#: Files in an archive that can be tables.
_TABLES = tuple(f".{ending}" for ending in TABLES)


def members(data: bytes) -> tuple[str, ...]:
    """Names of the tables in a zip archive; none for workbooks, which are zips too."""
    try:
        names = [m.filename for m in zipfile.ZipFile(io.BytesIO(data)).infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ()
    if "[Content_Types].xml" in names or "mimetype" in names:
        return ()
    tables = [
        name
        for name in names
        if PurePosixPath(name).suffix.lower() in _TABLES and "__MACOSX" not in name
    ]
    return tuple(name for name in tables if not _is_about(name)) or tuple(tables)


def _is_about(name: str) -> bool:
    """Whether a text in an archive is about the tables beside it, by its name."""
    path = PurePosixPath(name)
    return path.suffix.lower() == ".txt" and bool(_ABOUT.match(path.stem))


def unpacked(data: bytes, filename: str, part: str | None) -> tuple[str, bytes]:
    """The name and the content of one table in a zip archive.

    Raises:
        SchemaError: There are several and none was chosen, or it is too large.
    """
    tables = members(data)
    shown = ", ".join(tables[:8])
    if part is None and len(tables) > 1:
        raise SchemaError(
            f"{filename} holds {len(tables)} tables: {shown}.",
            hint="Choose one of them.",
            where=filename,
        )
    name = part or tables[0]
    archive = zipfile.ZipFile(io.BytesIO(data))
    if name not in archive.namelist():
        raise SchemaError(
            f"{filename} has no file {name}.",
            hint=f"It has {shown}.",
            where=filename,
        )
    member = archive.getinfo(name)
    ratio = member.file_size / max(1, member.compress_size)
    if member.file_size <= MAX_BYTES and (
        ratio > MAX_RATIO and member.file_size > HARMLESS_BYTES
    ):
        raise SchemaError(
            f"{name} in {filename} unpacks to {ratio:,.0f} times its size, as no table "
            "of numbers does.",
            hint="Unpack the archive yourself and load the table.",
            where=filename,
        )
    if member.file_size > MAX_BYTES:
        raise SchemaError(
            f"{name} in {filename} unpacks to {member.file_size / 1024**2:,.0f} MB.",
            hint=f"The limit is {MAX_BYTES // 1024**2} MB: keep only the columns and "
            "dates that you need.",
            where=filename,
        )
    try:
        content = archive.read(name)
    except (zipfile.BadZipFile, RuntimeError, OSError, NotImplementedError) as error:
        raise SchemaError(
            f"{name} in {filename} cannot be unpacked.",
            hint="Unpack the archive yourself and load the table.",
            where=filename,
        ) from error
    return name, content
