"""Scenario: what a plan must keep to, and what it is to make as large as possible."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core.errors import PlanError
from core.plan.curves import ResponseCurves
from core.plan.limits import ChannelLimits, Money, limit_faults, sum_faults

__all__ = ["DEFAULT_BOUNDS", "ChannelLimits", "Scenario", "quantile_of", "scenario"]

Range = tuple[float, float]

#: Limits of a channel that has none of its own, as multiples of current spend.
DEFAULT_BOUNDS: Range = (0.7, 1.3)
_QUANTILE = re.compile(r"p([0-9]{1,2})")


def quantile_of(objective: str) -> float | None:
    """The quantile that an objective such as `p10` maximises; None for the mean.

    Raises:
        PlanError: The objective is unknown.
    """
    if objective == "mean":
        return None
    match = _QUANTILE.fullmatch(objective)
    if not match or not 1 <= int(match[1]) <= 99:
        raise PlanError(
            f"Objective {objective!r} is unknown.",
            hint="Use mean, or a quantile of the outcome from p1 to p99; p10 is the "
            "outcome that nine draws in ten exceed.",
            where="objective",
        )
    return int(match[1]) / 100


@dataclass(frozen=True)
class Scenario:
    """One wish: spend a budget within limits so that an objective is largest.

    Attributes:
        budget: Currency, over as many periods as the model was fitted on.
        channels: Limits of every paid channel.
        objective: `mean`, or a quantile of the draws such as `p10`.
        currency: For messages.
    """

    budget: float
    channels: tuple[ChannelLimits, ...]
    objective: str = "mean"
    currency: str = ""

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse what cannot be met, with the smallest change that could be.

        Args:
            names: Channels that have response curves.

        Raises:
            PlanError: One fault or several; `findings` has every one.
        """
        quantile_of(self.objective)
        money = Money(self.currency)
        faults = limit_faults(self.budget, self.channels, names, money)
        faults = faults or sum_faults(self.budget, self.channels, money)
        if faults:
            more = f" ({len(faults) - 1} more like it.)" if len(faults) > 1 else ""
            raise PlanError(
                faults[0].message + more,
                hint=faults[0].hint,
                where=faults[0].where,
                findings=faults,
            )

    def ranges(
        self, names: tuple[str, ...]
    ) -> tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]]:
        """Least and most spend in the order of the names."""
        by_name = {limits.name: limits.range for limits in self.channels}
        low, high = np.array([by_name[name] for name in names], dtype=float).T
        return low, high


def scenario(
    curves: ResponseCurves,
    *,
    budget: float | None = None,
    bounds: Range = DEFAULT_BOUNDS,
    channel_bounds: Mapping[str, Range] | None = None,
    money: Mapping[str, Range] | None = None,
    locked: Mapping[str, float | None] | None = None,
    scaled: bool = False,
    objective: str = "mean",
) -> Scenario:
    """A scenario from limits as people state them, checked.

    Args:
        curves: The fit's response curves.
        budget: Currency; None for what was spent.
        bounds: Least and most spend as multiples of each channel's current spend.
        channel_bounds: The same for single channels.
        money: Least and most spend of single channels, currency.
        locked: Channels to leave alone: the spend to keep, None for current spend.
        scaled: Multiples are of current spend scaled to the new budget.
        objective: See `Scenario`.

    Raises:
        PlanError: The wish cannot be met.
    """
    channel_bounds, money, locked = channel_bounds or {}, money or {}, locked or {}
    total = float(curves.spend.sum())
    budget = total if budget is None else float(budget)
    scale = budget / total if scaled and math.isfinite(budget) else 1.0
    current = dict(zip(curves.names, curves.spend.tolist(), strict=True))
    rows = []
    for name in _all_names(current, channel_bounds, money, locked):
        base = current.get(name, math.nan) * scale
        low, high = (base * bound for bound in channel_bounds.get(name, bounds))
        low, high = money.get(name, (low, high))
        lock = locked.get(name)
        if name in locked:
            lock = current.get(name, math.nan) if lock is None else float(lock)
            if name not in channel_bounds and name not in money:
                low, high = lock, lock
        rows.append(ChannelLimits(name, float(low), float(high), lock))
    wish = Scenario(budget, tuple(rows), objective, curves.currency)
    wish.check(curves.names)
    return wish


def _all_names(*named: Mapping[str, object]) -> list[str]:
    """Every name once, curves first, so that unknown ones are found by the check."""
    return list(dict.fromkeys(name for names in named for name in names))
