"""Isolated: files are read in a process of their own, bounded in time and memory.

A file can be made so that reading it takes minutes or gigabytes, or so that it ends the
program that reads it. So whoever was sent a file never parses it: a process is started,
`core.data.files.reader`, and what comes back is a table that Mixwright wrote itself.
"""

import contextlib
import errno
import json
import logging
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import pandas as pd

from core import errors
from core.data.files.ahead import AHEAD, start
from core.data.files.limits import MAX_BYTES, READ_MEMORY, READ_SECONDS
from core.data.files.parquet import is_kept, read_table
from core.data.files.reader import NO_ROOM, Report, Request
from core.data.reading.findings import Finding
from core.disk import is_disk_full, temporary_folder
from core.errors import SchemaError, WorkspaceError

_LOGGER = logging.getLogger("mixwright")
#: Wall clock over processor time, on a machine that has other work.
_PATIENCE = 5.0
_PAGE = os.sysconf("SC_PAGE_SIZE")
_FASTER = "Save the table alone as CSV or Parquet, which are read many times faster."
_SMALLER = "Keep only the columns the model needs, one row per geo and week."


@dataclass(frozen=True)
class Look:
    """How far the reading of a file is.

    Attributes:
        seconds: Since it began.
        n_bytes: Memory that the process has; 0 where that cannot be seen.
    """

    seconds: float
    n_bytes: int


def load_table(
    source: Path | bytes | BufferedIOBase,
    filename: str,
    *,
    watch: Callable[[Look], None] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """What `core.data.files.load.load_table` makes of a file, read in another process.

    Args:
        source: A path, the bytes, or an open binary file.
        filename: The name to use in messages.
        watch: Called a few times a second; what it raises stops the reading.
        options: More arguments of `load_table`, as JSON holds them.

    Raises:
        DataError: The file is not a table, or takes too much time or memory.
        WorkspaceError: There is no room to read it.
    """
    return read_apart(
        "core.data.files.load.load_table", source, filename, watch, **options
    )


def kept_table(path: Path) -> pd.DataFrame:
    """The table of a project: at once where Mixwright wrote it, else as an upload is.

    Raises:
        MMMError: It is missing, damaged or not a table.
    """
    return read_table(path) if is_kept(path) else load_table(path, path.name)


def read_apart(
    what: str,
    source: Path | bytes | BufferedIOBase,
    filename: str,
    watch: Callable[[Look], None] | None = None,
    **options: Any,
) -> Any:
    """What a function returns in the reader's process: a table, or plain values.

    Args:
        what: The function, by its module and name; it takes a path and the file's name.
        source: A path, the bytes, or an open binary file.
        filename: The name to use in messages.
        watch: Called a few times a second; what it raises stops the reading.
        options: More arguments of the function, as JSON holds them.

    Raises:
        MMMError: As that function does; or it took too much time or memory.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="mixwright-") as place:
            folder = Path(place)
            request = Request(
                what=what,
                path=str(_as_file(source, folder)),
                filename=filename,
                options=options,
                parent=os.getpid(),
                seconds=READ_SECONDS,
                memory=READ_MEMORY,
            )
            (folder / "request.json").write_text(json.dumps(asdict(request)))
            _run(folder, filename, watch)
            return _answer(folder)
    except OSError as error:
        # A folder of temporary files that may be written but takes nothing is full.
        where = temporary_folder()
        takes_none = tempfile.tempdir is None and os.access(where, os.W_OK)
        is_full = is_disk_full(error) or takes_none
        why = "the disk is full" if is_full else error.strerror or error
        raise WorkspaceError(
            f"{filename} could not be read: {why}.",
            hint=f"Free some space in {where} and try again.",
            where=filename,
        ) from error


def _as_file(source: Path | bytes | BufferedIOBase, folder: Path) -> Path:
    """The file itself, or the bytes as a file for as long as they are read."""
    if isinstance(source, Path):
        return source.absolute()
    data = source if isinstance(source, bytes) else source.read(MAX_BYTES + 1)
    path = folder / "upload"
    path.write_bytes(data)
    return path


def _run(folder: Path, filename: str, watch: Callable[[Look], None] | None) -> None:
    """Start the process and wait for it, but not longer than it may take.

    Raises:
        DataError: It took too much, or was ended by the system.
    """
    reader = started(folder)
    try:
        _wait(reader, filename, watch)
    finally:
        with contextlib.suppress(ProcessLookupError):
            reader.kill()
        code = reader.wait()
    if code == NO_ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    _raise_error(folder, filename)
    if code == -signal.SIGXCPU:
        raise _too_slow(filename)
    if code != 0:
        log_text = (folder / "log.txt").read_text(errors="replace")[-2000:]
        _LOGGER.error("Reading %s ended with %s: %s", filename, code, log_text)
        # C++ libraries abort where they are refused memory.
        raise _too_much(filename) if code == -signal.SIGABRT else _unreadable(filename)


def started(folder: Path) -> subprocess.Popen:
    """The process that reads what the request in a folder names."""
    reader = AHEAD.take(folder)
    if reader is not None:
        return reader
    with open(folder / "log.txt", "wb") as log:
        return start(subprocess.DEVNULL, log.fileno(), str(folder))


def _wait(
    reader: subprocess.Popen, filename: str, watch: Callable[[Look], None] | None
) -> None:
    begun = time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            reader.wait(0.1)
            return
        look = Look(time.monotonic() - begun, _resident(reader.pid))
        if look.n_bytes > READ_MEMORY:
            raise _too_much(filename)
        # Processor time is limited by the kernel; this is for one who only waits.
        if look.seconds > _PATIENCE * READ_SECONDS:
            raise _too_slow(filename)
        if watch is not None:
            watch(look)


def _resident(pid: int) -> int:
    """Memory of a process, bytes; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def _answer(folder: Path) -> Any:
    table = folder / "table.parquet"
    if table.is_file():
        return read_table(table)
    return json.loads((folder / "answer.json").read_bytes())


def _raise_error(folder: Path, filename: str) -> None:
    """Raise what the process had to say about the file, as its own kind of error."""
    try:
        report = Report(**json.loads((folder / "error.json").read_bytes()))
    except (OSError, ValueError):
        return
    if report.type == "MemoryError":
        raise _too_much(filename)
    kind = getattr(errors, report.type, None)
    if kind is None:
        _LOGGER.error("Reading %s: %s: %s", filename, report.type, report.message)
        raise _unreadable(filename, f"{report.type}: {report.message}"[:200])
    findings = tuple(Finding(**finding) for finding in report.findings)
    raise kind(report.message, hint=report.hint, where=report.where, findings=findings)


def _too_slow(filename: str) -> SchemaError:
    return SchemaError(
        f"{filename} takes longer than {READ_SECONDS} seconds to read.",
        hint=_FASTER,
        where=filename,
    )


def _too_much(filename: str) -> SchemaError:
    return SchemaError(
        f"{filename} takes more than {READ_MEMORY / 1024**3:.1f} GB of memory to read.",
        hint=_SMALLER,
        where=filename,
    )


def _unreadable(filename: str, why: str = "") -> SchemaError:
    reason = f" ({why})" if why else ""
    return SchemaError(
        f"{filename} cannot be read: it holds something that Mixwright does not "
        f"know{reason}.",
        hint="Open it in the program it came from and save it as CSV.",
        where=filename,
    )
