r"""The real line: where NUTS moves, and the priors' densities there.

Each family has a smooth map from z on the whole real line to its support. A family
that is a transformed Normal takes that transformation, so that its prior is a standard
Normal of z. Elsewhere the log density has the log slope of the map in it, with what
cancels left out. TensorFlow Probability has such maps and densities, too; traced by JAX
they take five times as long (docs/decisions.md).
"""

import math

import jax
import jax.numpy as jnp
from jax.scipy.special import betaln, gammaln, log_ndtr, ndtr, ndtri
from jaxtyping import Array, Float

from core.model.half_line import from_positive_part, positive_part
from core.model.prior import Family

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


def to_support(
    family: Family, row: Float[Array, "*n 5"], z: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    """Value of a prior's variable at z.

    Args:
        family: Of the prior.
        row: Its numbers; see `core.model.families.numbers`.
        z: On the real line.

    Raises:
        ValueError: The family has no free values.
    """
    first, second, low, high, shift = _parts(row)
    match family:
        case "Normal":
            value = first + second * z
        case "LogNormal":
            value = jnp.exp(first + second * z)
        case "HalfNormal":
            value = first * positive_part(z)
        case "Gamma":
            value = first / second * jnp.exp(z)
        case "TruncatedNormal":
            value = low + (high - low) * jax.nn.sigmoid(z)
        case "Uniform":
            value = first + (second - first) * ndtr(z)
        case "Beta":
            value = jax.nn.sigmoid(z)
        case _:
            raise ValueError(f"family {family!r} has no free values")
    return shift + value


def to_real_line(
    family: Family, row: Float[Array, "*n 5"], value: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    """The z of a value; the inverse of `to_support`."""
    first, second, low, high, shift = _parts(row)
    plain = value - shift
    match family:
        case "Normal":
            return (plain - first) / second
        case "LogNormal":
            return (jnp.log(plain) - first) / second
        case "HalfNormal":
            return from_positive_part(plain / first)
        case "Gamma":
            return jnp.log(plain * second / first)
        case "TruncatedNormal":
            return jnp.log(plain - low) - jnp.log(high - plain)
        case "Uniform":
            return ndtri((plain - first) / (second - first))
        case "Beta":
            return jnp.log(plain) - jnp.log1p(-plain)
    raise ValueError(f"family {family!r} has no free values")


def log_density(
    family: Family, row: Float[Array, "*n 5"], z: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    r"""Log prior density of z: $\log p(x(z)) + \log x'(z)$."""
    first, second, low, high, _ = _parts(row)
    match family:
        case "Normal" | "LogNormal" | "Uniform":
            return _log_bell(z)
        case "HalfNormal":
            u = positive_part(z)
            return math.log(2) + _log_bell(u) + log_ndtr(z)
        case "Gamma":
            log_x = jnp.log(first) + z
            return first * log_x - first * jnp.exp(z) - gammaln(first)
        case "Beta":
            logs = first * jax.nn.log_sigmoid(z) + second * jax.nn.log_sigmoid(-z)
            return logs - betaln(first, second)
        case "TruncatedNormal":
            x = low + (high - low) * jax.nn.sigmoid(z)
            ends = (low - first) / second, (high - first) / second
            slope = jax.nn.log_sigmoid(z) + jax.nn.log_sigmoid(-z)
            height = _log_bell((x - first) / second) - jnp.log(second)
            return height - _log_mass(*ends) + jnp.log(high - low) + slope
    raise ValueError(f"family {family!r} has no free values")


def _parts(row: Float[Array, "*n 5"]) -> list[Float[Array, "*n"]]:
    """The four parameters and the shift."""
    return [row[..., place] for place in range(row.shape[-1])]


def _log_bell(z: Float[Array, "..."]) -> Float[Array, "..."]:
    """Log density of a standard Normal."""
    return -0.5 * z**2 - _LOG_ROOT_TWO_PI


def _log_mass(low: Float[Array, "..."], high: Float[Array, "..."]):
    """Log probability of a standard Normal between limits, from the nearer tail."""
    is_above = low > 0
    near = log_ndtr(jnp.where(is_above, -low, high))
    far = log_ndtr(jnp.where(is_above, -high, low))
    return near + jnp.log1p(-jnp.exp(far - near))
