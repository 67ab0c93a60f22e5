"""Limits as they are stated, by faces and in a scenario's table; none is read yet.

A field of `Bound` is declared once: it is a key of scenario files, an argument of the
agents' tool and of Python, and, as it says, a flag of the command line, a column of a
table on the screens and of edited workbooks. What it means is said where limits are
made of it. `--help` reads this module, which imports little.

A part that is no table counts as missing; `core.plan.scenario` refuses it with its
place. `[channel]`, `[group]` and `[mediator]` have a row for each name.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct

from core.declared import declared, meaning
from core.text.languages.language import marked

_Row = TypeVar("_Row")

Name = Annotated[str, Meta(max_length=300)]
Names = Annotated[Sequence[Name], Meta(max_length=200)]
Day = Annotated[str, Meta(max_length=40)]
Series = Annotated[Sequence[float], Meta(max_length=1000)]
#: Money, or a share of today's spend such as "80 %".
Amount = float | str


class Bound(Struct, frozen=True, forbid_unknown_fields=True):
    """One limit of a plan, on what its labels name.

    A channel has any of the fields; several channels are a group, with a joint `low`
    and `high`; a geo has `low`, `high` and `locked`; a week has `high`; a channel in a
    week is booked at `low` = `high`; without labels it is `change` for every channel.
    Over weeks a channel's `low` and `high` are of all weeks, `week_low` and `week_high`
    of one that runs, and a channel with `week_low` may pause unless `may_be_off` is
    False. `price` may be one for each period, `change` inf for freely.
    """

    channel: Annotated[Name | Names, meaning("several: a joint limit")] = ()
    geo: Name = ""
    week: Annotated[Day, meaning("its first day")] = ""
    low: Annotated[
        Amount | None,
        meaning(
            "money, or a share such as '80 %'",
            key="min",
            label=marked("Least"),
            help=marked("Least spend."),
        ),
    ] = None
    high: Annotated[
        Amount | None,
        meaning("as low", key="max", label=marked("Most"), help=marked("Most spend.")),
    ] = None
    locked: Annotated[
        bool | Amount,
        meaning(
            "leave a channel at last year's spend, or at X",
            key="lock",
            flag="lock",
            metavar="CHANNEL[=X]",
            label=marked("Locked"),
            help=marked("Leave the channel's spend as it is."),
        ),
    ] = False
    may_be_off: Annotated[
        bool | None,
        meaning(
            "or nothing at all",
            label=marked("Can be paused"),
            help=marked("Spends nothing, or at least its minimum."),
        ),
    ] = None
    step: Annotated[
        float | None,
        meaning(
            "bought in steps of",
            label=marked("In steps of"),
            help=marked("Bought in multiples of this."),
        ),
    ] = None
    change: Annotated[
        Amount | None, meaning("most from one week to the next, as '20 %'")
    ] = None
    gamma: Annotated[
        float | None,
        meaning(
            "a channel that gets dearer with volume (units = spend^(1-X)); `prices "
            "RUN` suggests X",
            flag="gamma",
            metavar="CHANNEL=X",
            label=marked("Dearer with volume"),
            help=marked(
                "gamma: what a channel buys grows with its spend to the power 1 - "
                "gamma. 0.2: twice the units cost 2.4 times as much. Empty: one price."
            ),
        ),
    ] = None
    price: Annotated[
        float | Series | None,
        meaning(
            "what a unit of a channel costs over last year's (1.05: fees, VAT, a rate "
            "of exchange)",
            flag="price",
            metavar="CHANNEL=X",
            label=marked("Price, ×"),
            help=marked(
                "1.05: a unit of media costs 5 % more than it did (fees, VAT, a rate "
                "of exchange). Empty: the price as it was."
            ),
        ),
    ] = None
    frequency: Annotated[
        Literal["best"] | None,
        meaning(
            "buy the reach of a channel at the frequency that pays most",
            flag="best-frequency",
            metavar="CHANNEL",
            label=marked("Best frequency"),
            help=marked(
                "Reach people as often as pays most, for the same impressions."
            ),
        ),
    ] = None
    name: Annotated[Name, meaning("of a joint limit")] = ""
    of: Annotated[
        Literal["group", "project", "kind"], meaning("what the channels are")
    ] = "group"
    week_low: Annotated[
        float | None,
        meaning(
            "least of a week in which it runs",
            key="week_min",
            label=marked("Least when on"),
            help=marked(
                "A week pauses or spends at least this. Weeks then fall into those "
                "that run and those that do not, and finding them takes longer."
            ),
        ),
    ] = None
    week_high: Annotated[
        float | None,
        meaning(
            "most of a week",
            key="week_max",
            label=marked("Most per week"),
            help=marked("No week spends more than this."),
        ),
    ] = None
    start: Annotated[
        Day,
        meaning(
            "runs from this day, YYYY-MM-DD",
            key="from",
            label=marked("Starts"),
            help=marked("Nothing runs before the week that begins on this day."),
        ),
    ] = ""
    end: Annotated[
        Day,
        meaning(
            "runs until this day",
            key="until",
            label=marked("Stops"),
            help=marked("Nothing runs after the week that begins on this day."),
        ),
    ] = ""

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels it is of."""
        named = self.channel
        return (named,) if isinstance(named, str) else tuple(named)


#: As they are declared, by name.
FIELDS = {each.name: each for each in declared(Bound)}
#: Those that are flags of the command line.
FLAGS = tuple(each for each in FIELDS.values() if each.flag)


class StatedRow(Bound, frozen=True):
    """A row of `[channel]` or of `[geos.geo]`: a bound, and what only tables say.

    What each key means says `core.plan.scenario.table`, of weeks
    `core.plan.scenario.weeks`.
    """

    bounds: Any = None
    dark: Any = ()
    weeks: Any = {}
    geos: Any = None


#: Fields of a bound that say what it is of.
LABELS = ("channel", "geo", "week", "name", "of")
#: Keys of a channel that only a plan of weeks keeps to.
OF_WEEKS = ("week_min", "week_max", "change", "dark", "weeks", "from", "until", "geos")
_KEYS = {
    FIELDS[name].key if name in FIELDS else name: name
    for name in StatedRow.__struct_fields__
    if name not in LABELS
}


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
class Find:
    """What the budget is found for: `[find]`.

    Attributes:
        kind: One of `core.plan.scenario.find.KINDS`.
        target: ROI, marginal ROI, or outcome to reach; unused for a profit.
        margin: Margin on each unit of the outcome, before the cost of media.
        least: Smallest budget, currency; None for what the limits ask.
        most: Largest budget; None for what the limits allow.
    """

    kind: str = ""
    target: float = math.nan
    margin: float = 1.0
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class StatedWeeks:
    """`[weeks]`."""

    change: Any = None
    budget: Any = None


@dataclass(frozen=True)
class Teach:
    """What a plan of weeks may do to teach: `teach = true`, or a table of its own.

    [teach]
    cost = "0.5 %"           # most that it may cost, of what media bring
    later = 1                # later horizons that use what is learned
    seed = 1                 # of the signs and places of what varies
    spread = "20 %"          # how far a geo's share of a channel's money may differ

    Attributes:
        cost: Largest expected cost, as a share of what the plan that only earns brings.
        later: Later horizons of the same length that use what is learned.
        seed: Of the signs and places of what varies.
        spread: How far a geo's share of a channel's money may differ from last year's,
            as a share of itself; zero for geos as they were.
    """

    cost: float = 0.005
    later: int = 1
    seed: int = 1
    spread: float = 0.0


@dataclass(frozen=True)
class HorizonRequest:
    """What is said about the periods of a plan: `[horizon]`.

    Attributes:
        periods: How many; None for a year of them.
        start: A day in or before the first one, YYYY-MM-DD; None for the first period
            after the data.
        as_fitted: Whether the data's own periods are planned.
        value: Of a KPI unit over a year earlier's: one number, or one per period.
    """

    periods: int | None = None
    start: str | None = None
    as_fitted: bool = False
    value: tuple[float, ...] = ()

    def as_table(self) -> dict[str, Any]:
        """The request in the words of a scenario file."""
        if self.as_fitted:
            return {"as_fitted": True}
        value = list(self.value) or None
        stated = {"periods": self.periods, "start": self.start, "value": value}
        return {key: value for key, value in stated.items() if value is not None}


def _unread(kind: type) -> type:
    """The same record of what nobody has read yet, so that a value may be anything."""
    known = [(each.name, Any, field(default=each.default)) for each in fields(kind)]
    return make_dataclass(f"Stated{kind.__name__}", known, frozen=True)


_FIND, _TEACH, _HORIZON = map(_unread, (Find, Teach, HorizonRequest))


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
    find: Any = _FIND()
    horizon: Any = _HORIZON()
    weeks: StatedWeeks = StatedWeeks()
    geos: StatedGeos = StatedGeos()
    channel: Mapping[str, StatedRow] = field(default_factory=dict)
    group: Mapping[str, StatedGroup] = field(default_factory=dict)
    mediator: Mapping[str, StatedMediator] = field(default_factory=dict)
    belief: Mapping[str, Any] = field(default_factory=dict)

    @property
    def taught(self) -> Any:
        """`[teach]`, where it is a table."""
        return row_of(self.teach, _TEACH)


#: Parts that are a table each, and parts that have a row for each name.
_PARTS = {"find": _FIND, "horizon": _HORIZON, "weeks": StatedWeeks}
_PARTS |= {"geos": StatedGeos}
_NAMED = {"channel": StatedRow, "group": StatedGroup, "mediator": StatedMediator}


def stated(table: Mapping[str, Any] | Stated) -> Stated:
    """The record of a scenario's table; one that is a record already is itself."""
    if isinstance(table, Stated):
        return table
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
    keys = (
        _KEYS if kind is StatedRow else {each.name: each.name for each in fields(kind)}
    )
    return kind(**{name: row[key] for key, name in keys.items() if key in row})


def as_row(bound: Bound) -> dict[str, Any]:
    """What a bound says beside its labels, as the row of a table."""
    row, usual = {}, type(bound)()
    for key, name in _KEYS.items():
        value, default = getattr(bound, name, None), getattr(usual, name, None)
        # A lock at 0 is a lock.
        if value != default or type(value) is not type(default):
            row[key] = list(value) if isinstance(value, tuple) else value
    return row


def _named(content: Any, kind: type[_Row]) -> dict[str, _Row]:
    """Rows by name, those that are tables."""
    return {
        str(name): row_of(row, kind)
        for name, row in held(content).items()
        if isinstance(row, Mapping)
    }
