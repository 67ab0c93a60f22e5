"""Plan of geos: the same money over channels and geos."""

from dataclasses import replace

import numpy as np
import xarray as xr

from core.errors import PlanError
from core.plan.advice.robustness import turns
from core.plan.advice.rule import MATERIAL, Advice, advise, settled
from core.plan.limits.cents import step
from core.plan.record.channels import Plan
from core.plan.record.geos import GeoPlan
from core.plan.record.parts import Estimate, Turn
from core.plan.record.today import gain
from core.plan.record.uncertainty import probability_up
from core.plan.response.geos import GeoResponse, geo_response
from core.plan.scenario.geo_limits import geo_domain
from core.plan.scenario.geos import GeoWish
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.scenario import Scenario
from core.plan.solve.dispatch import best_within
from core.plan.solve.geos import EFFORT, best_kept_pattern

#: Least gain for which money is to move between geos, as a share of the outcome. It is
#: more than for channels: geos that differ little seem to differ more than they do, and
#: smaller gains were mostly not there (docs/planning.md).
BETWEEN_GEOS = 0.02


def geo_plan(
    stored: xr.Dataset | GeoResponse,
    scenario: Scenario,
    wish: GeoWish | None = None,
    *,
    verdict: str | None = None,
) -> GeoPlan:
    """The best split of a budget over channels and geos.

    Args:
        stored: Response by geo of a fit (`geo_curves.nc`).
        scenario: Budget and limits of channels, see `as_planned` for those that the
            channels alone decide.
        wish: Limits of geos.
        verdict: The fit's verdict; a `failed` fit supports no change.

    Raises:
        PlanError: The wish cannot be met.
        WorkspaceError: The curves are damaged.
    """
    response = stored if isinstance(stored, GeoResponse) else geo_response(stored)
    wish = wish or GeoWish()
    scenario.check(response.channels)
    measure = _measure(scenario)
    limits = geo_domain(response, scenario, wish)
    best = best_within(response.curves, limits.domain, measure, EFFORT)
    kept = (
        response.in_pattern(best.spend)
        if wish.spend
        else best_kept_pattern(response, limits, measure)
    )
    now, budget = response.curves.spend, limits.domain.budgets[0]
    spend = {
        "current": now,
        "comparison": now * (budget / now.sum()),
        "planned": best.spend,
    } | ({} if kept is None else {"kept": kept})
    draws = {key: response.curves.outcome(amounts) for key, amounts in spend.items()}
    value = {
        key: float(measure.of(brought.sum(axis=1))) for key, brought in draws.items()
    }
    turning = _turns(response, spend, draws, measure)
    return GeoPlan(
        scenario=scenario,
        wish=wish,
        response=response,
        limits=limits,
        budget=budget,
        spend=spend,
        # Settled amounts leave a draw no plan of its own: every direction is open.
        up=_up(response, now[None] if wish.spend else best.own.spend, budget),
        objective={"current": value["comparison"], "planned": value["planned"]},
        best_possible=max(best.bound, value["planned"]),
        advice=settled(
            _advice(draws, measure, "comparison", verdict),
            turns=turning,
            profit=_profit(response, spend, draws, measure),
        ),
        geo_advice=None if kept is None else _advice(draws, measure, "kept", verdict),
        turns=turning,
        draws=draws,
    )


def _profit(
    response: GeoResponse,
    spend: dict[str, np.ndarray],
    draws: dict[str, np.ndarray],
    measure: Measure,
) -> Estimate | None:
    """Gain of profit over today as it is; None where the budget is today's or a goal.

    Profit is revenue less spend.
    """
    change = float(spend["planned"].sum() - spend["current"].sum())
    is_todays = abs(change) <= float(step(float(spend["planned"].sum())))
    if is_todays or measure.kind == "reach":
        return None
    if response.curves.outcome_unit != "revenue":
        return None
    now, planned = (draws[key].sum(axis=1) for key in ("current", "planned"))
    return gain(planned - change, now)


def _turns(
    response: GeoResponse,
    spend: dict[str, np.ndarray],
    draws: dict[str, np.ndarray],
    measure: Measure,
) -> tuple[Turn, ...]:
    """How much hidden demand in a channel, in all geos alike, turns the advice."""
    money, outcome = (
        tuple(of[key] @ response.in_channel.T for key in ("comparison", "planned"))
        for of in (spend, draws)
    )
    return turns(response.channels, money, outcome, measure)


def as_planned(plan: Plan) -> Scenario:
    """The scenario of a channel plan with what only channels can decide taken from it.

    Its budget, where that was to be found, and the totals of channels that may be off
    or are bought in steps.
    """
    planned = {channel.name: channel.planned for channel in plan.channels}
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
        for channel in plan.scenario.channels
    ]
    return replace(
        plan.scenario, budget=plan.budget, find=None, channels=tuple(channels)
    )


def _measure(scenario: Scenario) -> Measure:
    """What is made large.

    Raises:
        PlanError: Geos cannot be planned with this scenario.
    """
    if scenario.find is not None or not all(
        channel.is_whole for channel in scenario.channels
    ):
        raise PlanError(
            "A plan of geos needs a fixed budget and channels without steps or pauses.",
            hint="Plan the channels first and take their amounts over.",
            where="geos",
        )
    return measure_of(scenario.objective)


def _up(response: GeoResponse, own: np.ndarray, budget: float) -> dict[str, np.ndarray]:
    """Share of draws whose own best plan gives cells, geos and channels more."""
    cent, now = float(step(budget)), response.curves.spend
    return {
        over: probability_up(own @ inside.T, inside @ now, cent * len(now))
        for over, inside in (
            ("cell", np.eye(len(now))),
            ("geo", response.in_geo),
            ("channel", response.in_channel),
        )
    }


def _advice(
    draws: dict[str, np.ndarray],
    measure: Measure,
    over: str,
    verdict: str | None,
) -> Advice:
    """Whether the plan is worth changing to from another."""
    other, planned = draws[over].sum(axis=1), draws["planned"].sum(axis=1)
    material = MATERIAL if over != "kept" else BETWEEN_GEOS
    advice = advise(
        planned - other,
        measure.growth(other, planned),
        float(other.mean()),
        verdict=verdict,
        material=material,
    )
    advice = settled(advice, verdict=verdict)
    if over != "kept":
        return advice
    words = (
        reason.replace("the current split", "the best plan that keeps the pattern")
        for reason in advice.reasons
    )
    return Advice(advice.advice, tuple(words))
