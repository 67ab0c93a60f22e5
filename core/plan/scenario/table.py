"""Scenario as a table: what a saved plan keeps, and what a scenario file says.

budget = 12_000_000          # or [find] below
objective = "p10"            # mean, p10, cvar10, reach:41e6
bounds = ["70 %", "130 %"]   # of every channel that has none of its own
within_seen = true           # and other switches: core/plan/limits/asked.py

[horizon]                    # see core/plan/scenario/horizon.py

[find]                       # instead of a budget
kind = "profit"              # profit, mroi, roi, outcome
margin = 0.4

[channel.TV]
min = 1_000_000              # money, or "80 %" of what it spent last year
max = "120 %"
may_be_off = true            # spends nothing, or at least its minimum
step = 5_000
lock = true                  # or an amount
gamma = 0.2                  # dearer with volume: core/plan/response/price.py

[belief.Podcast]             # a channel that the fit has never seen run
spend = 200_000              # over the plan's periods; its most, unless [channel] says
roi = [0.8, 3.0]             # 90 % interval at that spend; default: as its kind

[mediator.Clicks]            # of a funnel, that costs money
bought = 1.0                 # share of its demand: core/plan/money/elsewhere.py

[group.Search]
channels = ["Brand", "Generic"]
min = 100_000                # money, or a share of the budget
max = "40 %"
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from core.errors import PlanError, ValueRangeError
from core.plan.limits.asked import NAMES
from core.plan.limits.channels import DEFAULT_BOUNDS, GROUPED, ChannelLimits, Group
from core.plan.limits.stated import stated
from core.plan.money.elsewhere import paying
from core.plan.response.belief import Belief
from core.plan.response.curves import ResponseCurves
from core.plan.response.price import at_indexed_prices, prices_by_period
from core.plan.scenario.amounts import (
    bounds_of,
    finish,
    gamma_of,
    is_at_best,
    price_of,
    reader_of,
    refuse_money_goals,
    refuse_other_currencies,
)
from core.plan.scenario.find import Find, find_faults, find_of
from core.plan.scenario.scenario import Scenario, Usual, scenario, usual_limits
from core.toml.document import parse, shown
from core.toml.table import TableReader, amount_of, is_percent

#: What is usual for a channel that is not there: the check says so.
_UNKNOWN = Usual(math.nan, math.nan, math.nan)


def as_table(scenario: Scenario) -> dict[str, Any]:
    """A scenario in the words of a scenario file, without what is not there."""
    table: dict[str, Any] = {"objective": scenario.objective}
    if scenario.find is None:
        table["budget"] = scenario.budget
    else:
        table["find"] = find_table(scenario.find)
    table |= scenario.chosen()
    table["channel"] = {limits.name: _channel(limits) for limits in scenario.channels}
    if scenario.beliefs:
        table["belief"] = beliefs_table(scenario.beliefs)
    if scenario.bought:
        table["mediator"] = {
            name: {"bought": share} for name, share in scenario.bought.items()
        }
    if scenario.groups:
        table["group"] = groups_table(scenario.groups)
    return table


def find_table(find: Find) -> dict[str, Any]:
    """What the budget is found for, as `[find]` of a scenario file."""
    table = _kept(vars(find))
    if find.kind == "profit":
        table.pop("target", None)
    return table


def _kept(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in numbers.items()
        if value is not None
        and not (isinstance(value, float) and not math.isfinite(value))
    }


def _channel(limits: ChannelLimits) -> dict[str, Any]:
    row: dict[str, Any] = {"min": limits.low, "max": limits.high}
    if limits.locked is not None:
        row["lock"] = limits.locked
    row |= limits.as_row()
    return row | ({"price": list(limits.by_period)} if limits.by_period else {})


def _belief(belief: Belief) -> dict[str, Any]:
    roi = {} if belief.roi is None else {"roi": list(belief.roi)}
    return {"spend": belief.spend} | roi


def _group(group: Group) -> dict[str, Any]:
    row: dict[str, Any] = {"channels": list(group.channels)}
    if group.low:
        row["min"] = group.low
    if math.isfinite(group.high):
        row["max"] = group.high
    if group.low_share:
        row["min_share"] = group.low_share
    if group.high_share < 1:
        row["max_share"] = group.high_share
    if group.of != "group":
        row["of"] = group.of
    return row


def scenario_text(scenario: Mapping[str, Any], *, name: str, notes: str) -> str:
    """The scenario file of a plan: its name, its notes, and what was asked for."""
    import tomlkit

    about = {"name": name, "notes": notes}
    about = {key: text for key, text in about.items() if text}
    return tomlkit.dumps(about | dict(scenario))


def scenario_table(text: str, *, what: str = "scenario") -> dict[str, Any]:
    """The table that a scenario file holds, or a portfolio's.

    Raises:
        PlanError: It is not TOML.
    """
    try:
        return parse(text)
    except ValueError as error:
        raise PlanError(
            f"This file is not TOML: {str(error).rstrip('.')}.",
            hint="Compare it with the example in docs/planning.md.",
            where=what,
        ) from error


def of_table(table: Mapping[str, Any], curves: ResponseCurves) -> Scenario:
    """The scenario of a table, checked.

    Args:
        table: See this module.
        curves: The fit's response curves.

    Raises:
        PlanError: The table is not understood (`findings` has all that is not), or the
            request cannot be met.
    """
    table = at_indexed_prices(table, dict(curves.indexed))
    refuse_other_currencies(table, curves.currency)
    refuse_money_goals(table, curves.outcome_unit)
    root = reader_of(table)
    names = (*curves.names, *curves.idle)
    beliefs, bought, options = options_of(root, curves.outcome_unit, names)
    if {"budget", "find"} <= options.keys():
        raise two_budgets()
    curves, request = paying(curves, bought), stated(options)
    to = request.budget if request.scaled else None
    usual = usual_limits(curves, beliefs, request.bounds or DEFAULT_BOUNDS, to)
    now = {belief.name: belief.spend for belief in beliefs}
    now |= dict(zip(curves.names, curves.spend.tolist(), strict=True))
    periods = () if curves.by_period is None else curves.by_period.T
    ran = dict(zip(curves.names, periods, strict=False))
    dated = {} if curves.horizon.as_fitted else prices_by_period(table)
    channels = [
        _limits(
            row,
            usual.get(name, _UNKNOWN),
            now.get(name, math.nan),
            ran.get(name),
            dated.get(name, ()),
        )
        for name, row in root.named("channel").items()
    ]
    finish(root)
    about = {"beliefs": beliefs, "bought": bought, "channels": channels}
    return scenario(curves, **about, **options)


def options_of(
    root: TableReader, outcome_unit: str, names: Sequence[str] = ()
) -> tuple[tuple[Belief, ...], dict[str, float], dict[str, Any]]:
    """What plans of channels and of weeks can be asked for alike, where it is stated.

    Args:
        root: The scenario; what is wrong with it is a problem there.
        outcome_unit: Of the fit.
        names: Channels of the fit, of which nothing can be believed.

    Returns:
        Beliefs, shares of mediators' demand that are bought, and the rest.
    """
    for key in ("name", "notes", "horizon"):
        root.any(key)
    find = None if root.any("find") is None else root.child("find")
    options = {
        "budget": root.amount("budget"),
        "objective": root.text("objective"),
        "bounds": root.converted("bounds", bounds_of),
        **{name: root.boolean(name, None) for name in NAMES},
        "find": None if find is None else find_of(find, outcome_unit),
        "groups": tuple(group_of(*named) for named in root.named("group").items()),
    }
    believed = [belief_of(*named, names) for named in root.named("belief").items()]
    bought = {name: share_of(row) for name, row in root.named("mediator").items()}
    options = {key: value for key, value in options.items() if value is not None}
    return tuple(believed), bought, options


def two_budgets() -> PlanError:
    """The error of a scenario with a fixed budget and one to be found."""
    return PlanError(
        "The scenario has a budget and [find], which finds one.",
        hint="Set a fixed budget or ask Mixwright to find one, not both: take budget "
        "or [find] out.",
        where="budget",
    )


def _limits(
    row: TableReader,
    usual: Usual,
    now: float,
    ran: Float[np.ndarray, " period"] | None,
    dated: Sequence[float],
) -> ChannelLimits:
    """What is said about a channel.

    Args:
        row: Its table.
        usual: What it may spend where an end is not said.
        now: What it spends, or could, which a lock keeps.
        ran: Spend of each period a year earlier; None where that is not known.
        dated: Prices of single periods.
    """
    low, high = row.amount("min", usual.base), row.amount("max", usual.base)
    lock = row.converted("lock", partial(_lock, now=now, base=usual.base))
    if lock is not None and low is None and high is None:
        low = high = lock
    limits = ChannelLimits(
        row.path[-1],
        usual.low if low is None else low,
        usual.high if high is None else high,
        lock,
        tuple(dated),
        may_be_off=bool(row.boolean("may_be_off")),
        at_best_frequency=is_at_best(row),
        step=row.amount("step") or 0.0,
        gamma=gamma_of(row),
        price=price_of(row, ran),
    )
    row.finish()
    return limits


def share_of(row: TableReader) -> float:
    """Share of a mediator's demand that is bought; all of it where not said."""
    share = row.amount("bought", 1.0)
    row.finish()
    return 1.0 if share is None else float(share)


def belief_of(name: str, row: TableReader, names: Sequence[str] = ()) -> Belief:
    """What a scenario says of a channel without history.

    Args:
        name: The channel.
        row: Its table; what is wrong with it is a problem there.
        names: Channels of the fit.
    """
    if name in names:
        hint = "Leave [belief] out: its response was measured. For a channel without "
        hint += "spend in these periods plan weeks."
        row.problem(f"{name} is a channel of this fit.", hint, "spend")
    spend = row.amount("spend")
    if spend is None or not (math.isfinite(spend) and spend > 0):
        hint = "Give what it could spend over the plan's periods, such as 200000."
        row.problem(f"The spend of {name} is not an amount above 0.", hint, "spend")
        spend = 1.0
    roi = row.converted("roi", _roi_of)
    row.finish()
    return Belief(name, spend, roi)


def beliefs_of(table: Mapping[str, Any]) -> tuple[Belief, ...]:
    """The beliefs of a scenario's table; those that are not understood are left out."""
    rows = reader_of(table).named("belief").items()
    pairs = [(belief_of(name, row), row) for name, row in rows]
    return tuple(belief for belief, row in pairs if not row.has_problems)


def beliefs_table(beliefs: Sequence[Belief]) -> dict[str, Any]:
    """Beliefs as `[belief]` of a scenario file."""
    return {each.name: _belief(each) for each in beliefs}


def _roi_of(value: Any) -> tuple[float, float]:
    """The ends of a 90 % interval of an ROI.

    Raises:
        ValueRangeError: It is none.
    """
    ends = value if isinstance(value, list | tuple) and len(value) == 2 else ()
    low, high = (amount_of(end, 1.0) for end in ends) if ends else (math.nan, math.nan)
    if not (0 < low < high < math.inf):
        raise ValueRangeError(
            f"{shown(value)} is not a range of an ROI.",
            hint="Give two numbers above 0, the smaller one first, such as [0.8, 3.0].",
        )
    return low, high


def _lock(value: Any, now: float, base: float) -> float | None:
    """What a channel is locked at; None for no lock.

    Raises:
        ValueRangeError: It is not an amount.
    """
    if isinstance(value, bool):
        return now if value else None
    return amount_of(value, base)


def group_of(name: str, row: TableReader) -> Group:
    """A group of a scenario."""
    channels, of = row.texts("channels"), row.text("of", "group") or "group"
    if of not in GROUPED:
        row.problem(
            f'"of" in {row.title} is not group, project or kind.', "Leave it out.", "of"
        )
    elif of != "group":  # a fault in it is named as the portfolio's file has it
        row.path = (of, name)
    values: dict[str, float] = {}
    for key, end in (("min", "low"), ("max", "high")):
        share, value = row.number(f"{key}_share"), row.any(key)
        if share is not None:
            values[f"{end}_share"] = share
        amount = row.amount(key, 1.0)
        if amount is not None:
            values[f"{end}_share" if is_percent(value) else end] = amount
    row.finish()
    return Group(name, channels, **values, of=of)


def groups_table(groups: Iterable[Group]) -> dict[str, Any]:
    """Groups by name, as scenario files have them."""
    return {group.name: _group(group) for group in groups}


def find_in(table: Mapping[str, Any]) -> Find | None:
    """What a table finds the budget for; None where that cannot be found."""
    row = reader_of(table).child("find")
    find = find_of(row, "")
    return None if row.has_problems or find_faults(find, "mean") else find


def groups_of(table: Mapping[str, Any]) -> tuple[Group, ...]:
    """The groups of a scenario's table; those that are not understood are left out."""
    rows = reader_of(table).named("group").items()
    pairs = [(group_of(name, row), row) for name, row in rows]
    return tuple(group for group, row in pairs if not row.has_problems)
