"""Judgement of specifications side by side: how they fit, how they forecast."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.text.verdicts import specification

#: Differences of elpd that mean nothing: below so much, or so many standard errors
#: (Sivula, Magnusson and Vehtari 2020).
LEAST_DIFFERENCE, STANDARD_ERRORS = 4.0, 2.0
#: Share of cells with a heavy tail from which a score is not to be trusted.
MANY_BAD = 0.1
#: Errors of forecasts that are no more than this times the least are as good.
AS_GOOD = 1.1


def judged(row: Mapping[str, Any], fits: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The judgement of one specification among others.

    Args:
        row: One of them; see `core.project.comparing.specifications`.
        fits: All of them.

    Returns:
        `fit`: best, same, worse, doubtful or unknown. `forecast`: best, same, worse,
        cannot or untested. `verdict`, a sentence or two.
    """
    fit, ahead = fit_of(row), forecast_of(row, fits)
    return {"fit": fit, "forecast": ahead, "verdict": specification(row, fit, ahead)}


def fit_of(row: Mapping[str, Any]) -> str:
    """How it fits: by its score, which many heavy tails make doubtful."""
    loo, apart = row["loo"], row["difference"]
    if not loo or not apart:
        return "unknown"
    if (loo["n_bad_k"] or 0) > MANY_BAD * (loo["n_smoothed"] or 1):
        return "doubtful"
    size = abs(apart["elpd"])
    if size == 0:
        return "best"
    small = max(LEAST_DIFFERENCE, STANDARD_ERRORS * (apart["se"] or 0.0))
    return "same" if size < small else "worse"


def forecast_of(row: Mapping[str, Any], fits: Sequence[Mapping[str, Any]]) -> str:
    """How it forecasts: against last year's values, and against the others."""
    backtest = row["backtest"]
    if row["is_structural"] is False:
        return "cannot"
    if not backtest:
        return "untested"
    skill = backtest["skill"].get("seasonal_naive")
    if skill is not None and skill < 0:
        return "cannot"
    able = [
        other["backtest"]["wmape"]
        for other in fits
        if other["backtest"] and other["is_structural"] is not False
    ]
    if backtest["wmape"] <= min(able):
        return "best"
    return "same" if backtest["wmape"] <= AS_GOOD * min(able) else "worse"
