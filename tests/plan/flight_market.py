"""Markets with known carryover and saturation, and the outcome of weeks in NumPy."""

from dataclasses import replace

import numpy as np
import xarray as xr

from core.data.input_data import InputData, Treatments
from core.model.build import Model, build
from core.model.priors.prior import prior
from core.model.spec import ChannelSpec, ModelSpec

N_TIMES = 12
STEEP = prior("LogNormal", loc=0.0, scale=0.5)


def market(weekly: np.ndarray, max_lag: int, *, spend=None, n_geos: int = 1) -> Model:
    """A market whose channels run the same in every week, at a price of one.

    Args:
        weekly: Media units of a week, channel.
        max_lag: Longest carryover.
        spend: Spend per week, time channel; constant where not given.
        n_geos: Geos, of equal size.
    """
    n_channels = len(weekly)
    names = tuple("abcdefghijkl"[:n_channels])
    rng = np.random.default_rng(0)
    paid = np.tile(np.asarray(weekly, float), (N_TIMES, 1)) if spend is None else spend
    units = np.repeat(paid[None] / n_geos, n_geos, axis=0)
    times = np.datetime64("2024-01-01") + 7 * np.arange(N_TIMES)
    data = InputData(
        geos=tuple(f"g{i}" for i in range(n_geos)),
        times=times,
        media_times=times,
        kpi=rng.gamma(9.0, 100.0, (n_geos, N_TIMES)),
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(n_geos),
        controls=np.zeros((n_geos, N_TIMES, 0)),
        control_names=(),
        media=Treatments(names=names, units=units, spend=units.copy()),
    )
    options = ModelSpec(
        channels=tuple(
            ChannelSpec(name, "media", priors=(("slope", STEEP),)) for name in names
        ),
        preset="meridian",
        knots=2,
        max_lag=max_lag,
    )
    return build(data, options)


def posterior(model: Model, beta, alpha, ec, slope) -> xr.Dataset:
    """Draws with outcome beta at full saturation; `ec` is in money of a week.

    Args:
        model: The market.
        beta: Outcome units, draw channel; so are the others.
        alpha: Retention.
        ec: Half-saturation.
        slope: Hill slope.
    """
    beta, alpha, ec, slope = (np.atleast_2d(a) for a in (beta, alpha, ec, slope))
    units = model.data.media.units
    median = np.array([np.median(one[one > 0]) for one in np.moveaxis(units, 2, 0)])
    geos = model.data.n_geos
    effects = np.repeat(beta[:, None, :] / model.scale.std / geos, geos, axis=1)
    rows = {
        "alpha_m": alpha,
        "ec_m": ec / geos / median / np.asarray(model.arrays.groups["m"].typical),
        "slope_m": slope,
        "beta_gm": effects,
    }
    return xr.Dataset(
        {
            name: (
                ("chain", "draw", *("geo", "channel")[3 - value.ndim :]),
                value[None],
            )
            for name, value in rows.items()
        }
    )


def outcome(plan, before, after, beta, alpha, ec, slope, max_lag):
    """What weeks add, in them and after them, by the equations, for one draw.

    Args:
        plan: plan channel week.
        before: Spend of the weeks before, channel time.
        after: Spend of the weeks after; as many as count.
        beta: Per channel; so are alpha, ec and slope.
        max_lag: Longest carryover.
    """
    n_plans, n_channels, n = plan.shape
    none = np.zeros((1, n_channels, n))
    without = _total(none, before, after, beta, alpha, ec, slope, max_lag)
    return _total(plan, before, after, beta, alpha, ec, slope, max_lag) - without


def _total(plan, before, after, beta, alpha, ec, slope, max_lag):
    n_plans, n_channels, n = plan.shape
    ends = [
        np.broadcast_to(one[None], (n_plans, *one.shape)) for one in (before, after)
    ]
    run = np.concatenate([ends[0], plan, ends[1]], axis=2)
    total = np.zeros(n_plans)
    for c in range(n_channels):
        weights = alpha[c] ** np.arange(max_lag + 1)
        weights = weights / weights.sum()
        for t in range(before.shape[1], run.shape[2]):
            lags = min(max_lag, t)
            felt = sum(weights[lag] * run[:, c, t - lag] for lag in range(lags + 1))
            power = (felt / ec[c]) ** slope[c]
            total = total + beta[c] * power / (1 + power)
    return total


def splits(n_parts: int, n_cells: int) -> np.ndarray:
    """Every way to put parts into cells, as shares; way cell."""
    if n_cells == 1:
        return np.array([[n_parts]])
    rows = [
        np.column_stack([np.full(len(rest), first), rest])
        for first in range(n_parts + 1)
        for rest in [splits(n_parts - first, n_cells - 1)]
    ]
    return np.concatenate(rows)


def by_reach(
    beta: float, frequency: tuple[float, ...] = (2.0,)
) -> tuple[Model, xr.Dataset]:
    """A channel of reach and frequency, 100 at 2 in every week, and one draw of it.

    Args:
        beta: Outcome of a week at full saturation, in each geo.
        frequency: By geo.
    """
    n_geos = len(frequency)
    model = market(np.array([100.0]), max_lag=1, n_geos=n_geos)
    units = np.full((n_geos, N_TIMES, 1), 100.0)
    video = Treatments(
        names=("v",),
        units=units,
        spend=units.copy(),
        frequency=units / 100.0 * np.array(frequency)[:, None, None],
    )
    data = replace(model.data, media=Treatments(), reach_frequency=video)
    channel = ChannelSpec("v", "reach_frequency", priors=(("slope", STEEP),))
    model = build(data, replace(model.spec, channels=(channel,)))
    dims = ("chain", "draw", "channel")
    one = np.ones((1, 1, 1))
    draws = xr.Dataset(
        {
            "alpha_rf": (dims, 0.5 * one),
            "ec_rf": (dims, 1.5 * one),
            "slope_rf": (dims, 2.0 * one),
            "beta_grf": (
                ("chain", "draw", "geo", "channel"),
                beta / model.scale.std * np.ones((1, 1, n_geos, 1)),
            ),
        }
    )
    return model, draws
