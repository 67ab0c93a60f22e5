"""An exact draw of the linear block given everything else."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

from core.model.block import memory
from core.model.block.linear_block import LinearBlock, along
from core.model.block.patterns import pattern_draw


class _Elimination(NamedTuple):
    """Factors of the block's posterior given everything else."""

    chol_local: jax.Array | None  # L_g, geo h h
    b: jax.Array | None  # L_g^-1 D_g H_g'F_g / sigma_g^2, geo h p
    z: jax.Array | None  # L_g^-1 D_g H_g'r_g / sigma_g^2, geo h
    q: jax.Array  # Q, p p
    f: jax.Array  # p


def _eliminate(
    block: LinearBlock,
    residual: Float[Array, "geo time"],
    sigma: Float[Array, " geo"],
    local_scale: Float[Array, "geo h"],
) -> _Elimination:
    weight = 1.0 / sigma**2
    shocks = memory.shocks_of(residual, block.is_seen, block.rho)
    f, h_r = along(block, shocks * weight[:, None])
    if block.gram.shape[0] == 1:
        q = block.gram[0] * weight[0]
    else:
        q = jnp.einsum("gpq,g->pq", block.gram, weight)
    q = q + jnp.diag(block.precision)
    chol_local = b = z = None
    if local_scale.shape[1]:
        d = local_scale
        s = block.gram_local * (d[:, :, None] * d[:, None, :] * weight[:, None, None])
        chol_local = jnp.linalg.cholesky(s + jnp.eye(d.shape[1], dtype=s.dtype))
        dh_r = d * h_r
        dh_f = block.cross * (d * weight[:, None])[:, :, None]
        # One solve for both right-hand sides: the factor is read once.
        both = solve_triangular(
            chol_local, jnp.concatenate([dh_f, dh_r[:, :, None]], 2), lower=True
        )
        b, z = both[:, :, :-1], both[:, :, -1]
        # The Schur complement: what the effects of geos explain is taken off v's
        # precision.
        flat = b.reshape(-1, b.shape[2])
        q = q - flat.T @ flat
        f = f - flat.T @ z.reshape(-1)
    return _Elimination(chol_local, b, z, q, f)


class BlockDraw(NamedTuple):
    """One exact draw of the block given everything else.

    Attributes:
        shared: v less its prior mean, p.
        local: u, geo h.
        present: Whether each column that may be absent is there; K.
        log_density: Its log density, where D is above zero; with the log probability
            of the columns that are there, and without the coefficients of those that
            are not.
    """

    shared: jax.Array
    local: jax.Array
    present: jax.Array
    log_density: jax.Array


#: Standard normal numbers for v and u, and one between zero and one for the pattern.
Noise = tuple[Float[Array, " p"], Float[Array, "geo h"], Float[Array, ""]]


def conditional_draw(
    block: LinearBlock,
    residual: Float[Array, "geo time"],
    sigma: Float[Array, " geo"],
    local_scale: Float[Array, "geo h"],
    noise: Noise,
) -> BlockDraw:
    r"""The block, drawn exactly.

    $v = Q^{-1}f + L_Q^{-\top}\epsilon_v$ and
    $u_g = D_g S_g^{-1} D_g H_g'(r_g - F_g v)/\sigma_g^2 + D_g L_g^{-\top}\epsilon_g$.

    Args:
        block: Designs and Gram matrices, added up (`at_memory`).
        residual: Scaled KPI less all that is not in the block, less the block's offset;
            zero where a cell is held out.
        sigma: Scale of each geo's shocks: of its noise, where that has no memory.
        local_scale: Prior scale of the effects of one geo.
        noise: $\epsilon_v$, $\epsilon_g$, and which pattern of columns is there.
    """
    e = _eliminate(block, residual, sigma, local_scale)
    noise_v, noise_u, share = noise
    log_density = -0.5 * ((noise_v**2).sum() + (noise_u**2).sum())
    log_density -= 0.5 * np.log(2 * np.pi) * (noise_v.size + noise_u.size)
    v = jnp.zeros_like(noise_v)
    u = jnp.zeros_like(noise_u)
    n, present = block.log_odds.size, jnp.zeros_like(block.log_odds[:, 0])
    if len(e.f):
        chol = jnp.linalg.cholesky(e.q)
        # Mean and noise share the second solve: L^-T (L^-1 f + eps) has mean Q^-1 f and
        # covariance Q^-1.
        w = solve_triangular(chol, e.f, lower=True)
        whitened = w + noise_v
        log_density += _log_diagonal(chol)
        if n:
            own = chol[-n:, -n:]
            candidates = pattern_draw(
                own, w[-n:], block.log_odds, (noise_v[-n:], share)
            )
            # The last to be eliminated: all others are drawn given them.
            whitened = whitened.at[-n:].set(own.T @ candidates.coefficients)
            present = candidates.present
            log_density += candidates.log_density - _log_diagonal(own)
            log_density += 0.5 * (noise_v[-n:] ** 2 + np.log(2 * np.pi)).sum()
        v = solve_triangular(chol, whitened, lower=True, trans="T")
        if n:  # exactly zero where it is not there
            v = v.at[-n:].set(candidates.coefficients)
    if e.chol_local is not None:
        whitened = e.z - e.b @ v + noise_u
        u = local_scale * solve_triangular(
            e.chol_local, whitened[:, :, None], lower=True, trans="T"
        ).squeeze(-1)
        is_free = local_scale > 0
        # From the density of q to that of u = D q.
        log_scale = jnp.log(jnp.where(is_free, local_scale, 1.0)).sum()
        log_density += _log_diagonal(e.chol_local) - log_scale
        # Where D is zero the effect is fixed and its noise counts for nothing.
        fixed = jnp.where(is_free, 0.0, noise_u**2 + np.log(2 * np.pi)).sum()
        log_density += 0.5 * fixed
    return BlockDraw(v, u, present, log_density)


def _log_diagonal(chol: jax.Array) -> jax.Array:
    return jnp.log(jnp.diagonal(chol, axis1=-2, axis2=-1)).sum()
