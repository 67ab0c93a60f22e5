"""The HTML report: one file that opens anywhere, offline, and prints well.

Plotly's script, the font and every number are inside the file. A content security
policy forbids it to reach for anything else.
"""

import base64
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from core import text as fmt
from core.charts import channels, contribution, curves, frequency
from core.charts.drawing import style
from core.charts.fits import accuracy, experiment
from core.errors import MMMError
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import open_run
from core.project.history.annotations import annotations
from core.project.lift_tests.tested_fits import what_tests_did
from core.report import content as told
from core.report.assumptions import assumptions
from core.report.content import Content
from core.report.plan_section import plan_figures, section
from core.store.atomic import write_text
from core.text import refresh as moves
from core.text.lift_tests import what_it_did
from core.text.verdicts import NO_SPEND

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
    return environment.get_template("report.html").render(
        project=content.project,
        no_spend=NO_SPEND,
        units=content.units,
        verdict=told.verdict(content),
        cards=told.headline(content),
        sentence=told.sentence(content),
        channels=told.table(content),
        assumptions=assumptions(content),
        figures={name: embedded(name, f) for name, f in figures(content).items()},
        frequencies=_frequencies(content),
        tests=_tests(content),
        plan=_plan(plan, content),
        refresh=_refresh(content),
        css=_safe((_TEMPLATES / "report.css").read_text(encoding="utf-8")),
        font=_font(),
        plotly=_safe(get_plotlyjs()),
    )


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


def figures(content: Content) -> dict[str, go.Figure]:
    """The figures of the report, by name."""
    notes = annotations(content.run.resolve().parents[1])
    drawn = {
        "roi": channels.roi(content.channels, prior=content.priors),
        "waterfall": contribution.waterfall(content.channels),
        "over-time": contribution.over_time(content.weeks, notes=notes),
        "expected": accuracy.expected(
            content.weeks, accuracy=content.summary.get("accuracy"), notes=notes
        ),
    }
    if content.curves.sizes["channel"]:
        drawn["responses"] = curves.responses(content.curves)
    if tests := content.summary.get("experiments"):
        names = [str(name) for name in content.channels["channel"].values]
        drawn["experiments"] = experiment.results(
            tests, units=content.units, order=names
        )
    return drawn


def _tests(content: Content) -> list[dict[str, str]]:
    """What each lift test did, by name; none where the run's project is gone."""
    try:
        did = what_tests_did(open_run(content.run))
    except MMMError:
        return []
    return [
        {"name": each["name"], "text": what_it_did(each, content.units)} for each in did
    ]


def _frequencies(content: Content) -> list[dict[str, Any]]:
    """Figure and sentence of every channel with reach and frequency."""
    view = content.frequency
    if view is None:
        return []
    colours = style.channel_colours(
        [str(n) for n in content.channels["channel"].values]
    )
    return [
        {
            "text": frequency.sentence(view, name),
            "figure": embedded(
                f"frequency-{i}",
                frequency.by_frequency(view, name, colour=colours.get(name)),
            ),
        }
        for i, name in enumerate(str(n) for n in view["channel"].values)
    ]


def _refresh(content: Content) -> dict[str, Any] | None:
    """What moved since the fit that this one refreshed; None where it did not."""
    record = content.refresh
    if record is None:
        return None
    titles, cells = moves.table(record, content.units)
    lines = [
        moves.first_answer(record),
        moves.plan_of_record(record, content.units),
        moves.plan_so_far(record, content.units),
    ]
    grid = {"title": "", "heads": titles, "rows": cells, "texts": 1, "note": ""}
    return {
        "sentence": moves.moved(record),
        "table": grid,
        "lines": [line for line in lines if line],
    }


def _plan(plan: PlanRecord | None, content: Content) -> dict[str, Any] | None:
    if plan is None:
        return None
    drawn = plan_figures(plan, content)
    pieces = [embedded(f"plan-{i}", figure) for i, figure in enumerate(drawn)]
    return section(plan, content) | {"figures": pieces}


def _safe(text: str) -> Any:
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(text)


def _font() -> str:
    """The font as base64; empty, for the system's own, where it is not shipped."""
    path = _ASSETS / "fonts" / "source-sans-3-latin.woff2"
    if not path.is_file():
        return ""
    return base64.b64encode(path.read_bytes()).decode("ascii")
