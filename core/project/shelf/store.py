"""The workspace: its projects, and the demo that it begins with."""

import json
from pathlib import Path

from core.errors import WorkspaceError
from core.project.shelf.cards import DEMO, DEMO_TABLE
from core.project.shelf.lifecycle import create_project
from core.store.places import project_folder
from core.team.identity import MIXWRIGHT, acting_as

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
    truth = source.with_suffix(".truth.json")
    knowledge = json.loads(truth.read_text("utf-8")) if truth.is_file() else None
    try:
        with acting_as(MIXWRIGHT):
            create_project(
                name, frame, guess_mapping(frame), truth=knowledge, currency="EUR"
            )
    except WorkspaceError:
        if not project_folder(name).exists():  # else another server was faster
            raise
