"""Native charts of slides: bars with intervals, stacked columns, a waterfall, lines.

Every chart carries its workbook, which holds the amounts in full; its axis shows them
in thousands, millions or billions, in whole steps: the signs of decimals and thousands
on an axis are those of whoever opens the file, not of the report's language. A name
that looks like a formula gets an apostrophe.

Error bars of native charts, for which python-pptx has no words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import (
    XL_CHART_TYPE,
    XL_LABEL_POSITION,
    XL_LEGEND_POSITION,
    XL_MARKER_STYLE,
    XL_TICK_LABEL_POSITION,
    XL_TICK_MARK,
)
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.oxml import parse_xml
from pptx.util import Inches, Pt

from core import text as fmt
from core.charts.drawing.style import COLORWAY
from core.report.deck.theme import Box, unbroken, write
from core.text.escaping import inert, printable
from core.text.languages.language import marked, say

#: Pairs of bars that half a slide has room for.
MOST_BARS = 10
#: Inches across the thickest bar.
_THICKEST = 0.9
_COMMAS = {1.0: "", 1e3: ",", 1e6: ",,", 1e9: ",,,"}
_LETTERS = 24
_NS = "http://schemas.openxmlformats.org/drawingml/2006/chart"
#: Series of a waterfall: what is below a step, the step, room for its label.
_WATERFALL = (marked("Below"), marked("Step"), marked("Room for the label"))


def bars(
    slide: Any,
    title: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    box: Box,
    *,
    unit: str | None = None,
    ends: tuple[Sequence[float], Sequence[float]] | None = None,
) -> None:
    """A native bar chart, first name on top.

    Args:
        slide: Where to.
        title: Of the chart, without a unit that is scaled.
        names: Of the bars.
        series: Their lengths by the name of the series, the last the one that matters.
        box: Its place.
        unit: Of amounts, which the axis shows scaled; None for plain numbers.
        ends: Ends of the 90 % interval of the only series.
    """
    chart = _chart(slide, XL_CHART_TYPE.BAR_CLUSTERED, names, series, box)
    lengths = [*series.values(), *(ends or ())]
    _value_axis(chart, title, unit, _largest(lengths))
    chart.has_legend = len(series) > 1
    _from_the_top(chart)
    chart.plots[0].gap_width = _gap(box.height / len(names), len(series), 45)
    chart.plots[0].overlap = -5 if len(series) > 1 else 0
    tones = ("ACCENT_2", "ACCENT_1") if len(series) > 1 else ("ACCENT_1",)
    for one, tone in zip(chart.plots[0].series, tones, strict=True):
        _fill(one.format, tone)
    if ends is not None:
        chart.plots[0].series[0].format.fill.fore_color.brightness = 0.5
        error_bars(chart.plots[0].series[0], *ends)
        make_room(chart.value_axis, lengths)


def stacked(
    slide: Any,
    title: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    box: Box,
    unit: str,
) -> None:
    """Amounts as stacked columns; arguments as of `bars`."""
    chart = _chart(slide, XL_CHART_TYPE.COLUMN_STACKED, names, series, box)
    totals = np.nansum([list(each) for each in series.values()], axis=0)
    _value_axis(chart, title, unit, _largest([totals.tolist()]))
    chart.plots[0].gap_width = _gap(box.width / len(names), 1, 40)
    for place, one in enumerate(chart.plots[0].series):
        _fill(one.format, COLORWAY[place % len(COLORWAY)])


def waterfall(
    slide: Any,
    title: str,
    steps: Sequence[tuple[str, float]],
    total: tuple[str, float],
    box: Box,
    unit: str,
) -> None:
    """Steps that make a total, as stacked columns of which the lowest is not seen.

    Args:
        slide: Where to.
        title: Of the chart, without its unit.
        steps: Names and sizes, from the left; no sum of the first of them is negative.
        total: Name and size of the last column.
        box: Its place.
        unit: Of the sizes.
    """
    names = [name for name, _ in (*steps, total)]
    sizes = np.array([size for _, size in (*steps, total)])
    after = np.cumsum(sizes[:-1])
    before = np.append(after - sizes[:-1], 0.0)
    after = np.append(after, sizes[-1])
    room = np.full(len(sizes), 0.06 * after.max())
    stacks = (np.minimum(before, after), np.abs(after - before), room)
    series = {
        say(name): [float(size) for size in each]
        for name, each in zip(_WATERFALL, stacks, strict=True)
    }
    chart = _chart(slide, XL_CHART_TYPE.COLUMN_STACKED, names, series, box)
    divisor = _value_axis(chart, title, unit, after.max())
    chart.has_legend = False
    chart.plots[0].gap_width = _gap(box.width / len(names), 1, 30)
    below, step, label = chart.plots[0].series
    for each in (below, label):
        each.format.fill.background()
    least = _decimals(sizes / divisor)
    for place, size in enumerate(sizes):
        is_end = place in (0, len(sizes) - 1)
        tone = ("ACCENT_2", "ACCENT_1")[place > 0] if is_end else None
        tone = tone or ("ACCENT_5" if size >= 0 else "ACCENT_4")
        _fill(step.points[place].format, tone)
        data_label = label.points[place].data_label
        data_label.position = XL_LABEL_POSITION.INSIDE_BASE
        decimals = max(least, 0 if abs(size) >= 100 * divisor else 1)
        data_label.text_frame.text = fmt.ratio(size / divisor, decimals=decimals)
        write(data_label.text_frame.paragraphs[0], 11, bold=True)


def _gap(room: float, bars_of_one: int, least: int) -> int:
    """Space between names in percent of a bar, so that few bars are no blocks.

    Args:
        room: Inches that a name has.
        bars_of_one: How many bars it has.
        least: Where there are many names.
    """
    return min(500, max(least, int(100 * (room / _THICKEST - bars_of_one))))


def _decimals(sizes: np.ndarray) -> int:
    """Decimals for two digits of the smallest, and at most four of the largest."""
    some = np.abs(sizes[sizes != 0])
    if not len(some):
        return 0
    low, high = np.floor(np.log10([some.min(), some.max()]))
    return int(max(0, min(1 - low, 3 - high)))


def lines(
    slide: Any,
    title: str,
    series: Mapping[str, tuple[Sequence[float], str]],
    over: Sequence[float],
    box: Box,
    units: tuple[str, str],
    point: tuple[str, float, float],
) -> None:
    """Amounts over amounts, as lines, and one point among them.

    Args:
        slide: Where to.
        title: Of the chart, without its units.
        series: Heights and colour of each line by its name.
        over: Where they are, the same for all lines.
        box: Its place.
        units: Of heights and of what they are over.
        point: Its name, what it is over, and its height.
    """
    content = XyChartData()
    for name, (heights, _) in series.items():
        line = content.add_series(inert(printable(name)))
        for x, y in zip(over, heights, strict=True):
            line.add_data_point(x, y)
    content.add_series(inert(printable(point[0]))).add_data_point(*point[1:])
    chart = _framed(slide, XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, content, box)
    _value_axis(chart, title, units[0], _largest([y for y, _ in series.values()]))
    unit = _number_format(chart.category_axis, units[1], max(over))
    _fit_axis(chart.category_axis, over)
    _fit_axis(chart.value_axis, [y for heights, _ in series.values() for y in heights])
    chart.category_axis.has_major_gridlines = False
    chart.category_axis.has_title = True
    chart.category_axis.axis_title.text_frame.text = fmt.titled(say("Budget"), unit)
    write(chart.category_axis.axis_title.text_frame.paragraphs[0], 11)
    *drawn_lines, dot = chart.plots[0].series
    for line_series, (_, tone) in zip(drawn_lines, series.values(), strict=True):
        line_series.format.line.color.theme_color = MSO_THEME_COLOR[tone]
        line_series.format.line.width = Pt(1.25 if tone == "ACCENT_2" else 2.5)
        line_series.smooth = False
    dot.format.line.fill.background()
    dot.marker.style, dot.marker.size = XL_MARKER_STYLE.CIRCLE, 10
    _fill(dot.marker.format, "ACCENT_1")


def _chart(
    slide: Any,
    kind: Any,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    box: Box,
) -> Any:
    """A chart of categories."""
    content = CategoryChartData()
    content.categories = [inert(fmt.brief_name(printable(n), _LETTERS)) for n in names]
    for name, values in series.items():
        sizes = [float(size) if np.isfinite(size) else None for size in values]
        content.add_series(inert(printable(name)), sizes)
    chart = _framed(slide, kind, content, box)
    axis = chart.category_axis
    axis.format.line.fill.background()
    axis.major_tick_mark = XL_TICK_MARK.NONE
    axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    return chart


def _from_the_top(chart: Any) -> None:
    """The first bar on top, every bar with its name, amounts below the last."""
    axis = chart.category_axis
    axis.reverse_order = True
    every = parse_xml(f'<c:tickLblSkip xmlns:c="{_NS}" val="1"/>')
    axis._element.find(f"{{{_NS}}}noMultiLvlLbl").addprevious(every)
    chart.value_axis._element.find(f"{{{_NS}}}crosses").set("val", "max")


def _framed(slide: Any, kind: Any, content: Any, box: Box) -> Any:
    """A chart with its legend."""
    chart = slide.shapes.add_chart(kind, *map(Inches, box), content).chart
    chart.font.size = Pt(11)
    chart.has_legend = True
    chart.legend.position = XL_LEGEND_POSITION.BOTTOM
    chart.legend.include_in_layout = False
    return chart


def _value_axis(chart: Any, title: str, unit: str | None, largest: float) -> float:
    """Scale of the axis and the chart's title with its unit; gives the divisor."""
    axis = chart.value_axis
    axis.has_major_gridlines = True
    lines = axis.major_gridlines.format.line
    lines.color.theme_color = MSO_THEME_COLOR.BACKGROUND_2
    axis.format.line.fill.background()
    if unit is not None:
        title = fmt.titled(title, _number_format(axis, unit, largest))
    chart.has_title = True
    chart.chart_title.text_frame.text = unbroken(title)
    chart.chart_title.include_in_layout = False
    write(chart.chart_title.text_frame.paragraphs[0], 12, bold=True)
    return fmt.scale(largest)[0]


def _number_format(axis: Any, unit: str, largest: float) -> str:
    """Show amounts of an axis in whole thousands, millions …; gives their unit."""
    divisor, prefix = fmt.scale(largest)
    axis.tick_labels.number_format = "0" + _COMMAS[divisor]
    axis.tick_labels.number_format_is_linked = False
    if largest > 0:
        axis.major_unit = max(_step(largest), divisor)
    return fmt.scaled_unit(prefix, unit)


def _fit_axis(axis: Any, sizes: Sequence[float]) -> None:
    """Have an axis end where its amounts do, at a step whose label has no decimals."""
    low, high = min(sizes), max(sizes)
    if low == high:
        return
    step = max(_step(high - low), fmt.scale(max(abs(low), abs(high)))[0])
    axis.major_unit = step
    axis.minimum_scale = float(np.floor(low / step) * step)
    axis.maximum_scale = float(np.ceil(high / step) * step)


def _step(length: float) -> float:
    """Between the ticks of an axis of that length, which has five of them at most."""
    power = 10.0 ** np.floor(np.log10(length / 5))
    return float(next(s for s in (1, 2, 5, 10) if s * power >= length / 5) * power)


def _largest(series: Sequence[Sequence[float]]) -> float:
    sizes = np.abs(np.concatenate([np.asarray(list(each), float) for each in series]))
    sizes = sizes[np.isfinite(sizes)]
    return float(sizes.max()) if sizes.size else 0.0


def _fill(form: Any, colour: str) -> None:
    """A colour of the theme by its name, or one of a channel's."""
    form.fill.solid()
    if colour.startswith("#"):
        form.fill.fore_color.rgb = RGBColor.from_string(colour[1:].upper())
    else:
        form.fill.fore_color.theme_color = MSO_THEME_COLOR[colour]


def error_bars(series: Any, low: Sequence[float], high: Sequence[float]) -> None:
    """Draw the 90 % interval of every bar.

    Args:
        series: Of a bar chart.
        low: Lower ends, one per bar.
        high: Upper ends.
    """
    middle = np.asarray(list(series.values), float)
    sides = {"plus": np.asarray(high) - middle, "minus": middle - np.asarray(low)}
    parts = "".join(
        f"<c:{side}><c:numLit><c:formatCode>General</c:formatCode>"
        f'<c:ptCount val="{len(sizes)}"/>'
        + "".join(
            f'<c:pt idx="{i}"><c:v>{max(float(size), 0.0)!r}</c:v></c:pt>'
            for i, size in enumerate(sizes)
            if np.isfinite(size)
        )
        + f"</c:numLit></c:{side}>"
        for side, sizes in sides.items()
    )
    element = parse_xml(
        f'<c:errBars xmlns:c="{_NS}"><c:errBarType val="both"/>'
        f'<c:errValType val="cust"/><c:noEndCap val="0"/>{parts}</c:errBars>'
    )
    series._element.find(f"{{{_NS}}}cat").addprevious(element)


def make_room(axis: Any, lengths: Sequence[Sequence[float]]) -> None:
    """Make room for error bars, which an axis by itself does not mind."""
    sizes = np.concatenate([np.asarray(list(each), float) for each in lengths])
    low, high = min(float(sizes.min()), 0.0), max(float(sizes.max()), 0.0)
    if high == low:
        return
    step = _step(high - low)
    if high - low >= 2:
        step = max(step, 1.0)
    axis.major_unit = step
    axis.minimum_scale = float(np.floor(low / step) * step)
    axis.maximum_scale = float(np.ceil(high / step) * step)
