"""Response by geo with known shapes, stored as a worker stores it."""

from dataclasses import replace

import numpy as np
import xarray as xr

from core.plan.response.curves import ResponseCurves
from core.plan.response.geos import GeoResponse, geo_response
from tests.plan.synthetic import curves_dataset

CHANNELS = ("TV", "Search", "Radio", "Video")
GEOS = ("North", "South", "East", "West")


def stored(
    shape: tuple[int, int],
    *,
    seed: int = 0,
    n_draws: int = 30,
    s_shaped: bool = False,
    roi: np.ndarray | None = None,
    noise: float = 0.3,
) -> xr.Dataset:
    """geo_curves.nc of Hill curves, a channel and geo a cell.

    Args:
        shape: Number of channels and of geos.
        seed: Of all numbers.
        n_draws: Draws.
        s_shaped: Slopes from 2 to 4; 1 otherwise.
        roi: Of each cell, channel geo; drawn where not given.
        noise: Spread of draws around it, in logarithms.
    """
    rng = np.random.default_rng(seed)
    n = shape[0] * shape[1]
    spend = np.round(rng.uniform(1e4, 1e5, n), 2)
    mean = rng.uniform(0.5, 4.0, n) if roi is None else np.ravel(roi)
    drawn = mean * np.exp(noise * rng.standard_normal((n_draws, n)))
    ec = rng.uniform(0.5, 1.5, n) * np.exp(0.1 * rng.standard_normal((n_draws, n)))
    slope = np.ones((n_draws, n))
    if s_shaped:
        slope = np.broadcast_to(rng.uniform(2.0, 4.0, n), (n_draws, n))
    flat = curves_dataset(drawn * spend * (1 + ec**slope), ec, slope, spend)
    dims = ("draw", "channel", "geo", "spend_multiplier")
    return xr.Dataset(
        {
            name: (dims, flat[name].values.reshape(n_draws, *shape, -1))
            for name in ("incremental_outcome", "slope")
        },
        coords={
            "channel": list(CHANNELS[: shape[0]]),
            "geo": list(GEOS[: shape[1]]),
            "spend_multiplier": flat["spend_multiplier"].values,
            "spend": (("channel", "geo"), spend.reshape(shape)),
            "max_multiplier_seen": (("channel", "geo"), np.full(shape, 1.8)),
        },
        attrs={"currency": "EUR", "outcome_unit": "revenue"},
    )


def response(shape: tuple[int, int], **options) -> GeoResponse:
    """The same as the planner reads it."""
    return geo_response(stored(shape, **options))


def market(given: GeoResponse) -> ResponseCurves:
    """The market's curves: geos at equal multiples, added up."""
    return replace(given.together(given.in_channel), names=given.channels)


def splits(low: np.ndarray, high: np.ndarray, budget: float, points: int) -> np.ndarray:
    """Splits of a budget over cells, the last cell taking what is left."""
    axes = [np.linspace(low[i], high[i], points) for i in range(len(low) - 1)]
    mesh = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
    last = budget - mesh.sum(axis=1)
    fits = (last >= low[-1] - 1e-6) & (last <= high[-1] + 1e-6)
    return np.column_stack([mesh, last])[fits]
