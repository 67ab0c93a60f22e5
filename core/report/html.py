"""The HTML report: one file that opens anywhere, offline, and prints well.

Plotly's script, the font and every number are inside the file. A content security
policy forbids it to reach for anything else.
"""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import style
from core.plan.record.plan_record import PlanRecord
from core.report import content as told
from core.report.content import Content
from core.report.page import page
from core.store.atomic import write_text

_TEMPLATES = Path(__file__).parent / "templates"
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
    text = render(told.read(run_dir), plan)
    write_text(path, text, durable=False)
    return path


def render(content: Content, plan: PlanRecord | None = None) -> str:
    """The report as text."""
    with fmt.written_in(content.locale):
        return _render(content, plan)


def _render(content: Content, plan: PlanRecord | None) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
    from plotly.offline import get_plotlyjs  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = page(content, plan)
    words["figures"] = _embedded(words["figures"])
    for i, each in enumerate(words["frequencies"]):
        each["figure"] = embedded(f"frequency-{i}", each["figure"])
    if words["promises"] is not None:
        figure = words["promises"]["figure"]
        words["promises"]["figure"] = embedded("promises", figure)
    if words["plan"] is not None:
        drawn = words["plan"]["figures"]
        pieces = [embedded(f"plan-{i}", figure) for i, figure in enumerate(drawn)]
        words["plan"]["figures"] = pieces
    return environment.get_template("report.html").render(
        **words,
        css=_safe((_TEMPLATES / "report.css").read_text(encoding="utf-8")),
        font=_font(),
        plotly=_safe(get_plotlyjs()),
    )


def _embedded(figures: Mapping[str, go.Figure]) -> dict[str, Any]:
    return {name: embedded(name, figure) for name, figure in figures.items()}


def embedded(name: str, figure: go.Figure) -> Any:
    """A figure as a piece of HTML that draws itself; the script must be there."""
    figure.update_layout(width=None, autosize=True)
    return _safe(
        figure.to_html(
            full_html=False,
            include_plotlyjs=False,
            config=style.CONFIG,
            div_id=f"figure-{name}",
            default_width="100%",
            default_height=f"{figure.layout.height}px",
        )
    )


def _safe(text: str) -> Any:
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(text)


def _font() -> str:
    """The font as base64; empty, for the system's own, where it is not shipped."""
    path = _ASSETS / "fonts" / "source-sans-3-latin.woff2"
    if not path.is_file():
        return ""
    return base64.b64encode(path.read_bytes()).decode("ascii")
