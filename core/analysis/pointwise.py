"""Pointwise: mean and log density of every cell of the KPI, per posterior draw."""

from collections.abc import Iterator, Mapping
from functools import partial

import jax
import numpy as np

from core.analysis.incremental import over_draws, scaled_mean_kpi
from core.model.build import Model
from core.model.chunks import in_chunks

#: Most numbers (draws times cells) that are held at once, and most draws.
_NUMBERS = 20_000_000
_DRAWS = 2000


def draws_held(model: Model, n_draws: int) -> int:
    """How many draws of every cell's mean are kept in memory.

    Args:
        model: The model.
        n_draws: How many there are.
    """
    most = max(400, _NUMBERS // max(model.data.kpi.size, 1))
    return int(min(n_draws, most, _DRAWS))


def scaled_means(model: Model, draws: Mapping[str, np.ndarray]) -> np.ndarray:
    """Mean of the scaled KPI given a draw; draw geo time, in the model's precision.

    With the noise that geos have in common, where the model has it: what is left is
    independent between geos.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    arrays = model.arrays._replace(block=None)
    return in_chunks(lambda some: _means(model.structure, arrays, some), dict(draws))


def sigmas(model: Model, draws: Mapping[str, np.ndarray]) -> np.ndarray:
    """Residual scale of the scaled KPI; draw geo."""
    sigma = np.asarray(draws["sigma"], np.float64)
    return np.broadcast_to(
        sigma.reshape(len(sigma), -1), (len(sigma), model.data.n_geos)
    )


def log_densities(
    model: Model, means: np.ndarray, sigma: np.ndarray
) -> Iterator[np.ndarray]:
    """Log density of a KPI unit per cell, one geo after the other; draw time.

    On the scale of the KPI, so that models whose scaling differs can be compared.

    Args:
        model: The model.
        means: What `scaled_means` gives.
        sigma: What `sigmas` gives.
    """
    kpi = np.asarray(model.arrays.kpi, np.float64)
    units = model.scale.std * model.data.population
    for geo in range(model.data.n_geos):
        spread = sigma[:, geo, None]
        deviation = (kpi[geo] - means[:, geo].astype(np.float64)) / spread
        density = -0.5 * deviation**2 - np.log(spread * units[geo])
        yield density - 0.5 * np.log(2 * np.pi)


@partial(jax.jit, static_argnums=0)
def _means(structure, arrays, draws):
    return over_draws(partial(scaled_mean_kpi, structure, arrays), draws)
