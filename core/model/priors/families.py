"""Families of priors: their numbers and densities.

The numbers of a prior are arguments, never constants, so that another prior of the
same family compiles nothing. A row of numbers holds four parameters in the order of
`core.model.priors.prior.PARAMETERS`, then the shift, then what the log density on the
real line has that does not depend on the value (`core.model.priors.real_line`).
"""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy import special

from core.model.priors.prior import Family, Prior
from core.model.priors.real_line import SLOPE

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
    """The constant of `core.model.priors.real_line.log_density`."""
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
    from tensorflow_probability.substrates.jax import (  # noqa: PLC0415
        distributions as tfd,
    )

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
