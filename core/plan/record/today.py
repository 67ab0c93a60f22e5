"""Today: what the spend of the data brings as it is, and a plan beside it.

A plan of another budget has two comparisons. Against last year's split, scaled to the
plan's budget, it says what the split is worth; against what ran, what the plan
as a whole changes: spend, outcome, profit, ROI.
"""

import msgspec
import numpy as np
from jaxtyping import Float

from core.estimate import Estimate, estimate, gain_of
from core.plan.limits.cents import NOTHING, difference
from core.plan.record.parts import AgainstToday, Goal, Profit, Returns, Today


def is_limited(now: float, current: float) -> bool:
    """Whether what ran differs from what a plan's limits make of it.

    Args:
        now: Outcome of the spend that ran.
        current: That of the spend which the plan is compared with; the same budget.
    """
    return abs(now - current) > NOTHING * abs(now)


def against_today(
    spend: tuple[float, float],
    draws: tuple[Float[np.ndarray, " draw"], Float[np.ndarray, " draw"]],
    margin: float | None,
) -> tuple[Today, AgainstToday]:
    """What ran, and what a plan changes against it.

    Args:
        spend: Of today and of the plan, currency, all channels.
        draws: Outcome of both.
        margin: Profit before media per unit of outcome; None where the outcome is no
            money and no margin was asked for.
    """
    (now, budget), (before, after) = spend, draws
    change = AgainstToday(
        spend=budget - now,
        outcome=gain(after, before),
        roi=Returns(estimate(before / now), estimate(after / budget)),
        profit=None,
    )
    if margin is not None:
        today, planned = margin * before - now, margin * after - budget
        profit = Profit(
            margin=margin,
            today=estimate(today),
            planned=estimate(planned),
            gain=gain(planned, today),
        )
        change = msgspec.structs.replace(change, profit=profit)
    return Today(now, estimate(before)), change


def at_plan_prices(today: Today, ran: Float[np.ndarray, " draw"]) -> Today:
    """What ran, where a plan's media costs otherwise than it did.

    Args:
        today: With the outcome of today's spend at the plan's prices.
        ran: Outcome of the media as it ran.
    """
    return Today(today.spend, estimate(ran), at_plan_prices=today.outcome)


def gain(
    after: Float[np.ndarray, " draw"], before: Float[np.ndarray, " draw"]
) -> Estimate:
    """Estimate of a difference, and the probability that it is above zero."""
    return gain_of(difference(after, before))


def reached(
    kind: str, target: float, outcome: Float[np.ndarray, " draw"], budget: float
) -> Goal:
    """What a budget was found for, other than profit over channels, and what it brings.

    Args:
        kind: Of the goal.
        target: Of it.
        outcome: Of the plan, per draw.
        budget: That was found, currency.
    """
    if kind == "outcome":
        return Goal(
            kind=kind, target=target, probability=float((outcome >= target).mean())
        )
    roi = estimate(outcome / budget) if kind == "roi" else None
    return Goal(kind=kind, target=target, roi=roi)
