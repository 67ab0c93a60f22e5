"""The plan of record by a newer fit: scored anew, and what came of it so far."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from core.analysis.draws import flat_draws
from core.analysis.response.curves import response_curves
from core.data.ahead.horizon import PlanHorizon, plan_horizon
from core.errors import MMMError, PlanError
from core.fit.posterior import load_dataset
from core.jobs.tasks.frozen import load_model
from core.model.build import Model
from core.plan.against.rescore import rescored
from core.plan.record.plan_record import PlanRecord
from core.plan.response.curves import ResponseCurves
from core.plan.response.curves import response_curves as curves_of
from core.plan.response.price import gammas_of, priced
from core.project.plans.plan_actuals import happened, variance
from core.project.plans.plans import load_plan, plan_of_record
from core.store.results import open_dataset

_DRAWS = 1000


def plan_of_record_anew(
    project_folder: Path,
    run_id: str,
    model: Model,
    table: pd.DataFrame,
    result: Path,
    causes: Sequence[str],
) -> dict[str, Any]:
    """The plan that was decided on, by the new fit and against what happened.

    Args:
        project_folder: The project.
        run_id: Of the new fit.
        model: Its model.
        table: Its table.
        result: Where its files are.
        causes: What changed since the fit before.

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
    about = {"plan_id": plan_id, "name": plan.name}
    answers: dict[str, Any] = {"plan": None, "no_plan": "", "actuals": None}
    answers["no_actuals"] = ""
    if run.name == run_id:
        why = "The plan of record was made with this fit."
        return answers | {"no_plan": why, "no_actuals": why}
    try:
        scored = _scored(plan, run, model, result, causes)
        answers["plan"] = about | scored
    except MMMError as error:
        answers["no_plan"] = error.message
    try:
        answers["actuals"] = variance(run, plan, happened(run, table))
    except MMMError as error:
        answers["no_actuals"] = error.message
    return answers


def _scored(
    plan: PlanRecord,
    run: Path,
    model: Model,
    result: Path,
    causes: Sequence[str],
) -> dict[str, Any]:
    """The plan's outcome by its own fit and by the new one, in periods still ahead."""
    _, old_model = load_model(run)
    horizon = plan.horizon
    if horizon.as_fitted:
        raise PlanError("The plan is for periods that the data already hold.")
    whole = plan_horizon(old_model.data.times, horizon.periods, horizon.start)
    left = whole.times[whole.times > model.data.times[-1]]
    if not len(left):
        raise PlanError("The plan's periods are over.")
    gammas = gammas_of(plan.scenario)
    old, new = (
        priced(_curves(each, posterior, left), gammas)
        for each, posterior in (
            (old_model, open_dataset(run, "posterior")),
            (model, load_dataset(result / "posterior.nc")),
        )
    )
    scored = rescored(
        _money_left(plan, old, left),
        old,
        new,
        same_data=not {"new data", "changed history"} & set(causes),
        same_model=not {"version", "specification"} & set(causes),
    )
    start, end = str(left[0]), str(left[-1])
    return scored.as_dict() | {"start": start, "end": end, "periods": len(left)}


def _curves(model: Model, posterior: xr.Dataset, times: np.ndarray) -> ResponseCurves:
    horizon: PlanHorizon = plan_horizon(model.data.times, len(times), str(times[0]))
    draws = flat_draws(posterior, _DRAWS)
    return curves_of(response_curves(model, draws, horizon))


def _money_left(
    plan: PlanRecord, curves: ResponseCurves, left: np.ndarray
) -> dict[str, float]:
    """The plan's spend by channel in the periods that are left.

    A plan of weeks says it; others keep their multiples from a year earlier.
    """
    if plan.over == "weeks":
        is_left = np.isin(plan.weeks, left.astype(str))
        return {
            line.name: float(np.array(line.weeks)[is_left].sum())
            for line in plan.channels
        }
    usual = dict(zip(curves.names, curves.spend.tolist(), strict=True))
    return {
        line.name: line.multiplier * usual.get(line.name, 0.0)
        for line in plan.channels
        if line.multiplier is not None
    }
