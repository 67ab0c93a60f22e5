"""Words on a funnel: returns are totals, how they split, what else a plan pays."""

from typing import NamedTuple

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import say
from core.text.sentences import listed
from core.view.sections.section import Note, Section, Table


class SplitRow(NamedTuple):
    """A channel's total in its parts, as text with intervals.

    Attributes:
        channel: Its name.
        total: Incremental outcome.
        direct: Without what comes by way of mediators.
        through: By way of each mediator, in order.
        share: Of the total that comes by way of mediators.
        induced: What it makes be spent on mediators; empty where they cost nothing.
        roi: The total over the channel's own spend; empty where it has none.
        roi_with_induced: The total over both spends; empty where they cost nothing.
    """

    channel: str
    total: str
    direct: str
    through: tuple[str, ...]
    share: str
    induced: str = ""
    roi: str = ""
    roi_with_induced: str = ""


def sentence(fit: FitRecord) -> str:
    """What the returns of a fit with a funnel are; nothing without one."""
    if fit.funnel is None:
        return ""
    names = listed(mediators(fit))
    carried = [channel.name for channel in fit.funnel.channels]
    channels = listed(carried) or say("no channel")
    projects = listed([mediator.project for mediator in fit.funnel.mediators])
    return say(
        "Returns are totals: for {channels} they include what comes by way of {names} "
        "(fit of project {projects}). What is listed for {names} is the rest, without "
        "what channels caused, so that nothing counts twice.",
        channels=channels,
        names=names,
        projects=projects,
    )


def hidden(fit: FitRecord) -> list[str]:
    """How much hidden demand would take from each mediator's effect, in a sentence."""
    sentences = []
    for mediator in fit.funnel.mediators if fit.funnel else ():
        share = fmt.estimate(mediator.hidden.left, "share")
        strength = fmt.estimate(mediator.hidden.vanishes_at, "ratio")
        sentences.append(
            say(
                "Unmeasured demand that moves both {mediator} and {kpi} would count as "
                "an effect of {mediator}. If the errors of the two fits were "
                "correlated by {correlation}, {left} of the effect would be left, and "
                "nothing at {gone}.",
                mediator=mediator.name,
                kpi=fit.kpi_name or say("the KPI"),
                correlation=fmt.ratio(mediator.hidden.correlation),
                left=share,
                gone=strength,
            )
        )
    return sentences


def mediators(fit: FitRecord) -> list[str]:
    """Names of the mediators of a fit."""
    return [each.name for each in fit.funnel.mediators] if fit.funnel else []


def titles(fit: FitRecord) -> list[str]:
    """Headings of the columns of `cells`."""
    units = fit.units
    through = [say("Through {name}", name=name) for name in mediators(fit)]
    total = say("Total {outcome}", outcome=units.outcome_in_text)
    heads = [say("Channel"), total, say("Direct"), *through, say("Share through")]
    if any(row.induced for row in split_rows(fit)):
        heads += [
            say("Makes us spend elsewhere"),
            say("ROI"),
            say("ROI with that spend"),
        ]
    return heads


def cells(fit: FitRecord) -> list[tuple[str, ...]]:
    """Each channel that works through a mediator, in the columns of `titles`."""
    rows = split_rows(fit)
    has_cost = any(row.induced for row in rows)
    return [
        (row.channel, row.total, row.direct, *row.through, row.share)
        + ((row.induced, row.roi, row.roi_with_induced) if has_cost else ())
        for row in rows
    ]


def split_rows(fit: FitRecord) -> list[SplitRow]:
    """Each channel that works through a mediator, its total in parts."""
    if fit.funnel is None:
        return []
    units = fit.units
    plain = {each.name: each.roi for each in fit.channels}
    return [
        SplitRow(
            channel=channel.name,
            total=fmt.estimate(channel.total, *units.measure),
            direct=fmt.estimate(channel.direct, *units.measure),
            through=tuple(
                fmt.estimate(channel.through[name], *units.measure)
                for name in mediators(fit)
            ),
            share=fmt.estimate(channel.share, "share"),
            induced=fmt.estimate(channel.induced, "money", units.currency)
            if channel.induced
            else "",
            roi=fmt.estimate(plain[channel.name], "ratio"),
            roi_with_induced=fmt.estimate(channel.roi_with_induced, "ratio")
            if channel.induced
            else "",
        )
        for channel in fit.funnel.channels
    ]


def section(fit: FitRecord) -> Section | None:
    """The totals of a fit with a funnel, in their parts; None without one."""
    rows = cells(fit)
    if not rows:
        return None
    notes = [Note(text) for text in (sentence(fit), *hidden(fit))]
    blocks = [*notes, Table("", titles(fit), rows, texts=1, of_channels=True)]
    on_screen = {"screen": "Channels has it below the returns"}
    title = say("Direct and through")
    return Section("funnel", title, blocks, on_screen, claim=_claim(fit))


def _claim(fit: FitRecord) -> str:
    """Which channel brings most of its total by way of mediators."""
    most = max(fit.funnel.channels, key=lambda channel: channel.share.mean)
    return say(
        "{share} of what {channel} brings comes through {names}",
        share=fmt.share(most.share.mean),
        channel=fmt.brief_name(most.name, 30),
        names=listed([fmt.brief_name(name, 24) for name in mediators(fit)], limit=2),
    )


def elsewhere(plan: PlanRecord, units: fmt.Units) -> str:
    """What channels make us spend on mediators, in money and returns; or nothing.

    Args:
        plan: A plan over channels or weeks.
        units: Words for the units.
    """
    if plan.cash is None:
        return ""
    money = units.currency
    if plan.over == "weeks":
        first = say(
            "Amounts by week are the channels' own media. With what they make us spend "
            "elsewhere, in the plan's weeks and after them, the plan costs {cash}.",
            cash=fmt.estimate(plan.cash, "money", money),
        )
        return " ".join([first, *_returns(plan, money)])
    lines = [
        say(
            "The budget also pays for what channels make us spend elsewhere. "
            "Both together cost {cash}.",
            cash=fmt.estimate(plan.cash, "money", money),
        )
    ]
    return " ".join([*lines, *_returns(plan, money)])


def _returns(plan: PlanRecord, money: str) -> list[str]:
    """Own spend of each channel, what it makes us spend, and both returns."""
    lines = []
    for line in plan.channels:
        if line.induced is None or line.roi_of_own is None:
            continue
        lines.append(
            say(
                "{channel}: {own} of its own and {induced} elsewhere; ROI {plain} on "
                "its own spend, {both} with what it makes us spend elsewhere.",
                channel=line.name,
                own=fmt.money(line.own, money),
                induced=fmt.estimate(line.induced, "money", money),
                plain=fmt.estimate(line.roi_of_own, "ratio"),
                both=fmt.estimate(line.roi_with_induced, "ratio"),
            )
        )
    return lines
