"""A figure as SVG, drawn without a browser.

Plotly draws with a browser's help only. Matplotlib draws what the house's figures are
made of, on axes that lie where Plotly's do, in the figure's own pixels. Labels become
outlines, so that every mark and letter stands where it was measured. Title and note
are the page's to set.
"""

import io
import math
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from core.charts.drawing import style
from core.charts.still import markup, traces
from core.charts.still.axes import Axis, axis_of, set_scale

#: Pixels of Plotly are points of the picture.
_DPI, _WIDTH = 72, 760
#: Height of a line of a label, in sizes of its font.
_LINE_HIGH = 1.25
#: How Matplotlib draws.
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "mixwright",
    "font.family": ["Source Sans 3", "DejaVu Sans"],
    "text.parse_math": False,
    "hatch.linewidth": 0.6,
}
#: The house's font as files that tools other than browsers read.
FONTS = Path(__file__).parents[3] / "assets" / "fonts"
_COLOURS = style.palette("light")


def svg(figure: go.Figure) -> bytes:
    """The figure without its title, 760 px wide and as high as it says itself.

    Args:
        figure: In the light theme.
    """
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    _add_fonts()
    with rc_context(SETTINGS):
        layout = figure.layout
        top = _top(figure)
        height = layout.height - (layout.margin.t or 40) + top
        page = Figure(figsize=(_WIDTH / _DPI, height / _DPI), dpi=_DPI)
        canvas = FigureCanvasSVG(page)
        _draw(page, figure, top)
        buffer = io.BytesIO()
        # Without the time of day the same figure is the same bytes.
        canvas.print_svg(buffer, metadata={"Date": None})
    return buffer.getvalue()


@cache
def _add_fonts() -> None:
    from matplotlib.font_manager import fontManager  # noqa: PLC0415

    for path in sorted(FONTS.glob("*.ttf")):
        fontManager.addfont(path)


def _top(figure: go.Figure) -> int:
    """Room above the axes: for labels there, not for the title."""
    labels = [
        a
        for a in figure.layout.annotations
        if str(a.yref).endswith(("paper", "domain"))
        and a.y is not None
        and float(a.y) >= 1
        and a.yanchor != "top"
    ]
    return max([10, *map(_label_high, labels)])


def _label_high(label: Any) -> int:
    """Room that a label above the axes takes, for all of its lines."""
    lines = len(markup.lines(label.text or ""))
    high = lines * (label.font.size or 12) * _LINE_HIGH + float(label.yshift or 0)
    return max(22, math.ceil(high))


def _draw(page: Any, figure: go.Figure, top: int) -> None:
    layout, listed = figure.layout, list(figure.data)
    axes = _axes(figure)
    panels = _panels(page, figure)
    for (x, y), panel in panels.items():
        panel.set_facecolor("none")
        for name, spine in panel.spines.items():
            has_line = name == "bottom" and axes[x].options.showline is not False
            spine.set_visible(has_line and not str(axes[y].options.domain or ""))
            spine.set_color(_COLOURS.grid)
        panel.set_axisbelow(True)
    bottoms = traces.stacked(listed)
    for i, trace in enumerate(listed):
        pair = _pair(trace)
        x, y = axes[pair[0]], axes[pair[1]]
        if i in bottoms:
            traces.area(panels[pair], trace, x, y, bottoms[i])
        else:
            traces.draw(panels[pair], trace, x, y, level=i)
    # Maps fill their axes to the edge, where points need room.
    maps = {_pair(t)[0] for t in listed if isinstance(t, go.Heatmap)}
    points = {
        _pair(t)[0] for t in listed if "markers" in (getattr(t, "mode", "") or "")
    }
    for (x, y), panel in panels.items():
        set_scale(panel, axes[x], along="x", is_padded=x in points - maps)
        set_scale(panel, axes[y], along="y", is_padded=True)
    # Only now: how wide labels are is known when ticks are set.
    _place(page, panels, figure, top)
    for shape in layout.shapes:
        _shape(panels, axes, shape)
    for annotation in layout.annotations:
        _annotation(page, panels, axes, annotation)


def _pair(trace: Any) -> tuple[str, str]:
    return getattr(trace, "xaxis", None) or "x", getattr(trace, "yaxis", None) or "y"


def _axes(figure: go.Figure) -> dict[str, Axis]:
    """Every axis that a trace is drawn on, by name (x, y2)."""
    samples: dict[str, list[Any]] = {}
    for trace in figure.data:
        for name, values in zip(_pair(trace), (trace.x, trace.y), strict=True):
            listed = [] if values is None else list(values)
            samples.setdefault(name, []).extend(v for v in listed[:1] if v is not None)
    return {
        name: axis_of(figure.layout[f"{name[0]}axis{name[1:]}"], values)
        for name, values in samples.items()
    }


def _panels(page: Any, figure: go.Figure) -> dict[tuple[str, str], Any]:
    """Matplotlib's axes for each pair of Plotly's, those with the same x joined."""
    panels: dict[tuple[str, str], Any] = {}
    for trace in figure.data:
        pair = _pair(trace)
        if pair not in panels:
            panels[pair] = page.add_axes((0.1, 0.1, 0.8, 0.8), label="".join(pair))
    return panels


def _place(page: Any, panels: dict, figure: go.Figure, top: int) -> None:
    """Put each panel where its domains say, leaving room for labels around."""
    layout = figure.layout
    width, height = page.bbox.width, page.bbox.height
    left = bottom = 0.0
    for (x, y), panel in panels.items():
        box = panel.get_tightbbox()
        inner = panel.get_window_extent()
        if _start(layout, x) == 0:
            left = max(left, inner.x0 - box.x0)
        if _start(layout, y) == 0:
            bottom = max(bottom, inner.y0 - box.y0)
    right = layout.margin.r or 16
    left, bottom = left + 4, bottom + 4
    wide, high = width - left - right, height - top - bottom
    for (x, y), panel in panels.items():
        x0, x1 = _domain(layout, x)
        y0, y1 = _domain(layout, y)
        panel.set_position(
            (
                (left + x0 * wide) / width,
                (bottom + y0 * high) / height,
                (x1 - x0) * wide / width,
                (y1 - y0) * high / height,
            )
        )
        if y != "y" and x == "x" and (x, "y") in panels:
            panel.tick_params(axis="x", labelbottom=False)
    page.subplotpars.update(
        left=left / width,
        right=1 - right / width,
        bottom=bottom / height,
        top=1 - top / height,
    )


def _domain(layout: Any, name: str) -> tuple[float, float]:
    domain = layout[f"{name[0]}axis{name[1:]}"].domain
    return (0.0, 1.0) if domain is None else (float(domain[0]), float(domain[1]))


def _start(layout: Any, name: str) -> float:
    return _domain(layout, name)[0]


def _paper(page: Any) -> Any:
    """From the share of all axes together to the picture."""
    from matplotlib.transforms import Bbox, BboxTransformTo  # noqa: PLC0415

    p = page.subplotpars
    box = Bbox.from_extents(p.left, p.bottom, p.right, p.top)
    return BboxTransformTo(box) + page.transFigure


def _side(panels: dict, axes: dict[str, Axis], reference: str, page: Any) -> Any:
    """Axis and transform that a coordinate of Plotly's is in; None for paper."""
    name = reference.removesuffix(" domain")
    if reference == "paper":
        return None, _paper(page)
    pair = next(p for p in panels if name in p)
    panel = panels[pair]
    if reference.endswith(" domain"):
        return None, panel.transAxes
    return axes[name], panel.transData


def _shape(panels: dict, axes: dict[str, Axis], shape: Any) -> None:
    page = next(iter(panels.values())).figure
    from matplotlib.lines import Line2D  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415
    from matplotlib.transforms import blended_transform_factory  # noqa: PLC0415

    x_axis, x_transform = _side(panels, axes, shape.xref or "x", page)
    y_axis, y_transform = _side(panels, axes, shape.yref or "y", page)
    x0, x1 = _ends(x_axis, shape.x0, shape.x1)
    y0, y1 = _ends(y_axis, shape.y0, shape.y1)
    where = blended_transform_factory(x_transform, y_transform)
    below = shape.layer == "below"
    width = 1.0 if shape.line.width is None else shape.line.width
    if shape.type == "line":
        mark: Any = Line2D(
            [x0, x1],
            [y0, y1],
            color=traces.colour(shape.line.color or _COLOURS.muted, shape.opacity),
            linewidth=width,
            linestyle=traces.dash(shape.line),
        )
    else:
        fill = shape.fillcolor
        mark = Rectangle(
            (x0, y0),
            x1 - x0,
            y1 - y0,
            facecolor=traces.colour(fill, shape.opacity) if fill else "none",
            edgecolor=traces.colour(shape.line.color or _COLOURS.grid),
            linewidth=width,
        )
    mark.set(transform=where, zorder=0.5 if below else 2.9, clip_on=False)
    page.add_artist(mark)


def _ends(axis: Axis | None, first: Any, last: Any) -> tuple[float, float]:
    if axis is None:
        return float(first), float(last)
    start, end = axis.positions([first, last])
    return float(start), float(end)


def _annotation(page: Any, panels: dict, axes: dict[str, Axis], label: Any) -> None:
    """A text: its pieces one behind the other where it starts at a place."""
    from matplotlib.transforms import blended_transform_factory  # noqa: PLC0415

    x_axis, x_transform = _side(panels, axes, label.xref or "x", page)
    y_axis, y_transform = _side(panels, axes, label.yref or "y", page)
    at = _ends(x_axis, label.x, label.x)[0], _ends(y_axis, label.y, label.y)[0]
    size = label.font.size or 12
    ink = label.font.color or _COLOURS.ink
    rows = markup.lines(label.text or "")
    down = {"top": 0.0, "middle": (len(rows) - 1) / 2, "bottom": len(rows) - 1.0}
    anchor = label.yanchor or ("middle" if not label.showarrow else "bottom")
    anchor = "middle" if anchor == "auto" else anchor
    side = label.xanchor if label.xanchor in ("left", "right") else "center"
    for i, row in enumerate(rows):
        shift = (
            float(label.xshift or 0) + (float(label.ax or 0) if label.showarrow else 0),
            float(label.yshift or 0)
            - (float(label.ay or 0) if label.showarrow else 0)
            + (down[anchor] - i) * size * _LINE_HIGH,
        )
        pieces = row if side == "left" else [_joined(row)]
        previous: Any = None
        for piece in pieces:
            if not piece.text:
                continue
            previous = page.axes[0].annotate(
                piece.text,
                at if previous is None else (1, 0),
                xycoords=blended_transform_factory(x_transform, y_transform)
                if previous is None
                else previous,
                xytext=shift if previous is None else (0, 0),
                textcoords="offset points",
                ha=side if previous is None else "left",
                va={"top": "top", "middle": "center", "bottom": "baseline"}[anchor]
                if previous is None
                else "bottom",
                fontsize=size,
                color=traces.colour(piece.colour or ink, piece.opacity),
                fontweight="bold" if piece.bold else "normal",
                rotation=-(label.textangle or 0),
                annotation_clip=False,
                zorder=9,
            )


def _joined(row: list[markup.Piece]) -> markup.Piece:
    """A row as one piece, in the colour of its first words."""
    text = "".join(piece.text for piece in row)
    first = next((piece for piece in row if piece.text.strip()), markup.Piece(""))
    return markup.Piece(text, first.bold, first.colour)
