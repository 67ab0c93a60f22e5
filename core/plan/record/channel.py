"""Channel: one channel of a plan, with what it spends and what that brings."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core.plan.limits.cents import step
from core.plan.record.uncertainty import estimates, probability_up
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.scenario import Scenario
from core.plan.solve.dispatch import Best

Splits = tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]]
Responses = tuple[Float[np.ndarray, "draw channel"], Float[np.ndarray, "draw channel"]]


@dataclass(frozen=True)
class ChannelPlan:
    """One channel of a plan. Money is currency; estimates have 90 % intervals.

    Attributes:
        name: The channel.
        current: Historical spend.
        comparison: Current spend scaled to the plan's budget.
        planned: Spend of the plan.
        low: Least spend allowed.
        high: Most spend allowed.
        locked: Whether it was left alone.
        may_be_off: Whether it might have spent nothing.
        step: Steps that it is bought in; 0 for any amount.
        probability_up: Share of draws whose own best plan gives it more than
            `current`; a draw that leaves it there counts half.
        beyond_seen: Whether a typical period would cost more than any seen.
        beyond_grid: Whether its curve is drawn on along the tangent.
        outcome: Estimates of incremental outcome, `current` and `planned`.
        mroi: Estimates of the outcome of the next unit of currency, the same.
    """

    name: str
    current: float
    comparison: float
    planned: float
    low: float
    high: float
    locked: bool
    may_be_off: bool
    step: float
    probability_up: float
    beyond_seen: bool
    beyond_grid: bool
    outcome: dict[str, dict[str, float]]
    mroi: dict[str, dict[str, float]]

    @property
    def multiplier(self) -> float:
        """Planned over historical spend."""
        return self.planned / self.current

    def as_dict(self) -> dict:
        """The channel as the command line prints it."""
        return {**vars(self), "multiplier": self.multiplier}


def channel_plans(
    curves: ResponseCurves,
    scenario: Scenario,
    splits: Splits,
    responses: tuple[Responses, Responses],
    best: Best,
) -> tuple[ChannelPlan, ...]:
    """Every channel of a plan.

    Args:
        curves: All draws.
        scenario: With its budget.
        splits: What the plan is compared with, and the plan.
        responses: Outcome and marginal outcome of each of the two.
        best: Limits in whole cents, and each draw's own best split.
    """
    by_name = {each.name: each for each in scenario.channels}
    comparison, planned = splits
    cent = float(step(scenario.budget))
    up = probability_up(best.own.spend, curves.spend, cent)
    seen, grid = curves.beyond_seen(planned), curves.beyond_grid(planned)
    outcome, mroi = zip(*[map(estimates, pair) for pair in responses], strict=True)
    return tuple(
        ChannelPlan(
            name=name,
            current=float(curves.spend[i]),
            comparison=float(comparison[i]),
            planned=float(planned[i]),
            low=float(best.domain.low[i]),
            high=float(best.domain.high[i]),
            locked=by_name[name].locked is not None,
            may_be_off=by_name[name].may_be_off,
            step=by_name[name].step,
            probability_up=float(up[i]),
            beyond_seen=bool(seen[i]),
            beyond_grid=bool(grid[i]),
            outcome=_pair(outcome, i),
            mroi=_pair(mroi, i),
        )
        for i, name in enumerate(curves.names)
    )


def _pair(both: tuple[list[dict], ...], channel: int) -> dict[str, dict[str, float]]:
    return {
        when: rows[channel]
        for when, rows in zip(("current", "planned"), both, strict=True)
    }
