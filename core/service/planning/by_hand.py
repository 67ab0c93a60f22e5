"""What a plan becomes as somebody moves a control: gains, limits, budgets, fits."""

from collections.abc import Mapping

import xarray as xr

from core.plan.against.planned_forecast import (
    begun_spend_in,
    in_all,
    multiples,
    plan_total,
    planned_forecast,
)
from core.plan.against.rescore import Between, Rescored, rescored
from core.plan.frontier import Move, Point, frontier, next_money, round_amount
from core.plan.limit_costs import LimitCost, limit_costs
from core.plan.limits.cents import difference
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import Run
from core.project.plans.plan_actuals import terms


def with_plan(
    fit: Run, plan: PlanRecord, view: xr.Dataset, n: int, typed: Mapping[str, float]
) -> xr.Dataset:
    """The first periods of a fit's forecast with a plan's media.

    Args:
        fit: The fit.
        plan: The plan.
        view: Its forecast.nc.
        n: Periods.
        typed: Multiples of last year's media that go before the plan's.

    Raises:
        PlanError: The plan begins after these periods.
    """
    return planned_forecast(plan, view, n, terms(fit.folder, plan, view), typed)
