"""Quotas: how many runs and how much disk a project may have, as access.toml says."""

import contextlib
import os
from pathlib import Path

from core.store.locks import is_held
from core.store.places import is_id
from core.store.run_about import read_about
from core.store.run_state import CLUSTER_LOCK
from core.team.gate import refuse
from core.team.settings import settings_of
from core.text import count

_KEEPER = "Or have whoever keeps the server raise the quota in access.toml."


def room_for_run(run: Path) -> None:
    """Refuse a run that would be one too many in its project.

    The parts of a backtest count as one run. The run's own lock is held already, so
    that of two at once each sees the other.

    Raises:
        AccessError: There is none.
    """
    project = run.parents[1]
    most = settings_of(project).runs
    if most is None:
        return
    others = {_study(other) for other in _live(run.parent)} - {_study(run)}
    if len(others) >= most:
        runs = count(len(others), "run that waits or works", "runs that wait or work")
        refuse(
            "run started",
            project,
            subject=run.name,
            why="quota",
            message=f"{project.name} has {runs}, and its quota is {most:g}.",
            hint=f"Wait for one to end, or stop one. {_KEEPER}",
        )


def _live(runs: Path) -> list[Path]:
    folders = [runs / name for name in os.listdir(runs) if is_id(name)]
    locks = ("lock", CLUSTER_LOCK)
    return [run for run in folders if any(is_held(run / lock) for lock in locks)]


def _study(run: Path) -> str:
    """What counts as one: a backtest with all its parts, or a run."""
    return str(read_about(run).options.get("study") or run.name)


def check_disk(action: str, project: Path) -> None:
    """Refuse what takes disk where the project's quota is used up.

    Args:
        action: What would take it.
        project: The project's folder.

    Raises:
        AccessError: The quota is used up.
    """
    most = settings_of(project).disk_bytes
    if most is None:
        return
    size = size_of(project)
    if size > most:
        refuse(
            action,
            project,
            subject="",
            why="quota",
            message=f"{project.name} takes {size / 1024**3:,.2f} GB of disk, and its "
            f"quota is {most / 1024**3:,.2f} GB.",
            hint=f"Delete runs that are not needed (Fit screen, or prune). {_KEEPER}",
        )


def size_of(folder: Path) -> int:
    """Bytes of the files in a folder; links count as links."""
    total = 0
    for place, folders, files in os.walk(folder):  # skips a folder that goes meanwhile
        for name in (*folders, *files):
            with contextlib.suppress(OSError):  # as may a file
                total += os.lstat(os.path.join(place, name)).st_size
    return total
