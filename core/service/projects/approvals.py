"""Approvals: how the plans of a project stand, and the steps on their way."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import WorkspaceError
from core.project.plans import plan_approval
from core.project.plans.plan_labels import labels
from core.project.plans.plans import mark_plan, plan_files, plan_of_record
from core.store.lenient import lenient
from core.store.places import is_id
from core.store.stored import read_object
from core.team.approval import LONGEST, Decision, approval_of, has_saved, said
from core.team.settings import acting

Step = Literal["propose", "approve", "decline", "comment", "record", "unmark"]

_STEPS: dict[str, Callable[[Path, str, str], None]] = {
    "propose": plan_approval.propose_plan,
    "approve": plan_approval.approve_plan,
    "decline": plan_approval.decline_plan,
    "comment": plan_approval.comment_plan,
    "record": lambda folder, plan_id, _: mark_plan(folder, plan_id),
    "unmark": lambda folder, plan_id, _: _unmark(folder, plan_id),
}


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
