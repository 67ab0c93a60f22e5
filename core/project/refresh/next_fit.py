"""The next fit: what a refresh has to do, whatever an earlier one left unfinished."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.analysis.record.fit_record import part_of_result
from core.project.fits.run_inputs import new_run, versions
from core.project.fits.runs import Run, data_sha256, latest_fit, list_runs
from core.project.refresh.record import RefreshRecord
from core.project.settings.definition import spec_sha256
from core.project.settings.project import data_file, load_project
from core.project.shelf.seen import is_seen
from core.store.results import has_result, read_json, result_files
from core.store.run_state import is_about_to_begin, read_status

#: Ends of a run that is gone on with from its checkpoint; one that failed is not.
_OPEN_ENDS = ("cancelled", "killed", "lost")
#: Seconds between two looks at a fit that may be about to begin.
_LOOK = 0.1


@dataclass(frozen=True)
class NextFit:
    """What is to be done for a project to be fitted as it is.

    Attributes:
        last: The newest finished fit; None where there is none.
        run: The fit that answers for the project: to be waited for, to go on with, or
            done; None where it has to be made.
        is_done: Whether that one is finished.
        is_told: Whether somebody has seen how it ended.
    """

    last: Run | None
    run: Run | None = None
    is_done: bool = False
    is_told: bool = False


def next_fit(folder: Path) -> NextFit:
    """What a refresh has to do: nothing, wait, go on, or fit.

    Raises:
        WorkspaceError: The project is damaged or has no data.
    """
    last, inputs = latest_fit(folder), _wanted(folder)
    if last is not None and _made_of(last) == inputs:
        return NextFit(last, last, is_done=True, is_told=is_seen(last.folder))
    for run in list_runs(folder, "fit"):
        if last is not None and run.number <= last.number:
            break
        open_end = run.status.is_live or run.status.state in _OPEN_ENDS
        if open_end and not has_result(run.folder) and _made_of(run) == inputs:
            return NextFit(last, run)
    return NextFit(last)


def must_resume(run: Path) -> bool:
    """Whether a fit stopped before its end, or before anybody began with it.

    Waits for a moment where it may be about to begin: whoever made it may be gone.
    """
    while is_about_to_begin(run):
        time.sleep(_LOOK)
    return read_status(run).state in _OPEN_ENDS


def new_refresh(folder: Path, last: Run | None) -> Path:
    """A fit of the project as it is, ready to be submitted, that refreshes the last.

    Raises:
        SpecError: The results of an experiment are impossible.
        WorkspaceError: The project is damaged or cannot be written.
    """
    options = {"before": last.run_id} if last is not None else None
    return new_run(folder, "fit", options=options)


def refreshed(run: Path) -> RefreshRecord | None:
    """What a finished fit says of the one before; None where it refreshed none.

    Raises:
        WorkspaceError: The result is missing or damaged.
    """
    if "refresh.json" not in result_files(run):
        return None
    return part_of_result(read_json(run, "refresh"), RefreshRecord, "refresh")


def _wanted(folder: Path) -> tuple[Any, ...]:
    project = load_project(folder)
    digest = data_sha256(data_file(folder, project))
    return digest, spec_sha256(project), versions()


def _made_of(run: Run) -> tuple[Any, ...]:
    return run.data_sha256, run.spec_sha256, run.versions
