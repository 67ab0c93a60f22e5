"""Fits: made, continued, and what they say.

A finished run is never changed. One with more draws has its inputs, settings, seed and
checkpoint; its first draws are those of the old run. Where a new fit would repeat one
(same table, model, settings, seed, versions) that one is what is offered instead.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from core.analysis.record.fit_record import FitRecord, part_of_result
from core.errors import SpecError, WorkspaceError
from core.jobs import executor
from core.project.fits.expected_time import expected_seconds
from core.project.fits.previews import read_preview
from core.project.fits.pruning import Pruning, prune, pruning
from core.project.fits.run_inputs import new_run, versions
from core.project.fits.runs import Run, list_runs, open_run, out_of_date
from core.project.settings.project import load_project
from core.project.shelf.seen import mark_seen
from core.service.runs import SILENT, Watch, await_end, work_off
from core.store.atomic import write_json
from core.store.fit_results import FitReport, read_fit, read_report
from core.store.results import has_result, read_json
from core.store.run_about import read_about
from core.store.stored import read_object

if TYPE_CHECKING:
    from core.project.comparing.records import Comparison, Specifications


def fit(
    project: Path, sampler: Mapping[str, Any] | None = None, watch: Watch = SILENT
) -> Run:
    """Fit a project's model in a process of its own, and wait for it.

    Args:
        project: Its folder.
        sampler: Settings that differ from the project's.
        watch: Told how it goes on.

    Raises:
        DataError: The data cannot be modelled.
        SpecError: Options, priors or settings do not fit the data.
        SamplingError: Sampling failed or was stopped.
    """
    run = new_run(project, "fit", sampler=dict(sampler or {}))
    fit_run(run, watch)
    return open_run(run)


def fit_run(run: Path, watch: Watch = SILENT, *, resume: bool = False) -> FitReport:
    """Start a run that was made, wait for it, and read its fit.json.

    Raises:
        SamplingError: Sampling failed or was stopped.
        MMMError: The input is at fault.
    """
    work_off(run, f"Run {run}", watch, resume=resume)
    return _report(run)


def await_fit(run: Path, watch: Watch = SILENT) -> FitReport:
    """Wait for a run that is at work, and read its fit.json; see `fit_run`."""
    await_end(run, f"Run {run}", watch)
    return _report(run)


def report_of(run: Path) -> FitReport:
    """What a finished fit reports of its making, as `fit --json` prints it.

    Raises:
        WorkspaceError: The result is missing or damaged.
    """
    return structs.replace(read_report(run), run=str(run))


def is_fit(run: Path) -> bool:
    """Whether a run is a fit, and not what is worked out from one.

    Raises:
        WorkspaceError: It is no run.
    """
    return open_run(run).kind == "fit"


def _report(run: Path) -> FitReport:
    mark_seen(run)
    return report_of(run)


def add_draws(fit: Run, draws: int) -> Path:
    """Start a new run that adds draws to a finished fit; returns at once.

    Args:
        fit: The finished fit.
        draws: Kept draws per chain in all.

    Raises:
        MMMError: It cannot be added to, or the workspace cannot be written.
    """
    run = with_more_draws(fit.folder, draws)
    executor.submit(run)
    return run


def summary(fit: Run) -> dict[str, Any]:
    """What a finished fit says, with where it is now, as `summary --json` prints it.

    Raises:
        WorkspaceError: The fit is damaged.
    """
    return read_json(fit.folder, "summary") | {"run": str(fit.folder)}


def verdict_of(fit: Run) -> str | None:
    """The verdict on the fit; None where it has none."""
    return record(fit).verdict or None


def record(fit: Run) -> FitRecord:
    """What a finished fit says, to be read by name.

    Raises:
        WorkspaceError: The fit is damaged.
    """
    return read_fit(fit.folder)


def compare(fits: Sequence[Run]) -> "Comparison | Specifications":
    """Finished fits side by side.

    Args:
        fits: Two, compared number by number and as specifications; or more of them,
            as specifications alone.

    Raises:
        WorkspaceError: A result is damaged or missing.
    """
    # Slow to import, and only a comparison needs them.
    from core.project.comparing.comparison import compare_runs
    from core.project.comparing.specifications import compare_specifications

    specifications = compare_specifications(list(fits))
    if len(fits) != 2:
        return specifications
    return structs.replace(compare_runs(*fits), specifications=specifications)


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
