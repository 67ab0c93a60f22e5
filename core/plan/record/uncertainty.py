"""Uncertainty: what the draws say about a direction."""

import numpy as np
from jaxtyping import Float


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
