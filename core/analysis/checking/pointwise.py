"""Pointwise: mean and log density of every cell of the KPI, per posterior draw."""

from collections.abc import Iterator, Mapping

import numpy as np

from core.analysis.learning.cells import of_cells
from core.model.build import Model

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
    return model.filled.cut(of_cells(model, draws, "mean"))


def sigmas(model: Model, draws: Mapping[str, np.ndarray]) -> np.ndarray:
    """Residual scale of the scaled KPI; draw geo."""
    sigma = np.asarray(draws["sigma"], np.float64)
    return np.broadcast_to(
        sigma.reshape(len(sigma), -1), (len(sigma), model.data.n_geos)
    )


def memories(draws: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """What goes on of the noise, draw; None where it has no memory."""
    return np.asarray(draws["rho"], np.float64) if "rho" in draws else None


def log_densities(
    model: Model, means: np.ndarray, sigma: np.ndarray, rho: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """Log density of a KPI unit per cell, one geo after the other; draw time.

    On the scale of the KPI, so that models whose scaling differs can be compared. Where
    noise has memory it is the density given the cells before and after: without the
    cell, these still say something of it.

    Args:
        model: The model.
        means: What `scaled_means` gives.
        sigma: What `sigmas` gives.
        rho: What `memories` gives.
    """
    kpi = np.asarray(model.arrays.kpi, np.float64)
    units = model.scale.std * model.scale.size
    for geo in range(model.data.n_geos):
        noise, spread = kpi[geo] - means[:, geo].astype(np.float64), sigma[:, geo, None]
        if rho is not None:
            observed = np.asarray(model.arrays.is_seen)[geo] > 0
            expected, share = between_neighbours(noise, observed, rho)
            noise, spread = noise - expected, spread * share
        # The units make it a density of the KPI, not of the scaled KPI, whose scale is
        # each model's own.
        density = -0.5 * (noise / spread) ** 2 - np.log(spread * units[geo])
        yield density - 0.5 * np.log(2 * np.pi)


def between_neighbours(
    noise: np.ndarray, observed: np.ndarray, rho: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""AR(1) noise of a cell given that of the cells around it.

    $n_t \mid n_{t-1}, n_{t+1} \sim N(\tfrac{\rho}{1+\rho^2}(n_{t-1} + n_{t+1}),
    \sigma^2 \tfrac{1-\rho^2}{1+\rho^2})$, and $N(\rho n, \sigma^2(1-\rho^2))$ where
    there is one neighbour.

    Args:
        noise: Of one geo, draw time.
        observed: Whether the likelihood saw a cell, time.
        rho: draw.

    Returns:
        Mean, and sd over sigma; draw time.
    """
    rho = rho[:, None]
    # A run begins anew after a gap, as in the likelihood.
    joined = observed[1:] & observed[:-1]
    before = np.pad(joined, (1, 0))
    after = np.pad(joined, (0, 1))
    around = np.pad(noise, ((0, 0), (1, 1)))
    total = before * around[:, :-2] + after * around[:, 2:]
    n = before.astype(float) + after
    more = 1 + rho**2 * (n == 2)
    variance = np.where(n > 0, (1 - rho**2) / more, 1.0)
    return rho / more * total, np.sqrt(variance)
