r"""Search: the plan of weeks that earns and teaches.

    max_x  F(x) + n G(x)    within the limits,  F(x) >= F* - c

with F what the plan brings, F* the most found, n the later horizons that use what is
learned and c what learning may cost. G is not concave: ascents begin from designed
patterns, each as far as it may cost, and from the plan that only earns. No plan within
the limits reaches more than

    bound of F + n/2 tr(A Cov g)

because a plan tells at most everything.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.limits.cells import Cells
from core.plan.solve.weeks.projected_gradient import climb
from core.plan.solve.weeks.projection import nearest
from core.plan.solve.weeks.starts import units_of
from core.plan.teaching.patterns import patterns

Spend = Float[np.ndarray, "channel week"]
Valued = Callable[[Spend], tuple[float, Spend]]

#: Patterns that are climbed from, evaluations of each, and growth at which one ends.
_BEST, _CLIMB, _FLAT = 2, 25, 1e-5
#: Shares of the way to a pattern that are tried.
_SHARES = (0.35, 0.7, 1.0)
#: How steeply cost beyond its limit counts.
_STEEP = 10.0
#: Halvings of the way back to a cost that is allowed.
_HALVINGS = 12


class Goal(NamedTuple):
    """What is made large.

    Attributes:
        earns: F and its gradient.
        teaches: G and its gradient.
        later: n.
        most: F* - c: the least F may be.
        cost: c; above zero.
    """

    earns: Valued
    teaches: Valued
    later: float
    most: float
    cost: float

    def __call__(self, spend: Spend) -> tuple[float, Spend]:
        """F + n G, less what F is below its least, steeply; and its gradient."""
        value, slope = self.earns(spend)
        gain, more = self.teaches(spend)
        below = max(self.most - value, 0.0) / self.cost
        total = value + self.later * gain - _STEEP * self.cost * below**2
        return total, (1 + 2 * _STEEP * below) * slope + self.later * more

    def kept(self, spend: Spend) -> bool:
        """Whether F is at least its least."""
        return self.earns(spend)[0] >= self.most


def finalists(goal: Goal, cells: Cells, plan: Spend, seed: int) -> list[Spend]:
    """Plans that may earn and teach most, each within limits and cost.

    Args:
        goal: What is made large.
        cells: Convex limits.
        plan: That only earns.
        seed: Of signs and places of patterns.
    """
    unit = units_of(cells)
    tried = []
    for pattern in patterns(plan, cells, seed):
        way = nearest(cells, pattern, unit) - plan
        steps = [plan + share * way for share in _SHARES]
        tried += [(goal(spend)[0], spend) for spend in steps]
    tried.sort(key=lambda each: -each[0])
    begin = [spend for _, spend in _apart(tried, plan)[:_BEST]]
    ends = [
        climb(goal, cells, start, most=_CLIMB, tolerance=_FLAT).spend
        for start in (*begin, plan)
    ]
    return [within_cost(goal, plan, end) for end in ends]


def _apart(tried: list[tuple[float, Spend]], plan: Spend) -> list[tuple[float, Spend]]:
    """The best of each pattern: steps along one way lead to one place."""
    distinct: list[tuple[float, Spend]] = []
    for value, spend in tried:
        way = (spend - plan).ravel()
        ways = ((other - plan).ravel() for _, other in distinct)
        if all(abs(_cosine(way, other)) < 0.99 for other in ways):
            distinct.append((value, spend))
    return distinct


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length > 0 else 1.0


def within_cost(goal: Goal, plan: Spend, end: Spend) -> Spend:
    """The farthest spend on the way from the plan that only earns that costs no more.

    Args:
        goal: Has the cost.
        plan: That only earns.
        end: Within the limits.
    """
    if goal.kept(end):
        return end
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        low, high = (
            (share, high) if goal.kept(plan + share * (end - plan)) else (low, share)
        )
    return plan + low * (end - plan)
