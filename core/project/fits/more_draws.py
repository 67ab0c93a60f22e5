"""More draws of a finished fit: a new run that begins where the old one ended.

A finished run is never changed. The new one has its inputs, settings, seed and
checkpoint, and asks for more draws; its first draws are those of the old run.
Where a new fit would repeat one (same table, model, settings, seed, versions) it is
what is offered instead.
"""

import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.errors import SpecError, WorkspaceError
from core.project.fits.run_inputs import new_run, versions
from core.project.fits.runs import Run, list_runs, out_of_date
from core.project.settings.project import load_project
from core.store.atomic import write_json
from core.store.results import has_result
from core.store.run_about import read_about
from core.store.stored import read_object


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


_CHECKPOINT = "checkpoint"


def can_go_on(run: Path) -> bool:
    """Whether a finished fit has what more draws need."""
    return has_result(run) and (run / _CHECKPOINT / "state.npz").is_file()


def with_more_draws(run: Path, draws: int) -> Path:
    """A new run, ready to be submitted, that adds draws to a finished fit.

    Args:
        run: The finished fit; it stays as it is.
        draws: Kept draws per chain in all, the old ones included.

    Returns:
        The directory of the new run; its run.json says which one it `continues`.

    Raises:
        SpecError: So many draws are there already.
        WorkspaceError: The run has no checkpoint, or the workspace cannot be written.
    """
    about = read_about(run)
    if not can_go_on(run):
        raise WorkspaceError(
            f"Run {run.name} cannot be added to: its checkpoint is missing.",
            hint="Start a new fit with more draws.",
            where=str(run),
        )
    project = load_project(run)
    if draws <= project.sampler.draws:
        raise SpecError(
            f"Run {run.name} has {project.sampler.draws:,} draws per chain already.",
            hint=f"Ask for more than that, not for {draws:,}.",
            where="sampler.draws",
        )
    longer = replace(project, sampler=replace(project.sampler, draws=draws))
    # The hashes are those of the project's own files, which the old run knew.
    own = {"data_sha256": about.data_sha256, "spec_sha256": about.spec_sha256}
    own |= {"continues": run.name}

    def go_on(longer_run: Path) -> None:
        shutil.copytree(run / _CHECKPOINT, longer_run / _CHECKPOINT)
        write_json(longer_run / "run.json", read_object(longer_run / "run.json") | own)

    return new_run(run.parent.parent, "fit", longer, inputs=run, fill=go_on)
