"""Scenario as a table: what a saved plan keeps, and what a scenario file says.

budget = 12_000_000          # or [find] below
objective = "p10"            # mean, p10, cvar10, reach:41e6
bounds = ["70 %", "130 %"]   # of every channel that has none of its own
within_seen = true           # and other switches: core/plan/limits/switches.py

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from core.errors import PlanError, ValueRangeError
from core.plan.limits.channels import DEFAULT_BOUNDS, GROUPED, ChannelLimits, Group
from core.plan.limits.stated import stated
from core.plan.limits.switches import NAMES
from core.plan.money.elsewhere import paying
from core.plan.response.belief import Belief
from core.plan.response.curves import ResponseCurves
from core.plan.response.price import BEST, at_indexed_prices, prices_by_period
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
from core.plan.scenario.find import Find, find_of
from core.plan.scenario.scenario import Scenario, scenario
from core.toml.document import parse, shown
from core.toml.table import TableReader, amount_of, is_percent


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
        table["group"] = {group.name: _group(group) for group in scenario.groups}
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
    if limits.may_be_off:
        row["may_be_off"] = True
    if limits.step:
        row["step"] = limits.step
    if limits.gamma:
        row["gamma"] = limits.gamma
    if limits.by_period:
        row["price"] = list(limits.by_period)
    elif limits.price != 1.0:
        row["price"] = limits.price
    if limits.at_best_frequency:
        row["frequency"] = BEST
    return row


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


def scenario_table(text: str) -> dict[str, Any]:
    """The table that a scenario file holds.

    Raises:
        PlanError: It is not TOML.
    """
    try:
        return parse(text)
    except ValueError as error:
        raise PlanError(
            f"The scenario is not TOML: {str(error).rstrip('.')}.",
            hint="Compare it with the example in docs/planning.md.",
            where="scenario",
        ) from error


def of_table(
    table: Mapping[str, Any], curves: ResponseCurves, **flags: Any
) -> Scenario:
    """The scenario of a table, checked.

    Args:
        table: See this module.
        curves: The fit's response curves.
        flags: Options of `scenario` that go before what the table says.

    Raises:
        PlanError: The table is not understood (`findings` has all that is not), or the
            wish cannot be met.
    """
    table = at_indexed_prices(table, dict(curves.indexed))
    for each in (table, flags):
        refuse_other_currencies(each, curves.currency)
        refuse_money_goals(each, curves.outcome_unit)
    root = reader_of(table)
    for key in ("name", "notes", "horizon"):
        root.any(key)
    budget = root.amount("budget")
    options: dict[str, Any] = {
        "budget": budget,
        "objective": root.text("objective"),
        "bounds": root.converted("bounds", bounds_of),
        **{name: root.boolean(name, None) for name in NAMES},
    }
    if root.any("find") is not None:
        if budget is not None and not {"budget", "find"} & set(flags):
            raise two_budgets()
        options["find"] = find_of(root.child("find"), curves.outcome_unit)
    options = {key: value for key, value in options.items() if value is not None}
    options |= flags
    beliefs = [
        belief_of(name, row, (*curves.names, *curves.idle))
        for name, row in root.named("belief").items()
    ]
    bought = {name: share_of(row) for name, row in root.named("mediator").items()}
    curves = paying(curves, bought)
    spend = dict(zip(curves.names, curves.spend.tolist(), strict=True))
    scale = 1.0
    asked = stated(options)
    if asked.scaled and asked.budget:
        scale = asked.budget / sum(spend.values())
    bases = {name: amount * scale for name, amount in spend.items()}
    bases |= {belief.name: belief.spend for belief in beliefs}
    channels = root.named("channel")
    ran = {} if curves.by_period is None else curves.by_period.T
    ran = dict(zip(curves.names, ran, strict=False))
    limits = _limits(channels, bases, asked.bounds or DEFAULT_BOUNDS, ran)
    options |= {"beliefs": beliefs, "bought": bought} | vars(limits)
    if not curves.horizon.as_fitted:  # those periods come again at no date
        options["by_period"] = prices_by_period(table)
    options["groups"] = [group_of(*named) for named in root.named("group").items()]
    finish(root)
    return scenario(curves, **options)


@dataclass
class _Limits:
    """What is said about single channels, as options of `scenario`."""

    money: dict[str, tuple[float, float]] = field(default_factory=dict)
    locked: dict[str, float | None] = field(default_factory=dict)
    may_be_off: list[str] = field(default_factory=list)
    steps: dict[str, float] = field(default_factory=dict)
    gammas: dict[str, float] = field(default_factory=dict)
    prices: dict[str, float] = field(default_factory=dict)
    at_best_frequency: list[str] = field(default_factory=list)


def two_budgets() -> PlanError:
    """The error of a scenario with a fixed budget and one to be found."""
    return PlanError(
        "The scenario has a budget and [find], which finds one.",
        hint="Set a fixed budget or ask Mixwright to find one, not both: take budget "
        "or [find] out.",
        where="budget",
    )


def _limits(
    channels: Mapping[str, TableReader],
    bases: Mapping[str, float],
    bounds: tuple[float, float],
    ran: Mapping[str, np.ndarray],
) -> _Limits:
    """What is said about single channels.

    Args:
        channels: A table per channel.
        bases: What percentages are of, currency.
        bounds: Multiples of a channel that says one end only.
        ran: Spend of each period a year earlier, where that is known.
    """
    limits = _Limits()
    for name, row in channels.items():
        base = bases.get(name, math.nan)
        ends = row.amount("min", base), row.amount("max", base)
        lock = row.converted("lock", partial(_lock, base=base), False)
        if lock is not False:
            limits.locked[name] = lock
        if lock is False or ends != (None, None):
            limits.money[name] = tuple(
                bound * base if end is None else end
                for end, bound in zip(ends, bounds, strict=True)
            )
        if row.boolean("may_be_off"):
            limits.may_be_off.append(name)
        if (step := row.amount("step")) is not None:
            limits.steps[name] = step
        if gamma := gamma_of(row):
            limits.gammas[name] = gamma
        if (price := price_of(row, ran.get(name))) != 1.0:
            limits.prices[name] = price
        if is_at_best(row):
            limits.at_best_frequency.append(name)
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
    read = [(belief_of(name, row), row) for name, row in rows]
    return tuple(belief for belief, row in read if not row.has_problems)


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


def _lock(value: Any, base: float) -> float | None | Literal[False]:
    """What a channel is locked at: None for what it spends, False for no lock.

    Raises:
        ValueRangeError: It is not an amount.
    """
    if isinstance(value, bool):
        return None if value else False
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


def groups_of(table: Mapping[str, Any]) -> tuple[Group, ...]:
    """The groups of a scenario's table; those that are not understood are left out."""
    rows = reader_of(table).named("group").items()
    read = [(group_of(name, row), row) for name, row in rows]
    return tuple(group for group, row in read if not row.has_problems)
