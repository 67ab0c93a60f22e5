"""The server: what runs on it, whether it is ready, and what it tells monitors."""

from pathlib import Path

from core.jobs.memory import in_words
from core.jobs.operation.openmetrics import openmetrics
from core.jobs.operation.overview import Overview, overview, used
from core.jobs.operation.readiness import obstacles
from core.store.atomic import write_text


def write_metrics(path: Path, server: Overview) -> None:
    """Write an overview for a monitor that reads files.

    Raises:
        WorkspaceError: The file cannot be written.
    """
    write_text(path, openmetrics(server))
