"""Atomic, durable writes: after a crash a file holds the old text or the new, whole.

Every file of the workspace is written here: a temporary name in the same folder,
fsync, rename, fsync of the folder. A full disk or a read-only folder leaves the old
file as it was and says so. Standard library only: the supervisor uses it.
"""

import contextlib
import errno
import hashlib
import json
import math
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from core.errors import WorkspaceError

#: Error numbers of a disk, quota or file size that is used up.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.EEXIST)


def explain(error: OSError, path: Path) -> WorkspaceError:
    """What a failed write means to the user, and the remedy."""
    where = str(path)
    if error.errno in DISK_FULL:
        return WorkspaceError(
            f"The disk is full: {path.name} could not be written.",
            hint="Free some space and try again; what was there before is untouched.",
            where=where,
        )
    if error.errno in _CLOSED:
        return WorkspaceError(
            f"{path.name} could not be written: {path.parent} is read-only.",
            hint="Make the folder writable, or set MIXWRIGHT_HOME to one that is.",
            where=where,
        )
    if error.errno in _NO_FOLDER:
        return WorkspaceError(
            f"{path.name} could not be written: {path.parent} is not a folder.",
            hint="Check the path, or set MIXWRIGHT_HOME to a folder.",
            where=where,
        )
    reason = error.strerror or str(error)
    return WorkspaceError(f"{path.name} could not be written: {reason}.", where=where)


def write_with(
    path: Path, fill: Callable[[BinaryIO], object], *, durable: bool = True
) -> None:
    """Replace a file with what `fill` writes into an open binary file.

    Args:
        path: The file to create or replace.
        fill: Writes the new content.
        durable: Wait until the disk has it; progress files need not.

    Raises:
        WorkspaceError: The disk is full or the folder cannot be written to. The old
            file is as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:
            fill(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        raise explain(error, path) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Replace a file with these bytes; see `write_with`."""
    write_with(path, lambda file: file.write(content), durable=durable)


def write_text(path: Path, text: str, *, durable: bool = True) -> None:
    """Replace a file with this text in UTF-8; see `write_with`."""
    write_bytes(path, text.encode(), durable=durable)


def write_json(path: Path, value: object, *, durable: bool = True) -> None:
    """Replace a file with this value as JSON; see `json_text` and `write_with`."""
    write_text(path, json_text(value), durable=durable)


def write_new(path: Path, content: bytes) -> None:
    """Create a file that must not exist yet, whole or not at all.

    Raises:
        WorkspaceError: It exists already, or it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        write_bytes(temporary, content)
        os.link(temporary, path)
        sync_folder(path.parent)
    except FileExistsError as error:
        raise WorkspaceError(
            f"{path.name} exists already and is never changed.", where=str(path)
        ) from error
    except OSError as error:
        raise explain(error, path) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> str:
    """Copy a file durably.

    Returns:
        The SHA-256 of what was written.

    Raises:
        WorkspaceError: The source cannot be read or the target not be written.
    """
    try:
        file = open(source, "rb")
    except OSError as error:
        raise WorkspaceError(
            f"{source.name} could not be read: {error.strerror}.", where=str(source)
        ) from error
    with file:
        write_with(target, lambda out: shutil.copyfileobj(file, out, 1 << 20))
    return sha256_of(target)


def make_folder(path: Path) -> Path:
    """Create a folder and its parents where they are missing.

    Raises:
        WorkspaceError: A file is in the way, or the place is read-only.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain(error, path) from error
    return path


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_file(path: Path) -> None:
    """Make the content of a file durable."""
    sync_folder(path)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def json_text(value: object) -> str:
    """The value as one JSON text; NaN and infinity become null, NumPy plain numbers."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy scalars and arrays, without importing NumPy
        return _plain(value.tolist())
    return str(value)
