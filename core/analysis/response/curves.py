"""Curves: response to spend, carryover and saturation, per draw, on grids.

Carried: how much of a channel's total effect is felt at each lag.

What comes through a mediator has carried over twice: until the channel has moved the
mediator, and until the mediator has moved the KPI.
"""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from core.analysis.ahead.planned_periods import of_periods, paid_spend, planned_periods
from core.analysis.following import n_lift_tests, probabilities
from core.analysis.incremental import (
    direct_outcome,
    on_cores,
    over_draws,
    through_mediator,
)
from core.analysis.multiples import response
from core.analysis.response.best_frequency import best_frequency
from core.analysis.response.by_way import CARRIED
from core.analysis.response.mediated import mediated
from core.analysis.returns import channel_names, current_media
from core.data.ahead.horizon import PlanHorizon
from core.data.mapping import PAID
from core.dims import CHANNEL, DRAW
from core.estimate import interval
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import QUICK, persistent
from core.model.latents import Params
from core.model.media.implied_shapes import TYPICAL
from core.model.media.saturation import saturate
from core.model.media.structure import ModelArrays, Structure
from core.model.media.treatments import carryover, half_saturation
from core.model.mediation.mediators import draws_of

#: Multiples of the spend that ran; fine enough that cubic pieces between them are
#: exact to about 1e-6.
SPEND_MULTIPLIERS = np.linspace(0.0, 3.0, 61)

#: Points of a saturation curve.
N_POINTS = 101


@persistent()
def _responses(structure, arrays, beside, draws, multipliers):
    def of_draw(draw):
        return response(structure, arrays, draw, multipliers, beside=beside)

    return on_cores(of_draw, draws)


def response_curves(
    model: Model,
    draws: dict[str, np.ndarray],
    horizon: PlanHorizon | None = None,
    multipliers: Float[np.ndarray, " multiplier"] = SPEND_MULTIPLIERS,
) -> xr.Dataset:
    """Incremental outcome of each paid channel against its spend, per draw.

    Spending k times as much means k times the media in every period.

    Args:
        model: The model.
        draws: Posterior draws, see `core.analysis.draws.flat_draws`.
        horizon: The periods of the spend, see `planned_periods`; the data's own
            where not given.
        multipliers: Multiples of the spend that ran, rising.

    Returns:
        Dims draw, channel (paid), spend_multiplier: `incremental_outcome` and its
        `slope`, the derivative with respect to the multiplier; `spend` per channel,
        `max_multiplier_seen`, the largest period's spend ever over the mean period's,
        `lift_tests`, how many lift tests of it the fit has seen, and `follows_demand`,
        the probability that its spend follows demand; `history` (period, channel), the
        spend of all periods of the data; `spend_by_period` (planned_period, channel),
        that of the periods of the curves. With reach and frequency, `frequency_best`
        and `frequency_ran` per channel and `frequency_lift` (draw, channel), what it
        brings at the one over what it brings at the other. With mediators that cost
        money, see `mediated`. Attributes name the periods.
    """
    names, kinds = channel_names(model)
    following = probabilities(model, draws)
    draws = model.filled.of(draws)
    is_paid = np.array([kind in PAID for kind in kinds])
    grid = np.asarray(multipliers, model.arrays.kpi.dtype)
    periods = planned_periods(model, horizon)
    structure, arrays, beside, cost = periods
    value, slope = (
        part.astype(np.float64)
        for part in in_chunks(
            lambda some: _responses(structure, arrays, beside, some, grid), draws
        )
    )
    carrying = is_paid[: value.shape[1]]
    by_period = cost.sum(axis=0)
    history = paid_spend(model.data).sum(axis=0)
    mean, most = by_period.mean(axis=0), history.max(axis=0)
    seen = np.divide(most, mean, out=np.ones_like(mean), where=mean > 0)
    dims = (DRAW, CHANNEL, "spend_multiplier")
    paid = [name for name, is_one in zip(names, is_paid, strict=True) if is_one]
    variables = mediated(model, periods, draws, multipliers, carrying) | {
        "incremental_outcome": (dims, value[:, carrying]),
        "slope": (dims, slope[:, carrying]),
        "history": (("period", CHANNEL), history),
        "spend_by_period": (("planned_period", CHANNEL), by_period),
    }
    frequency = best_frequency(model, draws, periods)
    if frequency is not None:
        variables["frequency_lift"] = ((DRAW, CHANNEL), frequency.lift)
        variables["frequency_best"] = (CHANNEL, frequency.best)
        variables["frequency_ran"] = (CHANNEL, frequency.ran)
    return xr.Dataset(
        variables,
        coords={
            CHANNEL: paid,
            "spend_multiplier": multipliers,
            "spend": (CHANNEL, by_period.sum(axis=0)),
            "max_multiplier_seen": (CHANNEL, seen),
            "lift_tests": (CHANNEL, n_lift_tests(model, paid)),
            "follows_demand": (CHANNEL, [following.get(name, 0.0) for name in paid]),
        },
        attrs=of_periods(model.data, horizon),
    )


@persistent(options=QUICK)
def _shapes(structure, arrays, draws, grid):
    def of_draw(draw):
        decays, curves, start = [], [], 0
        n_lags = max(group.n_lags for group in structure.groups)
        for group in structure.groups:
            x, group_numbers = group.suffix, arrays.groups[group.suffix]
            weights = carryover(group, group_numbers.window, draw)
            missing = n_lags - group.n_lags
            peak = weights.max(axis=1, keepdims=True)
            # Relative to the peak: windows differ, and with them the height of a share.
            decays.append(jnp.pad(weights / peak, ((0, 0), (0, missing))))
            points = grid[start : start + group.n_channels]
            start += group.n_channels
            curve = saturate(
                group.saturation,
                points[:, None, :],
                half_saturation(group, group_numbers, draw),
                draw[f"slope_{x}"],
                slope_is_one=group.slope_is_one,
            )
            curves.append(curve[:, 0])
        return jnp.concatenate(decays), jnp.concatenate(curves)

    return over_draws(of_draw, draws)


def shape_curves(model: Model, draws: dict[str, np.ndarray]) -> xr.Dataset:
    """Carryover by lag and saturation by media, with intervals, per channel.

    Returns:
        Dims channel (those that carry over), lag, point, ci. `adstock` is relative
        to its largest lag, with mediators that of the direct part; `carried`, with
        mediators, is the share of the total by delay; `saturation` is dimensionless,
        against `media_grid` in multiples of the unit of half-saturation: typical
        exposure, or, with preset `meridian`, the median of running periods (one
        exposure for frequency).
    """
    names, _ = channel_names(model)
    groups = model.arrays.groups.values()
    unit = np.concatenate([np.asarray(group.typical) for group in groups])
    now = current_media(model)
    largest = _largest_media(model)
    grid = np.linspace(0.0, 1.0, N_POINTS)[None, :] * largest[:, None]
    structure, filled, _ = model.filled
    arrays = filled._replace(block=None)
    points = np.asarray(grid, model.arrays.kpi.dtype)
    decay, curve = (
        np.asarray(part, np.float64)
        for part in in_chunks(
            lambda some: _shapes(structure, arrays, some, points),
            model.filled.of(draws),
        )
    )
    total = {}
    if model.mediators:
        total = {CARRIED: ((CHANNEL, "delay"), carried_in_total(model, draws))}
    return xr.Dataset(
        {
            **total,
            "adstock": ((CHANNEL, "lag"), decay.mean(axis=0)),
            "adstock_ci": ((CHANNEL, "lag", "ci"), interval(decay)),
            "media_grid": ((CHANNEL, "point"), grid / unit[:, None], _grid_unit(model)),
            "saturation": ((CHANNEL, "point"), curve.mean(axis=0)),
            "saturation_ci": ((CHANNEL, "point", "ci"), interval(curve)),
            "media_now": (CHANNEL, now / unit),
        },
        coords={
            CHANNEL: names[: len(now)],
            "lag": np.arange(decay.shape[2]),
            "ci": ["lo", "hi"],
        },
    )


def _grid_unit(model: Model) -> dict[str, str]:
    """Attributes of `media_grid`, from which figures name its unit."""
    return {} if model.spec.preset == "meridian" else {"unit": TYPICAL}


def _largest_media(model: Model) -> np.ndarray:
    """Largest scaled media (or frequency) of each channel that carries over."""
    parts = []
    for group in model.structure.groups:
        media = model.arrays.groups[group.suffix].media
        if media.frequency is not None:
            parts.append(np.asarray(media.frequency).max(axis=(1, 2)))
        elif media.units is not None:
            parts.append(np.asarray(media.units).max(axis=(1, 2)))
        else:
            parts.append(np.asarray(media.lags)[:, 0].max(axis=(1, 2)))
    # A channel that never ran in these periods still has an axis.
    return np.maximum(np.concatenate(parts), 1e-9)


def carried_in_total(
    model: Model, draws: dict[str, np.ndarray]
) -> Float[np.ndarray, "channel lag"]:
    """Share of the total effect at each lag, the mean over draws.

    Args:
        model: With its mediators.
        draws: Posterior variables, draws first, with those of the mediators.
    """
    arrays = model.arrays._replace(block=None)
    shares = in_chunks(lambda some: _by_lag(model.structure, arrays, some), draws)
    return np.asarray(shares, np.float64).mean(axis=0)


@persistent()
def _by_lag(structure, arrays, draws):
    return over_draws(lambda draw: by_lag(structure, arrays, draw), draws)


def by_lag(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel lag"]:
    """Of one draw; a channel without any effect has none at any lag."""
    direct = direct_outcome(structure, arrays, draw).sum(axis=(1, 2))
    weights = [
        carryover(group, arrays.groups[group.suffix].window, draw)
        for group in structure.groups
    ]
    length = n_lags(structure)
    parts = jnp.concatenate([_to(length, each) for each in weights]) * direct[:, None]
    for place, link in enumerate(structure.mediators):
        theirs = by_lag(link.structure, arrays.mediators[place], draws_of(place, draw))
        window = arrays.groups[link.suffix].window
        onward = carryover(link.group, window, draw)[link.place]
        both = jax.vmap(lambda own, onward=onward: jnp.convolve(own, onward))(
            theirs[jnp.array(link.theirs, int)]
        )
        through = through_mediator(structure, arrays, draw, place).sum(axis=(1, 2))
        parts = parts.at[jnp.array(link.ours, int)].add(
            _to(length, both) * through[:, None]
        )
    total = parts.sum(axis=1, keepdims=True)
    return jnp.where(total != 0, parts / jnp.where(total != 0, total, 1.0), 0.0)


def n_lags(structure: Structure) -> int:
    """Periods in which any channel is felt, by way of mediators as well."""
    own = [group.n_lags for group in structure.groups]
    through = [
        n_lags(link.structure) + link.group.n_lags - 1 for link in structure.mediators
    ]
    return max(own + through)


def _to(
    length: int, weights: Float[Array, "channel some"]
) -> Float[Array, "channel {length}"]:
    return jnp.pad(weights, ((0, 0), (0, length - weights.shape[1])))
