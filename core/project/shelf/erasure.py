"""Erasure: a project deleted for good, with what the trash has of it.

Backups are other files, and the audit log keeps the names: docs/privacy.md says what
to do about them.
"""

import os
import re
import shutil
from pathlib import Path

from core.errors import WorkspaceError
from core.project.fits.pruning import size_of
from core.project.fits.runs import refuse_live
from core.store.atomic import explain, make_folder, note_change, sync_folder
from core.store.places import new_id, project_folder, trash_folder
from core.store.run_about import read_about
from core.team.gate import gated
from core.team.roles import Role

_ID = r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}"
_RUN = re.compile(rf"(run|pruned) {_ID} {_ID}", re.ASCII)


def remains(name: str) -> list[Path]:
    """What the trash has of a project: the project itself, runs and plans of it."""
    try:
        listed = sorted(trash_folder().iterdir())
    except OSError:
        return []
    named = re.escape(name)
    own = re.compile(
        rf"{named}( before)? {_ID}|plan {_ID} {_ID} of {named}\.json", re.ASCII
    )
    return [
        path
        for path in listed
        if own.fullmatch(path.name)
        or (_RUN.fullmatch(path.name) and read_about(path).project == name)
    ]


def _bytes_of(path: Path) -> int:
    """Bytes of a folder, or of a plan."""
    return size_of(path) if path.is_dir() else path.stat().st_size


@gated("project erased", Role.ADMIN)
def erase_project(name: str) -> int:
    """Delete a project of the workspace for good, and what the trash has of it.

    Args:
        name: The project; it may be in the trash already.

    Returns:
        Bytes that were freed.

    Raises:
        WorkspaceError: There is none, a run of it is at work, or it cannot be deleted.
    """
    folder = project_folder(name)
    trash = make_folder(trash_folder())
    doomed = remains(name)
    if os.path.lexists(folder):
        refuse_live(folder)
        moved = trash / f"{name} {new_id()}"
        try:
            os.rename(folder, moved)  # gone at once, whatever happens next
            note_change()
        except OSError as error:
            raise explain(error, folder) from error
        doomed.append(moved)
    elif not doomed:
        raise WorkspaceError(
            f"There is no project {name}, and nothing of it in the trash.",
            hint="Projects go by the name that they had last.",
            where=name,
        )
    n_bytes = sum(map(_bytes_of, doomed))
    for path in doomed:
        try:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            note_change()
        except OSError as error:
            raise explain(error, path) from error
    sync_folder(trash)
    return n_bytes
