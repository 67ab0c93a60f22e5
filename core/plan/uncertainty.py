"""Uncertainty: what the draws say about a plan, and whether it is worth changing for.

The advice is `change` when three things hold: the chance that the plan beats the
current split is at least 80 %, it gains on average, and what it is meant to make large
grows by at least 0.5 % of today's outcome. Otherwise `keep`, with the reason.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.dims import INTERVAL

#: Least probability that a plan beats the current split for the advice to change.
PROBABLE = 0.8
#: Least gain worth changing for, as a share of the current split's outcome.
MATERIAL = 0.005


class Advice(NamedTuple):
    """`change` or `keep`, and why."""

    advice: str
    reasons: tuple[str, ...]


def estimate(draws: Float[np.ndarray, " draw"]) -> dict[str, float]:
    """Mean, median, standard deviation and 90 % interval of draws."""
    return estimates(draws[:, None])[0]


def estimates(draws: Float[np.ndarray, "draw part"]) -> list[dict[str, float]]:
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


def advise(
    gain: Float[np.ndarray, " draw"],
    objective_gain: float,
    current_outcome: float,
    *,
    verdict: str | None = None,
    material: float = MATERIAL,
) -> Advice:
    """Whether the plan is worth changing for.

    Args:
        gain: Outcome of the plan minus that of the current split.
        objective_gain: Growth of the objective (the mean gain, or of a quantile).
        current_outcome: Mean outcome of the current split.
        verdict: The fit's: a `failed` one supports no change.
        material: Least growth worth changing for, as a share of that outcome.
    """
    against = []
    if verdict == "failed":
        against.append("the fit failed its checks, so its draws support no change")
    probability = probability_positive(gain)
    if probability < PROBABLE:
        against.append(
            f"it beats the current split with a probability of "
            f"{_percent(probability)} only, less than {_percent(PROBABLE)}"
        )
    if gain.mean() <= 0:
        against.append("it gains nothing on average")
    elif objective_gain < material * abs(current_outcome):
        share = objective_gain / abs(current_outcome) if current_outcome else 0.0
        against.append(
            f"it would gain {100 * share:.2f}\u00a0% of today's outcome, less than "
            f"{100 * material:g}\u00a0%"
        )
    if against:
        return Advice("keep", tuple(_sentence(reason) for reason in against))
    said = f"it beats the current split with a probability of {_percent(probability)}"
    return Advice("change", (_sentence(said),))


def _percent(probability: float) -> str:
    """Whole percent, never 0 % or 100 %."""
    percent = round(100 * probability)
    sign = "<\u00a0" if percent < 1 else ">\u00a0" if percent > 99 else ""
    return f"{sign}{min(max(percent, 1), 99)}\u00a0%"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
