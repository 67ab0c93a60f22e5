"""A plan of weeks or of geos as slides: a native chart, and tables that go on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from core import text as fmt
from core.charts.drawing.style import COLORWAY
from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import SpendGrid, spend_grid
from core.report.deck.slide_shapes import (
    LEFT,
    MOST_ROWS,
    TOP,
    WIDE,
    Box,
    cards,
    native_chart,
    rgb,
    set_font,
    table,
    text_box,
    titled,
)
from core.text.escaping import inert, printable

#: Columns of a table that fit on a slide, its first one included.
_MOST_COLUMNS = 9


def grid_slides(
    add: Callable[[str], Any],
    plan: PlanRecord,
    shown: Mapping[str, Any],
    unit: str,
) -> None:
    """The slides of a plan: numbers with a chart, then every cell.

    Args:
        add: Adds a slide with a title.
        plan: The plan.
        shown: What `grid_section` says of it.
        unit: Of money.
    """
    grid = spend_grid(plan)
    _front(add(shown["name"]), grid, shown, unit)
    for section in shown["tables"]:
        pages = list(_pages(section["heads"], section["rows"]))
        for place, (heads, rows) in enumerate(pages, start=1):
            of = f", {place} of {len(pages)}" if len(pages) > 1 else ""
            title = f"{shown['name']}: {section['title'].lower()}{of}"
            slide = add(title)
            table(slide, heads, rows, Box(LEFT, TOP, WIDE - 2 * LEFT, 5.0))
            if section["note"]:
                note = Box(LEFT, 6.9, WIDE - 2 * LEFT, 0.4)
                text_box(slide, [section["note"]], note, 11)


def _front(slide: Any, grid: SpendGrid, shown: Mapping[str, Any], unit: str) -> None:
    """Advice, headline numbers, and spend as stacked columns."""
    lines = [f"{shown['advice']} {shown['bound']}".strip(), shown["notes"]]
    box = Box(LEFT, TOP - 0.1, WIDE - 2 * LEFT, 0.8)
    text_box(slide, [line for line in lines if line], box, 12)
    cards(slide, shown["cards"], 2.25)
    _columns(slide, grid, unit)


def _columns(slide: Any, grid: SpendGrid, unit: str) -> None:
    """A native chart of every cell; its workbook holds the amounts."""
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Pt

    names = [fmt.date(row) if grid.over == "week" else row for row in grid.rows]
    data = CategoryChartData()
    data.categories = [inert(printable(name)) for name in names]
    for place, name in enumerate(grid.channels):
        cells = grid.planned[:, place]
        data.add_series(
            inert(printable(name)),
            [float(cell) if np.isfinite(cell) else None for cell in cells],
        )
    box = Box(LEFT, 3.6, WIDE - 2 * LEFT, 3.7)
    chart = native_chart(slide, XL_CHART_TYPE.COLUMN_STACKED, data, box)
    titled(chart, fmt.titled(f"Planned spend by {grid.over} and channel", unit))
    set_font(chart.chart_title.text_frame.paragraphs[0], 12, bold=True)
    chart.font.size = Pt(12 if len(names) <= 13 else 9)
    chart.value_axis.has_major_gridlines = False
    chart.value_axis.tick_labels.number_format = "#,##0"
    chart.value_axis.tick_labels.number_format_is_linked = False
    chart.plots[0].gap_width = 40
    for place, series in enumerate(chart.plots[0].series):
        series.format.fill.solid()
        series.format.fill.fore_color.rgb = rgb(COLORWAY[place % len(COLORWAY)])


def _pages(
    heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The table in pieces that fit on a slide, each with its heads and first column."""
    wide = _MOST_COLUMNS - 1
    for left in range(1, len(heads), wide):
        columns = slice(left, left + wide)
        for top in range(0, len(rows), MOST_ROWS):
            yield (
                [heads[0], *heads[columns]],
                [[row[0], *row[columns]] for row in rows[top : top + MOST_ROWS]],
            )
