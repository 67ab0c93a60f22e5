"""Plan: the best split for a scenario, its odds, and how far from the best it can be.

Where the draws support only a part of it, that may be the plan (`advice.supported`).
A plan is compared with what ran and with the same split at its budget. Outcome is
incremental: of what paid channels spend in the plan's periods, whenever it works.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.errors import PlanError
from core.estimate import estimate, gain_of, probability_positive
from core.plan.advice.judge import Contest, Judged, contest, judged, with_test
from core.plan.advice.robustness import budgeted
from core.plan.advice.rule import Advice, Budgeted, settled
from core.plan.advice.supported import supported_plan
from core.plan.break_even import break_even
from core.plan.limits.cents import difference, is_another
from core.plan.limits.channels import DEFAULT_BOUNDS
from core.plan.record.channels import Responses, cash_of, channel_lines, notes_of
from core.plan.record.parts import (
    AgainstToday,
    Amount,
    Goal,
    Objective,
    Split,
    Supported,
    Today,
    bound_of,
)
from core.plan.record.plan_record import PlanRecord, record_of, with_details
from core.plan.record.today import against_today, at_plan_prices, gain, reached
from core.plan.response.belief import Belief, believed
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.response.together import said
from core.plan.scenario.find import Find
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.scenario import Scenario, scenario
from core.plan.scenario.table import as_table
from core.plan.solve.budget import budget_for
from core.plan.solve.dispatch import Best, best_plan


def plan(
    stored: xr.Dataset | ResponseCurves,
    scenario: Scenario,
    *,
    verdict: str | None = None,
) -> PlanRecord:
    """The best split of a budget within limits, and what the draws say about it.

    Args:
        stored: Response curves of a fit (`curves.nc`).
        scenario: Budget, limits and objective.
        verdict: The fit's verdict; only a trustworthy fit supports a change.

    Raises:
        PlanError: The scenario cannot be met.
        WorkspaceError: The curves are damaged.
    """
    curves = stored if isinstance(stored, ResponseCurves) else response_curves(stored)
    ran = believed(curves, scenario.beliefs)
    scenario.check(ran.names)
    curves = scenario.as_bought(ran)
    measure = measure_of(scenario.objective)
    limits = scenario
    if scenario.find is not None:
        limits = replace(
            scenario, budget=budget_for(curves, scenario, measure), find=None
        )
    best = best_plan(curves, limits, measure)
    search = _Search(curves, ran, scenario, limits, measure, best, verdict)
    return with_details(_advised(search), break_even=break_even(curves, scenario))


def judged_amounts(
    curves: ResponseCurves,
    money: Mapping[str, float],
    *,
    objective: str = "mean",
    find: Find | None = None,
    verdict: str | None = None,
) -> PlanRecord:
    """Amounts as they are, with what the draws of some fit advise on them.

    So that two fits can be asked the same of one plan. What a lift test would settle is
    looked for between the default limits, or as far as the plan itself goes.

    Args:
        curves: Response, priced as the plan is.
        money: Spend by channel, currency.
        objective: What the plan made large.
        find: What its budget was found for.
        verdict: The fit's.

    Raises:
        PlanError: The plan has other channels than the fit, or spends nothing.
    """
    planned = np.array([money.get(name, np.nan) for name in curves.names])
    total, today = planned.sum(), curves.spend.sum()
    if set(money) != set(curves.names) or not total > 0 or not today > 0:
        raise PlanError(
            "The plan has other channels than the fit, or spends nothing.",
            hint="Plan again with the new fit.",
            where="plan",
        )
    new = tuple(Belief(name, money[name]) for name in curves.beliefs if money[name] > 0)
    multiples = (planned / (curves.spend * (total / today)))[
        ~np.isin(curves.names, curves.beliefs)
    ]
    low, high = DEFAULT_BOUNDS
    bounds = min(low, float(multiples.min())), max(high, float(multiples.max()))
    limits = scenario(
        curves,
        budget=float(total),
        objective=objective,
        bounds=bounds,
        scaled=True,
        beliefs=new,
    )
    measure = measure_of(objective)
    best = best_plan(curves, limits, measure)
    original = replace(limits, find=find)
    search = _Search(curves, curves, original, limits, measure, best, verdict)
    return search.record(search.with_test(search.evaluated(planned)))


class _Draws(NamedTuple):
    """Outcome of the comparison and of a split."""

    current: Float[np.ndarray, " draw"]
    planned: Float[np.ndarray, " draw"]


class _Evaluated(NamedTuple):
    """A split with what it brings.

    Attributes:
        spend: Currency.
        before: Outcome of the comparison and its slope.
        after: Those of the split.
        judged: Whether to change to it, how firm that is, and what to test.
    """

    spend: Float[np.ndarray, " channel"]
    before: Responses
    after: Responses
    judged: Judged

    @property
    def draws(self) -> _Draws:
        """Outcome of the comparison and of the split."""
        return _Draws(self.before[0].sum(axis=1), self.after[0].sum(axis=1))

    @property
    def gain_draws(self) -> Float[np.ndarray, " draw"]:
        """Outcome of the split minus that of the comparison."""
        return difference(self.draws.planned, self.draws.current)


def _advised(search: "_Search") -> PlanRecord:
    """The best split, or the part of it that the draws support, with its test."""
    curves, scenario, ask = search.curves, search.original, search.request
    best = search.evaluated(search.best.spend)
    is_profit = scenario.find is not None and scenario.find.kind == "profit"
    if best.judged.advice.is_change or best.judged.is_failed or is_profit:
        return search.record(search.with_test(best))
    part = supported_plan(curves, ask, search.measure, search.best, search.comparison)
    if part is None:
        return search.record(search.with_test(best))
    supported = search.evaluated(part.spend)
    beside = Supported(
        channels=search.amounts(part.spend),
        gain=gain_of(supported.gain_draws),
        is_plan=scenario.supported,
        step=part.step,
        held=part.followers,
    )
    if not scenario.supported:
        return search.record(search.with_test(best), supported=beside)
    reasons = part.reasons(probability_positive(best.gain_draws), search.over)
    own = supported.judged.advice
    judgement = supported.judged._replace(
        advice=Advice(own.advice, (*reasons, *own.reasons))
    )
    supported = search.with_test(supported._replace(judged=judgement), part.followers)
    other = Split(search.amounts(search.best.spend), gain_of(best.gain_draws))
    return search.record(supported, supported=beside, best=other)


class _Search(NamedTuple):
    """What a plan is evaluated with.

    Attributes:
        curves: All draws.
        ran: The same at the prices that ran.
        original: The scenario as it was stated.
        request: The same with its budget.
        measure: What is made large.
        best: The best split.
        verdict: The fit's.
    """

    curves: ResponseCurves
    ran: ResponseCurves
    original: Scenario
    request: Scenario
    measure: Measure
    best: Best
    verdict: str | None

    @property
    def comparison(self) -> Float[np.ndarray, " channel"]:
        """The same split at the plan's budget."""
        today = self.curves.spend
        return today * (self.budget / today.sum())

    @property
    def budget(self) -> float:
        """Currency, in whole cents."""
        return self.best.domain.budgets[0]

    @property
    def is_scaled(self) -> bool:
        """Whether last year's split is scaled to the budget."""
        return is_another(self.budget, float(self.curves.spend.sum()))

    @property
    def over(self) -> str:
        """What the split is compared with, in words."""
        return self.curves.horizon.compared(is_scaled=self.is_scaled)

    def amounts(self, spend: Float[np.ndarray, " channel"]) -> tuple[Amount, ...]:
        """A split by channel."""
        return tuple(map(Amount, self.curves.names, spend.tolist()))

    def contest(
        self, planned: Float[np.ndarray, " channel"], outcomes: Responses
    ) -> Contest:
        """A split beside what decides on it."""
        splits = (self.comparison, planned)
        return contest(self.curves, splits, outcomes, self.original.find)

    def evaluated(self, planned: Float[np.ndarray, " channel"]) -> _Evaluated:
        """A split with what it brings, without a test."""
        splits = (self.comparison, planned)
        before, after = map(self.curves.outcome_and_marginal, splits)
        pair = self.contest(planned, (before[0], after[0]))
        return _Evaluated(planned, before, after, self._judged(planned, pair))

    def with_test(
        self, split: _Evaluated, followers: tuple[str, ...] = ()
    ) -> _Evaluated:
        """A split with the lift test that comes first, or that would settle it."""
        pair = self.contest(split.spend, (split.before[0], split.after[0]))
        judgement = with_test(
            split.judged, self.curves, self.best.domain, pair, held=followers
        )
        return split._replace(judged=judgement)

    def record(
        self,
        split: _Evaluated,
        *,
        supported: Supported | None = None,
        best: Split | None = None,
    ) -> PlanRecord:
        """A split as the plan.

        Args:
            split: With its test.
            supported: The split that the draws support, where the best one is not.
            best: The best split, where the plan is its supported part.
        """
        curves, draws, advice = self.curves, split.draws, self._settled(split)
        value, before = (float(self.measure.of(each)) for each in reversed(draws))
        ceiling = max(self.best.bound, value)
        splits, responses = (self.comparison, split.spend), (split.before, split.after)
        lines = channel_lines(curves, self.request, splits, responses, self.best)
        today, change = self._against_today(draws)
        return record_of(
            "channels",
            advice,
            draws._asdict(),
            budget=self.budget,
            horizon=curves.horizon,
            idle=curves.idle,
            objective=Objective(self.original.objective, value, before),
            channels=lines,
            gain=gain(draws.planned, draws.current),
            today=today,
            against_today=change,
            bound=bound_of(ceiling, value, self.best.method),
            cash=cash_of(curves, split.spend),
            robustness=split.judged.turns,
            hidden=split.judged.hidden,
            test=split.judged.test,
            supported=supported,
            best=best,
            current_scaled=self.is_scaled,
            goal=self._goal(draws.planned),
            scenario={"horizon": curves.horizon.as_table(), **as_table(self.original)},
            currency=curves.currency,
            outcome_unit=curves.outcome_unit,
            bounds={
                line.name: (line.low / line.current, line.high / line.current)
                for line in lines
                if line.current
            },
        )

    def _against_today(self, draws: _Draws) -> tuple[Today, AgainstToday]:
        """What ran, and what a plan changes against it."""
        curves, before = self.curves, draws.current
        total = float(curves.spend.sum())
        if self.is_scaled:
            before = curves.outcome(curves.spend).sum(axis=1)
        today, change = against_today(
            (total, self.budget), (before, draws.planned), self._margin()
        )
        if self.original.is_as_ran:
            return today, change
        ran = self.ran.outcome(self.ran.spend).sum(axis=1)
        return at_plan_prices(today, ran), change

    def _goal(self, outcome: Float[np.ndarray, " draw"]) -> Goal | None:
        """What the budget was found for, and what is reached; None for a fixed one."""
        find = self.original.find
        if find is None:
            return None
        if find.kind == "profit":
            profit = estimate(find.margin * outcome - self.budget)
            return Goal(kind="profit", margin=find.margin, profit=profit)
        return reached(find.kind, find.target, outcome, self.budget)

    def _settled(self, split: _Evaluated) -> Advice:
        """The advice that a split's fit and its budget allow."""
        profits, is_open = None, self.is_scaled and not self.has_goal
        if is_open and self._margin() is not None:
            profits = self._budgeted(split.spend)
        return settled(split.judged.advice, verdict=self.verdict, budgeted=profits)

    def _budgeted(self, planned: Float[np.ndarray, " channel"]) -> Budgeted:
        """What a budget other than today's does to profit."""
        curves, today, margin = self.curves, self.curves.spend, self._margin()
        splits = {
            "today": today,
            "same_split": self.comparison,
            "planned": planned,
            "alone": planned * (today.sum() / planned.sum()),
        }
        return budgeted(
            curves.names,
            curves.horizon,
            **{
                name: (split, margin * curves.outcome(split))
                for name, split in splits.items()
            },
            untested=curves.untested,
        )

    @property
    def has_goal(self) -> bool:
        """Whether a goal was set, which then decides instead of profit."""
        return self.original.find is not None or self.measure.kind == "reach"

    def _judged(self, planned: Float[np.ndarray, " channel"], pair: Contest) -> Judged:
        """The advice, with a word on spends never seen together and on new channels."""
        judgement = judged(self.curves, pair, self.measure, verdict=self.verdict)
        together = said(self.curves.unseen_together(planned), "periods")
        at_best = self.curves.at_best
        bought = [each for each in self.curves.frequencies if each.channel in at_best]
        notes = notes_of(self.curves, self.original, as_table(self.original), bought)
        reasons = (*judgement.advice.reasons, *([together] if together else []), *notes)
        return judgement._replace(advice=Advice(judgement.advice.advice, reasons))

    def _margin(self) -> float | None:
        """Profit before media per unit of outcome; None where that is not known."""
        find = self.original.find
        if find is not None and find.kind == "profit":
            return find.margin
        return 1.0 if self.curves.outcome_unit == "revenue" else None
