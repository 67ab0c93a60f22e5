"""The plan of record by a newer fit: scored anew, and what came of it so far."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from core.errors import MMMError
from core.project.plans.plan_actuals import happened, variance
from core.project.plans.plans import load_plan, plan_of_record


def plan_of_record_anew(
    project_folder: Path,
    run_id: str,
    table: pd.DataFrame,
    scored: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """The plan that was decided on, by the new fit and against what happened.

    Args:
        project_folder: The project.
        run_id: Of the new fit.
        table: Its table.
        scored: Saved plans by the new fit (`core.jobs.tasks.saved_plans`).

    Returns:
        `plan` and `actuals`, each None where there is none, with the reason as
        `no_plan` and `no_actuals`.
    """
    plan_id = plan_of_record(project_folder)
    if plan_id is None:
        why = "There is no plan of record."
        return {"plan": None, "no_plan": why, "actuals": None, "no_actuals": why}
    plan = load_plan(project_folder, plan_id)
    run = project_folder / "runs" / plan.run_id
    answers: dict[str, Any] = {"plan": None, "no_plan": "", "actuals": None}
    answers["no_actuals"] = ""
    if run.name == run_id:
        why = "The plan of record was made with this fit."
        return answers | {"no_plan": why, "no_actuals": why}
    known = next((each for each in scored if each["plan_id"] == plan_id), None)
    if plan.horizon.as_fitted:
        answers["no_plan"] = "The plan is for the periods of its own data."
    elif known is None:
        answers["no_plan"] = "The plan of record was not scored by this fit."
    elif "why_not" in known:
        answers["no_plan"] = known["why_not"]
    else:
        answers["plan"] = known
    try:
        answers["actuals"] = variance(run, plan, happened(run, table))
    except MMMError as error:
        answers["no_actuals"] = error.message
    return answers
