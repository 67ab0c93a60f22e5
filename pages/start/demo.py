"""The demo: made where it is missing, and fitted while somebody looks around."""

import logging
import os
from pathlib import Path

from core.errors import MMMError
from core.jobs import executor
from core.project.fits.runs import new_run
from core.project.shelf import store
from core.team.identity import MIXWRIGHT, acting_as

_LOGGER = logging.getLogger("mixwright")
#: Set to 0, the demo is made but not fitted.
SWITCH = "MIXWRIGHT_DEMO_FIT"


def ensure() -> None:
    """Make the demo projects where they are missing, and fit the first in its process.

    Raises:
        MMMError: The workspace cannot be written.
    """
    first = store.project_folder(next(iter(store.DEMOS)))
    is_new = not first.exists()
    store.ensure_demo()
    if is_new and first.exists() and os.environ.get(SWITCH, "1") != "0":
        _fit(first)


def _fit(folder: Path) -> None:
    """Start the demo's fit; without one it is a project like any other."""
    try:
        with acting_as(MIXWRIGHT):
            executor.submit(new_run(folder, "fit"))
    except MMMError as error:
        _LOGGER.warning("The demo is not fitted: %s", error.message)
