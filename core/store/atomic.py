"""Atomic, durable writes: after a crash a file holds the old text or the new, whole.

Every file of the workspace is written here: a temporary name in the same folder,
fsync, rename, fsync of the folder. A full disk or a read-only folder leaves the old
file as it was and says so. What a killed process left of it, the next write into that
folder takes away. Standard library only: the supervisor uses it.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import math
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from core import disk
from core.errors import WorkspaceError
from core.store.places import home

_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.EEXIST)
#: A file that is being written, and is to have another name.
_UNFINISHED = re.compile(r"\..+\.[0-9]+-[0-9a-f]{8}\.tmp", re.ASCII)


#: Less room than this is none, bytes: a file and its folder's entry take as much.
_NO_ROOM = 64 * 1024


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room left for even a small file."""
    try:
        room = os.statvfs(folder)
    except OSError:
        return False
    has_files = room.f_files > 0 and room.f_favail == 0  # some count no files at all
    return room.f_bavail * room.f_frsize < _NO_ROOM or has_files


def unreadable(error: OSError, path: Path) -> WorkspaceError:
    """What an error of reading a file means to the user."""
    return WorkspaceError(
        f"{path.name} could not be read: {error.strerror}.",
        hint=f"Ask who may read {path}.",
        where=str(path),
    )


def explain(error: OSError, path: Path) -> WorkspaceError:
    """What a failed write means to the user, and the remedy."""
    where = str(path)
    if error.errno in disk.FULL:
        return WorkspaceError(
            f"The disk is full: {path.name} could not be written.",
            hint="Free some space and try again; what was there before is untouched.",
            where=where,
        )
    if error.errno in _CLOSED:
        is_own = path.absolute().is_relative_to(home())
        return WorkspaceError(
            f"{path.name} could not be written: {path.parent} is read-only.",
            hint="Make the folder writable, or set MIXWRIGHT_HOME to one that is."
            if is_own
            else "Make the folder writable, or choose another one.",
            where=where,
        )
    if error.errno in _NO_FOLDER:
        several = (path, *path.parents)
        files = [each for each in several if os.path.isfile(each)]
        folder = next(iter(files), path.parent)
        return WorkspaceError(
            f"{path.name} could not be written: {folder} is not a folder.",
            hint="Check the path, or set MIXWRIGHT_HOME to a folder.",
            where=where,
        )
    reason = error.strerror or str(error)
    return WorkspaceError(f"{path.name} could not be written: {reason}.", where=where)


_COUNT = threading.local()


def changes() -> int:
    """How often this thread has changed something on disk."""
    return getattr(_COUNT, "changes", 0)


def note_change() -> None:
    """Count a change of something on disk; what is written here counts itself."""
    _COUNT.changes = changes() + 1


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
    try:
        with _unfinished(path) as file:
            fill(file)
            _flush(file, durable=durable)
            os.replace(file.name, path)
            note_change()
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        raise explain(error, path) from error


@contextlib.contextmanager
def _unfinished(path: Path) -> Iterator[BinaryIO]:
    """An open file beside another, whose name it is to get; gone at the end otherwise.

    Its lock is held meanwhile: one that nobody holds was left by a process that was
    killed.

    Raises:
        OSError: It cannot be made.
    """
    _sweep(path.parent)
    file = locked_beside(path)
    try:
        yield file
    finally:
        with contextlib.suppress(OSError):
            os.unlink(file.name)
        with contextlib.suppress(OSError):  # closing writes what a full disk refused
            file.close()


def locked_beside(path: Path) -> BinaryIO:
    """A new file beside another, open for writing, with its lock held.

    Raises:
        OSError: It cannot be made.
    """
    while True:
        name = f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
        file = open(path.with_name(name), "xb")
        with contextlib.suppress(OSError):  # nobody sweeps where nothing can be locked
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink > 0:
            return file
        file.close()  # swept away before it was locked


def _sweep(folder: Path) -> None:
    """Take away what processes were writing into a folder that have been killed."""
    try:
        with os.scandir(folder) as places:
            names = [each.path for each in places if _UNFINISHED.fullmatch(each.name)]
    except OSError:  # who may write there may not always look
        return
    for name in names:
        with contextlib.suppress(OSError):
            handle = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(name)
            finally:
                os.close(handle)


def _flush(file: BinaryIO, *, durable: bool = True) -> None:
    """Hand over what was written; where it is to last, wait until the disk has it."""
    file.flush()
    if durable:
        os.fsync(file.fileno())


def write_bytes(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Replace a file with these bytes; see `write_with`."""
    write_with(path, lambda file: file.write(content), durable=durable)


def write_text(path: Path, text: str, *, durable: bool = True) -> None:
    """Replace a file with this text in UTF-8; see `write_with`."""
    write_bytes(path, text.encode(), durable=durable)


def write_json(path: Path, value: object, *, durable: bool = True) -> None:
    """Replace a file with this value as JSON; see `json_text` and `write_with`."""
    # Of paths whose bytes are no text: JSON escapes them as Python does.
    content = json_text(value).encode(errors="backslashreplace")
    write_bytes(path, content, durable=durable)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Replace several files: all of them, or none where there is no room for one.

    Raises:
        WorkspaceError: The disk is full or a folder cannot be written to.
    """
    with contextlib.ExitStack() as stack:
        beside = {}
        try:
            for path, content in files.items():
                beside[path] = stack.enter_context(_unfinished(path))
                beside[path].write(content)
                _flush(beside[path])
            for path in files:
                os.replace(beside[path].name, path)
                note_change()
                sync_folder(path.parent)
        except OSError as error:
            raise explain(error, path) from error


def write_new(path: Path, content: bytes) -> None:
    """Create a file that must not exist yet, whole or not at all.

    Raises:
        WorkspaceError: It exists already, or it cannot be written.
    """
    try:
        with _unfinished(path) as file:
            file.write(content)
            _flush(file)
            os.link(file.name, path)
            note_change()
        sync_folder(path.parent)
    except FileExistsError as error:
        raise WorkspaceError(
            f"{path.name} exists already and is never changed.", where=str(path)
        ) from error
    except OSError as error:
        raise explain(error, path) from error


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
        if not os.path.isdir(path):
            path.mkdir(parents=True, exist_ok=True)
            note_change()
    except OSError as error:
        raise explain(error, path) from error
    return path


def make_subfolder(folder: Path, name: str) -> Path:
    """Create a folder in one that exists, where it is missing.

    Raises:
        WorkspaceError: The outer folder is gone, or cannot be written.
    """
    path = folder / name
    try:
        if not os.path.isdir(path):
            path.mkdir(exist_ok=True)
            note_change()
    except FileNotFoundError as error:
        raise gone(folder) from error
    except OSError as error:
        raise explain(error, path) from error
    return path


def gone(folder: Path) -> WorkspaceError:
    """The error for a folder that was there a moment ago."""
    return WorkspaceError(
        f"{folder.name} is gone: it was deleted or renamed meanwhile.",
        hint="Choose a project from the list; deleted ones are in the trash.",
        where=str(folder),
    )


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, which someone has just changed."""
    note_change()
    sync_file(path)


def sync_file(path: Path) -> None:
    """Make the content of a file durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
    if hasattr(value, "__struct_fields__"):  # a record
        import msgspec  # noqa: PLC0415  the supervisor stays on the standard library

        return _plain(msgspec.to_builtins(value))
    if hasattr(value, "tolist"):  # NumPy scalars and arrays, without importing NumPy
        return _plain(value.tolist())
    return str(value)
