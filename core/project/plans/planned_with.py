"""Whether a plan that comes as a file was made with a fit of the project."""

from pathlib import Path

from core.errors import PlanError
from core.project.plans.plans import list_plans
from core.store.places import is_id
from core.team.audit import entries


def check_own_fit(project_folder: Path, run_id: str, filename: str) -> None:
    """Refuse the plan of another project, whose channels may have the same names.

    A fit of the project may be deleted by now: its plans and the log still know it.

    Args:
        project_folder: The project that is planned.
        run_id: The fit that the file was planned with; empty where it does not say.
        filename: Of the file, for messages.

    Raises:
        PlanError: The fit was never one of the project.
    """
    if not is_id(run_id) or (project_folder / "runs" / run_id).is_dir():
        return
    if any(plan.run_id == run_id for plan in list_plans(project_folder)):
        return
    if any(entry.subject == run_id for entry in entries(project_folder)):
        return
    raise PlanError(
        f"{filename} was planned with a fit of another project ({run_id}).",
        hint=f"Write a plan of {project_folder.name} to a file and edit that, or "
        "type the limits.",
        where=filename,
    )
