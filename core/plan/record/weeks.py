"""Results of flighting: a plan of weeks with its outcome, odds and bound, labelled."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import xarray as xr

from core.dims import CHANNEL, DRAW
from core.estimate import estimate, interval
from core.plan.advice.parts import Correlated, Turn
from core.plan.advice.robustness import turns
from core.plan.advice.rule import Advice, advise, settled
from core.plan.advice.rule import Profit as Budgeted
from core.plan.limits.cells import Cells
from core.plan.limits.cents import is_another
from core.plan.record import week_cash
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
from core.plan.record.teaching import Teaching
from core.plan.record.today import against_today, gain, is_limited
from core.plan.response.belief import Belief
from core.plan.response.horizon import WeekResponse
from core.plan.response.periods import Horizon
from core.plan.response.together import never_together, said
from core.plan.response.worth import Worth
from core.plan.scenario.measure import Measure, measure_of

#: Plans whose outcome is given: the best one, those it is compared with, and today's
#: spend as it is.
PLANS = ("planned", "current", "even", "fixed", "today")

#: Plans whose channels are stored, by what follows the names of their variables.
_SIDES = {"": "planned", "_current": "current", "_today": "today"}


@dataclass(frozen=True)
class Parts:
    """What a result is made of.

    Attributes:
        response: The horizon.
        cells: The limits.
        spends: By plan, channel week.
        brought: Incremental outcome by plan, draw channel time.
        ran: Incremental outcome of the media as it ran a year earlier, draw.
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
        induced: What plans make us spend on mediators, by plan, draw channel; empty
            where the budget does not pay for it.
    """

    response: WeekResponse
    cells: Cells
    spends: dict[str, np.ndarray]
    brought: dict[str, np.ndarray]
    ran: np.ndarray
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
    induced: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def fitted(self) -> tuple[str, ...]:
        """Channels that the fit has seen."""
        names = self.response.names
        return names[: len(names) - len(self.beliefs)]


def result(parts: Parts, about: dict[str, Any]) -> xr.Dataset:
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
        channel, draw, also `_current` and `_today`). Value of the objective, bound, gap
        and advice are attributes.
    """
    response, brought = parts.response, parts.brought
    n = len(response.weeks)
    totals = {name: draws.sum(axis=(1, 2)) for name, draws in brought.items()}
    own = brought["planned"]
    inherited = parts.none[:, :, :n].sum(axis=1)
    by_time = own.sum(axis=1)
    by_time[:, :n] += inherited
    cell, time = (CHANNEL, "week"), "time"
    seen = response.dearest[:, None] * (1 + 1e-9) + 0.01
    variables = {
        "spend": (cell, parts.spends["planned"]),
        **{f"spend_{name}": (cell, parts.spends[name]) for name in PLANS[1:]},
        "booked": (cell, parts.cells.fixed),
        "beyond_seen": (cell, parts.spends["planned"] > seen),
        "outcome": (("plan", DRAW), np.stack([totals[name] for name in PLANS])),
        "outcome_ran": (DRAW, parts.ran),
        "inherited": (DRAW, inherited.sum(axis=1)),
        "terminal": (DRAW, own[:, :, n:].sum(axis=(1, 2))),
        "outcome_time": (time, by_time.mean(axis=0)),
        "outcome_time_ci": ((time, "ci"), interval(by_time)),
        "inherited_time": (time, _until(inherited.mean(axis=0), by_time.shape[1])),
        **{
            f"{what}_channel{suffix}": ((CHANNEL, DRAW), of(brought[name]).T)
            for suffix, name in _SIDES.items()
            for what, of in (("outcome", _summed), ("worth", parts.worth.by_channel))
        },
        "price": (CHANNEL, response.price),
    }
    coords = {
        CHANNEL: list(response.names),
        "week": response.weeks.astype("datetime64[ns]"),
        "plan": list(PLANS),
        "ci": ["lo", "hi"],
    }
    judged = _judged(parts)
    if parts.worth.is_profit:
        profits = [parts.worth.of(brought[name], parts.spends[name]) for name in PLANS]
        variables["profit"] = (("plan", DRAW), np.stack(profits))
    if parts.induced:
        variables |= week_cash.stored(parts.induced, PLANS)
    if parts.teaching is not None:
        judged["teaching"] = _text(parts.teaching)
    if parts.break_even is not None:
        judged["break_even"] = _text(parts.break_even)
    return xr.Dataset(variables, coords=coords, attrs=about | judged)


def _text(part: Teaching | BreakEven) -> str:
    """A part of the record as an attribute."""
    return msgspec.json.encode(part).decode()


def _summed(brought: np.ndarray) -> np.ndarray:
    """Outcome of all weeks; draw channel."""
    return brought.sum(axis=2)


def _until(outcome: np.ndarray, n: int) -> np.ndarray:
    """The same with zeros up to a number of periods."""
    return np.pad(outcome, (0, n - len(outcome)))


def _judged(parts: Parts) -> dict[str, Any]:
    """Value, bound, gap and advice; NaN where nothing was searched."""
    worth = {
        name: parts.worth.of(draws, parts.spends[name])
        for name, draws in parts.brought.items()
    }
    value = {name: float(parts.measure.of(draws)) for name, draws in worth.items()}
    bound = float(np.maximum(parts.bound, value["planned"]))
    over = "current" if parts.induced else "planned"  # of one cash own spend differs
    spent = [float(parts.spends[name].sum()) for name in (over, "today")]
    ran = [float(parts.brought[name].sum()) for name in ("today", "current")]
    compared = _horizon(parts.response.weeks).compared(
        is_scaled=is_another(*spent), is_limited=is_limited(*ran)
    )
    advice = advise(
        worth["planned"] - worth["current"],
        float(parts.measure.growth(worth["current"], worth["planned"])),
        float(worth["current"].mean()),
        over=compared,
        verdict=parts.verdict,
    )
    seen = parts.spends["planned"][: len(parts.fitted)]
    planned = never_together(parts.response.history, seen.T)
    together = said(float(planned.mean()), "weeks")
    new = _horizon(parts.response.weeks, parts.response.began).note
    beliefs = [each.note(parts.fitted) for each in parts.beliefs]
    notes = [note for note in (together, new, *beliefs, *parts.notes) if note]
    reasons = (*advice.reasons, *notes)
    return {
        "budget": round(float(parts.spends["planned"].sum()), 6),
        "value": value["planned"],
        "bound": bound,
        "gap": (bound - value["planned"]) / bound if bound > 0 else bound - bound,
        "advice": advice.advice,
        "reasons": "\n".join(reasons),
        "is_relaxed": int(not parts.cells.is_whole),
        "verdict": parts.verdict or "",
        "began": json.dumps(parts.response.began),
        "beliefs": json.dumps([each.name for each in parts.beliefs]),
        "hidden": msgspec.json.encode(parts.hidden).decode(),
        "margin": parts.worth.margin if parts.worth.is_profit else np.nan,
        "cost": parts.worth.cost_of(parts.spends["planned"] - parts.spends["current"]),
    }


def week_record(flight: xr.Dataset, scenario: Mapping[str, Any]) -> PlanRecord:
    """A plan of weeks as everybody reads it.

    Args:
        flight: What `result` gives.
        scenario: What was asked for, in the words of a scenario file.
    """
    attrs = flight.attrs
    outcome, (today, change) = _outcome(flight), _against_today(flight)
    weeks = tuple(str(week)[:10] for week in flight["week"].values)
    horizon = _horizon(flight["week"].values, json.loads(attrs.get("began", "{}")))
    turning = _turns(flight)
    is_scaled = week_cash.is_scaled_to(flight, today.spend + change.spend, today.spend)
    budget = _budgeted(flight, horizon, change) if is_scaled else None
    advice = _settled(attrs, turning, budget)
    gains = _gains(outcome)
    return PlanRecord(
        over="weeks",
        budget=float(attrs["budget"]),
        horizon=horizon,
        today=today,
        against_today=change,
        weeks=weeks,
        channels=_lines(flight),
        outcome=Outcomes(**{name: estimate(each) for name, each in outcome.items()}),
        draws={name: as_draws(draws) for name, draws in outcome.items()},
        inherited=estimate(flight["inherited"].values),
        terminal=estimate(flight["terminal"].values),
        gain=gains["current"],
        gain_over_even=gains["even"],
        gain_over_fixed=gains["fixed"],
        objective=Objective(str(attrs["objective"]), float(attrs["value"])),
        bound=_bound(flight),
        profit=_profit(flight),
        advice=advice.advice,
        reasons=advice.reasons,
        on_split=advice.split,
        on_budget=advice.budget,
        robustness=turning,
        hidden=msgspec.json.decode(attrs["hidden"], type=tuple[Correlated, ...]),
        discount=float(attrs.get("discount", 0.0)),
        teaching=_teaching(attrs),
        break_even=_break_even(attrs),
        cash=week_cash.estimated(flight),
        outcome_unit=attrs["outcome_unit"],
        currency=attrs["currency"],
        current_scaled=is_scaled,
        scenario=json.loads(json.dumps(dict(scenario), default=str)),  # dates as text
        idle=(),
        test=None,
        supported=None,
        best=None,
        goal=_goal(attrs, outcome["planned"]),
    )


def _gains(outcome: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Gains of the plan over those it is compared with."""
    over = ("current", "even", "fixed")
    return {name: gain(outcome["planned"], outcome[name]) for name in over}


def _teaching(attrs: Mapping[str, Any]) -> Teaching | None:
    """What the plan is to tell, where that was asked for."""
    stored = attrs.get("teaching")
    return None if stored is None else msgspec.json.decode(stored, type=Teaching)


def _goal(attrs: Mapping[str, Any], outcome: np.ndarray) -> Goal | None:
    """What the budget was found for, and what is reached; None for a fixed one."""
    kind = str(attrs.get("found_for", ""))
    if not kind:
        return None
    target = float(attrs["target"])
    if kind == "outcome":
        odds = float((outcome >= target).mean())
        return Goal(kind="outcome", target=target, probability=odds)
    roi = estimate(outcome / float(attrs["budget"])) if kind == "roi" else None
    return Goal(kind=kind, target=target, roi=roi)


def _break_even(attrs: Mapping[str, Any]) -> BreakEven | None:
    """The budget of highest profit, where it is known."""
    stored = attrs.get("break_even")
    return None if stored is None else msgspec.json.decode(stored, type=BreakEven)


def _settled(
    attrs: Mapping[str, Any], turning: tuple[Turn, ...], budget: Budgeted | None
) -> Advice:
    """The advice, with what its fit, hidden demand and its budget allow."""
    reasons = tuple(str(attrs["reasons"]).split("\n"))
    return settled(
        Advice(str(attrs["advice"]), reasons),
        verdict=attrs.get("verdict") or None,
        turns=turning,
        profit=budget,
    )


def _outcome(flight: xr.Dataset) -> dict[str, np.ndarray]:
    """Outcome per draw of the plan and of those it is compared with."""
    return {name: flight["outcome"].sel(plan=name).values for name in PLANS}


def _against_today(flight: xr.Dataset) -> tuple[Today, AgainstToday]:
    """What ran, and what the plan changes against it, both at the plan's prices.

    What ran brings what its own media brings, as in plans over channels and geos.
    """
    attrs, outcome = flight.attrs, _outcome(flight)
    margin = float(attrs["margin"])
    if np.isnan(margin):
        margin = 1.0 if attrs["outcome_unit"] == "revenue" else None
    spend = float(flight["spend_today"].sum()), float(attrs["budget"])
    if (cash := week_cash.cash_of_plans(flight)) is not None:
        spend = tuple(float(each.mean()) for each in reversed(cash.values()))
    draws = outcome["today"], outcome["planned"]
    today, change = against_today(spend, draws, margin)
    ran = estimate(flight["outcome_ran"].values)
    return Today(today.spend, ran, at_plan_prices=today.outcome), change


def _horizon(weeks: np.ndarray, began: Mapping[str, str] | None = None) -> Horizon:
    """The weeks of a plan, and which channels began since a year earlier."""
    first, last = (str(day)[:10] for day in (weeks[0], weeks[-1]))
    since = tuple((began or {}).items())
    return Horizon(first, last, len(weeks), as_fitted=False, began=since)


def _budgeted(
    flight: xr.Dataset, horizon: Horizon, change: AgainstToday
) -> Budgeted | None:
    """What the budget does to profit; None where a goal decides, or it is no money."""
    is_goal = str(flight.attrs["objective"]).startswith("reach:")
    if change.profit is None or is_goal or flight.attrs.get("found_for"):
        return None
    margin = change.profit.margin
    turning = turns(
        _names(flight),
        tuple(flight[name].sum("week").values for name in ("spend_today", "spend")),
        tuple(
            margin * flight[f"outcome_channel{key}"].values.T for key in ("_today", "")
        ),
        measure_of("mean"),
        cost=change.spend,
        material=0.0,
    )
    return Budgeted(change.profit.gain, horizon.as_it_ran, turning)


def _names(flight: xr.Dataset) -> tuple[str, ...]:
    return tuple(str(name) for name in flight[CHANNEL].values)


def _lines(flight: xr.Dataset) -> tuple[Line, ...]:
    """Every channel: its totals, its outcome, and its weeks."""

    def total(variable: str, name: str) -> float:
        return float(flight[variable].sel(channel=name).sum())

    lines, new = [], json.loads(flight.attrs.get("beliefs", "[]"))
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
                multiplier=planned / now if now > 0 else None,
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
                **week_cash.with_elsewhere(of, planned),
            )
        )
    return tuple(lines)


def _turns(flight: xr.Dataset) -> tuple[Turn, ...]:
    """How much hidden demand in a channel turns the advice to change."""
    worth = tuple(flight[f"worth_channel{key}"].values.T for key in ("_current", ""))
    before = flight["spend_current"].sum("week").values
    moved = np.abs(flight["spend"] - flight["spend_current"]).sum("week").values
    spend = before, before + moved  # money that moves between weeks moves too
    objective = str(flight.attrs["objective"])
    measure = measure_of("mean" if objective == "profit" else objective)
    return turns(
        _names(flight), spend, worth, measure, cost=float(flight.attrs["cost"])
    )


def _bound(flight: xr.Dataset) -> Bound:
    """How good the plan could be; nothing where its spend was prescribed."""
    if np.isnan(flight.attrs["bound"]):
        return Bound(None, None, "spend was given")
    best, gap = float(flight.attrs["bound"]), float(flight.attrs["gap"])
    method = RELAXED if flight.attrs.get("is_relaxed") else "concave ceiling"
    return Bound(best, gap, method)


def _profit(flight: xr.Dataset) -> Profit | None:
    """Margin times what the plan brings, minus its spend, where that was asked for."""
    if "profit" not in flight:
        return None
    planned, current = (
        flight["profit"].sel(plan=name).values for name in ("planned", "current")
    )
    return Profit(
        margin=float(flight.attrs["margin"]),
        planned=estimate(planned),
        current=estimate(current),
        gain=gain(planned, current),
    )
