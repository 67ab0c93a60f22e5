"""Uncertainty: what the draws say about a number, and about a direction."""

import numpy as np
from jaxtyping import Float

from core.dims import INTERVAL
from core.plan.record.parts import Estimate


def estimate(draws: Float[np.ndarray, " draw"]) -> Estimate:
    """Mean, median, standard deviation and 90 % interval of draws."""
    return estimates(draws[:, None])[0]


def estimates(draws: Float[np.ndarray, "draw part"]) -> list[Estimate]:
    """The estimate of each part, such as a channel."""
    ends = [(1 - INTERVAL) / 2, 0.5, (1 + INTERVAL) / 2]
    low, middle, high = np.quantile(draws, ends, axis=0)
    columns = (draws.mean(axis=0), middle, draws.std(axis=0), low, high)
    names = ("mean", "median", "sd", "lo", "hi")
    return [
        dict(zip(names, map(float, row), strict=True))
        for row in zip(*columns, strict=True)
    ]


def probability_positive(draws: Float[np.ndarray, " draw"]) -> float:
    """Share of draws above zero."""
    return float((draws > 0).mean())


def probability_up(
    own: Float[np.ndarray, "draw channel"],
    current: Float[np.ndarray, " channel"],
    step: float,
) -> Float[np.ndarray, " channel"]:
    """Share of draws whose own best plan gives a channel more than it has now.

    A draw that would leave the channel where it is counts half for each side, so a
    locked channel has 0.5, as has one about which the data say nothing.

    Args:
        own: Each draw's best spend, see `own_plans`.
        current: Spend to compare with.
        step: Differences below this are none.
    """
    more, less = own > current + step, own < current - step
    return (more.mean(axis=0) + 1.0 - less.mean(axis=0)) / 2
