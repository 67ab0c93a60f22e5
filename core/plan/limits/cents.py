"""Money in whole steps, so that a budget is met to the cent."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

import numpy as np
from jaxtyping import Float

_CENT = Decimal("0.01")
_FEWEST_STEPS = 100_000
#: Gains below this share of the outcome are what is left of rounding to cents.
NOTHING = 1e-6


def step(budget: float) -> Decimal:
    """The smallest amount a plan moves: one cent, or less for tiny budgets.

    A budget given in millions (121.74) is still split into 100,000 steps or more.
    """
    size = _CENT
    while budget > 0 and Decimal(budget) / size < _FEWEST_STEPS and size > 1e-12:
        size /= 10
    return size


def is_another(budget: float, spend: float) -> bool:
    """Whether a budget is another than a spend, apart from rounding to cents."""
    return bool(abs(budget - spend) > max(float(step(budget)), 1e-6 * abs(spend)))


def difference(
    after: Float[np.ndarray, " draw"], before: Float[np.ndarray, " draw"]
) -> Float[np.ndarray, " draw"]:
    """After less before; exactly zero where only rounding to cents is between them."""
    gained = after - before
    scale = max(float(np.abs(after).mean()), float(np.abs(before).mean()))
    return gained if np.abs(gained).max() > NOTHING * scale else np.zeros_like(gained)


def in_steps(amount: float, size: Decimal, *, rounding: str = ROUND_HALF_EVEN) -> int:
    """The amount in whole steps, to the nearest unless said otherwise."""
    return int((Decimal(repr(float(amount))) / size).to_integral_value(rounding))


def limits_in_steps(
    low: Float[np.ndarray, " channel"],
    high: Float[np.ndarray, " channel"],
    size: Decimal,
) -> tuple[list[int], list[int]]:
    """Limits in whole steps, widened by less than a step so that each can be met."""
    floors = [in_steps(amount, size, rounding=ROUND_FLOOR) for amount in low]
    ceilings = [in_steps(amount, size, rounding=ROUND_CEILING) for amount in high]
    return floors, ceilings


def in_money(steps: Sequence[int], size: Decimal) -> Float[np.ndarray, " channel"]:
    """Whole steps as currency."""
    return np.array([float(count * size) for count in steps])


def apportion(
    spend: Float[np.ndarray, " channel"],
    low: Sequence[int],
    high: Sequence[int],
    budget: int,
    size: Decimal,
) -> list[int]:
    """Spend in whole steps that add up to the budget, by largest remainder.

    Args:
        spend: Spend within the limits that adds up to the budget, currency.
        low: Least steps per channel.
        high: Most steps per channel.
        budget: Steps to hand out, between the sums of the limits.
        size: Currency per step.
    """
    exact = spend / float(size)
    steps = [
        min(max(int(np.floor(amount)), floor), ceiling)
        for amount, floor, ceiling in zip(exact, low, high, strict=True)
    ]
    order = list(np.argsort(np.array(steps) - exact, kind="stable"))
    missing = budget - sum(steps)
    while missing > 0:
        for channel in order:
            if missing and steps[channel] < high[channel]:
                steps[channel] += 1
                missing -= 1
    while missing < 0:
        for channel in reversed(order):
            if missing and steps[channel] > low[channel]:
                steps[channel] -= 1
                missing += 1
    return steps
