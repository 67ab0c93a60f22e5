"""Archives: the tables in a zip file."""

import io
import zipfile
from pathlib import PurePosixPath

from core.data.files.limits import HARMLESS_BYTES, MAX_BYTES, MAX_RATIO
from core.errors import SchemaError

#: Files in an archive that can be tables.
_TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".parquet")


def members(data: bytes) -> tuple[str, ...]:
    """Names of the tables in a zip archive; none for workbooks, which are zips too."""
    try:
        names = [m.filename for m in zipfile.ZipFile(io.BytesIO(data)).infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ()
    if "[Content_Types].xml" in names or "mimetype" in names:
        return ()
    return tuple(
        name
        for name in names
        if PurePosixPath(name).suffix.lower() in _TABLES and "__MACOSX" not in name
    )


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
    if member.file_size > MAX_BYTES or (
        ratio > MAX_RATIO and member.file_size > HARMLESS_BYTES
    ):
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
