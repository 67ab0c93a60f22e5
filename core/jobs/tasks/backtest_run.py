"""One part of a backtest: an origin, or a refit without the last periods."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from core.analysis.ahead.backtest import Case, fold, paid_returns, whole_until
from core.analysis.ahead.backtest_record import Refit, Refitted, Share
from core.analysis.draws import flat_draws
from core.analysis.response.curves import response_curves
from core.data.assemble import assemble
from core.data.files.parquet import read_table
from core.errors import WorkspaceError
from core.fit.settings import SamplerSettings
from core.model.build import Model
from core.plan.limits.channels import DEFAULT_BOUNDS
from core.plan.response.curves import response_curves as curves_of
from core.plan.solve.bisection import best_split
from core.plan.solve.per_draw import own_plans
from core.project.comparing.backtests import part_options
from core.project.fits.mediators import frozen_mediators
from core.project.settings.project import data_file, load_project
from core.store.results import write_record, write_result

_DRAWS = 500


def execute(
    run: Path,
    report: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    """Fit what was known then, and write what came of it.

    Args:
        run: The run's directory; `options` of its run.json have `origin`, `horizon`
            and `with_knots`, or `drop`.
        report: Takes progress as progress.json shows it.
        should_stop: Whether the run was cancelled.
    """
    started = time.monotonic()
    report({"phase": "preparing", "fraction": 0.0, "elapsed": 0.0})
    options = part_options(run)
    if options is None:
        raise WorkspaceError(
            "This run does not say which part of a backtest it is.",
            hint="Run the backtest again.",
            where=run.name,
        )
    project = load_project(run)
    case = _case(run, project.sampler, report, should_stop)
    full = assemble(case.frame, case.mapping)
    if options.drop is None:
        window = options.origin, options.horizon, options.with_knots
        part = fold(case, full, *window)
    else:
        n_times = full.n_times - options.drop
        part = Refit(_channels(*whole_until(case, n_times)))
    elapsed = time.monotonic() - started
    report({"phase": "saving", "fraction": 0.99, "elapsed": elapsed})
    with write_result(run) as result:
        write_record(result / "part.json", part)


def _case(
    run: Path,
    sampler: SamplerSettings,
    report: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> Case:
    """The market frozen in a folder, with those whose KPIs its mediators are.

    Args:
        run: The run's folder, or that of a mediator's fit in it.
        sampler: Of every fit, the run's.
        report: Takes progress.
        should_stop: Whether the run was cancelled.
    """
    project = load_project(run)
    names = [funnel.mediator for funnel in project.funnels]
    others = [
        _case(each, sampler, report, should_stop) for each in frozen_mediators(run)
    ]
    return Case(
        read_table(data_file(run, project)),
        project.mapping,
        replace(project.spec, experiments=project.lift_tests()),
        sampler,
        on_progress=report,
        should_stop=should_stop,
        # a forecast without tests that move them is made without their fits
        mediators=tuple(zip(names, others, strict=True)) if others else (),
    )


def _channels(model: Model, posterior: xr.Dataset) -> dict[str, Refitted]:
    """ROI of each paid channel, and its share of the best split of what is spent."""
    curves = curves_of(response_curves(model, flat_draws(posterior, _DRAWS)))
    low, high = (bound * curves.spend for bound in DEFAULT_BOUNDS)
    budget, n = float(curves.spend.sum()), curves.n_draws
    mean = curves.weighted(np.full(n, 1 / n))
    best = best_split(mean, low, high, budget).spend / budget
    spread = own_plans(curves, low, high, budget, curves.spend).spend.std(axis=0)
    shares = {
        name: Share(float(best[i]), float(spread[i] / budget))
        for i, name in enumerate(curves.names)
    }
    return {
        name: Refitted(roi, shares.get(name))
        for name, roi in paid_returns(model, posterior).items()
    }
