"""The HTML report: one file that opens anywhere, offline, and prints well.

Plotly's script, the font and every number are inside the file. A content security
policy forbids it to reach for anything else.
"""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import plotly_words, style
from core.plan.record.plan_record import PlanRecord
from core.report import content as report_content
from core.report.content import Content
from core.report.document import Block, document
from core.report.paper.portfolio import portfolio_document
from core.report.template import filled
from core.store.atomic import write_text
from core.text.languages.language import language, spoken_in

_ASSETS = Path(__file__).parents[2] / "assets"


def write_report(run_dir: Path, path: Path, plan: PlanRecord | None = None) -> Path:
    """Write the report of a finished fit as one self-contained HTML file.

    Args:
        run_dir: The run.
        path: Where to write; replaced if it exists.
        plan: A plan to report with it.

    Returns:
        The path.

    Raises:
        WorkspaceError: The run has no result, it is damaged, or the file cannot be
            written.
    """
    text = render(report_content.read(run_dir), plan)
    write_text(path, text, durable=False)
    return path


def render(content: Content, plan: PlanRecord | None = None) -> str:
    """The report as text."""
    with fmt.written_in(content.locale), spoken_in(content.language):
        return _filled(document(content, plan, _block))


def _block(name: str, figure: go.Figure) -> Block:
    return {"kind": "figure", "figure": embedded(name, figure)}


def portfolio_html(plan: PlanRecord) -> str:
    """The plan of a portfolio as text of a page."""
    return _filled(portfolio_document(plan, _block))


def _filled(words: Mapping[str, Any]) -> str:
    """A document as a page, with all that it needs to be read offline."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415

    return filled(
        "report.html",
        **words,
        font=_font(),
        plotly=_safe(get_plotlyjs()),
        months=_safe(_months()),
    )


def embedded(name: str, figure: go.Figure) -> Any:
    """A figure as a piece of HTML that draws itself; the script must be there."""
    figure.update_layout(width=None, autosize=True)
    return _safe(
        figure.to_html(
            full_html=False,
            include_plotlyjs=False,
            config=style.CONFIG | {"locale": language()},
            div_id=f"figure-{name}",
            default_width="100%",
            default_height=f"{figure.layout.height}px",
        )
    )


def _safe(text: str) -> Any:
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(text)


def _months() -> str:
    """The script that has axes of time name months in the language of the report."""
    words = plotly_words.spoken()
    if not words:
        return ""
    spoken = {"moduleType": "locale", "name": language()} | words
    return f"Plotly.register({json.dumps(spoken)});"


def _font() -> str:
    """The font as base64; empty, for the system's own, where it is not shipped."""
    path = _ASSETS / "fonts" / "source-sans-3-latin.woff2"
    if not path.is_file():
        return ""
    return base64.b64encode(path.read_bytes()).decode("ascii")
