"""How sure a test is of its result: standard error and skewness from an interval."""

import math
from statistics import NormalDist

#: Beyond this skewness one end lies more than three times as far off as the other, and
#: three numbers do not say the shape any more.
HIGHEST_SKEWNESS = 0.9
#: Less than this is rounding.
_LOWEST = 0.01


def lopsided(where: str, outcome: float, low: float, high: float) -> tuple[str, str]:
    """What is said of a result whose interval no skewness has, and what to do.

    Args:
        where: The result's place or source.
        outcome: The result.
        low: End of its interval.
        high: The other end.
    """
    message = (
        f"{where}: {outcome:g} with an interval from {low:g} to {high:g} is too "
        "lopsided: one end is more than three times as far from it as the other."
    )
    return message, (
        "Check the three numbers. To take the error as symmetric, give the standard "
        "error in place of the interval."
    )


def standard_error(low: float, high: float, mass: float) -> float:
    """Standard error of a Normal whose central interval of that mass is given."""
    return (high - low) / (2 * NormalDist().inv_cdf(0.5 + mass / 2))


def skewness(low: float, value: float, high: float, mass: float) -> float:
    """How much further an interval reaches above its result than below.

    Args:
        low: End of the central interval.
        value: The result, its median.
        high: The other end.
        mass: Of the interval.

    Returns:
        Zero where both ends are equally far, up to rounding; above 1 in size where no
        distribution of the family has that interval.
    """
    reach = NormalDist().inv_cdf(0.5 + mass / 2)
    off = (high + low - 2 * value) / (high - low)
    share = off * reach / (math.hypot(1.0, reach) - 1.0)
    return 0.0 if abs(share) < _LOWEST else share
