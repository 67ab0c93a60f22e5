"""The query of a project: one SELECT, and the databases that it names.

project.toml keeps both; credentials are never among them. A database is a file, or a
secret: the name of an environment variable, or of a key in Streamlit's secrets, that
holds its connection string.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from core.errors import SchemaError

DatabaseKind = Literal["sqlite", "excel", "postgres", "mysql"]
#: Kinds that are a file; the others are reached by a connection string.
FILES: tuple[DatabaseKind, ...] = ("sqlite", "excel")
#: The name of a query's table, in messages and in a layout.
CALLED = "query"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_SECRET = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,126}")
_EXAMPLE = "shop=postgres:SHOP_DATABASE or costs=sqlite:costs.sqlite"


@dataclass(frozen=True)
class Database:
    """A database that a query reads: `name.table` in the SQL.

    Attributes:
        name: What the query calls it.
        kind: What it is; `excel` is a workbook, whose sheets are tables.
        file: Path of the file (`sqlite`, `excel`).
        secret: Name of the environment variable, or the key in Streamlit's secrets,
            that holds the connection string (`postgres`, `mysql`).
    """

    name: str
    kind: DatabaseKind
    file: str | None = None
    secret: str | None = None

    def __post_init__(self):
        """Refuse what cannot be a database.

        Raises:
            SchemaError: A name cannot be one, or the place is missing.
        """
        where = f"database {self.name}"
        if not _NAME.fullmatch(self.name):
            raise SchemaError(
                f"A database cannot be called {self.name[:60]!r}.",
                hint="Use letters, digits and _, beginning with a letter.",
                where=where,
            )
        if self.kind in FILES and (not self.file or self.secret):
            raise SchemaError(
                f"Database {self.name} is a file: it needs file, and no secret.",
                hint='Write file = "costs.sqlite".',
                where=where,
            )
        if self.kind not in FILES and (
            self.file or not _SECRET.fullmatch(self.secret or "")
        ):
            raise SchemaError(
                f"Database {self.name} needs the name of its secret, not a file and "
                "not the connection string itself.",
                hint="Put the connection string into an environment variable such as "
                "SHOP_DATABASE, or into Streamlit's secrets, and give its name.",
                where=where,
            )


@dataclass(frozen=True)
class Query:
    """One SELECT and the databases that it names.

    Attributes:
        sql: The statement; files are quoted: FROM 'sales/*.csv'.
        databases: What is read beside files.
    """

    sql: str
    databases: tuple[Database, ...] = ()

    def __post_init__(self):
        """Refuse two databases of one name.

        Raises:
            SchemaError: There are two.
        """
        names = [database.name.casefold() for database in self.databases]
        for name in names:
            if names.count(name) > 1:
                raise SchemaError(
                    f"Two databases are called {name}.",
                    hint="Give each its own name.",
                    where=f"database {name}",
                )


def database_of(text: str) -> Database:
    """The database that `name=kind:place` describes.

    Raises:
        SchemaError: The text describes none.
    """
    name, _, rest = text.partition("=")
    kind, _, place = (part.strip() for part in rest.partition(":"))
    if not (name.strip() and kind and place):
        raise SchemaError(
            f"{name.strip()[:60]!r} does not describe a database.",
            hint=f"Write {_EXAMPLE}.",
            where="database",
        )
    if kind not in get_args(DatabaseKind):
        raise SchemaError(
            f"Database {name.strip()[:60]} is of an unknown kind, {kind[:60]!r}.",
            hint=f"Known kinds: {', '.join(get_args(DatabaseKind))}.",
            where="database",
        )
    key = "file" if kind in FILES else "secret"
    return Database(name.strip(), kind, **{key: place})
