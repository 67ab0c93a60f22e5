r"""Outcome of spend per week and channel for ascents: derivatives by hand.

    a_cdgt = sum_l w_cdl x_cg,t-l          y_d = sum_cgt e_cdg s_gt f_cd(a_cdgt)
    dy_d / dx_cgt = sum_l w_cdl e_cdg s_g,t+l f'_cd(a_cdg,t+l)

with the curve f a Hill curve or its concave ceiling; where saturation comes first,

    a_cdgt = sum_l w_cdl f_cd(x_cg,t-l)    y_d = sum_cgt e_cdg s_gt a_cdgt
    dy_d / dx_cgt = f'_cd(x_cgt) sum_l w_cdl e_cdg s_g,t+l

Slope and value share their logarithm and power, draws lie beside weeks, and carryover
is worked out once: several times faster than the automatic derivative of the model's
outcome (`core.plan.response.weeks`), most of all in single precision. Reach is linear
in spend.

What a channel brings by way of a mediator is one more such sum, by the curve and the
carryover that the mediator's model has for it. A mediator does not saturate, so a unit
of it is worth as much whatever there is: with w its carryover and k what it brings,

    s_dgt = sum_l w_dl k_dg,t+l          the outcome per unit of the mediator in t
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import treatment_outcome
from core.model.compiled.executables import persistent
from core.model.media.adstock import lagged
from core.model.media.carried import per_mediator
from core.model.media.structure import GroupStructure, Structure
from core.model.media.treatments import carryover, effectiveness_of
from core.model.mediation.mediators import draws_of
from core.plan.response.envelope import Bends
from core.plan.response.horizon import Bought, WeekResponse
from core.plan.response.weeks import Way, media_of

Worth = Float[Array, "draw geo time"] | None


class Felt(NamedTuple):
    """Channels that carry over and saturate, channel first.

    Attributes:
        weights: Share felt at each lag; channel draw lag.
        log_ec: Logarithm of half-saturation; channel draw 1 1.
        slope: Hill slope; channel draw 1 1.
        effect: Outcome per unit of the curve; channel draw geo time.
        saturates: Whether there is a curve at all; channel 1 1 1.
        bought: What spend buys.
    """

    weights: Float[Array, "channel draw lag"]
    log_ec: Array
    slope: Array
    effect: Float[Array, "channel draw geo time"]
    saturates: Array
    bought: Bought


class Linear(NamedTuple):
    """Channels whose outcome is linear in spend.

    Attributes:
        base: Outcome without spend; draw.
        per_money: Outcome per unit of currency; draw channel week.
    """

    base: Float[Array, " draw"]
    per_money: Float[Array, "draw channel week"]


def felt(
    horizon: WeekResponse,
    draws: dict[str, Array],
    weight: Worth = None,
) -> tuple[Felt | Linear, ...]:
    """What outcome is worked out with, in the order of `ways`.

    Args:
        horizon: The weeks.
        draws: Parameters of paid channels and of mediators.
        weight: Outcome per unit of what the model counts; one where not given.
    """
    parts = [
        (_linear if group.by_reach else _felt)(horizon, group, draws, weight)
        for group in horizon.structure.groups
    ]
    structure, arrays = horizon.structure, horizon.arrays
    for place, link in enumerate(structure.mediators):
        theirs = horizon._replace(
            structure=link.structure,
            arrays=arrays.mediators[place],
            bought=draws_of(place, horizon.bought),
            charge={},
        )
        worth = _per_mediator(structure, place, arrays, draws, weight)
        if str(place) in horizon.charge:
            worth = worth - horizon.charge[str(place)][None, :, None]
        parts += felt(theirs, draws_of(place, draws), worth)
    return tuple(parts)


@partial(jax.jit, static_argnums=(0, 1))
def _per_mediator(structure: Structure, place: int, arrays, draws, weight):
    """Outcome per unit of a mediator, draw geo time."""
    link = structure.mediators[place]

    def of_draw(draw, where):
        return per_mediator(structure, link, arrays, draw, where)

    return jax.vmap(of_draw, in_axes=(0, None if weight is None else 0))(draws, weight)


def _felt(
    horizon: WeekResponse, group: GroupStructure, draws: dict[str, Array], weight: Worth
) -> Felt:
    x, arrays = group.suffix, horizon.arrays
    window = arrays.groups[x].window
    weights = jax.vmap(lambda draw: carryover(group, window, draw))(draws)
    effect = jnp.moveaxis(draws[f"beta_g{x}"], 2, 0)[..., None] * arrays.outcome_scale
    if group.drifts:
        over_time = jax.vmap(
            lambda draw: effectiveness_of(group, arrays.groups[x], draw)
        )
        effect = effect * jnp.moveaxis(over_time(draws), 1, 0)[:, :, None, :]
    if weight is not None:
        effect = effect * weight
    saturates = np.array([kind == "hill" for kind in group.saturation])
    return Felt(
        jnp.moveaxis(weights, 1, 0),
        jnp.log(draws[f"ec_{x}"] * arrays.groups[x].typical).T[:, :, None, None],
        draws[f"slope_{x}"].T[:, :, None, None],
        effect,
        saturates[:, None, None, None],
        horizon.bought[x],
    )


def one_draw(part: Felt | Linear, place: int) -> Felt | Linear:
    """What one draw's outcome is worked out with."""
    here = slice(place, place + 1)
    if isinstance(part, Linear):
        return Linear(part.base[here], part.per_money[here])
    of_draws = ("weights", "log_ec", "slope", "effect")
    return part._replace(**{name: getattr(part, name)[:, here] for name in of_draws})


def in_single(tree):
    """The same numbers in single precision."""

    def single(leaf):
        is_real = jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating)
        return jnp.asarray(leaf, jnp.float32) if is_real else leaf

    return jax.tree.map(single, tree)


def _linear(
    horizon: WeekResponse, group: GroupStructure, draws: dict[str, Array], weight: Worth
) -> Linear:
    structure = replace(horizon.structure, groups=(group,), mediators=())
    dtype = horizon.arrays.kpi.dtype

    def of_draw(draw, worth, spend):
        media = media_of(structure, horizon.bought, spend, dtype)
        outcome = treatment_outcome(structure, horizon.arrays, draw, media)
        return (outcome if worth is None else outcome * worth).sum()

    none = jnp.zeros((group.n_channels, len(horizon.weeks)), dtype)
    over = jax.vmap(jax.value_and_grad(of_draw, argnums=2), in_axes=(0, 0, None))
    return Linear(*jax.jit(over)(draws, weight, none))


def _curve(channels: Felt, media: Array) -> tuple[Array, Array]:
    """A Hill curve and its slope; media itself where nothing saturates."""
    # Of no media the logarithm is minus infinity, and a gradient NaN.
    x = jnp.maximum(media, 1e-30)
    height = jax.nn.sigmoid(channels.slope * (jnp.log(x) - channels.log_ec))
    slope = channels.slope * height * (1 - height) / x
    return (
        jnp.where(channels.saturates, height, media),
        jnp.where(channels.saturates, slope, 1.0),
    )


def _under_ceiling(channels: Felt, bent: Bends, media: Array) -> tuple[Array, Array]:
    """The concave ceiling of a Hill curve and its slope, see `envelope`."""
    height, slope = _curve(channels, jnp.maximum(media, bent.touch))
    is_line = media < bent.touch
    line = bent.value + bent.slope * (media - bent.touch)
    above = jnp.where(is_line, line, height), jnp.where(is_line, bent.slope, slope)
    below = bent.least_value + bent.chord * (media - bent.least), bent.chord
    is_down = (channels.effect < 0)[..., :1]
    return tuple(
        jnp.where(channels.saturates, jnp.where(is_down, low, high), plain)
        for low, high, plain in zip(below, above, (media, 1.0), strict=True)
    )


def _units(channels: Felt, spend: Array) -> Float[Array, "channel geo media_time"]:
    """Media units before, in and after the plan."""
    bought = channels.bought
    units = bought.per_money * spend[:, None, :].astype(channels.weights.dtype)
    return jnp.concatenate([bought.before, units, bought.after], axis=2)


def _carried_over(channels: Felt, units: Array, n_times: int) -> Array:
    """Media that all draws share, with its carryover; channel draw geo time."""
    lags = lagged(units, channels.weights.shape[2], n_times)
    flat = lags.reshape(*lags.shape[:2], -1)
    carried = jnp.einsum("cdl,cln->cdn", channels.weights, flat)
    return carried.reshape(*carried.shape[:2], units.shape[1], n_times)


def _worked_on(channels: Felt, height: Array, n_times: int) -> Array:
    """What differs by draw, with its carryover; channel draw geo time."""
    n_lags = channels.weights.shape[2]
    padded = jnp.pad(height, ((0, 0), (0, 0), (0, 0), (n_lags, 0)))
    start = padded.shape[3] - n_times
    return sum(
        channels.weights[:, :, lag, None, None]
        * padded[..., start - lag : start - lag + n_times]
        for lag in range(n_lags)
    )


def _back(channels: Felt, pull: Float[Array, "channel draw geo time"], n: int) -> Array:
    """What a unit of each week pulls, from what media carried over does."""
    n_channels, _, n_geos, n_times = pull.shape
    n_lags = channels.weights.shape[2]
    flat = pull.reshape(*pull.shape[:2], -1)
    lags = jnp.einsum("cdl,cdn->cln", channels.weights, flat)
    lags = lags.reshape(n_channels, n_lags, n_geos, n_times)
    lags = jnp.pad(lags, ((0, 0), (0, 0), (0, 0), (0, n_lags + n)))
    return sum(lags[:, lag, :, lag : lag + n] for lag in range(n_lags))


def _back_by_draw(channels: Felt, pull: Float[Array, "channel draw geo time"], n: int):
    """The same in every draw; channel draw geo week."""
    n_lags = channels.weights.shape[2]
    padded = jnp.pad(pull, ((0, 0), (0, 0), (0, 0), (0, n_lags + n)))
    return sum(
        channels.weights[:, :, lag, None, None] * padded[..., lag : lag + n]
        for lag in range(n_lags)
    )


def by_cell(
    channels: Felt, group: GroupStructure, spend: Float[Array, "channel week"]
) -> Float[Array, "channel draw geo time"]:
    """What each channel of a group brings in each geo and period, in each draw."""
    n_times, media = channels.effect.shape[3], _units(channels, spend)
    if group.saturates_first:
        height = _worked_on(channels, _curve(channels, media[:, None])[0], n_times)
    else:
        height = _curve(channels, _carried_over(channels, media, n_times))[0]
    return channels.effect * height


def outcome_by_period(
    channels: Felt, group: GroupStructure, spend: Float[Array, "channel week"]
) -> Float[Array, "draw time"]:
    """What a group's channels bring in each period, all geos, in each draw."""
    return by_cell(channels, group, spend).sum(axis=(0, 2))


class _Brought(NamedTuple):
    """What a group brings in each draw, and what makes its derivative.

    Attributes:
        outcome: Draw.
        pull: Outcome per unit of media carried over, channel draw geo time; of linear
            channels that of a unit of currency, draw channel week.
        slope: Of the curve at the units of each week where saturation comes first;
            channel draw geo week.
    """

    outcome: Array
    pull: Array
    slope: Array | None = None


def _brought(
    channels: Felt | Linear, group: GroupStructure, bent: Bends | None, spend: Array
) -> _Brought:
    if isinstance(channels, Linear):
        rise = jnp.einsum("dcw,cw->d", channels.per_money, spend)
        return _Brought(channels.base + rise, channels.per_money)
    n_times, media = channels.effect.shape[3], _units(channels, spend)
    if group.saturates_first:
        media = media[:, None]
    else:
        media = _carried_over(channels, media, n_times)
    height, slope = (
        _curve(channels, media)
        if bent is None
        else _under_ceiling(channels, bent, media)
    )
    first, last = channels.bought.before.shape[2], channels.bought.after.shape[2]
    if group.saturates_first:
        slope = jnp.broadcast_to(slope, height.shape)
        slope = slope[..., first : height.shape[3] - last]
        height = _worked_on(channels, height, n_times)
    # Inside in single precision, summed in that of the spend: many cells cost digits.
    outcome = (channels.effect * height).sum(axis=(0, 2, 3), dtype=spend.dtype)
    if group.saturates_first:
        return _Brought(outcome, jnp.broadcast_to(channels.effect, height.shape), slope)
    return _Brought(outcome, channels.effect * slope)


def _rise(
    channels: Felt | Linear, brought: _Brought, weight: Array, n: int
) -> Float[Array, "channel week"]:
    """Outcome per unit of currency, draws weighted."""
    if isinstance(channels, Linear):
        return jnp.einsum("d,dcw->cw", weight, brought.pull)
    return _rise_by_geo(channels, brought, weight, n).sum(axis=1)


def _rise_by_geo(
    channels: Felt, brought: _Brought, weight: Array, n: int
) -> Float[Array, "channel geo week"]:
    """The same of each geo's part of a unit of currency."""
    pull = brought.pull * weight.astype(brought.pull.dtype)[:, None, None]
    if brought.slope is None:
        units = _back(channels, pull, n)
    else:
        units = (_back_by_draw(channels, pull, n) * brought.slope).sum(axis=1)
    return units * channels.bought.per_money


def _all_brought(
    ways: tuple[Way, ...],
    parts: tuple[Felt | Linear, ...],
    bent: tuple[Bends | None, ...] | None,
    spend: Float[Array, "channel week"],
) -> list[_Brought]:
    """What each way brings."""
    ceilings = (None,) * len(parts) if bent is None else bent
    return [
        _brought(channels, way.group, ceiling, _of(way, spend))
        for way, channels, ceiling in zip(ways, parts, ceilings, strict=True)
    ]


def _of(way: Way, spend: Float[Array, "channel week"]) -> Array:
    """The spend of a way's channels."""
    return spend[np.array(way.rows, int)]


def _added(ways: tuple[Way, ...], rows: list[Array], like: Array) -> Array:
    """What ways have per channel, added up in the places of the channels."""
    total = like
    for way, each in zip(ways, rows, strict=True):
        total = total.at[np.array(way.rows, int)].add(each)
    return total


@persistent()
def by_draw(
    ways: tuple[Way, ...],
    parts: tuple[Felt | Linear, ...],
    spend: Float[Array, "channel week"],
    others: Float[Array, " draw"],
) -> Float[Array, " draw"]:
    """Outcome of each draw, without what does not count; see `ranked`."""
    brought = _all_brought(ways, parts, None, spend)
    return sum((each.outcome for each in brought), -others)


@persistent()
def by_channel(
    ways: tuple[Way, ...],
    parts: tuple[Felt | Linear, ...],
    spend: Float[Array, "channel week"],
) -> Float[Array, "draw channel"]:
    """Outcome of each channel in each draw; of linear ones that of the spend alone."""
    rows, n_draws = [], 0
    for way, channels in zip(ways, parts, strict=True):
        own = _of(way, spend)
        if isinstance(channels, Linear):
            row = jnp.einsum("dcw,cw->cd", channels.per_money, own)
        else:
            row = by_cell(channels, way.group, own).sum(axis=(2, 3))
        rows.append(row)
        n_draws = row.shape[1]
    return _added(ways, rows, jnp.zeros((len(spend), n_draws), spend.dtype)).T


@persistent()
def ranked(
    ways: tuple[Way, ...],
    parts: tuple[Felt | Linear, ...],
    bent: tuple[Bends | None, ...] | None,
    spend: Float[Array, "channel week"],
    ranks: Float[Array, " draw"] | None,
    others: Float[Array, " draw"],
) -> tuple[Array, Array]:
    """Weighted sum of the sorted draws' outcomes, or their mean, and its gradient.

    Args:
        ways: Of the parts.
        parts: See `felt`.
        bent: Ceilings by way, channel first; None for the curves themselves.
        spend: Currency.
        ranks: Weights from the worst draw to the best; None for the mean.
        others: Outcome per draw that does not count.
    """
    brought = _all_brought(ways, parts, bent, spend)
    total = sum((each.outcome for each in brought), -others)
    weight = jnp.full(total.shape, 1 / len(total))
    if ranks is not None:
        weight = jnp.zeros_like(total).at[jnp.argsort(total)].set(ranks)
    rises = [
        _rise(channels, each, weight, spend.shape[1])
        for channels, each in zip(parts, brought, strict=True)
    ]
    return total @ weight, _added(ways, rises, jnp.zeros_like(spend))


@persistent()
def ceiling_by_geo(
    ways: tuple[Way, ...],
    parts: tuple[Felt | Linear, ...],
    bent: tuple[Bends | None, ...],
    spend: Float[Array, "channel week"],
) -> list[Array]:
    """What each geo's part of a unit of currency adds to the draws' mean ceiling.

    By way; channel geo week, of reach, which is linear in spend, all geos as one.
    """
    rows = []
    brought = _all_brought(ways, parts, bent, spend)
    for channels, each in zip(parts, brought, strict=True):
        weight = jnp.full(len(each.outcome), 1 / len(each.outcome))
        if isinstance(channels, Linear):
            rows.append(_rise(channels, each, weight, spend.shape[1])[:, None])
        else:
            rows.append(_rise_by_geo(channels, each, weight, spend.shape[1]))
    return rows
