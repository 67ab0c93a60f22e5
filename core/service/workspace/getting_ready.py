"""Getting ready: a worker starts before a command has loaded what makes its run.

What a worker imports takes longer than anything that a command does before it submits
its run, so it is started first of all. Hence nothing is imported here that takes time:
what the project says is looked at, not checked, since whoever makes the run does that.
A worker that was started for another precision or device is not used.
"""

import contextlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.fit.settings import SamplerSettings
from core.jobs.standby.keeping import STANDBY
from core.store.places import projects_folder, typed_path
from core.store.run_about import about_of

#: Settings that are fixed when a worker starts.
_FIXED = ("precision", "device")


def prepare(
    project: str | None = None, sampler: Mapping[str, Any] | None = None
) -> None:
    """Have a worker do its imports while the caller gets to a project's next fit.

    Nothing happens where there is no room for one, or no such project.

    Args:
        project: Its folder or its name; None for one that is still to be made.
        sampler: Settings of the fit that differ from the project's.
    """
    stored: dict[str, Any] = {}
    if project is not None:
        with contextlib.suppress(OSError, ValueError):
            path = typed_path(project)
            folder = path if os.path.isdir(path) else projects_folder() / project
            stored = tomllib.loads((folder / "project.toml").read_text("utf-8"))
        if not stored:
            return
    own = asdict(about_of(stored).sampler)  # as run.json has them, too
    settings = {name: own[name] for name in _FIXED if own[name] is not None}
    STANDBY.prepare(asdict(SamplerSettings()) | settings | dict(sampler or {}))


def dismiss() -> None:
    """End the worker that was started, where there is nothing for it to do."""
    STANDBY.end()
