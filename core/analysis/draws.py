"""Draws: the posterior as dictionaries of arrays, flattened over chains and thinned."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.dims import CHAIN, DRAW

#: Draws that response curves of channels keep; the posterior keeps all.
CURVE_DRAWS = 1000
#: Largest share by which a mean over few draws may be off by accident.
_ACCIDENT = 0.25


def flat_draws(posterior: xr.Dataset, most: int | None = None) -> dict[str, np.ndarray]:
    """Posterior variables with one leading axis over chains and draws.

    Args:
        posterior: Dims chain, draw, ...
        most: Keep at most so many draws, evenly spread over chains and draws.

    Returns:
        Arrays by name, draws first.
    """
    n = posterior.sizes[CHAIN] * posterior.sizes[DRAW]
    keep = None if most is None or n <= most else kept(n, most)
    names = map(str, posterior.data_vars)
    # Of variables rather than of arrays with coordinates, which take ten times as long.
    arrays = {name: _in_order(posterior.variables[name]) for name in names}
    flat = {name: each.reshape(n, *each.shape[2:]) for name, each in arrays.items()}
    return flat if keep is None else {name: flat[name][keep] for name in flat}


def _in_order(variable: xr.Variable) -> np.ndarray:
    """Chain and draw first."""
    if variable.dims[:2] != (CHAIN, DRAW):
        variable = variable.transpose(CHAIN, DRAW, ...)
    return variable.to_numpy()


def chain_of(posterior: xr.Dataset, most: int | None = None) -> np.ndarray:
    """The chain that each draw of `flat_draws` is of."""
    n_chains, n_draws = posterior.sizes[CHAIN], posterior.sizes[DRAW]
    return kept(n_chains * n_draws, most) // n_draws


def kept(n: int, most: int | None) -> np.ndarray:
    """Places of the draws that thinning keeps, evenly spread."""
    if most is None or n <= most:
        return np.arange(n)
    return np.linspace(0, n - 1, most).astype(int)


def thinned(draws: Mapping[str, np.ndarray], most: int) -> dict[str, np.ndarray]:
    """At most so many of flat draws, evenly spread."""
    places = kept(len(next(iter(draws.values()))), most)
    return {name: values[places] for name, values in draws.items()}


def kernel_density(
    values: Float[np.ndarray, " draw"], grid: Float[np.ndarray, " point"]
) -> Float[np.ndarray, " point"]:
    r"""Mean of a Normal around every value, as wide as Scott's rule says.

    $\frac{1}{n h} \sum_i \phi((x - x_i) / h)$ with $h = s\, n^{-1/5}$: what SciPy's
    `gaussian_kde` gives, whose import takes longer and holds more memory than all
    densities of a fit.

    Args:
        values: Draws of which two differ at least.
        grid: Where the density is wanted, in their unit.

    Returns:
        Density per unit.
    """
    values = np.asarray(values, np.float64)
    width = values.std(ddof=1) * len(values) ** -0.2
    z = (np.asarray(grid, np.float64)[:, None] - values) / width
    z *= z
    z *= -0.5
    heights = np.exp(z, out=z).sum(axis=1)
    return heights / (len(values) * width * np.sqrt(2 * np.pi))


def to_level(
    few: Float[np.ndarray, "few channel"], many: Float[np.ndarray, "many channel"]
) -> Float[np.ndarray, " channel"]:
    """Factors that bring each channel's mean over few draws to that over many.

    With them all views of a plan say the same of what ran, however many draws they can
    afford. One where the means are too far apart for a factor to be the accident of
    which draws were kept, as with effects around zero.

    Args:
        few: A quantity of each channel, such as its outcome.
        many: The same of more draws, those of `few` among them.
    """
    less, more = few.mean(axis=0), many.mean(axis=0)
    factor = np.divide(more, less, out=np.ones_like(more), where=less > 0)
    return np.where(is_accident(factor), factor, 1.0)


def is_accident(factor: Float[np.ndarray, "..."]) -> Bool[np.ndarray, "..."]:
    """Whether means over few and many draws are as near as the same draws may be."""
    return np.abs(factor - 1) <= _ACCIDENT
