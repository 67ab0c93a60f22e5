r"""Outcome of spend per week and channel for ascents: derivatives by hand.

    a_cdgt = sum_l w_cdl x_cg,t-l          y_d = sum_cgt e_cdg s_gt f_cd(a_cdgt)
    dy_d / dx_cgt = sum_l w_cdl e_cdg s_g,t+l f'_cd(a_cdg,t+l)

with the curve f a Hill curve or its concave ceiling. Slope and value share their
logarithm and power, draws lie beside weeks, and carryover is worked out once: several
times faster than the derivative of `core.plan.response.weeks`, most of all in single
precision. Reach is linear in spend. What saturates before it carries over is left to
that module.
"""

from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import treatment_outcome
from core.model.adstock import lagged
from core.model.structure import GroupStructure
from core.model.treatments import carryover, effectiveness_of
from core.plan.response.envelope import Bends
from core.plan.response.horizon import Bought, Horizon


class Felt(NamedTuple):
    """Channels that carry over and then saturate, channel first.

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


def can_be_felt(given: Horizon) -> bool:
    """Whether every channel is linear, or saturates after it has carried over."""
    return not any(group.saturates_first for group in given.structure.groups)


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
    from core.plan.response.weeks import media_of

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


def _media(one: Felt, spend: Array, n_times: int) -> Array:
    """Media with its carryover; channel draw geo time."""
    bought = one.bought
    units = bought.per_money * spend[:, None, :].astype(one.weights.dtype)
    units = jnp.concatenate([bought.before, units, bought.after], axis=2)
    lags = lagged(units, one.weights.shape[2], n_times)
    made = jnp.einsum("cdl,cln->cdn", one.weights, _flat(lags))
    return made.reshape(*made.shape[:2], units.shape[1], n_times)


def _flat(rows: Array) -> Array:
    return rows.reshape(*rows.shape[:2], -1)


def _back(one: Felt, pull: Float[Array, "channel draw geo time"], n: int) -> Array:
    """What a unit of spend of each week pulls, from what media with carryover does."""
    n_channels, _, n_geos, n_times = pull.shape
    n_lags = one.weights.shape[2]
    lags = jnp.einsum("cdl,cdn->cln", one.weights, _flat(pull))
    lags = lags.reshape(n_channels, n_lags, n_geos, n_times)
    lags = jnp.pad(lags, ((0, 0), (0, 0), (0, 0), (0, n_lags + n)))
    units = sum(lags[:, lag, :, lag : lag + n] for lag in range(n_lags))
    return (units * one.bought.per_money).sum(axis=1)


def ranked(
    parts: tuple[Felt | Linear, ...],
    bent: tuple[Bends | None, ...] | None,
    spend: Float[Array, "channel week"],
    ranks: Float[Array, " draw"] | None,
    others: Float[Array, " draw"],
) -> tuple[Array, Array]:
    """Weighted sum of the sorted draws' outcomes, or their mean, and its gradient.

    Args:
        parts: See `felt`.
        bent: Ceilings by group, channel first; None for the curves themselves.
        spend: Currency.
        ranks: Weights from the worst draw to the best; None for the mean.
        others: Outcome per draw that does not count.
    """
    n, n_times, first = spend.shape[1], _n_times(parts, spend), 0
    total, rises = -others, []
    for place, one in enumerate(parts):
        rows = spend[first : first + _n_channels(one)]
        first += len(rows)
        if isinstance(one, Linear):
            total = total + one.base + jnp.einsum("dcw,cw->d", one.per_money, rows)
            rises.append(one.per_money)
            continue
        media = _media(one, rows, n_times)
        height, slope = (
            _curve(one, media)
            if bent is None
            else _under_ceiling(one, bent[place], media)
        )
        brought = one.effect * height
        total = total + brought.sum(axis=(0, 2, 3), dtype=others.dtype)
        rises.append(one.effect * slope)
    weight = jnp.full(total.shape, 1 / len(total))
    if ranks is not None:
        weight = jnp.zeros_like(total).at[jnp.argsort(total)].set(ranks)
    return total @ weight, jnp.concatenate(
        [
            jnp.einsum("d,dcw->cw", weight, rise)
            if isinstance(one, Linear)
            else _back(one, rise * weight.astype(rise.dtype)[:, None, None], n)
            for one, rise in zip(parts, rises, strict=True)
        ]
    )


def _n_channels(one: Felt | Linear) -> int:
    return one.per_money.shape[1] if isinstance(one, Linear) else len(one.weights)


def _n_times(parts: tuple[Felt | Linear, ...], spend: Array) -> int:
    return next(
        (one.effect.shape[3] for one in parts if isinstance(one, Felt)), spend.shape[1]
    )


made_ranked = jax.jit(ranked)
