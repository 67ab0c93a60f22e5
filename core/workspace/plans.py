"""Plans of a project: each one file, never changed once it is written."""

import hashlib
import json
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.workspace.access.approval import check_approved
from core.workspace.access.gate import Role, gated
from core.workspace.access.settings import acting, is_enforced
from core.workspace.atomic import json_text, make_subfolder, write_json, write_new
from core.workspace.places import check_id, confined, is_id, new_id
from core.workspace.stored import read_object, read_regular

_CHECK = "sha256"
_RECORD = "record.json"
_UNREADABLE = (OSError, ValueError, LookupError, AttributeError, TypeError)
_UNREADABLE += (RecursionError,)
#: What the content of a plan is; changes when another version could not read it.
SCHEMA = 2
#: Kinds of plans: of channels, of channels in weeks, of channels in geos.
CHANNELS, WEEKS, GEOS = "", "weeks", "geos"
#: A file changed less long ago may change again at what is the same time to the clock.
_SETTLED_SECONDS = 2.0
#: What the words of an answer do not say about the plan that is kept.
_OF_ANSWER = ("run", "fit", "name", "notes", "by", "plan_id", "created", "number")


def kind_of(plan: Mapping[str, Any]) -> str:
    """What a plan is over."""
    kind = plan.get("kind")
    return str(kind) if kind in (WEEKS, GEOS) else CHANNELS


def to_keep(
    plan: Mapping[str, Any],
    kind: str,
    run_id: str,
    name: str,
    *,
    notes: str = "",
    by: str = "",
) -> dict[str, Any]:
    """A plan of weeks or geos as `save_plan` keeps it.

    Args:
        plan: The plan as the command line prints it.
        kind: What it is over.
        run_id: The fit that it was made with.
        name: Of the plan.
        notes: What is to be known about it.
        by: Who saves it.
    """
    kept = {key: value for key, value in plan.items() if key not in _OF_ANSWER}
    about = {"name": name, "notes": notes, "by": by}
    return kept | about | {"kind": kind, "run_id": run_id}


def weeks_to_keep(
    told: Mapping[str, Any],
    run_id: str,
    table: Mapping[str, Any],
    name: str,
    *,
    notes: str = "",
    by: str = "",
) -> dict[str, Any]:
    """A plan of weeks as `save_plan` keeps it, with the scenario it was asked for.

    Args:
        told: What `core.plan.record.weeks.as_dict` said, with `draws`.
        run_id: Identifier of the fit.
        table: The scenario.
        name: Of the plan.
        notes: What is to be known about it.
        by: Who saves it.
    """
    kept = to_keep(told, WEEKS, run_id, name, notes=notes, by=by)
    scenario = json.loads(json.dumps(dict(table), default=str))  # dates as text
    return kept | {"scenario": scenario}


@gated("plan saved", Role.PLANNER)
def save_plan(project_folder: Path, content: Mapping[str, Any]) -> str:
    """Keep a plan.

    Args:
        project_folder: The project.
        content: What to keep: name, run_id, budget, bounds, channels, outcome, gain,
            bound and more. `created` is added where it is missing, and `number`, its
            place among the project's plans, which no clock decides.

    Returns:
        The plan's identifier.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    plan_id = new_id()
    plan = {"created": datetime.now(UTC).isoformat(timespec="microseconds")}
    number = max(map(_number, list_plans(project_folder, None)), default=0) + 1
    plan |= {**content, "schema": SCHEMA, "plan_id": plan_id, "number": number}
    plan |= {"by": acting(project_folder).name} if is_enforced(project_folder) else {}
    plan.pop(_CHECK, None)
    plan = json.loads(json_text(plan))  # numbers as they will be read
    folder = _folder(project_folder)
    text = json_text(plan | {_CHECK: _digest(plan)})
    write_new(folder / f"{plan_id}.json", text.encode())
    return plan_id


def load_plan(project_folder: Path, plan_id: str) -> dict[str, Any]:
    """A plan as it was saved, with `plan_id` and `created`. Never change what is in it.

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
    read = _read if is_settled else _read.__wrapped__
    return dict(read(path, state.st_ino, state.st_size, state.st_mtime_ns))


@lru_cache(maxsize=256)
def _read(path: Path, *_state: int) -> dict[str, Any]:
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
            "Mixwright, whose plans were for other periods.",
            hint="Plan again and save it; the file stays where it is.",
            where=str(path),
        )
    return plan


def list_plans(
    project_folder: Path, kind: str | None = CHANNELS
) -> list[dict[str, Any]]:
    """The plans of a project, newest first; damaged ones are left out.

    Args:
        project_folder: The project.
        kind: What they are over; None for plans of every kind.
    """
    plans = []
    for path in plan_files(project_folder):
        if is_id(path.stem):
            try:
                plans.append(load_plan(project_folder, path.stem))
            except WorkspaceError:
                continue
    plans = [plan for plan in plans if kind is None or kind_of(plan) == kind]
    return sorted(plans, key=_place, reverse=True)


def _place(plan: Mapping[str, Any]) -> tuple[int, str]:
    """What plans are sorted by: their number, then the clock of their time."""
    return _number(plan), str(plan.get("created"))


def _number(plan: Mapping[str, Any]) -> int:
    """A plan's place among the plans of its project; 0 where it does not say."""
    number = plan.get("number")
    return number if isinstance(number, int) else 0


def _folder(project_folder: Path) -> Path:
    """The folder of plans; a project that was deleted meanwhile is not made again."""
    confined(project_folder / "plans", project_folder)
    return make_subfolder(project_folder, "plans")


def plan_files(project_folder: Path) -> list[Path]:
    """What may be plans; none where the folder cannot be looked into."""
    folder = project_folder / "plans"
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name.endswith(".json")]


def plan_of_record(project_folder: Path) -> str | None:
    """The plan that was decided on; None where none is, or it is gone."""
    try:
        named = read_object(project_folder / "plans" / _RECORD)["plan_id"]
        return str(load_plan(project_folder, str(named))["plan_id"])
    except (KeyError, WorkspaceError):
        return None


@gated("plan of record", Role.PLANNER)
def mark_plan(project_folder: Path, plan_id: str | None) -> None:
    """Make a plan the one that was decided on; None for none.

    Raises:
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    if plan_id is not None:
        load_plan(project_folder, plan_id)
        check_approved(project_folder, plan_id)
    folder = _folder(project_folder)
    write_json(folder / _RECORD, {"plan_id": plan_id})


def _digest(plan: dict[str, Any]) -> str:
    text = json.dumps(plan, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _damaged(path: Path) -> WorkspaceError:
    return WorkspaceError(
        f"Plan {path.stem} is damaged: it is not what was written.",
        hint="Make the plan again; the run behind it is not affected.",
        where=str(path),
    )
