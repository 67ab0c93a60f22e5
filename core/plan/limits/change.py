"""Change: by how much a channel's spend may change from one week to the next.

    x_t <= (1 + p) x_t-1    x_t >= (1 - p) x_t-1    a share p of the week before
    x_t <= x_t-1 + m        x_t >= x_t-1 - m        or money m

A change is free where one of its weeks is dark, so that a channel may pause and come
back, and between two booked weeks, which are decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from core.plan.limits.polytope import Rows


@dataclass(frozen=True)
class Change:
    """Limits of change, per channel.

    Attributes:
        share: Largest change as a share of the week before; NaN where there is none.
        amount: Largest change in currency; NaN where there is none.
        free: Changes without a limit; channel, and pair of neighbouring weeks.
    """

    share: Float[np.ndarray, " channel"]
    amount: Float[np.ndarray, " channel"]
    free: Bool[np.ndarray, "channel pair"]

    @property
    def rise(self) -> Float[np.ndarray, "channel 1"]:
        """The multiple of the week before that a week may be, before money."""
        return 1 + np.nan_to_num(self.share)[:, None]

    @property
    def fall(self) -> Float[np.ndarray, "channel 1"]:
        """The multiple of the week before that a week has to be, before money."""
        return np.maximum(1 - np.nan_to_num(self.share), 0.0)[:, None]

    @property
    def room(self) -> Float[np.ndarray, "channel pair"]:
        """What a week may exceed that multiple by, currency; inf where it is free."""
        return np.where(self.free, np.inf, np.nan_to_num(self.amount)[:, None])

    def of(self, place: int) -> "Change":
        """The limits of one channel."""
        part = slice(place, place + 1)
        return Change(self.share[part], self.amount[part], self.free[part])

    def at_least(self, *, share: float = 0.0, amount: float = 0.0) -> "Change":
        """With smaller limits raised to these; NaN stays."""
        return replace(
            self,
            share=np.maximum(self.share, share),
            amount=np.maximum(self.amount, amount),
        )


def change_of(
    shares: Sequence[float] | Float[np.ndarray, " channel"],
    amounts: Sequence[float] | Float[np.ndarray, " channel"],
    low: Float[np.ndarray, "channel week"],
    high: Float[np.ndarray, "channel week"],
) -> Change | None:
    """Limits of change; None where nothing is limited.

    Args:
        shares: Per channel; NaN or inf for none.
        amounts: Per channel; NaN or inf for none.
        low: Least spend of a week; a week is booked where it is the most.
        high: Most spend of a week.
    """
    share, amount = (np.array(limits, float) for limits in (shares, amounts))
    share[np.isinf(share)] = amount[np.isinf(amount)] = np.nan
    is_limited = ~(np.isnan(share) & np.isnan(amount))
    booked = low == high
    dark = booked & (high == 0)
    free = dark[:, :-1] | dark[:, 1:] | (booked[:, :-1] & booked[:, 1:])
    free = free | ~is_limited[:, None]
    return None if free.all() else Change(share, amount, free)


def change_rows(change: Change, names: Sequence[str], columns: Sequence[str]) -> Rows:
    """Limits of change as rows over the cells of channels and weeks.

    Of every pair that has a limit, first x_t - rise x_t-1 <= m, then fall x_t-1 - x_t
    <= m.

    Args:
        change: The limits.
        names: Channels.
        columns: What weeks are called.
    """
    channel, pair = np.nonzero(~change.free)
    n, before = len(channel), channel * len(columns) + pair
    rise, fall = change.rise[channel, 0], change.fall[channel, 0]
    ones, row = np.ones(n), np.arange(n)
    lines = tuple(
        f"the change of {names[c]} to {columns[t + 1]}"
        for c, t in zip(channel, pair, strict=True)
    )
    return Rows(
        lines * 2,
        np.concatenate([row, row, row + n, row + n]),
        np.concatenate([before + 1, before, before + 1, before]),
        np.concatenate([ones, -rise, -ones, fall]),
        np.full(2 * n, -np.inf),
        np.tile(change.room[channel, pair], 2),
    )
