"""A fit that a new one would repeat: same table, model, settings, seed, versions."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.project.fits.run_inputs import versions
from core.project.fits.runs import Run, list_runs, out_of_date
from core.project.settings.project import load_project
from core.store.results import has_result


def same_fit(folder: Path, sampler: Mapping[str, Any]) -> Run | None:
    """The newest finished fit whose numbers a new one would have, too.

    Args:
        folder: Of the project. A funnel has none: its other fits may have changed.
        sampler: Settings that differ from the project's.
    """
    project = load_project(folder)
    if project.funnels:
        return None
    settings = asdict(replace(project.sampler, **sampler))
    for run in list_runs(folder, "fit"):
        if (
            run.status.state == "done"
            and has_result(run.folder)
            and (run.sampler.as_dict(), run.versions) == (settings, versions())
            and not out_of_date(run.folder, folder, project)
        ):
            return run
    return None
