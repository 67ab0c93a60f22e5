"""Results of flighting: a plan of weeks with its outcome, odds and bound, labelled."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr

from core.dims import CHANNEL, DRAW
from core.estimate import estimate, interval
from core.plan.advice.parts import Correlated, Turn
from core.plan.advice.robustness import Side, budgeted, raised, turns
from core.plan.advice.rule import Advice, Budgeted, advise, settled
from core.plan.limits.cells import Cells
from core.plan.limits.cents import is_another
from core.plan.money.elsewhere import returns_beside
from core.plan.record.parts import (
    RELAXED,
    AgainstToday,
    Bound,
    BreakEven,
    Goal,
    Line,
    Objective,
    Pair,
    Profit,
    Today,
    bound_of,
)
from core.plan.record.plan_record import PlanRecord, as_draws, record_of
from core.plan.record.teaching import Share, Teaching
from core.plan.record.today import against_today, gain, is_limited, reached
from core.plan.record.week_plans import PLANS, Spend, WeekPlans, cash_of_plans
from core.plan.response.horizon import WeekResponse
from core.plan.response.periods import Horizon
from core.plan.response.together import never_together, said
from core.plan.response.worth import Worth
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.weeks import WeekRequest


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
        ask: What was asked for, with the budget where one was found for a target.
        bound: No plan within the limits has more of it.
        verdict: The fit's.
        worth: What outcome and money of each week count for.
        currency: Of money.
        outcome_unit: `revenue` or `kpi`.
        teaching: What the plan is to tell; None where that was not asked for.
        break_even: The budget of highest profit; None where it is not known.
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
    ask: WeekRequest
    bound: float
    verdict: str | None
    worth: Worth
    currency: str
    outcome_unit: str
    teaching: Teaching | None = None
    break_even: BreakEven | None = None
    notes: tuple[str, ...] = ()
    hidden: tuple[Correlated, ...] = ()
    induced: WeekPlans | None = None
    shares: tuple[Share, ...] = ()
    lift: np.ndarray | None = None
    untested: tuple[str, ...] = ()

    @property
    def fitted(self) -> tuple[str, ...]:
        """Channels that the fit has seen; those that are believed in come last."""
        names = self.response.names
        return names[: len(names) - len(self.ask.beliefs)]

    @property
    def measure(self) -> Measure:
        """What was made large."""
        return measure_of(self.ask.objective)

    @property
    def aim(self) -> str:
        """What was made large, in the record's words."""
        return self.ask.objective if self.ask.find is None else "profit"

    @property
    def outcome(self) -> WeekPlans:
        """Outcome per draw of the plan and of those it is compared with."""
        return self.brought.each(lambda brought: brought.sum(axis=(1, 2)))

    @property
    def beyond_seen(self) -> np.ndarray:
        """Whether a channel's week would cost more than any seen; channel week."""
        limit = self.response.dearest[:, None] * (1 + 1e-9) + 0.01
        return self.spends.planned > limit

    @property
    def has_goal(self) -> bool:
        """Whether a goal was set, which then decides instead of profit."""
        return self.measure.kind == "reach" or self.ask.found_for is not None

    @property
    def horizon(self) -> Horizon:
        """The weeks of the plan, and which channels began since a year earlier."""
        response = self.response
        first, last = (str(response.weeks[place])[:10] for place in (0, -1))
        return Horizon(
            first,
            last,
            len(response.weeks),
            as_fitted=False,
            began=tuple(response.began.items()),
            is_repeated=response.is_repeated,
        )

    def as_flight(self) -> "Flight":
        """The plan: its numbers by week, and its record."""
        stored = result(self)
        return Flight(stored, _record(self, stored))


class Flight(NamedTuple):
    """A plan of weeks.

    Attributes:
        stored: Its numbers by week, see `result`.
        record: As everybody reads it, but for the scenario, which the caller knows.
    """

    stored: xr.Dataset
    record: PlanRecord


def result(parts: Parts) -> xr.Dataset:
    """The numbers of a plan of weeks as they are stored and drawn.

    Args:
        parts: Spend and outcome.

    Returns:
        `spend` (channel, week) of the plan; `booked` and `beyond_seen` per cell;
        `outcome` (plan, draw), incremental, in the weeks and after them; `outcome_ran`
        (draw), that of the media as it ran a year earlier, at the price of each week;
        `inherited` and `terminal` (draw), what media before the plan brings in its
        weeks beside it, and what of the plan's own comes after them; `outcome_time`
        (time) with `outcome_time_ci`, and `inherited_time`, of it, by period, those
        after the plan included; `outcome_channel` (channel, draw); `spend_alone`
        (channel) and `outcome_channel_alone`, of the plan's split at the budget that
        ran.
    """
    response, own = parts.response, parts.brought.planned
    n = len(response.weeks)
    inherited = parts.none[:, :, :n].sum(axis=1)
    by_time = own.sum(axis=1)
    by_time[:, :n] += inherited
    cell, time = (CHANNEL, "week"), "time"
    variables = {
        "spend": (cell, parts.spends.planned),
        "booked": (cell, parts.cells.fixed),
        "beyond_seen": (cell, parts.beyond_seen),
        "outcome": (("plan", DRAW), np.stack(parts.outcome)),
        "outcome_ran": (DRAW, parts.ran),
        "inherited": (DRAW, inherited.sum(axis=1)),
        "terminal": (DRAW, own[:, :, n:].sum(axis=(1, 2))),
        "outcome_time": (time, by_time.mean(axis=0)),
        "outcome_time_ci": ((time, "ci"), interval(by_time)),
        "inherited_time": (time, _until(inherited.mean(axis=0), by_time.shape[1])),
        "outcome_channel": ((CHANNEL, DRAW), own.sum(axis=2).T),
        "spend_alone": (CHANNEL, parts.alone[0].sum(axis=1)),
        "outcome_channel_alone": ((CHANNEL, DRAW), parts.alone[1].sum(axis=2).T),
    }
    coords = {
        CHANNEL: list(response.names),
        "week": response.weeks.astype("datetime64[ns]"),
        "plan": list(PLANS),
        "ci": ["lo", "hi"],
    }
    units = {"currency": parts.currency, "outcome_unit": parts.outcome_unit}
    return xr.Dataset(variables, coords=coords, attrs=units)


def _until(outcome: np.ndarray, n: int) -> np.ndarray:
    """The same with zeros up to a number of periods."""
    return np.pad(outcome, (0, n - len(outcome)))


def _record(parts: Parts, flight: xr.Dataset) -> PlanRecord:
    """A plan of weeks as everybody reads it, but for what was asked for.

    Args:
        parts: Spend and outcome.
        flight: What `result` gives.
    """
    spends, outcome, ask = parts.spends, parts.outcome, parts.ask
    budget = round(float(spends.planned.sum()), 6)
    cash = cash_of_plans(spends, parts.induced)
    today, change = _against_today(parts, cash, budget)
    is_scaled, turning = _is_scaled(parts, change, today), _turns(parts)
    advice = settled(
        _advice(parts),
        verdict=parts.verdict or None,
        turns=turning,
        budgeted=_budgeted(parts, change) if is_scaled else None,
    )
    worth = WeekPlans(*map(parts.worth.of, parts.brought, spends))
    value = float(parts.measure.of(worth.planned))
    return record_of(
        "weeks",
        advice,
        outcome._asdict(),
        budget=budget,
        horizon=parts.horizon,
        today=today,
        against_today=change,
        weeks=tuple(str(week)[:10] for week in parts.response.weeks),
        channels=_lines(parts),
        inherited=estimate(flight["inherited"].values),
        terminal=estimate(flight["terminal"].values),
        gain=gain(outcome.planned, outcome.current),
        gain_over_even=gain(outcome.planned, outcome.even),
        gain_over_fixed=gain(outcome.planned, outcome.fixed),
        objective=Objective(parts.aim, value),
        bound=_bound(parts, value),
        profit=_profit(parts, worth),
        robustness=turning,
        discount=ask.discount,
        cash=None if cash is None else estimate(cash.planned),
        hidden=parts.hidden,
        teaching=parts.teaching,
        break_even=parts.break_even,
        shares=parts.shares,
        lifts=_lifts(parts),
        outcome_unit=parts.outcome_unit,
        currency=parts.currency,
        current_scaled=is_scaled,
        scenario={},
        goal=_goal(parts, budget),
    )


def _is_scaled(parts: Parts, change: AgainstToday, today: Today) -> bool:
    """Whether last year's spend was scaled to the budget."""
    if parts.induced is None:
        return is_another(today.spend + change.spend, today.spend)
    own = parts.spends  # of one cash own spend differs
    return is_another(float(own.current.sum()), float(own.today.sum()))


def _goal(parts: Parts, budget: float) -> Goal | None:
    """What the budget was found for, and what is reached; None for a fixed one."""
    find = parts.ask.found_for
    if find is None:
        return None
    return reached(find.kind, find.target, parts.outcome.planned, budget)


def _advice(parts: Parts) -> Advice:
    """What the draws say of the plan, with what else is to be known about it."""
    spends, brought, horizon = parts.spends, parts.brought, parts.horizon
    worth = WeekPlans(*map(parts.worth.of, brought, spends))
    # Of one cash own spend differs.
    over = spends.planned if parts.induced is None else spends.current
    spent = float(over.sum()), float(spends.today.sum())
    ran = float(brought.today.sum()), float(brought.current.sum())
    # The largest profit is judged by that of what ran, whatever the budget.
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
    spend = spends.planned[: len(parts.fitted)]
    planned = never_together(parts.response.history, spend.T)
    together = said(float(planned.mean()), "weeks")
    beliefs = [each.note(parts.fitted) for each in parts.ask.beliefs]
    notes = [note for note in (together, horizon.note, *beliefs, *parts.notes) if note]
    return advice._replace(reasons=(*advice.reasons, *notes))


def _against_today(
    parts: Parts, cash: WeekPlans | None, budget: float
) -> tuple[Today, AgainstToday]:
    """What ran, and what the plan changes against it, both at the plan's prices.

    What ran brings what its own media brings, as in plans over channels and geos.
    """
    margin = 1.0 if parts.outcome_unit == "revenue" else None
    if parts.worth.is_profit:
        margin = parts.worth.margin
    spend = float(parts.spends.today.sum()), budget
    if cash is not None:
        spend = float(cash.today.mean()), float(cash.planned.mean())
    outcome = parts.outcome
    today, change = against_today(spend, (outcome.today, outcome.planned), margin)
    ran = estimate(parts.ran)
    return Today(today.spend, ran, at_plan_prices=today.outcome), change


def _lifts(parts: Parts) -> dict[str, tuple[float, ...]]:
    """What channels bring by their shares of geos, of those that have others."""
    named = dict.fromkeys(share.channel for share in parts.shares)
    place = parts.response.names.index
    return {name: as_draws(parts.lift[place(name)]) for name in named}


def _budgeted(parts: Parts, change: AgainstToday) -> Budgeted | None:
    """What the budget does to profit, in the plan's weeks and in those of last year.

    None where a goal decides or where it is no money; last year's weeks are left out
    where they are not scaled to the budget.

    Args:
        parts: Of a plan of another budget than what ran.
        change: What it changes against what ran.
    """
    if change.profit is None or parts.has_goal:
        return None
    spends, brought, margin = parts.spends, parts.brought, change.profit.margin

    def side(money: Spend, outcome: np.ndarray) -> Side:
        return money.sum(axis=1), margin * outcome.sum(axis=2)

    is_profit = parts.worth.is_profit
    return budgeted(
        parts.response.names,
        parts.horizon,
        today=side(spends.today, brought.today),
        same_split=None if is_profit else side(spends.current, brought.current),
        planned=side(spends.planned, brought.planned),
        alone=side(*parts.alone),
        untested=parts.untested,
        cost=change.spend,
    )


def _lines(parts: Parts) -> tuple[Line, ...]:
    """Every channel: its totals, its outcome, and its weeks."""
    spends, beyond = parts.spends, parts.beyond_seen
    totals = spends.each(lambda spend: spend.sum(axis=1).tolist())
    brought = parts.brought.each(lambda outcome: outcome.sum(axis=2))
    lines = []
    for at, name in enumerate(parts.response.names):
        now, planned = totals.today[at], totals.planned[at]
        sides = (brought.current[:, at], brought.planned[:, at])
        beside = {"multiplier": planned / now if now > 0 else None}
        induced = None if parts.induced is None else parts.induced.planned[:, at]
        if induced is not None and induced.any():
            beside |= returns_beside((now, planned), induced, sides[1])
        lines.append(
            Line(
                name=name,
                planned=planned,
                current=now,
                comparison=totals.current[at],
                outcome=Pair(*map(estimate, sides)),
                beyond_seen=bool(beyond[at].any()),
                locked=False,
                is_belief=name not in parts.fitted,
                weeks=tuple(spends.planned[at].tolist()),
                weeks_beyond_seen=tuple(beyond[at].tolist()),
                booked=tuple(parts.cells.fixed[at].tolist()),
                **beside,
            )
        )
    return tuple(lines)


def _turns(parts: Parts) -> tuple[Turn, ...]:
    """How much hidden demand in a channel turns the advice to change."""
    spends, brought, ask = parts.spends, parts.brought, parts.ask
    worth = tuple(map(parts.worth.by_channel, (brought.current, brought.planned)))
    before = spends.current.sum(axis=1)
    moved = np.abs(spends.planned - spends.current).sum(axis=1)
    spend = before, before + moved  # money that moves between weeks moves too
    measure = measure_of("mean") if ask.find is not None else parts.measure
    names, totals = parts.response.names, (before, spends.planned.sum(axis=1))
    return turns(
        names,
        spend,
        worth,
        measure,
        cost=parts.worth.cost_of(spends.planned - spends.current),
        followers=raised(names, totals, parts.untested),
    )


def _bound(parts: Parts, value: float) -> Bound:
    """How good the plan could be; nothing where its spend was prescribed."""
    if np.isnan(parts.bound):
        return Bound(None, None, "spend was given")
    method = "concave ceiling" if parts.cells.is_whole else RELAXED
    return bound_of(max(parts.bound, value), value, method)


def _profit(parts: Parts, worth: WeekPlans) -> Profit | None:
    """Margin times what the plan brings, minus its spend, where that was asked for."""
    if not parts.worth.is_profit:
        return None
    return Profit(
        margin=parts.worth.margin,
        planned=estimate(worth.planned),
        current=estimate(worth.current),
        gain=gain(worth.planned, worth.current),
    )
