"""Plans of a project: each one file, never changed once it is written.

The name and notes that a plan got later stand beside it (`plan_labels`).
"""

import hashlib
import json
import shutil
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import PlanError, WorkspaceError
from core.plan.record.plan_record import (
    SCHEMA,
    PlanRecord,
    as_dict,
    as_record,
    with_details,
)
from core.project.plans.plan_labels import add_label, labels
from core.store.atomic import (
    explain,
    json_text,
    make_folder,
    make_subfolder,
    note_change,
    write_json,
    write_new,
)
from core.store.fit_results import read_fit
from core.store.locks import alone
from core.store.places import (
    check_id,
    confined,
    is_id,
    may_name_project,
    new_id,
    trash_folder,
)
from core.store.stored import json_files, read_object, read_regular
from core.team.approval import check_approved
from core.team.gate import gate, gated
from core.team.roles import Role
from core.team.settings import acting, is_enforced

#: Letters that a name and notes may have.
LONGEST_NAME, LONGEST_NOTES = 60, 2000
_CHECK = "sha256"
_RECORD = "record.json"
_UNREADABLE = (OSError, ValueError, LookupError, AttributeError, TypeError)
_UNREADABLE += (RecursionError,)
#: A file changed less long ago may change again at what is the same time to the clock.
_SETTLED_SECONDS = 2.0


def save_plan(project_folder: Path, plan: PlanRecord) -> PlanRecord:
    """Keep a plan.

    Args:
        project_folder: The project.
        plan: With its name and the fit that it was made with.

    Returns:
        The plan with its identifier, the time where it had none, and its number: its
        place among the project's plans, which no clock decides. Where another plan has
        its name, that is numbered: `Autumn (2)`.

    Raises:
        AccessError: The one who acts may not.
        PlanError: It has a number that is none.
        WorkspaceError: Its fit was deleted, or the disk is full or read-only.
    """
    with (
        gate("plan saved", project_folder, Role.PLANNER) as passage,
        alone(project_folder),
    ):
        _check_fit(project_folder, plan)
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        others = list_plans(project_folder)
        number = max((each.number for each in others), default=0)
        by = acting(project_folder).name if is_enforced(project_folder) else plan.by
        plan = with_details(
            plan,
            name=_free_name(plan.name, others),
            plan_id=new_id(),
            created=plan.created or now,
            number=number + 1,
            by=by,
            run="",  # where the fit lies is not the plan's to keep
        )
        content = as_dict(plan) | {"schema": SCHEMA}
        content = json.loads(json_text(content))  # numbers as they will be read
        as_record(content)  # what cannot be read again is not kept
        folder = _folder(project_folder)
        text = json_text(content | {_CHECK: _digest(content)})
        write_new(folder / f"{plan.plan_id}.json", text.encode())
        passage.subject = plan.plan_id
    return plan


def _free_name(name: str, others: Iterable[PlanRecord]) -> str:
    """The name, or where others have it, the same with a number: `Autumn (2)`."""
    names = {_as_compared(each.name) for each in others}
    free, number = name.strip(), 1
    while free and _as_compared(free) in names:
        number += 1
        last = f" ({number})"
        free = f"{name.strip()[: LONGEST_NAME - len(last)].rstrip()}{last}"
    return free


def _as_compared(name: str) -> str:
    """A name as people tell it from others: without regard to case and spaces."""
    return " ".join(name.casefold().split())


def _check_fit(project_folder: Path, plan: PlanRecord) -> None:
    """Refuse a plan whose fit was a run of the project and is none any more."""
    run = Path(plan.run)
    is_here = plan.run and run.parent == project_folder / "runs"
    if is_here and not run.exists():
        raise WorkspaceError(
            f"The fit behind this plan, {run.name}, was deleted meanwhile.",
            hint="Choose another fit, or fit again, and plan with it.",
            where=run.name,
        )


def with_fit(plan: PlanRecord, fit: Path) -> PlanRecord:
    """A plan with what is to be known of the fit that it was made with.

    Args:
        plan: A plan.
        fit: Folder of the run.

    Raises:
        WorkspaceError: The fit is damaged.
    """
    record = read_fit(fit)
    return with_details(
        plan,
        run=str(fit),
        run_id=fit.name,
        verdict=record.verdict,
        kpi_name=record.kpi_name,
        has_value=record.has_value,
        unseen=record.unseen,
    )


def load_plan(project_folder: Path, plan_id: str) -> PlanRecord:
    """A plan as it was saved, under the name that it has by now.

    Raises:
        WorkspaceError: There is none, or it is damaged.
    """
    folder = project_folder / "plans"
    path = confined(folder / f"{check_id(plan_id, 'plan')}.json", project_folder)
    try:
        state = path.stat()
    except FileNotFoundError as error:
        raise WorkspaceError(
            f"There is no plan {plan_id} in {project_folder.name}.", where=plan_id
        ) from error
    except OSError as error:
        raise _damaged(path) from error
    is_settled = time.time() - state.st_mtime > _SETTLED_SECONDS
    load = _read if is_settled else _read.__wrapped__
    plan = load(path, state.st_ino, state.st_size, state.st_mtime_ns)
    label = labels(folder).get(plan_id)
    return with_details(plan, **label) if label else plan


@lru_cache(maxsize=256)
def _read(path: Path, *_state: int) -> PlanRecord:
    """A plan that is what was written; read again when its file is another.

    Every screen says whether there is a plan: reading and checking all of them each
    time would make a screen slower with each plan that is kept.
    """
    try:
        plan = json.loads(read_regular(path))
        is_as_written = plan.pop(_CHECK) == _digest(plan)
    except _UNREADABLE as error:
        raise _damaged(path) from error
    if not is_as_written:
        raise _damaged(path)
    if plan.get("schema") != SCHEMA:
        raise WorkspaceError(
            f"Plan {plan.get('name') or path.stem} was saved by another version of "
            "Mixwright, which this one cannot read.",
            hint="Plan again and save it; the file stays where it is.",
            where=str(path),
        )
    try:
        return as_record(plan)
    except PlanError as error:
        raise _damaged(path) from error


def list_plans(project_folder: Path) -> list[PlanRecord]:
    """The plans of a project, newest first; damaged ones are left out."""
    return read_plans(project_folder)[0]


def read_plans(project_folder: Path) -> tuple[list[PlanRecord], list[WorkspaceError]]:
    """The plans of a project, newest first, and why others cannot be read."""
    plans, faults = [], []
    for path in plan_files(project_folder):
        if is_id(path.stem):
            try:
                plans.append(load_plan(project_folder, path.stem))
            except WorkspaceError as error:
                faults.append(error)
    plans.sort(key=lambda plan: (plan.number, plan.created), reverse=True)
    return plans, faults


def _folder(project_folder: Path) -> Path:
    """The folder of plans; a project that was deleted meanwhile is not made again."""
    confined(project_folder / "plans", project_folder)
    return make_subfolder(project_folder, "plans")


def plan_files(project_folder: Path) -> list[Path]:
    """What may be plans; none where the folder cannot be looked into."""
    return json_files(project_folder / "plans")


def plan_of_record(project_folder: Path) -> str | None:
    """The plan that was decided on; None where none is, or it is gone."""
    try:
        named = read_object(project_folder / "plans" / _RECORD)["plan_id"]
        return load_plan(project_folder, str(named)).plan_id
    except (KeyError, WorkspaceError):
        return None


@gated("plan of record", Role.PLANNER)
def mark_plan(project_folder: Path, plan_id: str | None) -> None:
    """Make a plan the one that was decided on; None for none.

    Raises:
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    with alone(project_folder):
        write_record(project_folder, plan_id)


def write_record(project_folder: Path, plan_id: str | None) -> None:
    """Make a plan the plan of record, for whoever holds the project's lock.

    Raises:
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    if plan_id is not None:
        load_plan(project_folder, plan_id)
        check_approved(project_folder, plan_id)
    folder = _folder(project_folder)
    write_json(folder / _RECORD, {"plan_id": plan_id})


@gated("plan renamed", Role.PLANNER)
def rename_plan(project_folder: Path, plan_id: str, name: str, notes: str) -> None:
    """Give a plan another name and other notes; the plan itself is not changed.

    Raises:
        WorkspaceError: There is no such plan, its name is empty or another plan's, or
            the disk is full.
    """
    load_plan(project_folder, plan_id)
    if not name.strip():
        raise WorkspaceError("The plan needs a name.", hint="Type one.", where=plan_id)
    folder = _folder(project_folder)
    name = name.strip()[:LONGEST_NAME]
    label = {"name": name, "notes": notes[:LONGEST_NOTES]}
    with alone(project_folder):
        others = (
            each for each in list_plans(project_folder) if each.plan_id != plan_id
        )
        if _free_name(name, others) != name:
            raise WorkspaceError(
                f"Another plan is called {name}.",
                hint="Type another name.",
                where=plan_id,
            )
        add_label(folder, plan_id, label)


@gated("plan deleted", Role.PLANNER)
def delete_plan(project_folder: Path, plan_id: str) -> None:
    """Move a plan to the trash.

    Raises:
        WorkspaceError: There is no such plan, or it is the plan of record.
    """
    with alone(project_folder):  # nobody makes it the plan of record meanwhile
        plan = load_plan(project_folder, plan_id)
        if plan_of_record(project_folder) == plan_id:
            raise WorkspaceError(
                f"{plan.title} is the plan of record.",
                hint="Mark another plan, or unmark this one, and delete it then.",
                where=plan_id,
            )
        path = _folder(project_folder) / f"{plan_id}.json"
        trash = make_folder(trash_folder())
        try:
            note_change()
            shutil.move(path, trash / _trashed(project_folder, plan_id))
        except OSError as error:
            raise explain(error, path) from error


def _trashed(project_folder: Path, plan_id: str) -> str:
    """What a deleted plan is called; by its project's name it is erased with that."""
    name = project_folder.name
    of = f" of {name}" if may_name_project(name) else ""
    return f"plan {plan_id} {new_id()}{of}.json"


def _digest(plan: dict[str, Any]) -> str:
    text = json.dumps(plan, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _damaged(path: Path) -> WorkspaceError:
    return WorkspaceError(
        f"Plan {path.stem} is damaged: it is not what was written.",
        hint="Make the plan again; the run behind it is not affected.",
        where=str(path),
    )
