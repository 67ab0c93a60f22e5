"""Opening files: one table per file, sheet or member of an archive."""

from collections.abc import Sequence
from pathlib import Path

from core.data.layout.exports import File, tidied
from core.data.load import load_table, parts_of
from core.errors import SchemaError


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


def open_file(
    source: Path | bytes, filename: str, parts: Sequence[str] = ()
) -> list[File]:
    """The tables of one file, without what exports add to them.

    Args:
        source: A path or the content.
        filename: The name to use in messages.
        parts: Sheets or files inside that are meant; those of other files are ignored.

    Raises:
        SeveralTables: There are several and none of them is among `parts`.
        SchemaError: The file is not a table.
    """
    present = parts_of(source, filename)
    chosen = [name for name in present if name in parts]
    if len(present) > 1 and not chosen:
        raise SeveralTables(filename, present)
    if not chosen:
        return [tidied(filename, load_table(source, filename))]
    alone = len(present) == 1
    return [
        tidied(filename, load_table(source, filename, part), None if alone else part)
        for part in chosen
    ]


def open_files(
    sources: Sequence[tuple[Path | bytes, str]], parts: Sequence[str] = ()
) -> list[File]:
    """The tables of several files.

    Raises:
        SchemaError: A file is not a table, or a part is in none of them.
    """
    files = [file for source in sources for file in open_file(*source, parts)]
    chosen = {file.part for file in files}
    for part in parts:
        known = {part for source in sources for part in parts_of(*source)}
        if part not in chosen and part not in known:
            names = ", ".join(name for _, name in sources)
            raise SchemaError(
                f"There is no sheet or file {part} in {names}.",
                hint=f"There are {', '.join(sorted(known)) or 'none'}.",
                where=part,
            )
    return files
