"""What a plan for outcome and knowledge costs and tells, once for every medium."""

from collections.abc import Sequence
from typing import NamedTuple

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.plan.record.teaching import Apart, Changed, Learned, Teaching

#: What weeks that differ separate, by what the channel's weeks tell most of.
_SEPARATES = {
    "carryover": "separates carryover from level",
    "saturation": "shows how the response saturates",
    "return": "separates it from the channels that it usually moves with",
    "": "keeps the money of the other changes in balance",
}
_PATTERN = {
    "dark": "is dark",
    "less": "spends less",
    "more": "spends more",
}
#: Questions, and what is known when they are answered.
_QUESTIONS = {
    "drift": "whether its effect changed or its spend came closer to saturation",
    "demand": "whether its spend follows demand",
}
#: Probability by which a question has to come closer to its answer.
_CLOSER = 0.01
#: Changes that a sentence names.
_NAMED = 3


class Row(NamedTuple):
    """A number of the plan's, for a table or a tile.

    Attributes:
        label: What it is.
        value: Written.
        meaning: What it means.
    """

    label: str
    value: str
    meaning: str


def headline(plan: PlanRecord) -> str:
    """What teaching costs and brings; empty for a plan that only earns."""
    teaching = plan.teaching
    if teaching is None:
        return ""
    if not teaching.is_other:
        return (
            "No plan within the limits and the allowed cost is expected to bring more "
            "later than it costs now. The plan that only earns teaches enough: it is "
            "the plan."
        )
    units = plan.units
    return (
        f"Learning costs {units.estimate(teaching.cost, bare=True)} of "
        f"{units.outcome_name.lower()} in this plan and is expected to bring "
        f"{units.estimate(teaching.later, bare=True)} in {_horizons(teaching)}."
    )


def rows(plan: PlanRecord) -> list[Row]:
    """The numbers of teaching; empty for a plan that only earns."""
    teaching = plan.teaching
    if teaching is None:
        return []
    units = plan.units
    return [
        Row(
            "Cost of learning",
            units.estimate(teaching.cost, bare=True),
            f"Expected {units.outcome_name.lower()} of the plan that only earns over "
            f"this plan's; at most {_percent(teaching.share)} of it was allowed.",
        ),
        Row(
            "Expected later",
            units.estimate(teaching.later, bare=True),
            f"What planning again with these weeks brings in {_horizons(teaching)}, "
            "over planning again with the weeks of the plan that only earns.",
        ),
        Row(
            "Value of certainty",
            units.show(teaching.certainty),
            "What knowing every response exactly would bring there: no plan can teach "
            "more.",
        ),
        Row(
            "Best possible, both",
            units.show(teaching.bound),
            "No plan within the limits earns and teaches more than this together; "
            f"this one is at {units.show(teaching.total)}.",
        ),
    ]


def _percent(share: float) -> str:
    """A small share with its first decimal."""
    return f"{fmt.exact(100 * share, decimals=1)}\u00a0%"


def _horizons(teaching: Teaching) -> str:
    n = teaching.horizons
    return "the next horizon" if n == 1 else f"the next {n} horizons"


def learned(plan: PlanRecord) -> str:
    """How much intervals are to narrow; empty for a plan that only earns."""
    teaching = plan.teaching
    if teaching is None or not teaching.channels:
        return ""
    parts = [f"{line.channel} {_narrows(line)}" for line in teaching.channels]
    return (
        "Intervals of returns are expected to narrow, with this plan and with the plan "
        f"that only earns: {'; '.join(parts)}."
    )


def _narrows(line: Learned) -> str:
    return f"by {fmt.share(line.teaching)} and {fmt.share(line.earning)}"


def told_apart(plan: PlanRecord) -> list[str]:
    """Questions that are open now, and the odds that the plan's weeks answer them."""
    teaching = plan.teaching
    if teaching is None:
        return []
    closer = [each for each in teaching.apart if each.teaching - each.now >= _CLOSER]
    said = [_answer(each) for each in closer]
    for question, words in _QUESTIONS.items():
        names = [
            each.channel
            for each in teaching.apart
            if each.question == question and each not in closer
        ]
        if names:
            said.append(
                f"These weeks do not tell of {fmt.listed(names)} {words}. A lift test "
                "would."
            )
    return said


def _answer(each: Apart) -> str:
    now, later, other = (
        fmt.probability(odds) for odds in (each.now, each.teaching, each.earning)
    )
    return (
        f"{each.channel}: {_QUESTIONS[each.question]} is expected to be answered right "
        f"with {later}, against {now} now and {other} after the plan that only earns."
    )


def why_these_weeks(plan: PlanRecord) -> list[str]:
    """Why channels' weeks differ from the plan that only earns; a sentence each."""
    teaching = plan.teaching
    if teaching is None:
        return []
    most = {line.channel: line.most for line in teaching.channels}
    by_channel: dict[str, list[Changed]] = {}
    for change in teaching.changes:
        by_channel.setdefault(change.channel, []).append(change)
    return [
        _why(channel, changes, most.get(channel, ""))
        for channel, changes in by_channel.items()
    ]


def _why(channel: str, changes: Sequence[Changed], most: str) -> str:
    """`TV is dark for 3 weeks from 5 May and spends more from 26 May: separates …`."""
    largest = sorted(changes, key=lambda each: -abs(each.spend))[:_NAMED]
    named = sorted(largest, key=lambda each: each.first)
    parts = [f"{_PATTERN[each.kind]} {_when(each)}" for each in named]
    rest = len(changes) - len(named)
    more = f", with {fmt.count(rest, 'smaller change')}" if rest else ""
    return f"{channel} {fmt.listed(parts)}{more}: {_SEPARATES[most]}."


def _when(change: Changed) -> str:
    if change.weeks == 1:
        return f"in the week of {fmt.day_and_month(change.first)}"
    return f"for {change.weeks} weeks from {fmt.day_and_month(change.first)}"


def why_this_week(plan: PlanRecord, channel: str, week: str) -> str:
    """Why a channel's week differs; empty where it does not.

    Args:
        plan: The plan.
        channel: Its name.
        week: First day, YYYY-MM-DD.
    """
    teaching = plan.teaching
    if teaching is None:
        return ""
    here = (
        each
        for each in teaching.changes
        if each.channel == channel and each.first <= week <= each.last
    )
    change = next(here, None)
    if change is None:
        return ""
    most = {line.channel: line.most for line in teaching.channels}.get(channel, "")
    return f"{_PATTERN[change.kind].capitalize()} {_when(change)}: {_SEPARATES[most]}"


def why_by_week(plan: PlanRecord) -> list[list[str]]:
    """Why each cell differs, channel week; nothing for a plan that only earns."""
    if plan.teaching is None:
        return []
    return [
        [why_this_week(plan, line.name, week) for week in plan.weeks]
        for line in plan.channels
    ]


def lines(plan: PlanRecord) -> list[str]:
    """Everything about teaching, for a page of text."""
    if plan.teaching is None:
        return []
    parts = [headline(plan), *why_these_weeks(plan), learned(plan), *told_apart(plan)]
    both = rows(plan)
    parts += [f"{row.label}: {row.value}." for row in both[2:]]
    return [part for part in parts if part]
