"""The document on paper: pictures for its figures, tables as wide as a page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.charts.still import markup
from core.charts.still.picture import svg
from core.plan.record.plan_record import PlanRecord
from core.report import document as page
from core.report.content import Content
from core.report.document import Block

#: Letters beyond which a name wraps; width of a letter of an interval.
_MOST_LETTERS, _SMALL = 26, 0.9
#: Columns of a table beyond which it is set apart, from the first one on.
_COLUMNS = 9


def document(
    content: Content, plan: PlanRecord | None = None
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What the report says, as plain data, and its pictures by file name.

    Args:
        content: The run.
        plan: A plan to report with it.
    """
    pictures = Pictures()
    return on_paper(page.document(content, plan, pictures.block)), pictures.files


def on_paper(report: dict[str, Any]) -> dict[str, Any]:
    """A document whose tables fit the page."""
    sections = [
        part | {"blocks": [own for block in part["blocks"] for own in _fitting(block)]}
        for part in report["sections"]
    ]
    return report | {"sections": sections}


class Pictures:
    """Pictures of figures, each under a name of its own."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def block(self, _: str, figure: go.Figure) -> Block:
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


def _fitting(block: Block) -> list[Block]:
    """A table of many columns as tables that fit the page, as wide as each other."""
    if block["kind"] != "table":
        return [block]
    texts, heads = block["texts"], block["heads"]
    named = block["named"]
    numbers = len(heads) - named
    step = math.ceil(numbers / max(1, math.ceil(numbers / (_COLUMNS - named)))) or 1
    parts: list[Block] = []
    for first in range(named, len(heads), step):
        chosen = [*range(named), *range(first, min(first + step, len(heads)))]
        cells = [[row[i] for i in chosen] for row in block["rows"]]
        shown = [heads[i] for i in chosen]
        parts.append(
            block
            | {
                "title": block["title"] if first == named else "",
                "heads": shown,
                "texts": [at for at, i in enumerate(chosen) if i in texts],
                "rows": cells,
                "widths": _widths(shown, cells),
            }
        )
    return parts


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
