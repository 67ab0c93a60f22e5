"""Domain: which splits of money a scenario allows.

A channel spends between its limits, or nothing where it may be off, perhaps in whole
steps. Rows are joint limits, linear in spend: the first is the budget, the others are
groups of channels.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float


class Domain(NamedTuple):
    """Splits that are allowed.

    Attributes:
        low: Least spend of a channel that is on, currency.
        high: Most spend.
        off: Whether a channel may spend nothing instead.
        step: Spend comes in multiples of this; 0 for any amount.
        rows: Weights of the joint limits; the first row is the budget.
        least: Smallest weighted sum of each row.
        most: Largest.
    """

    low: Float[np.ndarray, " channel"]
    high: Float[np.ndarray, " channel"]
    off: Bool[np.ndarray, " channel"]
    step: Float[np.ndarray, " channel"]
    rows: Float[np.ndarray, "row channel"]
    least: Float[np.ndarray, " row"]
    most: Float[np.ndarray, " row"]

    @property
    def is_simple(self) -> bool:
        """Whether only a fixed budget joins the channels, each free in its range."""
        is_fixed = bool(self.least[0] == self.most[0])
        return len(self.rows) == 1 and is_fixed and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether channels may take every amount in their range."""
        return not (self.off.any() or self.step.any())

    @property
    def floor(self) -> Float[np.ndarray, " channel"]:
        """Least spend, on or off."""
        return np.where(self.off, 0.0, self.low)

    @property
    def budgets(self) -> tuple[float, float]:
        """Least and most of the budget."""
        return float(self.least[0]), float(self.most[0])

    def with_budget(self, budget: float) -> "Domain":
        """The same with a fixed budget."""
        least, most = self.least.copy(), self.most.copy()
        least[0] = most[0] = budget
        return self._replace(least=least, most=most)

    def around(self, spend: Float[np.ndarray, " channel"]) -> "Domain":
        """The part in which the same channels are on, in any amount."""
        is_off = self.off & (spend < 0.5 * self.low)
        return self._replace(
            low=np.where(is_off, 0.0, self.low),
            high=np.where(is_off, 0.0, self.high),
            off=np.zeros_like(self.off),
            step=np.zeros_like(self.step),
        )

    def keeps(
        self, spend: Float[np.ndarray, "*plan channel"], slack: float
    ) -> Bool[np.ndarray, "*plan"] | np.bool:
        """Whether joint limits hold within a slack, currency."""
        sums = spend @ self.rows.T
        return ((sums >= self.least - slack) & (sums <= self.most + slack)).all(axis=-1)


def simple_domain(
    low: Float[np.ndarray, " channel"],
    high: Float[np.ndarray, " channel"],
    budget: float,
) -> Domain:
    """A fixed budget and a range per channel."""
    none = np.zeros(len(low))
    total = np.array([budget], dtype=float)
    return Domain(low, high, none > 0, none, np.ones((1, len(low))), total, total)


def nearest_steps(
    places: Float[np.ndarray, "channel place"], step: Float[np.ndarray, " channel"]
) -> tuple[Float[np.ndarray, "channel place"], Float[np.ndarray, "channel place"]]:
    """The multiples of the step below and above; the place itself without a step."""
    size = np.where(step > 0, step, 1.0)[:, None]
    count = places / size
    near = np.round(count)
    count = np.where(np.abs(count - near) < 1e-9 * np.maximum(near, 1.0), near, count)
    free = step[:, None] <= 0
    below = np.where(free, places, np.floor(count) * size)
    return below, np.where(free, places, np.ceil(count) * size)
