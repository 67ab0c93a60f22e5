r"""The likelihood with the linear block integrated out, and its derivative.

With u = D q, q ~ N(0, I), the residual of geo g is r = F v + H D q + e. Given the
residual, v and q are Normal. With k = 1 / sigma^2 and C = H'F, G = H'H of the geo:

    S = I + k D G D          L = chol(S)
    B = L^-1 k D C           z = L^-1 k D H'r
    Q = P + sum k F'F - sum B'B      f = sum k F'r - sum B'z
    E v = Q^-1 f             Cov v = V = Q^-1
    E q = L^-T (z - B E v)   Cov q = S^-1 + W V W',   W = L^-T B,   Cov(q, v) = -W V

and the quadratic form of the residual is that of the joint density at its mode,
k e'e + E q'E q + E v' P E v with e = r - F E v - H D E q: a sum of squares, which keeps
its digits in float32 where r'r less what the block explains does not.

The derivative is the expected derivative of the joint density (Fisher's identity),
so that nothing is differentiated through a factorisation.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.linear_block import LinearBlock
from core.model.triangular import inverse_of_lower, root_of_inverse


class _Moments(NamedTuple):
    """What is known of v and q given the residual."""

    v: jax.Array  # E v, p
    q: jax.Array  # E q, geo h
    e: jax.Array  # what is left of the residual, geo time
    v_cov: jax.Array  # V, p p
    w: jax.Array  # geo h p
    s_inverse: jax.Array  # geo h h
    log_det: jax.Array  # log |Q| + sum log |S|


@jax.custom_jvp
def collapsed_log_likelihood(
    block: LinearBlock,
    residual: Float[Array, "geo time"],
    sigma: Float[Array, " geo"],
    local_scale: Float[Array, "geo h"],
    column_scale: Float[Array, " a"],
) -> Float[Array, ""]:
    r"""Log likelihood with the block integrated out.

    $-\tfrac12(k\,e'e + q'q + v'Pv) - \tfrac12\sum\log|S_g| - \tfrac12\log|Q|
    + \tfrac12\log|P| - n\log\sigma - \tfrac n2 \log 2\pi$

    Args:
        block: Designs and Gram matrices. They are data: nothing is differentiated with
            respect to them.
        residual: Scaled KPI less everything that is not in the block, less the
            block's offset; zero where a cell is held out.
        sigma: Residual scale of each geo.
        local_scale: Prior scale $D_g$ of the effects of one geo.
        column_scale: What the columns of F that all geos share are multiplied by.

    References:
        Woodbury's identity, applied to the geos first and to v then.
    """
    found = _moments(block, residual, sigma, local_scale, column_scale)
    return _value(block, found, sigma)


def _value(block: LinearBlock, found: _Moments, sigma: jax.Array) -> jax.Array:
    squares = (found.e**2).sum(axis=1) @ (1.0 / sigma**2)
    squares += (found.q**2).sum() + (block.precision * found.v**2).sum()
    normaliser = (block.n_cells * (jnp.log(sigma) + 0.5 * np.log(2 * np.pi))).sum()
    log_prior = 0.5 * jnp.log(block.precision).sum()
    return -0.5 * (squares + found.log_det) + log_prior - normaliser


def _moments(block, residual, sigma, local_scale, column_scale) -> _Moments:
    k = 1.0 / sigma**2
    scale = _all_columns(block, column_scale)
    weighted = residual * k[:, None]
    shared = weighted.sum(axis=0) @ block.shared
    f = jnp.concatenate(
        [shared, (block.by_geo * weighted[:, None, :]).sum(axis=(0, 2))]
    )
    f = f * scale
    if block.gram.shape[0] == 1:
        gram = block.gram[0] * k[0]
    else:
        gram = jnp.einsum("gpq,g->pq", block.gram, k)
    q = gram * scale[:, None] * scale + jnp.diag(block.precision)
    n_geos, h = local_scale.shape
    d = local_scale
    s = block.gram_local * (d[:, :, None] * d[:, None, :] * k[:, None, None])
    root, log_det = root_of_inverse(s + jnp.eye(h, dtype=s.dtype))  # L^-1
    to_q = root * (d * k[:, None])[:, None, :]  # L^-1 k D
    b = _times(to_q, block.cross * scale)
    z = (to_q * _along(block.local, residual)[:, None, :]).sum(axis=2)
    flat = b.reshape(n_geos * h, len(f))
    chol_q = jnp.linalg.cholesky(q - flat.T @ flat, symmetrize_input=False)
    root_q = inverse_of_lower(chol_q)
    v = root_q.T @ (root_q @ (f - flat.T @ z.reshape(-1)))
    mean = (root * (z - b @ v)[:, :, None]).sum(axis=1)
    log_det += 2.0 * jnp.log(jnp.diagonal(chol_q)).sum()
    return _Moments(
        v=v,
        q=mean,
        e=_left(block, residual, v * scale, mean * d),
        v_cov=root_q.T @ root_q,
        w=_times(jnp.swapaxes(root, 1, 2), b),
        s_inverse=_times(jnp.swapaxes(root, 1, 2), root),
        log_det=log_det,
    )


def _all_columns(block: LinearBlock, column_scale: jax.Array) -> jax.Array:
    """The scale of every column of F, p."""
    own = jnp.ones(block.by_geo.shape[1], column_scale.dtype)
    return jnp.concatenate([column_scale, own])


def _left(block: LinearBlock, residual, v: jax.Array, u: jax.Array) -> jax.Array:
    """What v and u leave of the residual, zero where held out; geo time."""
    n_shared = block.shared.shape[1]
    explained = (block.shared @ v[:n_shared])[None, :]
    explained = explained + (block.by_geo * v[n_shared:, None]).sum(axis=1)
    explained = explained + (block.local * u[:, :, None]).sum(axis=1)
    return residual - explained * block.is_seen


def _along(columns: jax.Array, values: jax.Array) -> jax.Array:
    """Each geo's columns times its values, summed over time; geo h."""
    return (columns * values[:, None, :]).sum(axis=2)


def _times(left: jax.Array, right: jax.Array) -> jax.Array:
    """Products of small matrices, one per geo: as a sum, which XLA fuses on CPU."""
    return (left[:, :, :, None] * right[:, None, :, :]).sum(axis=2)


@collapsed_log_likelihood.defjvp
def _derivative(primals, tangents):
    block, residual, sigma, local_scale, column_scale = primals
    found = _moments(*primals)
    d, scale = local_scale, _all_columns(block, column_scale)
    k = 1.0 / sigma**2
    flat = found.w.reshape(-1, len(found.v))
    with_v = (flat @ found.v_cov).reshape(found.w.shape)  # - Cov(q, v), geo h p
    q_cov = found.s_inverse + _times(with_v, jnp.swapaxes(found.w, 1, 2))
    # E q_j h_j'(r - F v - H D q): the means' part, then the covariances'.
    of_h = _along(block.local, found.e)
    along = (block.cross * scale * with_v).sum(axis=2)
    own = (block.gram_local * d[:, None, :] * q_cov).sum(axis=2)
    by_d = k[:, None] * (found.q * of_h + along - own)
    # E |r - F v - H D q|^2, geo.
    gram = (block.gram * scale[:, None] * scale * found.v_cov).sum(axis=(1, 2))
    if gram.shape[0] != len(k):  # common to all geos: counted once
        gram = jnp.zeros_like(k).at[0].set(gram[0])
    squares = (found.e**2).sum(axis=1) + gram
    squares += (d * (own - 2.0 * along)).sum(axis=1)
    by_sigma = squares / sigma**3 - block.n_cells / sigma
    by_residual = -k[:, None] * found.e
    tangent = (by_residual * tangents[1]).sum() + (by_sigma * tangents[2]).sum()
    tangent += (by_d * tangents[3]).sum()
    n_shared = len(column_scale)
    if n_shared:
        weighted = (found.e * k[:, None]).sum(axis=0) @ block.shared
        total = block.gram[0] * k[0]
        if block.gram.shape[0] > 1:
            total = jnp.einsum("gpq,g->pq", block.gram, k)
        spread = ((total * scale) * found.v_cov).sum(axis=1)[:n_shared]
        both = (block.cross * with_v * (d * k[:, None])[:, :, None]).sum(axis=(0, 1))
        by_scale = found.v[:n_shared] * weighted - spread + both[:n_shared]
        tangent += (by_scale * tangents[4]).sum()
    return _value(block, found, sigma), tangent
