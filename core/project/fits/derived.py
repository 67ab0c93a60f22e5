"""Derived runs: worked out from a finished fit, with its frozen inputs.

A `flight` is a plan of weeks, a `horizon` the response curves of other periods.
asked.json beside the inputs says which fit it is of and what was asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.data.mapping import PAID
from core.errors import WorkspaceError
from core.plan.response.curves import no_spend
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import Run, list_runs
from core.project.settings.project import load_project
from core.store.atomic import write_json
from core.store.places import is_id
from core.store.results import has_result
from core.store.run_about import read_about
from core.store.stored import lenient, read_object

DerivedKind = Literal["flight", "horizon"]
_FILE = "asked.json"
_SAMPLER = {
    "flight": {"precision": "float64", "device": "cpu"},
    "horizon": {"device": "cpu"},
}
_WHAT = {"flight": "plan of weeks", "horizon": "response of other periods"}


def new_derived(fit: Path, kind: DerivedKind, table: Mapping[str, Any]) -> Path:
    """A run, ready to be submitted, that works something out from a finished fit.

    Args:
        fit: The run of the fit.
        kind: What to work out.
        table: What is asked for: a scenario of weeks, or `start` and `periods`.

    Raises:
        PlanError: No channel has spend.
        WorkspaceError: The fit has no result, or the workspace cannot be written.
    """
    if not has_result(fit):
        raise WorkspaceError(
            f"Run {fit.name} has no result.",
            hint="Wait until it is done, or fit again.",
            where=str(fit),
        )
    project = load_project(fit)
    if not project.mapping.of_kind(*PAID):
        raise no_spend()
    content = {"fit": fit.name, "request": dict(table)}
    return new_run(
        fit.parents[1],
        kind,
        project,
        sampler=_SAMPLER[kind],
        inputs=fit,
        fill=lambda run: write_json(run / _FILE, content),
    )


@dataclass(frozen=True)
class _Asked:
    """What asked.json holds: the fit, and what is asked for of it."""

    fit: str = ""
    request: dict[str, Any] | None = None


def _asked(run: Path) -> _Asked:
    return lenient(read_object(run / _FILE), _Asked)


def asked(run: Path) -> tuple[Path, dict[str, Any]]:
    """The fit that a run is derived from, and what was asked for.

    Raises:
        WorkspaceError: Its asked.json is damaged, or the fit is gone.
    """
    record = _asked(run)
    fit = run.parent / (record.fit if is_id(record.fit) else "")
    if record.request is None or not has_result(fit):
        what = _WHAT.get(read_about(run).kind, "run")
        raise WorkspaceError(
            f"The fit behind the {what} {run.name} is gone.",
            hint="Plan again with a fit that is there.",
            where=str(run),
        )
    return fit, record.request


def request_of(run: Path) -> dict[str, Any]:
    """What was asked for; empty where that cannot be read."""
    return _asked(run).request or {}


def derived(project_folder: Path, kind: DerivedKind, fit: str) -> list[Run]:
    """Runs of a kind that are derived from one fit, newest first."""
    listed = list_runs(project_folder, kind)
    return [run for run in listed if _asked(run.folder).fit == fit]
