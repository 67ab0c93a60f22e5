"""Scenario as a table: what a saved plan keeps, and what a scenario file says.

budget = 12_000_000          # or [find] below
objective = "p10"            # mean, p10, cvar10, reach:41e6
bounds = ["70 %", "130 %"]   # of every channel that has none of its own
within_seen = true           # [horizon]: see core/plan/scenario/horizon.py
supported = true             # false: the best split even where the draws do not hold it

[find]                       # instead of a budget
kind = "profit"              # profit, mroi, roi, outcome
margin = 0.4

[channel.TV]
min = 1_000_000              # money, or "80 %" of its current spend
max = "120 %"
may_be_off = true            # spends nothing, or at least its minimum
step = 5_000
lock = true                  # or an amount

[group.Search]
channels = ["Brand", "Generic"]
min = 100_000                # money, or a share of the budget
max = "40 %"
"""

import math
import tomllib
from collections.abc import Mapping
from typing import Any

from core.errors import PlanError
from core.plan.limits.channels import ChannelLimits, Group
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.amounts import (
    amount,
    bounds_of,
    is_percent,
    known,
    number,
    table_of,
    wrong,
)
from core.plan.scenario.find import Find
from core.plan.scenario.scenario import DEFAULT_BOUNDS, Scenario, scenario

_TOP = ("name", "notes", "budget", "objective", "bounds", "scaled", "within_seen")
_TOP += ("supported", "find", "channel", "group", "horizon")
_FIND = ("kind", "target", "margin", "least", "most")
_CHANNEL = ("min", "max", "lock", "may_be_off", "step")
_GROUP = ("channels", "min", "max", "min_share", "max_share")


def as_table(given: Scenario) -> dict[str, Any]:
    """A scenario in the words of a scenario file, without what is not there."""
    table: dict[str, Any] = {"objective": given.objective}
    if given.find is None:
        table["budget"] = given.budget
    else:
        table["find"] = _kept(vars(given.find))
        if given.find.kind == "profit":
            table["find"].pop("target", None)
    if given.within_seen:
        table["within_seen"] = True
    if not given.supported:
        table["supported"] = False
    table["channel"] = {one.name: _channel(one) for one in given.channels}
    if given.groups:
        table["group"] = {one.name: _group(one) for one in given.groups}
    return table


def _kept(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in numbers.items()
        if value is not None
        and not (isinstance(value, float) and not math.isfinite(value))
    }


def _channel(one: ChannelLimits) -> dict[str, Any]:
    row: dict[str, Any] = {"min": one.low, "max": one.high}
    if one.locked is not None:
        row["lock"] = one.locked
    if one.may_be_off:
        row["may_be_off"] = True
    if one.step:
        row["step"] = one.step
    return row


def _group(one: Group) -> dict[str, Any]:
    row: dict[str, Any] = {"channels": list(one.channels)}
    if one.low:
        row["min"] = one.low
    if math.isfinite(one.high):
        row["max"] = one.high
    if one.low_share:
        row["min_share"] = one.low_share
    if one.high_share < 1:
        row["max_share"] = one.high_share
    return row


def scenario_text(scenario: Mapping[str, Any], *, name: str, notes: str) -> str:
    """The scenario file of a plan: its name, its notes, and what was asked for."""
    import tomlkit

    about = {"name": name, "notes": notes}
    about = {key: text for key, text in about.items() if text}
    return tomlkit.dumps(about | dict(scenario))


def read_toml(text: str, curves: ResponseCurves, **given: Any) -> Scenario:
    """The scenario of a file, checked.

    Args:
        text: TOML.
        curves: The fit's response curves.
        given: Options of `scenario` that go before what the file says.

    Raises:
        PlanError: The file is not understood, or the wish cannot be met.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(
            f"The scenario is not TOML: {error}.",
            hint="Compare it with the example in docs/planning.md.",
            where="scenario",
        ) from error
    return of_table(table, curves, **given)


def of_table(
    table: Mapping[str, Any], curves: ResponseCurves, **given: Any
) -> Scenario:
    """The scenario of a table, see `read_toml`."""
    known(table, _TOP, "the scenario")
    options: dict[str, Any] = {"budget": number(table, "budget", "the scenario")}
    if "find" in table:
        options["find"] = _find(table_of(table, "find"))
    for key in ("objective", "within_seen", "supported", "scaled"):
        if key in table:
            options[key] = table[key]
    if "bounds" in table:
        options["bounds"] = bounds_of(table["bounds"])
    options |= given
    spend = dict(zip(curves.names, curves.spend.tolist(), strict=True))
    low, high = options.get("bounds", DEFAULT_BOUNDS)
    scale = 1.0
    if options.get("scaled") and options["budget"]:
        scale = options["budget"] / sum(spend.values())
    options |= {"money": {}, "locked": {}, "may_be_off": [], "steps": {}}
    for name, row in table_of(table, "channel").items():
        where = f"channel {name}"
        known(row, _CHANNEL, where)
        base = spend.get(name, math.nan) * scale
        ends = [
            amount(row[key], base, where) if key in row else bound * base
            for key, bound in (("min", low), ("max", high))
        ]
        lock = row.get("lock", False)
        if lock is not False:
            options["locked"][name] = None if lock is True else float(lock)
            if "min" not in row and "max" not in row:
                ends = None
        if ends is not None:
            options["money"][name] = tuple(ends)
        if row.get("may_be_off"):
            options["may_be_off"].append(name)
        if "step" in row:
            options["steps"][name] = number(row, "step", where)
    options["groups"] = [_a_group(*one) for one in table_of(table, "group").items()]
    return scenario(curves, **options)


def _find(row: Mapping[str, Any]) -> Find:
    known(row, _FIND, "find")
    numbers = {key: number(row, key, "find") for key in _FIND[1:] if key in row}
    return Find(str(row.get("kind", "")), **numbers)


def _a_group(name: str, row: Mapping[str, Any]) -> Group:
    where = f"group {name}"
    known(row, _GROUP, where)
    channels = row.get("channels", [])
    if isinstance(channels, str) or not all(isinstance(one, str) for one in channels):
        raise wrong(f"The channels of {where} are not a list of names.")
    values: dict[str, float] = {}
    for key, end in (("min", "low"), ("max", "high")):
        if f"{key}_share" in row:
            values[f"{end}_share"] = number(row, f"{key}_share", where)
        if key in row and is_percent(row[key]):
            values[f"{end}_share"] = amount(row[key], 1.0, where)
        elif key in row:
            values[end] = amount(row[key], math.nan, where)
    return Group(name, tuple(channels), **values)
