"""The plan of a portfolio as slides: its claim, projects, channels and doubts."""

import io
from dataclasses import replace
from typing import Any

from core.plan.record.plan_record import PlanRecord
from core.report.deck import claims
from core.report.deck.plan_slides import channel_slides, doubts, filled, front
from core.report.deck.slide_shapes import paged, short, table
from core.report.deck.theme import (
    ACROSS,
    BOTTOM,
    LEFT,
    TOP,
    Box,
    add_slide,
    presentation,
)
from core.report.paper.portfolio import project_heads, project_rows, title, verdict
from core.report.plan_section import of_channels
from core.text.languages.language import say
from core.view import plan_words
from core.view.plan_claim import plan_claim, spend_claim


def portfolio_slides(plan: PlanRecord) -> bytes:
    """The plan of a portfolio as a PPTX file; it says what the document does."""
    name, units = title(plan), plan.units
    deck = presentation(say("{name}{fitted} · Mixwright", name=name, fitted=""))

    def add(claim: str, kicker: str) -> Any:
        return add_slide(deck, claim, kicker)

    about = f"{name} · {plan_words.horizon(plan)}"
    shown = replace(of_channels(plan, units), name=about)
    front(add(plan_claim(plan, units), about), plan, shown, units)
    head = say("What each project spends and gains")
    rows = [[short(row.name), *row[1:]] for row in project_rows(plan)]
    for some, said in paged(rows):
        slide = add(head, f"{about}{said}")
        table(slide, project_heads(plan), some, Box(LEFT, TOP, ACROSS, BOTTOM - TOP))
    channel_slides(add, shown, spend_claim(plan, units))
    fits = verdict(plan)
    parts = [
        (say("The fits"), [f"{fits.title} {fits.advice}", *fits.reasons]),
        *doubts(plan, units),
    ]
    kicker = say("Risks and what would change our mind")
    filled(add(claims.risks_claim(plan.verdict, plan), kicker), parts)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()
