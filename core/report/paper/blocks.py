"""The report's page as blocks, one after the other: texts, tables, figures, facts."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.charts.still import markup
from core.charts.still.picture import svg
from core.plan.record.plan_record import PlanRecord
from core.report.assumptions import prior_columns
from core.report.content import Content
from core.report.page import page
from core.report.parts import Assumptions, Page
from core.text.languages.language import language, say
from core.view.sections.returns import Cell, ChannelRow, note
from core.view.sections.section import Block as SectionBlock
from core.view.sections.section import Cards, Figure, Section, Table

Block = dict[str, Any]
#: Letters beyond which a name wraps; width of a letter of an interval.
_MOST_LETTERS, _SMALL = 26, 0.9
#: Columns of a table beyond which it is set apart, from the first one on.
_COLUMNS = 9


def document(
    content: Content, plan: PlanRecord | None = None
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What the document says, as plain data, and its pictures by file name.

    Args:
        content: The run.
        plan: A plan to report with it.
    """
    words = page(content, plan)
    pictures = Pictures()
    about = words.assumptions
    verdict = words.verdict
    return {
        "language": language(),
        "document": say("{name}: media report", name=words.project.name),
        "contents": say("Contents"),
        "name": words.project.name,
        "about": say(
            "Media report, {window}, {periods}",
            window=about.window,
            periods=about.periods,
        ),
        "verdict": vars(verdict) | {"title": f"{verdict.title}."},
        "cards": [card_block(card) for card in words.cards],
        "sentence": words.sentence,
        "recommends": say("What we recommend"),
        "recommendation": words.recommendation,
        "sections": _sections(words, pictures),
        "footer": words.footer,
    }, pictures.files


class Pictures:
    """Pictures of figures, each under a name of its own."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def block(self, figure: go.Figure) -> Block:
        """The figure with its title and its note, which the page sets."""
        name = f"figure-{len(self.files) + 1}.svg"
        self.files[name] = svg(figure)
        title = figure.layout.title
        note = title.subtitle.text or ""
        return {
            "kind": "figure",
            "file": name,
            "title": markup.plain(title.text or ""),
            "note": [_piece(piece) for piece in _running(note)],
            "alt": ". ".join(
                part for part in (markup.plain(title.text or ""), markup.plain(note))
            ),
        }


def _running(note: str) -> list[markup.Piece]:
    """The lines of a note as one, since a page has lines of its own."""
    pieces: list[markup.Piece] = []
    for line in markup.lines(note):
        pieces += [*line, markup.Piece(" ")]
    return pieces[:-1]


def _piece(piece: markup.Piece) -> dict[str, Any]:
    return {"text": piece.text, "bold": piece.bold, "colour": piece.colour}


def _sections(words: Page, pictures: Pictures) -> list[dict[str, Any]]:
    figures = words.figures
    returned = [pictures.block(figures["roi"])] if "roi" in figures else []
    returned += _channels(words)
    sources = [pictures.block(figures[name]) for name in ("waterfall", "over-time")]
    more = [pictures.block(each) for each in words.responses]
    more = more or [text_block(words.no_spend)]
    tests = []
    if "experiments" in figures:
        tests = [pictures.block(figures["experiments"])]
        tests += [text_block(text, bold=f"{name}.") for name, text in words.tests]
    frequencies = []
    for one in words.frequencies:
        figure = pictures.block(one.figure) | {"sticky": True}
        frequencies += [figure, note_block(one.text)]

    def drawn(section: Section) -> tuple[str, list[Block]]:
        return section.name, section_blocks(section.blocks, pictures.block)

    sections = [
        *map(drawn, words.news),
        *([] if words.plan is None else [drawn(words.plan)]),
        ("returns", returned),
        *map(drawn, words.sections),
        ("sources", sources),
        ("accuracy", [pictures.block(figures["expected"])]),
        ("responses", more),
        ("tests", tests),
        ("frequency", frequencies),
        ("assumptions", _assumptions(words.assumptions)),
    ]
    blocks, titles = dict(sections), words.titles
    return [{"title": titles[name], "blocks": blocks[name]} for name in titles]


def section_blocks(
    some: Sequence[SectionBlock], as_block: Callable[[go.Figure], Block]
) -> list[Block]:
    """Blocks of a section as blocks of a document.

    Args:
        some: Blocks of a section.
        as_block: Makes a block of a figure.
    """
    blocks: list[Block] = []
    for block in some:
        if isinstance(block, Table):
            blocks += _grid(block)
        elif isinstance(block, Figure):
            blocks.append(as_block(block.draw()))
        elif isinstance(block, Cards):
            blocks.append(
                {"kind": "cards", "cards": list(map(card_block, block.cards))}
            )
        else:
            about = f"{block.about}." if block.about else ""
            if block.weight == "small":
                blocks.append(note_block(f"{about} {block.text}".lstrip()))
            else:
                blocks.append(text_block(block.text, bold=about))
    return blocks


def _channels(words: Page) -> list[Block]:
    heads = [say("Channel"), *(head for head, _ in words.columns)]
    keys = ["name", *(key for _, key in words.columns)]
    return [
        table_block(heads, words.channels, keys, texts=(0,)),
        note_block(note(words.units)),
    ]


def _assumptions(about: Assumptions) -> list[Block]:
    columns = prior_columns()
    groups = [
        (say("Data"), about.data),
        (say("Model"), about.options),
        (say("Fit"), about.fit),
    ]
    # What leads to the table stays with it, and the heading with both.
    priors = [text_block(about.shared) | {"sticky": True}] if about.shared else []
    if about.different:
        heads, keys = tuple(columns.values()), tuple(columns)
        priors.append(table_block(heads, about.different, keys, texts=(0, 1, 2, 4, 5)))
    return [
        *priors,
        {
            "kind": "facts",
            "groups": [
                {
                    "title": title,
                    "rows": list(map(list, facts.values())),
                }
                for title, facts in groups
            ],
        },
    ]


def table_block(
    heads: Sequence[str],
    rows: Sequence[Any],
    keys: Sequence[str],
    *,
    texts: Sequence[int],
) -> Block:
    """A table of rows by their keys.

    Args:
        heads: Titles of the columns.
        rows: What stands in them.
        keys: What of a row each column has.
        texts: Columns that are no numbers.
    """
    cells = [
        [
            _cell(getattr(row, key), "" if i else _colour(row))
            for i, key in enumerate(keys)
        ]
        for row in rows
    ]
    return {
        "kind": "table",
        "title": "",
        "heads": list(heads),
        "texts": list(texts),
        "rows": cells,
        "widths": _widths(heads, cells),
    }


def _widths(
    heads: Sequence[str], rows: Sequence[Sequence[Mapping[str, str]]]
) -> list[float]:
    """How much of the page each column needs, in letters; heads and long names wrap."""
    widths = []
    for place, head in enumerate(heads):
        cells = [row[place] for row in rows]
        word = max(map(len, head.split()), default=1)
        sizes = [max(len(cell["text"]), _SMALL * len(cell["ci"])) for cell in cells]
        most = _MOST_LETTERS if place == 0 else _MOST_LETTERS + 10
        dot = 2 if any(cell["colour"] for cell in cells) else 0
        widths.append(min(max(word, *sizes, 4), most) + dot + 1.5)
    return widths


def _colour(row: Any) -> str:
    """Of the channel's dot; empty where a row has none."""
    return row.colour if isinstance(row, ChannelRow) else ""


def _cell(cell: Any, colour: str) -> dict[str, str]:
    """What is read, its interval below it, and the colour of the channel before it."""
    if isinstance(cell, Cell):
        return {"text": cell.value, "ci": cell.ci, "colour": colour}
    return {"text": str(cell), "ci": "", "colour": colour}


def _grid(table: Table) -> list[Block]:
    """A table of many columns as tables that fit the page, as wide as each other."""
    texts, heads = table.texts, table.heads
    numbers = len(heads) - texts
    step = math.ceil(numbers / max(1, math.ceil(numbers / (_COLUMNS - texts)))) or 1
    blocks: list[Block] = []
    for first in range(texts, len(heads), step):
        chosen = [*range(texts), *range(first, min(first + step, len(heads)))]
        cells = [[_cell(row[i], "") for i in chosen] for row in table.rows]
        blocks.append(
            {
                "kind": "table",
                "title": table.title if first == texts else "",
                "heads": [heads[i] for i in chosen],
                "texts": list(range(texts)),
                "rows": cells,
                "widths": _widths([heads[i] for i in chosen], cells),
            }
        )
    return [*blocks, note_block(table.note)] if table.note else blocks


def card_block(card: Any) -> dict[str, str]:
    """A headline number."""
    return {"label": card.label, "value": card.value, "ci": card.ci}


def text_block(text: str, *, bold: str = "") -> Block:
    """A paragraph, with some words before it in bold."""
    return {"kind": "text", "bold": bold, "text": text}


def note_block(text: str) -> Block:
    """A paragraph in small letters."""
    return {"kind": "note", "text": text}
