r"""The likelihood with the linear block integrated out, and its derivative.

The quadratic form of the residual is that of the joint density at its mode,
k e'e + E q'E q + E v' P E v with e = r - F E v - H D E q: a sum of squares, which keeps
its digits in float32 where r'r less what the block explains does not. For the symbols
see `core.model.block_moments`.

The derivative is the expected derivative of the joint density (Fisher's identity),
so that nothing is differentiated through a factorisation. With respect to the prior
scale d of a coefficient d q it needs the second moment alone: (E q^2 - 1) / d.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.block_moments import Moments, moments
from core.model.linear_block import LinearBlock

#: A scale below this is none.
_SMALLEST = 1e-12


@partial(jax.custom_jvp, nondiff_argnums=(5,))
def collapsed_log_likelihood(
    block: LinearBlock,
    residual: Float[Array, "geo time"],
    sigma: Float[Array, " geo"],
    local_scale: Float[Array, "geo h"],
    column_scale: Float[Array, " a"],
    n_noise: int = 0,
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
        n_noise: How many of these, the last, touch no period twice.

    References:
        Woodbury's identity, applied to the geos first and to v then.
    """
    found = moments(block, residual, sigma, local_scale, column_scale, n_noise)
    return _value(block, found, sigma)


def _value(block: LinearBlock, found: Moments, sigma: jax.Array) -> jax.Array:
    squares = (found.e**2).sum(axis=1) @ (1.0 / sigma**2)
    squares += (found.q**2).sum() + (block.precision * found.v**2).sum()
    normaliser = (block.n_cells * (jnp.log(sigma) + 0.5 * np.log(2 * np.pi))).sum()
    log_prior = 0.5 * jnp.log(block.precision).sum()
    return -0.5 * (squares + found.log_det) + log_prior - normaliser


@collapsed_log_likelihood.defjvp
def _derivative(n_noise, primals, tangents):
    block, residual, sigma, local_scale, column_scale = primals
    found = moments(block, residual, sigma, local_scale, column_scale, n_noise)
    n_shared = len(column_scale)
    second = (block.precision * (found.v**2 + found.v_var))[:n_shared]
    slopes = (
        -found.e / sigma[:, None] ** 2,
        (found.squares - block.n_cells) / sigma,
        _by_scale(found.q**2 + found.q_var, local_scale),
        _by_scale(second, column_scale),
    )
    tangent = sum(
        (slope * given).sum() for slope, given in zip(slopes, tangents[1:], strict=True)
    )
    return _value(block, found, sigma), tangent


def _by_scale(second_moment: jax.Array, scale: jax.Array) -> jax.Array:
    """Derivative with respect to the scales of coefficients of this second moment.

    Zero where the scale is: there the coefficient is nothing, whatever its sign.
    """
    is_free = scale > _SMALLEST
    return jnp.where(is_free, (second_moment - 1.0) / jnp.where(is_free, scale, 1.0), 0)
