"""Keeping: what fits, plans and planned tests promise, written down when they do."""

import logging
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.analysis.record.fit_record import FitRecord
from core.dims import TIME
from core.errors import MMMError
from core.experiments.kept import KeptTest
from core.plan.against.at_spend import outcome_at
from core.plan.against.begun import begun_outcome, begun_spend
from core.plan.against.planned_spend import planned_spend
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import Run, latest_fit
from core.project.lift_tests.tested_fits import market_of_run
from core.project.plans.plan_actuals import carryover, terms
from core.project.promises.record import (
    TOTAL,
    Claim,
    Promise,
    claim,
    keep,
    promise_id,
    settled_ids,
)
from core.store.fit_results import read_fit
from core.store.results import has_result, open_dataset, result_files

_LOG = logging.getLogger(__name__)
#: Days that the forecast of a fit is a promise for.
_DAYS = 182
#: Standard errors at which the result of a test is looked at, equally likely.
ERRORS = np.array([NormalDist().inv_cdf((at + 0.5) / 19) for at in range(19)])


def keep_forecast(
    run: Path, forecast: xr.Dataset | None = None, *, created: str = ""
) -> Promise | None:
    """Keep what the forecast of a finished fit promises; once for each fit.

    Args:
        run: Folder of the fit.
        forecast: As the fit stored it; read where it is not at hand.
        created: When the fit was done, ISO; empty for now.

    Returns:
        None where it has no forecast, or failed: then it promises nothing.

    Raises:
        WorkspaceError: The result is damaged, or the project cannot be written.
    """
    project = run.parents[1]
    is_kept = promise_id("forecast", run.name) in settled_ids(project)
    if is_kept or "forecast.nc" not in result_files(run):
        return None
    fit = read_fit(run)
    if fit.verdict == "failed":
        return None
    stored = open_dataset(run, "forecast") if forecast is None else forecast
    view = _half_a_year(stored)
    outcome = view["outcome"].transpose("draw", TIME).to_numpy().astype(float)
    days = _days(view)
    claims = [claim(day, outcome[:, t]) for t, day in enumerate(days)]
    return keep(
        project,
        Promise(
            kind="forecast",
            name="Forecast",
            start=days[0],
            end=days[-1],
            claims=(*claims, claim(TOTAL, outcome.sum(axis=1))),
            spend=view["spend"].sum(TIME).to_series().astype(float).to_dict(),
            **_about(run, fit),
        ),
        created=created,
    )


def keep_plan(project: Path, plan: PlanRecord) -> Promise | None:
    """Keep what a saved plan promises: the outcome of its periods, baseline included.

    Args:
        project: The project's folder.
        plan: As it was saved.

    Returns:
        None where its fit has no forecast of these periods.

    Raises:
        WorkspaceError: The fit is damaged, or the project cannot be written.
    """
    run = project / "runs" / plan.run_id
    is_known = plan.run_id and has_result(run)
    if not is_known or "forecast.nc" not in result_files(run):
        return None
    view = open_dataset(run, "forecast")
    inside = plan_periods(plan, view)
    if inside is None:
        return None
    planned, begun = planned_spend(plan, view, len(inside)), begun_spend(plan)
    draws = outcome_at(view, planned, carryover(run), terms(run, plan, view))
    total = draws[:, inside].sum(axis=1) + begun_outcome(plan, view, inside, begun)
    spend = {name: float(each[inside].sum()) for name, each in planned.items()}
    return keep(
        project,
        Promise(
            kind="plan",
            name=plan.title,
            start=plan.horizon.start,
            end=plan.horizon.end,
            claims=(claim(TOTAL, total),),
            spend=spend | {name: float(each.sum()) for name, each in begun.items()},
            subject=plan.plan_id,
            gain=plan.gain,
            believed=tuple(begun),
            **_about(run, read_fit(run)),
        ),
        created=plan.created,
    )


def keep_teaching(project: Path, plan: PlanRecord) -> Promise | None:
    """Keep by how much a saved plan of weeks says that intervals are to narrow.

    Args:
        project: The project's folder.
        plan: As it was saved.

    Returns:
        None for a plan that only earns, or where its fit was deleted.

    Raises:
        WorkspaceError: The fit is damaged, or the project cannot be written.
    """
    run = project / "runs" / plan.run_id
    if plan.teaching is None or not plan.run_id or not has_result(run):
        return None
    claims = tuple(
        Claim(about=line.channel, mean=line.teaching, intervals={})
        for line in plan.teaching.channels
    )
    return keep(
        project,
        Promise(
            kind="teaching",
            name=plan.title,
            start=plan.horizon.start,
            end=plan.horizon.end,
            claims=claims,
            spend={line.name: line.planned for line in plan.channels},
            subject=plan.plan_id,
            **_about(run, read_fit(run)),
        ),
        created=plan.created,
    )


def keep_test(project: Path, test: KeptTest, fit: Run | None = None) -> Promise | None:
    """Keep what a fit expects of a planned test.

    Args:
        project: The project's folder.
        test: With its identifier.
        fit: The newest when it was planned; None for the newest of now.

    Returns:
        None where there is no fit to ask, or where the test does not say enough.

    Raises:
        WorkspaceError: The fit is damaged, or the project cannot be written.
    """
    run = latest_fit(project) if fit is None else fit
    if run is None or test.multiple is None or not test.is_dated:
        return None
    effect, money = _expected(run, test)
    error = float(test.design.standard_error or 0.0) if test.design else 0.0
    result = (effect[:, None] + error * ERRORS).ravel()
    return keep(
        project,
        Promise(
            kind="test",
            name=test.name,
            start=test.start,
            end=test.end,
            claims=(claim(TOTAL, result),),
            spend=money,
            subject=test.test_id,
            draws=tuple(effect.tolist()),
            error=error,
            **_about(run.folder, read_fit(run.folder)),
        ),
        created=test.created,
    )


def plan_periods(
    plan: PlanRecord, view: xr.Dataset
) -> Bool[np.ndarray, " time"] | None:
    """Which of the first periods of a forecast a plan is for, up to its last.

    Args:
        plan: A plan.
        view: forecast.nc.

    Returns:
        A claim for each period; None where the forecast does not cover the plan.
    """
    horizon, days = plan.horizon, np.array(_days(view))
    inside = (horizon.start <= days) & (days <= horizon.end)
    if horizon.as_fitted or inside.sum() != horizon.periods:
        return None
    return inside[: int(inside.nonzero()[0][-1]) + 1]


def _half_a_year(view: xr.Dataset) -> xr.Dataset:
    times = view[TIME].to_numpy().astype("datetime64[D]")
    return view.isel({TIME: slice(int((times < times[0] + _DAYS).sum()))})


def _days(view: xr.Dataset) -> list[str]:
    return view[TIME].to_numpy().astype("datetime64[D]").astype(str).tolist()


def _about(run: Path, fit: FitRecord) -> dict[str, Any]:
    """What every promise says of the fit that it rests on."""
    return {
        "run_id": run.name,
        "data_end": fit.end[:10],
        "unit": fit.outcome_unit,
        "currency": fit.currency,
        "kpi_name": fit.kpi_name,
        "has_value": fit.has_value,
    }


def _expected(
    run: Run, test: KeptTest
) -> tuple[Float[np.ndarray, " draw"], dict[str, float]]:
    """The effect that a fit expects of a test, and the change of spend by channel.

    Raises:
        MMMError: A channel has no spend there, or the fit is damaged.
    """
    market = market_of_run(run)
    start, end = (np.datetime64(day, "D") for day in (test.start, test.end))
    length = len(np.arange(start, end + 1, market.panel.step))
    geos = test.geos
    effect, money = np.zeros(market.curves.n_draws), {}
    for name in test.channels:
        level = market.level(name, geos, str(start), length)
        change, spend = market.difference(name, geos, test.multiple, level)
        part = length / market.n_times
        effect = effect + change * part * market.seen(name, length)
        money[str(name)] = spend * part
    return effect, money


def attempt(action: Callable[..., Any], *about: Any) -> None:
    """Keep a promise where that works: what it is about is done, and stays.

    Args:
        action: One of the functions above.
        about: What it takes.
    """
    try:
        action(*about)
    except (MMMError, KeyError, TypeError, ValueError):
        _LOG.warning("A promise was not kept.", exc_info=True)
