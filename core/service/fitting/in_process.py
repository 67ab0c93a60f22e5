"""A fit in this process, which loads JAX: for notebooks and scripts, never screens."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.project.fits.run_inputs import new_run
from core.project.fits.runs import Run, open_run


def fit_here(project: Path, sampler: Mapping[str, Any] | None = None) -> Run:
    """Fit a project's model in this process, which loads JAX and keeps it.

    Args:
        project: Its folder.
        sampler: Settings that differ from the project's.

    Raises:
        MMMError: The input is at fault, or sampling failed.
        KeyboardInterrupt: Somebody interrupted it; the run is cancelled then.
    """
    from core.jobs import in_process  # prepares this process for work

    run = new_run(project, "fit", sampler=dict(sampler or {}))
    in_process.work(run)
    return open_run(run)
