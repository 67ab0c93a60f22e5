"""Measure: what a plan makes as large as possible, a number of its outcome's draws.

mean         the expected outcome
p10          a quantile: the outcome that nine draws in ten exceed
cvar10       the mean of the worst tenth of the draws
reach:41e6   the probability that the outcome is at least this
"""

import math
import re
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.data.cells.typed import typed_amount
from core.errors import PlanError, ValueRangeError

_GOAL = "reach:"
_WRITTEN = re.compile(r"(p|cvar)([0-9]{1,2})")


class Measure(NamedTuple):
    """One number of draws: its kind, and a share or (`reach`) an outcome."""

    kind: str
    level: float = 0.0

    def of(
        self, outcome: Float[np.ndarray, "draw ..."]
    ) -> Float[np.ndarray, "..."] | float:
        """The number, over the first axis."""
        if self.kind == "mean":
            return outcome.mean(axis=0)
        if self.kind == "quantile":
            return _quantile(outcome, self.level)
        if self.kind == "reach":
            return (outcome >= self.level).mean(axis=0)
        weight = tail_weights(len(outcome), self.level)
        return np.tensordot(weight, np.sort(outcome, axis=0), axes=(0, 0))

    def growth(
        self,
        before: Float[np.ndarray, "draw ..."],
        after: Float[np.ndarray, "draw ..."],
    ) -> Float[np.ndarray, "..."] | float:
        """What the number gains, as outcome; odds are none, so the mean's gain then."""
        if self.kind == "reach":
            return after.mean(axis=0) - before.mean(axis=0)
        return self.of(after) - self.of(before)

    def share(self, outcome: Float[np.ndarray, " draw"]) -> float:
        """Share of draws below the place that decides."""
        if self.kind == "reach":
            return float((outcome < self.level).mean())
        return self.level


def _quantile(
    outcome: Float[np.ndarray, "draw ..."], level: float
) -> Float[np.ndarray, "..."] | float:
    """`np.quantile` over the first axis, without what it costs to call."""
    place = level * (len(outcome) - 1)
    low = int(place)
    high = min(low + 1, len(outcome) - 1)
    sorted_there = np.partition(outcome, (low, high), axis=0)
    below, above = sorted_there[low], sorted_there[high]
    return below + (place - low) * (above - below)


def tail_weights(n_draws: int, share: float) -> Float[np.ndarray, " rank"]:
    """Weights of the draws from worst to best whose sum is the mean of the worst."""
    whole = share * n_draws
    return np.clip(whole - np.arange(n_draws), 0.0, 1.0) / whole


def goal_of(objective: str) -> float | None:
    """The outcome that an objective is the odds of; None of any other objective.

    Raises:
        PlanError: The objective is unknown.
    """
    is_goal = objective.startswith(_GOAL)
    return measure_of(objective).level if is_goal else None


def measure_of(objective: str) -> Measure:
    """The measure that an objective names.

    Raises:
        PlanError: The objective is unknown.
    """
    if objective == "mean":
        return Measure("mean")
    match = _WRITTEN.fullmatch(objective)
    if match and 1 <= int(match[2]) <= 99:
        kind = "quantile" if match[1] == "p" else "cvar"
        return Measure(kind, int(match[2]) / 100)
    if objective.startswith(_GOAL):
        try:
            goal = typed_amount(objective.removeprefix(_GOAL).replace("_", ""))
        except ValueRangeError:
            goal = math.nan
        if math.isfinite(goal) and goal > 0:
            return Measure("reach", goal)
    raise PlanError(
        f"Objective {objective!r} is unknown.",
        hint="Use mean; a quantile of the outcome from p1 to p99 (p10 is the outcome "
        "that nine draws in ten exceed); cvar10, the mean of the worst tenth; or "
        "reach:X, the probability that the outcome is at least X.",
        where="objective",
    )
