"""Titles of slides: what each one claims, made from its numbers; two lines at most."""

import math
from collections.abc import Sequence

from core import text as fmt
from core.analysis.record.sections import ModelCheck
from core.plan.frontier import Point
from core.plan.record.plan_record import PlanRecord
from core.report import content as report_content
from core.report.assumptions import Assumptions
from core.report.content import Content
from core.text.currency import with_unit
from core.text.languages.language import marked, say
from core.view import plan_words
from core.view.plan_claim import tidied


def media_claim(content: Content) -> str:
    """What paid media brought, and at what return."""
    if report_content.verdict(content).word == "failed":
        return say("Do not decide on these numbers yet: the fit failed its checks")
    units, cards = content.units, report_content.headline(content)
    brought = cards[1].value
    if units.is_money:
        brought = say(
            "{amount} of {outcome}", amount=brought, outcome=units.outcome_in_text
        )
    if len(cards) < 4:
        return tidied(say("Media brought {brought}", brought=brought))
    returned = f"{cards[2].value} {cards[2].ci}".strip()
    how = (
        say("an ROI of {returned}", returned=returned)
        if units.is_money
        else say("{returned} per unit", returned=returned)
    )
    return tidied(
        say("Paid media brought {brought}, at {how}", brought=brought, how=how)
    )


def returns_claim(content: Content) -> str:
    """Which channel returned most, and how sure that is."""
    best, sure = report_content.best_channel(content)
    if best is None:
        return say("What each channel returned")
    units, name = content.units, fmt.brief(best.name, 30)
    cost = best.cpik
    if not units.is_money and cost and cost.median is not None:
        amount = fmt.estimate(cost, "money", units.currency, centre="median")
        text = say(
            "{name} costs least: {cost} per unit of {kpi}",
            name=name,
            cost=amount,
            kpi=fmt.brief(units.kpi_name, 24),
        )
    else:
        most = marked("{name} returned most: ROI {roi}")
        only = marked("{name} returned an ROI of {roi}")
        roi = fmt.estimate(best.roi, "ratio")
        text = say(most if sure else only, name=name, roi=roi)
    if sure:
        text = say("{finding}, {odds} likely the best channel", finding=text, odds=sure)
    return tidied(text)


def sources_claim(content: Content) -> str:
    """Shares of the baseline and of the largest channel."""
    shares = {
        channel.name: channel.contribution_share.mean
        for channel in content.fit.channels
        if channel.contribution_share.mean is not None
    }
    places = {
        "base": fmt.share(content.fit.baseline_share.mean),
        "outcome": fmt.brief(content.units.kpi_in_text, 24),
    }
    if not shares:
        return say("The baseline made {base} of {outcome}", **places)
    most = max(shares, key=lambda channel: shares[channel])
    places |= {"channel": fmt.brief(most, 30), "share": fmt.share(shares[most])}
    if len(shares) == 1:
        return say(
            "The baseline made {base} of {outcome}; {channel} made {share}", **places
        )
    return say(
        "The baseline made {base} of {outcome}; {channel} made {share}, the most of "
        "any channel",
        **places,
    )


def grid_claim(
    names: Sequence[str], amounts: Sequence[float], over: str, currency: str
) -> str:
    """Where most of the money goes: a week, a quarter, a geo.

    Args:
        names: First days of weeks, or names of quarters or geos.
        amounts: What each gets.
        over: `week`, `quarter` or `geo`.
        currency: Of the amounts.
    """
    place = max(range(len(names)), key=lambda at: amounts[at])
    most, all_ = (fmt.money(size, currency) for size in (amounts[place], sum(amounts)))
    if over == "week":
        return tidied(
            say(
                "Spend peaks in the week of {day}: {amount}",
                day=fmt.date(names[place]),
                amount=most,
            )
        )
    return tidied(
        say(
            "{place} gets most, {amount} of {total}",
            place=fmt.brief(names[place], 30),
            amount=most,
            total=all_,
        )
    )


def channels_claim(content: Content) -> str:
    """Which channels made most of what media brought, each with its share."""
    shares = [
        (channel.contribution_share.mean, channel.name)
        for channel in content.fit.channels
        if channel.contribution_share.mean is not None
    ]
    shares.sort(key=lambda each: -each[0])
    if len(shares) < 3:
        return sources_claim(content)
    first = [
        f"{fmt.brief(name, 24)} ({fmt.share(share)})" for share, name in shares[:3]
    ]
    return say(
        "{names} made most {outcome} of all channels",
        names=fmt.listed(first),
        outcome=fmt.brief(content.units.kpi_in_text, 24),
    )


def budgets_claim(points: Sequence[Point], units: fmt.Units) -> str:
    """What the next unit of money brings at the plan's budget."""
    at_plan = next((point for point in points if point.is_plan), None)
    if at_plan is None:
        first, last = points[0], points[-1]
        return tidied(
            say(
                "Budgets from {low} to {high} bring {least} to {most}",
                low=fmt.money(first.budget, units.currency),
                high=fmt.money(last.budget, units.currency),
                least=units.show(first.outcome.mean),
                most=units.named(last.outcome.mean),
            )
        )
    middle, _, ends = fmt.estimate(at_plan.mroi, "ratio").partition(" ")
    unit = units.outcome if units.is_money else fmt.brief(units.kpi_name, 30)
    brings = f"{with_unit(middle, unit)} {ends}"
    return say(
        "At the plan's budget, the next {unit} brings {brings}",
        unit=units.symbol or say("unit"),
        brings=brings,
    )


def priors_claim(facts: Assumptions) -> str:
    """How many channels share a prior, and which differ; of two, what one allows."""
    names = [fmt.brief_name(row.name, 24) for row in facts.different]
    if facts.shared and names:
        return say(
            "{number} of {all} channels share one prior; others: {names}",
            number=len(facts.priors) - len(names),
            all=len(facts.priors),
            names=fmt.listed(names, limit=2),
        )
    if not facts.priors:
        return say("What this rests on")
    first = facts.priors[0]
    return say(
        "Before the data, {about} of {channel} was put at {range}, 90 % sure",
        about=first.about,
        channel=fmt.brief_name(first.name, 30),
        range=first.range,
    )


def basis_claim(facts: Assumptions) -> str:
    """How much data the fit rests on."""
    return say("The fit rests on {periods} of data", periods=facts.periods)


def between_geos(plan: PlanRecord, units: fmt.Units) -> str:
    """What moving money between geos adds, how sure that is, and whether to.

    Args:
        plan: Of geos, which knows it.
        units: Words for the units.
    """
    gain = plan.gain_over_channels
    places = {
        "gain": units.named(gain.mean),
        "odds": fmt.probability(gain.probability_positive),
    }
    if plan.geo_advice == "change":
        return say("Moving money between geos adds {gain}, {odds} likely", **places)
    return say(
        "Keep the split over geos: moving money would add {gain}, {odds} likely",
        **places,
    )


def projects_claim(plan: PlanRecord) -> str:
    """Which project of a portfolio gains most."""
    most = max(plan.projects, key=lambda part: part.gain.mean)
    return tidied(
        say(
            "{project} gains most, {gain}",
            project=fmt.brief_name(most.name, 40),
            gain=plan.units.show(most.gain.mean, signed=True),
        )
    )


def risks_claim(
    verdict: str,
    plan: PlanRecord | None,
    check: ModelCheck | None = None,
    *,
    is_old: bool = False,
) -> str:
    """What the advice hangs on; of a fit alone, whether to trust it.

    Args:
        verdict: On the fit, or the worst one of several.
        plan: The plan, if there is one.
        check: The model check of the fit, if it has one.
        is_old: Whether the newest fit advises otherwise on the plan.
    """
    if is_old:
        return say("The newest fit advises otherwise; these are the risks before it")
    missed = check.missed if check is not None else []
    is_firm = plan is not None and plan.on_split.advice == "change"
    if not is_firm or verdict != "trustworthy" or not plan.robustness:
        return {
            "trustworthy": say(
                "Sampling converged; the model check missed {number} of {all}",
                number=len(missed),
                all=len(check.checks),
            )
            if check is not None and missed
            else say("The fit passed its checks; its assumptions remain"),
            "doubtful": say("The fit is doubtful: resolve its warnings first"),
        }.get(verdict, say("The fit failed its checks: do not decide on it yet"))
    turns = [turn for turn in plan.robustness if turn.share is not None]
    if not turns:
        return say("No channel's hidden demand, whatever its size, turns the advice")
    first = min(turns, key=lambda turn: turn.share)
    name = fmt.brief(first.channel, 30)
    if first.share < 0.01:
        return plan_words.at_little(name).removesuffix(".")
    return say(
        "The advice turns if more than {share} of what {name} seems to bring "
        "would have come anyway",
        share=fmt.share(math.floor(100 * first.share) / 100),
        name=name,
    )
