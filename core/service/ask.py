"""Ask: what a plan is to be, whoever asks: one form over channels, geos and weeks.

A face makes a `PlanAsk`; `stated` writes it in the words of a scenario file, which is
what planners read, plans keep and workers are given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any, get_args

from core.errors import PlanError
from core.plan.limits.asked import Asked, Over
from core.plan.limits.stated import (
    FIELDS,
    OF_WEEKS,
    Amount,
    Bound,
    as_row,
    held,
    part,
    stated,
)
from core.plan.response.price import evaluated
from core.plan.scenario.horizon import HorizonRequest, horizon_request
from core.toml.table import amount_of, is_percent

#: Keys of a scenario that only a plan of weeks keeps to.
_OF_WEEKS = frozenset({"weeks", "spend", "discount"})


@dataclass(frozen=True, kw_only=True)
class PlanAsk(Asked):
    """What a plan is to be, checked, and in the words of a scenario file."""

    def __post_init__(self) -> None:
        """Refuse what no plan can be asked for.

        Raises:
            PlanError: An argument is of another kind.
        """
        refuse_mistyped(self)

    @property
    def periods(self) -> HorizonRequest:
        """The periods asked for.

        Raises:
            PlanError: They are not understood, or contradict themselves.
        """
        stated = asdict(self.horizon) if self.horizon is not None else {}
        return horizon_request(self.scenario, **stated)

    def kind(self) -> Over:
        """What is planned: as `over` says, else what the limits are of.

        Raises:
            PlanError: Limits are given that belong to another kind of plan.
        """
        has_geos = "geos" in self.scenario or any(
            (self.geo_bounds, self.geo_totals, *(limit.geo for limit in self.limits))
        )
        teaches = self.teach is not None or bool(stated(self.scenario).teach)
        if teaches and self.over not in (None, "weeks"):
            raise PlanError(
                f"A plan over {self.over} cannot teach: weeks are what varies.",
                hint="Plan over weeks, where spread lets geos differ, "
                "or leave out teach.",
                where="teach",
            )
        has_weeks = teaches
        has_weeks |= _says_weeks(self.scenario) or any(map(_is_of_weeks, self.limits))
        by_limits: Over = "geos" if has_geos else "weeks" if has_weeks else "channels"
        over = self.over or by_limits
        if over != "geos" and has_geos:
            raise PlanError(
                f"Limits of geos are given for a plan over {over}.",
                hint="Plan over geos, or leave them out.",
                where="geos",
            )
        if over != "weeks" and has_weeks:
            raise PlanError(
                f"Limits of weeks are given for a plan over {over}.",
                hint="Plan over weeks, or leave them out: in a file, [weeks] and "
                "[spend].",
                where="weeks",
            )
        return over

    def stated(self) -> dict[str, Any]:
        """All of it in the words of a scenario file.

        Raises:
            PlanError: The kind of plan has no such limit, or the horizon is not
                understood.
        """
        over, table = self.kind(), dict(self.scenario)
        budget, find = self._money()
        table |= self.chosen() | {
            key: value
            for key, value in {
                "budget": budget,
                "find": find,
                "objective": self.objective,
                "bounds": None if self.bounds is None else list(self.bounds),
                "discount": self.discount,
                "teach": None if self.teach is None else dict(self.teach) or True,
                "horizon": self.periods.as_table() or None,
            }.items()
            if value is not None
        }
        if budget is not None and find is None:
            table.pop("find", None)
        elif find is not None and budget is None:
            table.pop("budget", None)
        for limit in self.limits:
            _state(limit, over, table)
        for name, share in self.bought.items():
            _put(table, ("mediator", name), {"bought": share})
        if over == "geos":
            ranges = {"bounds": self.geo_bounds, "totals": self.geo_totals}
            ranges = {key: list(ends) for key, ends in ranges.items() if ends}
            table["geos"] = dict(table.get("geos") or {}) | ranges
        return _with_spend(table, over, self.spend) if self.spend else table

    def _money(self) -> tuple[float | None, dict[str, Any] | None]:
        """The budget, or what it is found for: profit, between two amounts."""
        find = None if self.find is None else dict(self.find)
        if not isinstance(self.budget, tuple | list):
            return self.budget, find
        least, most = self.budget
        find = {"kind": "profit"} if find is None else find
        return None, find | {"least": least, "most": most}


def refuse_mistyped(ask: Any) -> None:
    """Refuse arguments of another kind: a notebook hands on what it is given.

    Args:
        ask: A `PlanAsk`.

    Raises:
        PlanError: There is one.
    """
    if ask.over and ask.over not in get_args(Over):
        raise _mistyped("over", ask.over, "channels, geos or weeks")
    for name in ("scenario", "spend", "bought"):
        if not isinstance(getattr(ask, name), Mapping):
            raise _mistyped(name, getattr(ask, name), "a table of names")
    for name in ("bounds", "geo_bounds", "geo_totals"):
        ends = getattr(ask, name)
        if ends is not None and not isinstance(ends, list | tuple):
            raise _mistyped(name, ends, "a pair such as (0.7, 1.3)")
    is_pair = isinstance(ask.budget, list | tuple)
    if is_pair and len(ask.budget) != len(("least", "most")):
        raise _mistyped("budget", ask.budget, "an amount, or a least and a most")
    limits = ask.limits if isinstance(ask.limits, list | tuple) else [ask.limits]
    if not all(isinstance(limit, Bound) for limit in limits):
        raise _mistyped("limits", ask.limits, "a list of Bound")
    periods = None if ask.horizon is None else ask.horizon.periods
    if periods is not None and not isinstance(periods, Integral):
        raise _mistyped("periods", periods, "a whole number")


def _mistyped(name: str, value: object, kind: str) -> PlanError:
    """The error for an argument of another kind."""
    return PlanError(
        f"{name} is {str(value)[:60]!r}, which is not {kind}.",
        hint=f"Give {kind}, or leave it out.",
        where=name,
    )


def _says_weeks(scenario: Mapping[str, Any]) -> bool:
    """Whether a scenario has what only a plan of weeks can keep to."""
    rows = part(scenario, "channel").values()
    return not _OF_WEEKS.isdisjoint(scenario) or any(
        not held(row).keys().isdisjoint(OF_WEEKS) for row in rows
    )


def _is_of_weeks(limit: Bound) -> bool:
    """Whether it says what only a plan of weeks keeps to."""
    return bool(limit.week) or any(
        getattr(limit, each.name) != each.default
        for each in FIELDS.values()
        if each.key in OF_WEEKS
    )


def share(multiple: float) -> str:
    """A multiple of today's spend as a share: `80 %`."""
    return f"{100 * multiple:.12g} %"


def _with_spend(
    table: dict[str, Any], over: Over, spend: Mapping[str, Any]
) -> dict[str, Any]:
    """A table whose plan is evaluated at these amounts, whatever its limits say."""
    # What asks to teach, too, is refused where it is read.
    kept = {key: table[key] for key in ("name", "notes", "teach") if key in table}
    kept |= {"supported": False} if over == "channels" else {}
    return evaluated(table, over, spend) | kept


def _state(limit: Bound, over: Over, table: dict[str, Any]) -> None:
    """Write a limit into a table.

    Raises:
        PlanError: The kind of plan has no such limit.
    """
    ends = {"min": limit.low, "max": limit.high}
    ends = {key: value for key, value in ends.items() if value is not None}
    names = limit.channels
    if limit.geo and not (limit.week or names):
        _refuse_more(limit, "locked")
        _put(table, ("geos", "geo", limit.geo), as_row(limit))
    elif limit.week and len(names) == 1 and limit.low == limit.high is not None:
        _refuse_more(limit)
        _put(table, ("channel", names[0], "weeks"), {limit.week: limit.high})
    elif limit.week and not (names or limit.geo) and limit.low is None:
        _refuse_more(limit)
        _put(table, ("weeks", "most"), {limit.week: limit.high})
    elif limit.week or limit.geo:
        raise PlanError(
            f"A plan over {over} has no limit for {_labels(limit)}.",
            hint="Limit a channel, a geo or a week, or book a channel in a week: the "
            "same least and most.",
            where="limits",
        )
    elif len(names) > 1 or limit.name:
        _refuse_more(limit)
        _state_group(limit, ends, table)
    elif names:
        _put(table, ("channel", names[0]), as_row(limit))
    elif limit.change is not None and not ends:
        _refuse_more(limit, "change")
        _put(table, ("weeks",), {"change": limit.change})
    else:
        raise PlanError(
            "A limit names nothing that it limits.",
            hint="Name its channel, geo or week; without one it is a change.",
            where="limits",
        )


def _refuse_more(limit: Bound, *allowed: str) -> None:
    """Refuse what is of no meaning for what a limit's labels name.

    Raises:
        PlanError: It says more than its ends and `allowed`.
    """
    said = as_row(limit).keys() - {"min", "max"}
    more = [n for n, each in FIELDS.items() if each.key in said and n not in allowed]
    if more:
        raise PlanError(
            f"The limit of {_labels(limit) or 'every channel'} says "
            f"{', '.join(more)}, which is of one channel.",
            hint="Leave that out, or give it to a limit of a channel.",
            where="limits",
        )


def _state_group(
    limit: Bound, ends: Mapping[str, Amount], table: dict[str, Any]
) -> None:
    """Write a joint limit; money and shares of one group are two limits.

    Raises:
        PlanError: Another group has its name.
    """
    name = limit.name or " and ".join(limit.channels)
    row: dict[str, Any] = {"channels": list(limit.channels)}
    row |= {"of": limit.of} if limit.of != "group" else {}
    row |= {
        f"{key}_share" if is_percent(end) else key: amount_of(end, 1.0)
        for key, end in ends.items()
    }
    there = (table.get("group") or {}).get(name)
    if there is not None and (
        there.get("channels") != row["channels"]
        or (there.keys() & row.keys()) - {"channels", "of"}
    ):
        raise PlanError(f"Group {name} is defined twice.", hint="Keep one.", where=name)
    _put(table, ("group", name), row)


def _labels(limit: Bound) -> str:
    named = [", ".join(limit.channels), limit.geo, limit.week]
    return " in ".join(name for name in named if name)


def _put(table: dict[str, Any], path: Sequence[str], row: Mapping[str, Any]) -> None:
    """Add entries to a table inside another, without changing the one given."""
    first, *rest = path
    inner = dict(part(table, first))
    if rest:
        _put(inner, rest, row)
    else:
        inner |= row
    table[first] = inner
