"""Plans of weeks as runs: begun from a finished fit, and read again.

A flight is a run of its own with the fit's frozen inputs; flight.json beside them says
which fit it is of and what was asked for, as a scenario file would.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.workspace import plans
from core.workspace.atomic import write_json
from core.workspace.places import is_id
from core.workspace.project import load_project
from core.workspace.results import has_result
from core.workspace.run_inputs import new_run
from core.workspace.runs import Run, list_runs
from core.workspace.stored import read_object

_FILE = "flight.json"


def new_flight(fit: Path, table: Mapping[str, Any]) -> Path:
    """A run, ready to be submitted, that plans weeks with a finished fit.

    Args:
        fit: The run of the fit.
        table: What is asked for; see `core.plan.scenario.weeks`.

    Raises:
        WorkspaceError: The fit has no result, or the workspace cannot be written.
    """
    if not has_result(fit):
        raise WorkspaceError(
            f"Run {fit.name} has no result.",
            hint="Wait until it is done, or fit again.",
            where=str(fit),
        )
    precise = {"precision": "float64", "device": "cpu"}
    project = load_project(fit)
    made = new_run(fit.parents[1], "flight", project, sampler=precise, inputs=fit)
    try:
        write_json(made / _FILE, {"fit": fit.name, "table": dict(table)})
    except WorkspaceError:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return made


def asked(run: Path) -> tuple[Path, dict[str, Any]]:
    """The fit that a flight is of, and what was asked for.

    Raises:
        WorkspaceError: Its flight.json is damaged, or the fit is gone.
    """
    told = read_object(run / _FILE)
    name, table = told.get("fit"), told.get("table")
    fit = run.parent / (name if isinstance(name, str) and is_id(name) else "")
    if not isinstance(table, dict | None) or not has_result(fit):
        raise WorkspaceError(
            f"The fit behind the plan of weeks {run.name} is gone.",
            hint="Plan again with a fit that is there.",
            where=str(run),
        )
    return fit, dict(table or {})


def flights(project_folder: Path, fit: str) -> list[Run]:
    """Plans of weeks of one fit, newest first."""
    listed = list_runs(project_folder, "flight")
    return [run for run in listed if read_object(run.folder / _FILE).get("fit") == fit]


def to_keep(
    told: Mapping[str, Any],
    fit: str,
    table: Mapping[str, Any],
    name: str,
    *,
    notes: str = "",
    by: str = "",
) -> dict[str, Any]:
    """A plan of weeks as `core.workspace.plans.save_plan` keeps it.

    Args:
        told: What `core.plan.record.weeks.as_dict` said, with `draws`.
        fit: Identifier of the fit.
        table: The scenario that was asked for.
        name: Of the plan.
        notes: What is to be known about it.
        by: Who saves it.
    """
    kept = plans.to_keep(told, plans.WEEKS, fit, name, notes=notes, by=by)
    scenario = json.loads(json.dumps(dict(table), default=str))  # dates as text
    return kept | {"scenario": scenario, "gain": told["gain_over_current"]}
