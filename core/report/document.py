"""The report as a document: blocks in sections, for a browser and for paper alike.

A block is plain data but for figures, which are what a medium makes of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.charts import channels, contribution, curves, frequency
from core.charts.drawing import style
from core.charts.fits import accuracy, experiment
from core.errors import MMMError
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import open_run
from core.project.history.annotations import annotations
from core.project.lift_tests.tested_fits import what_tests_did
from core.report import content as report_content
from core.report.assumptions import Assumptions, assumptions, prior_columns
from core.report.content import Content, Verdict
from core.report.plan_section import recommended, section
from core.text.languages.language import language, marked, say
from core.text.lift_tests import what_they_did
from core.text.verdicts import NO_SPEND
from core.view.sections.headline import Headline
from core.view.sections.of_fit import sections
from core.view.sections.returns import Cell, ChannelRow, columns, note
from core.view.sections.section import Block as SectionBlock
from core.view.sections.section import Cards, Figure, Table

Block = dict[str, Any]
#: What a medium makes of a figure, by the figure's name.
Draw = Callable[[str, go.Figure], Block]
#: A section: its name in addresses, its title, what it says.
Part = tuple[str, str, list[Block]]
#: Response curves of a figure: five rows of three.
_CURVES = 15
#: At the end of every report that is read as a page.
_FOOTER = marked(
    "Made with Mixwright. Numbers are estimates of a Bayesian "
    "marketing-mix model; the interval says how sure they are."
)


def document(content: Content, plan: PlanRecord | None, draw: Draw) -> dict[str, Any]:
    """What the report says.

    Args:
        content: The run.
        plan: A plan to report with it.
        draw: Makes a block of a figure.
    """
    about, name = assumptions(content), content.project.name
    return framed(
        say("{name}: media report", name=name),
        name,
        about=say(
            "Media report, {window}, {periods}",
            window=about.window,
            periods=about.periods,
        ),
        verdict=report_content.verdict(content),
        cards=report_content.headline(content),
        sentence=report_content.sentence(content),
        recommendation="" if plan is None else recommended(plan, content),
        parts=_parts(content, plan, about, draw),
    )


def framed(  # noqa: PLR0913
    title: str,
    name: str,
    *,
    about: str,
    verdict: Verdict,
    cards: Sequence[Headline],
    recommendation: str,
    parts: Iterator[Part] | Sequence[Part],
    sentence: str = "",
) -> dict[str, Any]:
    """A document of its parts.

    Args:
        title: Of the file.
        name: Of what it is about.
        about: The line below the name.
        verdict: On the fit.
        cards: The numbers at the top.
        recommendation: What the plan says; empty without one.
        parts: Its sections.
        sentence: The finding; may be empty.
    """
    return {
        "language": language(),
        "document": title,
        "contents": say("Contents"),
        "name": name,
        "about": about,
        "verdict": vars(verdict) | {"title": f"{verdict.title}."},
        "cards": [_card(card) for card in cards],
        "sentence": sentence,
        "recommends": say("What we recommend"),
        "recommendation": recommendation,
        "sections": [
            {"name": name, "title": title, "blocks": blocks}
            for name, title, blocks in parts
        ],
        "footer": say(_FOOTER),
    }


def _parts(
    content: Content, plan: PlanRecord | None, about: Assumptions, draw: Draw
) -> Iterator[Part]:
    """Everything after the summary, in order."""
    drawn = {name: draw(name, each) for name, each in figures(content).items()}
    first = report_content.news(content, "page")
    first += [] if plan is None else [section(plan, content, "page")]
    for each in first:
        yield each.name, each.title, section_blocks(each.blocks, draw, each.name)
    yield (
        "returns",
        say("What each channel returned"),
        [*([drawn["roi"]] if "roi" in drawn else []), *_returns(content)],
    )
    for each in sections(content.fit, "page"):
        yield each.name, each.title, section_blocks(each.blocks, draw, each.name)
    yield (
        "sources",
        say("Baseline and channels"),
        [drawn["waterfall"], drawn["over-time"]],
    )
    yield "accuracy", say("How well the model follows the data"), [drawn["expected"]]
    responses = [
        draw(f"responses-{i}", each) for i, each in enumerate(_responses(content))
    ]
    yield (
        "responses",
        say("What more or less spend would bring"),
        responses or [text_block(say(NO_SPEND))],
    )
    if "experiments" in drawn:
        tests = [text_block(text, bold=f"{name}.") for name, text in _tests(content)]
        yield "tests", say("What lift tests say"), [drawn["experiments"], *tests]
    if blocks := list(_frequencies(content, draw)):
        yield "frequency", say("How often to reach people"), blocks
    yield "assumptions", say("What this rests on"), _assumptions(about)


def figures(content: Content) -> dict[str, go.Figure]:
    """The figures of the report, by name."""
    notes = annotations(content.run.resolve().parents[1])
    figures = {
        "waterfall": contribution.waterfall(content.channels),
        "over-time": contribution.over_time(content.weeks, notes=notes),
        "expected": accuracy.expected(
            content.weeks, accuracy=content.fit.accuracy, notes=notes
        ),
    }
    if content.curves.channel.size:  # media without spend has no return
        figures["roi"] = channels.roi(content.channels, prior=content.priors)
    if tests := content.fit.experiments:
        figures["experiments"] = experiment.results(
            tests, units=content.units, order=content.names
        )
    return figures


def _responses(content: Content) -> list[go.Figure]:
    """Response curves, as many in a figure as a page of paper has room for."""
    names = [str(name) for name in content.curves["channel"].values]
    return [
        curves.responses(content.curves, names[first : first + _CURVES])
        for first in range(0, len(names), _CURVES)
    ]


def _tests(content: Content) -> list[tuple[str, str]]:
    """Each lift test's name and what it did; none where the run's project is gone."""
    try:
        did = what_tests_did(open_run(content.run))
    except MMMError:
        return []
    return what_they_did(did, content.units)


def _frequencies(content: Content, draw: Draw) -> Iterator[Block]:
    """Figure and sentence of every channel with reach and frequency."""
    view = content.frequency
    if view is None:
        return
    colours = style.channel_colours(content.names)
    for i, name in enumerate(str(n) for n in view["channel"].values):
        figure = frequency.by_frequency(view, name, colour=colours.get(name))
        yield draw(f"frequency-{i}", figure) | {"sticky": True}
        yield note_block(frequency.sentence(view, name))


def section_blocks(some: Sequence[SectionBlock], draw: Draw, name: str) -> list[Block]:
    """Blocks of a section as blocks of a document.

    Args:
        some: Blocks of a section.
        draw: Makes a block of a figure.
        name: Of the section; its figures are named after it.
    """
    blocks: list[Block] = []
    n_figures = 0
    for block in some:
        if isinstance(block, Table):
            blocks.append(_grid(block))
            blocks += [note_block(block.note)] if block.note else []
        elif isinstance(block, Figure):
            blocks.append(draw(f"{name}-{n_figures}", block.draw()))
            n_figures += 1
        elif isinstance(block, Cards):
            blocks.append({"kind": "cards", "cards": list(map(_card, block.cards))})
        else:
            about = f"{block.about}." if block.about else ""
            as_block = note_block if block.weight == "small" else text_block
            blocks.append(as_block(block.text, bold=about))
    return blocks


def _returns(content: Content) -> list[Block]:
    """What each channel returned, and how to read it."""
    rows = report_content.table(content)
    named = [(say("Channel"), "name"), *columns(rows, content.units)]
    return [
        _table(dict(named), rows, texts=(0,)),
        note_block(note(content.units)),
    ]


def _assumptions(about: Assumptions) -> list[Block]:
    groups = {say("Data"): about.data, say("Model"): about.options}
    groups |= {say("Fit"): about.fit}
    # What leads to the table stays with it, and the heading with both.
    priors = [text_block(about.shared) | {"sticky": True}] if about.shared else []
    if about.different:
        heads = {head: key for key, head in prior_columns().items()}
        priors.append(_table(heads, about.different, texts=(0, 1, 2, 4, 5)))
    facts = [
        {"title": title, "rows": list(map(list, facts.values()))}
        for title, facts in groups.items()
    ]
    return [*priors, {"kind": "facts", "groups": facts}]


def _table(
    columns: Mapping[str, str], rows: Sequence[Any], *, texts: Sequence[int]
) -> Block:
    """A table of rows by their keys.

    Args:
        columns: What of a row each column has, by its head.
        rows: What stands in them.
        texts: Columns that are no numbers.
    """
    cells = [
        [
            _cell(getattr(row, key), "" if i else _colour(row))
            for i, key in enumerate(columns.values())
        ]
        for row in rows
    ]
    return {
        "kind": "table",
        "title": "",
        "heads": list(columns),
        "named": 1,
        "texts": list(texts),
        "rows": cells,
        "is_grid": False,
    }


def _colour(row: Any) -> str:
    """Of the channel's dot; empty where a row has none."""
    return row.colour if isinstance(row, ChannelRow) else ""


def _cell(cell: Any, colour: str = "") -> dict[str, str]:
    """What is read, its interval, and the colour of the channel before it."""
    if isinstance(cell, Cell):
        return {"text": cell.value, "ci": cell.ci, "colour": colour}
    return {"text": str(cell), "ci": "", "colour": colour}


def _grid(table: Table) -> Block:
    """A table of a section."""
    return {
        "kind": "table",
        "title": table.title,
        "heads": list(table.heads),
        "named": table.texts,
        "texts": list(range(table.texts)),
        "rows": [list(map(_cell, row)) for row in table.rows],
        "is_grid": True,
    }


def _card(card: Headline) -> dict[str, str]:
    """A headline number."""
    return {"label": card.label, "value": card.value, "ci": card.ci}


def text_block(text: str, *, bold: str = "") -> Block:
    """A paragraph, with some words before it in bold."""
    return {"kind": "text", "bold": bold, "text": text}


def note_block(text: str, *, bold: str = "") -> Block:
    """The same in small letters."""
    return text_block(text, bold=bold) | {"kind": "note"}
