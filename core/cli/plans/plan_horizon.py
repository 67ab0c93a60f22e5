"""The horizon of a plan: its options, and the response curves of its periods."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from core.cli.answer import tell
from core.data.ahead.horizon import PlanHorizon, plan_horizon
from core.errors import SamplingError
from core.plan.scenario.horizon import HorizonWish, horizon_wish
from core.workspace.fits.horizons import (
    CurveFiles,
    horizon_curves,
    new_horizon,
    own_curves,
)
from core.workspace.fits.runs import Run, open_dataset

if TYPE_CHECKING:
    from core.plan.response.curves import ResponseCurves


def add_horizon(plan: argparse.ArgumentParser) -> None:
    """The periods of a plan, as flags."""
    plan.add_argument(
        "--periods",
        type=int,
        metavar="N",
        help="how many periods to plan (default: a year)",
    )
    plan.add_argument(
        "--from",
        dest="start",
        metavar="DATE",
        help="begin with the first period that starts on this day or later (the first "
        "after the data)",
    )
    plan.add_argument(
        "--as-fitted",
        action="store_true",
        help="plan the data's own periods instead, as Meridian's optimiser does",
    )


def wished(
    options: argparse.Namespace, table: Mapping[str, Any] | None = None
) -> HorizonWish:
    """The horizon that flags or the scenario file ask for.

    Raises:
        PlanError: It is not understood, or contradicts itself.
    """
    return horizon_wish(
        table or {},
        periods=options.periods,
        start=options.start,
        as_fitted=options.as_fitted,
    )


def curve_files(run: Run, wish: HorizonWish) -> CurveFiles:
    """Where the response curves of a plan's periods are; worked out if they are not.

    Args:
        run: A finished fit.
        wish: The periods.

    Raises:
        PlanError: They begin before the data end, or end too late.
        SamplingError: They could not be worked out.
        WorkspaceError: The fit is damaged, or the workspace cannot be written.
    """
    if wish.as_fitted:
        return own_curves(run.folder)
    times = open_dataset(run.folder, "weeks")["time"].values.astype("datetime64[D]")
    horizon = plan_horizon(np.asarray(times), wish.periods, wish.start)
    return horizon_curves(run.folder, horizon.start, horizon.n) or _made(run, horizon)


def curves_for(run: Run, horizon: HorizonWish) -> "ResponseCurves":
    """Response curves of a plan's periods.

    Raises:
        PlanError: They begin before the data end, or end too late.
        WorkspaceError: The fit is damaged.
    """
    from core.plan.response.curves import response_curves

    files = curve_files(run, horizon)
    return response_curves(open_dataset(files.run, files.channels))


def _made(run: Run, horizon: PlanHorizon) -> CurveFiles:
    """The curves of other periods, worked out by a run of their own and kept."""
    from core.cli.fits.fit import interruptible
    from core.jobs import executor

    tell(f"Working out what spend brings in {horizon.n} periods from {horizon.start}.")
    derived = new_horizon(run.folder, horizon.start, horizon.n)
    executor.submit(derived)
    with interruptible():
        try:
            status = executor.wait(derived)
        except KeyboardInterrupt:
            executor.cancel(derived)
            status = executor.wait(derived)
    files = horizon_curves(run.folder, horizon.start, horizon.n)
    if files is None:
        raise SamplingError(
            status.message or "The periods of the plan could not be worked out.",
            hint=status.hint or "Ask again, or plan with --as-fitted.",
            where=str(derived),
        )
    return files
