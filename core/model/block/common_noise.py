r"""The linear block where geos have noise in common, which is never a coefficient.

Cells that share a draw of the noise, those of a period, have the covariance
sigma^2 I + xi^2 1 1'. Its eigenvectors do not depend on sigma and xi: the mean of the
cells has variance sigma^2 / n + xi^2, deviations from it have variance sigma^2. So the
precision of all coefficients together, b = (D^-1 u, v), scaled by s, is

    A = diag(I, P) + s s' (k W + sum_n kappa_n B_n),   kappa_n = 1 / (sigma^2 + n xi^2)

with k = 1 / sigma^2 and the Gram matrices of the designs within and between periods of
n cells, which are data. It has as many rows as there are coefficients, however many
periods there are, and nothing is subtracted that float32 would not keep.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from core.model.block import memory
from core.model.block.patterns import mixture
from core.model.block.triangular import PartedRoot, parted_root
from core.model.compiled.fusion import total


class CommonNoise(NamedTuple):
    """Gram matrices within and between the periods, for periods of each size.

    Attributes:
        period: One where a time belongs to a period of the noise, time period.
        is_size: One where a period has this number of cells, size period.
        size: Numbers of cells that occur, size.
        within: W, coefficient coefficient.
        between: B_n, size coefficient coefficient.
    """

    period: jax.Array
    is_size: jax.Array
    size: jax.Array
    within: jax.Array
    between: jax.Array


class LikelihoodAndSlopes(NamedTuple):
    """The log likelihood, and its slopes along its arguments."""

    value: jax.Array
    residual: jax.Array  # geo time
    sigma: jax.Array
    noise: jax.Array  # xi
    second_v: jax.Array  # P E v^2, p
    second_u: jax.Array  # E (u / D)^2, geo h
    rho: jax.Array | float  # but that of log |W|; zero where not asked for


def common_noise(
    f: list[np.ndarray], h: list[np.ndarray], period: np.ndarray, is_seen: np.ndarray
) -> CommonNoise:
    """Gram matrices, in float64.

    Args:
        f: Columns of F but those of the noise, zero where a cell is held out; geo time
            p. One design, or its parts where noise has memory.
        h: Columns of H, likewise; geo time h.
        period: See `CommonNoise`.
        is_seen: Zero where a cell is held out, geo time.
    """
    # Whole numbers, so that periods of the same size compare equal after a product.
    n_cells = np.rint(is_seen.sum(axis=0) @ period)
    # Periods differ only by their number of cells, so their Gram matrices can be summed
    # by it: few matrices, however many periods.
    size = np.unique(n_cells[n_cells > 0])
    is_size = (n_cells == size[:, None]).astype(float)
    sums = [_sums(of_f, of_h, period) for of_f, of_h in zip(f, h, strict=True)]

    def between(first: np.ndarray, other: np.ndarray) -> np.ndarray:
        weights = is_size / size[:, None]
        return np.stack([first.T @ (each[:, None] * other) for each in weights])

    def within(part: tuple, other: tuple) -> np.ndarray:
        gram = _gram(part[0], other[0], part[1], other[1])
        return gram - between(part[2], other[2]).sum(axis=0)

    all_parts = list(zip(f, h, sums, strict=True))
    if len(f) == 1:
        grams = between(sums[0], sums[0]), within(all_parts[0], all_parts[0])
    else:
        grams = (
            memory.products(between, sums, sums),
            memory.products(within, all_parts, all_parts),
        )
    return CommonNoise(period, is_size, size, within=grams[1], between=grams[0])


def _sums(f: np.ndarray, h: np.ndarray, period: np.ndarray) -> np.ndarray:
    """Sums of the columns over the cells of each period; period coefficient."""
    of_geos = np.tensordot(period, h, ((0,), (1,))).reshape(period.shape[1], -1)
    return np.concatenate([of_geos, period.T @ f.sum(axis=0)], axis=1)


def _gram(f: np.ndarray, f_: np.ndarray, h: np.ndarray, h_: np.ndarray) -> np.ndarray:
    """Products of two parts of all columns: those of each geo first, then F's."""
    n_geos, _, n_local = h.shape
    n = n_geos * n_local
    gram = np.zeros((n + f.shape[2], n + f.shape[2]))
    gram[n:, n:] = np.tensordot(f, f_, ((0, 1), (0, 1)))
    for geo in range(n_geos):
        own = slice(geo * n_local, (geo + 1) * n_local)
        gram[own, own] = h[geo].T @ h_[geo]
        gram[own, n:] = h[geo].T @ f_[geo]
        gram[n:, own] = f[geo].T @ h_[geo]
    return gram


def likelihood_with_common_noise(
    block,
    residual: jax.Array,
    sigma: jax.Array,
    d: jax.Array,
    column_scale: jax.Array,
    slopes=None,
) -> LikelihoodAndSlopes:
    """Log likelihood, but log |W|, and its slopes; see `collapsed_log_likelihood`.

    Args:
        block: With `noise`, at a rho where it has memory.
        residual: Zero where a cell is held out.
        sigma: Scale of the shocks, one for all geos.
        d: Prior scale of the effects of one geo, geo h.
        column_scale: Of every column of F; the noise's are all alike.
        slopes: The block with slopes of its Gram matrices along rho, where that is
            asked for.
    """
    common = block.noise
    scale, prior = _scales_and_prior(block, d, column_scale)
    xi, k = column_scale[block.shared.shape[1]], 1.0 / sigma**2
    kappa = 1.0 / (sigma**2 + common.size * xi**2)

    gram = k * common.within + _sum(kappa, common.between)
    precision = jnp.diag(prior) + scale[:, None] * scale * gram
    root, log_det = parted_root(precision, d.size)
    shocks = memory.shocks_of(residual, block.is_seen, block.rho)
    weighted = _weighted(common, block.is_seen, shocks, k, kappa)
    mean = root.solution(scale * _along(block, weighted))
    root, mean, mixed = _over_patterns(root, mean, block.log_odds)
    variance = root.diagonal()
    noise = residual - _explained(block, scale * mean)
    e = memory.shocks_of(noise, block.is_seen, block.rho)
    weighted = _weighted(common, block.is_seen, e, k, kappa)
    within, between = _squares(common, block.is_seen, e)
    squares = k * within + kappa @ between + prior @ mean**2
    n = common.is_size.sum(axis=1)
    logs = n @ ((common.size - 1.0) * jnp.log(sigma**2) - jnp.log(kappa))
    logs += n @ common.size * np.log(2 * np.pi) + log_det - jnp.log(prior).sum()

    covariance = root.inverse() * scale[:, None] * scale
    spread = (common.between * covariance).sum(axis=(1, 2))
    # What the data know of all coefficients: the prior's information is not it.
    info = (1.0 - prior * variance).sum() + mixed.information
    by_k = k**2 * within + k * (info - kappa @ spread) - k * (n @ (common.size - 1.0))
    by_kappa = kappa**2 * (between + spread) - kappa * n
    second = prior * (mean**2 + variance) + (1.0 - mixed.presence)
    by_rho = 0.0
    if slopes is not None:
        slope = k * slopes.noise.within + _sum(kappa, slopes.noise.between)
        by_rho = _by_rho(block, noise, weighted) - 0.5 * (slope * covariance).sum()
    return LikelihoodAndSlopes(
        value=-0.5 * (squares + logs) + mixed.log_ratio,
        residual=-memory.transposed(weighted, block.is_seen, block.rho),
        sigma=sigma * (by_k + by_kappa.sum()),
        noise=xi * (common.size @ by_kappa),
        second_v=second[d.size :],
        second_u=second[: d.size].reshape(d.shape),
        rho=by_rho,
    )


class _Mixed(NamedTuple):
    """What columns that may be absent add; see `core.model.block.collapsed`."""

    information: jax.Array | float
    log_ratio: jax.Array | float
    presence: jax.Array


def _over_patterns(
    root: PartedRoot, mean: jax.Array, log_odds: jax.Array
) -> tuple[PartedRoot, jax.Array, _Mixed]:
    """Root of the covariance and means over all patterns of columns that are there."""
    presence, n = jnp.ones_like(mean), log_odds.size
    if not n:
        return root, mean, _Mixed(0.0, 0.0, presence)
    mixed = mixture(root.rest[-n:, -n:], mean[-n:], log_odds)
    of_first, of_rest = root.below[-n:], root.rest[-n:]
    mean = mean + jnp.concatenate([of_first.T, of_rest.T]) @ mixed.shift
    root = root._replace(
        below=jnp.concatenate([root.below[:-n], mixed.root @ of_first]),
        rest=jnp.concatenate([root.rest[:-n], mixed.root @ of_rest]),
    )
    presence = jnp.concatenate([presence[:-n], mixed.presence])
    log_ratio = mixed.log_ratio + 0.5 * mixed.squares
    return root, mean, _Mixed(mixed.information, log_ratio, presence)


def _scales_and_prior(block, d: jax.Array, column_scale: jax.Array):
    """What each coefficient's column is multiplied by, and its prior precision then."""
    place, n_noise = block.shared.shape[1], block.shocks.shape[1]
    of_v = (column_scale[:place], column_scale[place + n_noise :])
    scale = jnp.concatenate([d.reshape(-1), *of_v])
    of_v = (block.precision[:place], block.precision[place + n_noise :])
    return scale, jnp.concatenate([jnp.ones(d.size, d.dtype), *of_v])


def _by_rho(block, noise: jax.Array, weighted: jax.Array) -> jax.Array:
    """Slope along rho of the squares of shocks, of noise at its mean."""
    return -(weighted * memory.slope_of_shocks(noise, block.is_seen, block.rho)).sum()


def _sum(weight: jax.Array, matrices: jax.Array) -> jax.Array:
    """Weighted sum of matrices, of which there are few."""
    return (weight[:, None, None] * matrices).sum(axis=0)


def _weighted(common: CommonNoise, is_seen, e, k, kappa) -> jax.Array:
    """The precision of the cells times e: k (e - mean) + kappa mean; geo time."""
    back = (kappa @ common.is_size - k) * _means(common, e)
    return (k * e + common.period @ back) * is_seen


def _means(common: CommonNoise, e: jax.Array) -> jax.Array:
    """Mean of the seen cells of each period, zero where there is none; period."""
    n_cells = common.size @ common.is_size
    return e.sum(axis=0) @ common.period / jnp.maximum(n_cells, 1.0)


def _squares(common: CommonNoise, is_seen, e) -> tuple[jax.Array, jax.Array]:
    """Sum of squares within periods, and between those of each size."""
    means = _means(common, e)
    within = (((e - common.period @ means) * is_seen) ** 2).sum()
    return within, common.size * (common.is_size @ means**2)


def _along(block, weighted: jax.Array) -> jax.Array:
    """X' times the weighted shocks, coefficient."""
    of_cells = memory.transposed(weighted, block.is_seen, block.rho)
    shared = of_cells.sum(axis=0) @ block.shared
    by_geo = total(block.by_geo * of_cells[:, None, :]).sum(axis=0)
    local = total(block.local * of_cells[:, None, :])
    return jnp.concatenate([local.reshape(-1), shared, by_geo])


def _explained(block, b: jax.Array) -> jax.Array:
    """X b, geo time."""
    n_geos, n_local, _ = block.local.shape
    of_geo, v = jnp.split(b, [n_geos * n_local])
    of_geo = of_geo.reshape(n_geos, n_local, 1)
    place = block.shared.shape[1]
    explained = (block.shared @ v[:place])[None, :]
    explained = explained + (block.by_geo * v[place:, None]).sum(axis=1)
    return explained + (block.local * of_geo).sum(axis=1)
