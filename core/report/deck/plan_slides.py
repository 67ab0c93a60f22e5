"""Slides of a plan: what it does, its channels, other budgets, what it hangs on."""

from collections.abc import Sequence
from typing import Any

from core import text as fmt
from core.plan.frontier import Point
from core.plan.record.plan_record import PlanRecord
from core.report import content as told
from core.report.assumptions import check_line
from core.report.content import Content
from core.report.deck import claims
from core.report.deck.advice_column import advice_column
from core.report.deck.grid_slides import grid_slides
from core.report.deck.native_charts import MOST_BARS, bars, lines
from core.report.deck.slide_shapes import (
    Add,
    cards,
    headed_slides,
    table_slides,
    text_box,
)
from core.report.deck.theme import ACROSS, BOTTOM, LEFT, TOP, Box
from core.report.plan_section import about, advice_now, budgets, recommended
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view import plan_words
from core.view.advice import over_what_ran, ran_heading
from core.view.origin import origin as of_fit
from core.view.plan_claim import spend_claim
from core.view.sections import of_plan, plan_cards, plan_tables

#: Reasons of the verdict that the slide of risks names; the front slide has them all.
_MOST_REASONS = 3


def plan_slides(add: Add, plan: PlanRecord, content: Content) -> None:
    """The plan with its tables, and the best plan at other budgets.

    Args:
        add: Adds a slide with a title and the line above it.
        plan: The plan.
        content: The fit behind it.
    """
    units, (lines, notes) = content.units, about(plan, content)
    claim, now = recommended(plan, content), advice_now(plan, content)
    # What the newest fit says takes more room than there is beside a chart.
    origin = lines if now is None else of_fit(plan)
    kicker = f"{fmt.brief(plan.title, 60)} · {plan_words.horizon(plan)}"
    if plan.over == "channels":
        more = {"origin": origin, "notes": notes, "is_old": now is not None}
        front(add(claim, kicker), plan, **more)
        channel_slides(add, plan, kicker, now)
    else:
        grid_slides(add, plan, claim, kicker, (origin, notes, now))
    points = budgets(plan, content)
    if points:
        text = claims.budgets_claim(points, units)
        _budgets(add(text, say("The best plan at other budgets")), points, plan)


def risks(add: Add, plan: PlanRecord | None, content: Content) -> None:
    """What could be wrong: the fit, hidden demand, spend beyond what was seen."""
    kicker = say("Risks and what would change our mind")
    if plan is not None:
        kicker = f"{kicker} · {plan_words.horizon(plan)}"
    verdict, check, is_old = told.verdict(content), content.fit.model_check, False
    missed = check is not None and check.missed
    parts = [
        (
            say("The fit"),
            [
                f"{verdict.title}. {verdict.advice}",
                *verdict.reasons[:_MOST_REASONS],
                *(
                    [f"{fmt.named(say('Model check'), check_line(check))}."]
                    if missed
                    else []
                ),
            ],
        ),
    ]
    note = content.fit.follows_demand.sentence
    if note:
        parts.append(
            (say("Channels that follow demand"), [reworded(note, content.names)])
        )
    if plan is not None:
        is_old = advice_now(plan, content) is not None
        if is_old:
            parts.append((say("Where it comes from"), [about(plan, content)[0]]))
        parts += of_plan.under_heads(plan)
    else:
        parts.append((say("What would settle it"), [say(_TESTS)]))
    claim = claims.risks_claim(verdict.word, plan, check, is_old=is_old)
    headed_slides(add, claim, kicker, parts)


_TESTS = marked(
    "A lift test of a channel whose interval is wide: its result "
    "enters the next fit and narrows what this one leaves open."
)


def front(
    slide: Any,
    plan: PlanRecord,
    *,
    origin: str = "",
    notes: str = "",
    is_old: bool = False,
) -> None:
    """Headline numbers, both splits as a chart, the advice beside it.

    Args:
        slide: To draw on.
        plan: A plan over channels.
        origin: Where it comes from.
        notes: What was written about it.
        is_old: Whether the newest fit advises otherwise.
    """
    cards(slide, plan_cards.cards(plan), TOP)
    channels, ran = plan.channels, over_what_ran(plan)
    title = say("Planned spend beside {what}", what=ran)
    if len(channels) > MOST_BARS:
        moved = sorted(channels, key=lambda each: -abs(each.planned - each.current))
        largest = {each.name for each in moved[:MOST_BARS]}
        channels = tuple(each for each in channels if each.name in largest)
        title = say(
            "Planned spend beside {what}, the {number} largest changes",
            what=ran,
            number=MOST_BARS,
        )
    series = {
        ran_heading(plan): [each.current for each in channels],
        say("Planned"): [each.planned for each in channels],
    }
    box = advice_column(slide, plan, origin, notes, is_old)
    names = [each.name for each in channels]
    bars(slide, title, names, series, box, unit=plan.units.symbol)


def channel_slides(
    add: Add, plan: PlanRecord, about: str, now: str | None = None
) -> None:
    """Spend of every channel, over as many slides as it takes.

    Args:
        add: See `plan_slides`.
        plan: A plan over channels.
        about: Its name.
        now: The advice of the newest fit, where that is another than the plan's.
    """
    kicker = fmt.named(about, say("spend by channel"))
    claim = spend_claim(plan, plan.units, now)
    table_slides(add, claim, kicker, plan_tables.channels(plan))


def _budgets(slide: Any, points: Sequence[Point], plan: PlanRecord) -> None:
    """The best outcome over the budget, with its interval, and where the plan is."""
    units = plan.units
    series = {
        say("Best split"): ([point.outcome.mean for point in points], "ACCENT_1"),
        "5 %": ([point.outcome.lo for point in points], "ACCENT_2"),
        "95 %": ([point.outcome.hi for point in points], "ACCENT_2"),
        say("The same split"): ([point.current.mean for point in points], "ACCENT_4"),
    }
    budget = [point.budget for point in points]
    box = Box(LEFT, TOP, ACROSS, BOTTOM - TOP - 0.3)
    title = say("{outcome}, over the budget", outcome=plan_words.brought(units))
    at = (say("This plan"), plan.budget, plan.outcome.planned.mean)
    lines(slide, title, series, budget, box, (units.outcome, units.symbol), at)
    note = say("5 % and 95 %: ends of the 90 % interval of the best split.")
    text_box(slide, [note], Box(LEFT, BOTTOM - 0.3, ACROSS, 0.3), 11, "TEXT_2")
