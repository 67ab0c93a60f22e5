"""Today: what the spend of the data brings as it is, and a plan beside it.

A plan of another budget has two comparisons. Against today's split, scaled to the
plan's budget, it says what the split is worth; against today as it is, what the plan
as a whole changes: spend, outcome, profit, ROI.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from core.plan.record.uncertainty import estimate, probability_positive

#: Gains below this share of the outcome are what is left of rounding to cents.
NOTHING = 1e-6


@dataclass(frozen=True)
class Today:
    """Today's spend as it is, with the plan it is compared with.

    Attributes:
        spend: Currency, all channels.
        budget: The plan's.
        margin: Profit before media per unit of outcome; None where the outcome is no
            money and no margin was asked for.
        draws: Outcome of today's spend.
        planned_draws: Outcome of the plan.
    """

    spend: float
    budget: float
    margin: float | None
    draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)
    planned_draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Today as --json prints it."""
        return {"spend": self.spend, "outcome": estimate(self.draws)}

    def against(self) -> dict[str, Any]:
        """What the plan changes against today as it is."""
        money = {"today": self.spend, "planned": self.budget}
        draws = {"today": self.draws, "planned": self.planned_draws}
        return {
            "spend": self.budget - self.spend,
            "outcome": gain(self.planned_draws, self.draws),
            "roi": {key: estimate(draws[key] / money[key]) for key in money},
            "profit": self._profit(money, draws),
        }

    def _profit(
        self, money: dict[str, float], draws: dict[str, np.ndarray]
    ) -> dict[str, Any] | None:
        if self.margin is None:
            return None
        profit = {key: self.margin * draws[key] - money[key] for key in money}
        return {
            "margin": self.margin,
            **{key: estimate(each) for key, each in profit.items()},
            "gain": gain(profit["planned"], profit["today"]),
        }


def difference(
    after: Float[np.ndarray, " draw"], before: Float[np.ndarray, " draw"]
) -> Float[np.ndarray, " draw"]:
    """After less before; exactly zero where only rounding to cents is between them."""
    gained = after - before
    scale = max(float(np.abs(after).mean()), float(np.abs(before).mean()))
    return gained if np.abs(gained).max() > NOTHING * scale else np.zeros_like(gained)


def gain(
    after: Float[np.ndarray, " draw"], before: Float[np.ndarray, " draw"]
) -> dict[str, float]:
    """Estimate of a difference, and the probability that it is above zero."""
    gained = difference(after, before)
    return estimate(gained) | {"probability_positive": probability_positive(gained)}
