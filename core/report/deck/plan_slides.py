"""Slides of a plan: what it does, its channels, other budgets, what it hangs on."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from core import text as fmt
from core.charts.planning.plan import MARKS
from core.plan.frontier import Point
from core.plan.record.plan_record import PlanRecord
from core.report import content as told
from core.report.assumptions import check_line
from core.report.content import Content
from core.report.deck import claims
from core.report.deck.grid_slides import grid_slides
from core.report.deck.native_charts import MOST_BARS, bars, lines
from core.report.deck.slide_shapes import (
    cards,
    headed,
    paged,
    short,
    table,
    text_box,
)
from core.report.deck.theme import ACROSS, BOTTOM, GUTTER, LEFT, TOP, Box
from core.report.headline import Headline, estimated, exact
from core.report.parts import PlanSection
from core.report.plan_section import budgets, section
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view import beside_words, plan_words
from core.view.advice import (
    advice_lines,
    compared_with,
    over_what_ran,
    ran_heading,
)
from core.view.break_even import break_even
from core.view.funnel_words import elsewhere
from core.view.plan_claim import plan_claim, spend_claim
from core.view.weeks.week_limits import week_limits

Add = Callable[[str, str], Any]
#: Reasons of the verdict that the slide of risks names; the front slide has them all.
_MOST_REASONS = 3
#: Stands where the heading of what ran goes.
_RAN = "{ran}"
_HEADS = (
    marked("Channel"),
    _RAN,
    marked("Planned"),
    marked("Change"),
    marked("Limits"),
    marked("Direction"),
)
_KEYS = ("name", "current", "planned", "change", "limits", "direction")


def plan_slides(add: Add, plan: PlanRecord, content: Content) -> None:
    """The plan with its tables, and the best plan at other budgets.

    Args:
        add: Adds a slide with a title and the line above it.
        plan: The plan.
        content: The fit behind it.
    """
    shown, units = section(plan, content), content.units
    claim = plan_claim(plan, units)
    about = f"{fmt.brief(shown.name, 60)} · {plan_words.horizon(plan)}"
    shown = replace(shown, cards=[*shown.cards, *_goal(plan, units)], name=about)
    if shown.tables:
        grid_slides(add, plan, shown, claim, units.symbol)
    else:
        front(add(claim, shown.name), plan, shown, units)
        channel_slides(add, shown, spend_claim(plan, units))
    points = budgets(plan, content)
    if points:
        text = claims.budgets_claim(points, units)
        _budgets(add(text, say("The best plan at other budgets")), points, units)


def risks(add: Add, plan: PlanRecord | None, content: Content) -> None:
    """What could be wrong: the fit, hidden demand, spend beyond what was seen."""
    kicker = say("Risks and what would change our mind")
    verdict, check = told.verdict(content), content.fit.model_check
    slide = add(claims.risks_claim(verdict.word, plan, check), kicker)
    missed = check is not None and check.missed
    parts = [
        (
            say("The fit"),
            [
                f"{verdict.title}. {verdict.advice}",
                *verdict.reasons[:_MOST_REASONS],
                *([f"{say('Model check')}: {check_line(check)}."] if missed else []),
            ],
        ),
    ]
    note = content.fit.follows_demand.sentence
    if note:
        parts.append(
            (say("Channels that follow demand"), [reworded(note, content.names)])
        )
    if plan is not None:
        parts += doubts(plan, content.units)
    else:
        parts.append((say("What would settle it"), [say(_TESTS)]))
    filled(slide, parts)


def filled(slide: Any, parts: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Heads and sentences over a whole slide, as large as there is room for.

    Args:
        slide: To write on.
        parts: A head and its sentences each.
    """
    letters = sum(len(line) for _, lines_ in parts for line in lines_)
    size = 16 if letters < 700 else 14 if letters < 1400 else 11
    headed(slide, parts, Box(LEFT, TOP, ACROSS, BOTTOM - TOP), size)


_TESTS = marked(
    "A lift test of a channel whose interval is wide: its result "
    "enters the next fit and narrows what this one leaves open."
)


def doubts(plan: PlanRecord, units: fmt.Units) -> list[tuple[str, list[str]]]:
    """Heads and sentences: what turns the advice, what to test, what was never seen.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    beyond = [line.name for line in plan.channels if line.beyond_seen]
    seen = ""
    if beyond:
        them = fmt.listed([fmt.brief(name, 30) for name in beyond], limit=6)
        seen = say(
            "{names}: the plan spends more in a period than the data ever saw.",
            names=them,
        )
    ran = beside_words.against_what_ran(plan, units)
    parts = [
        (say("The advice"), [*advice_lines(plan), plan_words.robustness(plan)]),
        (say("What to test"), [plan_words.lift_test(plan, units)]),
        (say("Another split"), [beside_words.other_split(plan, units)]),
        (say("Beyond what was seen"), [seen, plan_words.idle(plan)]),
        (say("The limits"), [week_limits(plan)]),
        (say("The budget"), [elsewhere(plan, units), break_even(plan, units)]),
        (
            say("The comparison"),
            [say("For {horizon}.", horizon=plan_words.horizon(plan)), ran],
        ),
    ]
    kept = [(head, [line for line in text if line]) for head, text in parts]
    return [(head, text) for head, text in kept if text]


def _goal(plan: PlanRecord, units: fmt.Units) -> list[Headline]:
    """Odds of the goal as a card, or the ROI that the budget was found for."""
    goal, name = plan.goal, plan.objective.name
    if name.startswith("reach:"):
        label = say(
            "Odds of at least {target}",
            target=units.show(float(name.removeprefix("reach:"))),
        )
        before = plan.objective.current
        then = ""
        if before is not None:
            then = f"{compared_with(plan)}: {fmt.probability(before)}"
        card = exact(label, plan.objective.planned, "probability")
        return [replace(card, ci=then)]
    if goal is None:
        return []
    if goal.probability is not None and goal.target is not None:
        label = say("Odds of at least {target}", target=units.show(goal.target))
        return [exact(label, goal.probability, "probability")]
    if goal.roi is not None:
        return [estimated(say("ROI of the plan"), goal.roi, "ratio")]
    return []


def front(slide: Any, plan: PlanRecord, shown: PlanSection, units: fmt.Units) -> None:
    """Headline numbers, both splits as a chart, the advice beside it.

    Args:
        slide: To draw on.
        plan: A plan over channels.
        shown: What it says: `cards`, `advice`, `bound`, `origin`, `notes`.
        units: Words for the units.
    """
    cards(slide, shown.cards, TOP)
    top = TOP + 1.45
    drawn, ran = plan.channels, over_what_ran(plan)
    title = say("Planned spend beside {what}", what=ran)
    if len(drawn) > MOST_BARS:
        moved = sorted(drawn, key=lambda each: -abs(each.planned - each.current))
        kept = {each.name for each in moved[:MOST_BARS]}
        drawn = tuple(each for each in drawn if each.name in kept)
        title = say(
            "Planned spend beside {what}, the {number} largest changes",
            what=ran,
            number=MOST_BARS,
        )
    series = {
        ran_heading(plan): [each.current for each in drawn],
        say("Planned"): [each.planned for each in drawn],
    }
    box = Box(LEFT, top, 7.6, BOTTOM - top)
    names = [each.name for each in drawn]
    bars(slide, title, names, series, box, unit=units.symbol)
    lines = [(say("What to do"), shown.advice)]
    lines += [(say("How good it could be"), [shown.bound])] if shown.bound else []
    lines += [(say("Where it comes from"), [shown.origin])] if shown.origin else []
    lines += [(say("Notes"), [fmt.brief(shown.notes, 400)])] if shown.notes else []
    left = LEFT + 7.6 + GUTTER
    headed(slide, lines, Box(left, top, LEFT + ACROSS - left, BOTTOM - top), 14)


def channel_slides(add: Add, shown: PlanSection, claim: str) -> None:
    """Spend of every channel, over as many slides as it takes.

    Args:
        add: See `plan_slides`.
        shown: What the plan says: `name`, `ran`, `rows`.
        claim: What its spend does.
    """
    channels = [
        [short(row.name), *(getattr(row, key) for key in _KEYS[1:])]
        for row in shown.rows
    ]
    heads = [shown.ran if head == _RAN else say(head) for head in _HEADS]
    for some, said in paged(channels):
        slide = add(claim, f"{shown.name}: {say('spend by channel')}{said}")
        table(slide, heads, some, Box(LEFT, TOP, ACROSS, BOTTOM - TOP), texts=(0, 5))
        note = Box(LEFT, BOTTOM - 0.1, ACROSS, 0.3)
        text_box(
            slide, [say("Direction: {marks}", marks=say(MARKS))], note, 10, "TEXT_2"
        )


def _budgets(slide: Any, points: Sequence[Point], units: fmt.Units) -> None:
    """The best outcome over the budget, with its interval, as lines."""
    series = {
        say("Best split"): ([point.outcome.mean for point in points], "ACCENT_1"),
        "5 %": ([point.outcome.lo for point in points], "ACCENT_2"),
        "95 %": ([point.outcome.hi for point in points], "ACCENT_2"),
        say("The same split"): ([point.current.mean for point in points], "ACCENT_4"),
    }
    budget = [point.budget for point in points]
    box = Box(LEFT, TOP, ACROSS, BOTTOM - TOP - 0.3)
    title = say("{outcome}, over the budget", outcome=plan_words.brought(units))
    lines(slide, title, series, budget, box, (units.outcome, units.symbol))
    note = say("5 % and 95 %: ends of the 90 % interval of the best split.")
    text_box(slide, [note], Box(LEFT, BOTTOM - 0.3, ACROSS, 0.3), 11, "TEXT_2")
