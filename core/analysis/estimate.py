"""Estimates: a number with its uncertainty, as it is reported everywhere."""

import numpy as np

from core.dims import INTERVAL


def estimate(draws: np.ndarray) -> dict[str, float | None]:
    """Mean, median, standard deviation and interval of draws.

    Args:
        draws: One number per posterior draw; any unit.

    Returns:
        `mean`, `median`, `sd`, `lo`, `hi` in the draws' unit, the interval with mass
        `core.dims.INTERVAL`; None for all where any draw is not finite.
    """
    if draws.size == 0 or not np.isfinite(draws).all():
        return dict.fromkeys(("mean", "median", "sd", "lo", "hi"))
    lo, median, hi = np.quantile(draws, quantiles())
    return {
        "mean": float(draws.mean()),
        "median": float(median),
        "sd": float(draws.std()),
        "lo": float(lo),
        "hi": float(hi),
    }


def weighted(draws: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    """An estimate from weighted draws, as `estimate`; weights sum to one."""
    order = np.argsort(draws)
    sorted_, reached = draws[order], np.cumsum(weights[order])
    # Half of its own weight lies on either side of a draw, so equal weights give the
    # usual quantiles.
    middle = reached - 0.5 * weights[order]
    lo, median, hi = np.interp(quantiles(), middle, sorted_)
    mean = float(weights @ draws)
    return {
        "mean": mean,
        "median": float(median),
        "sd": float(np.sqrt(weights @ (draws - mean) ** 2)),
        "lo": float(lo),
        "hi": float(hi),
    }


def quantiles() -> tuple[float, float, float]:
    """Lower end, middle and upper end of the interval, as shares."""
    return (1 - INTERVAL) / 2, 0.5, (1 + INTERVAL) / 2


def interval(draws: np.ndarray, axis: int = 0) -> np.ndarray:
    """Lower and upper end of the interval over an axis, as a new last axis."""
    lo, _, hi = quantiles()
    return np.moveaxis(np.quantile(draws, (lo, hi), axis=axis), 0, -1)
