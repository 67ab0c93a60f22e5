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
from core.estimate import estimate, probability_positive
from core.plan.advice.judge import Contest, Judged, contest, judged, with_test
from core.plan.advice.robustness import profit_over
from core.plan.advice.rule import Advice, Budgeted, Profit, settled
from core.plan.advice.supported import supported_plan
from core.plan.break_even import break_even
from core.plan.limits.cents import is_another
from core.plan.limits.channels import DEFAULT_BOUNDS
from core.plan.money.elsewhere import not_paid, own_and_elsewhere
from core.plan.record.channels import Alternative, Plan, Responses, channel_lines
from core.plan.record.parts import Values
from core.plan.record.today import against_today, at_plan_prices
from core.plan.response.belief import Belief, believed
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.response.price import frequency_notes, indexed_note
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
) -> Plan:
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
    curves = believed(curves, scenario.beliefs)
    scenario.check(curves.names)
    ran = curves
    curves = scenario.as_bought(curves)
    measure = measure_of(scenario.objective)
    limits = scenario
    if scenario.find is not None:
        limits = replace(
            scenario, budget=budget_for(curves, scenario, measure), find=None
        )
    search = _Search(
        curves, scenario, limits, measure, best_plan(curves, limits, measure), verdict
    )
    found = search.settled(_advised(search))
    found = replace(found, break_even=break_even(curves, scenario))
    if scenario.is_as_ran:
        return found
    outcome = ran.outcome(ran.spend).sum(axis=1)
    return replace(found, today=at_plan_prices(found.today, outcome))


def judged_amounts(
    curves: ResponseCurves,
    money: Mapping[str, float],
    *,
    objective: str = "mean",
    find: Find | None = None,
    verdict: str | None = None,
) -> Plan:
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
    asked = replace(limits, find=find)
    search = _Search(curves, asked, limits, measure, best, verdict)
    return search.settled(search.with_test(search.evaluated(planned)))


def _advised(search: "_Search") -> Plan:
    """The best split, or the part of it that the draws support, with its test."""
    curves, scenario, ask = search.curves, search.asked, search.wish
    best = search.evaluated(search.best.spend)
    is_profit = scenario.find is not None and scenario.find.kind == "profit"
    if best.advice.is_change or best.judged.is_failed or is_profit:
        return search.with_test(best)
    part = supported_plan(curves, ask, search.measure, search.best, search.comparison)
    if part is None:
        return search.with_test(best)
    supported = search.evaluated(part.spend)
    if not scenario.supported:
        other = Alternative(part.spend, supported.gain_draws)
        return replace(search.with_test(best), supported=part, other=other)
    reasons = part.reasons(probability_positive(best.gain_draws), search.over)
    advice = Advice(supported.advice.advice, (*reasons, *supported.advice.reasons))
    other = Alternative(search.best.spend, best.gain_draws)
    supported = replace(supported, judged=supported.judged._replace(advice=advice))
    return replace(search.with_test(supported, part.held), supported=part, other=other)


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
        """The same split at the plan's budget."""
        today = self.curves.spend
        return today * (self.best.domain.budgets[0] / today.sum())

    @property
    def over(self) -> str:
        """What the split is compared with, in words."""
        is_scaled = is_another(self.best.domain.budgets[0], self.curves.spend.sum())
        return self.curves.horizon.compared(is_scaled=is_scaled)

    def contest(
        self, planned: Float[np.ndarray, " channel"], outcomes: Responses
    ) -> Contest:
        """A split beside what decides on it."""
        splits = (self.comparison, planned)
        return contest(self.curves, splits, outcomes, self.asked.find)

    def with_test(self, plan: Plan, held: tuple[str, ...] = ()) -> Plan:
        """A plan with the lift test that comes first, or that would settle it."""
        planned = np.array(plan.spend)
        outcomes = tuple(map(self.curves.outcome, (self.comparison, planned)))
        asked = self.contest(planned, outcomes)
        judgement = with_test(
            plan.judged, self.curves, self.best.domain, asked, held=held
        )
        return replace(plan, judged=judgement)

    def settled(self, plan: Plan) -> Plan:
        """A plan with the advice that its fit and its budget allow."""
        budgeted, is_open = None, plan.current_scaled and not self.has_goal
        if is_open and self._margin() is not None:
            budgeted = self._budgeted(np.array(plan.spend))
        advice = settled(plan.advice, verdict=self.verdict, budgeted=budgeted)
        return replace(plan, judged=plan.judged._replace(advice=advice))

    def _budgeted(self, planned: Float[np.ndarray, " channel"]) -> Budgeted:
        """What a budget other than today's does to profit."""
        today, horizon = self.curves.spend, self.curves.horizon
        before = planned * (today.sum() / planned.sum())
        return Budgeted(
            self._profit((today, planned), horizon.as_it_ran),
            self._profit((before, planned), horizon.budget_that_ran),
            self._profit((today, self.comparison), horizon.as_it_ran),
        )

    def _profit(self, splits: tuple[np.ndarray, np.ndarray], over: str) -> Profit:
        """What the second of two splits does to profit."""
        margin = self._margin()
        outcomes = tuple(margin * self.curves.outcome(split) for split in splits)
        names, untested = self.curves.names, self.curves.untested
        return profit_over(names, splits, outcomes, over, untested=untested)

    @property
    def has_goal(self) -> bool:
        """Whether a goal was set, which then decides instead of profit."""
        return self.asked.find is not None or self.measure.kind == "reach"

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
        scaled = is_another(budget, total)
        before = curves.outcome(curves.spend).sum(axis=1) if scaled else draws[0]
        today, change = against_today(
            (total, budget), (before, draws[1]), self._margin()
        )
        cash = None
        if curves.elsewhere is not None:
            own, spent = own_and_elsewhere(curves, planned)
            cash = estimate(own.sum() + spent.sum(axis=1))
        return Plan(
            scenario=self.asked,
            cash=cash,
            budget=budget,
            channels=channel_lines(curves, self.wish, splits, responses, best),
            current_scaled=scaled,
            objective=Values(values[0], values[1]),
            best_possible=max(best.bound, values[1]),
            method=best.method,
            judged=self._judged(planned, asked),
            today=today,
            against_today=change,
            horizon=curves.horizon,
            idle=curves.idle,
            currency=curves.currency,
            outcome_unit=curves.outcome_unit,
            current_draws=draws[0],
            planned_draws=draws[1],
        )

    def _judged(self, planned: Float[np.ndarray, " channel"], asked: Contest) -> Judged:
        """The advice, with a word on spends never seen together and on new channels."""
        judgement = judged(self.curves, asked, self.measure, verdict=self.verdict)
        together = said(self.curves.unseen_together(planned), "periods")
        fitted = [each for each in self.curves.names if each not in self.curves.beliefs]
        beliefs = [belief.note(fitted) for belief in self.asked.beliefs]
        new = self.curves.horizon.note
        at_best = self.curves.at_best
        often = frequency_notes(
            each for each in self.curves.frequencies if each.channel in at_best
        )
        unpaid = not_paid(self.curves)
        indexed = indexed_note(as_table(self.asked), dict(self.curves.indexed))
        notes = [
            note for note in (together, new, unpaid, indexed, *often, *beliefs) if note
        ]
        reasons = (*judgement.advice.reasons, *notes)
        return judgement._replace(advice=Advice(judgement.advice.advice, reasons))

    def _margin(self) -> float | None:
        """Profit before media per unit of outcome; None where that is not known."""
        find = self.asked.find
        if find is not None and find.kind == "profit":
            return find.margin
        return 1.0 if self.curves.outcome_unit == "revenue" else None
