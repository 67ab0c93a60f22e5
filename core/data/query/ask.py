"""Asking: a query run in the reader's process, from whoever needs its table."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from core.data.files.isolated import Look, read_apart
from core.data.layout.kinds.exports import File
from core.data.layout.opening import opened
from core.data.query.definition import CALLED, Query


def queried(
    query: Query,
    folders: Sequence[str] | None = None,
    watch: Callable[[Look], None] | None = None,
) -> File:
    """The table of a query, like that of any file.

    Args:
        query: What is asked.
        folders: The only folders whose files may be read; None for all.
        watch: Called a few times a second; what it raises stops the query.

    Raises:
        DataError: The query fails, or returns no table; or a database cannot be
            reached. The message says which and why.
    """
    frame = read_apart(
        "core.data.query.run.query_table",
        query.sql.encode(),
        CALLED,
        watch,
        databases=[asdict(database) for database in query.databases],
        folders=None if folders is None else [str(folder) for folder in folders],
    )
    return opened(CALLED, frame)
