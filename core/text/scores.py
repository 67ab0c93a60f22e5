"""Scores, checks and skills as people read them, on screens and the command line."""

from typing import Any

from core.text import numbers as fmt
from core.text.languages.language import marked, say

#: Of a backtest whose baseline ends with its data.
HELD_KNOT = marked(
    "A baseline of knots cannot forecast, so its last knot was held constant."
)


def check_number(unit: str, number: float | None) -> str:
    """A number of a model check in its unit."""
    if unit == "share":
        return fmt.share(number)
    if unit == "kpi":
        return fmt.number(number)
    return fmt.ratio(number, signed=unit == "correlation")


def check_range(unit: str, lo: float | None, hi: float | None) -> str:
    """What the model expects of a check, 90 %."""
    return f"{check_number(unit, lo)} – {check_number(unit, hi)}"


def p_value(p: float) -> str:
    """A p-value with two decimals, never 0 or 1."""
    if p < 0.005:
        return "< 0.01"
    return "> 0.99" if p > 0.995 else f"{p:.2f}"


def score(scored: Any) -> str:
    """A score with its standard error; a dash where there is none.

    Args:
        scored: With `elpd` and `se`, or None.
    """
    if scored is None:
        return fmt.NONE
    text = fmt.exact(scored.elpd, decimals=1)
    error = fmt.exact(scored.se, decimals=1)
    return f"{text} ± {error}" if scored.se else text


def bad_k(scored: Any) -> str:
    """How many cells have a tail too heavy to score them.

    Args:
        scored: With `n_bad_k` and `n_smoothed`, or None.
    """
    if scored is None or scored.n_bad_k is None:
        return fmt.NONE
    return say(
        "{number} of {all}",
        number=scored.n_bad_k,
        all=scored.n_smoothed,
    )


def checked(missed: int | None) -> str:
    """How many checks are missed; None where none were made."""
    if missed is None:
        return fmt.NONE
    return say("{number} missed", number=missed) if missed else say("passed")


def skill(share: float | None) -> str:
    """A skill as people say it: how much smaller the error is than another's.

    Args:
        share: 1 less the error over that of the other; None where nobody knows.
    """
    if share is None:
        return fmt.NONE
    size = fmt.share(abs(share))
    if share < 0:
        return say("{size} larger", size=size)
    return say("{size} smaller", size=size)


def refitted(number: Any) -> str:
    """A channel's ROI, or its share of the best split, without the last periods.

    Args:
        number: An estimate, a share with `mean` and `sd`, or None.
    """
    if number is None or number.mean is None:
        return fmt.NONE
    if hasattr(number, "lo"):
        return fmt.estimate(number, "ratio")
    return f"{fmt.share(number.mean)} ± {fmt.share(number.sd)}"
