"""Rule: whether the draws say that a plan is worth changing to.

A split is worth changing to when three things hold: the chance that it beats what it is
compared with is at least 80 %, it gains on average, and what it is meant to make large
grows by at least 0.5 % of today's outcome (`advise`). The advice is `change` when the
fit is trustworthy, too, when all that still holds if a tenth of what any one channel
seems to bring would have come anyway, and when a plan of another budget likely makes
more profit than today as it is (`settled`). `test` says that a lift test comes first
(`core.plan.advice.lift_test`). Otherwise it is `keep`, with the reason.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from core.plan.record.parts import Estimate, Turn
from core.text import percent, probability, sentence

#: Least probability that a plan beats the current split for the advice to change.
PROBABLE = 0.8
#: Least gain worth changing for, as a share of the current split's outcome.
MATERIAL = 0.005
#: Hidden demand that a change must survive: the share of what any one channel that the
#: plan moves seems to bring which may have come anyway.
SURVIVED = 0.1
#: What a plan is compared with, unless something else is said.
SPLIT = "the current split"


class Advice(NamedTuple):
    """`change`, `test` or `keep`, and why."""

    advice: str
    reasons: tuple[str, ...]

    @property
    def is_change(self) -> bool:
        """Whether to follow the plan."""
        return self.advice == "change"


def is_supported(
    gain: Float[np.ndarray, "draw ..."],
    growth: Float[np.ndarray, "..."] | float,
    outcome: Float[np.ndarray, "..."] | float,
    *,
    material: float = MATERIAL,
) -> Bool[np.ndarray, "..."] | np.bool:
    """Whether the draws support a change, in any number of cases at once.

    Args:
        gain: Outcome of the plan minus that of what it is compared with.
        growth: Growth of the objective (the mean gain, or of a quantile).
        outcome: Mean outcome of what it is compared with.
        material: Least growth worth changing for, as a share of that outcome.
    """
    is_likely = (gain > 0).mean(axis=0) >= PROBABLE
    return is_likely & (gain.mean(axis=0) > 0) & (growth >= material * np.abs(outcome))


def advise(
    gain: Float[np.ndarray, " draw"],
    growth: float,
    outcome: float,
    *,
    verdict: str | None = None,
    material: float = MATERIAL,
    over: str = SPLIT,
) -> Advice:
    """Whether the plan is worth changing for, in words.

    Args:
        gain: See `is_supported`.
        growth: See `is_supported`.
        outcome: See `is_supported`.
        verdict: The fit's: a `failed` one supports no change.
        material: See `is_supported`.
        over: What the plan is compared with.
    """
    against = []
    if verdict == "failed":
        against.append("the fit failed its checks, so its draws support no change")
    chance = float((gain > 0).mean())
    if not gain.any():
        against.append(f"it is {over}: nothing changes")
    elif chance < PROBABLE:
        against.append(
            f"it beats {over} with a probability of {probability(chance)} only, "
            f"less than {probability(PROBABLE)}"
        )
    if gain.any() and gain.mean() <= 0:
        against.append("it gains nothing on average")
    elif gain.any() and growth < material * abs(outcome):
        share = growth / abs(outcome) if outcome else 0.0
        against.append(
            f"it would gain {percent(share, decimals=2)} of today's outcome, less than "
            f"{100 * material:g}\u00a0%"
        )
    if against:
        return Advice("keep", tuple(sentence(reason) for reason in against))
    said = f"it beats {over} with a probability of {probability(chance)}"
    return Advice("change", (sentence(said),))


def settled(
    advice: Advice,
    *,
    verdict: str | None = None,
    turns: Sequence[Turn] = (),
    profit: Estimate | None = None,
) -> Advice:
    """The advice on a plan, where that on its split is `change`; the same otherwise.

    One rule for plans of channels, geos and weeks.

    Args:
        advice: On the split.
        verdict: The fit's: only a trustworthy one, or none, supports a change.
        turns: How much hidden demand turns the advice on the split.
        profit: Gain of profit over today as it is; None where the budget is today's,
            where the outcome is no money, or where a goal was set.
    """
    if not advice.is_change:
        return advice
    against = []
    if verdict not in (None, "trustworthy"):
        against.append(
            f"the fit is {verdict}: resolve what its verdict names before budget moves"
        )
    frail = [turn for turn in turns if is_frail(turn)]
    if frail:
        against.append(
            f"it would not be worth it if {percent(SURVIVED)} of what "
            f"{frail[0].channel} seems to bring would have come anyway"
        )
    if profit is not None and profit["probability_positive"] < PROBABLE:
        odds = probability(profit["probability_positive"])
        against.append(
            f"against today as it is, profit grows with a probability of {odds} only; "
            f"the split is advised at this budget, the budget is not"
        )
    if not against:
        return advice
    reasons = tuple(sentence(reason) for reason in against)
    return Advice("keep", (*reasons, *advice.reasons))


def is_frail(turn: Turn) -> bool:
    """Whether less hidden demand than a change must survive turns the advice."""
    return turn.share is not None and turn.share < SURVIVED - _BISECTED


#: A turning share is known to this (`core.plan.advice.robustness`).
_BISECTED = 1e-3
