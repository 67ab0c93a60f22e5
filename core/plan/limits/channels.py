"""Limits of channels and of groups, as people state them, and faults of each alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.data.reading.findings import Finding
from core.plan.limits.buying import Buying
from core.plan.limits.findings import fault, unknown
from core.text import cents

#: Limits of a channel that has none of its own, as multiples of its spend before.
DEFAULT_BOUNDS: tuple[float, float] = (0.7, 1.3)


#: Largest budget: amounts beyond it are no longer known to the unit of currency.
_LARGEST = 1e15


class Money(NamedTuple):
    """How amounts are written in messages."""

    currency: str

    def __call__(self, amount: float) -> str:
        """The amount to the cent, with its currency."""
        return cents(amount, self.currency)


@dataclass(frozen=True)
class ChannelLimits(Buying):
    """What one channel may spend, and how it is bought.

    Attributes:
        name: The channel.
        low: Least spend, currency.
        high: Most spend, currency.
        locked: Spend that is fixed, currency; None for a free channel.
        by_period: The prices of single periods that `price` is the average of.
    """

    name: str
    low: float
    high: float
    locked: float | None = None
    by_period: tuple[float, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every amount within the limits will do."""
        return self.locked is not None or not (self.may_be_off or self.step > 0)

    @property
    def range(self) -> tuple[float, float]:
        """Least and most spend, with the lock."""
        return (self.low, self.high) if self.locked is None else (self.locked,) * 2


#: What channels with a joint limit can be together.
GROUPED = ("group", "project", "kind")


@dataclass(frozen=True)
class Group:
    """Joint limits of several channels.

    Attributes:
        name: The group.
        channels: Its channels.
        low: Least spend in total, currency.
        high: Most spend in total.
        low_share: Least share of the budget, 0 to 1.
        high_share: Largest share of the budget.
        of: What the channels are together: a group that somebody made, the `project` of
            a portfolio or a `kind` of channel.
    """

    name: str
    channels: tuple[str, ...]
    low: float = 0.0
    high: float = math.inf
    low_share: float = 0.0
    high_share: float = 1.0
    of: str = "group"

    @property
    def title(self) -> str:
        """What it is called in a sentence."""
        return f"{self.of} {self.name}"


def group_faults(
    groups: Sequence[Group], names: tuple[str, ...], money: Money
) -> list[Finding]:
    """Faults of single groups."""
    faults = []
    named = [group.name for group in groups]
    for name in sorted({name for name in named if named.count(name) > 1}):
        faults.append(fault(name, f"Group {name} is defined twice.", "Keep one."))
    for group in groups:
        said = group.title
        unknown_names = [name for name in group.channels if name not in names]
        amounts = (group.low, group.low_share, group.high_share)
        if not group.channels:
            faults.append(fault(group.name, f"The {said} is empty.", "Add channels."))
        elif unknown_names:
            faults.append(unknown("channel", unknown_names[0], names))
        elif not all(map(math.isfinite, amounts)) or math.isnan(group.high):
            faults.append(
                fault(group.name, f"A limit of {said} is not a number.", "Give one.")
            )
        elif min(*amounts, group.high) < 0:
            faults.append(
                fault(
                    group.name,
                    f"A limit of {said} is negative.",
                    "Spend cannot be below 0.",
                )
            )
        elif group.low > group.high or group.low_share > group.high_share:
            faults.append(
                fault(
                    group.name,
                    f"The minimum of {said} is above its maximum.",
                    f"Lower the minimum to {money(group.high)}."
                    if group.low > group.high
                    else f"Lower the minimum to {100 * group.high_share:g} %.",
                )
            )
    return faults


def budget_faults(budget: float, money: Money) -> list[Finding]:
    """What is wrong with the number that a budget is."""
    if not math.isfinite(budget) or budget <= 0:
        said = money(budget) if math.isfinite(budget) else "not a number"
        return [fault("budget", f"The budget is {said}.", "Give one above 0.")]
    if budget > _LARGEST:
        said, most = money(budget), money(_LARGEST)
        message = f"The budget is {said}, more than the {most} that can be planned."
        return [fault("budget", message, "Give a smaller one.")]
    return []


def limit_faults(
    budget: float,
    channels: Sequence[ChannelLimits],
    names: tuple[str, ...],
    money: Money,
) -> list[Finding]:
    """Faults of single numbers: the budget, or the limits of one channel."""
    faults = budget_faults(budget, money)
    limited = [limits.name for limits in channels]
    for name in sorted({name for name in limited if limited.count(name) > 1}):
        faults.append(fault(name, f"Channel {name} has limits twice.", "Keep one."))
    for name in sorted(set(names) - set(limited)):
        faults.append(
            fault(name, f"Channel {name} has no limits.", "Give a least and a most.")
        )
    for limits in channels:
        if limits.name not in names:
            faults.append(unknown("channel", limits.name, names))
        else:
            faults.extend(_channel_faults(limits, money))
    return faults


def _channel_faults(limits: ChannelLimits, money: Money) -> list[Finding]:
    name, lock = limits.name, limits.locked
    numbers = [limits.low, limits.high] + ([] if lock is None else [lock])
    if not all(math.isfinite(number) for number in numbers):
        return [fault(name, f"A limit of channel {name} is not a number.", "Give one.")]
    if min(numbers) < 0:
        return [
            fault(
                name,
                f"A limit of channel {name} is negative: {money(min(numbers))}.",
                "Spend cannot be below 0.",
            )
        ]
    if not math.isfinite(limits.step) or limits.step < 0:
        message = "Give an amount above 0, or none."
        return [fault(name, f"The step of channel {name} is not an amount.", message)]
    if limits.low > limits.high:
        return [
            fault(
                name,
                f"The minimum of channel {name} ({money(limits.low)}) is above its "
                f"maximum ({money(limits.high)}).",
                f"Lower the minimum or raise the maximum by "
                f"{money(limits.low - limits.high)}.",
            )
        ]
    # Limits and lock are rounded to cents, each for itself.
    if lock is not None and not limits.low - 0.01 <= lock <= limits.high + 0.01:
        nearest = limits.low if lock < limits.low else limits.high
        side = "minimum" if lock < limits.low else "maximum"
        return [
            fault(
                name,
                f"Channel {name} is locked at {money(lock)}, outside its limits of "
                f"{money(limits.low)} to {money(limits.high)}.",
                f"Unlock it, move its {side} to {money(lock)}, or lock it at "
                f"{money(nearest)}.",
            )
        ]
    return []
