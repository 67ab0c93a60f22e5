"""Limit costs: what each limit that binds takes from the plan.

A limit costs what the best plan without it would bring more. Beside it stands its
price, what a little room would bring: an amount more in a channel that is at its most
(or less in one that is at its least), taken from, or given to, the channels that are
free to move.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.errors import PlanError
from core.estimate import Estimate
from core.plan.limits.cents import step
from core.plan.limits.channels import ChannelLimits
from core.plan.record.today import gain
from core.plan.response.belief import believed
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.scenario import Scenario
from core.plan.solve.branch_and_price import best_in

#: How far a channel's most is lifted, times today's spend.
_LIFTED = 2.0


class LimitCost(NamedTuple):
    """What one limit takes from a plan.

    Attributes:
        name: The channel or group.
        kind: `most`, `least`, `locked` or `group`.
        cost: Outcome that the best plan without it would bring more.
        room: What a unit of currency of room would bring; None for groups.
        beyond_seen: Whether the plan without it goes beyond observed spend, as its
            limits allow.
    """

    name: str
    kind: str
    cost: Estimate
    room: float | None
    beyond_seen: bool


def limit_costs(
    curves: ResponseCurves, scenario: Scenario, spend: dict[str, float]
) -> tuple[LimitCost, ...]:
    """The limits that bind, the dearest first.

    Plans are compared by their expected outcome, whatever the plan made large. A most
    is lifted to twice today's spend: far beyond it single steep draws promise anything.

    Args:
        curves: All draws.
        scenario: Of the plan, with its budget.
        spend: The plan's, by channel, currency.
    """
    curves = scenario.as_bought(believed(curves, scenario.beliefs))
    planned = np.array([spend[name] for name in curves.names])
    now = curves.outcome(planned).sum(axis=1)
    margin = curves.marginal(planned).mean(axis=0)
    low, high = scenario.ranges(curves.names)
    ends = _LIFTED * curves.spend
    size = float(step(scenario.budget))
    free = (planned > low + size) & (planned < high - size)
    price = margin[free].mean() if free.any() else np.median(margin)
    costs = []
    for limits in scenario.channels:
        at = curves.names.index(limits.name)
        kind = _kind(limits, planned[at], (low[at], high[at]), size)
        if kind is None:
            continue
        most = min(scenario.budget, max(high[at], ends[at]))
        cost = _cost(curves, _without(scenario, limits, most), now)
        if cost is not None:
            room = float(price - margin[at] if kind == "least" else margin[at] - price)
            costs.append(LimitCost(limits.name, kind, cost[0], room, cost[1]))
    for group in scenario.groups:
        others = tuple(each for each in scenario.groups if each != group)
        cost = _cost(curves, replace(scenario, groups=others), now)
        if cost is not None:
            costs.append(LimitCost(group.name, "group", cost[0], None, cost[1]))
    return tuple(sorted(costs, key=lambda each: -each.cost.mean))


def _kind(
    limits: ChannelLimits, planned: float, ends: tuple[float, float], size: float
) -> str | None:
    """Which limit of a channel binds; None where none does."""
    if limits.locked is not None:
        return "locked"
    if planned >= ends[1] - size:
        return "most"
    return "least" if planned <= ends[0] + size else None


def _without(scenario: Scenario, limits: ChannelLimits, most: float) -> Scenario:
    """The same request with a channel that may spend nothing, or this much."""
    lifted = replace(limits, low=0.0, high=most, locked=None)
    return replace(
        scenario,
        channels=tuple(
            lifted if each.name == limits.name else each for each in scenario.channels
        ),
    )


def _cost(
    curves: ResponseCurves, scenario: Scenario, now: np.ndarray
) -> tuple[Estimate, bool] | None:
    """What the best plan of another request adds; None where it adds nothing."""
    try:
        scenario.check(curves.names)
        domain = scenario.domain(curves.names).with_budget(
            scenario.budget, scenario.budget
        )
        best = best_in(curves.mean(), domain, most_boxes=20).spend
    except PlanError:
        return None
    more = gain(curves.outcome(best).sum(axis=1), now)
    if more.mean <= 0:
        return None
    return more, bool(curves.beyond_seen(best).any())
