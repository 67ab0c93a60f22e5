r"""The linear block: knots, geo effects and controls integrated out exactly.

Given media parameters and scales, the residual of geo g is

    r_g = F_g v + H_g u_g + e_g,   e_g ~ N(0, sigma_g^2 I)
    v ~ N(0, P^-1) shared by all geos,   u_g ~ N(0, D_g^2) of one geo

so v and u are marginalised analytically. Only Gram matrices of the designs are
needed, fixed by the data. Held-out cells are rows of zeros in F, H and r.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

from core.model.common_noise import CommonNoise, common_noise


class LinearBlock(NamedTuple):
    """Designs and Gram matrices.

    Attributes:
        shared: Columns of F that all geos share, time a.
        by_geo: Columns of F of each geo, geo b time; p = a + b.
        local: H, geo h time.
        gram: F'F, one matrix per geo (or their sum, where sigma is common).
        cross: H'F, geo h p.
        gram_local: H'H, geo h h.
        precision: Diagonal of P, p.
        offset: Prior mean of the block's part of the KPI, geo time.
        local_scale: Prior scale of u where it is fixed, else one; geo h.
        n_cells: Cells that are not held out, geo.
        is_seen: Zero where a cell is held out, geo time.
        noise: For the likelihood with the noise that geos have in common left out of F,
            where that is the cheaper way.
    """

    shared: jax.Array
    by_geo: jax.Array
    local: jax.Array
    gram: jax.Array
    cross: jax.Array
    gram_local: jax.Array
    precision: jax.Array
    offset: jax.Array
    local_scale: jax.Array
    n_cells: jax.Array
    is_seen: jax.Array
    noise: CommonNoise | None = None


class Designs(NamedTuple):
    """Designs before their Gram matrices are taken; see `LinearBlock`."""

    shared: np.ndarray
    by_geo: np.ndarray
    local: np.ndarray


def linear_block(
    designs: Designs,
    *,
    precision: np.ndarray,
    offset: np.ndarray,
    local_scale: np.ndarray,
    is_seen: np.ndarray,
    unique_sigma: bool,
    n_noise: int = 0,
) -> LinearBlock:
    """Designs with their Gram matrices, in float64.

    Args:
        designs: Columns of F and H, for every cell.
        precision: Diagonal of P, p.
        offset: Prior mean of the block's part of the KPI, geo time.
        local_scale: Prior scale of u where fixed, else one, geo h.
        is_seen: Zero where a cell is held out, geo time.
        unique_sigma: Whether each geo has its own residual scale.
        n_noise: Columns of the noise that geos have in common, the last of those that
            all geos share.
    """
    n_geos, n_times = is_seen.shape
    shared = np.broadcast_to(designs.shared, (n_geos, *designs.shared.shape))
    seen = is_seen[:, :, None]
    f = np.concatenate([shared, designs.by_geo], axis=2) * seen
    h = designs.local * seen
    gram = np.einsum("gtp,gtq->gpq", f, f)
    noise, n_local = None, n_geos * h.shape[2]
    if not unique_sigma and _pays(n_noise, f.shape[2] - n_noise, n_local):
        columns = slice(designs.shared.shape[1] - n_noise, designs.shared.shape[1])
        period = designs.shared[:, columns]
        noise = common_noise(np.delete(f, columns, axis=2), h, period, is_seen)
    return LinearBlock(
        shared=designs.shared,
        by_geo=np.moveaxis(designs.by_geo, 2, 1),
        local=np.moveaxis(designs.local, 2, 1),
        gram=gram if unique_sigma else gram.sum(axis=0, keepdims=True),
        cross=np.einsum("gth,gtp->ghp", h, f),
        gram_local=np.einsum("gth,gtk->ghk", h, h),
        precision=precision,
        offset=offset,
        local_scale=local_scale,
        n_cells=is_seen.sum(axis=1),
        is_seen=is_seen,
        noise=noise,
    )


def _pays(n_noise: int, p: int, n_local: int) -> bool:
    """Whether one matrix of all coefficients costs less than the geos first.

    Floating point operations of a gradient, in the largest terms of each.
    """
    at_once = 3 * (p + n_local) ** 3
    geos_first = 4 * n_local * (p + n_noise) ** 2 + 3 * (p + n_noise) ** 3
    return n_noise > 0 and at_once < geos_first


def scaled_columns(block: LinearBlock, scale: Float[Array, " p"]) -> LinearBlock:
    """The block with every column of F multiplied by a scale.

    A coefficient of prior scale s is one of unit scale on a column s times as large.
    """
    place = block.shared.shape[1]
    return block._replace(
        shared=block.shared * scale[:place],
        by_geo=block.by_geo * scale[place:, None],
        gram=block.gram * scale[:, None] * scale,
        cross=block.cross * scale,
    )


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
    weighted = residual * weight[:, None]
    f = jnp.concatenate(
        [
            weighted.sum(0) @ block.shared,
            jnp.einsum("gt,gbt->b", weighted, block.by_geo),
        ]
    )
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
        dh_r = d * jnp.einsum("ght,gt->gh", block.local, weighted)
        dh_f = block.cross * (d * weight[:, None])[:, :, None]
        both = solve_triangular(
            chol_local, jnp.concatenate([dh_f, dh_r[:, :, None]], 2), lower=True
        )
        b, z = both[:, :, :-1], both[:, :, -1]
        flat = b.reshape(-1, b.shape[2])
        q = q - flat.T @ flat
        f = f - flat.T @ z.reshape(-1)
    return _Elimination(chol_local, b, z, q, f)


class BlockDraw(NamedTuple):
    """One exact draw of the block given everything else.

    Attributes:
        shared: v less its prior mean, p.
        local: u, geo h.
        log_density: Its log density, where D is above zero.
    """

    shared: jax.Array
    local: jax.Array
    log_density: jax.Array


def conditional_draw(
    block: LinearBlock,
    residual: Float[Array, "geo time"],
    sigma: Float[Array, " geo"],
    local_scale: Float[Array, "geo h"],
    noise: tuple[Float[Array, " p"], Float[Array, "geo h"]],
) -> BlockDraw:
    r"""The block, drawn exactly.

    $v = Q^{-1}f + L_Q^{-\top}\epsilon_v$ and
    $u_g = D_g S_g^{-1} D_g H_g'(r_g - F_g v)/\sigma_g^2 + D_g L_g^{-\top}\epsilon_g$.

    Args:
        block: Designs and Gram matrices.
        residual: Scaled KPI less all that is not in the block, less the block's offset;
            zero where a cell is held out.
        sigma: Residual scale of each geo.
        local_scale: Prior scale of the effects of one geo.
        noise: Standard normal numbers $\epsilon_v$, $\epsilon_g$.
    """
    e = _eliminate(block, residual, sigma, local_scale)
    noise_v, noise_u = noise
    log_density = -0.5 * ((noise_v**2).sum() + (noise_u**2).sum())
    log_density -= 0.5 * np.log(2 * np.pi) * (noise_v.size + noise_u.size)
    v = jnp.zeros_like(noise_v)
    u = jnp.zeros_like(noise_u)
    if len(e.f):
        chol = jnp.linalg.cholesky(e.q)
        w = solve_triangular(chol, e.f, lower=True)
        v = solve_triangular(chol, w + noise_v, lower=True, trans="T")
        log_density += _log_diagonal(chol)
    if e.chol_local is not None:
        whitened = e.z - e.b @ v + noise_u
        u = local_scale * solve_triangular(
            e.chol_local, whitened[:, :, None], lower=True, trans="T"
        ).squeeze(-1)
        is_free = local_scale > 0
        log_scale = jnp.log(jnp.where(is_free, local_scale, 1.0)).sum()
        log_density += _log_diagonal(e.chol_local) - log_scale
        # Where D is zero the effect is fixed and its noise counts for nothing.
        fixed = jnp.where(is_free, 0.0, noise_u**2 + np.log(2 * np.pi)).sum()
        log_density += 0.5 * fixed
    return BlockDraw(v, u, log_density)


def _log_diagonal(chol: jax.Array) -> jax.Array:
    return jnp.log(jnp.diagonal(chol, axis1=-2, axis2=-1)).sum()
