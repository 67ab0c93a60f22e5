"""A project's table: written as Parquet, and replaced together with its mapping."""

import contextlib
import re
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import MMMError
from core.project.settings.definition import Project
from core.project.settings.project import load_project, save_project
from core.store.atomic import gone, write_with
from core.store.locks import alone
from core.store.places import new_id
from core.team.gate import gated
from core.team.quota import check_disk
from core.team.roles import Role

if TYPE_CHECKING:
    import pandas as pd

#: Tables that Mixwright wrote; any other file in the folder is somebody's own.
TABLE = re.compile(r"data(-[0-9]{8}-[0-9]{6}-[0-9a-f]{8})?\.parquet", re.ASCII)
#: Seconds after which a table that project.toml does not name is nobody's.
_ABANDONED = 24 * 3600.0


@gated("data saved", Role.PLANNER)
def replace_data(
    folder: Path, frame: "pd.DataFrame", file: str = "data.parquet"
) -> None:
    """Write a project's table as Parquet; the old one stays if that fails.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    from core.data.files.parquet import write_table

    check_disk("data saved", folder)
    write_with(folder / file, partial(write_table, frame))


@gated("data saved", Role.PLANNER)
def replace_table(
    folder: Path, frame: "pd.DataFrame", project: Project, *, base_sha: str
) -> str:
    """Give a project another table, together with the roles of its columns.

    The table goes into a file of another name, and project.toml names it: whoever
    looks, or whatever breaks in between, finds the old table with its mapping or the
    new one with its own.

    Args:
        folder: The project's folder.
        frame: The new table.
        project: What project.toml is to say; the name of the file is set here.
        base_sha: `project_sha256` from when the edit began.

    Returns:
        The new `project_sha256`.

    Raises:
        WorkspaceError: The project was changed meanwhile, or the disk is full or
            read-only. The project is as it was.
    """
    file = f"data-{new_id()}.parquet"
    if not folder.is_dir():
        raise gone(folder)
    replace_data(folder, frame, file)
    try:
        sha = save_project(folder, replace(project, file=file), base_sha=base_sha)
    except BaseException:
        # Interrupted after project.toml was replaced, the new table is the project's.
        if _named(folder) not in (file, None):
            (folder / file).unlink(missing_ok=True)
        raise
    with alone(folder):
        _clear(folder, file, project.file)
    return sha


def _named(folder: Path) -> str | None:
    """The table that project.toml names; None where that cannot be read."""
    with contextlib.suppress(MMMError):
        return load_project(folder).file
    return None


def _clear(folder: Path, file: str, before: str) -> None:
    """Remove tables that are no longer named.

    One that was written a moment ago may be that of somebody who is about to save it.

    Args:
        folder: The project's folder, whose lock is held.
        file: The table that was just saved; nothing is removed once another is named.
        before: The table before it.
    """
    if _named(folder) != file:
        return
    for path in folder.glob("data*.parquet"):
        with contextlib.suppress(OSError):
            is_old = path.stat().st_mtime < time.time() - _ABANDONED
            is_ours = TABLE.fullmatch(path.name) and path.name != file
            if is_ours and (is_old or path.name == before):
                path.unlink()
