"""Planned forecast: what the periods of a plan bring in all, and the odds of a goal.

The forecast of a fit holds, for every draw, the outcome of each period under the media
from a year earlier, and what each paid channel would bring at multiples of them. At the
plan's multiples m_c the total of its periods is, in draw d,

    total_d = sum_t outcome_dt + sum_c [ f_dc(m_c) - f_dc(1) ]

with the noise of the periods in it, so that its odds are those of the actual outcome.
A channel that is bought at its best frequency brings its lift more of what its spend
adds, f_dc(m_c) - f_dc(0); what channels without history bring is added as believed.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.analysis.ahead.monotone import Monotone
from core.dims import TIME
from core.plan.against.begun import begun_outcome, begun_spend
from core.plan.against.planned_spend import planned_spend
from core.plan.against.terms import Terms, terms_of
from core.plan.record.plan_record import PlanRecord
from core.plan.response.curves import Frequency
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
    inside = _inside(view, horizon)
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


def _inside(view: xr.Dataset, horizon: Horizon) -> Bool[np.ndarray, " time"]:
    """Which of the forecast's periods are a plan's."""
    days = view[TIME].to_numpy().astype("datetime64[D]").astype(str)
    return (horizon.start <= days) & (days <= horizon.end)


def plan_total(
    plan: PlanRecord,
    view: xr.Dataset,
    whole: xr.Dataset,
    frequencies: Sequence[Frequency] = (),
) -> Float[np.ndarray, " draw"]:
    """Outcome of all of a plan's periods together, at its frequencies and beliefs.

    Args:
        plan: The plan.
        view: forecast.nc.
        whole: What `in_all` gives for the plan's periods.
        frequencies: Of channels with reach and frequency, by the plan's fit.
    """
    inside = _inside(view, plan.horizon)
    times = view[TIME].to_numpy()[inside]
    lifts = terms_of(plan, times, frequencies, view.sizes["draw"]).lifts
    total = planned_total(whole, multiples_in_all(plan, whole), lifts)
    return total + begun_outcome(plan, view, inside, begun_spend(plan))


def planned_total(
    whole: xr.Dataset,
    multiples: Mapping[str, float],
    lifts: Mapping[str, Float[np.ndarray, " draw"]] = MappingProxyType({}),
) -> Float[np.ndarray, " draw"]:
    """Outcome of all periods together at multiples of the media from a year earlier.

    Args:
        whole: What `in_all` gives.
        multiples: By paid channel; the others stay as they were.
        lifts: What channels bring at their best frequency over what they bring at the
            one that ran; see `Terms`.
    """
    names = [str(name) for name in whole["paid"].to_numpy()]
    at = np.array([multiples.get(name, 1.0) for name in names])
    plans = np.stack([0 * at, np.ones(len(at)), at])
    none, now, planned = np.moveaxis(channel_outcomes(whole["response"], plans), 1, 0)
    # What carries over from before the plan is there at any frequency.
    planned = Terms(lifts=lifts).lifted(names, planned[:, :, None], none[:, :, None])[
        :, :, 0
    ]
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
        outcomes.append(Monotone(grid, value[:, channel]).along(at[:, channel]))
    return np.stack(outcomes, axis=-1).transpose(1, 0, 2)
