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
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import treatment_outcome
from core.model.adstock import lagged
from core.model.structure import GroupStructure, Structure
from core.model.treatments import carryover, effectiveness_of
from core.plan.response.envelope import Bends
from core.plan.response.horizon import Bought, Horizon
from core.plan.response.weeks import media_of


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


def felt(given: Horizon, draws: dict[str, Array]) -> tuple[Felt | Linear, ...]:
    """What the groups' outcome is worked out with, in the groups' order."""
    return tuple(
        _linear(given, group, draws) if group.by_reach else _felt(given, group, draws)
        for group in given.structure.groups
    )


def _felt(given: Horizon, group: GroupStructure, draws: dict[str, Array]) -> Felt:
    x, arrays = group.suffix, given.arrays
    window = arrays.groups[x].window
    weights = jax.vmap(lambda draw: carryover(group, window, draw))(draws)
    effect = jnp.moveaxis(draws[f"beta_g{x}"], 2, 0)[..., None] * arrays.outcome_scale
    if group.drifts:
        over_time = jax.vmap(
            lambda draw: effectiveness_of(group, arrays.groups[x], draw)
        )
        effect = effect * jnp.moveaxis(over_time(draws), 1, 0)[:, :, None, :]
    saturates = np.array([kind == "hill" for kind in group.saturation])
    return Felt(
        jnp.moveaxis(weights, 1, 0),
        jnp.log(draws[f"ec_{x}"]).T[:, :, None, None],
        draws[f"slope_{x}"].T[:, :, None, None],
        effect,
        saturates[:, None, None, None],
        given.bought[x],
    )


def in_single(tree):
    """The same numbers in single precision."""

    def single(leaf):
        is_real = jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating)
        return jnp.asarray(leaf, jnp.float32) if is_real else leaf

    return jax.tree.map(single, tree)


def _linear(given: Horizon, group: GroupStructure, draws: dict[str, Array]) -> Linear:
    structure = replace(given.structure, groups=(group,))
    dtype = given.arrays.kpi.dtype

    def of_draw(draw, spend):
        media = media_of(structure, given.bought, spend, dtype)
        return treatment_outcome(structure, given.arrays, draw, media).sum()

    none = jnp.zeros((group.n_channels, len(given.weeks)), dtype)
    each = jax.value_and_grad(of_draw, argnums=1)
    return Linear(*jax.jit(jax.vmap(each, in_axes=(0, None)))(draws, none))


def _curve(one: Felt, media: Array) -> tuple[Array, Array]:
    """A Hill curve and its slope; media itself where nothing saturates."""
    x = jnp.maximum(media, 1e-30)
    height = jax.nn.sigmoid(one.slope * (jnp.log(x) - one.log_ec))
    slope = one.slope * height * (1 - height) / x
    return (
        jnp.where(one.saturates, height, media),
        jnp.where(one.saturates, slope, 1.0),
    )


def _under_ceiling(one: Felt, bent: Bends, media: Array) -> tuple[Array, Array]:
    """The concave ceiling of a Hill curve and its slope, see `envelope`."""
    height, slope = _curve(one, jnp.maximum(media, bent.touch))
    is_line = media < bent.touch
    line = bent.value + bent.slope * (media - bent.touch)
    above = jnp.where(is_line, line, height), jnp.where(is_line, bent.slope, slope)
    below = bent.least_value + bent.chord * (media - bent.least), bent.chord
    is_down = (one.effect < 0)[..., :1]
    return tuple(
        jnp.where(one.saturates, jnp.where(is_down, low, high), plain)
        for low, high, plain in zip(below, above, (media, 1.0), strict=True)
    )


def _units(one: Felt, spend: Array) -> Float[Array, "channel geo media_time"]:
    """Media units before, in and after the plan."""
    bought = one.bought
    units = bought.per_money * spend[:, None, :].astype(one.weights.dtype)
    return jnp.concatenate([bought.before, units, bought.after], axis=2)


def _carried_over(one: Felt, units: Array, n_times: int) -> Array:
    """Media that all draws share, with its carryover; channel draw geo time."""
    lags = lagged(units, one.weights.shape[2], n_times)
    flat = lags.reshape(*lags.shape[:2], -1)
    carried = jnp.einsum("cdl,cln->cdn", one.weights, flat)
    return carried.reshape(*carried.shape[:2], units.shape[1], n_times)


def _worked_on(one: Felt, height: Array, n_times: int) -> Array:
    """What differs by draw, with its carryover; channel draw geo time."""
    n_lags = one.weights.shape[2]
    padded = jnp.pad(height, ((0, 0), (0, 0), (0, 0), (n_lags, 0)))
    start = padded.shape[3] - n_times
    return sum(
        one.weights[:, :, lag, None, None]
        * padded[..., start - lag : start - lag + n_times]
        for lag in range(n_lags)
    )


def _back(one: Felt, pull: Float[Array, "channel draw geo time"], n: int) -> Array:
    """What a unit of each week pulls, from what media carried over does."""
    n_channels, _, n_geos, n_times = pull.shape
    n_lags = one.weights.shape[2]
    flat = pull.reshape(*pull.shape[:2], -1)
    lags = jnp.einsum("cdl,cdn->cln", one.weights, flat)
    lags = lags.reshape(n_channels, n_lags, n_geos, n_times)
    lags = jnp.pad(lags, ((0, 0), (0, 0), (0, 0), (0, n_lags + n)))
    return sum(lags[:, lag, :, lag : lag + n] for lag in range(n_lags))


def _back_by_draw(one: Felt, pull: Float[Array, "channel draw geo time"], n: int):
    """The same in every draw; channel draw geo week."""
    n_lags = one.weights.shape[2]
    padded = jnp.pad(pull, ((0, 0), (0, 0), (0, 0), (0, n_lags + n)))
    return sum(
        one.weights[:, :, lag, None, None] * padded[..., lag : lag + n]
        for lag in range(n_lags)
    )


class _Group(NamedTuple):
    """A group's outcome per draw, and what makes its derivative.

    Attributes:
        outcome: Draw.
        pull: Outcome per unit of media carried over; channel draw geo time.
        slope: Of the curve at the units of each week where saturation comes first;
            channel draw geo week.
    """

    outcome: Array
    pull: Array
    slope: Array | None = None


def _group(
    one: Felt, bent: Bends | None, spend: Array, dtype, *, saturates_first: bool
) -> _Group:
    n_times, units = one.effect.shape[3], _units(one, spend)
    media = units[:, None] if saturates_first else _carried_over(one, units, n_times)
    height, slope = (
        _curve(one, media) if bent is None else _under_ceiling(one, bent, media)
    )
    if not saturates_first:
        brought = (one.effect * height).sum(axis=(0, 2, 3), dtype=dtype)
        return _Group(brought, one.effect * slope)
    felt_then = _worked_on(one, height, n_times)
    first = one.bought.before.shape[2]
    slope = jnp.broadcast_to(slope, height.shape)[..., first : first + spend.shape[1]]
    brought = (one.effect * felt_then).sum(axis=(0, 2, 3), dtype=dtype)
    return _Group(brought, jnp.broadcast_to(one.effect, felt_then.shape), slope)


def _rise(one: Felt, group: _Group, weight: Array, n: int) -> Array:
    """Outcome per unit of currency, draws weighted; channel week."""
    pull = group.pull * weight.astype(group.pull.dtype)[:, None, None]
    if group.slope is None:
        units = _back(one, pull, n)
    else:
        units = (_back_by_draw(one, pull, n) * group.slope).sum(axis=1)
    return (units * one.bought.per_money).sum(axis=1)


@partial(jax.jit, static_argnums=0)
def ranked(
    structure: Structure,
    parts: tuple[Felt | Linear, ...],
    bent: tuple[Bends | None, ...] | None,
    spend: Float[Array, "channel week"],
    ranks: Float[Array, " draw"] | None,
    others: Float[Array, " draw"],
) -> tuple[Array, Array]:
    """Weighted sum of the sorted draws' outcomes, or their mean, and its gradient.

    Args:
        structure: Its groups are those of the parts.
        parts: See `felt`.
        bent: Ceilings by group, channel first; None for the curves themselves.
        spend: Currency.
        ranks: Weights from the worst draw to the best; None for the mean.
        others: Outcome per draw that does not count.
    """
    n, first = spend.shape[1], 0
    total, groups = -others, []
    for place, (one, about) in enumerate(zip(parts, structure.groups, strict=True)):
        rows = spend[first : first + about.n_channels]
        first += about.n_channels
        if isinstance(one, Linear):
            groups.append(None)
            total = total + one.base + jnp.einsum("dcw,cw->d", one.per_money, rows)
            continue
        ceiling = None if bent is None else bent[place]
        is_first = about.saturates_first
        groups.append(
            _group(one, ceiling, rows, others.dtype, saturates_first=is_first)
        )
        total = total + groups[-1].outcome
    weight = jnp.full(total.shape, 1 / len(total))
    if ranks is not None:
        weight = jnp.zeros_like(total).at[jnp.argsort(total)].set(ranks)
    return total @ weight, jnp.concatenate(
        [
            jnp.einsum("d,dcw->cw", weight, one.per_money)
            if isinstance(one, Linear)
            else _rise(one, group, weight, n)
            for one, group in zip(parts, groups, strict=True)
        ]
    )
