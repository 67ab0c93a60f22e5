"""Saved plans by a new fit: what they bring in the periods left, and what to do now.

Runs in the worker, at the end of a fit. Both fits are asked the same of the same money
in the same periods, so that advice differs only because the fits do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
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
from core.plan.limits.stated import stated
from core.plan.money.elsewhere import as_bought
from core.plan.plan import judged_amounts
from core.plan.record.plan_record import PlanRecord
from core.plan.response.belief import believed
from core.plan.response.curves import ResponseCurves
from core.plan.response.curves import response_curves as curves_of
from core.plan.scenario.find import Find
from core.plan.scenario.table import beliefs_of
from core.project.plans.plan_actuals import happened, variance
from core.project.plans.plans import list_plans, load_plan, plan_of_record
from core.store.results import open_dataset
from core.store.run_about import read_about
from core.text.languages.language import say

_DRAWS = 1000
#: File of a result that has them.
PLANS_FILE = "plans.json"
#: Plans that are scored at most, the newest first, and the plan of record.
MOST = 20


@dataclass
class _Fits:
    """The new fit and those that plans were made with, each read once."""

    run: Path
    model: Model
    result: Path
    verdict: str
    by_run: dict[str, tuple[Model, xr.Dataset]] = field(default_factory=dict)

    def of(self, run: Path) -> tuple[Model, xr.Dataset]:
        """Model and draws of a fit."""
        if run.name not in self.by_run:
            if run == self.run:
                posterior = load_dataset(self.result / "posterior.nc")
                self.by_run[run.name] = self.model, posterior
            else:
                model = load_model(run)[1]
                self.by_run[run.name] = model, open_dataset(run, "posterior")
        return self.by_run[run.name]


def saved_plans(
    run: Path,
    model: Model,
    result: Path,
    verdict: str,
    should_stop: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda phase: None,
) -> list[dict[str, Any]]:
    """Every saved plan whose periods lie ahead, at least partly, by a new fit.

    Args:
        run: Folder of the new fit.
        model: Its model.
        result: Where its files are.
        verdict: Of the new fit.
        should_stop: Asked before each plan; those left are then not scored.
        tell: Takes the phase that is under way.

    Returns:
        One object per plan: `plan_id`, `name`, and what `_scored` gives; or `why_not`.
    """
    project = run.parents[1]
    record = plan_of_record(project)
    older = [
        plan
        for plan in list_plans(project)
        if plan.run_id and plan.run_id != run.name and not plan.horizon.as_fitted
    ]
    chosen = older[:MOST]
    chosen += [plan for plan in older[MOST:] if plan.plan_id == record]
    fits, scored = _Fits(run, model, result, verdict), []
    for plan in chosen:
        if should_stop():
            break
        tell("plans")
        about = {"plan_id": plan.plan_id, "name": plan.title, "run_id": plan.run_id}
        try:
            scored.append(about | _scored(plan, project / "runs" / plan.run_id, fits))
        except MMMError as error:
            scored.append(about | {"why_not": error.message})
    return scored


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
        why = say("There is no plan of record.")
        return {"plan": None, "no_plan": why, "actuals": None, "no_actuals": why}
    plan = load_plan(project_folder, plan_id)
    run = project_folder / "runs" / plan.run_id
    answers: dict[str, Any] = {"plan": None, "no_plan": "", "actuals": None}
    answers["no_actuals"] = ""
    if run.name == run_id:
        why = say("The plan of record was made with this fit.")
        return answers | {"no_plan": why, "no_actuals": why}
    entry = next((each for each in scored if each["plan_id"] == plan_id), None)
    if plan.horizon.as_fitted:
        answers["no_plan"] = "The plan is for periods that the data already hold."
    elif entry is None:
        answers["no_plan"] = "The plan of record was not scored by this fit."
    elif "why_not" in entry:
        answers["no_plan"] = entry["why_not"]
    else:
        answers["plan"] = entry
    try:
        answers["actuals"] = variance(run, plan, happened(run, table))
    except MMMError as error:
        answers["no_actuals"] = error.message
    return answers


def _scored(plan: PlanRecord, run: Path, fits: _Fits) -> dict[str, Any]:
    """A plan by its own fit and by the new one, in the periods still ahead.

    Returns:
        What `Rescored` says; `start`, `end` and `periods` of what is left;
        `was` and `advice`, by its own fit and by the new one, with the new `reasons`;
        whether it `is_changed`; `saved_as`, the advice that it was saved with.

    Raises:
        PlanError: Its periods are over, or the fits have other channels.
    """
    old_model, old_posterior = fits.of(run)
    horizon = plan.horizon
    whole = plan_horizon(old_model.data.times, horizon.periods, horizon.start)
    rest = whole.times[whole.times > fits.model.data.times[-1]]
    if not len(rest):
        raise PlanError("The plan's periods are over.")
    value = horizon.value[-len(rest) :] if horizon.value else ()
    part = len(rest) / horizon.periods
    beliefs = [
        replace(each, spend=part * each.spend) for each in beliefs_of(plan.scenario)
    ]
    old, new = (
        believed(as_bought(_curves(*fit, rest, value), plan.scenario), beliefs)
        for fit in ((old_model, old_posterior), fits.of(fits.run))
    )
    money = _money_left(plan, old, rest, part)
    scored = rescored(money, old, new, **_same(run, fits.run))
    was = _judged(plan, old, money, plan.verdict)
    now = _judged(plan, new, money, fits.verdict)
    return msgspec.to_builtins(scored) | {
        "start": str(rest[0]),
        "end": str(rest[-1]),
        "periods": len(rest),
        "saved_as": plan.advice,
        "was": was.advice,
        "advice": now.advice,
        "reasons": list(now.reasons),
        "is_changed": was.advice != now.advice,
        "on_split": msgspec.to_builtins(now.on_split),
        "on_budget": msgspec.to_builtins(now.on_budget),
    }


def _judged(
    plan: PlanRecord, curves: ResponseCurves, money: Mapping[str, float], verdict: str
) -> PlanRecord:
    """What the draws of a fit advise on the money of a plan."""
    find, goal = stated(plan.scenario).find, None
    if find.kind == "profit":
        goal = Find("profit", margin=float(find.margin or 1.0))
    # The odds of a goal are of all periods of the plan; what is left has no such goal.
    name = plan.objective.name
    return judged_amounts(
        curves,
        money,
        objective="mean" if name.startswith("reach") else name,
        find=goal,
        verdict=verdict or None,
    )


def _same(old: Path, new: Path) -> dict[str, bool]:
    """Whether two fits have the same data, and the same model."""
    first, last = read_about(old), read_about(new)
    return {
        "same_data": first.data_sha256 == last.data_sha256,
        "same_model": first.has_model_of(last),
    }


def _curves(
    model: Model,
    posterior: xr.Dataset,
    times: np.ndarray,
    value: tuple[float, ...] = (),
) -> ResponseCurves:
    of = len(times), str(times[0]), value
    horizon: PlanHorizon = plan_horizon(model.data.times, *of)
    draws = flat_draws(posterior, _DRAWS)
    return curves_of(response_curves(model, draws, horizon))


def _money_left(
    plan: PlanRecord, curves: ResponseCurves, times: np.ndarray, part: float
) -> dict[str, float]:
    """The plan's spend by channel in the periods that are left.

    A plan of weeks says it; others keep their multiples from a year earlier, and
    channels without history spend evenly.
    """
    if plan.over == "weeks":
        is_left = np.isin(plan.weeks, times.astype(str))
        return {
            line.name: float(np.array(line.weeks)[is_left].sum())
            for line in plan.channels
        }
    usual = dict(zip(curves.names, curves.spend.tolist(), strict=True))
    return {
        line.name: line.planned * part
        if line.is_belief
        else line.multiplier * usual.get(line.name, 0.0)
        for line in plan.channels
        if line.is_belief or line.multiplier is not None
    }
