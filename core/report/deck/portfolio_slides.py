"""The plan of a portfolio as slides: its claim, projects, channels and doubts."""

import io
from typing import Any

from core.plan.record.plan_record import PlanRecord
from core.report.deck import claims
from core.report.deck.plan_slides import channel_slides, front
from core.report.deck.slide_shapes import headed_slides, table_slides
from core.report.deck.theme import add_slide, presentation
from core.report.paper.portfolio import title, verdict
from core.text.languages.language import say
from core.view import plan_words
from core.view.plan_claim import plan_claim
from core.view.sections import of_plan, plan_tables


def portfolio_slides(plan: PlanRecord) -> bytes:
    """The plan of a portfolio as a PPTX file; it says what the document does."""
    name = title(plan)
    deck = presentation(say("{name}{fitted} · Mixwright", name=name, fitted=""))

    def add(claim: str, kicker: str) -> Any:
        return add_slide(deck, claim, kicker)

    about = f"{name} · {plan_words.horizon(plan)}"
    front(add(plan_claim(plan, plan.units), about), plan, notes=plan.notes)
    claim, rows = claims.projects_claim(plan), plan_tables.projects(plan)
    kicker = f"{about}: {say('projects')}"
    table_slides(add, claim, kicker, rows)
    channel_slides(add, plan, about)
    fits = verdict(plan)
    parts = [
        (say("The fits"), [f"{fits.title} {fits.advice}", *fits.reasons]),
        *of_plan.under_heads(plan),
    ]
    kicker = f"{say('Risks and what would change our mind')} · {about}"
    headed_slides(add, claims.risks_claim(plan.verdict, plan), kicker, parts)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()
