"""approval: plans proposed, commented, approved by another person, and of record."""

import argparse
from dataclasses import asdict

from core import as_text
from core.cli.answer import Answer, table
from core.errors import WorkspaceError
from core.service.places import project_folder
from core.service.planning.named_plans import named
from core.service.projects import approvals


def approval_command(options: argparse.Namespace) -> Answer:
    """Take a step with a plan, or say how plans stand."""
    folder = project_folder(options.project)
    if options.step is not None and options.plan is None:
        raise WorkspaceError(
            "Say which plan.", hint="Without a step, the command lists the plans."
        )
    plan_id = options.plan
    if plan_id is not None:
        plan_id = named(folder, plan_id).plan_id
    if options.step is not None:
        approvals.take(folder, options.step, plan_id, as_text(options.text))
    plans = approvals.listed(folder, plan_id)
    return Answer(
        {"project": str(folder), "plans": [asdict(plan) for plan in plans]},
        _approvals_text(plans),
    )


def _approvals_text(plans: list[approvals.ListedPlan]) -> str:
    if not plans:
        return "No plan is saved in this project."
    listed = []
    for plan in plans:
        of_record = " (of record)" if plan.is_record else ""
        name = f"{plan.name}{of_record}"
        said_of = plan.said or "Not proposed."
        listed.append((plan.plan_id, name, said_of))
    text = table(("Plan", "Name", "Approval"), listed, texts=3)
    if len(plans) == 1:
        text += "".join(
            f"\n{step.time[:16]}  {step.who} {step.step}: {step.text}"
            for step in plans[0].steps
            if step.text
        )
    return text
