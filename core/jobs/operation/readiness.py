"""Readiness: whether a fit could start here and now, and why not.

Each check does what a fit will do: write, lock, find room, memory and packages.
"""

import contextlib
import importlib.util
import os
import shutil
from pathlib import Path

from core.errors import WorkspaceError
from core.jobs import cluster, memory
from core.store.atomic import make_folder, write_bytes
from core.store.locks import hold, is_held
from core.store.places import home, queue_folder
from core.store.version import refuse_newer

#: Bytes that a fit of a small market needs on disk and in memory.
LEAST_DISK, LEAST_MEMORY = 200 * 1024**2, 700 * 1024**2
_PACKAGES = ("jax", "jaxlib", "blackjax", "tensorflow_probability")


def obstacles() -> list[str]:
    """Why a fit could not start; empty if it could. A full queue is no obstacle."""
    try:
        refuse_newer(home())
        make_folder(home())
        return [*_disk(home()), *_writing(), *_memory(), *_software()]
    except WorkspaceError as error:
        return [f"{error.message} {error.hint}".strip()]


def _disk(workspace: Path) -> list[str]:
    free = shutil.disk_usage(workspace).free
    if free >= LEAST_DISK:
        return []
    words = memory.in_words
    return [f"The disk has {words(free)} left; a fit needs {words(LEAST_DISK)}."]


def _writing() -> list[str]:
    """Write as a run does, and see that a lock holds, as NFS 3 may not do."""
    folder = make_folder(queue_folder())
    trial = folder / f".ready-{os.getpid()}"
    try:
        write_bytes(trial, b"")
        lock = hold(trial)
        if lock is None:
            return []
        try:
            has_locks = is_held(trial)
        finally:
            os.close(lock)
    finally:
        with contextlib.suppress(
            OSError
        ):  # A disk that takes nothing gives nothing back.
            trial.unlink(missing_ok=True)
    if has_locks:
        return []
    return [f"File locks do not hold in {folder}: use a local disk, or NFS 4."]


def _memory() -> list[str]:
    limit, free = memory.limit(), memory.free()
    words = memory.in_words
    if limit < LEAST_MEMORY:
        return [
            f"A fit may take {words(limit)} of memory and needs {words(LEAST_MEMORY)}: "
            f"raise {memory.VARIABLE}."
        ]
    if free < LEAST_MEMORY:
        return [f"{words(free)} of memory are free; a fit needs {words(LEAST_MEMORY)}."]
    return []


def _software() -> list[str]:
    if cluster.address():
        try:
            cluster.check()
        except WorkspaceError as error:
            return [f"{error.message} {error.hint}"]
        return []
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        return [f"Not installed: {', '.join(missing)}. Run make setup."]
    return []
