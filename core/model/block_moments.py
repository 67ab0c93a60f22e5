r"""What is known of the linear block given the residual: means, variances, determinant.

With u = D q, q ~ N(0, I), the residual of geo g is r = F v + H D q + e. Given the
residual, v and q are Normal. With k = 1 / sigma^2 and C = H'F, G = H'H of the geo:

    S = I + k D G D          L = chol(S)
    B = L^-1 k D C           z = L^-1 k D H'r
    Q = P + sum k F'F - sum B'B      f = sum k F'r - sum B'z
    E v = Q^-1 f             Cov v = V = Q^-1
    E q = L^-T (z - B E v)   Cov q = S^-1 + W V W',   W = L^-T B,   Cov(q, v) = -W V
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from core.model.linear_block import LinearBlock
from core.model.triangular import root_and_log_det, root_of_inverse


class Moments(NamedTuple):
    """What is known of v and q given the residual.

    Attributes:
        v: E v, p.
        v_var: Var v, p.
        q: E q, geo h.
        q_var: Var q, geo h.
        e: What the means leave of the residual, geo time.
        squares: k E |r - F v - H D q|^2, geo; where all geos share sigma only the sum
            is meant.
        log_det: Log determinant of the precision of v and q.
    """

    v: jax.Array
    v_var: jax.Array
    q: jax.Array
    q_var: jax.Array
    e: jax.Array
    squares: jax.Array
    log_det: jax.Array


class _Given(NamedTuple):
    """The block and the numbers it is given, and what every order begins with."""

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
) -> Moments:
    """Moments of v and q; arguments as of `collapsed_log_likelihood`.

    The effects of each geo are eliminated first, then v as a whole.
    """
    given = _given(block, residual, 1.0 / sigma**2, local_scale, column_scale)
    k, scale = given.k, given.scale
    gram = jnp.einsum("gpq,g->pq", block.gram, k[: len(block.gram)])
    gram = gram * scale[:, None] * scale
    precision = jnp.diag(block.precision) + gram - given.b.T @ given.b
    root_v, log_det = root_and_log_det(precision)
    v = root_v.T @ (root_v @ (given.f - given.b.T @ given.z))
    shape = given.d.shape
    q = (given.root * (given.z - given.b @ v).reshape(*shape, 1)).sum(axis=1)
    b = given.b.reshape(*shape, len(scale))
    w = _times(jnp.swapaxes(given.root, 1, 2), b)
    spread = (w.reshape(given.b.shape) @ root_v.T).reshape(b.shape)
    v_var = (root_v**2).sum(axis=0)
    q_var = (given.root**2).sum(axis=1) + (spread**2).sum(axis=2)
    e = _left(given, v, q)
    if len(block.gram) == 1:
        squares = _squares(given, e, v_var, q_var)
    else:
        squares = _squares_by_geo(given, e, root_v, w)
    return Moments(v, v_var, q, q_var, e, squares, given.log_det + log_det)


def _given(block, residual, k, d, column_scale) -> _Given:
    scale = column_scale
    weighted = residual * k[:, None]
    shared = weighted.sum(axis=0) @ block.shared
    by_geo = (block.by_geo * weighted[:, None, :]).sum(axis=(0, 2))
    s = block.gram_local * (d[:, :, None] * d[:, None, :] * k[:, None, None])
    s = s + jnp.eye(d.shape[1], dtype=s.dtype)
    root, log_det = root_of_inverse(s)
    to_q = root * (d * k[:, None])[:, None, :]  # L^-1 k D
    along = (block.local * residual[:, None, :]).sum(axis=2)
    return _Given(
        block=block,
        residual=residual,
        k=k,
        d=d,
        scale=scale,
        f=jnp.concatenate([shared, by_geo]) * scale,
        root=root,
        b=_times(to_q, block.cross * scale).reshape(d.size, len(scale)),
        z=(to_q * along[:, None, :]).sum(axis=2).reshape(d.size),
        log_det=log_det,
    )


def _left(given: _Given, v: jax.Array, q: jax.Array) -> jax.Array:
    """What v and q leave of the residual, zero where held out; geo time."""
    block, v = given.block, v * given.scale
    n_shared = block.shared.shape[1]
    explained = (block.shared @ v[:n_shared])[None, :]
    explained = explained + (block.by_geo * v[n_shared:, None]).sum(axis=1)
    explained = explained + (block.local * (q * given.d)[:, :, None]).sum(axis=1)
    return given.residual - explained * block.is_seen


def _squares(given: _Given, e, v_var, q_var) -> jax.Array:
    """The sum over geos, at the first: what the data know is what the prior does not.

    The information of the data is that of the posterior less that of the prior, so the
    trace of its product with the covariance is the number of coefficients less the sum
    of their variances in units of the prior's.
    """
    known = (1.0 - given.block.precision * v_var).sum() + (1.0 - q_var).sum()
    return ((e**2).sum(axis=1) * given.k).at[0].add(known)


def _squares_by_geo(given: _Given, e, root_v, w) -> jax.Array:
    """With the trace of the covariance of F v + H D q at the cells of each geo."""
    block, d, scale = given.block, given.d, given.scale
    v_cov = root_v.T @ root_v
    with_v = (w.reshape(given.b.shape) @ v_cov).reshape(w.shape)  # - Cov(q, v)
    q_cov = _times(jnp.swapaxes(given.root, 1, 2), given.root)
    q_cov += _times(with_v, jnp.swapaxes(w, 1, 2))
    along = (block.cross * scale * with_v).sum(axis=2)
    own = (block.gram_local * d[:, None, :] * q_cov).sum(axis=2)
    spread = (block.gram * scale[:, None] * scale * v_cov).sum(axis=(1, 2))
    spread += (d * (own - 2.0 * along)).sum(axis=1)
    return given.k * ((e**2).sum(axis=1) + spread)


def _times(left: jax.Array, right: jax.Array) -> jax.Array:
    """Products of small matrices, one per geo: as a sum, which XLA fuses on CPU."""
    return (left[:, :, :, None] * right[:, None, :, :]).sum(axis=2)
