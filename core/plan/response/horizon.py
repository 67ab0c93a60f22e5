"""Horizon: the weeks that spend is planned for, and what a unit of spend buys in them.

Media that ran before the plan carries over into it; spend of the plan carries over
into as many periods after its end as the longest window of a channel, in which media
goes on as a year earlier. Were nothing to run then, saturation would be low after the
end, and a plan would put its money into the last week. Spend of a period is split over
geos as last year's media was; channels of reach and frequency buy reach at last year's
mean frequency.
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
from core.analysis.ahead.planned_periods import paid_spend
from core.data.ahead.horizon import (
    ahead,
    began_since,
    between,
    periods_per_year,
)
from core.data.input_data import InputData, Treatments
from core.data.mapping import PAID
from core.data.scaling import media_median, scaled_media
from core.errors import PlanError
from core.model.build import Model
from core.model.media.structure import (
    GroupArrays,
    GroupStructure,
    ModelArrays,
    Structure,
)
from core.model.mediation.mediators import mediator_names
from core.plan.response.belief import Belief, bend_of, roi_of
from core.plan.response.price import units, units_slope
from core.text.sentences import listed

#: Of the parameters of channels that are believed in.
BELIEF = "belief"


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
        arrays: Numbers of the model at these periods.
        bought: What spend buys, by group suffix.
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
        PlanError: A channel never ran, so that its media has no price, or works
            through a mediator.
    """
    _refuse_mediators(model)
    groups = tuple(group for group in model.structure.groups if group.kind in PAID)
    n_after = max((group.n_lags for group in groups), default=1) - 1
    everything = ahead(model.data, skip + n + n_after)
    future = between(everything, skip, skip + n + n_after)
    structure, arrays = future_model(model, future, holds_last_knot=True)
    names = tuple(name for group in groups for name in model.channels(group.kind))
    factor = np.ones((len(names), n)) if price is None else price
    bought, paid, first = {}, [], 0
    for group in groups:
        factors = factor[first : first + group.n_channels]
        bought[group.suffix] = _bought(model, future, group, factors, after, often)
        paid.append(_spend(model, future, group, n))
        first += group.n_channels
    usual, dearest, mean_price = map(np.concatenate, zip(*paid, strict=True))
    scale = _held(np.ones(n) if value is None else value, n_after)
    history = paid_spend(model.data).sum(axis=0)
    gamma = np.array([gammas.get(name, 0.0) for name in names])
    return WeekResponse(
        structure=replace(structure, groups=groups, lifts=(), latents=()),
        arrays=arrays._replace(
            outcome_scale=arrays.outcome_scale * jnp.asarray(scale, arrays.kpi.dtype),
            groups={x.suffix: arrays.groups[x.suffix] for x in groups},
            baseline=None,
            non_media=None,
            priors={},
        ),
        bought=bought,
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
    )


def _refuse_mediators(model: Model) -> None:
    """Refuse a model whose channels work through a mediator.

    Raises:
        PlanError: They do.
    """
    if model.mediators:
        raise PlanError(
            f"Weeks cannot be planned with a mediator ({listed(mediator_names(model))})"
            " yet: what channels bring by way of it would be missing.",
            hint="Plan over channels or geos, which count it.",
            where="funnel",
        )


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
    seen: Treatments = getattr(model.data, group.kind)
    treatments: Treatments = getattr(future, group.kind)
    population, dtype = model.data.population, model.arrays.kpi.dtype
    median = media_median(seen.units, population)
    lately = _lately(seen, model.data)
    spend = (seen.spend * lately).sum(axis=(0, 1))
    units = _media(seen, slice(None), model.data) * lately
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
        shown = _impressions(seen, slice(None), model.data) * lately
        ran_at = shown.sum((0, 1)) / bought.sum(axis=0)
        mean, per_money = _at(often, treatments.names, ran_at, per_money)
        first = treatments.frequency.shape[1] - future.n_times
        frequency = treatments.frequency.copy()
        frequency[:, first : first + factor.shape[1]] = mean
    kept = slice(max(0, before.shape[1] - group.n_lags), None)

    def by_channel(numbers: np.ndarray) -> jax.Array:
        return jnp.asarray(np.moveaxis(numbers, 2, 0), dtype)

    has_reach = frequency is not None
    return Bought(
        before=by_channel(before[:, kept]),
        per_money=jnp.asarray(per_money.T[:, :, None] / factor[:, None, :], dtype),
        after=by_channel(later),
        frequency=by_channel(frequency[:, kept]) if has_reach else None,
        ran=by_channel(ran),
        frequency_ran=by_channel(treatments.frequency[:, kept]) if has_reach else None,
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
    asked = zip(names, ran.tolist(), strict=True)
    mean = np.array([often.get(*each) for each in asked])
    return mean, per_money * (ran / mean)


def _lately(seen: Treatments, data: InputData) -> np.ndarray:
    """The periods that prices are of: the last year, or all where it ran in none.

    Period by channel.
    """
    is_last = np.arange(data.n_times) >= data.n_times - periods_per_year(data.times)
    costs = seen.spend.sum(axis=0) > 0
    ran = costs & (_media(seen, slice(None), data).sum(axis=0) > 0)
    return is_last[:, None] | ~(ran & is_last[:, None]).any(axis=0)


def _media(seen: Treatments, when: slice, data: InputData) -> np.ndarray:
    """Media units or reach of some KPI periods; geo time channel."""
    return seen.units[:, -data.n_times :][:, when]


def _impressions(seen: Treatments, when: slice, data: InputData) -> np.ndarray:
    frequency = seen.frequency[:, -data.n_times :][:, when]
    return _media(seen, when, data) * frequency


def _spend(model: Model, future: InputData, group: GroupStructure, n: int):
    """Usual spend per channel and week, the dearest week, price of a unit."""
    seen: Treatments = getattr(model.data, group.kind)
    treatments: Treatments = getattr(future, group.kind)
    lately = _lately(seen, model.data)
    by_period = seen.spend.sum(axis=0)
    units = _media if seen.frequency is None else _impressions
    shown = (units(seen, slice(None), model.data) * lately).sum(axis=(0, 1))
    return (
        treatments.spend[:, :n].sum(axis=0).T,
        by_period.max(axis=0),
        (by_period * lately).sum(axis=0) / np.maximum(shown, 1e-300),
    )


def with_beliefs(response: WeekResponse, beliefs: Sequence[Belief]) -> WeekResponse:
    r"""Weeks in which channels that are believed in may run, too.

    Spend x_t works in its week alone, and in the n weeks of the plan the belief's
    spend s, spread evenly, brings what `core.plan.response.belief` says of it:

        f_d(x) = b_d sum_gt w_g v_gt h_d(x_t),    h_d(x) = x / (x + e_d s / n)

    with w_g the share of a geo, v_gt what a unit of the KPI is worth there and then,
    and b_d such that even weeks have the ROI r_d. It is a group of channels like those
    of the model, so that search, bound and teaching hold for it.

    Args:
        response: Of the fit's channels.
        beliefs: Of channels without history; without any the response stays.
    """
    if not beliefs:
        return response
    k, n, dtype = len(beliefs), len(response.weeks), response.arrays.kpi.dtype
    n_geos, n_times = response.structure.n_geos, n + response.n_after
    weekly = np.array([belief.spend / n for belief in beliefs])
    group = GroupStructure(
        kind="media",
        suffix=BELIEF,
        n_channels=k,
        n_lags=1,
        adstock=("geometric",) * k,
        saturation=("hill",) * k,
        slope_is_one=True,
        saturates_first=False,
        treatment=(),
        coefficient=(False,) * k,
        has_counterfactual=False,
        spreads=n_geos > 1,
    )
    one = jnp.ones(k, dtype)
    per_money = np.broadcast_to(1 / weekly[:, None, None], (k, n_geos, n))

    def none(n_periods: int):
        return jnp.zeros((k, n_geos, n_periods), dtype)

    bought = Bought(
        before=none(1),
        per_money=jnp.asarray(per_money, dtype),
        after=none(n_times - n),
        frequency=None,
        ran=none(n),
        frequency_ran=None,
    )
    groups = (*response.structure.groups, group)
    numbers = GroupArrays(None, None, window=one, typical=one, denominator=one)
    every = {**response.arrays.groups, BELIEF: numbers}
    return response._replace(
        structure=replace(response.structure, groups=groups),
        arrays=response.arrays._replace(groups=every),
        bought={**response.bought, BELIEF: bought},
        names=(*response.names, *(belief.name for belief in beliefs)),
        usual=np.concatenate([response.usual, np.zeros((k, n))]),
        dearest=np.append(response.dearest, np.full(k, np.inf)),
        price=np.append(response.price, np.ones(k)),
        gamma=np.append(response.gamma, np.zeros(k)),
        typical=np.append(response.typical, weekly),
    )


def believed_draws(
    response: WeekResponse,
    beliefs: Sequence[Belief],
    measured: Float[np.ndarray, "draw channel"],
) -> dict[str, np.ndarray]:
    """The parameters of channels that are believed in, by draw.

    Args:
        response: With them.
        beliefs: The same.
        measured: ROI of the fit's channels that ran a year earlier, NaN for others.
    """
    if not beliefs:
        return {}
    ran = np.isfinite(measured).all(axis=0)
    names = [name for name, did in zip(response.names, ran, strict=False) if did]
    n_draws, n = len(measured), len(response.weeks)
    bend = np.stack([bend_of(each, n_draws) for each in beliefs], axis=1)
    rois = [roi_of(each, names, measured[:, ran]) for each in beliefs]
    worth = np.asarray(response.arrays.outcome_scale, float)
    worth = np.broadcast_to(worth, (response.structure.n_geos, n + response.n_after))
    # Geos share it as they do the KPI, whose scale has their size.
    at_even = worth[:, :n].sum() / (1 + bend)
    brings = np.stack(rois, axis=1) * [each.spend for each in beliefs]
    effect = np.repeat((brings / at_even)[:, None], len(worth), axis=1)
    return {
        f"alpha_{BELIEF}": np.zeros_like(bend),
        f"ec_{BELIEF}": bend,
        f"slope_{BELIEF}": np.ones_like(bend),
        f"beta_g{BELIEF}": effect,
    }
