"""Plan: the best split for a scenario, its odds, and how far from the best it can be.

The plan is compared with the current split, scaled to the plan's budget where that
differs from what was spent. Outcome is the incremental outcome of the paid channels,
over as many periods as the model was fitted on.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.plan.best import Best, best_plan, found
from core.plan.cents import step
from core.plan.curves import ResponseCurves, response_curves
from core.plan.measure import measure_of
from core.plan.scenario import Scenario
from core.plan.scenario_table import as_table
from core.plan.uncertainty import (
    Advice,
    advise,
    estimate,
    estimates,
    probability_positive,
    probability_up,
)


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


@dataclass(frozen=True)
class Plan:
    """A split of a budget, with the draws that say how good it is.

    Attributes:
        scenario: What was asked for.
        budget: Currency, in whole cents; the channels add up to it.
        channels: In the order of the curves.
        current_scaled: Whether the current split was scaled to the budget.
        objective: `current` and `planned` value of what was made large.
        best_possible: No plan within the limits has an objective above this.
        method: How that was found.
        advice: Whether to change, and why.
        currency: Of money; empty where unknown.
        outcome_unit: `revenue` or `kpi`; empty where unknown.
        current_draws: Outcome of the comparison split.
        planned_draws: Outcome of the plan.
    """

    scenario: Scenario
    budget: float
    channels: tuple[ChannelPlan, ...]
    current_scaled: bool
    objective: dict[str, float]
    best_possible: float
    method: str
    advice: Advice
    currency: str
    outcome_unit: str
    current_draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)
    planned_draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)

    @property
    def gain_draws(self) -> Float[np.ndarray, " draw"]:
        """Outcome of the plan minus that of the comparison split, per draw."""
        return self.planned_draws - self.current_draws

    @property
    def gap(self) -> float:
        """How far the objective can be from the best possible, as a share of it."""
        if self.best_possible == 0:
            return 0.0
        short = self.best_possible - self.objective["planned"]
        return max(short, 0.0) / abs(self.best_possible)

    @property
    def goal(self) -> dict | None:
        """What the budget was found for, and what is reached; None for a fixed one."""
        find = self.scenario.find
        if find is None:
            return None
        told = {"kind": find.kind}
        if find.kind == "profit":
            profit = find.margin * self.planned_draws - self.budget
            return told | {"margin": find.margin, "profit": estimate(profit)}
        told["target"] = find.target
        if find.kind == "outcome":
            reached = self.planned_draws >= find.target
            return told | {"probability": float(reached.mean())}
        if find.kind == "roi":
            return told | {"roi": estimate(self.planned_draws / self.budget)}
        return told

    def as_dict(self) -> dict:
        """The plan as the command line prints it and the workspace keeps it."""
        return {
            "budget": self.budget,
            "objective": {"name": self.scenario.objective, **self.objective},
            "channels": [channel.as_dict() for channel in self.channels],
            "outcome": {
                "current": estimate(self.current_draws),
                "planned": estimate(self.planned_draws),
            },
            "gain": {
                **estimate(self.gain_draws),
                "probability_positive": probability_positive(self.gain_draws),
            },
            "bound": {
                "best_possible": self.best_possible,
                "gap": self.gap,
                "method": self.method,
            },
            "advice": self.advice.advice,
            "reasons": list(self.advice.reasons),
            "current_scaled": self.current_scaled,
            "goal": self.goal,
            "scenario": as_table(self.scenario),
            "currency": self.currency,
            "outcome_unit": self.outcome_unit,
        }


def plan(
    stored: xr.Dataset | ResponseCurves,
    scenario: Scenario,
    *,
    verdict: str | None = None,
) -> Plan:
    """The best split of a budget within limits, and what the draws say about it.

    Args:
        stored: Response curves of a fit (`curves.nc`).
        scenario: Budget, limits and objective.
        verdict: The fit's verdict; a `failed` fit supports no change.

    Raises:
        PlanError: The scenario cannot be met.
        WorkspaceError: The curves are damaged.
    """
    curves = stored if isinstance(stored, ResponseCurves) else response_curves(stored)
    scenario.check(curves.names)
    measure = measure_of(scenario.objective)
    wish = scenario
    if scenario.find is not None:
        wish = replace(scenario, budget=found(curves, scenario, measure), find=None)
    size = step(wish.budget)
    best = best_plan(curves, wish, measure)
    budget, planned = best.domain.budgets[0], best.spend
    comparison = curves.spend * (budget / curves.spend.sum())
    splits = (comparison, planned)
    made = [curves.outcome_and_marginal(split) for split in splits]
    draws = [outcome.sum(axis=1) for outcome, _ in made]
    values = [float(measure.of(each)) for each in draws]
    objective = {"current": values[0], "planned": values[1]}
    return Plan(
        scenario=scenario,
        budget=budget,
        channels=_channels(curves, wish, splits, made, best),
        current_scaled=abs(budget - float(curves.spend.sum())) > float(size),
        objective=objective,
        best_possible=max(best.bound, objective["planned"]),
        method=best.method,
        advice=advise(
            draws[1] - draws[0],
            measure.growth(*draws),
            float(draws[0].mean()),
            verdict=verdict,
        ),
        currency=curves.currency,
        outcome_unit=curves.outcome_unit,
        current_draws=draws[0],
        planned_draws=draws[1],
    )


def _channels(
    curves: ResponseCurves,
    scenario: Scenario,
    splits: tuple[np.ndarray, np.ndarray],
    made: list[tuple[np.ndarray, np.ndarray]],
    best: Best,
) -> tuple[ChannelPlan, ...]:
    by_name = {each.name: each for each in scenario.channels}
    comparison, planned = splits
    cent = float(step(scenario.budget))
    up = probability_up(best.own.spend, curves.spend, cent)
    seen, grid = curves.beyond_seen(planned), curves.beyond_grid(planned)
    outcome, mroi = zip(*[map(estimates, pair) for pair in made], strict=True)
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
        when: told[channel]
        for when, told in zip(("current", "planned"), both, strict=True)
    }
