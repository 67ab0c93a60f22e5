"""What every medium says of a plan: the advice, its numbers, its tables, its notes."""

from collections.abc import Sequence

from core.plan.frontier import Point
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import say
from core.view import beside_words, plan_words
from core.view.advice import advice_lines
from core.view.break_even import break_even
from core.view.funnel_words import elsewhere
from core.view.origin import origin
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
    more: Sequence[str] = (),
) -> Section:
    """A plan, from its advice to its notes.

    Args:
        plan: The plan.
        medium: Where it is drawn. A workbook has the tables in sheets of their own.
        figures: Of the plan.
        points: The best plan at other budgets; may be empty.
        more: Last notes: where it comes from, what was written about it.
    """
    last = [
        say("For {horizon}.", horizon=plan_words.horizon(plan)),
        _size(plan),
        *notes(plan),
        plan_words.beyond(plan),
        *more,
    ]
    blocks = [
        *[Note(line) for line in answer(plan)],
        Cards(cards(plan)),
        *figures,
        *(tables(plan, points) if medium != "workbook" else ()),
        *[Note(line, weight="small") for line in last if line],
    ]
    return Section("plan", plan.title, blocks)


def answer(plan: PlanRecord) -> list[str]:
    """What to do, how near the best plan that is, and what there is to the budget."""
    lines = [
        *advice_lines(plan),
        plan_words.nearness(plan),
        plan_words.found_for(plan),
        break_even(plan, plan.units),
    ]
    return [line for line in lines if line]


def notes(plan: PlanRecord) -> list[str]:
    """What is to be known of a plan, in the order in which it is read."""
    units = plan.units
    lines = [
        plan_words.aim(plan),
        beside_words.against_what_ran(plan, units),
        elsewhere(plan, units),
        week_limits(plan),
        plan_words.robustness(plan),
        plan_words.lift_test(plan, units),
        beside_words.other_split(plan, units),
        beside_words.in_its_weeks(plan, units),
        *(
            f"{name}: {plan_words.gained(gain, units)}."
            for name, gain in beside_words.timings(plan)
        ),
        plan_words.tests(plan),
        plan_words.idle(plan),
    ]
    return [line for line in lines if line]


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
