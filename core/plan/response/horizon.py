"""Horizon: the weeks that spend is planned for, and what a unit of spend buys in them.

Media that ran before the plan carries over into it; spend of the plan carries over
into as many periods after its end as the longest window of a channel, in which media
goes on as a year earlier. Were nothing to run then, saturation would be low after the
end, and a plan would put its money into the last week. Spend of a period is split over
geos as last year's media was; channels of reach and frequency buy reach at last year's
mean frequency. The models of mediators have the same weeks: what a channel moves there
works on through the mediator's own carryover.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from core.analysis.ahead.future import future_model
from core.analysis.ahead.planned_periods import paid_spend, works_on
from core.data.ahead.horizon import (
    ahead,
    began_since,
    between,
    is_short,
    periods_per_year,
)
from core.data.input_data import InputData, Treatments
from core.data.mapping import PAID
from core.data.scaling import media_median, scaled_media
from core.errors import PlanError
from core.model.build import Model
from core.model.media.structure import GroupStructure, ModelArrays, Structure
from core.model.mediation.mediators import at_periods, prefix
from core.plan.response.price import units, units_slope


class Bought(NamedTuple):
    """What spend buys in one group of channels, channel first.

    Attributes:
        before: Scaled media (or reach) of the periods before the plan; channel geo
            time.
        per_money: Scaled media (or reach) per unit of currency; channel geo week.
        after: Scaled media (or reach) of the periods after the plan.
        frequency: Of the periods before, in and after the plan; None unless by reach.
        ran: Scaled media (or reach) of the plan's periods a year earlier, as it ran;
            channel geo week.
        frequency_ran: As `frequency`, all as it ran.
    """

    before: jax.Array
    per_money: jax.Array
    after: jax.Array
    frequency: jax.Array | None
    ran: jax.Array
    frequency_ran: jax.Array | None


class WeekResponse(NamedTuple):
    """What a plan of weeks is computed with.

    Attributes:
        structure: Static: the paid groups, over the plan and the periods after it.
            Its mediators link paid channels alone.
        arrays: Numbers of the model at these periods.
        bought: What spend buys, by group suffix; in mediators' models after the
            prefix of each.
        names: Channels, in the order of the groups.
        weeks: First days of the periods planned, datetime64[D].
        n_after: Periods after the plan in which its media still works.
        usual: Spend of the same periods a year earlier; channel week.
        dearest: Most that a period ever cost; channel.
        price: Cost per media unit, last year's mean; channel.
        history: Spend of every period that the fit saw; period channel.
        began: Channels that did not run yet a year earlier, and their first days.
        gamma: How much dearer a unit gets with a week's volume; channel.
        typical: Weekly spend at which a unit costs what it did last year; channel.
        is_repeated: Whether the data are shorter than a year.
        charge: Outcome that a unit of scaled mediator takes off, by place; geo. What
            it costs, where a plan pays for it at a rate of outcome per cash.
    """

    structure: Structure
    arrays: ModelArrays
    bought: dict[str, Bought]
    names: tuple[str, ...]
    weeks: np.ndarray
    n_after: int
    usual: np.ndarray
    dearest: np.ndarray
    price: np.ndarray
    history: np.ndarray
    began: dict[str, str]
    gamma: np.ndarray
    typical: np.ndarray
    is_repeated: bool = False
    charge: Mapping[str, jax.Array] = MappingProxyType({})

    @property
    def is_dearer(self) -> bool:
        """Whether a channel gets dearer with volume."""
        return bool(self.gamma.any())

    def at_one_price(self, spend: np.ndarray) -> np.ndarray:
        """What would buy the same units at last year's mean price; channel week."""
        if not self.is_dearer:
            return spend
        typical = self.typical[:, None]
        return typical * units(spend / typical, self.gamma[:, None])

    def units_per_money(self, spend: np.ndarray) -> np.ndarray:
        """Derivative of `at_one_price`; channel week."""
        return units_slope(spend / self.typical[:, None], self.gamma[:, None])


def horizon(
    model: Model,
    n: int,
    *,
    skip: int = 0,
    price: np.ndarray | None = None,
    value: np.ndarray | None = None,
    after: float = 1.0,
    gammas: Mapping[str, float] = MappingProxyType({}),
    often: Mapping[str, float] = MappingProxyType({}),
) -> WeekResponse:
    """The n periods that begin `skip` periods after the data.

    Args:
        model: The model.
        n: Periods of the plan.
        skip: Periods between the data and the plan; media runs in them as it did
            a year earlier.
        price: Price of a media unit over last year's; paid channel by week.
        value: Value of a KPI unit over last year's, by week; the last one holds
            after the plan.
        after: Media after the plan, as a multiple of the year before's.
        gammas: How much dearer a unit gets with volume, by channel.
        often: Frequency at which reach is bought, by channel; last year's mean where
            it says nothing.

    Raises:
        PlanError: A channel never ran, so that its media has no price.
    """
    groups = [group for group in model.structure.groups if group.kind in PAID]
    n_channels = sum(group.n_channels for group in groups)
    price = np.ones((n_channels, n)) if price is None else price
    value = np.ones(n) if value is None else value
    n_after = works_on(model)
    return _weeks(model, _Asked(n, skip, n_after, price, value, after, gammas, often))


class _Asked(NamedTuple):
    """What `horizon` is asked for; `n_after` periods after the plan count."""

    n: int
    skip: int
    n_after: int
    price: np.ndarray
    value: np.ndarray
    after: float
    gammas: Mapping[str, float]
    often: Mapping[str, float]


def _weeks(model: Model, request: _Asked) -> WeekResponse:
    """The weeks of a model, and of those of its mediators."""
    groups = tuple(group for group in model.structure.groups if group.kind in PAID)
    n, skip, n_after, factor, value, after, gammas, often = request
    everything = ahead(model.data, skip + n + n_after)
    future = between(everything, skip, skip + n + n_after)
    structure, arrays = future_model(model, future, holds_last_knot=True)
    names = tuple(name for group in groups for name in model.channels(group.kind))
    bought, paid, first = {}, [], 0
    for group in groups:
        factors = factor[first : first + group.n_channels]
        bought[group.suffix] = _bought(model, future, group, factors, after, often)
        paid.append(_spend(model, future, group, n))
        first += group.n_channels
    usual, dearest, mean_price = map(np.concatenate, zip(*paid, strict=True))
    history = paid_spend(model.data).sum(axis=0)
    gamma = np.array([gammas.get(name, 0.0) for name in names])
    structure = replace(structure, groups=groups, lifts=(), latents=())
    own = structure, _arrays(model, groups, arrays, _held(value, n_after))
    others = [
        _weeks(other, request._replace(price=_prices_of(other, names, factor)))
        for other in model.mediators
    ]
    structure, arrays, of_others = _by_way_of(model, own, others, names)
    return WeekResponse(
        structure=structure,
        arrays=arrays,
        bought=bought | of_others,
        names=names,
        weeks=future.times[:n],
        n_after=n_after,
        usual=usual,
        dearest=dearest,
        price=mean_price,
        history=history,
        gamma=gamma,
        typical=_typical(usual, history, gamma, periods_per_year(model.data.times)),
        began=began_since(model.data, skip, n),
        is_repeated=is_short(model.data),
    )


def _arrays(
    model: Model,
    groups: Sequence[GroupStructure],
    arrays: ModelArrays,
    scale: np.ndarray,
) -> ModelArrays:
    """What of the model's numbers at the weeks paid channels and mediators need."""
    all_groups = (*groups, *(link.group for link in model.structure.mediators))
    return arrays._replace(
        outcome_scale=arrays.outcome_scale * jnp.asarray(scale, arrays.kpi.dtype),
        groups={each.suffix: arrays.groups[each.suffix] for each in all_groups},
        baseline=None,
        non_media=None,
        priors={},
    )


def _prices_of(
    other: Model, names: Sequence[str], factor: np.ndarray
) -> Float[np.ndarray, "channel week"]:
    """Prices over last year's of the paid channels of another model."""
    theirs = [name for kind in PAID for name in other.channels(kind)]
    prices = dict(zip(names, factor, strict=True))
    return np.array([prices.get(name, np.ones(factor.shape[1])) for name in theirs])


def _by_way_of(
    model: Model,
    own: tuple[Structure, ModelArrays],
    weeks: Sequence[WeekResponse],
    names: Sequence[str],
) -> tuple[Structure, ModelArrays, dict[str, Bought]]:
    """Structure, arrays and media with those of the weeks of mediators' models.

    Links are between paid channels: rows here, and in the weeks of the other model.

    Args:
        model: The model, with its mediators.
        own: Structure and arrays of it at the weeks.
        weeks: Of each mediator's model.
        names: Paid channels here.
    """
    parts = [(other.structure, other.arrays) for other in weeks]
    structure, arrays = at_periods(model, *own, parts)
    links, bought = [], {}
    for place, (link, other) in enumerate(zip(structure.mediators, weeks, strict=True)):
        shared = [name for name in names if name in other.names]
        ours = tuple(names.index(name) for name in shared)
        theirs = tuple(other.names.index(name) for name in shared)
        links.append(replace(link, ours=ours, theirs=theirs))
        bought |= {prefix(place) + key: each for key, each in other.bought.items()}
    return replace(structure, mediators=tuple(links)), arrays, bought


def _typical(
    usual: np.ndarray, history: np.ndarray, gamma: np.ndarray, year: int
) -> np.ndarray:
    """Weekly spend at last year's mean price: what ran buys as much as it did.

    Of a channel without spend in the plan's weeks a year earlier, that of the whole
    year, or of all periods.
    """
    typical = []
    for now, ever, each in zip(usual, history.T, gamma, strict=True):
        spend = next((some for some in (now, ever[-year:]) if some.any()), ever)
        spend = spend[spend > 0]
        mean = spend.mean() if len(spend) else 1.0
        times = (spend / mean).sum() / np.maximum(units(spend / mean, each).sum(), 1e-9)
        typical.append(mean * times ** (1 / each) if each and len(spend) else mean)
    return np.array(typical)


def _bought(
    model: Model,
    future: InputData,
    group: GroupStructure,
    factor: np.ndarray,
    after: float,
    often: Mapping[str, float],
) -> Bought:
    past: Treatments = getattr(model.data, group.kind)
    treatments: Treatments = getattr(future, group.kind)
    population, dtype = model.data.population, model.arrays.kpi.dtype
    median = media_median(past.units, population)
    lately = _lately(past, model.data)
    spend = (past.spend * lately).sum(axis=(0, 1))
    units = _media(past, slice(None), model.data) * lately
    bought = units.sum(axis=1)  # geo channel
    for place, name in enumerate(treatments.names):
        if not (bought[:, place].sum() > 0 and spend[place] > 0):
            raise PlanError(
                f"{name} never ran with media and spend, so its media has no price.",
                hint="Take it out of the model, or give its media and spend.",
                where=name,
            )
    per_money = bought / spend / (population[:, None] * median)
    scaled = scaled_media(treatments.units, population, median)
    before, later = np.split(scaled, [scaled.shape[1] - future.n_times], axis=1)
    ran, later = np.split(later, [factor.shape[1]], axis=1)
    later = after * later
    frequency = None
    if treatments.frequency is not None:
        impressions = _impressions(past, slice(None), model.data) * lately
        ran_at = impressions.sum((0, 1)) / bought.sum(axis=0)
        mean, per_money = _at(often, treatments.names, ran_at, per_money)
        first = treatments.frequency.shape[1] - future.n_times
        frequency = treatments.frequency.copy()
        frequency[:, first : first + factor.shape[1]] = mean
    lags = slice(max(0, before.shape[1] - group.n_lags), None)  # older carries nothing

    def by_channel(numbers: np.ndarray) -> jax.Array:
        return jnp.asarray(np.moveaxis(numbers, 2, 0), dtype)

    has_reach = frequency is not None
    return Bought(
        before=by_channel(before[:, lags]),
        per_money=jnp.asarray(per_money.T[:, :, None] / factor[:, None, :], dtype),
        after=by_channel(later),
        frequency=by_channel(frequency[:, lags]) if has_reach else None,
        ran=by_channel(ran),
        frequency_ran=by_channel(treatments.frequency[:, lags]) if has_reach else None,
    )


def _held(value: np.ndarray, n_after: int) -> np.ndarray:
    """Value of a KPI unit in the weeks of a plan, and its last one after them."""
    scale = np.asarray(value, float)
    return np.append(scale, np.repeat(scale[-1:], n_after))


def _at(
    often: Mapping[str, float],
    names: Sequence[str],
    ran: np.ndarray,
    per_money: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Frequency of each channel, and the reach that its impressions then buy."""
    pairs = zip(names, ran.tolist(), strict=True)
    mean = np.array([often.get(*each) for each in pairs])
    return mean, per_money * (ran / mean)


def _lately(past: Treatments, data: InputData) -> np.ndarray:
    """The periods that prices are of: the last year, or all where it ran in none.

    Period by channel.
    """
    is_last = np.arange(data.n_times) >= data.n_times - periods_per_year(data.times)
    costs = past.spend.sum(axis=0) > 0
    ran = costs & (_media(past, slice(None), data).sum(axis=0) > 0)
    return is_last[:, None] | ~(ran & is_last[:, None]).any(axis=0)


def _media(past: Treatments, when: slice, data: InputData) -> np.ndarray:
    """Media units or reach of some KPI periods; geo time channel."""
    return past.units[:, -data.n_times :][:, when]


def _impressions(past: Treatments, when: slice, data: InputData) -> np.ndarray:
    frequency = past.frequency[:, -data.n_times :][:, when]
    return _media(past, when, data) * frequency


def _spend(model: Model, future: InputData, group: GroupStructure, n: int):
    """Usual spend per channel and week, the dearest week, price of a unit."""
    past: Treatments = getattr(model.data, group.kind)
    treatments: Treatments = getattr(future, group.kind)
    lately = _lately(past, model.data)
    by_period = past.spend.sum(axis=0)
    units = _media if past.frequency is None else _impressions
    impressions = (units(past, slice(None), model.data) * lately).sum(axis=(0, 1))
    return (
        treatments.spend[:, :n].sum(axis=0).T,
        by_period.max(axis=0),
        (by_period * lately).sum(axis=0) / np.maximum(impressions, 1e-300),
    )
