r"""Noise with memory: what is left of a period goes on into the next one.

The noise of a geo is AR(1), with the same rho in all geos and sd sigma at any time:

    n_t = rho n_{t-1} + s_t,   s_t ~ N(0, sigma^2 (1 - rho^2))

s are its shocks. A run is a stretch of seen cells without a gap; noise after a gap
begins as if nothing were known of the noise before it. So the shocks of a run are W n,

    (W n)_t = n_t - rho n_{t-1},   (W n)_first = c n_first,   c = sqrt(1 - rho^2)

independent, all with the scale of a shock, and log |W| is log c per run. The design
becomes W X. With m = (x_t + x_{t-1}) / 2 and d = x_t - x_{t-1}, which are data,

    W X = a M + b D + c F + E,   a = 1 - rho,   b = (1 + rho) / 2

F has the rows that begin a run, E has columns that are shocks in themselves. So every
Gram matrix is a sum of products of a, b, c and 1 times matrices that are data: positive
weights on sums of squares, of which float32 loses nothing as rho nears one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

#: Pairs of the four parts of a design: M, D, F, E.
_PAIRS = tuple((i, j) for i in range(4) for j in range(i, 4))
_FIRST, _SECOND = np.array(_PAIRS, np.int32).T


class Products(NamedTuple):
    """A Gram matrix as a sum of matrices that are data.

    Attributes:
        pair: Which pair of parts each is of; product.
        matrices: product, then the axes of the Gram matrix.
    """

    pair: jax.Array
    matrices: jax.Array


def parts(
    columns: np.ndarray, observed: np.ndarray, is_shock: np.ndarray
) -> list[np.ndarray]:
    """M, D, F and E of a design.

    Args:
        columns: The design, geo time column.
        observed: One where a cell is seen, geo time.
        is_shock: Whether a column is of shocks; column.
    """
    regular = np.where(is_shock, 0.0, columns)
    before = np.concatenate([np.zeros_like(regular[:, :1]), regular[:, :-1]], axis=1)
    first, later = (mask[:, :, None] for mask in _places(observed, np))
    return [
        # Sum and difference, not x_t and x_{t-1}: as rho nears one, W X is a small
        # difference of large numbers, and these two keep its digits.
        later * (regular + before) / 2,
        later * (regular - before),
        first * regular,
        np.where(is_shock, columns, 0.0) * observed[:, :, None],
    ]


def products(
    product: Callable[[Any, Any], np.ndarray], left: list[Any], right: list[Any]
) -> Products:
    """Products of the parts of two designs, by pairs of parts.

    Args:
        product: Of two parts.
        left: Parts of one design.
        right: Parts of the other.
    """
    sums = {
        (i, j): product(left[i], right[j])
        + (product(left[j], right[i]) if i < j else 0.0)
        for i, j in _PAIRS
    }
    # One matrix fewer: the pair F F has no entry of its own.
    sums[0, 1] = sums[0, 1] + 2.0 * sums.pop((2, 2))  # c^2 = 2 a b
    pairs = [pair for pair, matrix in sums.items() if matrix.any()] or [(0, 0)]
    places = np.array([_PAIRS.index(pair) for pair in pairs])
    return Products(places, np.stack([sums[pair] for pair in pairs]))


def added_up(matrix: Any, weights: Float[Array, " pair"]) -> Any:
    """Sum of products, each by the weight of its pair; another matrix as it is."""
    if not isinstance(matrix, Products):
        return matrix
    flat = matrix.matrices.reshape(len(matrix.matrices), -1)
    return (weights[matrix.pair] @ flat).reshape(matrix.matrices.shape[1:])


def weights(rho: Float[Array, ""]) -> Float[Array, " pair"]:
    """What each pair of parts counts for in a Gram matrix."""
    of_part = _of_parts(rho)
    return of_part[_FIRST] * of_part[_SECOND]


def weight_slopes(rho: Float[Array, ""]) -> Float[Array, " pair"]:
    """Derivatives of `weights` with respect to rho."""
    w, s = _of_parts(rho), _slopes_of_parts(rho)
    return w[_FIRST] * s[_SECOND] + s[_FIRST] * w[_SECOND]


def shock_share(rho: Float[Array, ""]) -> Float[Array, ""]:
    """Scale of a shock over that of the noise: sqrt(1 - rho^2)."""
    # Factors, because 1 - rho^2 loses its digits in float32 where rho is near one.
    return jnp.sqrt((1.0 - rho) * (1.0 + rho))


def _of_parts(rho: Float[Array, ""]) -> Float[Array, " part"]:
    one = jnp.ones_like(rho)
    return jnp.stack([1.0 - rho, 0.5 * (1.0 + rho), shock_share(rho), one])


def _slopes_of_parts(rho: Float[Array, ""]) -> Float[Array, " part"]:
    one = jnp.ones_like(rho)
    return jnp.stack([-one, 0.5 * one, -rho / shock_share(rho), 0.0 * one])


def shocks_of(
    noise: Float[Array, "geo time"],
    observed: Float[Array, "geo time"],
    rho: Float[Array, ""] | None,
) -> Float[Array, "geo time"]:
    """W n: the shocks of noise, zero where a cell is not seen.

    Args:
        noise: Of every cell.
        observed: One where a cell is seen.
        rho: Its memory; None for none, whose noise is its shocks.
    """
    if rho is None:
        return noise * observed
    first, later = _places(observed, jnp)
    return later * (noise - rho * _before(noise)) + first * shock_share(rho) * noise


def transposed(
    shocks: Float[Array, "geo time"],
    observed: Float[Array, "geo time"],
    rho: Float[Array, ""] | None,
) -> Float[Array, "geo time"]:
    """W' s, of shocks that are zero where a cell is not seen."""
    if rho is None:
        return shocks
    first, later = _places(observed, jnp)
    following = jnp.concatenate(
        [(later * shocks)[:, 1:], jnp.zeros_like(shocks[:, :1])], axis=1
    )
    return (later + first * shock_share(rho)) * shocks - rho * following


def slope_of_shocks(
    noise: Float[Array, "geo time"],
    observed: Float[Array, "geo time"],
    rho: Float[Array, ""],
) -> Float[Array, "geo time"]:
    """Derivative of W n with respect to rho."""
    first, later = _places(observed, jnp)
    return -later * _before(noise) - first * (rho / shock_share(rho)) * noise


def n_runs(observed: Float[Array, "geo time"]) -> jax.Array:
    """Number of stretches of seen cells without a gap."""
    return _places(observed, jnp)[0].sum()


def carried(
    shocks: Float[Array, "geo time"],
    observed: Float[Array, "geo time"],
    rho: Float[Array, ""],
) -> Float[Array, "geo time"]:
    """The noise of given shocks: n with W n = s, going on through cells not seen."""
    first, _ = _places(observed, jnp)
    # A geo whose first cell is not seen has no run there; its noise must begin all the
    # same, with the variance that it has at any time.
    begins = first.at[:, 0].set(1.0)

    def step(noise, cell):
        shock, is_first = cell
        started = shock / shock_share(rho)
        noise = jnp.where(is_first > 0, started, rho * noise + shock)
        return noise, noise

    start = jnp.zeros_like(shocks[:, 0])
    _, noise = jax.lax.scan(step, start, (shocks.T, begins.T))
    return noise.T


def _before(x: jax.Array) -> jax.Array:
    """The period before, zero before the first."""
    return jnp.concatenate([jnp.zeros_like(x[:, :1]), x[:, :-1]], axis=1)


def _places(observed, xp):
    """Where runs begin, and where they go on; geo time."""
    # Products instead of indices: the number of runs is data, and shapes must not
    # depend on data, or another data set would compile again.
    later = observed * xp.concatenate(
        [xp.zeros_like(observed[:, :1]), observed[:, :-1]], axis=1
    )
    return observed - later, later
