"""The PDF report: set by Typst, which is optional."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import text as fmt
from core import to_install
from core.charts.still.picture import FONTS
from core.errors import WorkspaceError
from core.plan.record.plan_record import PlanRecord
from core.report.content import Content
from core.report.paper.blocks import Pictures, document, on_paper
from core.report.paper.portfolio import portfolio_document
from core.text.languages.language import spoken_in

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
