"""Paired: draws of two fits as draws of both.

At random where neither learnt of the other; where they share an observation, by how
well each pair agrees with it.
"""

import numpy as np
import xarray as xr
from jaxtyping import Float, Int

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


def alone(others: list[tuple[str, xr.Dataset]], seed: int) -> xr.Dataset:
    """Draws of several fits, paired with each other; as many as the longest has.

    Args:
        others: What their variables are called by, and their posteriors.
        seed: Of the pairing.

    Returns:
        Dims chain (one), draw, ...
    """
    n = max(other.sizes[CHAIN] * other.sizes[DRAW] for _, other in others)
    both = xr.Dataset(coords={CHAIN: [0], DRAW: np.arange(n)})
    for prefix, other in others:
        both = paired(both, other, prefix, seed)
    return both


def paired_by(
    posterior: xr.Dataset,
    beside: xr.Dataset,
    log_density: Float[np.ndarray, "draw other"],
    seed: int,
) -> xr.Dataset:
    """A posterior with, for each draw, one of other fits that it goes well with.

    Args:
        posterior: Dims chain, draw, ...
        beside: Of the other fits, as `alone` gives it.
        log_density: Of what both are to agree with; draws over all chains.
        seed: Of the choice.
    """
    random = generator(seed, "pairs")
    weight = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    reached = np.cumsum(weight, axis=1)
    thresholds = random.random((len(weight), 1)) * reached[:, -1:]
    shape = (posterior.sizes[CHAIN], posterior.sizes[DRAW])
    places = (reached < thresholds).sum(axis=1).reshape(shape)
    picked = {
        str(name): ((CHAIN, DRAW, *variable.dims[2:]), variable.to_numpy()[0][places])
        for name, variable in beside.data_vars.items()
    }
    return posterior.assign(picked)


def _order(
    n: int, n_wanted: int, random: np.random.Generator
) -> Int[np.ndarray, " wanted"]:
    """Places of draws in random order, all of them as often as they go."""
    rounds = -(-n_wanted // n)
    return np.concatenate([random.permutation(n) for _ in range(rounds)])[:n_wanted]
