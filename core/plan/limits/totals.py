"""Totals: a total that is typed in a plan of weeks, divided among its free cells."""

from decimal import Decimal

import numpy as np
from jaxtyping import Bool, Float

from core.plan.limits.cents import apportion

_CENT = Decimal("0.01")
_ROUNDS = 50


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
    wanted = min(max(total - float(amounts_now.sum()), 0.0), float(room.sum()))
    weights = np.where(free, np.maximum(amounts, 0.0), 0.0)
    if weights.sum() <= 0:
        weights = free.astype(float)
    shares = np.zeros(len(amounts))
    for _ in range(_ROUNDS):
        open_ = free & (shares < room)
        left = wanted - float(shares.sum())
        if left <= 1e-9 or not (weights * open_).sum() > 0:
            break
        more = left * weights * open_ / (weights * open_).sum()
        shares = np.minimum(shares + more, room)
    return amounts_now + _in_cents(shares, room, wanted)


def _in_cents(
    shares: np.ndarray, room: np.ndarray, wanted: float
) -> Float[np.ndarray, " cell"]:
    """Whole cents that add up to as much as is wanted."""
    cents = round(100 * min(wanted, float(shares.sum())))
    limits = [
        int(np.floor(100 * most + 1e-6)) if np.isfinite(most) else cents
        for most in room
    ]
    cents = min(cents, sum(limits))
    cents_each = apportion(shares, [0] * len(shares), limits, cents, _CENT)
    return np.array(cents_each) / 100
