"""The demo: made where it is missing, and fitted while somebody looks around."""

import logging
import os
from pathlib import Path

from core.errors import MMMError
from core.service import runs
from core.service.projects import shelf
from core.service.projects.access import MIXWRIGHT, acting_as

_LOGGER = logging.getLogger("mixwright")
#: Set to 0, the demo is made but not fitted.
SWITCH = "MIXWRIGHT_DEMO_FIT"


def ensure() -> None:
    """Make the demo where it is missing, and fit it in a process of its own.

    Raises:
        MMMError: The workspace cannot be written.
    """
    folder = shelf.project_folder(shelf.DEMO)
    is_new = not folder.exists()
    shelf.ensure_demo()
    if is_new and folder.exists() and os.environ.get(SWITCH, "1") != "0":
        _fit(folder)


def _fit(folder: Path) -> None:
    """Start the demo's fit; without one it is a project like any other."""
    try:
        with acting_as(MIXWRIGHT):
            runs.start(folder, "fit")
    except MMMError as error:
        _LOGGER.warning("The demo is not fitted: %s", error.message)
