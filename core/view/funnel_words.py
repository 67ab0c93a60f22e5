"""Words on a funnel: that returns are totals, and how they split."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from core import text as fmt
from core.text.sentences import listed


class SplitRow(NamedTuple):
    """A channel's total in its parts, as text with intervals.

    Attributes:
        channel: Its name.
        total: Incremental outcome.
        direct: Without what comes by way of mediators.
        through: By way of each mediator, in order.
        share: Of the total that comes by way of mediators.
        induced: What it makes be spent on mediators; empty where they cost nothing.
        roi_with_induced: The total over both spends; empty where they cost nothing.
    """

    channel: str
    total: str
    direct: str
    through: tuple[str, ...]
    share: str
    induced: str = ""
    roi_with_induced: str = ""


def sentence(summary: Mapping[str, Any]) -> str:
    """What the returns of a fit with a funnel are; nothing without one."""
    funnel = summary.get("funnel")
    if not funnel:
        return ""
    names = listed(mediators(summary))
    channels = listed([row["name"] for row in funnel["channels"]]) or "no channel"
    projects = listed([each["project"] for each in funnel["mediators"]])
    return (
        f"Returns are totals: for {channels} they include what comes by way of {names} "
        f"(fit of project {projects}). What is listed for {names} is the rest, without "
        "what channels caused, so that nothing counts twice."
    )


def hidden(summary: Mapping[str, Any]) -> list[str]:
    """How much hidden demand would take from each mediator's effect, in a sentence."""
    funnel = summary.get("funnel") or {"mediators": ()}
    sentences = []
    for each in funnel["mediators"]:
        about = each["hidden"]
        left = fmt.estimate(about["left"], "share")
        gone = fmt.estimate(about["vanishes_at"], "ratio")
        sentences.append(
            f"Demand that nobody measured and that moves {each['name']} and "
            f"{summary.get('kpi_name') or 'the KPI'} alike would count as an effect of "
            f"{each['name']}: were the errors of the two fits correlated by "
            f"{about['correlation']:g}, {left} of it would be left, and nothing at "
            f"{gone}."
        )
    return sentences


def mediators(summary: Mapping[str, Any]) -> list[str]:
    """Names of the mediators of a fit."""
    funnel = summary.get("funnel") or {"mediators": ()}
    return [str(each["name"]) for each in funnel["mediators"]]


def titles(summary: Mapping[str, Any]) -> list[str]:
    """Headings of the columns of `cells`."""
    units = fmt.units(summary)
    through = [f"Through {name}" for name in mediators(summary)]
    heads = ["Channel", f"Total {units.outcome_name}", "Direct", *through]
    heads.append("Share through")
    if any(row.induced for row in split_rows(summary)):
        heads += ["Makes us spend elsewhere", "ROI with that spend"]
    return heads


def cells(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Each channel that works through a mediator, in the columns of `titles`."""
    rows = split_rows(summary)
    has_cost = any(row.induced for row in rows)
    return [
        (row.channel, row.total, row.direct, *row.through, row.share)
        + ((row.induced, row.roi_with_induced) if has_cost else ())
        for row in rows
    ]


def split_rows(summary: Mapping[str, Any]) -> list[SplitRow]:
    """Each channel that works through a mediator, its total in parts."""
    funnel = summary.get("funnel")
    if not funnel:
        return []
    units = fmt.units(summary)
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    return [
        SplitRow(
            channel=row["name"],
            total=fmt.estimate(row["total"], kind, unit),
            direct=fmt.estimate(row["direct"], kind, unit),
            through=tuple(
                fmt.estimate(row["through"][name], kind, unit)
                for name in mediators(summary)
            ),
            share=fmt.estimate(row["share"], "share"),
            induced=fmt.estimate(row["induced"], "money", units.currency)
            if "induced" in row
            else "",
            roi_with_induced=fmt.estimate(row["roi_with_induced"], "ratio")
            if "induced" in row
            else "",
        )
        for row in funnel["channels"]
    ]
