"""Result of a plan over channels: what each spends, what that brings, and the odds."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from msgspec.structs import replace

from core.estimate import Estimate, estimate, estimates, gain_of
from core.plan.advice.judge import Judged
from core.plan.advice.rule import Advice
from core.plan.advice.supported import SupportedPart
from core.plan.limits.cents import difference, step
from core.plan.money.elsewhere import own_and_elsewhere, returns_beside
from core.plan.record.parts import (
    AgainstToday,
    Amount,
    BreakEven,
    Goal,
    Line,
    Objective,
    Outcomes,
    Pair,
    Split,
    Supported,
    Today,
    Values,
    bound_of,
)
from core.plan.record.plan_record import PlanRecord, as_draws
from core.plan.record.today import gain, reached
from core.plan.record.uncertainty import probability_up
from core.plan.response.curves import ResponseCurves
from core.plan.response.periods import Horizon
from core.plan.scenario.scenario import Scenario
from core.plan.scenario.table import as_table
from core.plan.solve.dispatch import Best

Splits = tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]]
Responses = tuple[Float[np.ndarray, "draw channel"], Float[np.ndarray, "draw channel"]]


class Alternative(NamedTuple):
    """A split that is not the plan: the best one, or the one the draws support."""

    spend: Float[np.ndarray, " channel"]
    gain_draws: Float[np.ndarray, " draw"]


@dataclass(frozen=True)
class Plan:
    """A split of a budget, with the draws that say how good it is.

    Attributes:
        scenario: What was asked for.
        budget: Currency, in whole cents; the channels add up to it.
        channels: In the order of the curves.
        current_scaled: Whether last year's split was scaled to the budget.
        objective: Values of what was made large.
        best_possible: No plan within the limits has an objective above this.
        method: How that was found.
        judged: Whether to change, how firm that is, and what to test.
        today: Today's spend as it is.
        against_today: What the plan changes against it.
        horizon: The periods that it is for.
        idle: Channels that did not run in these periods a year earlier: no part of it.
        currency: Of money; empty where unknown.
        outcome_unit: `revenue` or `kpi`; empty where unknown.
        current_draws: Outcome of the comparison split.
        planned_draws: Outcome of the plan.
        supported: The split that the draws support, where the best is not one.
        break_even: The budget of highest profit; None where it is not known.
        other: The best split where `supported` is the plan, else that one.
        cash: See `PlanRecord`.
    """

    scenario: Scenario
    budget: float
    channels: tuple[Line, ...]
    current_scaled: bool
    objective: Values
    best_possible: float
    method: str
    judged: Judged
    today: Today
    against_today: AgainstToday
    horizon: Horizon
    idle: tuple[str, ...]
    currency: str
    outcome_unit: str
    current_draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)
    planned_draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)
    supported: SupportedPart | None = field(default=None, repr=False, compare=False)
    other: Alternative | None = field(default=None, repr=False, compare=False)
    break_even: BreakEven | None = None
    cash: Estimate | None = None

    @property
    def advice(self) -> Advice:
        """Whether to change, and why."""
        return self.judged.advice

    @property
    def spend(self) -> tuple[float, ...]:
        """What each channel spends."""
        return tuple(line.planned for line in self.channels)

    @property
    def is_supported_part(self) -> bool:
        """Whether it is the supported part."""
        return self.supported is not None and self.scenario.supported

    @property
    def gain_draws(self) -> Float[np.ndarray, " draw"]:
        """Outcome of the plan minus that of the comparison split, per draw."""
        return difference(self.planned_draws, self.current_draws)

    @property
    def goal(self) -> Goal | None:
        """What the budget was found for, and what is reached; None for a fixed one."""
        find = self.scenario.find
        if find is None:
            return None
        if find.kind == "profit":
            profit = find.margin * self.planned_draws - self.budget
            return Goal(kind="profit", margin=find.margin, profit=estimate(profit))
        return reached(find.kind, find.target, self.planned_draws, self.budget)

    @cached_property
    def record(self) -> PlanRecord:
        """The plan as everybody reads it."""
        draws = {"current": self.current_draws, "planned": self.planned_draws}
        return PlanRecord(
            over="channels",
            budget=self.budget,
            horizon=self.horizon,
            idle=self.idle,
            objective=Objective(self.scenario.objective, **self.objective._asdict()),
            channels=self.channels,
            outcome=Outcomes(**{name: estimate(each) for name, each in draws.items()}),
            gain=gain(self.planned_draws, self.current_draws),
            today=self.today,
            against_today=self.against_today,
            bound=bound_of(self.best_possible, self.objective.planned, self.method),
            advice=self.advice.advice,
            reasons=self.advice.reasons,
            on_split=self.advice.split,
            on_budget=self.advice.budget,
            break_even=self.break_even,
            cash=self.cash,
            robustness=self.judged.turns,
            hidden=self.judged.hidden,
            test=self.judged.test,
            supported=self._supported(),
            best=self._best(),
            current_scaled=self.current_scaled,
            goal=self.goal,
            scenario={"horizon": self.horizon.as_table(), **as_table(self.scenario)},
            currency=self.currency,
            outcome_unit=self.outcome_unit,
            draws={name: as_draws(each) for name, each in draws.items()},
            bounds={
                line.name: (line.low / line.current, line.high / line.current)
                for line in self.channels
                if line.current
            },
        )

    def _supported(self) -> Supported | None:
        """The split that the draws support; None where the best one is, or none."""
        if self.supported is None:
            return None
        split = self.other
        if self.is_supported_part:
            split = Alternative(self.supported.spend, self.gain_draws)
        return Supported(
            channels=self._amounts(split),
            gain=gain_of(split.gain_draws),
            is_plan=self.is_supported_part,
            step=self.supported.step,
            held=self.supported.held,
        )

    def _best(self) -> Split | None:
        """The best split, where the plan is its supported part."""
        if not self.is_supported_part:
            return None
        return Split(self._amounts(self.other), gain_of(self.other.gain_draws))

    def _amounts(self, split: Alternative) -> tuple[Amount, ...]:
        amounts = zip(self.channels, split.spend, strict=True)
        return tuple(Amount(line.name, float(money)) for line, money in amounts)


def channel_lines(
    curves: ResponseCurves,
    scenario: Scenario,
    splits: Splits,
    responses: tuple[Responses, Responses],
    best: Best,
) -> tuple[Line, ...]:
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
    lines = tuple(
        Line(
            name=name,
            current=0.0 if name in curves.beliefs else float(curves.spend[i]),
            comparison=0.0 if name in curves.beliefs else float(comparison[i]),
            planned=float(planned[i]),
            multiplier=(
                None if name in curves.beliefs else float(planned[i] / curves.spend[i])
            ),
            is_belief=name in curves.beliefs,
            low=float(best.domain.low[i]),
            high=float(best.domain.high[i]),
            locked=by_name[name].locked is not None,
            may_be_off=by_name[name].may_be_off,
            step=by_name[name].step,
            probability_up=float(up[i]),
            beyond_seen=bool(seen[i]),
            beyond_grid=bool(grid[i]),
            outcome=Pair(outcome[0][i], outcome[1][i]),
            mroi=Pair(mroi[0][i], mroi[1][i]),
        )
        for i, name in enumerate(curves.names)
    )
    if curves.elsewhere is None:
        return lines
    return _with_elsewhere(lines, curves, planned, responses[1][0])


def _with_elsewhere(
    lines: tuple[Line, ...],
    curves: ResponseCurves,
    planned: Float[np.ndarray, " channel"],
    outcome: Float[np.ndarray, "draw channel"],
) -> tuple[Line, ...]:
    """Lines with own spend, what is spent on mediators, and both returns."""
    own, spent = own_and_elsewhere(curves, planned)
    ran = curves.elsewhere.before.spend
    beside = (
        returns_beside((float(ran[i]), float(own[i])), spent[:, i], outcome[:, i])
        for i in range(len(lines))
    )
    return tuple(
        replace(line, **fields) for line, fields in zip(lines, beside, strict=True)
    )
