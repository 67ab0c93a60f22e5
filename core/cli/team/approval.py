"""approval: plans proposed, commented, approved by another person, and of record."""

import argparse
from dataclasses import asdict
from pathlib import Path

from core.cli.answer import Answer, table
from core.errors import WorkspaceError
from core.project.plans import plan_approval
from core.project.plans.plans import mark_plan, plan_of_record
from core.service.places import project_folder
from core.store.stored import read_object
from core.team.approval import approval_of, said, versions

_STEPS = {
    "propose": plan_approval.propose_plan,
    "approve": plan_approval.approve_plan,
    "decline": plan_approval.decline_plan,
    "comment": plan_approval.comment_plan,
    "record": lambda folder, plan_id, _: mark_plan(folder, plan_id),
    "unmark": lambda folder, plan_id, _: _unmark(folder, plan_id),
}


def approval_command(options: argparse.Namespace) -> Answer:
    """Take a step with a plan, or say how plans stand."""
    folder = project_folder(options.project)
    if options.step is not None and options.plan is None:
        raise WorkspaceError(
            "Say which plan.", hint="Without a step, the command lists the plans."
        )
    if options.step is not None:
        _STEPS[options.step](folder, options.plan, options.text)
    numbers = versions(folder)
    if options.plan is not None:
        approval_of(folder, options.plan)  # an error if there is no such plan
        numbers = {options.plan: numbers.get(options.plan, 1)}
    record = plan_of_record(folder)
    plans = [_about(folder, plan_id, numbers, record) for plan_id in numbers]
    return Answer({"project": str(folder), "plans": plans}, _text(plans))


def _unmark(folder: Path, plan_id: str) -> None:
    """Let a plan be the plan of record no longer."""
    if plan_of_record(folder) != plan_id:
        raise WorkspaceError(
            f"Plan {plan_id} is not the plan of record.",
            hint="Without a step, the command lists the plans.",
        )
    mark_plan(folder, None)


def _about(folder: Path, plan_id: str, numbers: dict[str, int], record: str | None):
    approval = approval_of(folder, plan_id)
    plan = read_object(folder / "plans" / f"{plan_id}.json")
    return {
        "plan_id": plan_id,
        "name": str(plan.get("name") or ""),
        "version": numbers[plan_id],
        "is_record": plan_id == record,
        "status": approval.status,
        "said": said(approval),
        "steps": [asdict(step) for step in approval.steps],
    }


def _text(plans: list[dict]) -> str:
    if not plans:
        return "No plan is saved in this project."
    listed = []
    for plan in plans:
        of_record = " (of record)" if plan["is_record"] else ""
        name = f"{plan['name']}{of_record}"
        said_of = plan["said"] or "Not proposed."
        listed.append((plan["plan_id"], name, str(plan["version"]), said_of))
    text = table(("Plan", "Name", "Version", "Approval"), listed, texts=4)
    if len(plans) == 1:
        steps = plans[0]["steps"]
        text += "".join(
            f"\n{step['time'][:16]}  {step['who']} {step['step']}: {step['text']}"
            for step in steps
            if step["text"]
        )
    return text
