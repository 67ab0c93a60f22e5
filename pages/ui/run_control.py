"""Starting and stopping runs from a screen."""

from pathlib import Path
from typing import Any

from core.jobs import executor
from core.workspace.fits import runs
from core.workspace.fits.derived import new_derived
from core.workspace.fits.horizons import new_horizon
from core.workspace.fits.more_draws import with_more_draws
from core.workspace.fits.runs import Run, RunKind
from pages.ui.reading import Opened


def start(here: Opened, kind: RunKind, sampler: Any = None) -> Path:
    """Create a run with the project as it is now and submit it.

    Raises:
        MMMError: The project cannot be fitted, or the workspace cannot be written.
    """
    run = runs.new_run(here.folder, kind, here.project, sampler=sampler)
    executor.submit(run)
    return run


def resume(run: Run) -> None:
    """Start a run again that stopped before its end.

    Raises:
        WorkspaceError: It is at work or finished, or cannot be written.
    """
    executor.submit(run.folder, resume=True)


def add_draws(run: Run, draws: int) -> Path:
    """Start a new run that adds draws to a finished fit.

    Args:
        run: The finished fit.
        draws: Kept draws per chain in all.

    Raises:
        MMMError: It cannot be added to, or the workspace cannot be written.
    """
    longer_run = with_more_draws(run.folder, draws)
    executor.submit(longer_run)
    return longer_run


def plan_weeks(fit: Run, table: dict[str, Any]) -> Path:
    """Start a plan of weeks.

    Args:
        fit: The finished fit.
        table: What is asked for, as a scenario file has it.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    run = new_derived(fit.folder, "flight", table)
    executor.submit(run)
    return run


def plan_periods(fit: Run, start: str, n: int) -> Path:
    """Have the response curves of other periods worked out.

    Args:
        fit: The finished fit.
        start: First day of the first period, YYYY-MM-DD.
        n: Number of periods.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    run = new_horizon(fit.folder, start, n)
    executor.submit(run)
    return run


def cancel(run: Run) -> None:
    """Ask a run to stop.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    executor.cancel(run.folder)


def live(here: Opened, kind: RunKind) -> Run | None:
    """The newest run of a kind that waits or works."""
    listed = runs.list_runs(here.folder, kind)
    return next((run for run in listed if run.status.is_live), None)


def newest(here: Opened, kind: RunKind) -> Run | None:
    """The newest run of a kind, whatever became of it."""
    return next(iter(runs.list_runs(here.folder, kind)), None)
