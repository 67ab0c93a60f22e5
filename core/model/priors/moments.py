"""A prior from its mean and standard deviation."""

import math
from collections.abc import Callable
from dataclasses import replace
from numbers import Real

from core.errors import SpecError
from core.model.priors.prior import Family, Prior, Written, prior

_ABOVE_ZERO = ("LogNormal", "Gamma")
_HINT = "For a prior that reaches zero or below, choose Normal."


def from_mean(mean: Real, sd: Real, *, family: Family = "LogNormal") -> Prior:
    """The prior of a family with this mean and standard deviation, which it keeps.

    Args:
        mean: Mean; above zero for LogNormal and Gamma, between 0 and 1 for Beta.
        sd: Standard deviation, above zero.
        family: LogNormal, Normal, Gamma, Beta or Uniform.

    Raises:
        SpecError: No prior of the family has them.
    """
    if family not in _MAKERS:
        raise SpecError(
            f"A {family} prior cannot be made from mean and sd.",
            hint=f"Use {', '.join(_MAKERS)}, or give its parameters.",
        )
    if not (math.isfinite(mean) and 0 < sd < math.inf):
        raise SpecError(f"sd must be above zero, not {sd:g}.")
    if family in _ABOVE_ZERO and mean <= 0:
        raise SpecError(
            f"The mean of a {family} prior must be above zero, not {mean:g}.",
            hint=_HINT,
        )
    try:
        prior = _MAKERS[family](float(mean), float(sd))
    except ArithmeticError as error:
        raise SpecError(
            f"No {family} prior of usable numbers has mean {mean:g} and sd {sd:g}.",
            hint="Choose a mean and an sd of about the same size.",
        ) from error
    return replace(prior, written=Written(mean=float(mean), sd=float(sd)))


def _log_normal(mean: float, sd: float) -> Prior:
    variance = math.log1p((sd / mean) ** 2)
    loc = math.log(mean) - variance / 2
    return prior("LogNormal", loc=loc, scale=math.sqrt(variance))


def _normal(mean: float, sd: float) -> Prior:
    return prior("Normal", loc=mean, scale=sd)


def _gamma(mean: float, sd: float) -> Prior:
    return prior("Gamma", concentration=(mean / sd) ** 2, rate=mean / sd**2)


def _beta(mean: float, sd: float) -> Prior:
    size = mean * (1 - mean) / sd**2 - 1
    if not (0 < mean < 1 and size > 0):
        raise SpecError(
            f"No Beta prior has mean {mean:g} and sd {sd:g}.",
            hint="Give a mean between 0 and 1 and an sd below sqrt(mean (1 - mean)).",
        )
    return prior("Beta", concentration1=mean * size, concentration0=(1 - mean) * size)


def _uniform(mean: float, sd: float) -> Prior:
    half = math.sqrt(3) * sd
    return prior("Uniform", low=mean - half, high=mean + half)


_MAKERS: dict[str, Callable[[float, float], Prior]] = {
    "LogNormal": _log_normal,
    "Normal": _normal,
    "Gamma": _gamma,
    "Beta": _beta,
    "Uniform": _uniform,
}
#: Families that a mean and a standard deviation fix.
FAMILIES = tuple(_MAKERS)
