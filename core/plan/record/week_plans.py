"""Plans of weeks side by side, and what they cost."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

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
