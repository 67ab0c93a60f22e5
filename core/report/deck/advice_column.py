"""What a plan advises, in a column beside the chart of its first slide."""

from typing import Any

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report.deck.slide_shapes import headed_within
from core.report.deck.theme import ACROSS, BOTTOM, GUTTER, LEFT, TOP, Box
from core.text.languages.language import say
from core.view import plan_words
from core.view.advice import advice_lines

#: Below the cards, and how wide the chart is, inches.
_BELOW, _CHART = TOP + 1.45, 7.6
#: Letters of notes that somebody wrote.
_MOST_NOTES = 400


def advice_column(
    slide: Any, plan: PlanRecord, origin: str, notes: str, is_old: bool
) -> Box:
    """Write the column; gives the room of the chart beside it.

    Args:
        slide: Where to.
        plan: The plan.
        origin: Where it comes from; may be empty.
        notes: What was written about it; may be empty.
        is_old: Whether the newest fit advises otherwise.
    """
    head = say("What its own fit advised") if is_old else say("What to do")
    parts = [(head, advice_lines(plan))]
    more = {
        say("How good it could be"): plan_words.nearness(plan),
        say("Where it comes from"): origin,
        say("Notes"): fmt.brief(notes, _MOST_NOTES),
    }
    parts += [(head, [text]) for head, text in more.items() if text]
    left, high = LEFT + _CHART + GUTTER, BOTTOM - _BELOW
    headed_within(slide, parts, Box(left, _BELOW, LEFT + ACROSS - left, high))
    return Box(LEFT, _BELOW, _CHART, high)
