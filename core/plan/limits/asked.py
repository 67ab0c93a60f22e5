"""Asked: what a plan is to be, declared once; none of it is read yet.

A field of `Asked` is an argument of Python and, with a description, of the agents'
tool; what it becomes in the words of a scenario file says `core.service.ask`.

A field of `Switches`, every yes or no, is a key of scenario files, a flag of the
command line, an argument of the agents' tool and of Python, and, with a label, a
control of the screens, which is kept in the address, in saved plans, in edited
workbooks and in undo. What it means is said where limits are made of it: `scenario.py`
for channels, `geo_limits.py` for geos, `week_limits.py` for weeks. `--help` reads this
module, which imports little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from msgspec import Meta

from core.declared import Field
from core.plan.limits.stated import Amount, Bound, HorizonRequest, Name
from core.text.languages.language import marked


@dataclass(frozen=True)
class Switch(Field):
    """One yes or no; its flag says other than the default.

    Attributes:
        in_weeks: What the screen of weeks begins with; None where it has no control.
        is_settled: Whether amounts in money, which a checked scenario has, settle it.
    """

    in_weeks: bool | None = None
    is_settled: bool = False


def _switch(*, default: bool, flag: str, about: str, **rest: Any) -> Any:
    about_it = {"flag": flag, "about": about} | rest
    return field(default=default, metadata=about_it)


@dataclass(frozen=True, kw_only=True)
class Switches:
    """Every yes or no of a plan.

    Attributes:
        scaled: Whether multiples are of today's spend scaled to the budget.
        within_seen: Whether no channel may spend more per period than it ever has.
        supported: Whether the split that the draws support is the plan where the best
            one is not supported.
    """

    scaled: bool = _switch(
        default=False,
        flag="scaled",
        about="multiples are of last year's split at the new budget",
        is_settled=True,
    )
    within_seen: bool = _switch(
        default=False,
        flag="within-seen",
        about="no channel may spend more per period than it ever has",
        label=marked("Never beyond observed spend"),
        help=marked(
            "No channel may spend more per period than it ever has; beyond that the "
            "curve is extrapolated."
        ),
        in_weeks=True,
    )
    supported: bool = _switch(
        default=True,
        flag="best",
        about="the best plan for the objective even if the draws do not support it; by "
        "default the part that they do support takes its place (over weeks the plan is "
        "always the best one)",
        label=marked("Stop where the odds fall below {odds}"),
        help=marked(
            "Where the best plan gains too rarely, or raises a channel that follows "
            "demand and has no lift test, show the part of it that is supported. "
            "Untick it to see the best plan anyway."
        ),
    )

    def chosen(self) -> dict[str, bool]:
        """Those that are other than their default."""
        return {
            switch.name: getattr(self, switch.name)
            for switch in SWITCHES
            if getattr(self, switch.name) != switch.default
        }


#: As they are declared.
SWITCHES = tuple(
    Switch(each.name, each.default, **each.metadata) for each in fields(Switches)
)
#: The keys of scenario files.
NAMES = tuple(switch.name for switch in SWITCHES)
#: Those that screens have a control for.
CONTROLS = tuple(switch for switch in SWITCHES if switch.label)


def of_table(table: Mapping[str, Any]) -> dict[str, bool]:
    """What a table that was checked before says of the switches that screens have."""
    return {
        switch.name: table[switch.name]
        for switch in CONTROLS
        if isinstance(table.get(switch.name), bool)
    }


def of_flags(flags: object) -> dict[str, bool]:
    """What flags say, those of a command or the arguments of a tool."""
    return {
        switch.name: switch.default != getattr(flags, switch.argument)
        for switch in SWITCHES
    }


#: What a plan is over.
Over = Literal["channels", "geos", "weeks"]
Range = tuple[float, float]


def _about(description: str, most: int | None = None) -> Meta:
    return Meta(description=description, max_length=most)


@dataclass(frozen=True, kw_only=True)
class Asked(Switches):
    """What a plan is to be. What is not set is as the scenario file has it.

    Beside these, every yes or no of `Switches`.

    Attributes:
        over: channels, geos or weeks; None for what the limits are of.
        horizon: The periods; None for the file's, or the year after the data.
        budget: Currency; None for what the periods cost a year earlier; its least and
            most, between which profit decides.
        find: What the budget is found for, as `[find]` in a scenario file.
        objective: `mean`, `p10`, `cvar10`, `reach:X`.
        bounds: Least and most of each channel, multiples of today's spend.
        geo_bounds: The same of each channel in each geo.
        geo_totals: The same of each geo.
        limits: Of what their labels name.
        spend: Amounts to evaluate as they are, instead of a search: by channel; by
            geo and channel; for weeks a list by channel.
        discount: What comes a year later counts this much less, such as "8 %".
        keeps_tests: Whether plans of geos and weeks keep to planned lift tests.
        bought: Share of the demand of mediators that is bought and paid for, by
            mediator: amounts are then what channels cost in all.
        teach: That weeks are planned for outcome and knowledge, as `[teach]` in a
            scenario file; an empty table for its defaults.
        scenario: A scenario file, which all the others go before.
    """

    over: Over | None = None
    horizon: HorizonRequest | None = None
    budget: (
        Annotated[
            float | Range,
            _about(
                "default what the periods cost a year earlier; [least, most]: profit "
                "decides between them"
            ),
        ]
        | None
    ) = None
    objective: (
        Annotated[Name, _about("mean (default), p10, cvar10, reach:X")] | None
    ) = None
    find: (
        Annotated[
            Mapping[Name, float | str],
            _about("find the budget: [find] in guide planning", 10),
        ]
        | None
    ) = None
    bounds: (
        Annotated[Range, _about("[low, high] of channels, as multiples of today")]
        | None
    ) = None
    geo_bounds: Annotated[Range, _about("the same of channels in geos")] | None = None
    geo_totals: Annotated[Range, _about("the same of geos")] | None = None
    limits: Annotated[Sequence[Bound], Meta(max_length=500)] = ()
    scenario: Annotated[
        Mapping[Name, Any],
        _about(
            "what a scenario file says beside these: teach, belief, price, [weeks] "
            "budget and more in guide planning",
            100,
        ),
    ] = field(default_factory=dict)
    spend: Mapping[str, Any] = field(default_factory=dict)
    discount: Amount | None = None
    keeps_tests: bool = True
    bought: Mapping[str, float] = field(default_factory=dict)
    teach: Mapping[str, Any] | None = None
