r"""Patterns: columns of the block that may be absent, summed over all that may be.

The last K w columns of v belong to K candidates of w columns each, which are there
together: the columns of candidate k have coefficients d ~ N(0, 1) with probability p_k,
and none else. Given everything else, and with all of them there, d is
Normal with precision Lambda and mean m; h = Lambda m. Then, with S for the columns that
are there,

    log p(y | S) - log p(y | none) = -1/2 log |Lambda_SS| + 1/2 h_S' Lambda_SS^-1 h_S
    log p(y) = log p(y | none) + log sum_S p(S) exp of this

Candidates are eliminated one after another, for those patterns at once that agree on
the ones before: a pattern costs a few operations, whatever K is. The derivatives of the
sum along h and Lambda are the moments of d, over patterns and given each of them; all
other coefficients are Normal given d, as they are with every column there.

References:
    George and McCulloch (1993), Variable Selection via Gibbs Sampling, on the prior;
    the sum over patterns takes the place of the sampler.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

from core.model.block.triangular import inverse_of_lower


class Mixture(NamedTuple):
    """What the sum over patterns changes, beside the block with every column there.

    Attributes:
        log_ratio: Log density over that with every column there.
        shift: Of the columns' means, times the root of their precision; c = K w.
        root: The last c rows of a root of the covariance are multiplied by it; c c.
        presence: Probability that each column is there; c.
        squares: Squared length of `shift`.
        information: What the data know of the candidates, beside what they know of
            them with every column there.
    """

    log_ratio: jax.Array
    shift: jax.Array
    root: jax.Array
    presence: jax.Array
    squares: jax.Array
    information: jax.Array


def presence_of(n_candidates: int) -> np.ndarray:
    """Which candidates are there in each pattern; pattern K."""
    patterns = np.arange(2**n_candidates)[:, None]
    return (patterns >> np.arange(n_candidates)) & 1


def log_masses(
    precision: Float[Array, "c c"],
    pull: Float[Array, " c"],
    log_odds: Float[Array, "K w"],
) -> Float[Array, " pattern"]:
    """Log mass of every pattern over that of none, in the order of `presence_of`.

    Args:
        precision: Lambda.
        pull: h.
        log_odds: Of each candidate being there, before the data.
    """
    left, h, mass = precision[None], pull[None], jnp.zeros(1, pull.dtype)
    n = log_odds.shape[1]
    for odds in log_odds[:, 0]:
        rows, values, here = _eliminated(left, h, n)
        # All columns of a candidate at once: one pass over what is left, not n.
        given, own = left[:, n:, n:], h[:, n:]
        for row, value in zip(rows, values, strict=True):
            across = row[:, n:]
            given = given - across[:, :, None] * across[:, None, :]
            own = own - value[:, None] * across
        # A candidate that is not there leaves the others as they are.
        left = jnp.concatenate([left[:, n:, n:], given])
        h = jnp.concatenate([h[:, n:], own])
        mass = jnp.concatenate([mass, mass + odds + here])
    return mass


def _eliminated(
    precision: Float[Array, "pattern c c"], pull: Float[Array, "pattern c"], n: int
) -> tuple[list[jax.Array], list[jax.Array], jax.Array]:
    """The first n rows of the root of a precision, what it makes of h, and log mass.

    Returns:
        Rows of U, where U'U is the precision, each pattern c; numbers, each pattern;
        log mass, pattern.
    """
    rows: list[jax.Array] = []
    values: list[jax.Array] = []
    mass = jnp.zeros(len(pull), pull.dtype)
    for place in range(n):
        row, value = precision[:, place], pull[:, place]
        for before, theirs in zip(rows, values, strict=True):
            row = row - before[:, place, None] * before
            value = value - before[:, place] * theirs
        root = jnp.sqrt(row[:, place])
        rows.append(row / root[:, None])
        values.append(value / root)
        mass = mass - jnp.log(root) + 0.5 * values[-1] ** 2
    return rows, values, mass


def mixture(
    root: Float[Array, "c c"], mean: Float[Array, " c"], log_odds: Float[Array, "K w"]
) -> Mixture:
    """The sum over patterns, from the posterior with every column there.

    Args:
        root: Lower triangular, R'R the covariance of the candidates.
        mean: Their mean.
        log_odds: See `log_masses`.
    """
    factor = inverse_of_lower(root)
    whitened = factor.T @ mean
    sum_of = jax.value_and_grad(_log_sum, (0, 1, 2))
    value, (by_precision, expected, presence) = sum_of(
        factor @ factor.T, factor @ whitened, log_odds
    )
    second = -(by_precision + by_precision.T)
    spread = second - expected[:, None] * expected
    # A column that is surely not there has no spread: the diagonal gets what rounding
    # may have taken off it.
    lost = 8 * len(mean) * jnp.finfo(mean.dtype).eps * (jnp.trace(second) + 1e-3)
    spread = spread + lost * jnp.eye(len(mean), dtype=mean.dtype)
    of_spread = jnp.linalg.cholesky(spread, symmetrize_input=False).T @ factor
    shift = factor.T @ (expected - mean)
    log_all = 0.5 * whitened @ whitened - jnp.log(jnp.diagonal(factor)).sum()
    return Mixture(
        log_ratio=value + jax.nn.log_sigmoid(-log_odds[:, 0]).sum() - log_all,
        shift=shift,
        root=of_spread,
        # Of a candidate, along its first column, which alone the sum takes.
        presence=jnp.repeat(presence[:, 0], log_odds.shape[1]),
        squares=shift @ shift,
        information=(of_spread**2).sum() - len(mean),
    )


def _log_sum(precision, pull, log_odds) -> jax.Array:
    return jax.nn.logsumexp(log_masses(precision, pull, log_odds))


class PatternDraw(NamedTuple):
    """A pattern and the coefficients of its columns.

    Attributes:
        coefficients: d, zero where a column is not there; c = K w.
        present: Whether each candidate is there; K.
        log_density: Log probability of the pattern, and log density of d given it.
    """

    coefficients: jax.Array
    present: jax.Array
    log_density: jax.Array


def pattern_draw(
    factor: Float[Array, "c c"],
    whitened: Float[Array, " c"],
    log_odds: Float[Array, "K w"],
    noise: tuple[Float[Array, " c"], Float[Array, ""]],
) -> PatternDraw:
    """A pattern with its coefficients, drawn exactly.

    Args:
        factor: Lower triangular, its product with its transpose is Lambda.
        whitened: h = factor @ whitened.
        log_odds: See `log_masses`.
        noise: Standard normal numbers, and one between zero and one.
    """
    precision, pull = factor @ factor.T, factor @ whitened
    normal, share = noise
    mass = jax.nn.log_softmax(log_masses(precision, pull, log_odds))
    place = jnp.searchsorted(jnp.cumsum(jnp.exp(mass)), share)
    place = jnp.minimum(place, len(mass) - 1)
    candidates = jnp.asarray(presence_of(len(log_odds)), pull.dtype)[place]
    present = jnp.repeat(candidates, log_odds.shape[1])
    # A column that is not there is cut off from the others, with a precision of one.
    own = precision * present[:, None] * present + jnp.diag(1.0 - present)
    chol = jnp.linalg.cholesky(own)
    half = solve_triangular(chol, present * pull, lower=True) + normal
    d = present * solve_triangular(chol, half, lower=True, trans="T")
    of_each = -0.5 * (normal**2 + np.log(2 * np.pi)) + jnp.log(jnp.diagonal(chol))
    return PatternDraw(d, candidates, mass[place] + (present * of_each).sum())
