"""Seen: whether anybody has looked at how a run ended. A mark in its directory."""

import contextlib
from pathlib import Path

from core.errors import WorkspaceError
from core.project.fits.runs import Run, list_runs
from core.store.atomic import write_text

_MARK = "seen"


def mark_seen(run: Path) -> None:
    """Note that somebody looks at how a run ended; a full disk is no reason to fail."""
    if not (run / _MARK).exists():
        with contextlib.suppress(WorkspaceError):
            write_text(run / _MARK, "", durable=False)


def is_seen(run: Path) -> bool:
    """Whether somebody has looked at how a run ended."""
    return (run / _MARK).exists()


def unseen(project_folder: Path) -> Run | None:
    """The newest fit, if it has ended and nobody has looked at it."""
    newest = next(iter(list_runs(project_folder, "fit")), None)
    if newest is None or newest.status.is_live or is_seen(newest.folder):
        return None
    return newest
