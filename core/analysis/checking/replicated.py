"""Replicated: the distribution of the KPI in the data and in simulations of it."""

import numpy as np
import xarray as xr

from core.analysis.checking.checks import Market, replicated_noise
from core.analysis.draws import kernel_density
from core.dims import TIME

#: Simulations that are drawn, and points of a density.
_DRAWN, _POINTS = 40, 121


def replicated(market: Market, seed: int) -> xr.Dataset:
    """Densities of the market's KPI, of the periods that the likelihood saw.

    Args:
        market: The KPI summed over geos, and what the model says of it.
        seed: Of the simulations.

    Returns:
        Dims replication, point, time: `grid` in units of the KPI, `actual` and
        `simulated` densities on it.
    """
    seen = market.is_seen
    step = -(-len(market.mean) // _DRAWN)
    some = slice(None, None, step)
    rho = None if market.rho is None else market.rho[some]
    mean = market.mean[some]
    noise = replicated_noise(np.random.default_rng([seed, 37]), mean.shape, rho)
    draws = (mean + market.spread[some] * noise)[:, seen]
    actual = market.actual[seen]
    grid = np.linspace(
        min(draws.min(), actual.min()), max(draws.max(), actual.max()), _POINTS
    )
    return xr.Dataset(
        {
            "actual": ("point", _density(actual, grid)),
            "simulated": (
                ("replication", "point"),
                np.array([_density(row, grid) for row in draws]),
            ),
        },
        coords={
            "grid": ("point", grid),
            TIME: market.times.astype("datetime64[ns]"),
        },
    )


def _density(values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    return kernel_density(values, grid) if np.ptp(values) else np.zeros_like(grid)
