"""The plan of a portfolio as a document: one text for a browser and for paper."""

from collections.abc import Callable
from typing import Any, NamedTuple

import plotly.graph_objects as go

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report.page import FOOTER
from core.report.paper.blocks import (
    Block,
    card_block,
    note_block,
    table_block,
    text_block,
)
from core.report.plan_numbers import cards
from core.report.plan_section import channel_figures, channel_rows
from core.text.languages.language import language, say
from core.text.verdicts import FIT, IN_TEXT, VERDICTS
from core.view import beside_words, plan_words
from core.view.advice import advice_lines, compared_with, ran_heading
from core.view.funnel_words import elsewhere
from core.view.plan_claim import plan_claim


class FitsVerdict(NamedTuple):
    """The worst verdict of the fits, with each project's own.

    Attributes:
        word: `trustworthy`, `doubtful` or another verdict; empty where unknown.
        title: The verdict as a sentence.
        advice: What it means.
        reasons: A line per project.
        notes: None here.
    """

    word: str
    title: str
    advice: str
    reasons: list[str]
    notes: tuple[str, ...] = ()


def portfolio_document(
    plan: PlanRecord, drawn: Callable[[go.Figure], Block]
) -> dict[str, Any]:
    """What the document says, as plain data; see `blocks.document`.

    Args:
        plan: Of a portfolio.
        drawn: Makes a block of a figure.
    """
    units, name = plan.units, title(plan)
    names = [line.name for line in plan.channels]
    figures = [drawn(figure) for figure in channel_figures(plan, units, names)]
    heads = (
        say("Channel"),
        ran_heading(plan),
        say("Planned"),
        say("Change"),
        say("Limits"),
        say("Direction"),
    )
    keys = ("name", "current", "planned", "change", "limits", "direction")
    channels = table_block(heads, channel_rows(plan, units), keys, texts=(0, 5))
    lines = [*advice_lines(plan), plan_words.nearness(plan)]
    sections = [
        (say("The plan"), [text_block(line) for line in lines if line] + figures[1:]),
        (say("What each project spends and gains"), [_projects_block(plan)]),
        (say("What each channel spends"), [*figures[:1], channels]),
        (say("What would change our mind"), [text_block(x) for x in doubts(plan)]),
    ]
    if plan.notes:
        sections.append((say("Notes"), [note_block(plan.notes)]))
    return {
        "language": language(),
        "document": say("{name}: media plan", name=name),
        "contents": say("Contents"),
        "name": name,
        "about": plan_words.horizon(plan),
        "verdict": verdict(plan)._asdict(),
        "cards": [card_block(card) for card in cards(plan, units)],
        "sentence": "",
        "recommends": say("What we recommend"),
        "recommendation": plan_claim(plan, units),
        "sections": [{"title": head, "blocks": blocks} for head, blocks in sections],
        "footer": say(FOOTER),
    }


def title(plan: PlanRecord) -> str:
    """The portfolio's name, or what it is."""
    return plan.name or say("Portfolio")


def verdict(plan: PlanRecord) -> FitsVerdict:
    """The worst verdict of the fits, with each project's own."""
    word = plan.verdict
    reasons = [
        say("{project}: {verdict}", project=part.name, verdict=say(part.verdict))
        for part in plan.projects
        if part.verdict in IN_TEXT
    ]
    title = f"{say(VERDICTS[word]) if word in VERDICTS else word.capitalize()}."
    return FitsVerdict(word, title, say(FIT.get(word, "")), reasons)


class ProjectRow(NamedTuple):
    """What of the plan is one project's, in words."""

    name: str
    current: str
    planned: str
    change: str
    gain: str


def project_heads(plan: PlanRecord) -> list[str]:
    """Titles over the columns of `project_rows`."""
    return [
        say("Project"),
        ran_heading(plan),
        say("Planned"),
        say("Change"),
        say("Gain over {over}", over=compared_with(plan)),
    ]


def project_rows(plan: PlanRecord) -> list[ProjectRow]:
    """What of the plan is each project's, in the order of the portfolio."""
    units = plan.units
    return [
        ProjectRow(
            name=part.name,
            current=fmt.money(part.current, units.currency),
            planned=fmt.money(part.planned, units.currency),
            change=plan_words.project_change(part),
            gain=units.estimate(part.gain, signed=True),
        )
        for part in plan.projects
    ]


def _projects_block(plan: PlanRecord) -> Block:
    rows = project_rows(plan)
    return table_block(project_heads(plan), rows, ProjectRow._fields, texts=(0,))


def doubts(plan: PlanRecord) -> list[str]:
    """What turns the advice, what to test, and what the budget also pays for."""
    units = plan.units
    beyond = [line.name for line in plan.channels if line.beyond_seen]
    seen = ""
    if beyond:
        seen = say(
            "{names}: the plan spends more in a period than the data ever saw.",
            names=fmt.listed(beyond, limit=6),
        )
    lines = (
        plan_words.robustness(plan),
        plan_words.lift_test(plan, units),
        beside_words.other_split(plan, units),
        elsewhere(plan, units),
        seen,
        beside_words.against_what_ran(plan, units),
    )
    return [line for line in lines if line]
