"""Planned periods: what spend of a horizon can bring, beside what runs around it.

In the horizon, media has the timing of the year before and is what is multiplied. The
media that ran before it carries over into it, and the year before's goes on after it,
for as long as the plan's own media still works: were nothing to run then, saturation
would be low and the last periods would seem too good. Both stay as they are, are felt
by saturation, and are not counted. Value of the KPI, holidays and drift are those of
the horizon.
"""

import json
from dataclasses import replace
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float

from core.analysis.ahead.future import future_model, media_of
from core.analysis.incremental import MediaBySuffix
from core.data.ahead.horizon import PlanHorizon, ahead, began_since, between, is_short
from core.data.input_data import InputData
from core.data.mapping import KINDS, PAID
from core.data.price_index import PRICES, prices_ahead
from core.model.build import Model
from core.model.media.structure import ModelArrays, Structure
from core.model.mediation.mediators import at_periods, prefix


class PlannedPeriods(NamedTuple):
    """What response curves are worked out with.

    Attributes:
        structure: Static options; at a horizon it has the periods after it too, else
            those that the data are filled up with (`core.model.media.filled`).
        arrays: Numbers of the model; at a horizon, media in its periods alone.
        beside: Media that runs around a horizon; None for the data's own periods.
        spend: Spend of the paid channels in the periods planned, currency.
    """

    structure: Structure
    arrays: ModelArrays
    beside: MediaBySuffix | None
    spend: Float[np.ndarray, "geo time channel"]


def planned_periods(model: Model, horizon: PlanHorizon | None) -> PlannedPeriods:
    """The periods of a plan.

    Args:
        model: The model.
        horizon: None for the data's own periods.
    """
    if horizon is None:
        structure, arrays, _ = model.filled
        return PlannedPeriods(structure, arrays, None, paid_spend(model.data))
    periods = _planned(model, horizon, works_on(model))
    if not horizon.value:
        return periods
    scale, arrays = periods.arrays.outcome_scale, periods.arrays
    factor = np.full(scale.shape[1], horizon.value[-1])  # the last one holds after it
    factor[: horizon.n] = horizon.value
    scale = scale * jnp.asarray(factor, scale.dtype)
    return periods._replace(arrays=arrays._replace(outcome_scale=scale))


def works_on(model: Model) -> int:
    """Periods after a plan in which its media still works, by mediators too."""
    groups = [group for group in model.structure.groups if group.kind in PAID]
    periods = [max((group.n_lags for group in groups), default=1) - 1]
    for link, other in zip(model.structure.mediators, model.mediators, strict=True):
        periods.append(works_on(other) + link.group.n_lags - 1)
    return max(periods)


def _planned(model: Model, horizon: PlanHorizon, n_after: int) -> PlannedPeriods:
    """`planned_periods` of a horizon with so many periods after it."""
    stop = horizon.skip + horizon.n + n_after
    future = between(ahead(model.data, stop), horizon.skip, stop)
    structure, arrays = future_model(model, future, holds_last_knot=True)
    first = future.n_media_times - future.n_times
    is_planned = np.zeros(future.n_media_times, bool)
    is_planned[first : first + horizon.n] = True
    planned = media_of(model, _running(future, is_planned))
    groups = {
        suffix: arrays.groups[suffix]._replace(media=media)
        for suffix, media in planned.items()
    }
    arrays = arrays._replace(groups=groups)
    beside = media_of(model, _running(future, ~is_planned))
    of_mediators = [_planned(other, horizon, n_after) for other in model.mediators]
    for place, of in enumerate(of_mediators):
        beside |= {prefix(place) + key: each for key, each in of.beside.items()}
    parts = [(of.structure, of.arrays) for of in of_mediators]
    structure, arrays = at_periods(model, structure, arrays, parts)
    spend = paid_spend(future)[:, : horizon.n]
    return PlannedPeriods(structure, arrays, beside, spend)


def paid_spend(data: InputData) -> Float[np.ndarray, "geo time channel"]:
    """Spend of the paid channels, currency; of no channel where none is paid."""
    paid = [getattr(data, kind).spend for kind in PAID if getattr(data, kind)]
    none = np.zeros((data.n_geos, data.n_times, 0))
    return np.concatenate([none, *paid], axis=2)


def _running(data: InputData, when: Bool[np.ndarray, " media_time"]) -> InputData:
    """The same with media in some periods only."""
    return replace(
        data,
        **{
            kind: replace(treatments, units=treatments.units * when[:, None])
            for kind in KINDS[:-1]
            if (treatments := getattr(data, kind))
        },
    )


def of_periods(data: InputData, horizon: PlanHorizon | None) -> dict[str, object]:
    """What response curves say about their periods, as files store it.

    Args:
        data: The market.
        horizon: None for the data's own periods.
    """
    own = PlanHorizon(data.times) if horizon is None else horizon
    began = {} if horizon is None else began_since(data, horizon.skip, horizon.n)
    prices = {} if horizon is None else prices_ahead(data, horizon)
    return {
        PRICES: json.dumps(prices),
        "began": json.dumps(began),
        "horizon_start": own.start,
        "horizon_end": str(own.times[-1]),
        "horizon_periods": own.n,
        "as_fitted": int(horizon is None),
        "horizon_value": json.dumps(own.value),
        "horizon_repeated": int(horizon is not None and is_short(data)),
    }
