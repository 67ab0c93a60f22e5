"""Running a query, in the reader's process: streamed, bounded, and nothing written.

DuckDB reads CSV, Parquet and JSON files and folders of them itself; databases are
`core.data.query.databases`.

Secrets: connection strings from the environment or from Streamlit's secrets.
"""

import contextlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from core import to_install
from core.data.cells.scales import scaled
from core.data.files.columns import column_names, table, typed_texts
from core.data.files.limits import MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from core.data.files.parquet import plain_column
from core.data.query.databases import attach, quoted
from core.data.query.definition import CALLED, FILES, Database
from core.errors import DataError, SchemaError

#: Where Streamlit looks for its secrets, the nearest first.
_PLACES = (Path(".streamlit/secrets.toml"), Path("~/.streamlit/secrets.toml"))
#: Parts of a connection string that nobody should see: passwords, and user:password.
_HIDDEN = re.compile(
    r"(?i)(password|passwd|pwd|pass)\s*=\s*('[^']*'|\"[^\"]*\"|[^\s;&]+)"
    r"|(?<=://)[^@/\s]+(?=@)"
)


def secret(name: str, database: str) -> str:
    """The value of a secret.

    Args:
        name: Of an environment variable, or of a key in Streamlit's secrets, with
            dots between its tables: `connections.shop.url`.
        database: Whose it is, for messages.

    Raises:
        SchemaError: There is none.
    """
    if os.environ.get(name):
        return os.environ[name]
    for place in _PLACES:
        value = _in_file(Path(os.path.expanduser(place)), name)
        if value:
            return value
    raise SchemaError(
        f"Database {database} cannot be reached: there is no secret {name}.",
        hint=f"Set the environment variable {name} to its connection string, or add "
        f"{name} to .streamlit/secrets.toml.",
        where=f"database {database}",
    )


def _in_file(path: Path, name: str) -> str:
    try:
        value: Any = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def hidden(message: str, values: list[str]) -> str:
    """A message without secrets, and without passwords in whatever they became."""
    for value in values:
        message = message.replace(value, "…")
        if "=" not in value and "://" not in value:  # another secret than a connection
            for word in filter(lambda word: len(word) > 2, value.split()):
                message = message.replace(word, "…")
        for part in _HIDDEN.finditer(value):
            password = part.group(2) or part.group()
            for piece in {password, password.strip("'\""), password.partition(":")[2]}:
                message = message.replace(piece, "…") if len(piece) > 2 else message
    return _HIDDEN.sub("…", message)


if TYPE_CHECKING:
    import duckdb
    import pandas as pd

_WHERE = "[data] query"
_BATCH = 50_000
#: Memory of DuckDB; the result has to fit into the rest of the reader's.
_MEMORY = "1GB"
#: Disk of DuckDB, where a sort or a group does not fit into its memory.
_DISK = "4GB"
#: A query leaves the other cores to screens and fits, and gives way on its own.
_THREADS, _NICENESS = 1, 10
#: Functions that run a text as SQL, or reach or write what a SELECT does not name.
_DYNAMIC = re.compile(
    "query|query_table|json_execute_serialized_sql|(import|copy)_database"
    "|enable_logging|write_log|.*arrow_scan.*|pandas_scan|sniff_csv"
    "|(postgres|mysql|sqlite|odbc)_(query|execute|scan|scan_pushdown|attach)"
)
#: Functions and views that show how databases are reached, passwords included, or tell
#: a statement whether it has walls.
_REVEALING = re.compile(
    "duckdb_(databases|secrets|settings|logs.*|profiling_settings|prepared_statements)"
    "|which_secret|(pragma_)?database_list|pg_database|pg_settings"
    "|current_setting|getvariable|getenv"
)
_GROUP = "Sum it in the query: one row per date, geo and channel, with GROUP BY."


def query_table(
    path: Path,
    filename: str,
    databases: Sequence[dict] = (),
    folders: Sequence[str] | None = None,
) -> "pd.DataFrame":
    """The table that a query returns.

    Args:
        path: A file that holds the statement.
        filename: What the result is called in messages.
        databases: What it names, as `Database` holds it.
        folders: The only folders whose files may be read, the first of which is where
            relative paths begin; None for every file that this process may read.

    Raises:
        SchemaError: The statement is not one SELECT, names what is not there, or
            returns nothing, too much, or columns that are no table's.
    """
    all_databases = [Database(**entry) for entry in databases]
    strings = {
        database.name: secret(database.secret or "", database.name)
        for database in all_databases
        if database.kind not in FILES
    }
    sql = path.read_text("utf-8")
    os.nice(_NICENESS)  # of the reader, which is a process for this query alone
    try:
        with contextlib.closing(_connection()) as connection:
            _check_select(connection, sql)
            for database in all_databases:
                attach(connection, database, strings.get(database.name), sql, folders)
            _confine(connection, folders)
            return _result(connection, sql, filename)
    except DataError as error:
        raise SchemaError(
            hidden(error.message, list(strings.values())),
            hint=error.hint,
            where=error.where or _WHERE,
        ) from None
    except Exception as error:  # DuckDB's own errors have many bases
        if type(error).__module__ not in ("duckdb", "_duckdb"):
            raise
        raise _refused(hidden(str(error), list(strings.values()))) from None


def _connection() -> "duckdb.DuckDBPyConnection":
    try:
        import duckdb  # noqa: PLC0415  optional, and only in this process
    except ImportError as error:
        raise SchemaError(
            "Queries need DuckDB, which is not installed.",
            hint=to_install("duckdb"),
            where=_WHERE,
        ) from error
    return duckdb.connect(
        config={
            "memory_limit": _MEMORY,
            "max_temp_directory_size": _DISK,
            "threads": _THREADS,
            # A table is never one of this program's variables.
            "python_enable_replacements": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )


def _check_select(connection: "duckdb.DuckDBPyConnection", sql: str) -> None:
    """Refuse what is not one SELECT whose every part can be seen."""
    import duckdb  # noqa: PLC0415

    statements = duckdb.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise SchemaError(
            "The query must be one SELECT statement.",
            hint="Nothing may be changed by it. Write SELECT … FROM …, without a "
            "second statement behind a semicolon.",
            where=_WHERE,
        )
    reply = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    tree = json.loads(reply[0][0])
    if tree.pop("error", False):
        raise SchemaError(
            "The parts of the query cannot be seen.",
            hint="Write it with fewer special forms, as SELECT … FROM …",
            where=_WHERE,
        )
    functions, tables = _named(tree)
    for name in filter(_DYNAMIC.fullmatch, functions):
        raise SchemaError(
            f"The query calls {name}, which can read what the query does not name.",
            hint=f"Write the tables and columns out, without {name}(…).",
            where=_WHERE,
        )
    for name in filter(_REVEALING.fullmatch, functions + tables):
        raise SchemaError(
            f"The query reads {name}, which shows how this server is set up.",
            hint=f"Leave {name} out: a query reads tables.",
            where=_WHERE,
        )


def _named(tree: Any) -> tuple[list[str], list[str]]:
    """Functions and tables of a parsed statement, in small letters."""
    functions, tables = [], []
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, dict):
            functions += [str(node.get("function_name", "")).casefold()]
            tables += [str(node.get("table_name", "")).casefold()]
        inside = node.values() if isinstance(node, dict) else node
        open_nodes += [inner for inner in inside if isinstance(inner, dict | list)]
    return functions, tables


def _confine(
    connection: "duckdb.DuckDBPyConnection", folders: Sequence[str] | None
) -> None:
    """Forbid every file outside the folders, for good; the first is the current one.

    DuckDB checks a relative path against the current folder, whatever its search path.
    """
    if folders is not None:
        here = next(filter(os.path.isdir, folders), None)
        if here is not None:
            os.chdir(here)
        names = ", ".join(quoted(folder) for folder in folders)
        connection.execute(f"SET allowed_directories = [{names}]")
        connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _result(
    connection: "duckdb.DuckDBPyConnection", sql: str, filename: str
) -> "pd.DataFrame":
    """The rows, batch by batch, as long as they are within the limits."""
    relation = connection.sql(sql)
    names = column_names(list(relation.columns), f"The {filename}")
    if len(names) > MAX_COLUMNS:
        raise _too_large(f"{len(names):,} columns", f"{MAX_COLUMNS:,}")
    for name, kind in zip(relation.columns, map(str, relation.types), strict=True):
        if kind == "JSON" or kind.startswith(("STRUCT", "MAP", "UNION")) or "[" in kind:
            raise _json(name, kind)
    batches, n_rows = [], 0
    stream = relation.to_arrow_reader(_BATCH)
    for batch in _batches(stream):
        n_rows += batch.num_rows
        if n_rows > MAX_ROWS or n_rows * len(names) > MAX_CELLS:
            raise _too_large(f"more than {n_rows - 1:,} rows", f"{MAX_ROWS:,} rows")
        batches.append(batch)
    if not n_rows:
        raise SchemaError(
            "The query returns no rows.",
            hint="Check its WHERE and JOIN conditions, and that the files it names "
            "hold data.",
            where=_WHERE,
        )
    arrow = pa.Table.from_batches(batches, stream.schema)
    for name in arrow.column_names:
        if _holds_json(arrow.column(name)):
            raise _json(name, "text")
    columns = [
        plain_column(arrow.column(at), names[at], filename) for at in range(len(names))
    ]
    columns, readings = typed_texts(columns)
    import pandas as pd  # noqa: PLC0415

    return scaled(table(names, columns, pd.RangeIndex(n_rows), filename, readings))


def _batches(stream: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The rows of a statement that runs while they are taken.

    Raises:
        SchemaError: It fails on the way; Arrow hands on DuckDB's errors as its own.
    """
    while True:
        try:
            batch = stream.read_next_batch()
        except StopIteration:
            return
        except (OSError, pa.ArrowException) as error:
            raise _refused(str(error)) from None
        yield batch


def _holds_json(column: pa.ChunkedArray) -> bool:
    """Whether most of the first cells are JSON objects or lists."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    head = column.drop_null().slice(0, 200)
    opens = pc.match_substring_regex(head, r"^\s*(\{.*\}|\[.*\])\s*$")
    return bool(len(head)) and (pc.sum(opens).as_py() or 0) > len(head) / 2


# --- what is said --------------------------------------------------------------------


def _refused(message: str) -> SchemaError:
    """What DuckDB says about a query, without its picture of the place."""
    cause = " ".join(message.split("\n\n")[0].split()).rstrip(".")
    hint = 'Correct the query; names of columns and tables with spaces stand in "".'
    if "disabled by configuration" in message or "file system" in message:
        hint = (
            "A project's query reads files from the folders in MIXWRIGHT_DATA only: "
            "put the file there, or set MIXWRIGHT_DATA to the folder that holds it."
        )
    elif "xlsx" in message.casefold():
        hint = (
            "Name a workbook as a database: --database costs=excel:costs.xlsx, and "
            'read its sheet as costs."Sheet1".'
        )
    elif "Out of Memory" in message:
        hint = _GROUP
    return SchemaError(f"The query failed: {cause[:400]}.", hint=hint, where=_WHERE)


def _too_large(size: str, limit: str) -> SchemaError:
    return SchemaError(
        f"The query returns {size}; the limit is {limit}.", hint=_GROUP, where=_WHERE
    )


def _json(name: str, kind: str) -> SchemaError:
    what = "JSON" if kind in ("JSON", "text") else f"JSON ({kind[:80]})"
    return SchemaError(
        f"Column {name} of the {CALLED} holds {what}, which is neither a number, a "
        "date nor text "
        "of a table.",
        hint=f"Take what you need out of it, such as {name}->>'$.amount', or leave the "
        "column out.",
        where=f"{_WHERE}, column {name}",
    )
