"""The reader of one file: `python -m core.data.files.reader [FOLDER]`.

FOLDER holds request.json; without it the reader imports what it needs and waits on
standard input for the folder's name. What comes back is table.parquet or answer.json,
or, where the file is at fault, error.json. Limits are set before anything is read that
could meet them; the process ends with the one that started it.
"""

import contextlib
import json
import os
import resource
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from core.disk import is_disk_full
from core.process import collect_little, dies_with, leave

#: Exit status where the disk had no room for what was read, or for what is at fault.
NO_ROOM = 74
#: Address space of Python and its libraries before they read anything, bytes.
_LIBRARIES = 2 * 1024**3


@dataclass(frozen=True)
class Request:
    """What is asked of the process that reads a file.

    Attributes:
        what: The function that reads, with its module.
        path: The file.
        filename: What people call it.
        options: Of the function.
        parent: The process that asks.
        seconds: Of the processor, at most.
        memory: Bytes at most.
    """

    what: str
    path: str
    filename: str
    options: dict[str, Any]
    parent: int
    seconds: int
    memory: int


@dataclass(frozen=True)
class Report:
    """What was wrong with the file: the error's kind, its parts and its findings."""

    type: str
    message: str = ""
    hint: str = ""
    where: str = ""
    findings: Sequence[dict[str, Any]] = ()


def bound(parent: int, *, seconds: int, memory: int) -> None:
    """Limit this process, and let it end with its parent."""
    dies_with(parent)()
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        # Address space, not resident memory: the kernel enforces no limit on that.
        (resource.RLIMIT_AS, memory + _LIBRARIES),
        (resource.RLIMIT_FSIZE, memory),
    ):
        hard = resource.getrlimit(limit)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # The process is ended at the soft limit of time; the hard one is for who
        # does not listen.
        above = most + 5 if limit == resource.RLIMIT_CPU else most
        # macOS has limits that it does not take; the one who started this looks, too.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (most, max(above, most)))


def read(folder: Path, request: Request) -> None:
    """Read the file and leave in the folder what came of it."""
    from core.data.files.parquet import save_table
    from core.errors import MMMError

    try:
        module, _, name = request.what.rpartition(".")
        function = getattr(import_module(module), name)
        result = function(Path(request.path), request.filename, **request.options)
    except MMMError as error:
        findings = tuple(asdict(finding) for finding in error.findings)
        say(folder, error, error.message, error.hint, error.where, findings)
        return
    except MemoryError:  # pyarrow's is one, too
        _say_memory(folder)
        return
    except Exception as error:
        if not is_disk_full(error):
            say(folder, error, str(error))
        raise
    if hasattr(result, "columns"):
        save_table(result, folder / "table.parquet")
    else:
        (folder / "answer.json").write_text(json.dumps(result))


def _say_memory(folder: Path) -> None:
    _write(folder, Report("MemoryError"))


def _write(folder: Path, report: Report) -> None:
    (folder / "error.json").write_text(json.dumps(asdict(report)))


def say(
    folder: Path,
    error: Exception,
    message: str,
    hint: str = "",
    where: str = "",
    findings: tuple[dict[str, Any], ...] = (),
) -> None:
    """Write error.json; a kind that is not of core.errors is said as its nearest."""
    kinds = [kind for kind in type(error).__mro__ if kind.__module__ == "core.errors"]
    kind = kinds[0] if kinds else type(error)
    _write(folder, Report(kind.__name__, message, hint, where, findings))


def _awaited() -> Path:
    """The folder that standard input names at its end; meanwhile what reads is loaded.

    No file is touched before the limits are set. Without a folder the process ends:
    whoever started it had nothing to read.
    """
    import_module("core.data.files.load")
    folder = Path(os.fsdecode(sys.stdin.buffer.read()))
    if folder == Path():
        leave(0)
    log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(log, stream.fileno())
    return folder


def main(arguments: list[str]) -> int:
    """Read the file that the request in the folder names."""
    folder = Path(arguments[0]) if arguments else _awaited()
    request = Request(**json.loads((folder / "request.json").read_bytes()))
    bound(request.parent, seconds=request.seconds, memory=request.memory)
    try:
        read(folder, request)
    except MemoryError:
        _say_memory(folder)
    except Exception as error:
        if not is_disk_full(error):
            raise
        return NO_ROOM
    return 0


if __name__ == "__main__":
    collect_little()
    leave(main(sys.argv[1:]))
