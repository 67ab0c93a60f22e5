"""Outcome of spend per week and channel, per posterior draw.

The outcome is that of `core.analysis.incremental.treatment_outcome`, of paid channels
in total: directly, and by way of mediators. Only the media is the plan's. A channel
that no fit saw is a group like those of the model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import direct_outcome, over_draws
from core.model.compiled.executables import persistent
from core.model.media.carried import carried_on
from core.model.media.group_arrays import media_arrays
from core.model.media.structure import (
    GroupArrays,
    GroupStructure,
    MediaArrays,
    MediatorStructure,
    Structure,
)
from core.model.mediation.mediators import draws_of, prefix
from core.plan.response.belief import Belief, bend_of, roi_of
from core.plan.response.envelope import bends
from core.plan.response.horizon import Bought, WeekResponse

#: Of the parameters of channels that are believed in.
BELIEF = "belief"


class Way(NamedTuple):
    """How some channels bring outcome: directly, or by way of mediators. Static.

    Attributes:
        path: What parameters of the model behind it begin with; empty for the own one.
        group: The channels in that model.
        rows: Their places among the channels that are planned.
    """

    path: str
    group: GroupStructure
    rows: tuple[int, ...]


def ways(structure: Structure) -> tuple[Way, ...]:
    """The ways of all paid channels: directly, then by way of each mediator."""
    n = sum(group.n_channels for group in structure.groups)
    return _ways(structure, "", tuple(range(n)))


def _ways(structure: Structure, path: str, rows: tuple[int, ...]) -> tuple[Way, ...]:
    results, first = [], 0
    for group in structure.groups:
        results.append(Way(path, group, rows[first : first + group.n_channels]))
        first += group.n_channels
    for place, link in enumerate(structure.mediators):
        row_of = {
            theirs: rows[ours]
            for ours, theirs in zip(link.ours, link.theirs, strict=True)
        }
        theirs = tuple(row_of[each] for each in sorted(row_of))
        results += _ways(link.structure, path + prefix(place), theirs)
    return tuple(results)


def media_of(
    structure, bought: dict[str, Bought], spend: Float[Array, "channel week"], dtype
) -> dict[str, MediaArrays]:
    """Media before, in and after a plan, by group suffix."""
    media, first = {}, 0
    for group in structure.groups:
        channels = bought[group.suffix]
        of_group = spend[first : first + group.n_channels, None, :]
        first += group.n_channels
        units = channels.per_money * of_group.astype(dtype)
        units = jnp.concatenate([channels.before, units, channels.after], axis=2)
        media[group.suffix] = media_arrays(
            group, units, channels.frequency, structure.n_times, dtype
        )

    def theirs(link: MediatorStructure, place: int):
        n = sum(group.n_channels for group in link.structure.groups)
        # A mediator's model may have channels that the plan does not: they spend
        # nothing.
        own = jnp.zeros((n, spend.shape[1]), spend.dtype)
        own = own.at[jnp.array(link.theirs, int)].set(spend[jnp.array(link.ours, int)])
        return media_of(link.structure, draws_of(place, bought), own, dtype)

    return media | _by_place(structure, theirs)


def _media_that_ran(
    structure, bought: dict[str, Bought], dtype
) -> dict[str, MediaArrays]:
    """Media before, in and after a plan as it ran a year earlier, by group suffix."""
    media = {}
    for group in structure.groups:
        channels = bought[group.suffix]
        units = jnp.concatenate([channels.before, channels.ran, channels.after], axis=2)
        media[group.suffix] = media_arrays(
            group, units, channels.frequency_ran, structure.n_times, dtype
        )

    def theirs(link: MediatorStructure, place: int):
        return _media_that_ran(link.structure, draws_of(place, bought), dtype)

    return media | _by_place(structure, theirs)


def _by_place(
    structure, of: Callable[[MediatorStructure, int], Mapping[str, Any]]
) -> dict[str, Any]:
    """What belongs to the models of mediators, by the prefix of each."""
    return {
        prefix(place) + key: each
        for place, link in enumerate(structure.mediators)
        for key, each in of(link, place).items()
    }


def _total(
    structure, arrays, draw, media, charge: Mapping[str, Array]
) -> Float[Array, "channel geo time"]:
    """Outcome of paid channels, directly and by way of mediators, net of a charge."""
    total = direct_outcome(structure, arrays, draw, media)
    for place, link in enumerate(structure.mediators):
        numbers = arrays.mediators[place]
        parts = draws_of(place, draw), draws_of(place, media), {}
        caused = _total(link.structure, numbers, *parts)[jnp.array(link.theirs, int)]
        through = carried_on(structure, link, arrays, draw, caused)
        if str(place) in charge:
            through = through - charge[str(place)][None, :, None] * caused
        total = total.at[jnp.array(link.ours, int)].add(through)
    return total


@persistent()
def _outcomes(structure, arrays, bought, draws, spend, charge):
    dtype = arrays.kpi.dtype
    if spend is None:
        media = _media_that_ran(structure, bought, dtype)
    else:
        media = media_of(structure, bought, spend, dtype)

    def of_draw(draw):
        return _total(structure, arrays, draw, media, charge).sum(axis=1)

    return over_draws(of_draw, draws)


def outcomes(
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    spend: Float[np.ndarray, "c w"] | None,
) -> Float[np.ndarray, "draw channel time"]:
    """Outcome per draw, channel and period, those after the plan included.

    Args:
        response: That of the weeks.
        draws: Joint posterior draws.
        spend: Of the plan; None for the media as it ran a year earlier, at the price of
            each week.
    """
    if spend is not None:
        spend = response.at_one_price(spend)
    numbers = response.structure, response.arrays, response.bought
    brought = _outcomes(*numbers, draws, spend, dict(response.charge))
    return np.asarray(brought, np.float64)


@persistent()
def _induced(structure, arrays, bought, draws, spend, prices):
    media = media_of(structure, bought, spend, arrays.kpi.dtype)

    def of_draw(draw):
        total = jnp.zeros(len(spend), arrays.kpi.dtype)
        for place, link in enumerate(structure.mediators):
            if str(place) not in prices:
                continue
            parts = draws_of(place, draw), draws_of(place, media), {}
            caused = _total(link.structure, arrays.mediators[place], *parts)
            cost = caused[jnp.array(link.theirs, int)].sum(axis=2) @ prices[str(place)]
            total = total.at[jnp.array(link.ours, int)].add(cost)
        return total

    return over_draws(of_draw, draws)


def induced_of(
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    prices: Mapping[str, Array],
    spend: Float[np.ndarray, "c w"],
) -> Float[np.ndarray, "draw channel"]:
    """What spend of a plan makes be spent on mediators, in the plan and after it.

    Args:
        response: That of the weeks.
        draws: Joint posterior draws.
        prices: What a unit of scaled mediator costs, by place; geo.
        spend: Of the plan.
    """
    numbers = response.structure, response.arrays, response.bought
    with_plan, none = (
        np.asarray(_induced(*numbers, draws, each, dict(prices)), np.float64)
        for each in (response.at_one_price(spend), np.zeros_like(spend))
    )
    return with_plan - none


def not_of_the_plan(
    response: WeekResponse, draws: dict[str, np.ndarray], none: Float[np.ndarray, "c w"]
) -> Float[np.ndarray, " draw"]:
    """Outcome in the plan and after it that comes without it, of media around it."""
    return outcomes(response, draws, none).sum(axis=(1, 2))


@persistent()
def all_bends(structure, arrays, bought, draws, low, high):
    """Where the draws' ceilings between two spends are lines, mediators' as well."""
    dtype = arrays.kpi.dtype
    ends = (media_of(structure, bought, spend, dtype) for spend in (low, high))
    least, most = ends

    def of_model(structure, arrays, draw, least, most):
        def theirs(link: MediatorStructure, place: int):
            parts = (draws_of(place, each) for each in (draw, least, most))
            return of_model(link.structure, arrays.mediators[place], *parts)

        own = bends(structure, arrays, draw, least, most)
        return own | _by_place(structure, theirs)

    return jax.vmap(lambda draw: of_model(structure, arrays, draw, least, most))(draws)


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
        # Nobody is asked about carryover: what is believed comes in the week itself.
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
