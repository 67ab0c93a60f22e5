"""What a scenario's table states, as it stands there: amounts are not read yet.

A part that is no table counts as missing; `core.plan.scenario` refuses it with its
place. `[channel]`, `[group]` and `[mediator]` have a row for each name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

_Row = TypeVar("_Row")


@dataclass(frozen=True)
class StatedRow:
    """A row of `[channel]` or of `[geos.geo]`; None where nothing is stated.

    What each key means says `core.plan.scenario.table`, of weeks
    `core.plan.scenario.weeks`.
    """

    min: Any = None
    max: Any = None
    lock: Any = None
    may_be_off: Any = None
    step: Any = None
    gamma: Any = None
    price: Any = None
    frequency: Any = None
    bounds: Any = None
    week_min: Any = None
    week_max: Any = None
    change: Any = None
    dark: Any = None
    weeks: Any = None
    from_: Any = None
    until: Any = None


#: Keys of a channel that only a plan of weeks keeps to.
OF_WEEKS = ("week_min", "week_max", "change", "dark", "weeks", "from", "until", "geos")


@dataclass(frozen=True)
class StatedGroup:
    """A row of `[group]`."""

    channels: Any = ()
    min: Any = None
    max: Any = None
    min_share: Any = None
    max_share: Any = None


@dataclass(frozen=True)
class StatedMediator:
    """A row of `[mediator]`."""

    bought: Any = 1.0


@dataclass(frozen=True)
class StatedFind:
    """`[find]`."""

    kind: Any = None
    target: Any = None
    margin: Any = None
    least: Any = None
    most: Any = None


@dataclass(frozen=True)
class StatedWeeks:
    """`[weeks]`."""

    change: Any = None
    budget: Any = None


@dataclass(frozen=True)
class StatedTeach:
    """`[teach]`."""

    cost: Any = None
    later: Any = 1
    spread: Any = None


@dataclass(frozen=True)
class StatedHorizon:
    """`[horizon]`."""

    start: Any = ""
    periods: Any = 0


@dataclass(frozen=True)
class StatedGeos:
    """`[geos]`."""

    spend: Any = None


@dataclass(frozen=True)
class Stated:
    """The table, as far as more than one reader looks at it."""

    budget: Any = None
    bounds: Any = None
    objective: Any = None
    goal: Any = None
    discount: Any = None
    within_seen: Any = None
    supported: Any = True
    scaled: Any = None
    teach: Any = None
    find: StatedFind = StatedFind()
    horizon: StatedHorizon = StatedHorizon()
    weeks: StatedWeeks = StatedWeeks()
    geos: StatedGeos = StatedGeos()
    channel: Mapping[str, StatedRow] = field(default_factory=dict)
    group: Mapping[str, StatedGroup] = field(default_factory=dict)
    mediator: Mapping[str, StatedMediator] = field(default_factory=dict)
    belief: Mapping[str, Any] = field(default_factory=dict)

    @property
    def taught(self) -> StatedTeach:
        """`[teach]`, where it is a table."""
        return row_of(self.teach, StatedTeach)


#: Parts that are a table each, and parts that have a row for each name.
_PARTS = {"find": StatedFind, "horizon": StatedHorizon, "weeks": StatedWeeks}
_PARTS |= {"geos": StatedGeos}
_NAMED = {"channel": StatedRow, "group": StatedGroup, "mediator": StatedMediator}


def stated(table: Mapping[str, Any]) -> Stated:
    """The record of a scenario's table."""
    own = {}
    for each in fields(Stated):
        value = table.get(each.name)
        if each.name in _PARTS:
            own[each.name] = row_of(value, _PARTS[each.name])
        elif each.name in _NAMED:
            own[each.name] = _named(value, _NAMED[each.name])
        elif each.name == "belief":
            own[each.name] = held(value)
        elif value is not None:
            own[each.name] = value
    return Stated(**own)


def held(content: Any) -> Mapping[str, Any]:
    """What a part of a table holds; nothing where it is no table."""
    return content if isinstance(content, Mapping) else {}


def part(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A part of a table, where it is one."""
    return held(table.get(key))


def row_of(content: Any, kind: type[_Row]) -> _Row:
    """The record of a row; an empty one where the content is no table."""
    row = held(content)
    keys = {each.name: each.name.rstrip("_") for each in fields(kind)}
    return kind(**{name: row[key] for name, key in keys.items() if key in row})


def _named(content: Any, kind: type[_Row]) -> dict[str, _Row]:
    """Rows by name, those that are tables."""
    return {
        str(name): row_of(row, kind)
        for name, row in held(content).items()
        if isinstance(row, Mapping)
    }
