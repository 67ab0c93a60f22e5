r"""Patterns: columns of the block that may be absent, summed over all that may be.

The last K w columns of v belong to K candidates of w columns each, which are there
together: the columns of candidate k have coefficients d ~ N(0, 1) with probability p_k,
and none else. Given everything else, and with all of them there, d is
Normal with precision Lambda and mean m; h = Lambda m. Then, with S for the columns that
are there,

    log p(y | S) - log p(y | none) = -1/2 log |Lambda_SS| + 1/2 h_S' Lambda_SS^-1 h_S
    log p(y) = log p(y | none) + log sum_S p(S) exp of this

Candidates are eliminated one after another, for those patterns at once that agree on
the ones before: a pattern costs a few operations, whatever K is. With x = (d, -1) and A
of Lambda, h and a zero, -1/2 x'A x is all of the exponent, so h is one more row that
stays: what is left of the zero in the end is minus the quadratic form. The moments of x
follow on the way back: a candidate that is there is Normal given the ones after it. All
other coefficients are Normal given d, as they are with every column there.

Patterns are the last axis, along which processors work in vectors, and each step is
kept (`core.model.compiled.fusion.alone`): joined, they are worked out again and again.

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
from core.model.compiled.fusion import alone


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
    return _eliminated(precision, pull, log_odds)[0]


def _eliminated(
    precision: Float[Array, "c c"],
    pull: Float[Array, " c"],
    log_odds: Float[Array, "K w"],
) -> tuple[Float[Array, " pattern"], list[jax.Array]]:
    """Log masses, and what `_of_rest` says of each candidate."""
    corner, mass = jnp.zeros((1, 1), pull.dtype), jnp.zeros(1, pull.dtype)
    pull = pull[:, None]
    left = jnp.block([[precision, pull], [pull.T, corner]])[:, :, None]
    candidates = []
    for odds in log_odds:
        root, more = _root_of_inverse(left, odds)
        rows = _rows(root, left)
        candidates.append(_of_rest(root, rows))
        left, mass = _left(left, rows), jnp.concatenate([mass, mass + more])
    return mass - 0.5 * left[0, 0], candidates


@alone
def _root_of_inverse(
    left: Float[Array, "n n pattern"], odds: Float[Array, " w"]
) -> tuple[Float[Array, "w w pattern"], Float[Array, " pattern"]]:
    """R, lower triangular, with R'R the inverse of the first w rows; and log mass."""
    chol, root, mass = {}, {}, odds[0]
    for i in range(len(odds)):
        for j in range(i):
            rest = left[i, j] - sum(chol[i, k] * chol[j, k] for k in range(j))
            chol[i, j] = rest * root[j, j]
        rest = left[i, i] - sum(chol[i, k] ** 2 for k in range(i))
        root[i, i] = jax.lax.rsqrt(rest)
        mass = mass + jnp.log(root[i, i])
        for j in range(i):
            below = sum(chol[i, k] * root[k, j] for k in range(j, i))
            root[i, j] = -below * root[i, i]
    zero, places = jnp.zeros_like(left[0, 0]), range(len(odds))
    lines = [jnp.stack([root.get((i, j), zero) for j in places]) for i in places]
    return jnp.stack(lines), mass


@alone
def _rows(
    root: Float[Array, "w w pattern"], left: Float[Array, "n n pattern"]
) -> Float[Array, "w rest pattern"]:
    """Of a root of A beyond the candidate's own columns."""
    w = len(root)
    return sum(root[:, j, None] * left[j, w:] for j in range(w))


@alone
def _of_rest(
    root: Float[Array, "w w pattern"], rows: Float[Array, "w rest pattern"]
) -> Float[Array, "w both pattern"]:
    """Covariance of a candidate's columns given the rest of x; minus their slope."""
    both = jnp.concatenate([root, rows], axis=1)
    return sum(root[j, :, None] * both[j] for j in range(len(root)))


@alone
def _left(
    left: Float[Array, "n n pattern"], rows: Float[Array, "w rest pattern"]
) -> Float[Array, "rest rest more"]:
    """A of the rest: as it is where the candidate is not there, and where it is."""
    w, n = rows.shape[:2]
    is_there = np.array([0.0, 1.0], left.dtype)[:, None]
    explained = sum(row[:, None] * row for row in rows)
    return (left[w:, w:, None] - is_there * explained[:, :, None]).reshape(n, n, -1)


def _moments(
    shares: Float[Array, " pattern"], candidates: list[jax.Array]
) -> Float[Array, "n n"]:
    """E xx', over patterns of these shares."""
    second = shares[None, None]
    for of_rest in reversed(candidates):
        second = _with_candidate(of_rest, _across(of_rest, second), second)
    return second[:, :, 0]


@alone
def _across(
    of_rest: Float[Array, "w both pattern"], second: Float[Array, "rest rest more"]
) -> Float[Array, "w rest pattern"]:
    """Second moments of a candidate's columns with the rest of x."""
    w, n_patterns = len(of_rest), of_rest.shape[2]
    return -(of_rest[:, w:, None] * second[:, :, n_patterns:]).sum(axis=1)


@alone
def _with_candidate(
    of_rest: Float[Array, "w both pattern"],
    across: Float[Array, "w rest pattern"],
    second: Float[Array, "rest rest more"],
) -> Float[Array, "n n pattern"]:
    """Second moments of the rest of x, with a candidate before it."""
    w, n_patterns = len(of_rest), of_rest.shape[2]
    share, rest = second[-1, -1, n_patterns:], second.reshape(*second.shape[:2], 2, -1)
    own = of_rest[:, :w] * share - (across[:, None] * of_rest[:, w:]).sum(axis=2)
    above = jnp.concatenate([own, across], axis=1)
    below = jnp.concatenate([across.swapaxes(0, 1), rest.sum(axis=2)], axis=1)
    return jnp.concatenate([above, below])


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
    mass, candidates = _eliminated(factor @ factor.T, factor @ whitened, log_odds)
    log_sum, shares = jax.nn.logsumexp(mass), jax.nn.softmax(mass)
    moments = _moments(shares, candidates)
    second, expected = moments[:-1, :-1], -moments[:-1, -1]
    presence = shares @ jnp.asarray(presence_of(len(log_odds)), mean.dtype)
    spread = second - expected[:, None] * expected
    # A column that is surely not there has no spread: the diagonal gets what rounding
    # may have taken off it.
    lost = 8 * len(mean) * jnp.finfo(mean.dtype).eps * (jnp.trace(second) + 1e-3)
    spread = spread + lost * jnp.eye(len(mean), dtype=mean.dtype)
    of_spread = jnp.linalg.cholesky(spread, symmetrize_input=False).T @ factor
    shift = factor.T @ (expected - mean)
    log_all = 0.5 * whitened @ whitened - jnp.log(jnp.diagonal(factor)).sum()
    return Mixture(
        log_ratio=log_sum + jax.nn.log_sigmoid(-log_odds[:, 0]).sum() - log_all,
        shift=shift,
        root=of_spread,
        presence=jnp.repeat(presence, log_odds.shape[1]),
        squares=shift @ shift,
        information=(of_spread**2).sum() - len(mean),
    )


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
