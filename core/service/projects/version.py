"""Opening the workspace: one of a newer version is refused, an older one backed up."""

import os
from datetime import UTC, datetime

from core import __version__
from core.store import version
from core.store.atomic import make_subfolder
from core.store.locks import hold
from core.store.places import home, projects_folder
from core.team.identity import MIXWRIGHT, acting_as

_LOCK = ".version.lock"
#: Seconds to wait for another process that takes the backup.
_PATIENCE = 600.0


def opened() -> str:
    """Open the workspace, whoever wrote it.

    Returns:
        What was done first, in a sentence; mostly nothing.

    Raises:
        WorkspaceError: A newer version wrote it, or an older one and the backup cannot
            be taken. Nothing was changed.
    """
    refuse_newer()
    if not version.is_older(home()):
        return ""
    lock = hold(home() / _LOCK, patience=_PATIENCE)
    try:
        before = version.recorded(home())
        if not version.is_older(home()):  # another process was faster
            return ""
        file = _backed_up(before)
        version.record(home())
    finally:
        if lock is not None:
            os.close(lock)
    where = f" A backup as it was is in {file}." if file else ""
    return f"The workspace was last written by Mixwright {before}.{where}"


def refuse_newer() -> None:
    """Refuse a workspace of a newer version, and look no further.

    Raises:
        WorkspaceError: A newer version wrote it.
    """
    version.refuse_newer(home())


def _backed_up(before: str) -> str:
    """Where the workspace was backed up to; empty where there is no project."""
    from core.project.backup.take import take_backup

    if not any(projects_folder().glob("*/project.toml")):
        return ""
    now = datetime.now(UTC)
    name = f"{before}-before-{__version__}-{now:%Y%m%d-%H%M%S}.zip"
    file = make_subfolder(home(), "backups") / name
    with acting_as(MIXWRIGHT):
        take_backup(file)
    return str(file)
