"""Read ahead: what the last process ran, read from the disk while this one imports.

An executable is read without Python's lock, for a third of a second that of the
sampler, and imports leave a core idle. Mostly the next fit is of the structure of the
last one; where the first function that it asks for is another, everything is dropped.
"""

import contextlib
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

#: In the folder of executables: what they depend on, then their names in order.
_LAST = "last-run"

_LOG = logging.getLogger(__name__)
_GUARD = threading.Lock()
#: What is being read, by name; and the names that this process has asked for.
_READ: dict[str, Future] = {}
_ASKED: dict[str, None] = {}


def begin(
    folder: Path, about: Callable[[], str], read: Callable[[Path], Callable | None]
) -> None:
    """Read what the last process asked for, on a thread.

    Args:
        folder: Of the executables.
        about: What they depend on here; asked on the thread.
        read: Gives an executable, None where there is none.
    """
    with contextlib.suppress(OSError, ValueError):
        before, *names = (folder / _LAST).read_text("utf-8").split("\n")
        thread = ThreadPoolExecutor(1, thread_name_prefix="read-ahead")
        is_same = thread.submit(lambda: about() == before)

        def opened(path: Path) -> Callable | None:
            return read(path) if is_same.result() else None

        with _GUARD:
            _READ.update(
                (name, thread.submit(opened, folder / name))
                for name in names
                if Path(name).name == name
            )
        thread.shutdown(wait=False)


def taken(path: Path) -> Callable | None:
    """The executable of a file, if it was read or is being read; once."""
    with _GUARD:
        is_first, _ASKED[path.name] = not _ASKED, None
        task = _READ.pop(path.name, None)
        if task is None and is_first:
            drop()
    if task is None or task.cancel():
        return None
    try:
        return task.result()
    except Exception:  # what reads it says why
        _LOG.info("%s was not read ahead.", path.name, exc_info=True)
        return None


def drop() -> None:
    """Let go of what nobody has asked for."""
    for task in _READ.values():
        task.cancel()
    _READ.clear()


def remember(folder: Path, about: str, write: Callable[[Path, bytes], None]) -> None:
    """Write down what this process has asked for, for the next one to begin with.

    Args:
        folder: Of the executables.
        about: What they depend on here.
        write: Writes a file whole or not at all.
    """
    with contextlib.suppress(OSError):
        write(folder / _LAST, "\n".join([about, *_ASKED]).encode())
