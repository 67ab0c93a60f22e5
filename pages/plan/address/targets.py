"""Targets, groups and steps as the address has them: read strictly, written briefly."""

import math
from collections.abc import Sequence
from typing import Any

from core.service.planning import switches
from core.service.planning.buying import Buying, bought_otherwise
from core.service.planning.scenario import KINDS, beliefs_of, beliefs_table
from core.service.records.plan import GROUPED, Belief, Find, Group
from pages.plan.more import More
from pages.plan.rare.dated import Dated
from pages.ui.document import amount_in, is_day

_GROUP = ("low", "high", "low_share", "high_share")
#: Letters of a group's name, and groups, that are read.
_LONGEST, _MOST = 80, 50


def written(more: More) -> dict[str, Any]:
    """What is other than usual, as JSON has it."""
    content: dict[str, Any] = {}
    if more.find is not None:
        is_profit = more.find.kind == "profit"
        size = more.find.margin if is_profit else more.find.target
        content["find"] = [more.find.kind, size]
        if is_profit and (more.find.least, more.find.most) != (None, None):
            content["find"] += [more.find.least, more.find.most]
    content |= more.chosen()
    if more.buying:
        content["buy"] = {name: row.chosen() for name, row in more.buying.items()}
    if more.dated:
        content["dated"] = [list(row) for row in more.dated]
    if more.beliefs:
        content["new"] = beliefs_table(more.beliefs)
    if more.bought:
        content["bought"] = dict(more.bought)
    if more.groups:
        content["groups"] = [_group(group) for group in more.groups]
    return content


def _group(group: Group) -> list[Any]:
    ends = [getattr(group, name) for name in _GROUP]
    # JSON has no infinity.
    shown = [end if math.isfinite(end) else None for end in ends]
    of = [group.of] if group.of != Group.of else []
    return [group.name, list(group.channels), *shown, *of]


def read(content: Any, names: Sequence[str]) -> More:
    """What was written, without what is not understood.

    Args:
        content: What the address has.
        names: The channels of the fit.
    """
    if not isinstance(content, dict):
        return More()
    buying, groups = content.get("buy"), content.get("groups")
    buying = buying if isinstance(buying, dict) else {}
    return More(
        find=_find(content.get("find")),
        buying=bought_otherwise(
            (name, Buying.of(row))
            for name, row in buying.items()
            if name in names and isinstance(row, dict)
        ),
        dated=_dated(content.get("dated"), names),
        beliefs=_beliefs(content.get("new"), names),
        bought=_shares(content.get("bought")),
        groups=tuple(
            _read_group(row, names)
            for row in (groups[:_MOST] if isinstance(groups, list) else ())
            if _is_group(row) and _known(row[1], names)
        ),
        **switches.of_table(content),
    )


def _shares(content: Any) -> tuple[tuple[str, float], ...]:
    """Shares of mediators' demand; those that the fit does not have are left out."""
    rows = content.items() if isinstance(content, dict) else ()
    return tuple(
        (str(name), float(share))
        for name, share in rows
        if isinstance(share, int | float) and 0 <= share <= 1
    )


def _dated(content: Any, names: Sequence[str]) -> tuple[Dated, ...]:
    """Prices from a date on."""
    return tuple(
        (row[0], row[1], float(row[2]))
        for row in (content[:_MOST] if isinstance(content, list) else ())
        if isinstance(row, list)
        and len(row) == 3
        and row[0] in names
        and is_day(row[1])
        and amount_in(row[2])
        and row[2] <= 100
    )


def _beliefs(content: Any, names: Sequence[str]) -> tuple[Belief, ...]:
    """Channels without history."""
    if not isinstance(content, dict):
        return ()
    read = beliefs_of({"belief": dict(list(content.items())[:_MOST])})
    return tuple(each for each in read if each.name.strip() and each.name not in names)


def _known(channels: Any, names: Sequence[str]) -> tuple[str, ...]:
    listed = channels if isinstance(channels, list) else []
    return tuple(name for name in names if name in listed)


def _find(content: Any) -> Find | None:
    if not (isinstance(content, list) and len(content) in (2, 4)):
        return None
    kind, size, *ends = content
    if kind not in KINDS or not amount_in(size):
        return None
    if kind == "profit":
        least, most = (
            float(end) if amount_in(end) is not None else None
            for end in (ends or (None, None))
        )
        return Find(kind, margin=float(size), least=least, most=most)
    return Find(kind, target=float(size))


def _is_group(row: Any) -> bool:
    if not isinstance(row, list) or len(row) < 2 + len(_GROUP):
        return False
    name, _, *rest = row
    ends, of = rest[: len(_GROUP)], rest[len(_GROUP) :]
    return (
        isinstance(name, str)
        and all(end is None or amount_in(end) is not None for end in ends)
        and (not of or (len(of) == 1 and of[0] in GROUPED))
    )


def _read_group(row: list[Any], names: Sequence[str]) -> Group:
    name, channels, *rest = row
    # `of` comes after the ends, where a group is of a project or a kind.
    ends = {
        key: float(end)
        for key, end in zip(_GROUP, rest, strict=False)
        if end is not None
    }
    of = rest[len(_GROUP) :] or [Group.of]
    return Group(name[:_LONGEST], _known(channels, names), **ends, of=of[0])
