"""The work of another horizon: response curves of its periods. Runs in the worker."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xarray as xr

from core.analysis.draws import CURVE_DRAWS, flat_draws
from core.analysis.response.curves import geo_curves, response_curves
from core.analysis.response.levelled import levelled
from core.data.ahead.horizon import PlanHorizon, plan_horizon
from core.fit.posterior import write_netcdf
from core.jobs.tasks.frozen import attributes, load_model
from core.model.build import Model
from core.project.fits.derived import asked
from core.project.fits.horizons import AHEAD, OWN
from core.store.results import open_dataset, write_result
from core.store.stored import lenient

#: Draws kept in the curves of geos.
GEO_DRAWS = 300


def curves_of(
    model: Model, posterior: xr.Dataset, horizon: PlanHorizon | None
) -> dict[str, xr.Dataset]:
    """Response curves of a plan's periods, by file: of channels, and of geos.

    Args:
        model: The model.
        posterior: Dims chain, draw, ...
        horizon: The periods; the data's own where there is none.
    """
    channels, geos = OWN if horizon is None else AHEAD
    draws = flat_draws(posterior, CURVE_DRAWS)
    views = {channels: response_curves(model, draws, horizon)}
    if not model.data.is_national:
        few = flat_draws(posterior, GEO_DRAWS)
        views[geos] = levelled(geo_curves(model, few, horizon), views[channels])
    return views


@dataclass(frozen=True)
class _Wanted:
    """The periods that are asked for, and what a unit of the KPI is worth in them."""

    start: str = ""
    periods: int = 0
    value: list[float] = field(default_factory=list)


def execute(
    run: Path,
    report: Callable[[dict[str, Any]], None],
    should_stop: Callable[[], bool],
) -> None:
    """Work out what spend brings in other periods, and write it.

    Args:
        run: The run's directory.
        report: Takes progress as progress.json shows it.
        should_stop: Whether the run was cancelled.
    """
    report({"phase": "preparing", "fraction": 0.05})
    fit, ask = asked(run)
    project, model = load_model(fit)
    of = lenient(ask, _Wanted)
    horizon = plan_horizon(model.data.times, of.periods, of.start, tuple(of.value))
    report({"phase": "analysis", "fraction": 0.3})
    views = curves_of(model, open_dataset(fit, "posterior"), horizon)
    if should_stop():
        return
    report({"phase": "saving", "fraction": 0.9})
    with write_result(run) as result:
        for name, view in views.items():
            labelled = view.assign_attrs(attributes(project, model))
            write_netcdf(labelled, result / f"{name}.nc")
