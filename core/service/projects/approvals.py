"""Approvals: how the plans of a project stand, and the steps on their way."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import AccessError, WorkspaceError
from core.project.plans.plan_labels import labels
from core.project.plans.plans import (
    load_plan,
    mark_plan,
    plan_files,
    plan_of_record,
    write_record,
)
from core.store.locks import alone
from core.store.places import is_id
from core.store.stored import lenient, read_object
from core.team.approval import (
    LONGEST,
    Decision,
    add_step,
    approval_of,
    has_saved,
    said,
)
from core.team.gate import gated
from core.team.roles import Role
from core.team.settings import acting

#: What a person may do with a plan, and what becomes of one that is proposed.
Step = Literal["propose", "approve", "decline", "comment", "record", "unmark"]
Decided = Literal["approved", "declined"]


@dataclass(frozen=True)
class ListedPlan:
    """A saved plan, and how far its approval is.

    Attributes:
        plan_id: The plan.
        name: What it is called.
        is_record: Whether it is the plan of record.
        status: Of its approval.
        said: The same in words; empty where nobody proposed it.
        steps: What was done, the first first.
    """

    plan_id: str
    name: str
    is_record: bool
    status: str
    said: str
    steps: tuple[Decision, ...]


@dataclass(frozen=True)
class _Named:
    """What a plan's file calls it."""

    name: str = ""


def take(project: Path, step: Step, plan_id: str, text: str = "") -> None:
    """Take a step with a plan.

    Args:
        project: Folder of its project.
        step: The step.
        plan_id: The plan.
        text: A note that goes with it.

    Raises:
        AccessError: The one who acts may not: their role is too small, or the plan is
            their own.
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    _STEPS[step](project, plan_id, text)


def listed(project: Path, plan_id: str | None = None) -> list[ListedPlan]:
    """How the plans of a project stand, as `approval --json` prints them.

    Args:
        project: Its folder.
        plan_id: One of them; None for all.

    Raises:
        WorkspaceError: There is no such plan.
    """
    record = plan_of_record(project)
    if plan_id is not None:
        return [_about(project, plan_id, record)]  # an error if there is no such plan
    return [
        _about(project, path.stem, record)
        for path in plan_files(project)
        if is_id(path.stem)
    ]


def has_a_hand_in(project: Path, plan_id: str) -> bool:
    """Whether the one who acts saved or proposed a plan, so that another decides."""
    return has_saved(project, plan_id, acting(project).name)


def _unmark(folder: Path, plan_id: str) -> None:
    """Let a plan be the plan of record no longer."""
    if plan_of_record(folder) != plan_id:
        raise WorkspaceError(
            f"Plan {plan_id} is not the plan of record.",
            hint="Without a step, the command lists the plans.",
        )
    mark_plan(folder, None)


def _about(folder: Path, plan_id: str, record: str | None) -> ListedPlan:
    approval = approval_of(folder, plan_id)
    plans = folder / "plans"
    stored = read_object(plans / f"{plan_id}.json") | labels(plans).get(plan_id, {})
    return ListedPlan(
        plan_id=plan_id,
        name=lenient(stored, _Named).name,
        is_record=plan_id == record,
        status=approval.status,
        said=said(approval),
        steps=tuple(approval.steps),
    )


#: What to do with a plan that has been proposed.
_NEXT = {
    "proposed": "Another planner of the project approves or declines it.",
    "approved": "To change it, save another version and propose that.",
}


@gated("plan proposed", Role.PLANNER)
def propose_plan(project_folder: Path, plan_id: str, text: str = "") -> None:
    """Ask for a plan to be approved.

    Raises:
        AccessError: It is proposed already, or approved: another proposal would take
            the approval away, and let whoever proposed it first decide on it.
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    with alone(project_folder):
        load_plan(project_folder, plan_id)
        status = approval_of(project_folder, plan_id).status
        if status in ("proposed", "approved"):
            raise AccessError(
                f"Plan {plan_id} is {status} already.",
                hint=_NEXT[status],
                where=plan_id,
            )
        name = acting(project_folder).name
        add_step(project_folder, plan_id, name, "proposed", text)


@gated("plan commented", Role.PLANNER)
def comment_plan(project_folder: Path, plan_id: str, text: str) -> None:
    """Say something about a plan.

    Raises:
        AccessError: Nothing is said.
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    load_plan(project_folder, plan_id)
    if not text.strip():
        raise AccessError("The comment is empty.", hint="Write something.")
    add_step(project_folder, plan_id, acting(project_folder).name, "commented", text)


@gated("plan approved", Role.PLANNER)
def approve_plan(project_folder: Path, plan_id: str, text: str = "") -> None:
    """Approve a plan that somebody else proposed: it becomes the plan of record.

    Raises:
        AccessError: It is not proposed, or it is one's own.
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    with alone(project_folder):
        _decide(project_folder, plan_id, "approved", text)
        write_record(project_folder, plan_id)


@gated("plan declined", Role.PLANNER)
def decline_plan(project_folder: Path, plan_id: str, text: str = "") -> None:
    """Decline a plan that is proposed; it may be proposed again.

    Raises:
        AccessError: It is not proposed, or it is one's own.
        WorkspaceError: There is no such plan, or it cannot be written.
    """
    with alone(project_folder):
        _decide(project_folder, plan_id, "declined", text)


def _decide(project_folder: Path, plan_id: str, step: Decided, text: str) -> None:
    """Decide on a plan, under the project's lock: of two at once, one finds it open."""
    load_plan(project_folder, plan_id)
    name = acting(project_folder).name
    if approval_of(project_folder, plan_id).status != "proposed":
        raise AccessError(
            f"Plan {plan_id} is not proposed.",
            hint="Propose it first; another person then approves it.",
            where=plan_id,
        )
    if has_saved(project_folder, plan_id, name):
        raise AccessError(
            f"{name} saved or proposed plan {plan_id}, and cannot decide on it.",
            hint="Ask another planner of the project.",
            where=plan_id,
        )
    add_step(project_folder, plan_id, name, step, text)


_STEPS: dict[str, Callable[[Path, str, str], None]] = {
    "propose": propose_plan,
    "approve": approve_plan,
    "decline": decline_plan,
    "comment": comment_plan,
    "record": lambda folder, plan_id, _: mark_plan(folder, plan_id),
    "unmark": lambda folder, plan_id, _: _unmark(folder, plan_id),
}
