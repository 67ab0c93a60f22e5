"""The plan of a portfolio as a document: one text for a browser and for paper."""

from collections.abc import Iterator
from typing import Any

from core.plan.record.plan_record import PlanRecord
from core.report.content import Verdict
from core.report.document import (
    Draw,
    Part,
    framed,
    note_block,
    section_blocks,
    text_block,
)
from core.report.plan_section import channel_figures
from core.text.languages.language import say
from core.text.verdicts import FIT, IN_TEXT, VERDICTS
from core.view import plan_words
from core.view.plan_claim import plan_claim
from core.view.sections import of_plan, plan_tables
from core.view.sections.plan_cards import cards


def portfolio_document(plan: PlanRecord, draw: Draw) -> dict[str, Any]:
    """What the document says.

    Args:
        plan: Of a portfolio.
        draw: Makes a block of a figure.
    """
    name = title(plan)
    return framed(
        say("{name}: media plan", name=name),
        name,
        about=plan_words.horizon(plan),
        verdict=verdict(plan),
        cards=cards(plan),
        recommendation=plan_claim(plan, plan.units),
        parts=_parts(plan, draw),
    )


def _parts(plan: PlanRecord, draw: Draw) -> Iterator[Part]:
    names = [line.name for line in plan.channels]
    spend, *gains = (
        draw(f"plan-{i}", each)
        for i, each in enumerate(channel_figures(plan, plan.units, names))
    )
    channels, projects = (
        section_blocks([table], draw, "")
        for table in (plan_tables.channels(plan), plan_tables.projects(plan))
    )
    answer = map(text_block, of_plan.answer(plan))
    yield "plan", say("The plan"), [*answer, *gains]
    yield "projects", say("What each project spends and gains"), projects
    yield "channels", say("What each channel spends"), [spend, *channels]
    notes = list(map(text_block, of_plan.notes(plan)))
    yield "risks", say("What would change our mind"), notes
    if plan.notes:
        yield "notes", say("Notes"), [note_block(plan.notes)]


def title(plan: PlanRecord) -> str:
    """The portfolio's name, or what it is."""
    return plan.name or say("Portfolio")


def verdict(plan: PlanRecord) -> Verdict:
    """The worst verdict of the fits, with each project's own."""
    word = plan.verdict
    reasons = [
        say("{project}: {verdict}", project=part.name, verdict=say(part.verdict))
        for part in plan.projects
        if part.verdict in IN_TEXT
    ]
    title = say(VERDICTS[word]) if word in VERDICTS else word.capitalize()
    return Verdict(word, title, say(FIT.get(word, "")), reasons, notes=[])
