"""Plan of geos: the same money over channels and geos."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import xarray as xr

from core.errors import PlanError, WorkspaceError
from core.plan.advice.hidden import turning_correlations
from core.plan.advice.parts import Correlated, Turn
from core.plan.advice.robustness import budgeted, raised, turns
from core.plan.advice.rule import MATERIAL, Advice, Budgeted, advise, settled
from core.plan.break_even import break_even_of_geos
from core.plan.limits.cents import is_another, step
from core.plan.money.elsewhere import paying
from core.plan.record.channels import probability_up
from core.plan.record.geos import GeoPlan, GeoPlans, Up
from core.plan.record.parts import BreakEven, Values
from core.plan.record.plan_record import PlanRecord
from core.plan.response.geos import GeoResponse, believed_in_geos, geo_response
from core.plan.scenario.geo_limits import GeoDomain, geo_domain
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.scenario import Scenario
from core.plan.solve.dispatch import Best, best_within, whole_cents
from core.plan.solve.geos import (
    EFFORT,
    best_kept_pattern,
    budget_in_pattern,
    budget_of_geos,
)
from core.text.languages.language import marked

#: Least gain for which money is to move between geos, as a share of the outcome. It is
#: more than for channels: geos that differ little seem to differ more than they do, and
#: smaller gains were mostly not there (docs/planning.md).
BETWEEN_GEOS = 0.02
#: What moving money between geos is compared with.
KEPT = marked("the best plan that keeps each channel's split over geos")


def geo_plan(
    stored: xr.Dataset | GeoResponse,
    scenario: Scenario,
    by_geo: GeoRequest | None = None,
    *,
    verdict: str | None = None,
    original: Scenario | None = None,
) -> GeoPlan:
    """The best split of a budget over channels and geos.

    Args:
        stored: Response by geo of a fit (`geo_curves.nc`).
        scenario: Budget and limits of channels, see `as_planned` for those that the
            channels alone decide.
        by_geo: Limits of geos.
        verdict: The fit's verdict; only a trustworthy fit supports a change.
        original: The scenario as it was stated, where channels decided a part of it.

    Returns:
        The best plan; where moving money between geos is not advised, the best one
        that keeps each channel's pattern over geos, unless `scenario` asks for the
        best whatever the draws support.

    Raises:
        PlanError: The request cannot be met.
        WorkspaceError: The curves are damaged.
    """
    response, by_geo = _channels(stored, scenario), by_geo or GeoRequest()
    ran = None if scenario.is_as_ran else _as_it_ran(response)
    response, original = _as_bought(response, scenario), original or scenario
    problem = _Problem(response, scenario, by_geo, _measure(scenario), verdict)
    solved = problem.solved() if scenario.find is None else problem.at_found_budget()
    scenario, limits, best, spend, draws, between, _ = solved
    measure = problem.measure
    now, budget = spend.current, limits.domain.budgets[0]
    value = draws.each(lambda brought: float(measure.of(brought.sum(axis=1))))
    advice, turning = _advice(response, (spend, draws), measure, verdict)
    return GeoPlan(
        scenario=scenario,
        request=by_geo,
        response=response,
        limits=limits,
        budget=budget,
        spend=spend,
        # Settled amounts leave a draw no plan of its own: every direction is open.
        up=_up(response, now[None] if by_geo.spend else best.own.spend, budget),
        objective=Values(value.comparison, value.planned),
        best_possible=max(best.bound, value.planned),
        advice=advice,
        geo_advice=between,
        turns=turning,
        hidden=_hidden(response, spend, draws, measure),
        draws=draws,
        ran=ran,
        break_even=_break_even(response, limits, original, by_geo, spend.planned),
    )


class _Solved(NamedTuple):
    """The plan of a budget, and what it is compared with.

    Attributes:
        scenario: With that budget.
        limits: Splits of it that are allowed.
        best: The best of them.
        spend: Of cells, by plan.
        draws: Outcome per draw and cell, by plan.
        between: Whether to move money between geos.
        is_kept: Whether the plan keeps each channel's pattern over geos instead.
    """

    scenario: Scenario
    limits: GeoDomain
    best: Best
    spend: GeoPlans
    draws: GeoPlans
    between: Advice | None
    is_kept: bool


class _Problem(NamedTuple):
    """A split over channels and geos to be found."""

    response: GeoResponse
    scenario: Scenario
    by_geo: GeoRequest
    measure: Measure
    verdict: str | None

    def solved(self) -> _Solved:
        """The plan of a known budget."""
        response, scenario, by_geo, measure, verdict = self
        limits = geo_domain(response, scenario, by_geo)
        best = best_within(response.curves, limits.domain, measure, EFFORT)
        in_pattern = (
            response.in_pattern(best.spend)
            if by_geo.spend
            else best_kept_pattern(response, limits, measure)
        )
        splits = _splits(response, limits, measure, best.spend, in_pattern, verdict)
        spend, draws, between = splits
        is_kept = between is not None and not between.is_change
        is_kept &= scenario.supported and not by_geo.spend
        if is_kept:
            whole = whole_cents(in_pattern, limits.domain)
            spend = spend._replace(planned=best.spend if whole is None else whole)
            draws = draws._replace(planned=response.curves.outcome(spend.planned))
        return _Solved(scenario, limits, best, spend, draws, between, is_kept)

    def at_found_budget(self) -> _Solved:
        """The plan of the budget that does what was asked in the split that is planned.

        Where that split keeps the pattern over geos, its budget is found in the
        pattern. Where only the best split does it at any budget, or would be planned
        at that one, the best split is the plan.

        Raises:
            PlanError: No budget does it.
        """
        response, scenario, by_geo, measure, _ = self
        limits = geo_domain(response, scenario, by_geo)
        answer = self._of(budget_of_geos(response, limits, scenario, measure)).solved()
        if not answer.is_kept:
            return answer
        budget = budget_in_pattern(response, limits, scenario, measure)
        in_pattern = None if budget is None else self._of(budget).solved()
        if in_pattern is not None and in_pattern.is_kept:
            return in_pattern
        return self._of(answer.scenario.budget, supported=False).solved()

    def _of(self, budget: float, **changes: bool) -> "_Problem":
        """The same with a budget that is known."""
        scenario = replace(self.scenario, budget=budget, find=None, **changes)
        return self._replace(scenario=scenario)


def _break_even(
    response: GeoResponse,
    limits: GeoDomain,
    original: Scenario,
    by_geo: GeoRequest,
    plan: np.ndarray,
) -> BreakEven | None:
    """The budget of highest profit, each channel's geos in the plan's proportions.

    None where limits of geos tie channels, or amounts are settled.
    """
    is_tied = by_geo.totals is not None or by_geo.geos or by_geo.reserved
    if is_tied or by_geo.spend:
        return None
    high = limits.domain.high
    return break_even_of_geos(response, original, plan, np.maximum(high, plan))


def _channels(stored: xr.Dataset | GeoResponse, scenario: Scenario) -> GeoResponse:
    """Response of the fit's channels, and of those that are believed in.

    Raises:
        PlanError: The scenario cannot be met.
        WorkspaceError: The curves are damaged.
    """
    response = stored if isinstance(stored, GeoResponse) else geo_response(stored)
    response = believed_in_geos(response, scenario.beliefs)
    scenario.check(response.channels)
    return response


def _as_bought(response: GeoResponse, scenario: Scenario) -> GeoResponse:
    """Response in the money of the plan.

    Raises:
        WorkspaceError: What a best frequency brings by geo was not worked out.
    """
    if scenario.at_best_frequency and not response.curves.frequencies:
        raise WorkspaceError(
            "This fit is of a version that did not work out what the best frequency "
            "brings in each geo.",
            hint="Fit the model again, or plan over channels or weeks.",
            where=", ".join(scenario.at_best_frequency),
        )
    dearer = response.priced(scenario.gammas, scenario.prices)
    curves = paying(dearer.curves, scenario.bought)
    return replace(dearer, curves=curves).often(scenario.at_best_frequency)


def _as_it_ran(response: GeoResponse) -> np.ndarray:
    """Outcome of today's spend at the prices that it had; draw."""
    return response.curves.outcome(response.curves.spend).sum(axis=1)


def _advice(
    response: GeoResponse,
    splits: tuple[GeoPlans, GeoPlans],
    measure: Measure,
    verdict: str | None,
) -> tuple[Advice, tuple[Turn, ...]]:
    """The advice on the plan, and how much hidden demand turns it."""
    spend, draws = splits
    pairs = [(each.comparison, each.planned) for each in splits]
    money, brought = _by_channel(response, pairs)
    followers = raised(response.channels, money, response.untested)
    turning = turns(response.channels, money, brought, measure, followers=followers)
    totals = float(spend.planned.sum()), float(spend.current.sum())
    over = response.curves.horizon.compared(is_scaled=is_another(*totals))
    advice = settled(
        _against((draws.comparison, draws.planned), measure, over, verdict),
        verdict=verdict,
        turns=turning,
        budgeted=_budgeted(response, splits, measure),
    )
    return advice, turning


def _hidden(
    response: GeoResponse, spend: GeoPlans, draws: GeoPlans, measure: Measure
) -> tuple[Correlated, ...]:
    """How much hidden demand behind a mediator and the KPI turns the advice."""
    pairs = ((each.comparison, each.planned) for each in (spend, draws))
    return turning_correlations(response.curves, *pairs, measure)


def _budgeted(
    response: GeoResponse, splits: tuple[GeoPlans, GeoPlans], measure: Measure
) -> Budgeted | None:
    """What the budget does to profit, revenue less spend; None where no question."""
    spend, draws = splits
    today, budget = float(spend.current.sum()), float(spend.planned.sum())
    if not is_another(budget, today) or measure.kind == "reach":
        return None
    if response.curves.outcome_unit != "revenue":
        return None
    curves, inside = response.curves, response.in_channel.T
    scaled = spend.planned * (today / budget)
    cells = {
        "today": (spend.current, draws.current),
        "same_split": (spend.comparison, draws.comparison),
        "planned": (spend.planned, draws.planned),
        "alone": (scaled, curves.outcome(scaled)),
    }
    return budgeted(
        response.channels,
        curves.horizon,
        **{
            name: (money @ inside, outcome @ inside)
            for name, (money, outcome) in cells.items()
        },
        untested=response.untested,
    )


def _by_channel(
    response: GeoResponse, pairs: Sequence[tuple[np.ndarray, np.ndarray]]
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """What a plan is compared with, and the plan, summed over geos: of each pair."""
    inside = response.in_channel.T
    return tuple((before @ inside, planned @ inside) for before, planned in pairs)


def as_planned(scenario: Scenario, plan: PlanRecord) -> Scenario:
    """A scenario with what only channels can decide taken from their plan.

    The totals of channels that may be off or are bought in steps. A budget that is to
    be found stays so: the split over geos decides on it.
    """
    planned = plan.money
    channels = [
        channel
        if channel.is_whole
        else replace(
            channel,
            low=planned[channel.name],
            high=planned[channel.name],
            may_be_off=False,
            step=0.0,
        )
        for channel in scenario.channels
    ]
    return replace(scenario, channels=tuple(channels))


def _measure(scenario: Scenario) -> Measure:
    """What is made large.

    Raises:
        PlanError: Geos cannot be planned with this scenario.
    """
    if not all(channel.is_whole for channel in scenario.channels):
        raise PlanError(
            "A plan of geos needs channels without steps or pauses.",
            hint="Plan the channels first and take their amounts over.",
            where="geos",
        )
    return measure_of(scenario.objective)


def _up(response: GeoResponse, own: np.ndarray, budget: float) -> Up:
    """Share of draws whose own best plan gives cells, geos and channels more."""
    cent, now = float(step(budget)), response.curves.spend

    def of(inside: np.ndarray) -> np.ndarray:
        return probability_up(own @ inside.T, inside @ now, cent * len(now))

    cells = np.eye(len(now))
    return Up(of(cells), geo=of(response.in_geo), channel=of(response.in_channel))


def _splits(
    response: GeoResponse,
    limits: GeoDomain,
    measure: Measure,
    best: np.ndarray,
    in_pattern: np.ndarray | None,
    verdict: str | None,
) -> tuple[GeoPlans, GeoPlans, Advice | None]:
    """Spend and outcome of the splits, and whether to move money between geos."""
    now, budget = response.curves.spend, limits.domain.budgets[0]
    scaled = now * (budget / now.sum())
    spend = GeoPlans(
        now, comparison=scaled, best=best, planned=best, in_pattern=in_pattern
    )
    draws = spend.each(response.curves.outcome)
    if in_pattern is None:
        return spend, draws, None
    pair = draws.in_pattern, draws.planned
    advice = _against(pair, measure, KEPT, verdict, material=BETWEEN_GEOS)
    return spend, draws, settled(advice, verdict=verdict)


def _against(
    draws: tuple[np.ndarray, np.ndarray],
    measure: Measure,
    over: str,
    verdict: str | None,
    *,
    material: float = MATERIAL,
) -> Advice:
    """What the draws of another split and of the plan say of the plan."""
    before, planned = (each.sum(axis=1) for each in draws)
    return advise(
        planned - before,
        measure.growth(before, planned),
        float(before.mean()),
        over=over,
        verdict=verdict,
        material=material,
    )
