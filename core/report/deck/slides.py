"""The report as slides for a board: claims as titles, native charts that can be edited.

The numbers are those of the HTML. First what was found, then the plan, what it hangs
on, the evidence by channel, and the model behind it as an appendix.
"""

import io
from typing import Any

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report.content import Content
from core.report.deck import claims, fit_slides, plan_slides
from core.report.deck.plan_slides import channel_slides, front
from core.report.deck.slide_shapes import headed_slides, table_slides
from core.report.deck.theme import add_slide, presentation
from core.report.paper.portfolio import title, verdict
from core.text.languages.language import say, spoken_in
from core.view import plan_words
from core.view.plan_claim import plan_claim
from core.view.sections import of_plan, plan_tables


def slides(content: Content, plan: PlanRecord | None = None) -> bytes:
    """The report as a PPTX file."""
    with fmt.written_in(content.locale), spoken_in(content.language):
        return _slides(content, plan)


def _slides(content: Content, plan: PlanRecord | None) -> bytes:
    deck = presentation(_footer(content))

    def add(title: str, kicker: str) -> Any:
        return add_slide(deck, title, kicker)

    fit_slides.front(add, content, plan)
    if plan is not None:
        plan_slides.plan_slides(add, plan, content)
    plan_slides.risks(add, plan, content)
    fit_slides.returns(add, content)
    fit_slides.sources(add, content)
    fit_slides.others(add, content)
    fit_slides.appendix(add, content)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def _footer(content: Content) -> str:
    """The project and the day of its fit."""
    when, fitted = content.about.moment, ""
    if when is not None:
        fitted = " · " + say("fit of {day}", day=fmt.date(when.date()))
    return say(
        "{name}{fitted} · Mixwright",
        name=fmt.brief(content.project.name, 70),
        fitted=fitted,
    )


def portfolio_slides(plan: PlanRecord) -> bytes:
    """The plan of a portfolio as a PPTX file; it says what the document does."""
    name = title(plan)
    deck = presentation(say("{name}{fitted} · Mixwright", name=name, fitted=""))

    def add(claim: str, kicker: str) -> Any:
        return add_slide(deck, claim, kicker)

    about = f"{name} · {plan_words.horizon(plan)}"
    front(add(plan_claim(plan, plan.units), about), plan, notes=plan.notes)
    claim, rows = claims.projects_claim(plan), plan_tables.projects(plan)
    kicker = fmt.named(about, say("projects"))
    table_slides(add, claim, kicker, rows)
    channel_slides(add, plan, about)
    fits = verdict(plan)
    parts = [
        (say("The fits"), [f"{fits.title}. {fits.advice}", *fits.reasons]),
        *of_plan.under_heads(plan),
    ]
    kicker = f"{say('Risks and what would change our mind')} · {about}"
    headed_slides(add, claims.risks_claim(plan.verdict, plan), kicker, parts)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()
