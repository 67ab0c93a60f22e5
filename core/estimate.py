"""Estimates: a number with its uncertainty, as it is reported everywhere."""

from typing import NotRequired, TypedDict

import numpy as np

from core.dims import INTERVAL


class Estimate(TypedDict):
    """What draws say about a number: mean, median, standard deviation, 90 % interval.

    All five are None where nobody knows. `probability_positive` is there where it is a
    difference.
    """

    mean: float
    median: float
    sd: float
    lo: float
    hi: float
    probability_positive: NotRequired[float]


class OptionalEstimate(TypedDict):
    """The same where it need not be known: all five are None then."""

    mean: float | None
    median: float | None
    sd: float | None
    lo: float | None
    hi: float | None
    probability_positive: NotRequired[float]


def estimate(draws: np.ndarray) -> Estimate:
    """The estimate of draws.

    Args:
        draws: One number per posterior draw; any unit.

    Returns:
        In the draws' unit, the interval with mass `core.dims.INTERVAL`; None for all
        where there is no draw or one that is not finite.
    """
    if draws.size == 0 or not np.isfinite(draws).all():
        return _of()
    return _of(draws.mean(), draws.std(), np.quantile(draws, quantiles()))


def estimates(draws: np.ndarray) -> list[Estimate]:
    """The estimate of each column, such as a channel; draw column."""
    ends = np.quantile(draws, quantiles(), axis=0).T
    middles = zip(draws.mean(axis=0), draws.std(axis=0), ends, strict=True)
    return [_of(*each) for each in middles]


def weighted(draws: np.ndarray, weights: np.ndarray) -> Estimate:
    """The estimate of weighted draws; None for all where one is not finite.

    Half of a draw's weight lies on either side of it, so equal weights give nearly the
    quantiles of `estimate`.

    Args:
        draws: One number per draw.
        weights: Of each; they add up to one.
    """
    if not np.isfinite(draws).all():
        return _of()
    order = np.argsort(draws)
    share = np.cumsum(weights[order]) - 0.5 * weights[order]
    mean = weights @ draws
    sd = np.sqrt(weights @ (draws - mean) ** 2)
    return _of(mean, sd, np.interp(quantiles(), share, draws[order]))


def _of(mean=None, sd=None, ends=(None, None, None)) -> Estimate:
    lo, median, hi = ends
    numbers = {"mean": mean, "median": median, "sd": sd, "lo": lo, "hi": hi}
    return {key: each if each is None else float(each) for key, each in numbers.items()}


def probability_positive(draws: np.ndarray) -> float:
    """Share of draws above zero."""
    return float((draws > 0).mean())


def quantiles() -> tuple[float, float, float]:
    """Lower end, middle and upper end of the interval, as shares."""
    return (1 - INTERVAL) / 2, 0.5, (1 + INTERVAL) / 2


def interval(draws: np.ndarray, axis: int = 0) -> np.ndarray:
    """Lower and upper end of the interval over an axis, as a new last axis."""
    lo, _, hi = quantiles()
    return np.moveaxis(np.quantile(draws, (lo, hi), axis=axis), 0, -1)
