"""The workspace: its projects, and the demo that it begins with."""

import json
from pathlib import Path

from core.errors import WorkspaceError
from core.project.settings.defaults import aligned, default_spec
from core.project.settings.project_data import replace_data, replace_table
from core.project.shelf.cards import DEMO, DEMO_TABLE, ProjectCard, projects
from core.project.shelf.lifecycle import (
    create_project,
    delete_project,
    duplicate_project,
    init_project,
    rename_project,
    true_rois,
    truth,
)
from core.store.places import home, project_folder, projects_folder
from core.team.identity import MIXWRIGHT, acting_as

__all__ = [
    "DEMO",
    "ProjectCard",
    "aligned",
    "create_project",
    "default_spec",
    "delete_project",
    "duplicate_project",
    "ensure_demo",
    "home",
    "init_project",
    "project_folder",
    "projects",
    "projects_folder",
    "rename_project",
    "replace_data",
    "replace_table",
    "true_rois",
    "truth",
]

_EXAMPLES = Path(__file__).parents[3] / "assets" / "examples"


def ensure_demo() -> Path:
    """Create the demo project where it is missing.

    Returns:
        Its folder.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    folder, source = project_folder(DEMO), _EXAMPLES / DEMO_TABLE
    if not folder.exists() and source.is_file():
        _create_demo(DEMO, source)
    return folder


def _create_demo(name: str, source: Path) -> None:
    from core.data.files.load import load_table
    from core.data.recognition.recognise import guess_mapping

    frame = load_table(source, source.name)
    known = source.with_suffix(".truth.json")
    knowledge = json.loads(known.read_text()) if known.is_file() else None
    try:
        with acting_as(MIXWRIGHT):
            create_project(
                name, frame, guess_mapping(frame), truth=knowledge, currency="EUR"
            )
    except WorkspaceError:
        if not project_folder(name).exists():  # else another server was faster
            raise
