"""Scratch: a private folder beside others, which ends with the process that made it.

What is put together there gets its name when it is whole. A process that is killed
leaves its folder behind, with copies of data in it; the next one takes it away. Nobody
holds the lock of such a folder any more.
"""

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from core.store.locks import alone, is_held
from core.store.places import new_id

_NAME = re.compile(r"\..+[.-][0-9]{8}-[0-9]{6}-[0-9a-f]{8}\.tmp", re.ASCII)


@contextlib.contextmanager
def scratch(folder: Path, name: str) -> Iterator[Path]:
    """A folder for a while.

    Args:
        folder: Where it is made; there already.
        name: What its name begins with, after a dot.

    Raises:
        OSError: It cannot be made, or the disk is full.
        WorkspaceError: The folder is gone or cannot be opened.
    """
    own = folder / f".{name}.{new_id()}.tmp"
    with alone(folder):  # nobody takes it away before its lock is held
        _sweep(folder)
        own.mkdir()
        handle = os.open(own, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(handle)


def _sweep(folder: Path) -> None:
    """Take away what processes left that were killed."""
    with os.scandir(folder) as places:
        folders = [
            Path(place.path)
            for place in places
            if _NAME.fullmatch(place.name) and place.is_dir(follow_symlinks=False)
        ]
    for path in folders:
        if not is_held(path):
            shutil.rmtree(path, ignore_errors=True)
