"""Elicitation: from "between 0.5 and 4, most likely 1.5" to a prior, and back.

A range is read as the central interval of a given mass. Two ends fix the two numbers
of a family; a most likely value on top is one condition too many, so the prior that
misses all three the least is taken, and `estimate` says which range it implies.
`implied` says what a prior on one scale means on another: an ROI prior as a
contribution share.
SciPy is imported inside functions: the web process starts without it.

What a treatment prior on one scale means on another, before any data are seen.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from statistics import NormalDist
from typing import Literal

import numpy as np

from core.dims import INTERVAL
from core.errors import SpecError
from core.model.priors.distribution import (
    Belief,
    estimate,
    mode,
    probability_below,
    quantile,
)
from core.model.priors.prior import Family, Prior, Written, prior
from core.text.languages.language import say

Kind = Literal["roi", "mroi", "contribution", "coefficient"]


@dataclass(frozen=True)
class Implied:
    """What a treatment prior says on the other scales; estimates with mode.

    Attributes:
        share: Contribution as a share of the outcome, or None if it is not implied.
        roi: ROI, or None if it is not implied.
        text: The same in words.
    """

    share: Belief | None
    roi: Belief | None
    text: str


def implied(
    prior: Prior,
    spend: Real | None,
    outcome_total: Real,
    *,
    kind: Kind = "roi",
    outcome_name: str = "revenue",
) -> Implied:
    """What a treatment prior implies before any data are seen.

    With $S$ the spend and $Y$ the total outcome, share = ROI $S / Y$.

    Args:
        prior: The prior.
        spend: Total spend of the channel; None or zero if it has none.
        outcome_total: Total outcome over the same window.
        kind: What the prior is about.
        outcome_name: Word for the outcome.

    Raises:
        SpecError: The total outcome is not above zero.
    """
    if not 0 < outcome_total < math.inf:
        raise SpecError(
            f"The total {outcome_name} is {outcome_total:g}; a share of it means "
            "nothing.",
            hint="Check the KPI column.",
        )
    own = estimate(prior)
    if kind == "contribution":
        roi = _times(own, outcome_total / spend) if spend else None
        text = _share_text(prior, own, 1.0, outcome_name)
        if roi:
            of_roi = say(
                "ROI between {low} and {high}.", low=plain(roi.lo), high=plain(roi.hi)
            )
            text = f"{text} {of_roi}"
        return Implied(own, roi, text)
    if kind == "roi" and spend:
        factor = float(spend / outcome_total)
        share = _times(own, factor)
        return Implied(share, own, _share_text(prior, share, factor, outcome_name))
    word = {"mroi": "marginal ROI", "roi": "ROI"}.get(kind, kind)
    return Implied(
        None,
        own if kind == "roi" else None,
        say(
            "A prior ({kind}) implies no share of {outcome} by itself.",
            kind=say(word),
            outcome=outcome_name,
        ),
    )


def _share_text(prior: Prior, share: Belief, factor: float, outcome_name: str) -> str:
    text = say(
        "90\u00a0%: between {low} and {high} of {outcome}.",
        low=_percent(share.lo),
        high=_percent(share.hi),
        outcome=outcome_name,
    )
    beyond = 1 - float(probability_below(prior, 1 / factor))
    if beyond >= 0.01:
        above = say(
            "{share} of the prior lies above all {outcome}.",
            share=_percent(beyond),
            outcome=outcome_name,
        )
        text = f"{text} {above}"
    return text


def _times(belief: Belief, factor: Real) -> Belief:
    names = ("mean", "median", "sd", "lo", "hi", "mode")
    return Belief(**{name: float(getattr(belief, name) * factor) for name in names})


def _percent(value: float) -> str:
    digits = ".0f" if value >= 0.0095 else ".1g"
    return f"{100 * value:{digits}}\u00a0%"


def plain(value: float) -> str:
    """Two decimals, or two significant digits where that would show nothing."""
    return f"{value:.2f}" if abs(value) >= 0.095 else f"{value:.2g}"


def from_range(
    low: Real,
    high: Real,
    *,
    most_likely: Real | None = None,
    mass: Real = INTERVAL,
    family: Family = "LogNormal",
    support: tuple[Real, Real] | None = None,
) -> Prior:
    """The prior whose central interval of `mass` is `low` to `high`, which it keeps.

    Args:
        low: Lower end.
        high: Upper end.
        most_likely: The mode; where it cannot be met together with both ends, the
            misfit of all three is least (on the log scale for LogNormal).
        mass: Probability between the ends.
        family: LogNormal, Normal, TruncatedNormal, Beta, Gamma or Uniform.
        support: Limits of a TruncatedNormal; zero to ten times `high` unless given
            (ten widths to either side where `low` is negative).

    Raises:
        SpecError: What was stated is impossible for this family.
    """
    _check(low, high, most_likely, mass, family)
    if family == "TruncatedNormal":
        prior = _truncated_normal(low, high, most_likely, mass, support)
    else:
        prior = _MAKERS[family](low, high, most_likely, mass)
    lowest, highest = (None, None) if support is None else map(float, support)
    statement = Written(
        low=float(low),
        high=float(high),
        mass=float(mass),
        most_likely=None if most_likely is None else float(most_likely),
        lowest=lowest,
        highest=highest,
    )
    return replace(prior, written=statement)


def range_text(prior: Prior) -> str:
    """The prior as a marketer says it: `90 % between 0.50 and 4.00, most likely 0.95`.

    This is the implied range: it differs from what was asked for where a most likely
    value and both ends could not be met together.
    """
    statistics = estimate(prior)
    if prior.family == "Deterministic":
        return f"exactly {statistics.mean:.3g}"
    low, high, likely = (
        plain(number) for number in (statistics.lo, statistics.hi, statistics.mode)
    )
    return f"{INTERVAL:.0%} between {low} and {high}, most likely {likely}".replace(
        "%", "\u00a0%", 1
    )


def _check(low, high, most_likely, mass, family) -> None:
    if family not in (*_MAKERS, "TruncatedNormal"):
        raise SpecError(
            f"A {family} prior cannot be made from a range.",
            hint=f"Use {', '.join(_MAKERS)} or TruncatedNormal.",
        )
    if family == "Uniform" and most_likely is not None:
        raise SpecError(
            "A Uniform prior has no most likely value.",
            hint="Leave it blank, or choose another family.",
        )
    numbers = (low, high, mass, 0 if most_likely is None else most_likely)
    if not all(math.isfinite(number) for number in numbers):
        raise SpecError("A range needs finite numbers.")
    if not low < high:
        raise SpecError(
            f"The range from {low:g} to {high:g} is empty.",
            hint="Give a low end below the high end.",
        )
    if not 0 < mass < 1:
        raise SpecError("The mass of a range must lie between 0 and 1.")
    if most_likely is not None and not low < most_likely < high:
        raise SpecError(
            f"The most likely value {most_likely:g} is not between {low:g} and "
            f"{high:g}.",
            hint="Widen the range or move the most likely value into it.",
        )
    if family in ("LogNormal", "Gamma") and low <= 0:
        raise SpecError(
            f"A {family} prior is above zero, but the range begins at {low:g}.",
            hint="Give a low end above zero, or choose Normal.",
        )
    if family == "Beta" and not (low > 0 and high < 1):
        raise SpecError(
            f"A Beta prior lies between 0 and 1; the range is {low:g} to {high:g}.",
            hint="Give shares such as 0.02 and 0.14.",
        )


def _normal(low, high, most_likely, mass) -> Prior:
    centre = (low + high) / 2
    if most_likely is not None:
        centre = (low + high + most_likely) / 3  # least squares of the three misfits
    return prior("Normal", loc=centre, scale=(high - low) / (2 * _z(mass)))


def _log_normal(low, high, most_likely, mass) -> Prior:
    loc = (math.log(low) + math.log(high)) / 2
    scale = (math.log(high) - math.log(low)) / (2 * _z(mass))
    if most_likely is None:
        return prior("LogNormal", loc=loc, scale=scale)

    def build(x: np.ndarray) -> Prior:
        return prior("LogNormal", loc=x[0], scale=math.exp(x[1]))

    # On the log scale a miss is a ratio: otherwise the high end of a wide range would
    # decide alone.
    stated = np.log([low, high, most_likely])
    return _least_misfit(build, (loc, math.log(scale)), stated, mass, np.log)


def _beta(low, high, most_likely, mass) -> Prior:
    middle = (low + high) / 2 if most_likely is None else most_likely
    spread = (high - low) / (2 * _z(mass))
    # Start from the Beta that has this mean and spread.
    size = max(middle * (1 - middle) / spread**2 - 1, 2.0)
    start = (math.log(middle * size), math.log((1 - middle) * size))

    def build(x: np.ndarray) -> Prior:
        # Logarithms keep both positive; clipped, because the search may step where the
        # quantile is not a number.
        a, b = np.exp(np.clip(x, -6, 14))
        return prior("Beta", concentration1=a, concentration0=b)

    stated = _ends(low, high, most_likely)
    return _least_misfit(build, start, stated, mass, lambda v: v / (high - low))


def _gamma(low, high, most_likely, mass) -> Prior:
    middle = (low + high) / 2 if most_likely is None else most_likely
    shape = max((2 * _z(mass) * middle / (high - low)) ** 2, 0.5)

    def build(x: np.ndarray) -> Prior:
        concentration, rate = np.exp(np.clip(x, -12, 30))
        return prior("Gamma", concentration=concentration, rate=rate)

    start = (math.log(shape), math.log(shape / middle))
    stated = np.log(_ends(low, high, most_likely))
    return _least_misfit(build, start, stated, mass, np.log)


def _uniform(low, high, most_likely, mass) -> Prior:
    beyond = (high - low) * (1 / mass - 1) / 2
    return prior("Uniform", low=low - beyond, high=high + beyond)


def _truncated_normal(low, high, most_likely, mass, support) -> Prior:
    width = high - low
    bottom, top = support or (
        (0.0, 10.0 * high) if low >= 0 else (low - 10 * width, high + 10 * width)
    )
    if not bottom <= low < high <= top:
        raise SpecError(
            f"The range {low:g} to {high:g} reaches beyond the limits {bottom:g} to "
            f"{top:g}.",
            hint="Keep the range within the limits.",
        )
    middle = float((low + high) / 2 if most_likely is None else most_likely)
    start = (middle, math.log(width / (2 * _z(mass))))
    if low == bottom:  # a limit is no quantile: keep the middle, meet the high end
        return _half_open(middle, start[1], (bottom, top), high, mass)

    def build(x: np.ndarray) -> Prior:
        scale = math.exp(np.clip(x[1], -40, 20))
        return prior("TruncatedNormal", loc=x[0], scale=scale, low=bottom, high=top)

    stated = _ends(low, high, most_likely)
    return _least_misfit(build, start, stated, mass, lambda v: v / width)


def _half_open(middle, log_scale, limits, high, mass) -> Prior:
    from scipy.optimize import least_squares  # noqa: PLC0415

    def build(x: np.ndarray) -> Prior:
        scale = math.exp(np.clip(x[0], -40, 20))
        bottom, top = limits
        return prior("TruncatedNormal", loc=middle, scale=scale, low=bottom, high=top)

    def misfit(x: np.ndarray) -> np.ndarray:
        return quantile(build(x), [0.5 + mass / 2]) - high

    return build(least_squares(misfit, [log_scale]).x)


def _ends(low, high, most_likely) -> np.ndarray:
    return np.array([low, high] if most_likely is None else [low, high, most_likely])


def _least_misfit(
    build: Callable[[np.ndarray], Prior],
    start: Sequence[Real],
    stated: np.ndarray,
    mass: Real,
    transform: Callable[[np.ndarray], np.ndarray],
) -> Prior:
    """The prior whose two ends (and mode, if stated) are missed least."""
    from scipy.optimize import least_squares  # noqa: PLC0415

    tail = (1 - mass) / 2
    takes_log = transform is np.log
    target = stated if takes_log else transform(stated)

    def misfit(x: np.ndarray) -> np.ndarray:
        prior = build(x)
        ends = quantile(prior, [tail, 1 - tail])
        values = ends if len(stated) == 2 else np.append(ends, mode(prior))
        return np.nan_to_num(
            transform(values) - target, nan=1e3, posinf=1e3, neginf=-1e3
        )

    return build(least_squares(misfit, np.asarray(start, float)).x)


def _z(mass: Real) -> float:
    """Half width of the central interval of a standard Normal."""
    return NormalDist().inv_cdf(0.5 + mass / 2)


_MAKERS: dict[str, Callable[..., Prior]] = {
    "LogNormal": _log_normal,
    "Normal": _normal,
    "Beta": _beta,
    "Gamma": _gamma,
    "Uniform": _uniform,
}
