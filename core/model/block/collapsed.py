r"""The likelihood with the linear block integrated out, and its derivative.

The quadratic form of the residual is that of the joint density at its mode,
k e'e + E q'E q + E v' P E v with e = r - F E v - H D E q: a sum of squares, which keeps
its digits in float32 where r'r less what the block explains does not. For the symbols
see `core.model.block.collapsed`.

The derivative is the expected derivative of the joint density (Fisher's identity),
so that nothing is differentiated through a factorisation. With respect to the prior
scale d of a coefficient d q it needs the second moment alone: (E q^2 - 1) / d, with
the probability that it is there in place of one where it may be absent.

What is known of the linear block given the residual: means, variances, determinant.

With u = D q, q ~ N(0, I), the residual of geo g is r = F v + H D q + e. Given the
residual, v and q are Normal. With k = 1 / sigma^2 and C = H'F, G = H'H of the geo:

    S = I + k D G D          L = chol(S)
    B = L^-1 k D C           z = L^-1 k D H'r
    Q = P + sum k F'F - sum B'B      f = sum k F'r - sum B'z
    E v = Q^-1 f             Cov v = V = Q^-1
    E q = L^-T (z - B E v)   Cov q = S^-1 + W V W',   W = L^-T B,   Cov(q, v) = -W V

Where columns may be absent, means and covariances are those over all patterns
(`core.model.block.patterns`).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.block.common_noise import likelihood_with_common_noise
from core.model.block.linear_block import LinearBlock, along, at_memory, memory_slope
from core.model.block.memory import (
    n_runs,
    shock_share,
    shocks_of,
    slope_of_shocks,
    transposed,
)
from core.model.block.patterns import mixture
from core.model.block.triangular import (
    gram_of_root,
    root_and_log_det,
    root_of_inverse,
)
from core.model.compiled.fusion import total


class Moments(NamedTuple):
    """What is known of v and q given the residual.

    Attributes:
        v: E v, p.
        v_var: Var v, p.
        q: E q, geo h.
        q_var: Var q, geo h.
        e: What the means leave of the residual, its shocks; geo time.
        squares: k E |r - F v - H D q|^2, geo; where all geos share sigma only the sum
            is meant.
        log_det: Log determinant of the precision of v and q.
        rho: Expected slope of the log density of the residual along rho, but that of
            log |W|; zero where not asked for.
        presence: Probability that each column of F is there; p.
        log_ratio: Log density of the residual over what the formula says at the means
            where every column is there; zero where none may be absent.
    """

    v: jax.Array
    v_var: jax.Array
    q: jax.Array
    q_var: jax.Array
    e: jax.Array
    squares: jax.Array
    log_det: jax.Array
    rho: jax.Array | float
    presence: jax.Array
    log_ratio: jax.Array | float


class _Reduced(NamedTuple):
    """The block with the effects of geos eliminated; every order begins with it."""

    block: LinearBlock
    residual: jax.Array  # geo time
    k: jax.Array  # geo
    d: jax.Array  # geo h
    scale: jax.Array  # of every column of F, p
    f: jax.Array  # sum k F'r, p
    root: jax.Array  # L^-1, geo h h
    b: jax.Array  # B, geo * h p
    z: jax.Array  # geo * h
    log_det: jax.Array  # sum log |S|


def moments(
    block: LinearBlock,
    residual: jax.Array,
    sigma: jax.Array,
    local_scale: jax.Array,
    column_scale: jax.Array,
    memory: LinearBlock | None = None,
) -> Moments:
    """Moments of v and q; arguments as of `collapsed_log_likelihood`.

    The effects of each geo are eliminated first, then v as a whole.

    Args:
        block: At a rho, where it has memory (`at_memory`).
        residual: Zero where a cell is held out.
        sigma: Scale of each geo's shocks.
        local_scale: Prior scale of the effects of one geo.
        column_scale: Of the columns of F.
        memory: Slopes of the Gram matrices along rho, where that is asked for.
    """
    reduced = _reduced(block, residual, 1.0 / sigma**2, local_scale, column_scale)
    k, scale = reduced.k, reduced.scale
    gram = jnp.einsum("gpq,g->pq", block.gram, k[: len(block.gram)])
    gram = gram * scale[:, None] * scale
    precision = jnp.diag(block.precision) + gram - reduced.b.T @ reduced.b
    root_v, log_det = root_and_log_det(precision)
    v = root_v.T @ (root_v @ (reduced.f - reduced.b.T @ reduced.z))
    information, log_ratio, presence = 0.0, 0.0, jnp.ones_like(v)
    if n := block.log_odds.size:
        mixed = mixture(root_v[-n:, -n:], v[-n:], block.log_odds)
        # What is given the candidates stays as it is: only their rows of the root, and
        # the means by what the candidates' do, are others.
        v = v + root_v[-n:].T @ mixed.shift
        root_v = jnp.concatenate([root_v[:-n], mixed.root @ root_v[-n:]])
        presence = jnp.concatenate([presence[:-n], mixed.presence])
        information, log_ratio = (
            mixed.information,
            mixed.log_ratio + 0.5 * mixed.squares,
        )
    shape = reduced.d.shape
    q = (reduced.root * (reduced.z - reduced.b @ v).reshape(*shape, 1)).sum(axis=1)
    b = reduced.b.reshape(*shape, len(scale))
    w = _times(jnp.swapaxes(reduced.root, 1, 2), b)
    spread = (w.reshape(reduced.b.shape) @ root_v.T).reshape(b.shape)
    v_var = (root_v**2).sum(axis=0)
    q_var = (reduced.root**2).sum(axis=1) + (spread**2).sum(axis=2)
    # The residual of the means, not r'r less what is explained: a small difference of
    # large numbers would be lost in float32.
    noise, e = _left(reduced, v, q)
    # One sigma for all: only the sum over geos is needed, and its expectation is known
    # without another product of matrices.
    if len(block.gram) == 1:
        squares = _squares(reduced, e, v_var, q_var).at[0].add(information)
    else:
        squares = reduced.k * (total(e**2) + _spread(reduced, block, root_v, w))
    rho = 0.0
    if memory is not None:
        by_rho = slope_of_shocks(noise, block.is_seen, block.rho)
        squares_by_rho = 2.0 * (e * by_rho).sum(axis=1)
        rho = -0.5 * reduced.k @ (squares_by_rho + _spread(reduced, memory, root_v, w))
    log_det = reduced.log_det + log_det
    return Moments(v, v_var, q, q_var, e, squares, log_det, rho, presence, log_ratio)


def _reduced(block, residual, k, d, column_scale) -> _Reduced:
    scale = column_scale
    shocks = shocks_of(residual, block.is_seen, block.rho)
    f, of_geo = along(block, shocks * k[:, None])
    s = block.gram_local * (d[:, :, None] * d[:, None, :] * k[:, None, None])
    # With u = D q the prior precision of q is the identity: S stays regular at D = 0,
    # where that of u would be infinite.
    s = s + jnp.eye(d.shape[1], dtype=s.dtype)
    root, log_det = root_of_inverse(s)
    to_q = root * d[:, None, :]  # L^-1 D
    return _Reduced(
        block=block,
        residual=residual,
        k=k,
        d=d,
        scale=scale,
        f=f * scale,
        root=root,
        b=_times(to_q, block.cross * scale * k[:, None, None]).reshape(
            d.size, len(scale)
        ),
        z=(to_q * of_geo[:, None, :]).sum(axis=2).reshape(d.size),
        log_det=log_det,
    )


def _left(reduced: _Reduced, v: jax.Array, q: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The noise that v and q leave, with what geos have in common; and own shocks."""
    block, v = reduced.block, v * reduced.scale
    n_shared = block.shared.shape[1]
    n_common = block.shocks.shape[1]
    shared, common, by_geo = jnp.split(v, [n_shared, n_shared + n_common])
    explained = (block.shared @ shared)[None, :]
    explained = explained + (block.by_geo * by_geo[:, None]).sum(axis=1)
    explained = explained + (block.local * (q * reduced.d)[:, :, None]).sum(axis=1)
    noise = reduced.residual - explained
    common = (block.shocks @ common)[None, :] * block.is_seen
    return noise, shocks_of(noise, block.is_seen, block.rho) - common


def _squares(reduced: _Reduced, e, v_var, q_var) -> jax.Array:
    """The sum over geos, at the first: what the data know is what the prior does not.

    The information of the data is that of the posterior less that of the prior, so the
    trace of its product with the covariance is the number of coefficients less the sum
    of their variances in units of the prior's.
    """
    information = (1.0 - reduced.block.precision * v_var).sum() + (1.0 - q_var).sum()
    return (total(e**2) * reduced.k).at[0].add(information)


def _spread(reduced: _Reduced, block: LinearBlock, root_v, w) -> jax.Array:
    """Trace of the covariance of v and q times Gram matrices of theirs; geo.

    Args:
        reduced: Of `moments`.
        block: Whose Gram matrices; what geos have summed counts at the first.
        root_v: R with R'R = V.
        w: See the module.
    """
    d, scale = reduced.d, reduced.scale
    # The trace of a product is the sum of an elementwise one: no product of the
    # matrices themselves is needed.
    v_cov = gram_of_root(root_v, block.log_odds.size)
    with_v = (w.reshape(reduced.b.shape) @ v_cov).reshape(w.shape)  # - Cov(q, v)
    q_cov = _times(jnp.swapaxes(reduced.root, 1, 2), reduced.root)
    q_cov += _times(with_v, jnp.swapaxes(w, 1, 2))
    across = (block.cross * scale * with_v).sum(axis=2)
    own = (block.gram_local * d[:, None, :] * q_cov).sum(axis=2)
    of_v = (block.gram * scale[:, None] * scale * v_cov).sum(axis=(1, 2))
    spread = (d * (own - 2.0 * across)).sum(axis=1)
    return spread.at[: len(of_v)].add(of_v)


def _times(left: jax.Array, right: jax.Array) -> jax.Array:
    """Products of small matrices, one per geo: as a sum, which XLA fuses on CPU."""
    return (left[:, :, :, None] * right[:, None, :, :]).sum(axis=2)


#: A scale below this is none.
_SMALLEST = 1e-12


@jax.custom_jvp
def collapsed_log_likelihood(
    block: LinearBlock,
    residual: Float[Array, "geo time"],
    sigma: Float[Array, " geo"],
    local_scale: Float[Array, "geo h"],
    column_scale: Float[Array, " p"],
    rho: Float[Array, ""],
) -> Float[Array, ""]:
    r"""Log likelihood with the block integrated out.

    $-\tfrac12(k\,e'e + q'q + v'Pv) - \tfrac12\sum\log|S_g| - \tfrac12\log|Q|
    + \tfrac12\log|P| - n\log\sigma - \tfrac n2 \log 2\pi + \log|W|$

    Args:
        block: Designs and Gram matrices. They are data: nothing is differentiated with
            respect to them.
        residual: Scaled KPI less everything that is not in the block, less the
            block's offset; zero where a cell is held out.
        sigma: Scale of each geo's shocks: of its noise, where that has no memory.
        local_scale: Prior scale $D_g$ of the effects of one geo.
        column_scale: What the columns of F are multiplied by.
        rho: Share of the noise that goes on into the next period; counts for nothing
            in a block whose noise has no memory.

    References:
        Woodbury's identity, applied to the geos first and to v then; or
        `core.model.block.common_noise`.
    """
    at = at_memory(block, rho)
    arguments = (residual, sigma, local_scale, column_scale)
    if block.noise is not None:
        likelihood = likelihood_with_common_noise(
            at, residual, sigma[0], *arguments[2:]
        )
        return likelihood.value + _log_whitening(at)
    return _value(at, moments(at, *arguments), sigma)


def _log_whitening(block: LinearBlock) -> jax.Array | float:
    """Log |W|."""
    if block.rho is None:
        return 0.0
    return n_runs(block.is_seen) * jnp.log(shock_share(block.rho))


def _value(block: LinearBlock, conditional: Moments, sigma: jax.Array) -> jax.Array:
    squares = total(conditional.e**2) @ (1.0 / sigma**2)
    squares += (conditional.q**2).sum() + (block.precision * conditional.v**2).sum()
    normaliser = (block.n_cells * (jnp.log(sigma) + 0.5 * np.log(2 * np.pi))).sum()
    log_prior = 0.5 * jnp.log(block.precision).sum()
    log_prior += _log_whitening(block)
    log_prior += conditional.log_ratio
    return -0.5 * (squares + conditional.log_det) + log_prior - normaliser


@collapsed_log_likelihood.defjvp
def _derivative(primals, tangents):
    block, *arguments = primals
    # Value and slopes come from the same factors, so a gradient costs hardly more than
    # the density alone.
    of = _slopes if block.noise is None else _slopes_with_noise
    *arguments, rho = arguments
    at, slope = at_memory(block, rho), None
    by_rho = jnp.zeros_like(rho)
    if block.rho is not None:
        slope = memory_slope(block, rho)
        # Slope of log |W|, which the moments leave out.
        by_rho = -n_runs(block.is_seen) * rho / shock_share(rho) ** 2
    value, slopes = of(at, slope, *arguments)
    slopes = (*slopes[:-1], slopes[-1] + by_rho)
    tangent = sum(
        (slope * along).sum() for slope, along in zip(slopes, tangents[1:], strict=True)
    )
    return value, tangent


def _slopes(block, memory, residual, sigma, local_scale, column_scale):
    conditional = moments(block, residual, sigma, local_scale, column_scale, memory)
    second = block.precision * (conditional.v**2 + conditional.v_var)
    second = second + (1.0 - conditional.presence)
    slopes = (
        -transposed(conditional.e / sigma[:, None] ** 2, block.is_seen, block.rho),
        (conditional.squares - block.n_cells) / sigma,
        _by_scale(conditional.q**2 + conditional.q_var, local_scale),
        _by_scale(second, column_scale),
        conditional.rho,
    )
    return _value(block, conditional, sigma), slopes


def _slopes_with_noise(block, memory, residual, sigma, local_scale, column_scale):
    """The scales that geos or columns of the noise have in common: at the first."""
    likelihood = likelihood_with_common_noise(
        block, residual, sigma[0], local_scale, column_scale, memory
    )
    n_noise = block.noise.period.shape[1]
    place = block.shared.shape[1]
    own = jnp.concatenate([column_scale[:place], column_scale[place + n_noise :]])
    by_column = _by_scale(likelihood.second_v, own)
    noise = jnp.zeros(n_noise, own.dtype).at[0].set(likelihood.noise)
    slopes = (
        likelihood.residual,
        jnp.zeros_like(sigma).at[0].set(likelihood.sigma),
        _by_scale(likelihood.second_u, local_scale),
        jnp.concatenate([by_column[:place], noise, by_column[place:]]),
        likelihood.rho,
    )
    return likelihood.value + _log_whitening(block), slopes


def _by_scale(second_moment: jax.Array, scale: jax.Array) -> jax.Array:
    """Derivative with respect to the scales of coefficients of this second moment.

    Zero where the scale is: there the coefficient is nothing, whatever its sign.
    """
    is_free = scale > _SMALLEST
    # The inner `where` keeps the division finite: a NaN in the branch not taken would
    # still reach the gradient.
    return jnp.where(is_free, (second_moment - 1.0) / jnp.where(is_free, scale, 1.0), 0)
