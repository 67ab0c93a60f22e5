"""The periods of a plan: their response curves, worked out where they are not yet."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core import text as fmt
from core.data.ahead.horizon import plan_horizon
from core.data.periods import periods as known_periods
from core.errors import SamplingError
from core.jobs import executor
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.scenario.horizon import NEXT_YEAR, HorizonRequest
from core.project.fits.horizons import (
    CurveFiles,
    horizon_curves,
    new_horizon,
    own_curves,
    pending_horizon,
    plan_curves,
)
from core.project.fits.runs import Run
from core.service.runs import SILENT, Watch, await_end, work_off
from core.store.results import open_dataset


def data_times(fit: Run) -> np.ndarray:
    """First days of the periods of a fit's data, datetime64[D].

    Raises:
        WorkspaceError: The fit is damaged.
    """
    times = open_dataset(fit.folder, "weeks")["time"].values
    return np.asarray(times.astype("datetime64[D]"))


def start_curves(fit: Run, start: str, n: int, value: Sequence[float] = ()) -> Path:
    """Have the response curves of other periods worked out; returns at once.

    Args:
        fit: The finished fit.
        start: First day of the first period, YYYY-MM-DD.
        n: Number of periods.
        value: Of a KPI unit in each over a year earlier's; empty for the same.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    run = new_horizon(fit.folder, start, n, value)
    executor.submit(run)
    return run


def curve_files(
    fit: Run, horizon: HorizonRequest = NEXT_YEAR, watch: Watch = SILENT
) -> CurveFiles:
    """Where the response curves of a plan's periods are; worked out if they are not.

    Args:
        fit: A finished fit.
        horizon: The periods.
        watch: Told how working them out goes on.

    Raises:
        PlanError: They begin before the data end, or end too late.
        SamplingError: They could not be worked out.
        WorkspaceError: The fit is damaged, or the workspace cannot be written.
    """
    if horizon.as_fitted:
        return own_curves(fit.folder)
    of = horizon.periods, horizon.start, horizon.value
    ahead = plan_horizon(data_times(fit), *of)
    periods = fit.folder, ahead.start, ahead.n, ahead.value
    files = horizon_curves(*periods)
    if files is not None:
        return files
    length = fmt.count(ahead.n, known_periods(data_times(fit)).period)
    began = fmt.date(ahead.start)
    purpose = f"Working out what spend brings in {length} from {began}."
    at_work = pending_horizon(*periods)
    try:
        if at_work is not None and at_work.status.is_live:
            await_end(at_work.folder, purpose, watch)
        else:
            run = new_horizon(*periods)
            work_off(run, purpose, watch)
    except SamplingError as error:
        hint = "Ask again, or plan the data's own periods (as fitted)."
        raise SamplingError(error.message, hint=hint, where=error.where) from error
    files = horizon_curves(*periods)
    assert files is not None  # the run has a result
    return files


def curves(
    fit: Run, horizon: HorizonRequest = NEXT_YEAR, watch: Watch = SILENT
) -> ResponseCurves:
    """Response curves of a plan's periods; see `curve_files`."""
    files = curve_files(fit, horizon, watch)
    return response_curves(open_dataset(files.run, files.channels))
