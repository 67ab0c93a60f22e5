"""The workspace's projects at a glance, for the side bar and the start screen."""

import contextlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from core.errors import MMMError, WorkspaceError
from core.workspace.places import check_project_name, projects_folder
from core.workspace.project import FILE, data_file, load_project
from core.workspace.runs import latest_fit, list_runs, out_of_date
from core.workspace.seen import unseen

#: The demo projects and their tables, in the order in which they are shown.
DEMOS = {
    "Demo market": "demo_national.csv",
    "Demo market 12 regions": "demo_geo.csv",
}

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
        is_demo: Whether it is one of the demo projects.
        is_new: Whether its newest fit has ended and nobody has looked at it.
    """

    name: str
    folder: Path
    changed: datetime
    state: CardState
    message: str
    is_demo: bool
    is_new: bool = False


def projects() -> list[ProjectCard]:
    """Every project of the workspace: demos first, then the last changed."""
    folder = projects_folder()
    cards = []
    for path in folder.iterdir() if folder.is_dir() else ():
        with contextlib.suppress(WorkspaceError):
            check_project_name(path.name)
            if path.is_dir() and not path.is_symlink():
                cards.append(_card(path))
    demos = list(DEMOS)
    return sorted(
        cards,
        key=lambda card: (
            demos.index(card.name) if card.is_demo else len(demos),
            -card.changed.timestamp(),
            card.name,
        ),
    )


def _card(folder: Path) -> ProjectCard:
    state, message = _state(folder)
    parts = [folder / name for name in ("", FILE, "data.parquet", "runs", "plans")]
    changed = max(part.stat().st_mtime for part in parts if part.exists())
    return ProjectCard(
        name=folder.name,
        folder=folder,
        changed=datetime.fromtimestamp(changed, UTC),
        state=state,
        message=message,
        is_demo=folder.name in DEMOS,
        is_new=unseen(folder) is not None,
    )


def _state(folder: Path) -> tuple[CardState, str]:
    try:
        project = load_project(folder)
    except MMMError as error:
        return "damaged", error.message
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
