"""Draws: the posterior as dictionaries of arrays, flattened over chains and thinned."""

import numpy as np
import xarray as xr

from core.dims import CHAIN, DRAW


def flat_draws(posterior: xr.Dataset, most: int | None = None) -> dict[str, np.ndarray]:
    """Posterior variables with one leading axis over chains and draws.

    Args:
        posterior: Dims chain, draw, ...
        most: Keep at most so many draws, evenly spread over chains and draws.

    Returns:
        Arrays by name, draws first.
    """
    n_chains, n_draws = posterior.sizes[CHAIN], posterior.sizes[DRAW]
    keep = kept(n_chains * n_draws, most)
    return {
        str(name): variable.transpose(CHAIN, DRAW, ...)
        .to_numpy()
        .reshape(n_chains * n_draws, *variable.shape[2:])[keep]
        for name, variable in posterior.data_vars.items()
    }


def chain_of(posterior: xr.Dataset, most: int | None = None) -> np.ndarray:
    """The chain that each draw of `flat_draws` is of."""
    n_chains, n_draws = posterior.sizes[CHAIN], posterior.sizes[DRAW]
    return kept(n_chains * n_draws, most) // n_draws


def kept(n: int, most: int | None) -> np.ndarray:
    """Places of the draws that thinning keeps, evenly spread."""
    if most is None or n <= most:
        return np.arange(n)
    return np.linspace(0, n - 1, most).astype(int)
