"""What is said of priors that other projects suggest."""

import math
from collections.abc import Sequence
from typing import Any

from core import text as fmt
from core.estimate import OptionalEstimate
from core.model.priors.elicitation import range_text
from core.model.priors.pooling.learnt import HALF
from core.project.learnt.sources import Source
from core.project.learnt.suggestions import Now, Suggestion, Suggestions
from core.project.learnt.together import Joint
from core.text.languages.language import marked
from core.text.languages.reworded import reworded

NOTE = marked(
    "A prior suggested by other projects is the 90 % range of one more channel of the "
    "kind, by what their fits (each without its own prior) and lift tests have learnt "
    "and by how much they differ. This project is left out. Accept it where these "
    "markets are like yours."
)
_ABOUT = {
    "roi": "ROI",
    "mroi": "marginal ROI",
    "contribution": "share of the outcome",
    "coefficient": "coefficient",
}


def range_of(suggestion: Suggestion) -> str:
    """The suggested range: `0.74 to 3.81`; a dash where there is none."""
    if suggestion.pooled is None:
        return fmt.NONE
    low, high = suggestion.pooled.range
    return f"{fmt.ratio(low)} to {fmt.ratio(high)}"


def now_text(now: Now) -> str:
    """The prior as it is: `ROI: 90 % between 0.28 and 5.37, most likely 0.54`."""
    return f"{_ABOUT[now.kind]}: {range_text(now.prior)}"


def sentence(suggestion: Suggestion) -> str:
    """What others suggest and how they come to it, or why they do not."""
    one = suggestion.pooled
    if one is None:
        return suggestion.reason
    weighed = sorted(
        zip(one.weights, suggestion.sources, strict=True), key=lambda pair: -pair[0]
    )
    named = [
        f"{label(source)} ({fmt.percent(weight, decimals=0)})"
        for weight, source in weighed
    ]
    factor = math.exp(one.heterogeneity)
    words = [
        f"ROI {range_of(suggestion)} (90 %), from {fmt.listed(named, limit=6)}; the "
        f"default prior counts {fmt.percent(one.default_weight, decimals=0)}.",
        f"Between projects ROI of this kind ({suggestion.kind}) typically differs by a "
        f"factor of {fmt.ratio(factor, decimals=1)}.",
    ]
    if one.is_held:
        words.append("Kept wider than the sources say: no lift test carries more.")
    return " ".join(words)


def label(source: Source) -> str:
    """A source by name: `Brand A: TV`, with the dates of a test, or a doubtful fit."""
    evidence = source.evidence
    name = f"{source.project}: {source.channel}" if source.channel else source.project
    if evidence is None:
        return name
    if evidence.test:
        return f"{name}, lift test {evidence.test}"
    name = f"{name}, with lift test" if evidence.is_tested else name
    return f"{name} (doubtful fit)" if source.verdict == "doubtful" else name


def left_out(sources: Sequence[Source]) -> list[str]:
    """What does not count, each in a line with why."""
    return [
        f"{fmt.named(label(source), reworded(source.reason))}." for source in sources
    ]


def together(fits: Sequence[Joint]) -> str:
    """Several fits as one, in lines: the way of each, and its ROI before and after."""
    if not fits:
        return "Together: needs two finished fits."
    lines = []
    for each in fits:
        k = fmt.ratio(each.k)
        ways = {
            "reweighted": f"its draws reweighted (k-hat {k})",
            "refit": f"fitted again with suggested priors, fit {each.run.run_id}, as "
            f"weights of its draws do not carry (k-hat {k})",
            "alone": f"as it was. {each.reason}".rstrip(),
        }
        lines.append(f"{each.project.name}: {ways[each.way]}")
        if each.way != "alone":
            lines += [
                f"  {name}: ROI {_estimate(roi)}, alone {_estimate(each.alone[name])}"
                for name, roi in each.together.items()
            ]
    lines.append(
        "Projects keep their fits and priors. To plan with what the others know, "
        "accept their priors (priors suggest PROJECT --accept) and fit again."
    )
    return "\n".join(lines)


def joint_as_dict(joint: Joint) -> dict[str, Any]:
    """A fit among several as --json prints it."""
    return {
        "project": str(joint.project),
        "way": joint.way,
        "k_hat": joint.k,
        "run": str(joint.run.folder),
        "reason": joint.reason,
        "channels": [
            {"name": name, "roi_alone": joint.alone[name], "roi": roi}
            for name, roi in joint.together.items()
        ],
    }


def _estimate(roi: OptionalEstimate) -> str:
    mean, low, high = roi.mean, roi.lo, roi.hi
    if mean is None or low is None or high is None:
        return fmt.NONE
    return f"{fmt.ratio(mean)} ({fmt.ratio(low)} to {fmt.ratio(high)})"


def as_dict(suggestions: Suggestions) -> dict[str, Any]:
    """Suggestions as --json prints them."""
    return {
        "channels": [_as_dict(each) for each in suggestions.channels],
        "left_out": [
            {
                "project": each.project,
                "channel": each.channel or None,
                "reason": each.reason,
            }
            for each in suggestions.left_out
        ],
    }


def _as_dict(each: Suggestion) -> dict[str, Any]:
    one = each.pooled
    content: dict[str, Any] = {
        "name": each.channel,
        "kind": each.kind,
        "now": now_text(each.now),
        "is_default": each.now.is_default,
        "is_accepted": each.is_accepted,
        "sentence": sentence(each),
        "suggestion": None,
        "sources": [],
    }
    if one is None:
        return content
    low, high = one.range
    content["suggestion"] = {
        "prior": {"kind": "roi", "low": low, "high": high, "mass": 0.9},
        "log_mean": one.loc,
        "log_sd": one.scale,
        "heterogeneity": one.heterogeneity,
        "default_weight": one.default_weight,
        "is_held": one.is_held,
    }
    content["sources"] = [
        _source(source, weight)
        for source, weight in zip(each.sources, one.weights, strict=True)
    ]
    return content


def _source(source: Source, weight: float) -> dict[str, Any]:
    evidence = source.evidence
    if evidence is None:
        raise ValueError("A source that is left out has no weight.")
    low, high = (
        math.exp(evidence.learnt.location + side * HALF * evidence.learnt.spread)
        for side in (-1, 1)
    )
    return {
        "project": source.project,
        "channel": source.channel,
        "test": evidence.test or None,
        "is_tested": evidence.is_tested,
        "verdict": source.verdict or None,
        "roi": {"lo": low, "hi": high},
        "weight": weight,
    }
