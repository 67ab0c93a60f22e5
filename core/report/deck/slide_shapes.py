"""Shapes of slides: text, cards, native tables and native charts.

Names come from uploaded files: control characters are dropped, and a name that looks
like a formula gets an apostrophe, because every chart carries a workbook.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core.charts.drawing import style
from core.text.escaping import inert, printable

#: Size of a slide and where its contents begin, inches.
WIDE, HIGH = 13.333, 7.5
LEFT, TOP = 0.6, 1.45
#: Rows of a table that fit on a slide, below its heads.
MOST_ROWS = 14


class Box(NamedTuple):
    """A place on a slide, inches."""

    left: float
    top: float
    width: float
    height: float


def cards(slide: Any, shown: Sequence[Mapping[str, str]], top: float) -> None:
    """Numbers in a row: label, value, interval."""
    width = (WIDE - 2 * LEFT) / max(len(shown), 1)
    for place, card in enumerate(shown):
        box = Box(LEFT + place * width, top, width - 0.2, 1.3)
        frame = text_box(slide, [card["label"], card["value"], card["ci"]], box, 12)
        set_font(frame.paragraphs[1], 24, bold=True)


def text_box(slide: Any, lines: Sequence[str], box: Box, size: int) -> Any:
    """Lines of text."""
    from pptx.util import Inches

    shape = slide.shapes.add_textbox(*(Inches(each) for each in box))
    frame = shape.text_frame
    frame.word_wrap = True
    for place, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if place == 0 else frame.add_paragraph()
        paragraph.text = printable(line)
        set_font(paragraph, size)
    return frame


def table(
    slide: Any, heads: Sequence[str], rows: Sequence[Sequence[str]], box: Box
) -> None:
    """A native table; what does not fit is counted in its last row."""
    from pptx.util import Inches, Pt

    if len(rows) > MOST_ROWS:
        left = len(rows) - MOST_ROWS + 1
        rest = [f"and {left} more, see the HTML report"] + [""] * (len(heads) - 1)
        rows = [*rows[: MOST_ROWS - 1], rest]
    place = [Inches(each) for each in box[:3]]
    height = Inches(0.34 * (len(rows) + 1))
    table = slide.shapes.add_table(len(rows) + 1, len(heads), *place, height).table
    for line, cells in enumerate([heads, *rows]):
        for column, text in enumerate(cells):
            cell = table.cell(line, column)
            cell.text = printable(text)
            cell.margin_top = cell.margin_bottom = Pt(2)
            set_font(cell.text_frame.paragraphs[0], 11, bold=line == 0)


def bars(
    slide: Any,
    title: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    box: Box,
) -> None:
    """A native bar chart, first name on top."""
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    data = CategoryChartData()
    data.categories = [inert(printable(name)) for name in names]
    for name, values in series.items():
        data.add_series(inert(printable(name)), list(values))
    chart = native_chart(slide, XL_CHART_TYPE.BAR_CLUSTERED, data, box)
    titled(chart, title)
    chart.has_legend = len(series) > 1
    chart.category_axis.reverse_order = True
    chart.value_axis.has_major_gridlines = False
    colours = style.palette("light")
    tones = [colours.faint, colours.accent] if len(series) > 1 else [colours.accent]
    for drawn_series, colour in zip(chart.plots[0].series, tones, strict=True):
        drawn_series.format.fill.solid()
        drawn_series.format.fill.fore_color.rgb = rgb(colour)


def native_chart(slide: Any, kind: Any, data: Any, box: Box) -> Any:
    """A native chart with its legend."""
    from pptx.enum.chart import XL_LEGEND_POSITION
    from pptx.util import Inches, Pt

    place = (Inches(each) for each in box)
    chart = slide.shapes.add_chart(kind, *place, data).chart
    chart.font.size = Pt(12)
    chart.has_legend = True
    chart.legend.position = XL_LEGEND_POSITION.BOTTOM
    chart.legend.include_in_layout = False
    return chart


def titled(chart: Any, title: str) -> None:
    """Give a chart its title."""
    chart.has_title = True
    chart.chart_title.text_frame.text = printable(title)
    set_font(chart.chart_title.text_frame.paragraphs[0], 14, bold=True)


def place_at(shape: Any, box: Box) -> None:
    """Move a shape."""
    from pptx.util import Inches

    shape.left, shape.top, shape.width, shape.height = (Inches(each) for each in box)


def set_font(paragraph: Any, size: int, *, bold: bool = False) -> None:
    """Size and weight of a paragraph."""
    from pptx.enum.text import PP_ALIGN
    from pptx.util import Pt

    paragraph.font.size, paragraph.font.bold = Pt(size), bold
    paragraph.alignment = PP_ALIGN.LEFT


def rgb(colour: str) -> Any:
    """A colour as slides write it."""
    from pptx.dml.color import RGBColor

    return RGBColor.from_string(colour.lstrip("#").upper()[:6])
