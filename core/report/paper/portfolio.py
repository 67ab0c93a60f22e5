"""The plan of a portfolio as a document: one text for a browser and for paper."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from core.plan.record.plan_record import PlanRecord
from core.report.page import FOOTER
from core.report.paper.blocks import (
    Block,
    card_block,
    note_block,
    section_blocks,
    text_block,
)
from core.report.parts import Verdict
from core.report.plan_section import channel_figures
from core.text.languages.language import language, say
from core.text.verdicts import FIT, IN_TEXT, VERDICTS
from core.view import plan_words
from core.view.plan_claim import plan_claim
from core.view.sections import of_plan, plan_tables
from core.view.sections.plan_cards import cards


def portfolio_document(
    plan: PlanRecord, as_block: Callable[[go.Figure], Block]
) -> dict[str, Any]:
    """What the document says, as plain data; see `blocks.document`.

    Args:
        plan: Of a portfolio.
        as_block: Makes a block of a figure.
    """
    units, name = plan.units, title(plan)
    names = [line.name for line in plan.channels]
    figures = [as_block(figure) for figure in channel_figures(plan, units, names)]
    channels, projects = (
        section_blocks([section], as_block)
        for section in (plan_tables.channels(plan), plan_tables.projects(plan))
    )
    sections = [
        (say("The plan"), [*map(text_block, of_plan.answer(plan)), *figures[1:]]),
        (say("What each project spends and gains"), projects),
        (say("What each channel spends"), [*figures[:1], *channels]),
        (
            say("What would change our mind"),
            [*map(text_block, of_plan.notes(plan))],
        ),
    ]
    if plan.notes:
        sections.append((say("Notes"), [note_block(plan.notes)]))
    return {
        "language": language(),
        "document": say("{name}: media plan", name=name),
        "contents": say("Contents"),
        "name": name,
        "about": plan_words.horizon(plan),
        "verdict": vars(verdict(plan)),
        "cards": [card_block(card) for card in cards(plan)],
        "sentence": "",
        "recommends": say("What we recommend"),
        "recommendation": plan_claim(plan, units),
        "sections": [{"title": head, "blocks": blocks} for head, blocks in sections],
        "footer": say(FOOTER),
    }


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
    title = f"{say(VERDICTS[word]) if word in VERDICTS else word.capitalize()}."
    return Verdict(word, title, say(FIT.get(word, "")), reasons, notes=[])
