"""Frontier: the best outcome at each budget, and where the next money would go."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from core.estimate import Estimate, estimate
from core.plan.limits.cents import difference
from core.plan.response.belief import believed
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.scenario import Scenario
from core.plan.solve.branch_and_price import best_in

_POINTS = 13


@dataclass(frozen=True)
class Point:
    """The best plan of one budget.

    Attributes:
        budget: Currency.
        outcome: Estimate of its outcome.
        current: Estimate of the same split's, at this budget.
        gain: Estimate of what the best split adds to that.
        mroi: Estimate of the outcome of the next unit of currency, in the channels
            that are free to take it.
        spend: Of every channel.
        beyond_seen: Channels whose typical period would cost more than any seen.
        is_plan: Whether this is the plan's own budget.
    """

    budget: float
    outcome: Estimate
    current: Estimate
    gain: Estimate
    mroi: Estimate
    spend: tuple[float, ...]
    beyond_seen: tuple[str, ...]
    is_plan: bool = False


def frontier(curves: ResponseCurves, scenario: Scenario) -> tuple[Point, ...]:
    """Best expected outcomes over budgets, within the scenario's limits.

    Budgets that the limits cannot meet are left out.

    Args:
        curves: The fit's response curves.
        scenario: One that can be met, with its budget.
    """
    curves = scenario.as_bought(believed(curves, scenario.beliefs))
    low, high = scenario.ranges(curves.names)
    off = np.array([channel.may_be_off for channel in scenario.channels])
    floor = float(np.where(off, 0.0, low).sum())
    budgets = np.linspace(max(floor, 0.01 * high.sum()), high.sum(), _POINTS)
    if scenario.budget is not None:
        budgets = _with(scenario.budget, budgets)
    points = []
    for budget in budgets:
        limits = replace(scenario, budget=round(float(budget), 2), find=None)
        if not limits.can_be_met(curves.names):
            continue
        is_plan = bool(scenario.budget is not None and budget == scenario.budget)
        points.append(_point(curves, limits, is_plan=is_plan))
    return tuple(points)


def _with(
    budget: float, budgets: Float[np.ndarray, " point"]
) -> Float[np.ndarray, " more"]:
    """The budgets with one more, in the place of those that read the same beside it."""
    apart = np.abs(budgets - budget) > 0.25 * (budgets[-1] - budgets[0]) / _POINTS
    return np.unique(np.append(budgets[apart], budget))


def _point(curves: ResponseCurves, scenario: Scenario, *, is_plan: bool) -> Point:
    spend = best_in(curves.mean(), scenario.domain(curves.names), most_boxes=20).spend
    scaled = curves.spend * (scenario.budget / curves.spend.sum())
    low, high = scenario.ranges(curves.names)
    room = (high - spend > 0.01) & (high > low)
    margin = curves.marginal(spend)
    if room.any():
        top = int(np.where(room, margin.mean(axis=0), -np.inf).argmax())
    else:
        top = int(margin.mean(axis=0).argmin())
    beyond = curves.beyond_seen(spend)
    outcome, current = (curves.outcome(own).sum(axis=1) for own in (spend, scaled))
    return Point(
        budget=scenario.budget,
        outcome=estimate(outcome),
        current=estimate(current),
        gain=estimate(difference(outcome, current)),
        mroi=estimate(margin[:, top]),
        spend=tuple(float(amount) for amount in spend),
        beyond_seen=tuple(np.array(curves.names)[beyond].tolist()),
        is_plan=is_plan,
    )


@dataclass(frozen=True)
class Move:
    """What an amount more or less in one channel would do.

    Attributes:
        name: The channel.
        spend: Where it starts, currency.
        mroi: Estimate of the outcome of the next unit of currency.
        more: Estimate of the outcome that the amount more brings.
        less: Estimate of the outcome that the amount less loses.
        best: Probability that the amount brings most here.
        mildest: Probability that a cut of the amount hurts least here; NaN where the
            channel spends less than that.
        beyond_seen: Whether the amount more goes beyond what was seen.
    """

    name: str
    spend: float
    mroi: Estimate
    more: Estimate
    less: Estimate | None
    best: float
    mildest: float
    beyond_seen: bool

    def as_dict(self) -> dict[str, Any]:
        """The move as --json prints it."""
        fields = dict(vars(self))
        return fields | {"mildest": None if np.isnan(self.mildest) else self.mildest}


def next_money(
    curves: ResponseCurves, spend: Float[np.ndarray, " channel"], amount: float
) -> tuple[Move, ...]:
    """Where an amount more would bring most, and a cut of it would hurt least.

    Args:
        curves: The fit's response curves.
        spend: Where channels start.
        amount: Currency, in one channel at a time.
    """
    now, margin = curves.outcome(spend), curves.marginal(spend)
    more = curves.outcome(spend + amount) - now
    less = now - curves.outcome(np.maximum(spend - amount, 0.0))
    can = spend >= amount - 1e-9
    best = _shares(more.argmax(axis=1), len(spend))
    mildest = np.full(len(spend), np.nan)
    if can.any():
        least = np.where(can, less, np.inf).argmin(axis=1)
        mildest[can] = _shares(least, len(spend))[can]
    beyond = curves.beyond_seen(spend + amount)
    return tuple(
        Move(
            name=name,
            spend=float(spend[i]),
            mroi=estimate(margin[:, i]),
            more=estimate(more[:, i]),
            less=estimate(less[:, i]) if can[i] else None,
            best=float(best[i]),
            mildest=float(mildest[i]),
            beyond_seen=bool(beyond[i]),
        )
        for i, name in enumerate(curves.names)
    )


def round_amount(budget: float) -> float:
    """A round amount near one percent of a budget: 100,000 of ten million."""
    if budget <= 0:
        return 1.0
    size = 10.0 ** np.floor(np.log10(budget / 100))
    return float(
        size * min((1, 2, 5, 10), key=lambda step: abs(step - budget / 100 / size))
    )


def _shares(chosen: np.ndarray, n: int) -> np.ndarray:
    return np.bincount(chosen, minlength=n) / len(chosen)
