"""Slides of the fit: the finding, returns, sources of the outcome, the model."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from core import text as fmt
from core.analysis.record.sections import Channel
from core.plan.record.plan_record import PlanRecord
from core.report import content as report_content
from core.report.assumptions import assumptions, prior_columns
from core.report.content import Content
from core.report.deck import claims
from core.report.deck.native_charts import bars, waterfall
from core.report.deck.slide_shapes import (
    Add,
    cards,
    going_on,
    headed,
    headed_on,
    on_slides,
    short,
    table,
    table_slides,
    text_box,
)
from core.report.deck.theme import ACROSS, BOTTOM, GUTTER, LEFT, TOP, Box
from core.report.plan_section import recommended
from core.text.languages.language import say
from core.view.sections.of_fit import sections
from core.view.sections.returns import ChannelRow, ranked
from core.view.sections.section import Note, Section, Table

#: Channels that a waterfall shows by name.
_MOST_STEPS = 9
#: Rows of a table that stands beside the waterfall.
_MOST_BESIDE = 8
#: Of the facts, what is for whoever repeats the fit: the other reports have it.
_SOFTWARE = "Versions"
#: Letters of a name below a column.
_LETTERS = 16
_HIGH = BOTTOM - TOP
#: Inches across of bars beside a table of five columns.
_BARS = 4.0
#: Lines of notes that a slide has room for, and letters of a line across it.
_LINES, _ACROSS_LINE = 24, 150
#: Lines of sentences above a table.
_MOST_LEAD = 4


def front(add: Add, content: Content, plan: PlanRecord | None) -> None:
    """What media brought, headline numbers, the advice, the finding, the verdict."""
    facts = assumptions(content)
    kicker = say(
        "{name} · Media report · {window}, {periods}",
        name=fmt.brief(content.project.name, 60),
        window=facts.window,
        periods=facts.periods,
    )
    slide = add(claims.media_claim(content), kicker)
    cards(slide, report_content.headline(content), TOP)
    parts = [(say("What we found"), [report_content.sentence(content)])]
    if plan is not None:
        claim = recommended(plan, content)
        parts.insert(0, (say("What we recommend"), [f"{claim}."]))
    parts += [(say("Verdict on the fit"), report_content.verdict_lines(content))]
    top = TOP + 1.5
    following = going_on(say("Verdict on the fit")), kicker
    box = Box(LEFT, top, ACROSS, BOTTOM - 0.4 - top)
    headed_on(add, slide, parts, box, following)
    note = say("In brackets: 90 % intervals.")
    text_box(slide, [note], Box(LEFT, BOTTOM - 0.3, 8, 0.3), 11, "TEXT_2")


def returns(add: Add, content: Content) -> None:
    """ROI as bars with intervals, and every number; over as many slides as needed."""
    units = content.units
    key, name, unit, centre = "roi", say("ROI"), units.roi, "mean"
    if not units.is_money:
        key, name, centre = "cpik", units.cost_name, "median"
        unit = units.symbol or say("unit of spend")
    head = name if units.is_money else say("Cost per unit")
    heads = (
        say("Channel"),
        say("Spend"),
        say("Contribution"),
        head,
        say("Marginal ROI"),
    )
    claim, kicker = claims.returns_claim(content), say("What each channel returned")
    for slide, some in on_slides(add, claim, kicker, _rows(content)):
        estimates = [
            (channel.name, estimate)
            for channel, _ in some
            if _is_finite(estimate := getattr(channel, key), centre)
        ]
        if estimates:
            sizes = [estimate[centre] for _, estimate in estimates]
            ends = [
                [estimate[end] for _, estimate in estimates] for end in ("lo", "hi")
            ]
            names = [name for name, _ in estimates]
            title = say(
                "{name}, {unit}: {centre} and 90 % interval",
                name=name,
                unit=unit,
                centre=say(centre),
            )
            box = Box(LEFT, TOP, _BARS, _HIGH)
            bars(slide, title, names, {name: sizes}, box, ends=(ends[0], ends[1]))
        cells = [
            [short(row.name, 22), row.spend]
            + [str(getattr(row, field)) for field in ("contribution", key, "mroi")]
            for _, row in some
        ]
        left = LEFT + _BARS + GUTTER
        table(slide, heads, cells, Box(left, TOP, ACROSS + LEFT - left, _HIGH))


def sources(add: Add, content: Content) -> None:
    """Baseline and channels as a waterfall, shares as a table."""
    in_text = content.units.kpi_in_text
    kicker = say("What made the {outcome}", outcome=in_text)
    pairs = _rows(content)
    pairs.sort(key=lambda pair: -(pair[0].contribution.mean or 0.0))
    channels = [
        [short(row.name), str(row.contribution), str(row.share)] for _, row in pairs
    ]
    heads = (
        say("Channel"),
        say("Contribution"),
        say("Share of {outcome}", outcome=content.units.outcome_in_text),
    )
    beside = len(channels) <= _MOST_BESIDE
    width = 7.0 if beside else ACROSS
    slide = add(claims.sources_claim(content), kicker)
    _made(slide, content, Box(LEFT, TOP, width, _HIGH))
    if beside:
        left = LEFT + width + GUTTER
        table(slide, heads, channels, Box(left, TOP, LEFT + ACROSS - left, _HIGH))
        return
    for other, some in on_slides(add, claims.channels_claim(content), kicker, channels):
        table(other, heads, some, Box(LEFT, TOP, ACROSS, _HIGH))


def others(add: Add, content: Content) -> None:
    """News and what else is said of the fit, each on as many slides as it needs."""
    parts = [*report_content.news(content, "slides"), *sections(content.fit, "slides")]
    for section in parts:
        _section(add, section)


def _section(add: Add, section: Section) -> None:
    """What else is said of the fit; few sentences stand above the table after them."""
    claim, kicker = section.claim or section.title, _appended(section.title)
    following = going_on(claim)
    groups = [list(blocks) for _, blocks in groupby(section.words, key=type)]
    lead: list[str] = []
    for place, blocks in enumerate(groups):
        if isinstance(blocks[0], Table):
            for block in blocks:
                name = fmt.named(kicker, block.title) if block.title else kicker
                table_slides(add, block.claim or claim, name, block, lead)
                claim, lead = claim if block.claim else following, []
        elif place + 1 < len(groups) and _are_few(blocks):
            lead = [note.text for note in blocks]
        else:
            most = _notes_of_a_slide(blocks)
            for slide, some in on_slides(add, claim, kicker, blocks, most):
                parts = [(note.about, [note.text]) for note in some]
                headed(slide, parts, Box(LEFT, TOP, ACROSS, _HIGH), 12)
            claim = following


def _are_few(notes: Sequence[Note]) -> bool:
    """Whether sentences leave room for a table below them."""
    lines = sum(1 + len(note.text) // _ACROSS_LINE for note in notes)
    return lines <= _MOST_LEAD and not any(note.about for note in notes)


def _appended(title: str) -> str:
    """The line above the title of a slide that is looked up, not read."""
    return f"{say('Appendix')} · {title}"


def _notes_of_a_slide(notes: Sequence[Note]) -> int:
    """How many of some notes a slide has room for, whichever they are."""
    lines = max(2.5 + len(note.text) // _ACROSS_LINE for note in notes)
    return max(1, int(_LINES / lines))


def appendix(add: Add, content: Content) -> None:
    """Priors that differ as a table, the others, options and provenance as text."""
    facts = assumptions(content)
    columns = prior_columns()
    del columns["saturation"]  # a slide has room for five
    priors = [
        [short(row.name), *(getattr(row, key) for key in list(columns)[1:])]
        for row in facts.different
    ]
    top, shared = TOP, facts.shared
    kicker, claim = _appended(say("What this rests on")), claims.priors_claim(facts)
    for slide, some in on_slides(add, claim, kicker, priors) if priors else ():
        box = Box(LEFT, top, ACROSS, _HIGH)
        if shared:
            text_box(slide, [shared], box._replace(height=0.6), 12)
            box = box._replace(top=top + 0.7)
        table(slide, list(columns.values()), some, box, texts=range(5))
    slide = add(claims.basis_claim(facts), kicker)
    if shared and not priors:
        text_box(slide, [shared], Box(LEFT, top, ACROSS, 0.6), 12)
        top += 0.75
    width = (ACROSS - 2 * GUTTER) / 3
    for place, (head, part) in enumerate(
        (
            (say("Model"), facts.options),
            (say("Data"), facts.data),
            (say("Fit"), facts.fit),
        )
    ):
        named = part.items()
        lines = [
            fmt.named(label, value)
            for name, (label, value) in named
            if name != _SOFTWARE
        ]
        box = Box(LEFT + place * (width + GUTTER), top, width, BOTTOM - top)
        headed(slide, [(head, lines)], box, 12)


def _made(slide: Any, content: Content, box: Box) -> None:
    """The waterfall; the smallest channels together as its last step."""
    units, outcome = content.units, content.channels["incremental_outcome"]
    means = outcome.mean("draw").values
    names = [str(name) for name in content.channels["channel"].values]
    order = list(np.argsort(-means))
    if len(order) > _MOST_STEPS + 1:
        order = sorted(order, key=lambda i: -abs(means[i]))
        order, rest = order[:_MOST_STEPS], order[_MOST_STEPS:]
        order = sorted(order, key=lambda i: -means[i])
        others = [(fmt.count(len(rest), "other"), float(means[rest].sum()))]
    else:
        others = []
    steps = [(say("Baseline"), float(content.channels["baseline_outcome"].mean()))]
    steps += [(fmt.brief(names[i], _LETTERS), float(means[i])) for i in order] + others
    total = float(content.channels["expected_outcome"].mean())
    sums = np.cumsum([size for _, size in steps])
    title = (
        say("{outcome}, expected", outcome=units.outcome_name)
        if units.is_money
        else say("Expected")
    )
    if sums.min() < 0:  # no column may begin below zero
        lengths = {say("Contribution"): [size for _, size in steps]}
        bars(
            slide, title, [name for name, _ in steps], lengths, box, unit=units.outcome
        )
        return
    waterfall(slide, title, steps, (say("In all"), total), box, units.outcome)


def _rows(content: Content) -> list[tuple[Channel, ChannelRow]]:
    """Channels with their rows of the table of results, the best first."""
    channels = ranked(content.fit.channels, content.units)
    return list(zip(channels, report_content.table(content), strict=True))


def _is_finite(estimate: Mapping[str, Any] | None, centre: str) -> bool:
    ends = [(estimate or {}).get(key) for key in (centre, "lo", "hi")]
    return all(end is not None and np.isfinite(end) for end in ends)
