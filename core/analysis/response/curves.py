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
    per_draw,
    through_mediator,
)
from core.analysis.multiples import response
from core.analysis.response.best_frequency import BestFrequency, best_frequency
from core.analysis.response.by_way import CARRIED
from core.analysis.response.mediated import mediated
from core.analysis.returns import channel_names, current_media
from core.data.ahead.horizon import PlanHorizon
from core.data.mapping import PAID
from core.dims import CHANNEL, DRAW, GEO
from core.estimate import interval
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import PLAIN, QUICK, persistent
from core.model.latents import Params
from core.model.media.implied_shapes import TYPICAL
from core.model.media.saturation import saturate
from core.model.media.structure import ModelArrays, Structure
from core.model.media.treatments import carryover, half_saturation
from core.model.mediation.mediators import draws_of

#: Multiples of the spend that ran; fine enough that cubic pieces between them are
#: exact to about 1e-6.
SPEND_MULTIPLIERS = np.linspace(0.0, 3.0, 61)

#: Multiples of the spend that ran, all of them on the grid of the market's curves:
#: closer where curves bend most, so that cubic pieces between them are within 3e-4 of
#: the outcome at three times the spend, and on average within 1e-5.
GEO_MULTIPLIERS = np.array(
    [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8]
    + [1.0, 1.2, 1.45, 1.7, 2.0, 2.35, 2.7, 3.0]
)

#: Points of a saturation curve.
N_POINTS = 101


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
    return _curves(model, draws, horizon, multipliers, by_geo=False)


def geo_curves(
    model: Model, draws: dict[str, np.ndarray], horizon: PlanHorizon | None = None
) -> xr.Dataset:
    """Incremental outcome of each paid channel in each geo against its spend there.

    Spending k times as much in a geo means k times its media (reach, where frequency
    is given) there in every period. At equal multiples the geos add up to the market's
    response curve. Where spend is known for all geos together only, a geo's is its
    share of media units (`core.data.checks.exposure`).

    Args:
        model: A model of several geos.
        draws: Posterior draws, see `core.analysis.draws.flat_draws`.
        horizon: The periods of the spend, see `planned_periods`; the data's own
            where not given.

    Returns:
        Dims draw, channel (paid), geo, spend_multiplier, single precision:
        `incremental_outcome` and its `slope`, the derivative with respect to the
        multiplier; `spend` per channel and geo, and `max_multiplier_seen`, the largest
        period's spend ever over the mean period's; where there are mediators, what
        comes by way of them (`mediated`). With reach and frequency, `frequency_best`
        and `frequency_ran` per channel, of all geos together, and `frequency_lift`
        (draw, channel, geo), what it brings in a geo at the one over what it brings
        there as it ran. `lift_tests` and `follows_demand` per channel are those of the
        market's curves. Attributes name the periods.
    """
    return _curves(model, draws, horizon, GEO_MULTIPLIERS, by_geo=True)


def _responses(structure, by_geo, arrays, beside, draws, multipliers):
    def of_draw(draw):
        return response(
            structure, arrays, draw, multipliers, beside=beside, by_geo=by_geo
        )

    return on_cores(of_draw, draws)


#: Of the market, and of geos, which have few multiples in a step.
_RESPONSES = {
    False: persistent(2)(_responses),
    True: persistent(2, PLAIN)(_responses),
}


def _curves(
    model: Model,
    draws: dict[str, np.ndarray],
    horizon: PlanHorizon | None,
    multipliers: Float[np.ndarray, " multiplier"],
    *,
    by_geo: bool,
) -> xr.Dataset:
    """Curves of the market, or of each of its geos in single precision."""
    names, kinds = channel_names(model)
    following = probabilities(model, draws)
    draws = model.filled.of(draws)
    is_paid = np.array([kind in PAID for kind in kinds])
    grid = np.asarray(multipliers, model.arrays.kpi.dtype)
    periods = planned_periods(model, horizon)
    structure, arrays, beside, planned = periods
    respond = _RESPONSES[by_geo]
    parts = in_chunks(
        lambda some: respond(structure, by_geo, arrays, beside, some, grid), draws
    )
    value, slope = (part.astype("float32" if by_geo else "float64") for part in parts)
    carrying = is_paid[: value.shape[1]]
    cells = (CHANNEL, GEO) if by_geo else (CHANNEL,)
    dims = (DRAW, *cells, "spend_multiplier")
    variables = mediated(model, periods, draws, multipliers, carrying, by_geo=by_geo)
    variables["incremental_outcome"] = (dims, value[:, carrying])
    variables["slope"] = (dims, slope[:, carrying])
    history = paid_spend(model.data)
    if not by_geo:
        history, planned = history.sum(axis=0), planned.sum(axis=0)
        variables["history"] = (("period", CHANNEL), history)
        variables["spend_by_period"] = (("planned_period", CHANNEL), planned)
    if (frequency := best_frequency(model, draws, periods, by_geo=by_geo)) is not None:
        variables |= _about_frequency(frequency, (DRAW, *cells))
    mean, most = planned.mean(axis=-2).T, history.max(axis=-2).T
    max_multiplier = np.divide(most, mean, out=np.ones_like(mean), where=mean > 0)
    paid = [name for name, is_one in zip(names, is_paid, strict=True) if is_one]
    return xr.Dataset(
        variables,
        coords={
            CHANNEL: paid,
            **({GEO: list(model.data.geos)} if by_geo else {}),
            "spend_multiplier": multipliers,
            "spend": (cells, planned.sum(axis=-2).T),
            "max_multiplier_seen": (cells, max_multiplier),
            "lift_tests": (CHANNEL, n_lift_tests(model, paid)),
            "follows_demand": (CHANNEL, [following.get(name, 0.0) for name in paid]),
        },
        attrs=of_periods(model.data, horizon),
    )


def _about_frequency(frequency: BestFrequency, dims: tuple[str, ...]) -> dict:
    """Variables of curves about the best frequency of each channel."""
    return {
        "frequency_lift": (dims, frequency.lift),
        "frequency_best": (CHANNEL, frequency.best),
        "frequency_ran": (CHANNEL, frequency.ran),
    }


@per_draw(options=QUICK)
def _shapes(structure, arrays, draw, grid):
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
    points = np.asarray(grid, model.arrays.kpi.dtype)
    decay, curve = (
        np.asarray(part, np.float64)
        for part in model.filled.in_chunks(_shapes, draws, points)
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


_by_lag = per_draw()(by_lag)


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
