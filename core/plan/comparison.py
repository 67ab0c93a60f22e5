"""Comparison: the numbers of two fits side by side, in units of Monte-Carlo error.

A mean of draws has an error of its own, which more draws make smaller. Two fits of the
same posterior differ by no more than these errors explain, whatever seed, precision
or device they used; where they differ by more, something else is behind it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from msgspec import Struct

from core.analysis.record.sections import Channel, Returns
from core.estimate import Estimate, OptionalEstimate

#: What is compared for every channel.
MEASURES = ("roi", "mroi", "contribution")

#: Probability that two fits of the same posterior are said to differ.
FALSE_ALARM = 0.01


class Apart(Struct, frozen=True, kw_only=True):
    """How far a number is apart in two fits.

    Attributes:
        difference: The second number less the first.
        error: Monte-Carlo standard error of that; None where unknown.
        units: The difference in units of it; None where unknown.
    """

    difference: float
    error: float | None
    units: float | None

    @property
    def apart(self) -> dict[str, float | None]:
        """These three."""
        return {name: getattr(self, name) for name in Apart.__struct_fields__}


class Difference(Apart, frozen=True, kw_only=True):
    """One number of two fits.

    Attributes:
        channel: The channel.
        measure: `roi`, `mroi`, `contribution` or `spend`.
        a: The first fit's number.
        b: The second fit's.
        spread: Posterior standard deviation; None where there is none.
    """

    channel: str
    measure: str
    a: float
    b: float
    spread: float | None


def difference(
    channel: str,
    measure: str,
    a: float,
    b: float,
    *,
    error: float | None,
    spread: float | None = None,
) -> Difference:
    """A number of two fits, and how far it is apart in them."""
    apart = b - a
    return Difference(
        channel=channel,
        measure=measure,
        a=a,
        b=b,
        spread=spread,
        difference=apart,
        error=error,
        units=0.0 if apart == 0 else apart / error if error else None,
    )


class Both(Apart, frozen=True, kw_only=True):
    """One measure of a channel in two fits."""

    a: OptionalEstimate
    b: OptionalEstimate


class Loss(Estimate, frozen=True, kw_only=True):
    """What a split loses by the other fit, and its share of the outcome."""

    share: float


class ComparedChannel(Struct, frozen=True, kw_only=True):
    """A channel that two fits share; measures are None where one of them lacks it."""

    name: str
    kind: str
    roi: Both | None = None
    mroi: Both | None = None
    contribution: Both | None = None

    def measure(self, name: str) -> Both | None:
        """A measure by its name in `MEASURES`."""
        return getattr(self, name)


def differences(
    first: Iterable[Channel | Returns], second: Iterable[Channel | Returns]
) -> dict[tuple[str, str], Difference]:
    """The means that the channels of two fits share, by channel and measure."""
    others = {channel.name: channel for channel in second}
    shared = {}
    for channel in first:
        other = others.get(channel.name)
        for measure in MEASURES if other else ():
            both = _means(channel, measure), _means(other, measure)
            if None in both:
                continue
            (a, spread_a, error_a), (b, spread_b, error_b) = both
            shared[channel.name, measure] = difference(
                channel.name,
                measure,
                a,
                b,
                error=_joint(error_a, error_b),
                spread=math.sqrt((spread_a**2 + spread_b**2) / 2),
            )
    return shared


def _means(
    channel: Channel | Returns, measure: str
) -> tuple[float, float, float | None] | None:
    """Mean, posterior standard deviation and Monte-Carlo error; None without a mean."""
    estimate = getattr(channel, measure)
    if estimate is None or estimate.mean is None:
        return None
    return estimate.mean, estimate.sd, getattr(channel.mcse, measure, None)


def _joint(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else math.hypot(first, second)


def limit(n: int) -> float:
    """Units above which the largest of `n` differences is more than chance."""
    return NormalDist().inv_cdf(1 - FALSE_ALARM / (2 * max(n, 1)))


@dataclass(frozen=True)
class Agreement:
    """What a set of differences says.

    Attributes:
        n: Differences whose Monte-Carlo error is known.
        limit: Units above which one is more than chance.
        beyond: Those above it, the largest first.
        unknown: Those that differ and whose error is not known.
        largest: The largest in units; None without any.
        resolution: The least difference that would have been seen for every number,
            in posterior standard deviations; None where unknown.
        is_identical: Whether all are zero.
    """

    n: int
    limit: float
    beyond: tuple[Difference, ...]
    unknown: tuple[Difference, ...]
    largest: Difference | None
    resolution: float | None
    is_identical: bool


def agreement(differences: Iterable[Difference]) -> Agreement:
    """Whether differences are what Monte-Carlo error explains."""
    differences = list(differences)
    comparable = sorted(
        (each for each in differences if each.units is not None),
        key=lambda each: -abs(each.units),
    )
    least = limit(len(comparable))
    resolved = [
        each.error / each.spread for each in differences if each.error and each.spread
    ]
    return Agreement(
        n=len(comparable),
        limit=least,
        beyond=tuple(each for each in comparable if abs(each.units) > least),
        unknown=tuple(each for each in differences if each.units is None),
        largest=comparable[0] if comparable else None,
        resolution=least * max(resolved) if resolved else None,
        is_identical=bool(differences)
        and all(each.difference == 0 for each in differences),
    )
