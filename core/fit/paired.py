"""Paired: draws of two fits as draws of both, where neither learnt of the other."""

import numpy as np
import xarray as xr
from jaxtyping import Int

from core.dims import CHAIN, DRAW
from core.fit.chains.chains import generator


def paired(
    posterior: xr.Dataset, other: xr.Dataset, prefix: str, seed: int
) -> xr.Dataset:
    """A posterior with the draws of another fit beside its own, at random.

    Each draw of the other is taken once before any is taken again.

    Args:
        posterior: Dims chain, draw, ...
        other: Of the other fit; dims chain, draw, ...
        prefix: What its variables and their axes are called by here.
        seed: Of the pairing.
    """
    shape = (posterior.sizes[CHAIN], posterior.sizes[DRAW])
    n = other.sizes[CHAIN] * other.sizes[DRAW]
    order = _order(n, shape[0] * shape[1], generator(seed, prefix))
    beside = {}
    for name, variable in other.data_vars.items():
        axes = [axis for axis in variable.dims if axis not in (CHAIN, DRAW)]
        values = variable.transpose(CHAIN, DRAW, *axes).to_numpy()
        picked = values.reshape(n, *values.shape[2:])[order]
        dims = (CHAIN, DRAW, *(f"{prefix}{axis}" for axis in axes))
        beside[f"{prefix}{name}"] = (dims, picked.reshape(*shape, *values.shape[2:]))
    return posterior.assign(beside)


def _order(
    n: int, n_wanted: int, random: np.random.Generator
) -> Int[np.ndarray, " wanted"]:
    """Places of draws in random order, all of them as often as they go."""
    rounds = -(-n_wanted // n)
    return np.concatenate([random.permutation(n) for _ in range(rounds)])[:n_wanted]
