"""Planned forecast: what the periods of a plan bring in all, and the odds of a goal.

The forecast of a fit holds, for every draw, the outcome of each period under the media
from a year earlier, and what each paid channel would bring at multiples of them. At the
plan's multiples m_c the total of its periods is, in draw d,

    total_d = sum_t outcome_dt + sum_c [ f_dc(m_c) - f_dc(1) ]

with the noise of the periods in it, so that its odds are those of the actual outcome.
"""

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.ahead.monotone import Monotone
from core.dims import TIME
from core.plan.against.planned_spend import planned_spend
from core.plan.against.terms import terms_of
from core.plan.record.plan_record import PlanRecord
from core.plan.response.periods import Horizon
from core.plan.response.price import gammas_of, price_factors, units


def in_all(view: xr.Dataset, horizon: Horizon) -> xr.Dataset | None:
    """The forecast of a plan's periods together; None where it does not cover them.

    Args:
        view: forecast.nc.
        horizon: The plan's.

    Returns:
        `outcome` (draw), `response` (draw, paid, multiplier) and `year_before`; `spend`
        (paid, period), what ran a year earlier in each of them.
    """
    days = view[TIME].to_numpy().astype("datetime64[D]").astype(str)
    inside = (horizon.start <= days) & (days <= horizon.end)
    if horizon.as_fitted or inside.sum() != horizon.periods:
        return None
    names = ["outcome", "response", "year_before"]
    some = view.isel({TIME: np.flatnonzero(inside)})
    return some[names].sum(TIME).assign(spend=some["spend"].rename({TIME: "period"}))


def multiples_in_all(plan: PlanRecord, whole: xr.Dataset) -> dict[str, float]:
    """The plan's multiples of the media from a year earlier, in all of its periods.

    Args:
        plan: The plan.
        whole: What `in_all` gives for its periods.

    Returns:
        By channel of the fit; 0 for one that is off.
    """
    names = whole["paid"].to_numpy().astype(str)
    spend = whole["spend"].transpose("paid", "period").to_numpy().astype(float)
    ran = dict(zip(names.tolist(), spend, strict=True))
    prices, gammas = price_factors(plan.scenario, ran), gammas_of(plan.scenario)
    return {
        line.name: float(
            units(
                line.multiplier / prices.get(line.name, 1.0),
                gammas.get(line.name, 0.0),
            )
        )
        for line in plan.channels
        if line.multiplier is not None
    }


def multiples(plan: PlanRecord, view: xr.Dataset, n: int) -> dict[str, float]:
    """The plan's multiples of the media from a year earlier, in the first n periods.

    Raises:
        PlanError: The plan begins after these periods.
    """
    terms = terms_of(plan, view[TIME].to_numpy()[:n])
    usual = view["spend"].isel({TIME: slice(n)}).sum(TIME).to_series().to_dict()
    planned = planned_spend(plan, view, n)
    return {
        name: float(
            units(
                (planned[name] / terms.price(name, n)).sum() / before,
                terms.gammas.get(name, 0.0),
            )
        )
        for name, before in usual.items()
        if before > 0
    }


def planned_total(
    whole: xr.Dataset, multiples: dict[str, float]
) -> Float[np.ndarray, " draw"]:
    """Outcome of all periods together at multiples of the media from a year earlier.

    Args:
        whole: What `in_all` gives.
        multiples: By paid channel; the others stay as they were.
    """
    at = [multiples.get(str(name), 1.0) for name in whole["paid"].to_numpy()]
    now, planned = np.moveaxis(
        channel_outcomes(whole["response"], np.stack([np.ones(len(at)), at])), 1, 0
    )
    return whole["outcome"].to_numpy().astype(float) + (planned - now).sum(axis=1)


def channel_outcomes(
    response: xr.DataArray, at: Float[np.ndarray, "plan channel"]
) -> Float[np.ndarray, "draw plan channel"]:
    """Outcome of each channel at multiples: monotone cubics, then their tangent.

    Args:
        response: Of all periods together, at the multiples that are stored.
        at: Multiples.
    """
    grid = response["multiplier"].to_numpy().astype(float)
    value = response.transpose("multiplier", "paid", "draw").to_numpy().astype(float)
    outcomes = []
    for channel in range(at.shape[1]):
        curve = Monotone(grid, value[:, channel])
        within = np.clip(at[:, channel], grid[0], grid[-1])
        over = (at[:, channel] - within)[:, None]
        outcomes.append(curve(within) + over * curve.derivative(within))
    return np.stack(outcomes, axis=-1).transpose(1, 0, 2)
