"""Tables: a plan's spend as CSV, by channel, by geo and channel, or by week."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from core.plan.record.plan_record import PlanRecord
from core.plan.record.teaching import planned_shares
from core.text.escaping import inert

_CHANNEL = ("name", "current", "planned", "multiplier", "low", "high", "locked")
_CHANNEL += ("probability_up", "beyond_seen")
_CELL = ("geo", "channel", "current", "planned", "multiplier", "low", "high")
_CELL += ("probability_up", "beyond_seen")
_AMOUNTS = ("current", "planned", "low", "high")


def csv_text(plan: PlanRecord) -> str:
    """The plan's spend as CSV, amounts to the cent."""
    text = io.StringIO()
    lines = {"channels": _of_channels, "geos": _of_geos, "weeks": _of_weeks}[plan.over]
    csv.writer(text, lineterminator="\n").writerows(lines(plan))
    return text.getvalue()


def _of_channels(plan: PlanRecord) -> list[Sequence[Any]]:
    """A row per channel, and their sum."""
    lines = [
        [_cell(key, getattr(line, key)) for key in _CHANNEL] for line in plan.channels
    ]
    current = sum(line.current for line in plan.channels)
    total = ["Total", _cell("current", current), _cell("planned", plan.budget)]
    return [("channel", *_CHANNEL[1:]), *lines, total]


def _of_geos(plan: PlanRecord) -> list[Sequence[Any]]:
    """A row per geo and channel, geos one after another."""
    order = {line.name: place for place, line in enumerate(plan.geos)}
    cells = sorted(plan.cells, key=lambda cell: order[cell.geo])
    return [_CELL, *([_cell(key, getattr(c, key)) for key in _CELL] for c in cells)]


def _of_weeks(plan: PlanRecord) -> list[Sequence[Any]]:
    """A row per week, a column per channel; then per geo, where geos differ."""
    by_geo = money_by_geo(plan)
    head = ["week", *(inert(line.name) for line in plan.channels)]
    head += [inert(f"{channel}: {geo}") for channel, geo in by_geo]
    return [
        head,
        *(
            [
                week,
                *(f"{line.weeks[place]:.2f}" for line in plan.channels),
                *(f"{amounts[place]:.2f}" for amounts in by_geo.values()),
            ]
            for place, week in enumerate(plan.weeks)
        ),
    ]


def money_by_geo(plan: PlanRecord) -> dict[tuple[str, str], list[float]]:
    """What a plan of weeks spends by channel and geo in each week, to the cent.

    Of channels whose geos have other shares than last year; the geos of a channel add
    up to its week.
    """
    by_geo: dict[tuple[str, str], list[float]] = {}
    weeks = {line.name: line.weeks for line in plan.channels}
    for channel, shares in planned_shares(plan.shares).items():
        remaining = list(weeks[channel])
        *geos, last = shares
        for geo in geos:
            spent = [round(amount * shares[geo], 2) for amount in weeks[channel]]
            remaining = [rest - own for rest, own in zip(remaining, spent, strict=True)]
            by_geo[channel, geo] = spent
        by_geo[channel, last] = [round(rest, 2) for rest in remaining]
    return by_geo


def _cell(key: str, content: Any) -> Any:
    if isinstance(content, bool):
        return "yes" if content else "no"
    if isinstance(content, str):
        return inert(content)
    if key in _AMOUNTS:
        return f"{content:.2f}"
    return content
