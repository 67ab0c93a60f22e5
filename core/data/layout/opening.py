"""Opening files: one table per file, sheet or member of an archive."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.data.files.isolated import load_table, read_apart
from core.data.layout.kinds.exports import File, tidied
from core.data.layout.kinds.geo_totals import without_geo_totals
from core.data.layout.kinds.planned_rows import without_planned_rows
from core.data.layout.kinds.report_rows import without_report_rows
from core.data.layout.kinds.row_totals import without_row_totals
from core.data.layout.shapes.across import by_date, without_outline
from core.data.layout.shapes.calendars import (
    with_last_days,
    with_whole_dates,
    with_years_above,
)
from core.data.layout.shapes.years import with_months
from core.errors import SchemaError, WorkspaceError

if TYPE_CHECKING:
    import pandas as pd

Source = Path | bytes
#: Reads the table of a source: its name for messages, and the part of it.
Load = Callable[[Source, str, str | None], "pd.DataFrame"]


class SeveralTables(SchemaError):
    """A file holds several tables, and somebody has to say which are meant.

    Attributes:
        filename: The file.
        parts: Its sheets, or the files in it.
    """

    def __init__(self, filename: str, parts: Sequence[str]):
        self.filename, self.parts = filename, tuple(parts)
        shown = ", ".join(parts[:8])
        super().__init__(
            f"{filename} holds {len(parts)} tables: {shown}.",
            hint="Choose one, or several that belong to the same market.",
            where=filename,
        )


def _load(source: Source, filename: str, part: str | None) -> "pd.DataFrame":
    return load_table(source, filename, part=part)


def open_file(
    source: Source, filename: str, parts: Sequence[str] = (), load: Load = _load
) -> list[File]:
    """The tables of one file, without what exports add to them.

    Args:
        source: A path or the content.
        filename: The name to use in messages.
        parts: Sheets or files inside that are meant; those of other files are ignored.
        load: How a table is read.

    Raises:
        SeveralTables: There are several and none of them is among `parts`.
        SchemaError: The file is not a table.
    """
    present = _parts(source, filename)
    titles = dict.fromkeys(name.rpartition("!")[0] for name in present if "!" in name)
    names = dict.fromkeys((*present, *filter(None, titles)))
    chosen = [name for name in names if name in parts]
    if len(present) > 1 and not chosen:
        raise SeveralTables(filename, present)
    if not chosen:
        return [opened(filename, load(source, filename, None))]
    alone = len(present) == 1 and chosen == list(present)
    return [
        opened(filename, load(source, filename, part), None if alone else part)
        for part in chosen
    ]


def opened(name: str, frame: "pd.DataFrame", part: str | None = None) -> File:
    """A table without what exports add to it, total rows and geos among it.

    Raises:
        SchemaError: Geos are there at several levels, or rows repeat the same amounts.
    """
    file = with_years_above(tidied(name, frame, part))
    file = without_outline(by_date(with_months(file)))
    file = with_whole_dates(with_last_days(file))
    file = without_planned_rows(without_report_rows(file))
    return without_row_totals(without_geo_totals(file))


def open_files(
    sources: Sequence[tuple[Source, str]], parts: Sequence[str] = ()
) -> list[File]:
    """The tables of several files.

    Raises:
        SchemaError: A file is not a table, or a part is in none of them.
    """
    files = [file for source in sources for file in open_file(*source, parts)]
    chosen = {file.part for file in files}
    absent = [part for part in parts if part not in chosen]
    if absent:
        known = {name for source in sources for name in _parts(*source)}
        for part in absent:
            if part not in known:
                names = ", ".join(name for _, name in sources)
                raise SchemaError(
                    f"There is no sheet or file {part} in {names}.",
                    hint=f"There are {', '.join(sorted(known)) or 'none'}.",
                    where=part,
                )
    return files


def _parts(source: Source, filename: str) -> tuple[str, ...]:
    """Sheets or files inside; none where a file is one table."""
    if _first_bytes(source, filename) != b"PK\x03\x04":
        return ()
    return tuple(read_apart("core.data.files.load.parts_of", source, filename))


def _first_bytes(source: Source, filename: str) -> bytes:
    if isinstance(source, bytes):
        return source[:4]
    try:
        with open(source, "rb") as file:
            return file.read(4)
    except OSError as error:
        raise WorkspaceError(
            f"{filename} could not be read: {error.strerror or error}.",
            hint="Check the path.",
            where=filename,
        ) from error
