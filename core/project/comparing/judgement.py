"""Judgement of specifications side by side: how they fit, how they forecast."""

from collections.abc import Sequence

from msgspec.structs import replace

from core.project.comparing.records import Specification
from core.text.verdicts import specification

#: Differences of elpd that mean nothing: below so much, or so many standard errors
#: (Sivula, Magnusson and Vehtari 2020).
LEAST_DIFFERENCE, STANDARD_ERRORS = 4.0, 2.0
#: Share of cells with a heavy tail from which a score is not to be trusted.
MANY_BAD = 0.1
#: Errors of forecasts that are no more than this times the least are as good.
AS_GOOD = 1.1


def judged(row: Specification, fits: Sequence[Specification]) -> Specification:
    """One specification among others, with its judgement.

    Args:
        row: One of them.
        fits: All of them.
    """
    fit, ahead = fit_of(row), forecast_of(row, fits)
    text = specification(
        fit,
        ahead,
        verdict=row.convergence.verdict,
        is_structural=row.is_structural,
        skill=None if row.backtest is None else row.backtest.against_naive,
    )
    return replace(row, fit=fit, forecast=ahead, verdict=text)


def fit_of(row: Specification) -> str:
    """How it fits: by its score, which many heavy tails make doubtful."""
    loo, apart = row.loo, row.difference
    if not loo:
        return "unknown"
    if (loo.n_bad_k or 0) > MANY_BAD * (loo.n_smoothed or 1):
        return "doubtful"
    if not apart:
        return "alone"
    size = abs(apart.elpd)
    if size == 0:
        return "best"
    small = max(LEAST_DIFFERENCE, STANDARD_ERRORS * (apart.se or 0.0))
    return "same" if size < small else "worse"


def forecast_of(row: Specification, fits: Sequence[Specification]) -> str:
    """How it forecasts: against last year's values, and against the others."""
    backtest = row.backtest
    if row.is_structural is False:
        return "cannot"
    if not backtest:
        return "untested"
    skill = backtest.against_naive
    if skill is not None and skill < 0:
        return "cannot"
    able = [
        other.backtest.wmape
        for other in fits
        if other.backtest and other.is_structural is not False
    ]
    if backtest.wmape <= min(able):
        return "best"
    return "same" if backtest.wmape <= AS_GOOD * min(able) else "worse"
