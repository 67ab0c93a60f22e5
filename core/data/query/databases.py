"""Databases of a query: made known to DuckDB before it runs.

SQLite files are read with Python's sqlite3 and workbooks as uploads are, so that
neither needs a download; of both, only the tables that the query names are read.
Postgres and MySQL are reached by DuckDB's extensions, read only.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from core.data.query.definition import FILES, Database
from core.errors import DataError, SchemaError

if TYPE_CHECKING:
    import duckdb

_BATCH = 50_000


def attach(
    connection: "duckdb.DuckDBPyConnection",
    database: Database,
    string: str | None,
    sql: str,
    folders: Sequence[str] | None,
) -> None:
    """Make a database's tables known to the connection.

    Raises:
        SchemaError: It cannot be reached; the message says which and why.
    """
    try:
        if database.kind in FILES:
            connection.execute(f'CREATE SCHEMA "{database.name}"')
            path = _place(database, folders)
            copy = _copy_sqlite if database.kind == "sqlite" else _copy_workbook
            copy(connection, database, path, sql)
            return
        connection.execute(f"INSTALL {database.kind}")
        connection.execute(f"LOAD {database.kind}")
        connection.execute(
            f'ATTACH {quoted(string or "")} AS "{database.name}" '
            f"(TYPE {database.kind}, READ_ONLY)"
        )
    except DataError:
        raise
    except Exception as error:  # sqlite3's and DuckDB's
        raise _unreachable(database, str(error)) from error


def _place(database: Database, folders: Sequence[str] | None) -> Path:
    """The file of a database, inside the folders."""
    named = Path(os.path.expanduser(database.file or ""))
    for folder in [Path.cwd()] if folders is None else map(Path, folders):
        path = (folder / named).resolve()
        inside = folders is None or path.is_relative_to(folder.resolve())
        if inside and path.is_file():
            return path
    shown = ", ".join(folders) if folders else "this folder"
    raise SchemaError(
        f"Database {database.name} cannot be reached: there is no file "
        f"{database.file} in {shown}.",
        hint="Check the path. A project's query reads files from the folders in "
        "MIXWRIGHT_DATA only.",
        where=f"database {database.name}",
    )


def _copy_sqlite(
    connection: "duckdb.DuckDBPyConnection", database: Database, path: Path, sql: str
) -> None:
    """The tables and views of a SQLite file that the query names, as they are."""
    with contextlib.closing(
        sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    ) as db:
        master = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        names = [name for (name,) in db.execute(master)]
        for name in _named(names, sql):
            for batch in _batches(db, name):
                _insert(connection, f'"{database.name}"."{name}"', batch)


def _batches(db: sqlite3.Connection, name: str) -> Iterator[pa.Table]:
    """The rows of a table; at least one batch, so that its columns are known.

    SQLite's types are the cells', not the columns': a column with any text is text,
    every other is numbers.
    """
    cursor = db.execute(f'SELECT * FROM "{name}"')
    columns = [entry[0] for entry in cursor.description]
    quoted_names = ['"' + column.replace('"', '""') + '"' for column in columns]
    tests = [f"max(typeof({column}) IN ('text', 'blob'))" for column in quoted_names]
    is_text = db.execute(f'SELECT {", ".join(tests)} FROM "{name}"').fetchone()
    rows = cursor.fetchmany(_BATCH)
    while True:
        cells = list(zip(*rows, strict=True)) if rows else [() for _ in columns]
        arrays = [
            _array(values, bool(text))
            for values, text in zip(cells, is_text, strict=True)
        ]
        yield pa.table(arrays, names=columns)
        rows = cursor.fetchmany(_BATCH)
        if not rows:
            return


def _array(values: Sequence, is_text: bool) -> pa.Array:
    if not is_text:
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    return pa.array([None if v is None else str(v) for v in values], pa.string())


def _copy_workbook(
    connection: "duckdb.DuckDBPyConnection", database: Database, path: Path, sql: str
) -> None:
    """The sheets of a workbook that the query names, read as uploads are."""
    from core.data.files.spreadsheet import read_spreadsheet  # noqa: PLC0415
    from core.data.files.workbook import sheets_with_tables  # noqa: PLC0415

    data = path.read_bytes()
    for sheet in _named(sheets_with_tables(data, path.name), sql):
        frame = read_spreadsheet(data, path.name, sheet)
        arrow = pa.Table.from_pandas(frame, preserve_index=False)
        _insert(connection, f'"{database.name}"."{sheet}"', arrow)


def _named(names: Sequence[str], sql: str) -> list[str]:
    """The tables whose names stand in the query."""
    text = sql.casefold()
    return [name for name in names if name.casefold() in text and '"' not in name]


def _insert(
    connection: "duckdb.DuckDBPyConnection", name: str, batch: pa.Table
) -> None:
    connection.register("batch", batch)
    connection.execute(f"CREATE TABLE IF NOT EXISTS {name} AS FROM batch LIMIT 0")
    connection.execute(f"INSERT INTO {name} FROM batch")
    connection.unregister("batch")


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _unreachable(database: Database, reason: str) -> SchemaError:
    cause = reason.strip().splitlines()[0].rstrip(".")
    place = database.file or f"the connection string in {database.secret}"
    hint = f"Check {place}."
    if "download extension" in reason:
        cause = f"DuckDB's extension for {database.kind} could not be downloaded"
        hint = (
            "It is fetched once from extensions.duckdb.org. Where that is not "
            f"allowed, install it by hand (INSTALL {database.kind}), or export the "
            "table to CSV or Parquet."
        )
    return SchemaError(
        f"Database {database.name} ({database.kind}) cannot be reached: {cause[:300]}.",
        hint=hint,
        where=f"database {database.name}",
    )
