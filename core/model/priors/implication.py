"""What a treatment prior on one scale means on another, before any data are seen."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Literal

from core.errors import SpecError
from core.model.priors.distribution import Belief, estimate, probability_below
from core.model.priors.prior import Prior
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
