"""The workspace's projects at a glance, for the side bar and the start screen."""

import contextlib
import logging
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from core.errors import MMMError, WorkspaceError
from core.project.fits.runs import latest_fit, list_runs, out_of_date
from core.project.settings.definition import Project
from core.project.settings.project import FILE, data_file, load_project
from core.project.shelf.seen import unseen
from core.store.places import may_name_project, projects_folder
from core.team.gate import may
from core.team.roles import Role
from core.text.languages.locale import STANDARD

_LOGGER = logging.getLogger("mixwright")

#: The demo project, which is shown first, and its table.
DEMO, DEMO_TABLE = "Demo market", "demo_national.csv"

CardState = Literal["damaged", "empty", "ready", "running", "fitted", "out_of_date"]


@dataclass(frozen=True)
class ProjectCard:
    """A project at a glance.

    Attributes:
        name: Its name, which is its folder's.
        folder: Where it is.
        changed: When something in it last changed, UTC.
        state: `damaged`, `empty` (no data), `ready` (never fitted), `running`,
            `fitted`, or `out_of_date` (fitted, and changed since).
        message: What is wrong or has changed; empty otherwise.
        is_demo: Whether it is the demo project.
        is_new: Whether its newest fit has ended and nobody has looked at it.
        locale: How what is about it is written.
    """

    name: str
    folder: Path
    changed: datetime
    state: CardState
    message: str
    is_demo: bool
    is_new: bool = False
    locale: str = STANDARD


def projects() -> list[ProjectCard]:
    """Every project that one may see: the demo first, then the last changed."""
    cards = [card_of(folder) for folder in _folders() if may(folder, Role.VIEWER)]
    return sorted(
        cards,
        key=lambda card: (not card.is_demo, -card.changed.timestamp(), card.name),
    )


def _folders() -> list[Path]:
    """Folders of the workspace that may be projects; links are none."""
    try:
        with os.scandir(projects_folder()) as entries:
            names = [
                entry.name for entry in entries if entry.is_dir(follow_symlinks=False)
            ]
    except OSError:  # no workspace yet, or one that cannot be looked into
        return []
    return [projects_folder() / name for name in names if may_name_project(name)]


def card_of(folder: Path) -> ProjectCard:
    """One project; whatever is wrong with it is said on its own card."""
    is_new, locale = False, STANDARD
    try:
        project = load_project(folder)
        locale = project.locale
        state, message = _state(folder, project)
        is_new = unseen(folder) is not None
    except MMMError as error:
        state, message = "damaged", error.message
    except Exception as error:  # a mistake in one card must not hide the others
        _LOGGER.exception("Card of %s", folder)
        state = "damaged"
        message = f"This project cannot be shown: {type(error).__name__}."
    return ProjectCard(
        name=folder.name,
        folder=folder,
        changed=_changed(folder),
        state=state,
        message=message,
        is_demo=folder.name == DEMO,
        is_new=is_new,
        locale=locale,
    )


def _changed(folder: Path) -> datetime:
    """When something in the folder last changed."""
    latest = 0.0
    for name in ("", FILE, "runs", "plans"):  # a new table changes the folder
        with contextlib.suppress(OSError):
            latest = max(latest, os.lstat(folder / name).st_mtime)
    return datetime.fromtimestamp(min(latest, time.time()), UTC)


def _state(folder: Path, project: Project) -> tuple[CardState, str]:
    try:
        data_file(folder, project)
    except WorkspaceError as error:
        return "empty", error.message
    if any(run.status.is_live for run in list_runs(folder)):
        return "running", ""
    run = latest_fit(folder)
    if run is None:
        return "ready", ""
    reasons = out_of_date(run.folder, folder, project)
    return ("out_of_date", ", ".join(reasons)) if reasons else ("fitted", "")
