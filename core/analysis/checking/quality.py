"""Quality of the model, not of its sampling: checks by prediction and simulation."""

from typing import Any

import numpy as np
import xarray as xr

from core.analysis.checking.checks import Market, model_check, replicated_noise, summed
from core.analysis.checking.loo import leave_one_out
from core.analysis.checking.pointwise import draws_held, memories, scaled_means, sigmas
from core.analysis.draws import flat_draws, kernel_density
from core.analysis.learning.media_left import Left, media_left
from core.dims import CHAIN, DRAW, TIME
from core.model.build import Model


def quality(
    model: Model, posterior: xr.Dataset, seed: int
) -> tuple[dict[str, Any], dict[str, xr.Dataset], dict[str, Left]]:
    """All three, from the same draws of every cell's mean.

    Args:
        model: The model.
        posterior: All draws; dims chain, draw, ...
        seed: Of the replications.

    Returns:
        `model_check` and `loo` as plain values; as datasets `loo`, scores of the cells
        by geo and time, and `replicated`, simulations of the KPI; what the residuals
        still have of each channel.
    """
    n = posterior.sizes[CHAIN] * posterior.sizes[DRAW]
    draws = flat_draws(posterior, draws_held(model, n))
    means = scaled_means(model, draws)
    loo, cells = leave_one_out(model, means, sigmas(model, draws), memories(draws))
    check = model_check(model, draws, means, seed)
    residuals = media_left(model, draws, means)
    observed = np.asarray(model.arrays.is_seen) > 0
    market = summed(model, means, sigmas(model, draws), observed)
    market = market._replace(rho=memories(draws))
    views = {"loo": cells, "replicated": replicated(market, seed)}
    return {"model_check": check, "loo": loo}, views, residuals


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
    observed = market.is_seen
    step = -(-len(market.mean) // _DRAWN)
    some = slice(None, None, step)
    rho = None if market.rho is None else market.rho[some]
    mean = market.mean[some]
    noise = replicated_noise(np.random.default_rng([seed, 37]), mean.shape, rho)
    draws = (mean + market.spread[some] * noise)[:, observed]
    actual = market.actual[observed]
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
