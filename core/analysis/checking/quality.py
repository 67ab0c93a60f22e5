"""Quality of the model, not of its sampling: predictive checks and the like."""

from typing import Any

import numpy as np
import xarray as xr

from core.analysis.checking.checks import model_check, summed
from core.analysis.checking.loo import leave_one_out
from core.analysis.checking.pointwise import draws_held, memories, scaled_means, sigmas
from core.analysis.checking.replicated import replicated
from core.analysis.draws import flat_draws
from core.analysis.learning.media_left import Left, media_left
from core.dims import CHAIN, DRAW
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
    left = media_left(model, draws, means)
    seen = np.asarray(model.arrays.is_seen) > 0
    market = summed(model, means, sigmas(model, draws), seen)
    market = market._replace(rho=memories(draws))
    views = {"loo": cells, "replicated": replicated(market, seed)}
    return {"model_check": check, "loo": loo}, views, left
