"""A smooth map of the real line to the positive half, light-tailed on both sides."""

import math

import jax
import jax.numpy as jnp
from jax.scipy.special import ndtr
from jaxtyping import Array, Float

#: Steps of Newton's method that reach ten standard deviations below the middle.
_STEPS = 100


def positive_part(z: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$E \max(z + \epsilon, 0) = z\,\Phi(z) + \phi(z)$; $\epsilon$ is a Normal.

    It falls to zero as fast as the tail of a Normal does, and far above zero it is the
    identity, so that a half-Normal becomes nearly a Normal. The logarithm, the usual
    map, makes of a density that is flat at zero a long exponential tail, which chains
    seldom visit and leave slowly. The half-Normal's own quantile would make it exactly
    a Normal; it takes three times as long to compile. The slope is $\Phi(z)$.
    """
    part = z * ndtr(z) + jnp.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    return jnp.maximum(part, jnp.finfo(z.dtype).tiny)


def from_positive_part(u: Float[Array, "..."]) -> Float[Array, "..."]:
    """The z whose expected positive part is u."""

    # The map is convex and lies above u at u: Newton comes from the right.
    def step(_, z):
        return z - (positive_part(z) - u) / ndtr(z)

    return jax.lax.fori_loop(0, _STEPS, step, u)
