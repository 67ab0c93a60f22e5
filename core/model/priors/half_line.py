"""A smooth map of the real line to the positive half, light-tailed on both sides."""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

#: Below it the slope is taken from its expansion, before float32 has no digits of it.
_FAR = -10.0


def positive_part(z: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$E \max(z + \epsilon, 0) = z\,\Phi(z) + \phi(z)$; $\epsilon$ is a Normal.

    It falls to zero as fast as the tail of a Normal does, and far above zero it is the
    identity, so that a half-Normal becomes nearly a Normal. The logarithm, the usual
    map, makes of a density that is flat at zero a long exponential tail, which chains
    seldom visit and leave slowly. The half-Normal's own quantile would make it exactly
    a Normal; it takes three times as long to compile. The slope is $\Phi(z)$.
    """
    part = z * _cdf(z) + jnp.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    # Never zero: a scale is divided by.
    return jnp.maximum(part, jnp.finfo(z.dtype).tiny)


def log_slope(z: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$\log \Phi(z)$, where $\Phi(z)$ is not a number yet by its expansion."""
    is_far = z < _FAR
    far = jnp.where(is_far, z, _FAR)
    near = jnp.where(is_far, 0.0, z)
    below = -0.5 * far**2 - jnp.log(-far) - 0.5 * math.log(2 * math.pi)
    below += jnp.log1p(-(far**-2) + 3.0 * far**-4 - 15.0 * far**-6)
    return jnp.where(is_far, below, jnp.log(_cdf(near)))


def _cdf(z: Float[Array, "..."]) -> Float[Array, "..."]:
    """Of a standard Normal, with its digits on both sides; one function to compile."""
    return 0.5 * jax.lax.erfc(-z / math.sqrt(2.0))
