"""Limits of a plan as a table to edit in place: least, most, and locked channels.

The session keeps limits in money. What is typed stays in the editor until the unit
changes, a plan is loaded or the screen is left; then it becomes the new base.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.errors import PlanError
from core.service import plans
from core.service.ask import Bound, PlanAsk, share
from core.service.planning.asked import FIELDS
from core.service.planning.buying import Buying
from core.service.planning.scenario import stated, step, whole
from core.service.records.plan import (
    DEFAULT_BOUNDS,
    Group,
    PlanRecord,
    ResponseCurves,
    Scenario,
)
from core.text.languages.language import marked, say
from pages.plan.more import More
from pages.plan.rare.dated import by_period, days_of
from pages.ui import state, tables

UNITS = ("%", "money")
#: Stands in the row of limits that cannot be met.
_WRONG = marked("✕ limits")
#: Limits that differ by less are the same, in the steps that a budget moves by.
_SAME = 1.1


@dataclass(frozen=True)
class Limit:
    """One channel's limits in currency.

    Attributes:
        low: Least spend.
        high: Most spend.
        locked: Whether it keeps its current spend.
    """

    low: float
    high: float
    locked: bool = False


Limits = dict[str, Limit]


def default(curves: ResponseCurves, spread: float | None = None) -> Limits:
    """The limits that a plan begins with, or those of plus or minus a share."""
    low, high = (1 - spread, 1 + spread) if spread is not None else DEFAULT_BOUNDS
    total = float(curves.spend.sum())
    return {
        name: Limit(whole(cost * max(low, 0.0), total), whole(cost * high, total))
        for name, cost in _spend(curves).items()
    }


def ran(curves: ResponseCurves) -> float:
    """What the periods cost, in the steps that a budget of that size moves by."""
    total = float(curves.spend.sum())
    return whole(total, total)


def _spend(curves: ResponseCurves) -> dict[str, float]:
    return {n: float(s) for n, s in zip(curves.names, curves.spend, strict=True)}


def begin(run_id: str, curves: ResponseCurves, *, is_edited: bool) -> None:
    """Set limits up for a fit, or take up what was typed before the screen was left.

    For other periods, limits and budget stay the same multiples of today's spend.

    Args:
        run_id: The fit.
        curves: Of the periods planned.
        is_edited: Whether the table of limits is on screen.
    """
    spend, total = _spend(curves), ran(curves)
    before = state.draft("limits.spend")
    state.keep("limits.spend", spend)
    waiting = state.draft("limits.waiting")
    if waiting is not None:
        state.keep("limits.waiting", None)
        _take_up(run_id, waiting, curves)
    elif state.draft("limits.run") != run_id:
        state.keep("limits.run", run_id)
        state.put("plan.budget", total)
        rebase(default(curves))
    elif not _same(before, spend):
        _follow(before, spend, curves)
    elif not state.has(editor_key()) and (is_edited or _is_typed()):
        rebase(state.draft("limits.now"))


def settle(run_id: str, spend: Mapping[str, float]) -> None:
    """Take limits that come for those of a fit and its periods.

    Else `begin` would take them for those of others, and scale or drop them.

    Args:
        run_id: The fit.
        spend: Of each channel in these periods, currency.
    """
    state.keep("limits.spend", dict(spend))
    state.keep("limits.run", run_id)


def _is_typed() -> bool:
    """Whether something was typed that the base does not have.

    Views without the table need that, too: the session forgets what was typed into a
    table one run after it was last drawn.
    """
    return state.draft("limits.now") != state.draft("limits")


def await_curves(run_id: str, limits: Limits, budget: float | None) -> None:
    """Set limits and budget as they are, once the curves of their periods are there.

    Args:
        run_id: The fit.
        limits: Currency.
        budget: Currency; None for the one there is.
    """
    state.keep("limits.waiting", (run_id, limits, budget))


def _take_up(run_id: str, waiting: tuple, curves: ResponseCurves) -> None:
    """Make the limits that waited those of the form, if they are of this fit."""
    fit, limits, budget = waiting
    limits = limits if fit == run_id else {}
    total = ran(curves)
    state.keep("limits.run", run_id)
    state.put("plan.budget", total if budget is None or not limits else budget)
    rebase(dict(default(curves)) | {n: limits[n] for n in curves.names if n in limits})


def _same(before: Mapping[str, float], spend: Mapping[str, float]) -> bool:
    """Whether two periods cost the same, but for rounding."""
    return before.keys() == spend.keys() and all(
        abs(before[name] - cost) <= 1e-9 * cost for name, cost in spend.items()
    )


def _follow(
    before: Mapping[str, float], spend: Mapping[str, float], curves: ResponseCurves
) -> None:
    """Limits and budget for other periods, as multiples of what those cost."""
    limits: Limits = dict(default(curves))
    total, new = sum(before.values()), ran(curves)
    old = whole(total, total)
    for name, limit in state.draft("limits.now").items():
        if name in spend and before.get(name):
            by = spend[name] / before[name]
            low, high = whole(limit.low * by, new), whole(limit.high * by, new)
            limits[name] = replace(limit, low=low, high=high)
    budget = float(state.widget("plan.budget", old) or old)
    # A budget that was last year's stays last year's, to the cent.
    state.put("plan.budget", new if budget == old else whole(budget * new / old, new))
    rebase(limits)


def rebase(limits: Limits) -> None:
    """Make limits the base of the editor and forget what was typed."""
    state.keep("limits", limits)
    state.keep("limits.now", limits)
    state.start_afresh("limits")
    state.drop("plan.spread")  # it is what these limits are


def editor_key() -> str:
    """Key of the editor."""
    return f"plan.limits.{state.edition('limits')}"


def of_their_own(curves: ResponseCurves, spread: float) -> list[str]:
    """Channels whose limits are other than plus or minus a share."""
    usual, least = default(curves, spread), _SAME * float(step(curves.spend.sum()))
    return [
        name
        for name, limit in now(curves, state.widget("plan.unit", "%")).items()
        if limit.locked
        or abs(limit.low - usual[name].low) > least
        or abs(limit.high - usual[name].high) > least
    ]


def spread_of(curves: ResponseCurves, usual: int) -> int:
    """The percent up and down that limits of most channels are; else the usual one.

    A link, a saved plan and a step back bring limits, not what they were made of.
    """
    limits, spend = now(curves, state.widget("plan.unit", "%")), _spend(curves)
    moves = {
        name: round(100 * (limit.high / spend[name] - 1))
        for name, limit in limits.items()
        if spend[name] and not limit.locked
    }
    for spread, _ in Counter(moves.values()).most_common(1):
        own = of_their_own(curves, spread / 100)
        if 0 <= spread <= 100 and 2 * len(own) < len(limits):
            return spread
    return usual


def now(curves: ResponseCurves, unit: str) -> Limits:
    """The limits with what was typed; read before the table is drawn."""
    limits: Limits = dict(state.draft("limits"))
    # The editor stands below the plan that it decides, and returns its table only
    # there; what was typed is in the session before.
    typed = state.widget(editor_key(), {})
    edited = typed.get("edited_rows", {}) if isinstance(typed, Mapping) else {}
    spend = _spend(curves)
    for row, changes in edited.items():
        if int(row) < len(curves.names):
            name = curves.names[int(row)]
            limits[name] = _changed(limits[name], changes, unit, spend[name])
    state.keep("limits.now", limits)
    return limits


def _changed(limit: Limit, changes: Mapping[str, Any], unit: str, cost: float) -> Limit:
    values: dict[str, Any] = {}
    for key, field in (("min", "low"), ("max", "high")):
        # An emptied cell keeps the limit that it had.
        if changes.get(key) is not None:
            typed = float(changes[key])
            values[field] = typed * cost / 100 if unit == "%" else typed
    if "lock" in changes:
        values["locked"] = bool(changes["lock"])
    return replace(limit, **values)


def request(
    curves: ResponseCurves,
    limits: Limits,
    budget: float,
    objective: str,
    more: More,
) -> Scenario:
    """The scenario that limits, budget, objective and more make.

    Raises:
        PlanError: It cannot be met; the message has the smallest change that can.
    """
    table = more.table()
    table.pop("group", None)  # two of one name are refused, and not the last one kept
    ask = PlanAsk(
        over="channels",
        budget=None if more.find else budget,
        objective=objective,
        limits=[*_bounds(limits, more, curves), *_group_bounds(more.groups)],
        scenario=table,
    )
    return plans.scenario_of(ask, curves)


def _bounds(limits: Limits, more: More, curves: ResponseCurves) -> Iterator[Bound]:
    """The limit of each channel, and what it costs in each period."""
    days = None if curves.horizon.as_fitted else days_of(curves.horizon)
    for name, limit in limits.items():
        price = more.buying.get(name, Buying()).price
        dated = () if days is None else by_period(more.dated, name, days, price)
        ends = {"low": limit.low, "high": limit.high, "locked": limit.locked}
        yield Bound(name, **ends, price=dated or None)


def _group_bounds(groups: Sequence[Group]) -> Iterator[Bound]:
    """Joint limits: those in money, and those that are shares of the budget."""
    for group in groups:
        group_bound = partial(Bound, group.channels, name=group.name, of=group.of)
        high = group.high if group.high != math.inf else None
        # Zero and infinity are no limits, and are not stated as such.
        yield group_bound(low=group.low or None, high=high)
        least = share(group.low_share) if group.low_share else None
        most = share(group.high_share) if group.high_share != 1 else None
        if least or most:
            yield group_bound(low=least, high=most)


def table(
    curves: ResponseCurves, unit: str, error: PlanError | None, symbol: str
) -> None:
    """Draw the table of limits, and mark those that cannot be met."""
    frame = _frame(curves, unit, error)
    unit_text = "%" if unit == "%" else symbol
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    form = "%.0f" if unit == "%" else "localized"
    top = 1000.0 if unit == "%" else None
    lock = FIELDS["locked"]
    limit = {"min_value": 0.0, "max_value": top, "format": form, "width": 90}
    tables.edit(
        frame,
        say("Limits of each channel"),
        {
            "channel": text(
                say("Channel"),
                pinned=True,
                disabled=True,
                width=tables.width(frame["channel"], 82, 170),
            ),
            "now": text(
                fmt.titled(curves.horizon.heading, symbol),
                disabled=True,
                width=158,
                alignment="right",
            ),
            **{
                field.key: number(
                    fmt.titled(say(field.label), unit_text),
                    help=say(field.help),
                    **limit,
                )
                for field in (FIELDS["low"], FIELDS["high"])
            },
            lock.key: st.column_config.CheckboxColumn(
                say(lock.label), width=72, help=say(lock.help)
            ),
            "wrong": text("", disabled=True, width=74),
        },
        key=editor_key(),
        width="content",
    )


def _frame(curves: ResponseCurves, unit: str, error: PlanError | None) -> pd.DataFrame:
    base: Limits = state.draft("limits")
    wrong = {finding.where for finding in error.findings} if error else set()
    channels, total = [], float(curves.spend.sum())
    for name, cost in _spend(curves).items():
        limit = base[name]
        low, high = whole(limit.low, total), whole(limit.high, total)
        if unit == "%":
            low, high = (round(100 * end / cost, 1) for end in (limit.low, limit.high))
        channels.append(
            {
                "channel": name,
                "now": fmt.table_amount(cost),
                "min": low,
                "max": high,
                "lock": limit.locked,
                "wrong": say(_WRONG) if name in wrong else "",
            }
        )
    return pd.DataFrame(channels)


def of_plan(saved: PlanRecord) -> Limits:
    """The limits of channels that a saved plan was made with."""
    lines = [line for line in saved.channels if not line.is_belief]
    limits = of_table(saved.scenario, {line.name: line.current for line in lines})
    return {line.name: limits[line.name] for line in lines}


def of_table(table: Mapping[str, Any], current: Mapping[str, float]) -> Limits:
    """The limits of a scenario that was checked: money.

    Locked at what ran is the form's lock; any other amount is both ends at once.

    Args:
        table: The scenario.
        current: What channels spend in its periods today; none of them is locked where
            that is not known.
    """
    limits = {}
    for name, row in stated(table).channel.items():
        ends, stays = (row.low, row.high), False
        if row.locked is not False:
            stays = abs(row.locked - current.get(name, -1.0)) < 0.01
            ends = ends if stays else (row.locked, row.locked)
        limits[name] = Limit(*map(float, ends), stays)
    return limits
