"""The shelf: the projects of the workspace, by name."""

import os
from pathlib import Path
from typing import Any

from core.errors import MMMError, WorkspaceError
from core.project.fits.runs import Run, latest_fit, list_runs
from core.project.plans.plans import list_plans, plan_of_record
from core.project.settings.project_data import replace_table
from core.project.shelf.cards import DEMO, ProjectCard, card_of, projects
from core.project.shelf.erasure import erase_project
from core.project.shelf.lifecycle import (
    create_project,
    delete_project,
    duplicate_project,
    init_project,
    refuse_taken,
    rename_project,
    true_rois,
    truth,
)
from core.project.shelf.seen import mark_seen, unseen
from core.project.shelf.store import ensure_demo
from core.store.fit_results import read_fit
from core.store.places import (
    check_project_name,
    data_folders,
    home,
    may_name_project,
    project_folder,
    projects_folder,
    run_folder,
)
from core.team import audit
from core.team.gate import check, denial
from core.team.roles import Role

#: What to do next with a project, by its state.
_NEXT = {
    "damaged": "Mend the project: see its message.",
    "empty": "Give it data.",
    "ready": "Check its data, then fit it.",
    "running": "Wait for its fit.",
    "fitted": "Read its summary, then plan.",
    "out_of_date": "Fit it again: it has changed since its newest fit.",
}


def listed() -> list[dict[str, Any]]:
    """Every project that one may see: its state, newest fit, verdict, what is next."""
    return [_about(card.folder, card) for card in projects()]


def about(project: Path) -> dict[str, Any]:
    """The same of one project, wherever it is."""
    return _about(project, card_of(project))


def named(name: str) -> Path:
    """The folder of a project of the workspace; a path is no name.

    Raises:
        AccessError: The one who acts has no access to it.
        WorkspaceError: There is none, or it cannot be one.
    """
    folder = project_folder(name)
    if not os.path.isfile(folder / "project.toml"):
        names = [path.parent.name for path in projects_folder().glob("*/project.toml")]
        raise WorkspaceError(
            f"There is no project {name}.",
            hint=f"Projects: {', '.join(sorted(names)[:20]) or 'none'}.",
            where=name,
        )
    check("project opened", folder, Role.VIEWER)
    return folder


def renamed_to(name: str) -> str | None:
    """What a project that is gone is called by now.

    None where nobody renamed it, it is gone under that name too, or the one who acts
    may not see it.
    """
    now = name
    try:
        for entry in audit.entries():
            if entry.action == "project renamed" and entry.outcome == "done":
                now = entry.subject if entry.project == now else now
        folder = project_folder(now)
    except WorkspaceError:
        return None
    may_see = folder.is_dir() and denial(folder, Role.VIEWER) is None
    return now if now != name and may_see else None


def decided_plan(project: Path) -> str:
    """The plan of record of a project, else the plan that was saved last.

    Raises:
        WorkspaceError: It has no plan.
    """
    of_record = plan_of_record(project)
    if of_record is not None:
        return of_record
    plans = list_plans(project)
    if not plans:
        raise WorkspaceError(
            f"{project.name} has no saved plan.",
            hint="Plan, and save the plan under a name.",
            where=project.name,
        )
    return plans[0].plan_id


def _about(folder: Path, card: ProjectCard) -> dict[str, Any]:
    at_work = next((run for run in list_runs(folder) if run.status.is_live), None)
    fit = latest_fit(folder)
    return {
        "project": folder.name,
        "state": card.state,
        "message": card.message,
        "next": _NEXT[card.state],
        "fit": None if fit is None else fit.run_id,
        "verdict": None if fit is None else _verdict(fit),
        "at_work": None if at_work is None else at_work.run_id,
        "is_demo": card.is_demo,
    }


def _verdict(fit: Run) -> str | None:
    try:
        return read_fit(fit.folder).verdict
    except MMMError:
        return None
