"""Planned spend: what a saved plan would spend in the first periods after the data.

A plan of channels or of geos says how much, not when: its weeks are those of one year
before, multiplied. A plan of weeks says both; before it begins and after it ends the
weeks are those of one year before.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from core.dims import TIME
from core.errors import PlanError


def planned_spend(
    plan: Mapping[str, Any], view: xr.Dataset, n: int
) -> dict[str, float]:
    """Currency per paid channel in the first periods of the forecast.

    Args:
        plan: A plan of channels, weeks or geos, as it was kept.
        view: forecast.nc.
        n: Periods.

    Raises:
        PlanError: A plan of weeks begins after these periods.
    """
    some = view.isel({TIME: slice(n)})
    before = some["spend"].transpose("paid", TIME).to_numpy().astype(float)
    names = [str(name) for name in some["paid"].to_numpy()]
    if isinstance(plan.get("weeks"), list):
        return _of_weeks(plan, names, before, some[TIME].to_numpy())
    totals = dict(zip(names, before.sum(axis=1), strict=True))
    multiples = {
        str(row["name"]): float(row["planned"]) / float(row["current"])
        for row in plan["channels"]
        if row["current"]
    }
    return {name: float(totals[name] * multiples.get(name, 1.0)) for name in names}


def _of_weeks(
    plan: Mapping[str, Any],
    names: list[str],
    before: np.ndarray,
    times: np.ndarray,
) -> dict[str, float]:
    days = times.astype("datetime64[D]").astype(str)
    place = {str(week): i for i, week in enumerate(plan["weeks"])}
    covered = np.array([day in place for day in days])
    if not covered.any():
        raise PlanError(
            f"The plan begins on {plan['weeks'][0]}, and the actuals end with "
            f"{days[-1]}.",
            hint="Add the periods of the plan to the table.",
            where="actuals",
        )
    rows = {str(row["name"]): row["weeks"] for row in plan["channels"]}
    made = {}
    for name, usual in zip(names, before, strict=True):
        spend = usual.copy()
        if name in rows:
            spend[covered] = [rows[name][place[day]] for day in days[covered]]
        made[name] = float(spend.sum())
    return made
