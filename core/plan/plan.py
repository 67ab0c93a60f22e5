"""Plan: the best split for a scenario, its odds, and how far from the best it can be.

Where the draws support only a part of it, that may be the plan (`advice.supported`).
A plan is compared with today as it is and with today's split at its budget. Outcome is
incremental: of what paid channels spend in the plan's periods, whenever it works.
"""

from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.plan.advice.judge import Contest, Judged, contest, judged, with_test
from core.plan.advice.rule import Advice
from core.plan.advice.supported import Supported, supported_plan
from core.plan.limits.cents import step
from core.plan.record.channel import ChannelPlan, Responses, channel_plans
from core.plan.record.today import Today, difference, gain
from core.plan.record.uncertainty import estimate, probability_positive
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.response.periods import Horizon
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.scenario import Scenario
from core.plan.scenario.table import as_table
from core.plan.solve.budget import budget_for
from core.plan.solve.dispatch import Best, best_plan


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
        current_scaled: Whether the current split was scaled to the budget.
        objective: `current` and `planned` value of what was made large.
        best_possible: No plan within the limits has an objective above this.
        method: How that was found.
        judged: Whether to change, how firm that is, and what to test.
        today: Today's spend as it is.
        horizon: The periods that it is for.
        idle: Channels that did not run in these periods a year before: no part of it.
        currency: Of money; empty where unknown.
        outcome_unit: `revenue` or `kpi`; empty where unknown.
        current_draws: Outcome of the comparison split.
        planned_draws: Outcome of the plan.
        supported: The split that the draws support, where the best is not one.
        other: The best split where `supported` is the plan, else that one.
    """

    scenario: Scenario
    budget: float
    channels: tuple[ChannelPlan, ...]
    current_scaled: bool
    objective: dict[str, float]
    best_possible: float
    method: str
    judged: Judged
    today: Today
    horizon: Horizon
    idle: tuple[str, ...]
    currency: str
    outcome_unit: str
    current_draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)
    planned_draws: Float[np.ndarray, " draw"] = field(repr=False, compare=False)
    supported: Supported | None = field(default=None, repr=False, compare=False)
    other: Alternative | None = field(default=None, repr=False, compare=False)

    @property
    def advice(self) -> Advice:
        """Whether to change, and why."""
        return self.judged.advice

    @property
    def is_supported_part(self) -> bool:
        """Whether it is the supported part."""
        return self.supported is not None and self.scenario.supported

    @property
    def gain_draws(self) -> Float[np.ndarray, " draw"]:
        """Outcome of the plan minus that of the comparison split, per draw."""
        return difference(self.planned_draws, self.current_draws)

    @property
    def gap(self) -> float:
        """How far the objective can be from the best possible, as a share of it."""
        short = max(self.best_possible - self.objective["planned"], 0.0)
        return short / abs(self.best_possible) if self.best_possible else 0.0

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

    def as_dict(self) -> dict[str, Any]:
        """The plan as the command line prints it and the workspace keeps it."""
        test = self.judged.test
        draws = {"current": self.current_draws, "planned": self.planned_draws}
        return {
            "budget": self.budget,
            "horizon": asdict(self.horizon),
            "idle": list(self.idle),
            "objective": {"name": self.scenario.objective, **self.objective},
            "channels": [channel.as_dict() for channel in self.channels],
            "outcome": {key: estimate(each) for key, each in draws.items()},
            "gain": gain(self.planned_draws, self.current_draws),
            "today": self.today.as_dict(),
            "against_today": self.today.against(),
            "bound": {
                "best_possible": self.best_possible,
                "gap": self.gap,
                "method": self.method,
            },
            "advice": self.advice.advice,
            "reasons": list(self.advice.reasons),
            "robustness": [turn._asdict() for turn in self.judged.turns],
            "test": None if test is None else test.as_dict(),
            "supported": self._supported(),
            "best": self._split(self.other) if self.is_supported_part else None,
            "current_scaled": self.current_scaled,
            "goal": self.goal,
            "scenario": {"horizon": self.horizon.as_table(), **as_table(self.scenario)},
            "currency": self.currency,
            "outcome_unit": self.outcome_unit,
        }

    def _supported(self) -> dict[str, Any] | None:
        """The split that the draws support; None where the best one is, or none."""
        if self.supported is None:
            return None
        about = {
            "is_plan": self.is_supported_part,
            "step": self.supported.step,
            "held": list(self.supported.held),
        }
        own = Alternative(self.supported.spend, self.gain_draws)
        return about | self._split(own if self.is_supported_part else self.other)

    def _split(self, split: Alternative) -> dict[str, Any]:
        planned = zip(self.channels, split.spend, strict=True)
        draws = split.gain_draws
        odds = {"probability_positive": probability_positive(draws)}
        return {
            "channels": [
                {"name": channel.name, "planned": float(money)}
                for channel, money in planned
            ],
            "gain": estimate(draws) | odds,
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
        wish = replace(
            scenario, budget=budget_for(curves, scenario, measure), find=None
        )
    search = _Search(
        curves, scenario, wish, measure, best_plan(curves, wish, measure), verdict
    )
    best = search.evaluated(search.best.spend)
    is_profit = scenario.find is not None and scenario.find.kind == "profit"
    is_advised = best.advice.is_change and not best.judged.followers
    if is_advised or best.judged.is_failed or is_profit:
        return search.with_test(best)
    part = supported_plan(curves, wish, measure, search.best, search.comparison)
    if part is None:
        return search.with_test(best)
    made = search.evaluated(part.spend)
    if not scenario.supported:
        other = Alternative(part.spend, made.gain_draws)
        return replace(search.with_test(best), supported=part, other=other)
    reasons = part.reasons(probability_positive(best.gain_draws))
    advice = Advice(made.advice.advice, (*reasons, *made.advice.reasons))
    other = Alternative(search.best.spend, best.gain_draws)
    made = replace(made, judged=made.judged._replace(advice=advice))
    return replace(search.with_test(made, part.held), supported=part, other=other)


class _Search(NamedTuple):
    """What a plan is evaluated with.

    Attributes:
        curves: All draws.
        asked: The scenario as it was stated.
        wish: The same with its budget.
        measure: What is made large.
        best: The best split.
        verdict: The fit's.
    """

    curves: ResponseCurves
    asked: Scenario
    wish: Scenario
    measure: Measure
    best: Best
    verdict: str | None

    @property
    def comparison(self) -> Float[np.ndarray, " channel"]:
        """Today's split at the plan's budget."""
        today = self.curves.spend
        return today * (self.best.domain.budgets[0] / today.sum())

    def contest(
        self, planned: Float[np.ndarray, " channel"], outcomes: Responses
    ) -> Contest:
        """A split beside what decides on it."""
        splits = (self.comparison, planned)
        return contest(self.curves, splits, outcomes, self.asked.find)

    def with_test(self, made: Plan, held: tuple[str, ...] = ()) -> Plan:
        """A plan with the lift test that comes first, or that would settle it."""
        planned = np.array([channel.planned for channel in made.channels])
        outcomes = tuple(map(self.curves.outcome, (self.comparison, planned)))
        asked = self.contest(planned, outcomes)
        judgement = with_test(
            made.judged, self.curves, self.best.domain, asked, held=held
        )
        return replace(made, judged=judgement)

    def evaluated(self, planned: Float[np.ndarray, " channel"]) -> Plan:
        """A split as a plan, without a test."""
        curves, best, measure = self.curves, self.best, self.measure
        splits = (self.comparison, planned)
        responses = tuple(curves.outcome_and_marginal(split) for split in splits)
        outcomes = tuple(outcome for outcome, _ in responses)
        draws = [outcome.sum(axis=1) for outcome in outcomes]
        values = [float(measure.of(each)) for each in draws]
        budget, total = best.domain.budgets[0], float(curves.spend.sum())
        asked = self.contest(planned, outcomes)
        scaled = abs(budget - total) > float(step(self.wish.budget))
        before = curves.outcome(curves.spend).sum(axis=1) if scaled else draws[0]
        return Plan(
            scenario=self.asked,
            budget=budget,
            channels=channel_plans(curves, self.wish, splits, responses, best),
            current_scaled=scaled,
            objective={"current": values[0], "planned": values[1]},
            best_possible=max(best.bound, values[1]),
            method=best.method,
            judged=judged(curves, asked, measure, verdict=self.verdict),
            today=Today(total, budget, self._margin(), before, draws[1]),
            horizon=curves.horizon,
            idle=curves.idle,
            currency=curves.currency,
            outcome_unit=curves.outcome_unit,
            current_draws=draws[0],
            planned_draws=draws[1],
        )

    def _margin(self) -> float | None:
        """Profit before media per unit of outcome; None where that is not known."""
        find = self.asked.find
        if find is not None and find.kind == "profit":
            return find.margin
        return 1.0 if self.curves.outcome_unit == "revenue" else None
