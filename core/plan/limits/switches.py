"""Switches: every yes or no of a plan, declared once.

A field of `Switches` is a key of scenario files, a flag of the command line, an
argument of the agents' tool and of Python, and, with a label, a control of the screens,
which is kept in the address, in saved plans, in edited workbooks and in undo. What it
means is said where limits are made of it: `scenario.py` for channels, `geo_limits.py`
for geos, `week_limits.py` for weeks. `--help` reads this module, which imports little.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from core.declared import Field
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
