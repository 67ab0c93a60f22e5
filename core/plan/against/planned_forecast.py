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
from core.analysis.ahead.outlook import replanned
from core.dims import CHANNEL, DRAW, TIME
from core.plan.against.actuals import by_period
from core.plan.against.begun import begun_by_period, begun_outcome, begun_spend
from core.plan.against.planned_spend import planned_spend
from core.plan.against.terms import AS_RAN, Terms, places, terms_of
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


def planned_forecast(
    plan: PlanRecord,
    view: xr.Dataset,
    n: int,
    terms: Terms = AS_RAN,
    typed: Mapping[str, float] = MappingProxyType({}),
) -> xr.Dataset:
    """The first n periods of a forecast with a plan's media.

    Channels are bought at the plan's frequencies in its own periods; those without
    history are there as believed.

    Args:
        plan: The plan.
        view: forecast.nc of a fit.
        n: Periods.
        terms: How the plan buys its media (`core.project.plans.plan_actuals.terms`).
        typed: Multiples of the media from a year earlier that go before the plan's.

    Raises:
        PlanError: The plan begins after these periods.
    """
    some = view.isel({TIME: slice(n)})
    forecast = replanned(some, multiples(plan, view, n) | typed)
    inside = _inside(some, plan.horizon) | plan.horizon.as_fitted  # which has no end
    forecast = _at_frequencies(forecast, terms.lifts, inside)
    return with_begun(plan, forecast, view)


def _at_frequencies(
    forecast: xr.Dataset,
    lifts: Mapping[str, Float[np.ndarray, " draw"]],
    inside: Bool[np.ndarray, " time"],
) -> xr.Dataset:
    """A forecast with channels at the frequencies of a plan, in its periods."""
    names = [str(name) for name in forecast[CHANNEL].to_numpy()]
    paid = [str(name) for name in forecast["paid"].to_numpy()]
    paid_lifts = {name: lift for name, lift in lifts.items() if name in paid}
    if not paid_lifts:
        return forecast
    added = forecast["contribution"].transpose(DRAW, CHANNEL, TIME).to_numpy()
    added, more = added.astype(float), 0.0
    for name, lift in paid_lifts.items():
        # What carries over from before is there at any frequency.
        none = forecast["response"].sel(paid=name, multiplier=0.0)
        none = none.transpose(DRAW, TIME).to_numpy().astype(float)
        own = added[:, names.index(name)]
        gained = np.where(inside, (lift[:, None] - 1) * (own - none), 0.0)
        added[:, names.index(name)] = own + gained
        more = more + gained
    return _grown(forecast, more).assign(contribution=((DRAW, CHANNEL, TIME), added))


def _grown(forecast: xr.Dataset, more: Float[np.ndarray, "draw time"]) -> xr.Dataset:
    """A forecast that more comes of; units of the KPI are not known then."""
    grown = {
        name: ((DRAW, TIME), by_period(forecast[name]) + more)
        for name in ("outcome", "expected")
    }
    return forecast.drop_vars("kpi", errors="ignore").assign(grown)


def with_begun(plan: PlanRecord, forecast: xr.Dataset, view: xr.Dataset) -> xr.Dataset:
    """A forecast with a plan's channels that its fit has never seen run.

    Args:
        plan: The plan.
        forecast: The first periods after the data, whatever draws it has.
        view: forecast.nc of the same fit.
    """
    inside, spend = _inside(view, plan.horizon), _begun(plan, view)
    if not (spend and inside.any()):
        return forecast
    brought = begun_by_period(plan, view, inside, spend)
    place = places(plan.horizon, forecast[TIME].to_numpy())
    here = (place >= 0) & (place < plan.horizon.periods)
    n = forecast.sizes[DRAW]
    draws = np.linspace(0, view.sizes[DRAW] - 1, n).round().astype(int)
    added = np.zeros((n, len(brought), len(place)))
    for row, each in enumerate(brought.values()):
        added[:, row, here] = each[np.ix_(draws, place[here])]
    begun = xr.DataArray(
        added,
        dims=(DRAW, CHANNEL, TIME),
        coords={
            CHANNEL: list(brought),
            "kind": (CHANNEL, ["media"] * len(brought)),
            TIME: forecast[TIME],
        },
    )
    whole = xr.concat([forecast["contribution"], begun], CHANNEL)
    others = _grown(forecast, added.sum(axis=1)).drop_dims(CHANNEL)
    return others.assign(contribution=whole)


def begun_spend_in(
    plan: PlanRecord, view: xr.Dataset, n: int
) -> dict[str, Float[np.ndarray, " time"]]:
    """Currency per channel without history in each of the first periods of a forecast.

    Args:
        plan: The plan.
        view: forecast.nc of a fit.
        n: Periods.
    """
    place = places(plan.horizon, view[TIME].to_numpy()[:n])
    inside = (place >= 0) & (place < plan.horizon.periods)
    return {
        name: np.where(inside, each[np.clip(place, 0, len(each) - 1)], 0.0)
        for name, each in _begun(plan, view).items()
    }


def _begun(
    plan: PlanRecord, view: xr.Dataset
) -> dict[str, Float[np.ndarray, " period"]]:
    """What channels that a fit has never seen run spend in each of a plan's periods."""
    names = set(view["paid"].to_numpy().astype(str))
    return {name: each for name, each in begun_spend(plan).items() if name not in names}


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
