r"""Families of priors: their numbers and densities.

The numbers of a prior are arguments, never constants, so that another prior of the
same family compiles nothing. A row of numbers holds four parameters in the order of
`core.model.priors.prior.PARAMETERS`, then the shift, then what the log density on the
real line has that does not depend on the value (`core.model.priors.families`).

The real line: where NUTS moves, and the priors' densities there.

Each family has a smooth map from z on the whole real line to its support. A family
that is a transformed Normal takes that transformation, so that its prior is a standard
Normal of z. Elsewhere the log density has the log slope of the map in it, with what
cancels left out. TensorFlow Probability has such maps and densities, too; traced by JAX
they take five times as long (docs/decisions.md).

A smooth map of the real line to the positive half, light-tailed on both sides.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy import special

from core.model.priors.prior import Family, Prior


def to_support(
    family: Family, row: Float[Array, "*n 6"], z: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    """Value of a prior's variable at z.

    Args:
        family: Of the prior.
        row: Its numbers; see `core.model.priors.families.numbers`.
        z: On the real line.

    Raises:
        ValueError: The family has no free values.
    """
    first, second, low, high, shift, _ = _parts(row)
    match family:
        case "Normal":
            value = first + second * z
        case "LogNormal":
            value = jnp.exp(first + second * z)
        case "HalfNormal":
            value = first * WIDTH * positive_part(z / WIDTH)
        case "Gamma":
            # The mean over the exponential: in z every Gamma then peaks at zero.
            value = first / second * jnp.exp(z)
        case "TruncatedNormal":
            value = low + (high - low) * jax.nn.sigmoid(z)
        case "Uniform":
            value = first + (second - first) * unit_part(0.5 + SLOPE * z)
        case "Beta":
            value = jax.nn.sigmoid(z)
        case _:
            raise ValueError(f"family {family!r} has no free values")
    return shift + value


def log_density(
    family: Family, row: Float[Array, "*n 6"], z: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    r"""Log prior density of z: $\log p(x(z)) + \log x'(z)$.

    Its constant is a number of the prior; see `core.model.priors.families.numbers`.

    Raises:
        ValueError: The family has no free values.
    """
    first, second, low, high, _, normaliser = _parts(row)
    match family:
        case "Normal" | "LogNormal":
            return normaliser - 0.5 * z**2
        case "Uniform":
            return normaliser + log_unit_slope(0.5 + SLOPE * z)
        case "HalfNormal":
            part = WIDTH * positive_part(z / WIDTH)
            return normaliser - 0.5 * part**2 + log_slope(z / WIDTH)
        case "Gamma":
            return normaliser + first * (z - jnp.exp(z))
        case "Beta":
            rest = jax.nn.softplus(z)  # - log(1 - x)
            return normaliser + first * (z - rest) - second * rest
        case "TruncatedNormal":
            x = low + (high - low) * jax.nn.sigmoid(z)
            slope = z - 2.0 * jax.nn.softplus(z)
            return normaliser - 0.5 * ((x - first) / second) ** 2 + slope
    raise ValueError(f"family {family!r} has no free values")


def _parts(row: Float[Array, "*n 6"]) -> list[Float[Array, "*n"]]:
    """The four parameters, the shift, the normaliser."""
    return [row[..., place] for place in range(row.shape[-1])]


#: How softly the map of a half-Normal bends, in scales of the prior. At 1 the prior is
#: nearly a Normal of z. But what it is the prior of is mostly known to be a fraction of
#: its scale, which that map would squeeze into a tail (docs/decisions.md).
WIDTH = 0.3
#: Below it the slope is taken from its expansion, before float32 has no digits of it.
_FAR = -10.0


def positive_part(z: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$E \max(z + \epsilon, 0) = z\,\Phi(z) + \phi(z)$; $\epsilon$ is a Normal.

    It falls to zero as fast as the tail of a Normal does, and far above zero it is the
    identity. The logarithm, the usual map, makes of a density that is flat at zero a
    long exponential tail, which chains seldom visit and leave slowly. The half-Normal's
    own quantile would make of it exactly a Normal; it takes three times as long to
    compile. The slope is $\Phi(z)$.
    """
    part = z * _cdf(z) + jnp.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    # Never zero: a scale is divided by.
    return jnp.maximum(part, jnp.finfo(z.dtype).tiny)


#: How softly the map of a Uniform bends at its ends, in widths of the prior; and how
#: much of its width a unit of z is in between, so that z has about a unit's spread.
EDGE, SLOPE = 0.14, 0.3


def unit_part(x: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""A smooth map of the real line to (0, 1), the identity in between.

    The mean of x clipped to 0 and 1 after a Normal of scale EDGE is added. The Normal's
    own distribution function, which would make of the prior exactly a Normal, makes a
    long tail of what is near an end: a carryover that may be next to nothing.
    """
    below = _from_the_nearer_end(x)
    part = EDGE * (positive_part(below / EDGE) - positive_part((below - 1.0) / EDGE))
    return jnp.where(x > 0.5, 1.0 - part, part)


def log_unit_slope(x: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$\log(\Phi(x / w) - \Phi((x - 1) / w))$, the log slope; w is the EDGE."""
    below = _from_the_nearer_end(x)
    near, far = log_slope(below / EDGE), log_slope((below - 1.0) / EDGE)
    return near + jnp.log1p(-jnp.exp(far - near))


def _from_the_nearer_end(x: Float[Array, "..."]) -> Float[Array, "..."]:
    # No minimum: its slope in the middle, where chains begin, would be zero.
    return jnp.where(x > 0.5, 1.0 - x, x)


def log_slope(z: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$\log \Phi(z)$, where $\Phi(z)$ is not a number yet by its expansion."""
    is_far = z < _FAR
    far = jnp.where(is_far, z, _FAR)
    near = jnp.where(is_far, 0.0, z)
    below = -0.5 * far**2 - jnp.log(-far) - 0.5 * math.log(2 * math.pi)
    x = far**-2
    below += jnp.log1p(-x * (1 - x * (3 - x * (15 - x * (105 - 945 * x)))))
    return jnp.where(is_far, below, jnp.log(_cdf(near)))


def _cdf(z: Float[Array, "..."]) -> Float[Array, "..."]:
    """Of a standard Normal, with its digits on both sides; one function to compile."""
    return 0.5 * jax.lax.erfc(-z / math.sqrt(2.0))


_ROW = 6
_SHIFT, _NORMALISER = 4, 5
_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


def numbers(priors: list[Prior]) -> np.ndarray:
    """Numbers of a list of priors; prior 6, unused places are zero."""
    table = np.zeros((len(priors), _ROW))
    for row, prior in zip(table, priors, strict=True):
        row[: len(prior.values)] = prior.values
        row[_SHIFT] = prior.shift
        row[_NORMALISER] = _log_normaliser(prior)
    return table


def _log_normaliser(prior: Prior) -> float:
    """The constant of `core.model.priors.families.log_density`."""
    p = prior.numbers
    match prior.family:
        case "Normal" | "LogNormal":
            return -_LOG_ROOT_TWO_PI
        case "Uniform":
            return math.log(SLOPE)
        case "HalfNormal":
            return math.log(2) - _LOG_ROOT_TWO_PI
        case "Gamma":
            shape = p.concentration
            # On the scale x = concentration / rate * exp(z), of which the density in z
            # has its mode at zero.
            return float(special.xlogy(shape, shape) - special.gammaln(shape))
        case "Beta":
            return float(-special.betaln(p.concentration1, p.concentration0))
        case "TruncatedNormal":
            low, high = ((end - p.loc) / p.scale for end in (p.low, p.high))
            if low > 0:  # from the tail that is exact
                low, high = -high, -low
            below, above = special.log_ndtr([low, high])
            # A difference of logarithms of the cdf: the mass may be far below what a
            # difference of cdfs resolves.
            mass = above + np.log1p(-np.exp(below - above))
            return float(np.log(high - low) - mass - _LOG_ROOT_TWO_PI)
    return 0.0


def distribution(family: Family, row: Float[Array, "*n 6"]) -> Any:
    """The family's distribution, without the shift.

    TensorFlow Probability is imported here: the sampler starts without it.

    Raises:
        ValueError: The family has no density (Deterministic).
    """
    from tensorflow_probability.substrates.jax import distributions as tfd  # noqa: PLC0415

    p = [row[..., place] for place in range(_SHIFT)]
    match family:
        case "Normal":
            return tfd.Normal(p[0], p[1])
        case "LogNormal":
            return tfd.LogNormal(p[0], p[1])
        case "HalfNormal":
            return tfd.HalfNormal(p[0])
        case "TruncatedNormal":
            return tfd.TruncatedNormal(p[0], p[1], p[2], p[3])
        case "Gamma":
            return tfd.Gamma(p[0], p[1])
        case "Beta":
            return tfd.Beta(p[0], p[1])
        case "Uniform":
            return tfd.Uniform(p[0], p[1])
        case "Deterministic":
            return tfd.Deterministic(p[0])
    raise ValueError(f"family {family!r}")  # Prior refuses unknown families


def log_prob(
    family: Family, value: Float[Array, "*shape"], row: Float[Array, "*row 6"]
) -> Float[Array, "*shape"]:
    """Log density at a value; zero for Deterministic."""
    if family == "Deterministic":
        return jnp.zeros_like(value)
    return distribution(family, row).log_prob(value - row[..., _SHIFT])
