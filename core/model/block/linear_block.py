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

from collections.abc import Callable
from typing import Any, NamedTuple

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
    n_shared = designs.shared.shape[1] - n_noise
    shared, shocks = np.split(designs.shared, [n_shared], axis=1)
    is_shock = np.arange(designs.shared.shape[1]) >= n_shared
    f = _columns(designs, is_seen, is_shock, has_memory)
    h = _parts(designs.local, is_seen, np.zeros(1, bool), has_memory)
    noise, n_local = None, len(is_seen) * designs.local.shape[2]
    n_regular = n_shared + designs.by_geo.shape[2]
    # With scales of their own, periods have no common eigenvectors.
    if not unique_sigma and _pays(n_noise, n_regular, n_local):
        regular = [part.by_geo(~is_shock) for part in f]
        noise = common_noise(regular, h, shocks, is_seen)
    return LinearBlock(
        shared=shared,
        shocks=shocks,
        by_geo=np.moveaxis(designs.by_geo, 2, 1),
        local=np.moveaxis(designs.local, 2, 1),
        gram=_gram(_Columns.of_each if unique_sigma else _Columns.of_all, f, f),
        cross=_gram(_Columns.with_local, f, h),
        gram_local=_gram(_each, h, h),
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


class _Columns(NamedTuple):
    """A design, or a part of it, without copying for each geo what all share.

    Attributes:
        shared: Columns that all geos share, once for each pattern of held-out cells;
            pattern time s.
        own: Columns of each geo, geo time b.
        pattern: That of each geo.
    """

    shared: np.ndarray
    own: np.ndarray
    pattern: np.ndarray

    def of_all(self, other: "_Columns") -> np.ndarray:
        """Products of the columns, added up over all geos; 1 p p."""
        n_geos = np.bincount(self.pattern)[:, None, None]
        mine, theirs = self._sums(), other._sums()
        both = np.block(
            [
                [
                    _added(n_geos * self.shared, other.shared),
                    _added(self.shared, theirs),
                ],
                [_added(mine, other.shared), _added(self.own, other.own)],
            ]
        )
        return both[None]

    def of_each(self, other: "_Columns") -> np.ndarray:
        """Products of the columns of each geo; geo p p."""
        alike = np.swapaxes(self.shared, 1, 2) @ other.shared
        upper = [alike[self.pattern], other._with(self.shared)]
        lower = [
            np.swapaxes(self._with(other.shared), 1, 2),
            _each(self.own, other.own),
        ]
        return np.concatenate(
            [np.concatenate(upper, axis=2), np.concatenate(lower, axis=2)], axis=1
        )

    def with_local(self, local: np.ndarray) -> np.ndarray:
        """Products of columns of single geos, geo time h, with these; geo h p."""
        alike = self._replace(own=local)._with(self.shared)
        return np.concatenate(
            [np.swapaxes(alike, 1, 2), _each(local, self.own)], axis=2
        )

    def by_geo(self, is_kept: np.ndarray) -> np.ndarray:
        """All columns but some that geos share, copied for each; geo time p."""
        shared = self.shared[:, :, is_kept][self.pattern]
        return np.concatenate([shared, self.own], axis=2)

    def _sums(self) -> np.ndarray:
        """The columns of single geos, added up by pattern; pattern time b."""
        of_pattern = np.arange(len(self.shared))[:, None] == self.pattern
        return np.tensordot(of_pattern.astype(float), self.own, 1)

    def _with(self, shared: np.ndarray) -> np.ndarray:
        """Products of shared columns with the own ones of each geo; geo s b."""
        result = np.empty((len(self.own), shared.shape[2], self.own.shape[2]))
        for place, columns in enumerate(shared):
            is_there = self.pattern == place
            result[is_there] = columns.T @ self.own[is_there]
        return result


def _added(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.tensordot(one, other, ((0, 1), (0, 1)))


def _each(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.swapaxes(one, 1, 2) @ other


def _columns(
    designs: Designs, is_seen: np.ndarray, is_shock: np.ndarray, has_memory: bool
) -> list[_Columns]:
    """F, in parts where noise has memory; see `linear_block`."""
    patterns, pattern = np.unique(is_seen, axis=0, return_inverse=True)
    alike = np.broadcast_to(designs.shared, (len(patterns), *designs.shared.shape))
    shared = _parts(alike, patterns, is_shock, has_memory)
    own = _parts(designs.by_geo, is_seen, np.zeros(1, bool), has_memory)
    return [_Columns(*each, pattern.ravel()) for each in zip(shared, own, strict=True)]


def _gram(
    product: Callable[[Any, Any], np.ndarray], left: list[Any], right: list[Any]
) -> np.ndarray | memory.Products:
    """Products of two designs."""
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
