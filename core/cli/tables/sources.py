"""The tables that a command line names: files, a query, or both."""

import argparse
from typing import TYPE_CHECKING

from core.cli.answer import tell
from core.errors import SpecError
from core.service.tables import numbered, of_query, opened

if TYPE_CHECKING:
    from core.service.records.columns import Query
    from core.service.records.data import File


def query_of(options: argparse.Namespace) -> "Query | None":
    """The query that the options say; None where there is none.

    Raises:
        SchemaError: A database is described wrongly.
        SpecError: There are databases but no query.
    """
    from core.service.records.columns import Query, database_of

    if options.query is None:
        if options.database:
            raise SpecError(
                "There is a database but no query.",
                hint="Add --query with a SELECT that reads it.",
                where="--database",
            )
        return None
    return Query(options.query, tuple(map(database_of, options.database)))


def all_tables(
    options: argparse.Namespace, query: "Query | None", *, is_saved: bool = False
) -> "list[File]":
    """The tables of the files that the command line names, and of the query.

    Args:
        options: With `sources`, `sheet`, `start` and `every`.
        query: The query; None for files alone.
        is_saved: Whether it is a project's, which others may have written: it reads
            the folders of MIXWRIGHT_DATA only. One that is typed reads what its
            user may.

    Raises:
        MMMError: A file or the query is no table, or there is neither.
    """
    if not options.sources and query is None:
        raise SpecError(
            "There is no table: neither a file nor a query.",
            hint="Name one or more files, or a query with --query.",
            where="sources",
        )
    files = opened(options.sources, options.sheet, tell)
    if query is not None:
        tell("Running the query …")
        files = [*files, of_query(query, is_saved=is_saved)]
    if options.start is not None:
        files = [numbered(file, options.start, options.every) for file in files]
    return files
