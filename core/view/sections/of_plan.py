"""What every medium says of a plan: the advice, its numbers, its tables, its notes."""

from collections.abc import Sequence

from core import text as fmt
from core.plan.frontier import Point
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import say
from core.view import beside_words, plan_words
from core.view.advice import advice_lines
from core.view.break_even import break_even
from core.view.origin import origin
from core.view.sections.funnel_words import elsewhere
from core.view.sections.plan_cards import cards
from core.view.sections.plan_tables import tables
from core.view.sections.section import Cards, Figure, Medium, Note, Section
from core.view.weeks.week_limits import week_limits


def section(
    plan: PlanRecord,
    medium: Medium,
    *,
    figures: Sequence[Figure] = (),
    points: Sequence[Point] = (),
    first: str = "",
    more: Sequence[str] = (),
) -> Section:
    """A plan, from its advice to its notes.

    Args:
        plan: The plan.
        medium: Where it is drawn. A workbook has the tables in sheets of their own.
        figures: Of the plan.
        points: The best plan at other budgets; may be empty.
        first: What stands before all else; may be empty.
        more: Last notes: where it comes from, what was written about it.
    """
    last = [
        say("For {horizon}.", horizon=plan_words.horizon(plan)),
        _size(plan),
        *notes(plan),
        *more,
    ]
    blocks = [
        *[Note(line) for line in [first, *answer(plan)] if line],
        Cards(cards(plan)),
        *figures,
        *(tables(plan, points) if medium != "workbook" else ()),
        *[Note(line, weight="small") for line in last if line],
    ]
    return Section("plan", plan.title, blocks)


def topics(plan: PlanRecord) -> list[Note]:
    """All that is said of a plan, the answer first, each line with what it is about.

    Lines of the answer weigh more than what is to be known with it.
    """
    units = plan.units
    advice, budget, test = say("The advice"), say("The budget"), say("What to test")
    comparison, extrapolation = say("The comparison"), say("Beyond what was seen")
    timings = [
        (comparison, f"{fmt.named(name, plan_words.gained(gain, units))}.")
        for name, gain in beside_words.timings(plan)
    ]
    first = [
        *((advice, line) for line in advice_lines(plan)),
        (advice, plan_words.nearness(plan)),
        (budget, plan_words.found_for(plan)),
        (budget, break_even(plan, units)),
    ]
    then = [
        (advice, plan_words.aim(plan)),
        (comparison, beside_words.against_what_ran(plan, units)),
        (budget, elsewhere(plan, units)),
        (say("The limits"), week_limits(plan)),
        (advice, plan_words.robustness(plan)),
        (advice, beside_words.unseen(plan)),
        (test, plan_words.lift_test(plan, units)),
        (say("Another split"), beside_words.other_split(plan, units)),
        (comparison, beside_words.in_its_weeks(plan, units)),
        *timings,
        (test, plan_words.tests(plan)),
        (extrapolation, plan_words.idle(plan)),
        (extrapolation, plan_words.beyond(plan)),
    ]
    return [
        *(Note(line, about) for about, line in first if line),
        *(Note(line, about, weight="small") for about, line in then if line),
    ]


def answer(plan: PlanRecord) -> list[str]:
    """What to do, how near the best plan that is, and what there is to the budget."""
    return [note.text for note in topics(plan) if note.weight != "small"]


def notes(plan: PlanRecord) -> list[str]:
    """What is to be known of a plan, in the order in which it is read."""
    return [note.text for note in topics(plan) if note.weight == "small"]


def under_heads(plan: PlanRecord) -> list[tuple[str, list[str]]]:
    """The same with the answer, by what it is about."""
    heads: dict[str, list[str]] = {}
    for note in topics(plan):
        heads.setdefault(note.about, []).append(note.text)
    return list(heads.items())


def in_sentences(plan: PlanRecord) -> list[str]:
    """The answer, what is to be known, and the fit that it comes from."""
    return [line for line in [*answer(plan), *notes(plan), origin(plan)] if line]


def _size(plan: PlanRecord) -> str:
    """What a plan of geos is over; a plan of weeks says its weeks anyway."""
    if plan.over != "geos":
        return ""
    return say(
        "Over {channels} channels and {geos} geos.",
        channels=len(plan.channels),
        geos=len(plan.geos),
    )
