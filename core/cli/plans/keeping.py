"""Plans that --save keeps in their project."""

import getpass

from core.cli.places import project_of
from core.plan.record.plan_record import PlanRecord, with_details
from core.workspace.fits.runs import Run
from core.workspace.plans import save_plan


def keep(run: Run, plan: PlanRecord, name: str) -> tuple[PlanRecord, str]:
    """Keep a plan.

    Args:
        run: The fit that it was made with.
        plan: The plan.
        name: Its name.

    Returns:
        The plan with its identifier, and a remark that says where it is.
    """
    folder = project_of(run)
    saved = save_plan(folder, with_details(plan, name=name, by=author()))
    saved = with_details(saved, run=plan.run)
    return saved, f"Saved as plan {saved.plan_id} of {folder.name}."


def author() -> str:
    """Who is at the command line; empty where the system does not say."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
