"""The way of a plan to the plan of record: proposed, then approved or declined."""

from pathlib import Path

from core.errors import AccessError
from core.project.plans.plans import load_plan, write_record
from core.store.locks import alone
from core.team.approval import Step, add_step, approval_of, has_saved
from core.team.gate import gated
from core.team.roles import Role
from core.team.settings import acting

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


def _decide(project_folder: Path, plan_id: str, step: Step, text: str) -> None:
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
