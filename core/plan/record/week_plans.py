"""Plans of weeks side by side: what they cost, and what their budgets do to profit."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.advice.robustness import profit_over
from core.plan.advice.rule import Profit
from core.plan.record.parts import AgainstToday

Spend = Float[np.ndarray, "channel week"]


class WeekPlans(NamedTuple):
    """Something of the best plan, of those it is compared with, and of today's spend.

    Attributes:
        planned: The best plan.
        current: The pattern and split of the year before, scaled to the budget.
        even: Its split, the same in every week.
        fixed: The pattern of the year before with the best split.
        today: Today's spend as it is.
    """

    planned: Any
    current: Any
    even: Any
    fixed: Any
    today: Any

    def each(self, of: Callable[[Any], Any]) -> "WeekPlans":
        """The same of every plan."""
        return WeekPlans(*map(of, self))


#: Names of the plans, in the order of the stored result.
PLANS = WeekPlans._fields


def cash_of_plans(spends: WeekPlans, induced: WeekPlans | None) -> WeekPlans | None:
    """What plans cost with what they make us spend on mediators, by draw.

    Args:
        spends: Of their own, channel week.
        induced: On mediators, draw channel; None where the budget does not pay for it.
    """
    if induced is None:
        return None
    pairs = zip(spends, induced, strict=True)
    return WeekPlans(*(float(own.sum()) + more.sum(axis=1) for own, more in pairs))


def growth(
    channels: tuple[Sequence[str], tuple[str, ...]],
    change: AgainstToday,
    spend: tuple[Spend, Spend],
    brought: tuple[np.ndarray, np.ndarray],
    over: str,
) -> Profit:
    """What the second of two plans does to profit, at the change of the budget.

    Args:
        channels: Their names, and those that follow demand and have no lift test.
        change: What the plan changes against what ran, its profit included.
        spend: Of the two plans.
        brought: Outcome of the two, draw channel time.
        over: The first plan, in words.
    """
    outcome = tuple(change.profit.margin * each.sum(axis=2) for each in brought)
    totals = tuple(each.sum(axis=1) for each in spend)
    names, cost = tuple(channels[0]), change.spend
    return profit_over(names, totals, outcome, over, cost, untested=channels[1])
