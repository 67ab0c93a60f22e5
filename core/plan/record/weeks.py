"""Results of flighting: a plan of weeks with its outcome, odds and bound, labelled."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from core.dims import CHANNEL, DRAW
from core.estimate import estimate, interval
from core.plan.advice.parts import Correlated, Turn
from core.plan.advice.robustness import raised, turns
from core.plan.advice.rule import Advice, Budgeted, advise, settled
from core.plan.limits.cells import Cells
from core.plan.limits.cents import is_another
from core.plan.record import week_plans
from core.plan.record.parts import (
    RELAXED,
    AgainstToday,
    Bound,
    BreakEven,
    Goal,
    Line,
    Objective,
    Outcomes,
    Pair,
    Profit,
    Today,
)
from core.plan.record.plan_record import PlanRecord, as_draws
from core.plan.record.teaching import Share, Teaching
from core.plan.record.today import against_today, gain, is_limited, reached
from core.plan.record.week_plans import PLANS, Said, WeekPlans, said_by
from core.plan.response.belief import Belief
from core.plan.response.horizon import WeekResponse
from core.plan.response.periods import Horizon
from core.plan.response.together import never_together, said
from core.plan.response.worth import Worth
from core.plan.scenario.measure import Measure, measure_of


@dataclass(frozen=True)
class Parts:
    """What a result is made of.

    Attributes:
        response: The horizon.
        cells: The limits.
        spends: By plan, channel week.
        brought: Incremental outcome by plan, draw channel time.
        ran: Incremental outcome of the media as it ran a year earlier, draw.
        alone: The plan's split at the budget that ran, channel week, and what it
            brings, draw channel time.
        none: Outcome of the media around the plan alone, draw channel time.
        measure: What was made large.
        bound: No plan within the limits has more of it.
        verdict: The fit's.
        worth: What outcome and money of each week count for.
        teaching: What the plan is to tell; None where that was not asked for.
        break_even: The budget of highest profit; None where it is not known.
        beliefs: Channels that the fit has never seen run; the last ones.
        notes: What else there is to say.
        hidden: How much hidden demand behind mediators and the KPI turns the advice.
        induced: What plans make us spend on mediators, by plan, draw channel; None
            where the budget does not pay for it.
        shares: How channels' money is divided over geos, where otherwise.
        lift: What channels bring by that over what they would without, channel draw.
        untested: Channels that probably follow demand and have no lift test.
    """

    response: WeekResponse
    cells: Cells
    spends: WeekPlans
    brought: WeekPlans
    ran: np.ndarray
    alone: tuple[np.ndarray, np.ndarray]
    none: np.ndarray
    measure: Measure
    bound: float
    verdict: str | None
    worth: Worth
    teaching: Teaching | None = None
    break_even: BreakEven | None = None
    beliefs: tuple[Belief, ...] = ()
    notes: tuple[str, ...] = ()
    hidden: tuple[Correlated, ...] = ()
    induced: WeekPlans | None = None
    shares: tuple[Share, ...] = ()
    lift: np.ndarray | None = None
    untested: tuple[str, ...] = ()

    @property
    def fitted(self) -> tuple[str, ...]:
        """Channels that the fit has seen."""
        names = self.response.names
        return names[: len(names) - len(self.beliefs)]


def result(parts: Parts, about: Mapping[str, Any]) -> xr.Dataset:
    """A plan of weeks as it is stored and shown.

    Args:
        parts: Spend and outcome.
        about: Attributes to add.

    Returns:
        `spend` (channel, week) of the plan, `spend_current`, `spend_even` and
        `spend_fixed`; `booked` and `beyond_seen` per cell; `outcome` (plan, draw),
        incremental, in the weeks and after them; `outcome_ran` (draw), that of the
        media as it ran a year earlier, at the price of each week; `inherited` and
        `terminal` (draw),
        what media before the plan brings in its weeks beside it, and what of the
        plan's own comes after them; `outcome_time` (time) with `outcome_time_ci`, and
        `inherited_time`, of it, by period, those after the plan included;
        `outcome_channel`, and `worth_channel`, what it counts in the objective (both
        channel, draw, also `_current` and `_today`); `spend_alone` (channel) and
        `outcome_channel_alone`, of the plan's split at the budget that ran. Value of
        the objective, bound, gap and advice are attributes.
    """
    response, brought = parts.response, parts.brought
    n = len(response.weeks)
    totals = [each.sum(axis=(1, 2)) for each in brought]
    own = brought.planned
    inherited = parts.none[:, :, :n].sum(axis=1)
    by_time = own.sum(axis=1)
    by_time[:, :n] += inherited
    cell, time = (CHANNEL, "week"), "time"
    seen = response.dearest[:, None] * (1 + 1e-9) + 0.01
    variables = {
        "spend": (cell, parts.spends.planned),
        **{
            f"spend_{name}": (cell, spend)
            for name, spend in zip(PLANS[1:], parts.spends[1:], strict=True)
        },
        "booked": (cell, parts.cells.fixed),
        "beyond_seen": (cell, parts.spends.planned > seen),
        "outcome": (
            ("plan", DRAW),
            np.stack(totals),
        ),
        "outcome_ran": (DRAW, parts.ran),
        "inherited": (DRAW, inherited.sum(axis=1)),
        "terminal": (DRAW, own[:, :, n:].sum(axis=(1, 2))),
        "outcome_time": (time, by_time.mean(axis=0)),
        "outcome_time_ci": ((time, "ci"), interval(by_time)),
        "inherited_time": (time, _until(inherited.mean(axis=0), by_time.shape[1])),
        **{
            f"{what}_channel{suffix}": ((CHANNEL, DRAW), of(drawn).T)
            for suffix, drawn in _sides(brought).items()
            for what, of in (("outcome", _summed), ("worth", parts.worth.by_channel))
        },
        "spend_alone": (CHANNEL, parts.alone[0].sum(axis=1)),
        "outcome_channel_alone": ((CHANNEL, DRAW), _summed(parts.alone[1]).T),
        "price": (CHANNEL, response.price),
    }
    coords = {
        CHANNEL: list(response.names),
        "week": response.weeks.astype("datetime64[ns]"),
        "plan": list(PLANS),
        "ci": ["lo", "hi"],
    }
    if parts.worth.is_profit:
        profits = list(map(parts.worth.of, brought, parts.spends))
        variables["profit"] = (("plan", DRAW), np.stack(profits))
    variables |= week_plans.stored(parts.induced, parts.lift)
    attrs = _judged(parts, about).as_attrs()
    return xr.Dataset(variables, coords=coords, attrs=attrs)


def _sides(brought: WeekPlans) -> dict[str, np.ndarray]:
    """Plans whose channels are stored, by what follows the names of their variables."""
    return {"": brought.planned, "_current": brought.current, "_today": brought.today}


def _summed(brought: np.ndarray) -> np.ndarray:
    """Outcome of all weeks; draw channel."""
    return brought.sum(axis=2)


def _until(outcome: np.ndarray, n: int) -> np.ndarray:
    """The same with zeros up to a number of periods."""
    return np.pad(outcome, (0, n - len(outcome)))


def _judged(parts: Parts, about: Mapping[str, Any]) -> Said:
    """Value, bound, gap and advice; NaN where nothing was searched."""
    spends, brought = parts.spends, parts.brought
    worth = WeekPlans(*map(parts.worth.of, brought, spends))
    value = float(parts.measure.of(worth.planned))
    bound = float(np.maximum(parts.bound, value))
    # Of one cash own spend differs.
    over = spends.planned if parts.induced is None else spends.current
    spent = float(over.sum()), float(spends.today.sum())
    ran = float(brought.today.sum()), float(brought.current.sum())
    # The largest profit is judged by that of what ran, whatever the budget.
    asked = parts.response
    horizon = _horizon(asked.weeks, asked.began, is_repeated=asked.is_repeated)
    compared = horizon.compared(
        is_scaled=is_another(*spent) and not parts.worth.is_profit,
        is_limited=is_limited(*ran),
    )
    advice = advise(
        worth.planned - worth.current,
        float(parts.measure.growth(worth.current, worth.planned)),
        # Before media, as a growth of profit is counted over channels and in `_turns`.
        float(parts.worth.by_channel(brought.current).sum(axis=1).mean()),
        over=compared,
        verdict=parts.verdict,
    )
    seen = spends.planned[: len(parts.fitted)]
    planned = never_together(parts.response.history, seen.T)
    together = said(float(planned.mean()), "weeks")
    beliefs = [each.note(parts.fitted) for each in parts.beliefs]
    notes = [note for note in (together, horizon.note, *beliefs, *parts.notes) if note]
    return Said(
        **about,
        budget=round(float(spends.planned.sum()), 6),
        value=value,
        bound=bound,
        gap=(bound - value) / bound if bound > 0 else bound - bound,
        advice=advice.advice,
        reasons="\n".join((*advice.reasons, *notes)),
        is_relaxed=int(not parts.cells.is_whole),
        is_repeated=int(asked.is_repeated),
        verdict=parts.verdict or "",
        began=parts.response.began,
        beliefs=tuple(each.name for each in parts.beliefs),
        hidden=parts.hidden,
        untested=parts.untested,
        shares=parts.shares,
        margin=parts.worth.margin if parts.worth.is_profit else np.nan,
        cost=parts.worth.cost_of(spends.planned - spends.current),
        teaching=parts.teaching,
        break_even=parts.break_even,
    )


def week_record(flight: xr.Dataset, scenario: Mapping[str, Any]) -> PlanRecord:
    """A plan of weeks as everybody reads it.

    Args:
        flight: What `result` gives.
        scenario: What was asked for, in the words of a scenario file.
    """
    said = said_by(flight)
    outcome, (today, change) = _outcome(flight), _against_today(flight)
    weeks = tuple(str(week)[:10] for week in flight["week"].values)
    horizon = _horizon(
        flight["week"].values, said.began, is_repeated=bool(said.is_repeated)
    )
    turning = _turns(flight)
    is_scaled = week_plans.is_scaled_to(flight, today.spend + change.spend, today.spend)
    budgeted = week_plans.budgeted(flight, horizon, change) if is_scaled else None
    advice = _settled(said, turning, budgeted)
    return PlanRecord(
        over="weeks",
        budget=said.budget,
        horizon=horizon,
        today=today,
        against_today=change,
        weeks=weeks,
        channels=_lines(flight),
        outcome=Outcomes(**outcome.each(estimate)._asdict()),
        draws=outcome.each(as_draws)._asdict(),
        inherited=estimate(flight["inherited"].values),
        terminal=estimate(flight["terminal"].values),
        gain=gain(outcome.planned, outcome.current),
        gain_over_even=gain(outcome.planned, outcome.even),
        gain_over_fixed=gain(outcome.planned, outcome.fixed),
        objective=Objective(said.objective, said.value),
        bound=_bound(flight),
        profit=_profit(flight),
        advice=advice.advice,
        reasons=advice.reasons,
        on_split=advice.split,
        on_budget=advice.budget,
        robustness=turning,
        discount=said.discount,
        **week_plans.beside_spend(flight),
        outcome_unit=said.outcome_unit,
        currency=said.currency,
        current_scaled=is_scaled,
        scenario=json.loads(json.dumps(dict(scenario), default=str)),  # dates as text
        goal=_goal(said, outcome.planned),
    )


def _goal(said: Said, outcome: np.ndarray) -> Goal | None:
    """What the budget was found for, and what is reached; None for a fixed one."""
    if not said.found_for:
        return None
    return reached(said.found_for, said.target, outcome, said.budget)


def _settled(
    said: Said, turning: tuple[Turn, ...], budgeted: Budgeted | None
) -> Advice:
    """The advice, with what its fit, hidden demand and its budget allow."""
    return settled(
        Advice(said.advice, tuple(said.reasons.split("\n"))),
        verdict=said.verdict or None,
        turns=turning,
        budgeted=budgeted,
    )


def _outcome(flight: xr.Dataset) -> WeekPlans:
    """Outcome per draw of the plan and of those it is compared with."""
    outcome = flight["outcome"]
    return WeekPlans(*(outcome.sel(plan=name).values for name in PLANS))


def _against_today(flight: xr.Dataset) -> tuple[Today, AgainstToday]:
    """What ran, and what the plan changes against it, both at the plan's prices.

    What ran brings what its own media brings, as in plans over channels and geos.
    """
    said, outcome = said_by(flight), _outcome(flight)
    margin = said.margin
    if np.isnan(margin):
        margin = 1.0 if said.outcome_unit == "revenue" else None
    spend = float(flight["spend_today"].sum()), said.budget
    if (cash := week_plans.cash_of_plans(flight)) is not None:
        spend = tuple(float(each.mean()) for each in reversed(cash.values()))
    today, change = against_today(spend, (outcome.today, outcome.planned), margin)
    ran = estimate(flight["outcome_ran"].values)
    return Today(today.spend, ran, at_plan_prices=today.outcome), change


def _horizon(
    weeks: np.ndarray,
    began: Mapping[str, str] | None = None,
    *,
    is_repeated: bool = False,
) -> Horizon:
    """The weeks of a plan, and which channels began since a year earlier."""
    first, last = (str(day)[:10] for day in (weeks[0], weeks[-1]))
    since = tuple((began or {}).items())
    return Horizon(
        first, last, len(weeks), as_fitted=False, began=since, is_repeated=is_repeated
    )


def _names(flight: xr.Dataset) -> tuple[str, ...]:
    return tuple(str(name) for name in flight[CHANNEL].values)


def _lines(flight: xr.Dataset) -> tuple[Line, ...]:
    """Every channel: its totals, its outcome, and its weeks."""

    def total(variable: str, name: str) -> float:
        return float(flight[variable].sel(channel=name).sum())

    lines, new = [], said_by(flight).beliefs
    for name in map(str, flight[CHANNEL].values):
        now, planned = total("spend_today", name), total("spend", name)
        of = flight.sel(channel=name)
        beyond = of["beyond_seen"].values
        lines.append(
            Line(
                name=name,
                planned=planned,
                current=now,
                comparison=total("spend_current", name),
                outcome=Pair(
                    estimate(of["outcome_channel_current"].values),
                    estimate(of["outcome_channel"].values),
                ),
                beyond_seen=bool(beyond.any()),
                locked=False,
                is_belief=name in new,
                weeks=tuple(of["spend"].values.tolist()),
                weeks_beyond_seen=tuple(beyond.tolist()),
                booked=tuple(of["booked"].values.tolist()),
                **{"multiplier": planned / now if now > 0 else None}
                | week_plans.with_elsewhere(of, (now, planned)),
            )
        )
    return tuple(lines)


def _turns(flight: xr.Dataset) -> tuple[Turn, ...]:
    """How much hidden demand in a channel turns the advice to change."""
    worth = tuple(flight[f"worth_channel{key}"].values.T for key in ("_current", ""))
    before = flight["spend_current"].sum("week").values
    moved = np.abs(flight["spend"] - flight["spend_current"]).sum("week").values
    spend = before, before + moved  # money that moves between weeks moves too
    said, names = said_by(flight), _names(flight)
    measure = measure_of("mean" if said.objective == "profit" else said.objective)
    totals = before, flight["spend"].sum("week").values
    return turns(
        names,
        spend,
        worth,
        measure,
        cost=said.cost,
        followers=raised(names, totals, said.untested),
    )


def _bound(flight: xr.Dataset) -> Bound:
    """How good the plan could be; nothing where its spend was prescribed."""
    said = said_by(flight)
    if np.isnan(said.bound):
        return Bound(None, None, "spend was given")
    method = RELAXED if said.is_relaxed else "concave ceiling"
    return Bound(said.bound, said.gap, method)


def _profit(flight: xr.Dataset) -> Profit | None:
    """Margin times what the plan brings, minus its spend, where that was asked for."""
    if "profit" not in flight:
        return None
    planned, current = (
        flight["profit"].sel(plan=name).values for name in ("planned", "current")
    )
    return Profit(
        margin=said_by(flight).margin,
        planned=estimate(planned),
        current=estimate(current),
        gain=gain(planned, current),
    )
