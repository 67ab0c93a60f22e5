"""Curves: response to spend, carryover and saturation, per draw, on grids."""

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.ahead.planned_periods import of_periods, paid_spend, planned_periods
from core.analysis.following import probabilities
from core.analysis.incremental import on_cores, over_draws
from core.analysis.response.best_frequency import best_frequency
from core.analysis.response.by_way import CARRIED
from core.analysis.response.carried import carried_in_total
from core.analysis.response.mediated import mediated
from core.analysis.response.multiples import response
from core.analysis.returns import channel_names, current_media
from core.data.ahead.horizon import PlanHorizon
from core.data.mapping import PAID
from core.dims import CHANNEL, DRAW
from core.estimate import interval
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import QUICK, persistent
from core.model.media.saturation import saturate
from core.model.media.treatments import carryover, half_saturation
from core.model.priors.implied_shapes import TYPICAL

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
    is_paid = np.array([kind in PAID for kind in kinds])
    dtype = model.arrays.kpi.dtype
    grid = np.asarray(multipliers, dtype)
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
    tests = [name for test in model.spec.experiments for name in test.channels]
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
            "lift_tests": (CHANNEL, [tests.count(name) for name in paid]),
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
    arrays = model.arrays._replace(block=None)
    points = np.asarray(grid, model.arrays.kpi.dtype)
    decay, curve = (
        np.asarray(part, np.float64)
        for part in in_chunks(
            lambda some: _shapes(model.structure, arrays, some, points), draws
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
