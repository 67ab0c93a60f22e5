"""Money in whole steps, so that a budget is met to the cent."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

import numpy as np
from jaxtyping import Bool, Float

_CENT = Decimal("0.01")
_FEWEST_STEPS = 100_000
#: Rounds in which what some cells cannot take goes to the others.
_ROUNDS = 50
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


def whole(amount: float, budget: float) -> float:
    """An amount in the steps that a budget moves by: to the cent, or finer."""
    return round(float(amount), -int(step(budget).as_tuple().exponent))


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
    # By its shortest text: Decimal(0.07) begins 0.07000000000000000666.
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


def with_total(
    amounts: Float[np.ndarray, " cell"],
    free: Bool[np.ndarray, " cell"],
    total: float,
    most: Float[np.ndarray, " cell"] | None = None,
) -> Float[np.ndarray, " cell"]:
    """Amounts whose free ones are rescaled until the sum is the total, in cents.

    Free amounts keep their proportions; one that reaches its most stays there and the
    others take what is left. Where limits do not allow the total, the nearest one is
    reached. Free amounts that are all zero become equal.

    Args:
        amounts: Currency.
        free: Amounts that may change.
        total: Wanted sum.
        most: Most of each amount; none where not given.
    """
    limit = np.full(len(amounts), np.inf) if most is None else most
    amounts_now = np.where(free, 0.0, amounts)
    room = np.where(free, limit, 0.0)
    amount = min(max(total - float(amounts_now.sum()), 0.0), float(room.sum()))
    weights = np.where(free, np.maximum(amounts, 0.0), 0.0)
    if weights.sum() <= 0:
        weights = free.astype(float)
    shares = np.zeros(len(amounts))
    for _ in range(_ROUNDS):
        open_ = free & (shares < room)
        rest = amount - float(shares.sum())
        if rest <= 1e-9 or not (weights * open_).sum() > 0:
            break
        more = rest * weights * open_ / (weights * open_).sum()
        shares = np.minimum(shares + more, room)
    return amounts_now + _in_cents(shares, room, amount)


def _in_cents(
    shares: np.ndarray, room: np.ndarray, amount: float
) -> Float[np.ndarray, " cell"]:
    """Whole cents that add up to as much as is wanted."""
    cents = round(100 * min(amount, float(shares.sum())))
    limits = [
        int(np.floor(100 * most + 1e-6)) if np.isfinite(most) else cents
        for most in room
    ]
    cents = min(cents, sum(limits))
    cents_each = apportion(shares, [0] * len(shares), limits, cents, _CENT)
    return np.array(cents_each) / 100
