"""`query` and `[[data.database]]` of project.toml: where the table comes from.

[data]
query = "SELECT day, sum(amount) AS revenue FROM shop.orders GROUP BY day"

[[data.database]]
name = "shop"
kind = "postgres"
secret = "SHOP_DATABASE"
"""

from dataclasses import asdict
from typing import Any, get_args

from core.data.query.definition import Database, DatabaseKind, Query
from core.errors import SchemaError
from core.toml.table import TableReader


def query_entries(query: Query) -> dict[str, Any]:
    """A query as keys of `[data]`."""
    databases = [
        {key: value for key, value in asdict(database).items() if value is not None}
        for database in query.databases
    ]
    return {"query": query.sql} | ({"database": databases} if databases else {})


def read_query(data: TableReader) -> Query | None:
    """The query below `[data]`; None where the table comes from files."""
    sql = data.text("query")
    databases = tuple(filter(None, map(_database, data.children("database"))))
    if sql is None:
        if databases:
            hint = "Write query under [data], or delete [[data.database]]."
            data.problem(f"{data.title} has databases but no query.", hint, "database")
        return None
    try:
        return Query(sql, databases)
    except SchemaError as error:
        data.problem(error.message, error.hint, "database")
        return None


def _database(table: TableReader) -> Database | None:
    name = table.owner = table.required("name", "Name it as the query does.")
    kind = table.choice("kind", get_args(DatabaseKind))
    file, secret = table.text("file"), table.text("secret")
    table.finish()
    if kind is None:
        known = ", ".join(get_args(DatabaseKind))
        table.problem(f"{table.title} lacks kind.", f"It is one of {known}.")
        return None
    try:
        return Database(name, kind, file, secret)
    except SchemaError as error:
        table.problem(error.message, error.hint)
        return None
