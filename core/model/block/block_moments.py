r"""What is known of the linear block given the residual: means, variances, determinant.

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

from core.model.block.linear_block import LinearBlock, along
from core.model.block.memory import shocks_of, slope_of_shocks
from core.model.block.patterns import mixture
from core.model.block.triangular import root_and_log_det, root_of_inverse


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
    known, log_ratio, presence = 0.0, 0.0, jnp.ones_like(v)
    if n := len(block.log_odds):
        mixed = mixture(root_v[-n:, -n:], v[-n:], block.log_odds)
        # What is given the candidates stays as it is: only their rows of the root, and
        # the means by what the candidates' do, are others.
        v = v + root_v[-n:].T @ mixed.shift
        root_v = jnp.concatenate([root_v[:-n], mixed.root @ root_v[-n:]])
        presence = jnp.concatenate([presence[:-n], mixed.presence])
        known, log_ratio = mixed.known, mixed.log_ratio + 0.5 * mixed.squares
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
        squares = _squares(reduced, e, v_var, q_var).at[0].add(known)
    else:
        squares = reduced.k * ((e**2).sum(axis=1) + _spread(reduced, block, root_v, w))
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
    known = (1.0 - reduced.block.precision * v_var).sum() + (1.0 - q_var).sum()
    return ((e**2).sum(axis=1) * reduced.k).at[0].add(known)


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
    v_cov = root_v.T @ root_v
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
