"""Held file locks: what says that a run is alive.

A lock lives exactly as long as a process that holds its file open, so it survives
neither a crash nor a restart, and no process number is ever compared. Standard
library only: the supervisor uses it.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from core.store.atomic import explain, gone


def hold(path: Path, *, patience: float = 0.0) -> int | None:
    """Take the lock on a file, which is created where it is missing.

    Args:
        path: The lock file.
        patience: Seconds to keep trying; a reader's glance holds it for an instant.

    Returns:
        The open descriptor that holds the lock, or None if another process has it.

    Raises:
        WorkspaceError: The lock file cannot be created.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise explain(error, path) from error
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(handle)
                return None
            time.sleep(0.02)


def is_held(path: Path) -> bool:
    """Whether a process holds the lock on this file."""
    try:
        # Without O_NONBLOCK a pipe of that name would keep us waiting.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(handle)


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep others out for a moment: waits for the lock on a folder.

    Raises:
        WorkspaceError: The folder is gone or cannot be opened.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise gone(path) from error
    except OSError as error:
        raise explain(error, path) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
