r"""Together: whether spends were ever seen side by side, not only each by itself.

Two channels that always rose and fell together say little of one that rises while the
other falls, although each stays within its own range. A period's spends lie outside
what was seen together where

$$(x - \bar x)'\,S^{-1}(x - \bar x) > \max_t\,(x_t - \bar x)'\,S^{-1}(x_t - \bar x)$$

over the periods t that ran, with $x = \sqrt{\text{spend} / \text{mean spend}}$, so that
bursts and pauses weigh alike, and S their covariance.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

#: Share of periods from which it is worth a sentence.
WORTH_A_WORD = 0.05
#: Least variance of a direction, as a share of the mean one: a channel that never moved
#: has none, and a whole direction would be forbidden by rounding.
_LEAST = 1e-4


class History(NamedTuple):
    """What ran while one fit looked.

    Attributes:
        channels: Places of its channels among those of the curves.
        spend: Of every period.
    """

    channels: Int[np.ndarray, " channel"]
    spend: Float[np.ndarray, "period channel"]


def never_together(
    history: Float[np.ndarray, "period channel"],
    planned: Float[np.ndarray, "planned channel"],
) -> Bool[np.ndarray, " planned"]:
    """Which periods have spends each within its range, but never seen together.

    Args:
        history: Spend of the periods that ran.
        planned: Spend of the periods to judge.
    """
    if len(history) == 0:
        return np.zeros(len(planned), dtype=bool)
    mean = history.mean(axis=0)
    ran = mean > 0
    if not ran.any() or len(history) <= ran.sum() + 2:
        return np.zeros(len(planned), dtype=bool)
    past, plan = (np.sqrt(rows[:, ran] / mean[ran]) for rows in (history, planned))
    middle = past.mean(axis=0)
    size, axes = np.linalg.eigh(np.cov(past, rowvar=False).reshape(ran.sum(), -1))
    size = np.maximum(size, max(_LEAST * size.mean(), 1e-12))

    def distance(rows: np.ndarray) -> np.ndarray:
        return (((rows - middle) @ axes) ** 2 / size).sum(axis=1)

    tops, bottoms = history.max(axis=0), history.min(axis=0)
    slack = 1e-9 * np.maximum(tops, 1.0)
    each = (planned <= tops + slack) & (planned >= bottoms - slack)
    is_far = distance(plan) > distance(past).max() * (1 + 1e-9)
    return each.all(axis=1) & is_far


def said(share: float, word: str) -> str:
    """The sentence for a plan; empty where there is too little to say.

    Args:
        share: Of the plan's periods.
        word: What periods are called.
    """
    if share < WORTH_A_WORD:
        return ""
    return (
        f"In {share:.0%} of the {word} spends are each within their range, but were "
        "never seen together: what they bring side by side is assumed."
    ).replace("%", "\u00a0%", 1)
