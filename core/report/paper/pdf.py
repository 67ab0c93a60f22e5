"""The PDF report: set by Typst, which is optional."""

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from core import text as fmt
from core import to_install
from core.charts.still import markup
from core.charts.still.picture import FONTS, svg
from core.errors import WorkspaceError
from core.plan.record.plan_record import PlanRecord
from core.report import document as page
from core.report.content import Content
from core.report.document import Block
from core.report.paper.portfolio import portfolio_document
from core.text.languages.language import spoken_in

#: Letters beyond which a name wraps; width of a letter of an interval.
_MOST_LETTERS, _SMALL = 26, 0.9
#: Columns of a table beyond which it is set apart, from the first one on.
_COLUMNS = 9
#: For readers who hear a document.
_STANDARD = "ua-1"
#: What Typst says of a sign that no font has.
_NO_GLYPH = "could not be displayed with font"
_TEMPLATE = Path(__file__).parents[1] / "templates" / "report.typ"


def pdf(content: Content, plan: PlanRecord | None = None) -> bytes:
    """The report as a tagged PDF (PDF/UA-1): contents, page numbers, charts as vectors.

    Raises:
        WorkspaceError: Typst or Matplotlib is not installed.
    """
    _typst()
    with fmt.written_in(content.locale), spoken_in(content.language):
        report, pictures = document(content, plan)
    return set_in_type(report, pictures)


def portfolio_pdf(plan: PlanRecord) -> bytes:
    """The plan of a portfolio as a document for print.

    Raises:
        WorkspaceError: Typst or Matplotlib is not installed.
    """
    _typst()
    pictures = Pictures()
    report = on_paper(portfolio_document(plan, pictures.block))
    return set_in_type(report, pictures.files)


def set_in_type(report: Mapping[str, Any], pictures: Mapping[str, bytes]) -> bytes:
    """A document as a file.

    Args:
        report: What it says; see `blocks.document`.
        pictures: By file name.
    """
    typst = _typst()
    with tempfile.TemporaryDirectory(prefix="mixwright-pdf-") as name:
        folder = Path(name)
        for file, picture in pictures.items():
            (folder / file).write_bytes(picture)
        main = folder / "report.typ"
        main.write_bytes(_TEMPLATE.read_bytes())

        def compiled(*, own_fonts: bool, **how: str) -> bytes:
            return typst.Compiler(
                str(main),
                root=str(folder),
                font_paths=[str(FONTS)],
                ignore_system_fonts=own_fonts,
                sys_inputs={"report": json.dumps(report, ensure_ascii=False)},
            ).compile(format="pdf", **how)

        try:
            return compiled(own_fonts=True, pdf_standards=_STANDARD)
        except typst.TypstError as error:
            if _NO_GLYPH not in str(error):
                raise
        # A name has signs that the house's font lacks: those of the system may have
        # them; where none does, a box stands for them, which the standard forbids.
        try:
            return compiled(own_fonts=False, pdf_standards=_STANDARD)
        except typst.TypstError as error:
            if _NO_GLYPH not in str(error):
                raise
            return compiled(own_fonts=False)


def _typst() -> Any:
    try:
        import matplotlib  # noqa: F401, PLC0415
        import typst  # noqa: PLC0415
    except ImportError as error:
        raise WorkspaceError(
            f"A PDF needs the package {error.name}, which is not installed.",
            hint=f"{to_install('pdf')} Or write .html and print it.",
        ) from error
    return typst


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
