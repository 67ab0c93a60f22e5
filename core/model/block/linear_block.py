r"""The linear block: knots, geo effects and controls integrated out exactly.

Given media parameters and scales, the residual of geo g is

    r_g = F_g v + H_g u_g + e_g,   e_g ~ N(0, sigma_g^2 I)
    v ~ N(0, P^-1) shared by all geos,   u_g ~ N(0, D_g^2) of one geo

so v and u are marginalised analytically. Only Gram matrices of the designs are
needed, fixed by the data. Held-out cells are rows of zeros in F, H and r.

Where the noise has memory (`core.model.block.memory`), its shocks are independent:
W r, W F and W H take the place of r, F and H, and the scale of a shock that of sigma.
The Gram matrices are sums of matrices that are data, weighted by what rho is.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.block import memory
from core.model.block.common_noise import CommonNoise, common_noise
from core.model.compiled.fusion import total


class LinearBlock(NamedTuple):
    """Designs and Gram matrices.

    Attributes:
        shared: Columns of F that all geos share, time a.
        shocks: Columns of F of the noise that geos have in common, time j.
        by_geo: Columns of F of each geo, geo b time; p = a + j + b.
        local: H, geo h time.
        gram: F'F, one matrix per geo (or their sum, where sigma is common). Where the
            noise has memory, all Gram matrices are `memory.Products` until `at_memory`
            adds them up.
        cross: H'F, geo h p.
        gram_local: H'H, geo h h.
        precision: Diagonal of P, p.
        offset: Prior mean of the block's part of the KPI, geo time.
        local_scale: Prior scale of u where it is fixed, else one; geo h.
        n_cells: Cells that are not held out, geo.
        is_seen: Zero where a cell is held out, geo time.
        log_odds: That the last columns of F, those that may be absent, are there, each
            row of them or none; K w, alike within a row.
        noise: For the likelihood with the noise that geos have in common left out of F,
            where that is the cheaper way.
        rho: Share of the noise that goes on into the next period; None for noise
            without memory.
    """

    shared: jax.Array
    shocks: jax.Array
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
    log_odds: jax.Array
    noise: CommonNoise | None = None
    rho: jax.Array | None = None


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
    has_memory: bool = False,
) -> LinearBlock:
    """Designs with their Gram matrices, in float64; every column is there.

    Args:
        designs: Columns of F and H, for every cell.
        precision: Diagonal of P, p.
        offset: Prior mean of the block's part of the KPI, geo time.
        local_scale: Prior scale of u where fixed, else one, geo h.
        is_seen: Zero where a cell is held out, geo time.
        unique_sigma: Whether each geo has its own residual scale.
        n_noise: Columns of the noise that geos have in common, the last of those that
            all geos share.
        has_memory: Whether noise goes on from one period to the next.
    """
    n_geos, n_shared = len(is_seen), designs.shared.shape[1] - n_noise
    # A view: shared columns are never copied per geo until they are multiplied.
    all_geos = np.broadcast_to(designs.shared, (n_geos, *designs.shared.shape))
    columns = np.concatenate([all_geos, designs.by_geo], axis=2)
    place = np.arange(columns.shape[2])
    is_shock = (place >= n_shared) & (place < n_shared + n_noise)
    f = _parts(columns, is_seen, is_shock, has_memory)
    h = _parts(designs.local, is_seen, np.zeros(1, bool), has_memory)
    shared, shocks = np.split(designs.shared, [n_shared], axis=1)
    noise, n_local = None, n_geos * designs.local.shape[2]
    # With scales of their own, periods have no common eigenvectors.
    if not unique_sigma and _pays(n_noise, len(place) - n_noise, n_local):
        regular = [part[:, :, ~is_shock] for part in f]
        noise = common_noise(regular, h, shocks, is_seen)
    return LinearBlock(
        shared=shared,
        shocks=shocks,
        by_geo=np.moveaxis(designs.by_geo, 2, 1),
        local=np.moveaxis(designs.local, 2, 1),
        gram=_gram(f, f, of_all=not unique_sigma),
        cross=_gram(h, f),
        gram_local=_gram(h, h),
        precision=precision,
        offset=offset,
        local_scale=local_scale,
        n_cells=is_seen.sum(axis=1),
        is_seen=is_seen,
        log_odds=np.zeros((0, 1)),
        noise=noise,
        # None rather than zero: without memory nothing of it is compiled.
        rho=np.zeros(()) if has_memory else None,
    )


def _parts(columns, is_seen, is_shock, has_memory: bool) -> list[np.ndarray]:
    """A design whose Gram matrices are taken: in parts, where noise has memory."""
    if has_memory:
        return memory.parts(columns, is_seen, is_shock)
    return [columns * is_seen[:, :, None]]


def _gram(
    left: list[np.ndarray], right: list[np.ndarray], *, of_all: bool = False
) -> np.ndarray | memory.Products:
    """Products of two designs, per geo or of all geos; geo column column."""

    def product(design, other):
        if of_all:
            return np.tensordot(design, other, ((0, 1), (0, 1)))[None]
        return np.swapaxes(design, 1, 2) @ other

    if len(left) == 1:
        return product(left[0], right[0])
    return memory.products(product, left, right)


def at_memory(block: LinearBlock, rho: Float[Array, ""]) -> LinearBlock:
    """The block where so much of the noise goes on; as it is where it has no memory."""
    if block.rho is None:
        return block
    return _added_up(block, memory.weights(rho))._replace(rho=rho)


def memory_slope(block: LinearBlock, rho: Float[Array, ""]) -> LinearBlock:
    """Derivatives of the Gram matrices of `at_memory` with respect to rho."""
    return _added_up(block, memory.weight_slopes(rho))


def _added_up(block: LinearBlock, weights: jax.Array) -> LinearBlock:
    noise = block.noise
    if noise is not None:
        noise = noise._replace(
            between=memory.added_up(noise.between, weights),
            within=memory.added_up(noise.within, weights),
        )
    return block._replace(
        gram=memory.added_up(block.gram, weights),
        cross=memory.added_up(block.cross, weights),
        gram_local=memory.added_up(block.gram_local, weights),
        noise=noise,
    )


def along(
    block: LinearBlock, shocks: Float[Array, "geo time"]
) -> tuple[Float[Array, " p"], Float[Array, "geo h"]]:
    """(W F)' s, summed over geos, and (W H)' s."""
    of_cells = memory.transposed(shocks, block.is_seen, block.rho)
    parts = (
        of_cells.sum(axis=0) @ block.shared,
        shocks.sum(axis=0) @ block.shocks,
        total(block.by_geo * of_cells[:, None, :]).sum(axis=0),
    )
    return jnp.concatenate(parts), total(block.local * of_cells[:, None, :])


def _pays(n_noise: int, p: int, n_local: int) -> bool:
    """Whether one matrix of all coefficients costs less than the geos first.

    Floating point operations of a gradient, in the largest terms of each.
    """
    # Factor, inverse and covariance are a cube each; eliminating geos first is cheap
    # until the columns of the noise, one a period, are among those that stay.
    at_once = 3 * (p + n_local) ** 3
    geos_first = 4 * n_local * (p + n_noise) ** 2 + 3 * (p + n_noise) ** 3
    return n_noise > 0 and at_once < geos_first


def scaled_columns(block: LinearBlock, scale: Float[Array, " p"]) -> LinearBlock:
    """The block with every column of F multiplied by a scale.

    A coefficient of prior scale s is one of unit scale on a column s times as large.
    """
    n_shared = block.shared.shape[1]
    place = n_shared + block.shocks.shape[1]
    return block._replace(
        shared=block.shared * scale[:n_shared],
        shocks=block.shocks * scale[n_shared:place],
        by_geo=block.by_geo * scale[place:, None],
        gram=block.gram * scale[:, None] * scale,
        cross=block.cross * scale,
    )
