"""Verdicts in words: on one fit, on two, and on a specification among others.

Others decide; here it is worded, once for screens, the command line and reports.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.text.languages.language import marked, say, say_count
from core.text.languages.reworded import reworded
from core.text.numbers import percent, ratio, share

#: What the verdict on a fit means to whoever has to decide.
FIT = {
    "trustworthy": marked(
        "Sampling converged: these numbers are what the data, the model and its priors "
        "say together."
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

_FITS = {
    "best": marked("Fits best"),
    "same": marked("Fits as well as the best"),
    "worse": marked("Fits worse"),
    "alone": marked("Its fit has no other score to be compared with"),
    "doubtful": marked("Its fit cannot be judged: the score flatters it"),
    "unknown": marked("Its fit has no score"),
}
_FORECASTS = {
    "best": marked("forecasts best"),
    "same": marked("forecasts as well as the best"),
}


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
        lines.append(_apart(n, beyond, ratio(verdict.limit, decimals=1)))
    least = verdict.resolution
    if verdict.status == "same" and least and not is_identical:
        lines.append(
            say(
                "A difference of {share} of a number's own uncertainty would have been "
                "seen in every number.",
                share=percent(least, decimals=0),
            )
        )
    if losses:
        lost = [percent(max(loss, 0), decimals=2) for loss in losses]
        lines.append(
            say(
                "The best split of B would lose {by_a} of the outcome by fit A; that "
                "of A would lose {by_b} by fit B.",
                by_a=lost[0],
                by_b=lost[1],
            )
        )
    lines += [
        say("Fit {side} is {check}.", side=side, check=say(check))
        if check
        else say("Fit {side} is of unknown quality.", side=side)
        for side, check in zip("AB", checks, strict=True)
        if check != "trustworthy"
    ]
    if is_old:
        lines.append(
            say(
                "A fit was made before Monte-Carlo errors were kept; fit again to "
                "compare."
            )
        )
    return lines


def _apart(n: int, beyond: int, limit: str) -> str:
    """How many of the numbers compared differ by more than chance brings."""
    if beyond:
        return say(
            "{beyond} of {n} numbers differ by more than {limit} Monte-Carlo errors, "
            "which chance alone brings in one comparison in a hundred.",
            beyond=beyond,
            n=n,
            limit=limit,
        )
    return say(
        "None of {n} numbers differs by more than {limit} Monte-Carlo errors, which "
        "chance alone brings in one comparison in a hundred.",
        n=n,
        limit=limit,
    )


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
        say("Only in fit {side}: {names}.", side=side.upper(), names=", ".join(names))
        for side, names in only.items()
        if names
    ]
    if reason:
        why = reworded(reason).rstrip(".")
        lines.append(say("Plans are not compared: {why}.", why=why))
    if not same_periods:
        lines.append(say("The fits cover different periods, so contributions do too."))
    return lines


def mape_left_out(n: int) -> str:
    """Which periods MAPE leaves out, a sentence; empty where it has all.

    Args:
        n: Periods whose KPI is next to zero.
    """
    if not n:
        return ""
    return say_count(
        n,
        "MAPE leaves out one period with a KPI near zero, where an error in percent "
        "says nothing.",
        "MAPE leaves out {n} periods with a KPI near zero, where an error in percent "
        "says nothing.",
        n=n,
    )


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
        fits: `best`, `same`, `worse`, `alone`, `doubtful` or `unknown`.
        forecasts: `best`, `same`, `worse`, `cannot` or `untested`.
        verdict: On the fit.
        is_structural: Whether its baseline goes on after the data; None if unknown.
        skill: Against last year's values; None where it is not known.
    """
    if verdict == "failed":
        return say("Has not converged: its numbers say nothing.")
    fit = say(_FITS[fits])
    if forecasts == "cannot":
        why = say("a baseline of knots ends with its data")
        if is_structural is not False:
            why = say("last year's values forecast better")
        if fits in ("best", "same", "doubtful"):
            return say(
                "{fit} but cannot forecast: {why}. It explains the past only.",
                fit=fit,
                why=why,
            )
        return say("{fit} and cannot forecast: {why}.", fit=fit, why=why)
    if forecasts == "untested":
        return say("{fit}; forecasts untested: run a backtest.", fit=fit)
    ahead = say(_FORECASTS.get(forecasts, marked("forecasts worse")))
    if skill is not None:
        places = {"forecast": ahead, "size": share(abs(skill))}
        ahead = (
            say(
                "{forecast} (error {size} larger than with last year's values)",
                **places,
            )
            if skill < 0
            else say(
                "{forecast} (error {size} smaller than with last year's values)",
                **places,
            )
        )
    is_mixed = (fits in ("best", "same") and forecasts == "worse") or (
        fits == "worse" and forecasts in _FORECASTS
    )
    if is_mixed:
        return say("{fit} but {forecast}.", fit=fit, forecast=ahead)
    return say("{fit} and {forecast}.", fit=fit, forecast=ahead)
