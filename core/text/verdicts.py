"""Verdicts in words: on one fit, on two, and on a specification among others.

Others decide; here it is worded, once for screens, the command line and reports.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.text.languages.language import marked
from core.text.numbers import percent, ratio

#: What the verdict on a fit means to whoever has to decide.
FIT = {
    "trustworthy": marked(
        "Sampling converged; the data agree with the model and its priors."
    ),
    "doubtful": marked("Read the numbers with care until these warnings are resolved."),
    "failed": marked(
        "Do not decide on these numbers until these warnings are resolved: "
        "simplify the model or correct the data."
    ),
}
#: The verdicts, as headings.
VERDICTS = {
    "trustworthy": marked("Trustworthy"),
    "doubtful": marked("Doubtful"),
    "failed": marked("Failed"),
}
#: The same within a sentence.
IN_TEXT = (marked("trustworthy"), marked("doubtful"), marked("failed"))
MEASURES = {"roi": "ROI", "mroi": "marginal ROI", "contribution": "contribution"}

_FITS = {
    "best": "fits best",
    "same": "fits as well as the best",
    "worse": "fits worse",
    "doubtful": "its fit cannot be judged: the score flatters it",
    "unknown": "its fit has no score",
}
_FORECASTS = {"best": "forecasts best", "same": "forecasts as well as the best"}


#: What a market has to say to who wants to plan it, where nobody paid for media.
NO_SPEND = marked(
    "The data have no spend: every channel is organic, so there is nothing to plan."
)


def fit(verdict: str) -> str:
    """A verdict with what it means: `doubtful. Read the numbers with care …`."""
    return f"{verdict}. {FIT.get(verdict, '')}".strip()


def evidence(
    verdict: Any,
    losses: Sequence[float],
    checks: Sequence[str | None],
    *,
    is_identical: bool,
    is_old: bool,
) -> list[str]:
    """What the verdict on two fits rests on.

    Args:
        verdict: Its `status`, the numbers `compared` and those `beyond` the `limit`,
            and the `resolution`.
        losses: What the best split of either loses by the other, shares of the
            outcome; empty where plans are not compared.
        checks: Verdicts on both fits.
        is_identical: Whether all numbers are equal.
        is_old: Whether a Monte-Carlo error is missing.
    """
    lines = []
    n, beyond = verdict.compared, len(verdict.beyond)
    if n and not is_identical:
        how_many = f"{beyond} of {n} numbers differ"
        if not beyond:
            how_many = f"None of {n} numbers differs"
        limit = ratio(verdict.limit, decimals=1)
        lines.append(
            f"{how_many} by more than {limit} Monte-Carlo errors, which "
            "chance alone brings in one comparison in a hundred."
        )
    least = verdict.resolution
    if verdict.status == "same" and least and not is_identical:
        lines.append(
            f"A difference of {percent(least, decimals=0)} of a number's own "
            "uncertainty would have been seen in every number."
        )
    if losses:
        lost = [percent(max(loss, 0), decimals=2) for loss in losses]
        lines.append(
            f"The best split of B would lose {lost[0]} of the outcome by fit A; that "
            f"of A would lose {lost[1]} by fit B."
        )
    lines += [
        f"Fit {side} is {check or 'of unknown quality'}."
        for side, check in zip("AB", checks, strict=True)
        if check != "trustworthy"
    ]
    if is_old:
        lines.append(
            "A fit was made before Monte-Carlo errors were kept; fit again to compare."
        )
    return lines


def not_compared(
    only: Mapping[str, Sequence[str]], reason: str, *, same_periods: bool
) -> list[str]:
    """What two fits do not share, and why.

    Args:
        only: Channels that one fit alone has, under `a` and `b`.
        reason: Why their plans are not compared; empty where they are.
        same_periods: Whether they cover the same periods.
    """
    lines = [
        f"Only in fit {side.upper()}: {', '.join(names)}."
        for side, names in only.items()
        if names
    ]
    if reason:
        lines.append(f"Plans are not compared: {reason.rstrip('.')}.")
    if not same_periods:
        lines.append("The fits cover different periods, so contributions do too.")
    return lines


def specification(
    fits: str,
    forecasts: str,
    *,
    verdict: str,
    is_structural: bool | None,
    skill: float | None,
) -> str:
    """One specification among others; one that cannot forecast must look like it.

    Args:
        fits: `best`, `same`, `worse`, `doubtful` or `unknown`.
        forecasts: `best`, `same`, `worse`, `cannot` or `untested`.
        verdict: On the fit.
        is_structural: Whether its baseline goes on after the data; None if unknown.
        skill: Against last year's values; None where it is not known.
    """
    if verdict == "failed":
        return "Has not converged: its numbers say nothing."
    lead = _FITS[fits][0].upper() + _FITS[fits][1:]
    if forecasts == "cannot":
        why = "a baseline of knots ends with its data"
        if is_structural is not False:
            why = "last year's values forecast better"
        if fits in ("best", "same", "doubtful"):
            return f"{lead} but cannot forecast: {why}. It explains the past only."
        return f"{lead} and cannot forecast: {why}."
    if forecasts == "untested":
        return f"{lead}; forecasts untested: run a backtest."
    against = ""
    if skill is not None:
        against = f" ({ratio(skill, signed=True)} against last year's values)"
    is_mixed = (fits in ("best", "same") and forecasts == "worse") or (
        fits == "worse" and forecasts in _FORECASTS
    )
    word = "but" if is_mixed else "and"
    return f"{lead} {word} {_FORECASTS.get(forecasts, 'forecasts worse')}{against}."
