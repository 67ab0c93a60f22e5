"""What a plan for outcome and knowledge costs and tells, once for every medium."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from core import text as fmt
from core.plan.record.plan_record import PlanRecord, as_dict
from core.plan.record.teaching import Apart, Changed, Learned, Share, Teaching
from core.text.languages.language import marked, say, say_count

#: What weeks that differ separate, by what the channel's weeks tell most of.
_SEPARATES = {
    "carryover": marked("separates carryover from level"),
    "saturation": marked("shows how the response saturates"),
    "return": marked("separates it from the channels that it usually moves with"),
    "": marked("keeps the money of the other changes in balance"),
}
#: What a channel does in one week, and in several.
_PATTERN = {
    "dark": (
        marked("is dark in the week of {day}"),
        marked("is dark for {weeks} weeks from {day}"),
    ),
    "less": (
        marked("spends less in the week of {day}"),
        marked("spends less for {weeks} weeks from {day}"),
    ),
    "more": (
        marked("spends more in the week of {day}"),
        marked("spends more for {weeks} weeks from {day}"),
    ),
}
#: Questions, and what is known when they are answered.
_QUESTIONS = {
    "drift": marked(
        "whether its effect changed or its spend came closer to saturation"
    ),
    "demand": marked("whether its spend follows demand"),
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
        return say(
            "No plan within the limits and the allowed cost is expected to bring more "
            "later than it costs now. The plan that only earns teaches enough: it is "
            "the plan."
        )
    units = plan.units
    if plan.shares and teaching.cost.mean < 0:
        return say(
            "With other shares of geos this plan brings {gain} more {outcome} than the "
            "plan that only earns, whose geos stay as they were, and is expected to "
            "bring {later} in {horizons}.",
            gain=units.show(-teaching.cost.mean),
            outcome=units.outcome_in_text,
            later=units.estimate(teaching.later, bare=True),
            horizons=_horizons(teaching),
        )
    return say(
        "Learning costs {cost} of {outcome} in this plan and is expected to bring "
        "{later} in {horizons}.",
        cost=units.estimate(teaching.cost, bare=True),
        outcome=units.outcome_in_text,
        later=units.estimate(teaching.later, bare=True),
        horizons=_horizons(teaching),
    )


def rows(plan: PlanRecord) -> list[Row]:
    """The numbers of teaching; empty for a plan that only earns.

    What it costs and brings later come first, where it is not the plan that only earns.
    """
    teaching = plan.teaching
    if teaching is None:
        return []
    return [*(_price(plan, teaching) if teaching.is_other else []), *most(plan)]


def _price(plan: PlanRecord, teaching: Teaching) -> list[Row]:
    """What is paid for knowledge, and what that is to bring."""
    units = plan.units
    return [
        Row(
            say("Cost of learning"),
            units.estimate(teaching.cost, bare=True),
            say(
                "Expected {outcome} of the plan that only earns over this plan's; at "
                "most {share} of it was allowed.",
                outcome=units.outcome_in_text,
                share=_percent(teaching.share),
            ),
        ),
        Row(
            say("Expected later"),
            units.estimate(teaching.later, bare=True),
            say(
                "What planning again with these weeks brings in {horizons}, over "
                "planning again with the weeks of the plan that only earns.",
                horizons=_horizons(teaching),
            ),
        ),
    ]


def most(plan: PlanRecord) -> list[Row]:
    """What no plan can pass; empty for a plan that only earns."""
    teaching = plan.teaching
    if teaching is None:
        return []
    units = plan.units
    return [
        Row(
            say("Value of certainty"),
            units.show(teaching.certainty),
            say(
                "What knowing every response exactly would bring there: no plan can "
                "teach more."
            ),
        ),
        Row(
            say("Best possible, both"),
            units.show(teaching.bound),
            say(
                "No plan within the limits earns and teaches more than this together; "
                "this one is at {total}.",
                total=units.show(teaching.total),
            ),
        ),
    ]


def _percent(share: float) -> str:
    """A small share with its first decimal."""
    return f"{fmt.exact(100 * share, decimals=1)}\u00a0%"


def _horizons(teaching: Teaching) -> str:
    n = teaching.horizons
    return say_count(n, "the next horizon", "the next {number} horizons", number=n)


def learned(plan: PlanRecord) -> str:
    """How much intervals are to narrow; empty for a plan that only earns."""
    teaching = plan.teaching
    if teaching is None or not teaching.channels:
        return ""
    if not teaching.is_other:
        parts = [
            say(
                "{channel} by {share}",
                channel=line.channel,
                share=fmt.share(line.teaching),
            )
            for line in teaching.channels
        ]
        return say(
            "Intervals of returns are expected to narrow: {channels}.",
            channels="; ".join(parts),
        )
    parts = [f"{line.channel} {_narrows(line)}" for line in teaching.channels]
    return say(
        "Intervals of returns are expected to narrow, with this plan and with the plan "
        "that only earns: {channels}.",
        channels="; ".join(parts),
    )


def _narrows(line: Learned) -> str:
    return say(
        "by {this} and {other}",
        this=fmt.share(line.teaching),
        other=fmt.share(line.earning),
    )


def told_apart(plan: PlanRecord) -> list[str]:
    """Questions that are open now, and the odds that the plan's weeks answer them."""
    teaching = plan.teaching
    if teaching is None:
        return []
    closer = [each for each in teaching.apart if each.teaching - each.now >= _CLOSER]
    lines = [_answer(each, is_other=teaching.is_other) for each in closer]
    for question, words in _QUESTIONS.items():
        names = [
            each.channel
            for each in teaching.apart
            if each.question == question and each not in closer
        ]
        if names:
            lines.append(
                say(
                    "These weeks do not tell of a channel {question}: {names}. A lift "
                    "test would.",
                    names=fmt.listed(names),
                    question=say(words),
                )
            )
    return lines


def _answer(each: Apart, *, is_other: bool) -> str:
    now, later, other = (
        fmt.probability(odds) for odds in (each.now, each.teaching, each.earning)
    )
    if not is_other:
        return say(
            "{channel}: {question} is expected to be answered right with {later}, "
            "against {now} now.",
            channel=each.channel,
            question=say(_QUESTIONS[each.question]),
            later=later,
            now=now,
        )
    return say(
        "{channel}: {question} is expected to be answered right with {later}, against "
        "{now} now and {other} after the plan that only earns.",
        channel=each.channel,
        question=say(_QUESTIONS[each.question]),
        later=later,
        now=now,
        other=other,
    )


def why_these_weeks(plan: PlanRecord) -> list[str]:
    """Why channels' weeks differ from the plan that only earns; a sentence each."""
    teaching = plan.teaching
    if teaching is None:
        return []
    shows = {line.channel: line.most for line in teaching.channels}
    by_channel: dict[str, list[Changed]] = {}
    for change in teaching.changes:
        by_channel.setdefault(change.channel, []).append(change)
    return [
        _why(channel, changes, shows.get(channel, ""))
        for channel, changes in by_channel.items()
    ]


def _why(channel: str, changes: Sequence[Changed], shows: str) -> str:
    """`TV is dark for 3 weeks from 5 May and spends more from 26 May: separates …`."""
    largest = sorted(changes, key=lambda each: -abs(each.spend))[:_NAMED]
    named = sorted(largest, key=lambda each: each.first)
    does = fmt.listed([_pattern(each) for each in named])
    rest = len(changes) - len(named)
    if rest:
        does = say_count(
            rest,
            "{does}, with {number} smaller change",
            "{does}, with {number} smaller changes",
            does=does,
            number=rest,
        )
    return f"{fmt.named(f'{channel} {does}', say(_SEPARATES[shows]))}."


def _pattern(change: Changed) -> str:
    """What a channel does there: `is dark for 3 weeks from 5 May`."""
    one, several = _PATTERN[change.kind]
    text = one if change.weeks == 1 else several
    return say(text, weeks=change.weeks, day=fmt.day_and_month(change.first))


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
    shows = {line.channel: line.most for line in teaching.channels}.get(channel, "")
    text = fmt.named(_pattern(change), say(_SEPARATES[shows]))
    return text[:1].upper() + text[1:]


def with_reasons(plan: PlanRecord) -> dict[str, Any]:
    """The record as `plan --json` prints it: weeks that teach say why they differ."""
    record = as_dict(plan)
    for change in (record.get("teaching") or {}).get("changes", ()):
        change["why"] = why_this_week(plan, change["channel"], change["first"])
    return record


def why_by_week(plan: PlanRecord) -> list[list[str]]:
    """Why each cell differs, channel week; nothing for a plan that only earns."""
    if plan.teaching is None:
        return []
    return [
        [why_this_week(plan, line.name, week) for week in plan.weeks]
        for line in plan.channels
    ]


def why_these_geos(plan: PlanRecord) -> list[str]:
    """Which geos have other shares of a channel's money, and why; a sentence each."""
    text = marked("{channel} spends {geos}, in every week.")
    if plan.teaching is not None:
        text = marked(
            "{channel} spends {geos}, in every week: geos that differ tell its return "
            "from what all geos have in common."
        )
    return [
        say(
            text,
            channel=channel,
            geos=fmt.listed([_other_share(row) for row in rows]),
        )
        for channel, rows in _by_channel(plan).items()
    ]


def _other_share(row: Share) -> str:
    """`24 % in Harbour instead of 20 %`."""
    return say(
        "{planned} in {geo} instead of {usual}",
        planned=_percent(row.planned),
        geo=row.geo,
        usual=_percent(row.usual),
    )


def _by_channel(plan: PlanRecord) -> dict[str, list[Share]]:
    """Geos of each channel whose shares differ most; all are in the plan's `shares`."""
    by_channel: dict[str, list[Share]] = {}
    for row in plan.shares:
        by_channel.setdefault(row.channel, []).append(row)
    return {
        channel: sorted(rows, key=lambda row: -abs(row.planned - row.usual))[:_NAMED]
        for channel, rows in by_channel.items()
    }


def share_heads(plan: PlanRecord) -> list[str]:
    """What the columns of a table of these shares are called."""
    return [
        say("Channel"),
        say("Geo"),
        say("Share of the channel's money last year")
        if plan.horizon.has_last_year
        else say("Share of the channel's money as it ran"),
        say("Share in this plan"),
        fmt.titled(say("Planned"), plan.units.symbol),
    ]


def share_rows(plan: PlanRecord) -> list[list[str]]:
    """The table, written: what each geo spends in all weeks, and its shares.

    The geo first whose money differs most; none whose shares are written alike.
    """
    money = plan.money
    rows = sorted(
        plan.shares,
        key=lambda row: -abs(row.planned - row.usual) * money[row.channel],
    )
    texts = [
        [
            row.channel,
            row.geo,
            _percent(row.usual),
            _percent(row.planned),
            fmt.table_amount(row.planned * money[row.channel]),
        ]
        for row in rows
    ]
    return [row for row in texts if row[2] != row[3]]


def lines(plan: PlanRecord) -> list[str]:
    """Everything about teaching, for a page of text."""
    if plan.teaching is None:
        return why_these_geos(plan)
    numbers = [f"{fmt.named(row.label, row.value)}." for row in most(plan)]
    return [headline(plan), *_of_weeks(plan), *numbers]


def beside_rows(plan: PlanRecord) -> list[str]:
    """The same, but for what its numbers (`rows`) say."""
    teaching = plan.teaching
    if teaching is None:
        return lines(plan)
    is_priced = teaching.is_other and teaching.cost.mean >= 0
    return [*([] if is_priced else [headline(plan)]), *_of_weeks(plan)]


def _of_weeks(plan: PlanRecord) -> list[str]:
    """Which weeks and geos differ and why, and what is known after them."""
    parts = [*why_these_weeks(plan), *why_these_geos(plan)]
    parts += [learned(plan), *told_apart(plan)]
    return [part for part in parts if part]
