"""The report as slides: native, editable charts with the numbers of the HTML."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core import text as fmt
from core.charts.drawing import style
from core.plan.record.plan_record import PlanRecord
from core.report import content as told
from core.report.assumptions import assumptions
from core.report.content import Content
from core.report.deck.grid_slides import grid_slides
from core.report.deck.slide_shapes import (
    HIGH,
    LEFT,
    TOP,
    WIDE,
    Box,
    bars,
    cards,
    native_chart,
    place_at,
    rgb,
    set_font,
    table,
    text_box,
    titled,
)
from core.report.plan_section import budgets, section
from core.text.escaping import printable
from core.workspace.disk.atomic import write_bytes


def write_slides(run_dir: Path, path: Path, plan: PlanRecord | None = None) -> Path:
    """Write the report of a finished fit as a PPTX file.

    Args:
        run_dir: The run.
        path: Where to write; replaced if it exists.
        plan: A plan to report with it.

    Raises:
        WorkspaceError: The run has no result, it is damaged, or the file cannot be
            written.
    """
    write_bytes(path, slides(told.read(run_dir), plan))
    return path


def slides(content: Content, plan: PlanRecord | None = None) -> bytes:
    """The report as a PPTX file."""
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(WIDE), Inches(HIGH)
    _verdict(_slide(deck, content.project.name), content)
    if plan is not None:
        shown = section(plan, content)
        if shown["tables"]:
            unit = content.units.symbol
            grid_slides(lambda title: _slide(deck, title), plan, shown, unit)
        else:
            _plan(_slide(deck, shown["name"]), plan, shown, content)
            _plan_table(_slide(deck, f"{shown['name']}: channels"), shown)
        if shown["firmness"]:
            _firmness(_slide(deck, f"{shown['name']}: how firm it is"), shown)
        points = budgets(plan, content)
        if points:
            _budgets(_slide(deck, "The best plan at other budgets"), points, content)
    rows = told.table(content)
    _returns(_slide(deck, "What each channel returned"), rows, content)
    title = f"What made the {content.units.outcome_name.lower()}"
    _contribution(_slide(deck, title), rows, content)
    _assumptions(_slide(deck, "What this rests on"), content)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def _slide(deck: Any, title: str) -> Any:
    """A blank slide with its title."""
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    for shape in list(slide.placeholders):
        if shape.placeholder_format.type is not None and shape != slide.shapes.title:
            shape._element.getparent().remove(shape._element)
    box = slide.shapes.title
    place_at(box, Box(LEFT, 0.4, WIDE - 2 * LEFT, 0.9))
    box.text_frame.text = printable(title)
    set_font(box.text_frame.paragraphs[0], 28, bold=True)
    return slide


def _verdict(slide: Any, content: Content) -> None:
    """Verdict, headline numbers, the finding."""
    verdict = told.verdict(content)
    facts = assumptions(content)["data"]
    lines = [f"Media report, {facts['Window']}, {facts['Periods']}"]
    lines += [f"{verdict['word'].capitalize()}. {verdict['advice']}"]
    lines += verdict["reasons"]
    text_box(slide, lines, Box(LEFT, TOP, WIDE - 2 * LEFT, 1.6), 16)
    cards(slide, told.headline(content), 3.2)
    text_box(slide, [told.sentence(content)], Box(LEFT, 5.3, WIDE - 2 * LEFT, 1.2), 18)
    note = "In brackets: 90 % intervals. Made with Mixwright."
    text_box(slide, [note], Box(LEFT, 6.8, 8, 0.4), 11)


def _plan(
    slide: Any, plan: PlanRecord, shown: Mapping[str, Any], content: Content
) -> None:
    """Advice, headline numbers, and both splits as a chart."""
    lines = [f"{shown['advice']} {shown['bound']}".strip(), shown["notes"]]
    text_box(slide, [line for line in lines if line], Box(LEFT, TOP - 0.1, 12, 0.8), 16)
    cards(slide, shown["cards"], 2.1)
    names = [line.name for line in plan.channels]
    series = {
        "Current": [line.current for line in plan.channels],
        "Planned": [line.planned for line in plan.channels],
    }
    title = fmt.titled("Current and planned spend", content.units.symbol)
    box = Box(LEFT, 3.5, WIDE - 2 * LEFT, 3.7)
    bars(slide, title, names, series, box)


def _firmness(slide: Any, shown: Mapping[str, Any]) -> None:
    """What would turn the advice, what to test, today as it is."""
    text_box(slide, list(shown["firmness"]), Box(LEFT, TOP, WIDE - 2 * LEFT, 5.2), 18)


def _plan_table(slide: Any, shown: Mapping[str, Any]) -> None:
    keys = ("name", "current", "planned", "change", "limits", "direction")
    heads = ("Channel", "Current", "Planned", "Change", "Limits", "Direction")
    rows = [[row[key] for key in keys] for row in shown["rows"]]
    table(slide, heads, rows, Box(LEFT, TOP, WIDE - 2 * LEFT, 5.5))


def _budgets(slide: Any, points: Sequence[Mapping[str, Any]], content: Content) -> None:
    """The best outcome over the budget, with its interval, as lines."""
    from pptx.chart.data import XyChartData
    from pptx.enum.chart import XL_CHART_TYPE

    data = XyChartData()
    for name, key, part in (
        ("Best split", "outcome", "mean"),
        ("5 %", "outcome", "lo"),
        ("95 %", "outcome", "hi"),
        ("Current split, scaled", "current", "mean"),
    ):
        series = data.add_series(name)
        for point in points:
            series.add_data_point(point["budget"], point[key][part])
    units = content.units
    box = Box(LEFT, TOP, WIDE - 2 * LEFT, 5.4)
    kind = XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS
    chart = native_chart(slide, kind, data, box)
    what = fmt.titled(f"{units.outcome_name} from paid media", units.outcome)
    titled(chart, fmt.titled(f"{what}, over the budget", units.symbol))
    colours = style.palette("light")
    for series, colour in zip(
        chart.plots[0].series,
        (colours.accent, colours.faint, colours.faint, colours.muted),
        strict=True,
    ):
        series.format.line.color.rgb = rgb(colour)
        series.smooth = False


def _returns(slide: Any, rows: Sequence[Mapping[str, Any]], content: Content) -> None:
    """ROI as bars, and every number with its interval."""
    units = content.units
    key, name, unit, centre = "roi", "ROI", units.roi, "mean"
    if not units.is_money:
        key, name, centre = "cpik", units.cost_name, "median"
        unit = units.symbol or "unit of spend"
    means = {
        str(row["name"]): row[key][centre]
        for row in content.summary["channels"]
        if row.get(key) and row[key].get(centre) is not None
    }
    if means:
        title = f"{name}, {unit}, posterior {centre}"
        box = Box(LEFT, TOP, 4.6, 5.5)
        bars(slide, title, list(means), {name: list(means.values())}, box)
    heads = ("Channel", "Spend", "Contribution", name, "Marginal ROI")
    cells = [
        [row["name"], row["spend"]]
        + [_shown(row[key]) for key in ("contribution", key, "mroi")]
        for row in rows
    ]
    table(slide, heads, cells, Box(5.4, TOP, WIDE - 5.4 - LEFT, 5.5))


def _contribution(
    slide: Any, rows: Sequence[Mapping[str, Any]], content: Content
) -> None:
    channels = content.summary["channels"]
    names = [str(row["name"]) for row in channels]
    means = [
        float((row.get("contribution") or {}).get("mean") or 0) for row in channels
    ]
    name = f"Incremental {content.units.outcome_name.lower()}"
    title = fmt.titled(name, content.units.outcome)
    box = Box(LEFT, TOP, 6.6, 5.5)
    bars(slide, title, names, {"Contribution": means}, box)
    cells = [[row["name"], _shown(row["share"])] for row in rows]
    heads = ("Channel", f"Share of {content.units.outcome_name.lower()}")
    table(slide, heads, cells, Box(7.6, TOP, WIDE - 7.6 - LEFT, 5.5))


def _assumptions(slide: Any, content: Content) -> None:
    """Priors as a table, options and provenance as text."""
    facts = assumptions(content)
    heads = ("Channel", "Prior on", "Prior", "90 % of it", "Carryover")
    keys = ("name", "about", "prior", "range", "adstock")
    cells = [[row[key] for key in keys] for row in facts["priors"]]
    table(slide, heads, cells, Box(LEFT, TOP, 7.6, 5.4))
    lines = [
        f"{name}: {value}"
        for part in ("data", "options", "fit")
        for name, value in facts[part].items()
    ]
    text_box(slide, lines, Box(8.4, TOP, WIDE - 8.4 - LEFT, 5.6), 10)


def _shown(cell: Mapping[str, str]) -> str:
    return f"{cell['value']} {cell['ci']}".strip()
