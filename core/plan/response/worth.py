"""Worth: what outcome and money of each week count for.

d_t = 1 / (1 + r)^(t / n)              yearly rate r, n weeks a year, t from zero
outcome    sum_t d_t outcome_t
profit     margin sum_t d_t outcome_t - sum_t d_t spend_t
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Worth(NamedTuple):
    """Weights of the weeks, and the margin.

    Attributes:
        weight: What a unit of outcome counts, per week of the plan and after it.
        cost: What a unit of spend counts, per week of the plan; zero where the
            budget is given.
        margin: Profit per unit of outcome; one where outcome itself is made large.
    """

    weight: Float[np.ndarray, " time"]
    cost: Float[np.ndarray, " week"]
    margin: float = 1.0

    @property
    def is_profit(self) -> bool:
        """Whether money counts against outcome."""
        return bool(self.cost.any())

    def of(
        self,
        outcome: Float[np.ndarray, "draw channel time"],
        spend: Float[np.ndarray, "channel week"],
    ) -> Float[np.ndarray, " draw"]:
        """What a plan is worth in each draw."""
        return self.by_channel(outcome).sum(axis=1) - self.cost_of(spend)

    def by_channel(
        self, outcome: Float[np.ndarray, "draw channel time"]
    ) -> Float[np.ndarray, "draw channel"]:
        """What each channel's outcome counts, before its spend."""
        return self.margin * (outcome @ self.weight)

    def cost_of(self, spend: Float[np.ndarray, "channel week"]) -> float:
        """What a spend takes off."""
        return float((spend * self.cost).sum())


def worth_of(
    n: int, n_after: int, per_year: int, rate: float = 0.0, margin: float | None = None
) -> Worth:
    """What weeks count at a yearly rate.

    Args:
        n: Weeks of the plan.
        n_after: Weeks after it that still count.
        per_year: Weeks (periods of the data) in a year.
        rate: Share by which what comes a year later counts less.
        margin: Profit per unit of outcome; None to make outcome itself large.
    """
    weight = (1.0 + rate) ** (-np.arange(n + n_after) / per_year)
    if margin is None:
        return Worth(weight, np.zeros(n))
    return Worth(weight, weight[:n].copy(), margin)
