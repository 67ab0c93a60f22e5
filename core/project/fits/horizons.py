"""Horizons: where the response curves of a plan's periods are kept.

A fit keeps those of the data's own periods and of the year after the data; other
periods are worked out once by a run of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.plan.response.periods import Horizon
from core.project.fits.derived import derived, new_derived, request_of
from core.project.fits.runs import Run
from core.store.fit_results import read_fit
from core.store.results import has_result, result_files

#: Files of a result: curves of channels and of geos, by whose periods they are.
OWN = ("curves", "geo_curves")
AHEAD = ("horizon_curves", "horizon_geo_curves")


@dataclass(frozen=True)
class CurveFiles:
    """Response curves of some periods.

    Attributes:
        run: The run that has them.
        channels: Name of the file, by channel.
        geos: The same by channel and geo; None for a national market.
    """

    run: Path
    channels: str
    geos: str | None


def own_curves(fit: Path) -> CurveFiles:
    """The curves of the data's own periods.

    Raises:
        WorkspaceError: The fit has no result, or it is damaged.
    """
    return _files(fit, OWN)


def horizon_curves(
    fit: Path, start: str, n: int, value: Sequence[float] = ()
) -> CurveFiles | None:
    """The curves of periods after the data; None where they are not worked out yet.

    Args:
        fit: The run of the fit.
        start: First day of the first period, YYYY-MM-DD.
        n: Number of periods.
        value: Of a KPI unit in each over a year earlier's; empty for the same.

    Raises:
        WorkspaceError: The fit has no result, or it is damaged.
    """
    usual = read_fit(fit).horizon
    if not value and (usual.start, usual.periods) == (start, n):
        return _files(fit, AHEAD)
    request = _request(start, n, value)
    for run in derived(fit.parents[1], "horizon", fit.name):
        if has_result(run.folder) and request_of(run.folder) == request:
            return _files(run.folder, AHEAD)
    return None


def plan_curves(fit: Path, horizon: Horizon) -> CurveFiles | None:
    """The curves of the periods that a plan is for; None where there are none yet.

    Args:
        fit: The run of the fit.
        horizon: The plan's.

    Raises:
        WorkspaceError: The fit has no result, or it is damaged.
    """
    if horizon.as_fitted:
        return own_curves(fit)
    return horizon_curves(fit, horizon.start, horizon.periods, horizon.value)


def pending_horizon(
    fit: Path, start: str, n: int, value: Sequence[float] = ()
) -> Run | None:
    """The run that works these curves out, or did not get to its end."""
    request = _request(start, n, value)
    listed = derived(fit.parents[1], "horizon", fit.name)
    return next((run for run in listed if request_of(run.folder) == request), None)


def new_horizon(fit: Path, start: str, n: int, value: Sequence[float] = ()) -> Path:
    """A run, ready to be submitted, that works the curves of other periods out.

    Raises:
        WorkspaceError: The fit has no result, or the workspace cannot be written.
    """
    return new_derived(fit, "horizon", _request(start, n, value))


def _request(start: str, n: int, value: Sequence[float]) -> dict[str, object]:
    """What a run that works curves out is asked for."""
    return {"start": start, "periods": n} | ({"value": list(value)} if value else {})


def _files(run: Path, names: tuple[str, str]) -> CurveFiles:
    channels, geos = names
    return CurveFiles(
        run, channels, geos if f"{geos}.nc" in result_files(run) else None
    )
