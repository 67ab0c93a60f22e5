"""Saved plans by what somebody calls them: a name, an identifier, or a file."""

import os
from collections.abc import Sequence
from pathlib import Path

from core import PROGRAM
from core.errors import WorkspaceError
from core.plan.record.plan_record import PlanRecord
from core.project.plans.plans import list_plans, load_plan
from core.service.places import nearby, project_with
from core.store.places import is_id, typed_path
from core.text.sentences import count, listed


def named(project: Path, name: str) -> PlanRecord:
    """The plan of a project that an identifier, the name it was saved as, or a path is.

    Args:
        project: Folder of the project.
        name: As somebody typed it.

    Raises:
        WorkspaceError: There is none, several have the name, or it is damaged.
    """
    path = typed_path(name)
    if is_id(name) and (project / "plans" / f"{name}.json").is_file():
        return load_plan(project, name)
    if not os.path.isfile(path) and (plan := _only(list_plans(project), name)):
        return plan
    return found(name)[1]


def found(name: str) -> tuple[Path, PlanRecord]:
    """The project and the plan that a path, an identifier or a plan's name stands for.

    Raises:
        WorkspaceError: There is none, several have the name, or it is damaged.
    """
    path = typed_path(name)
    if os.path.isfile(path) and path.suffix == ".json" and is_id(path.stem):
        folder = path.resolve().parent.parent
        return folder, load_plan(folder, path.stem)
    if is_id(name):
        folder = project_with("plans", f"{name}.json")
        if folder is not None:
            return folder, load_plan(folder, name)
    owners = {plan.plan_id: each for each in nearby() for plan in list_plans(each)}
    several = [load_plan(folder, plan_id) for plan_id, folder in owners.items()]
    if plan := _only(several, name):
        return owners[plan.plan_id], plan
    raise WorkspaceError(
        f"There is no plan {name}.",
        hint="Plans are found by name or id in the workspace and in the projects of "
        "the current folder; elsewhere by their file, PROJECT/plans/ID.json. "
        f"{PROGRAM} plan RUN --save NAME saves one.",
        where=name,
    )


def _only(several: Sequence[PlanRecord], name: str) -> PlanRecord | None:
    """The plan that was saved under a name; None where there is none.

    Raises:
        WorkspaceError: There are several.
    """
    same = [plan for plan in several if plan.name == name]
    if len(same) > 1:
        plans, ids = count(len(same), "plan"), listed([one.plan_id for one in same])
        raise WorkspaceError(
            f"{plans} are called {name}: {ids}.",
            hint="Give the id of the one you mean.",
            where=name,
        )
    return same[0] if same else None
