r"""The likelihood with the linear block integrated out, and its derivative.

The quadratic form of the residual is that of the joint density at its mode,
k e'e + E q'E q + E v' P E v with e = r - F E v - H D E q: a sum of squares, which keeps
its digits in float32 where r'r less what the block explains does not. For the symbols
see `core.model.block.block_moments`.

The derivative is the expected derivative of the joint density (Fisher's identity),
so that nothing is differentiated through a factorisation. With respect to the prior
scale d of a coefficient d q it needs the second moment alone: (E q^2 - 1) / d, with
the probability that it is there in place of one where it may be absent.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.block.block_moments import Moments, moments
from core.model.block.common_noise import likelihood_with_common_noise
from core.model.block.linear_block import LinearBlock, at_memory, memory_slope
from core.model.block.memory import n_runs, shock_share, transposed

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
    squares = (conditional.e**2).sum(axis=1) @ (1.0 / sigma**2)
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
