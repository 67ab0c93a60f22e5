"""Planned spend: what a saved plan would spend in the first periods after the data.

A plan of channels or of geos says how much, not when: its weeks are those from a year
earlier, multiplied. A plan of weeks says both. Before a plan begins and after it ends
the weeks are those from a year earlier; a plan of the data's own periods has no end.
"""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.dims import TIME
from core.errors import PlanError
from core.plan.against.terms import places
from core.plan.record.plan_record import PlanRecord
from core.plan.response.price import prices_by_period


def planned_spend(
    plan: PlanRecord, view: xr.Dataset, n: int
) -> dict[str, Float[np.ndarray, " time"]]:
    """Currency per paid channel in each of the first periods of the forecast.

    Args:
        plan: A plan over channels, weeks or geos.
        view: forecast.nc.
        n: Periods.

    Raises:
        PlanError: The plan begins after these periods.
    """
    some = view.isel({TIME: slice(n)})
    before = some["spend"].transpose("paid", TIME).to_numpy().astype(float)
    names = [str(name) for name in some["paid"].to_numpy()]
    if plan.over == "weeks":
        return _of_weeks(plan, names, before, some[TIME].to_numpy())
    covered = _covered(plan, some[TIME].to_numpy())
    begun = {
        line.name: line.planned / plan.horizon.periods
        for line in plan.channels
        if line.is_belief  # that a newer fit has seen run
    }
    multiples = {
        line.name: line.multiplier
        for line in plan.channels
        if line.multiplier is not None
    }
    place, prices = places(plan.horizon, some[TIME].to_numpy()), {}
    if not plan.horizon.as_fitted:
        prices = prices_by_period(plan.scenario)
    planned = {
        name: np.where(
            covered,
            multiples.get(name, 1.0) * _dearer(prices.get(name, ()), place, usual),
            1.0,
        )
        * usual
        for name, usual in zip(names, before, strict=True)
    }
    evenly = {name: each for name, each in begun.items() if name in planned}
    return planned | {
        name: np.where(covered, each, planned[name]) for name, each in evenly.items()
    }


def _dearer(
    prices: Sequence[float], place: np.ndarray, usual: Float[np.ndarray, " time"]
) -> Float[np.ndarray, " time"]:
    """Price of each period over the plan's average: media keeps its timing.

    Args:
        prices: Of the plan's periods; empty where there is one price.
        place: Of each period in the plan.
        usual: Spend a year earlier; of periods that are not known, their mean.
    """
    if not len(prices):
        return np.ones(len(place))
    inside = (place >= 0) & (place < len(prices))
    ran = np.full(len(prices), usual[inside].mean())
    ran[place[inside]] = usual[inside]
    average = np.average(prices, weights=ran if ran.any() else None)
    return np.where(
        inside, np.array(prices)[np.clip(place, 0, len(prices) - 1)] / average, 1.0
    )


def _covered(plan: PlanRecord, times: np.ndarray) -> np.ndarray:
    """Which periods a plan of channels or geos is for.

    Raises:
        PlanError: None of them.
    """
    horizon, days = plan.horizon, times.astype("datetime64[D]").astype(str)
    if horizon.as_fitted:
        return np.ones(len(days), bool)
    covered = (horizon.start <= days) & (days <= horizon.end)
    if not covered.any():
        raise _later(horizon.start, days)
    return covered


def _later(start: str, days: np.ndarray) -> PlanError:
    return PlanError(
        f"The plan begins on {start}, after these periods, which end with {days[-1]}.",
        hint="Ask for more periods, or add those of the plan to the table.",
        where="periods",
    )


def _of_weeks(
    plan: PlanRecord,
    names: list[str],
    before: np.ndarray,
    times: np.ndarray,
) -> dict[str, np.ndarray]:
    days = times.astype("datetime64[D]").astype(str)
    place = {week: i for i, week in enumerate(plan.weeks)}
    covered = np.array([day in place for day in days])
    if not covered.any():
        raise _later(plan.weeks[0], days)
    weeks = {line.name: line.weeks for line in plan.channels}
    planned = {}
    for name, usual in zip(names, before, strict=True):
        spend = usual.copy()
        if name in weeks:
            spend[covered] = [weeks[name][place[day]] for day in days[covered]]
        planned[name] = spend
    return planned
