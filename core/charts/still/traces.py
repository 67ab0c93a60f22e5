"""Bars, lines, bands, points and maps of a still picture."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.charts.drawing import style
from core.charts.still import markup
from core.charts.still.axes import Axis

_COLOURS = style.palette("light")
_DASHES: Mapping[str, Any] = {
    "dot": (0, (1, 2)),
    "dash": (0, (4, 3)),
    "dashdot": "-.",
}
_SYMBOLS = {
    "circle": "o",
    "diamond": "D",
    "square": "s",
    "x": "X",
    "x-thin": "x",
    "cross": "P",
    "triangle-up": "^",
    "triangle-down": "v",
    "triangle-right": ">",
    "triangle-left": "<",
    "line-ns": "|",
    "line-ew": "_",
    "star": "*",
}
_HATCHES = {"/": "////", ".": "...", "x": "xxxx"}


def colour(text: Any, opacity: float | None = None) -> Any:
    """A colour of Plotly's as Matplotlib takes it.

    Args:
        text: `#rrggbb`, `rgb(…)`, `rgba(…)` or a name.
        opacity: Of the whole mark; None where it has none of its own.
    """
    from matplotlib.colors import to_rgba  # noqa: PLC0415

    if isinstance(text, str) and text.startswith("rgb"):
        parts = [float(p) for p in text[text.index("(") + 1 : -1].split(",")]
        red, green, blue = (part / 255 for part in parts[:3])
        own = parts[3] if len(parts) > len("rgb") else 1.0
    else:
        red, green, blue, own = to_rgba(text)
    return red, green, blue, own * (1.0 if opacity is None else opacity)


def dash(line: Any) -> Any:
    """How a line is broken."""
    return _DASHES.get(line.dash or "solid", "-")


def draw(axes: Any, trace: Any, x: Axis, y: Axis, *, level: int) -> None:
    """Draw one trace.

    Args:
        axes: Matplotlib's axes.
        trace: Plotly's.
        x: The axis along.
        y: The axis up.
        level: What lies above; the later the higher.
    """
    if isinstance(trace, go.Bar):
        _bars(axes, trace, x, y, level)
    elif isinstance(trace, go.Heatmap):
        _map(axes, trace, x, y, level)
    else:
        _scatter(axes, trace, x, y, level)


def stacked(traces: list[Any]) -> dict[int, np.ndarray]:
    """What lies below each area of a stack, by the place of its trace."""
    below: dict[tuple[str, str], np.ndarray] = {}
    bottoms = {}
    for i, trace in enumerate(traces):
        if not getattr(trace, "stackgroup", None):
            continue
        key = (trace.stackgroup, trace.yaxis or "y")
        heights = np.asarray(trace.y, dtype=float)
        bottoms[i] = below.get(key, np.zeros_like(heights))
        below[key] = bottoms[i] + heights
    return bottoms


def area(axes: Any, trace: Any, x: Axis, y: Axis, bottom: np.ndarray) -> None:
    """One area of a stack."""
    places = x.positions(trace.x)
    tops = bottom + np.asarray(trace.y, dtype=float)
    x.widen(places)
    y.widen(bottom, tops)
    hatch = _HATCHES.get(trace.fillpattern.shape or "")
    axes.fill_between(
        places,
        bottom,
        tops,
        color=colour(trace.fillcolor or trace.line.color, trace.opacity),
        linewidth=0,
        hatch=hatch,
        edgecolor="white" if hatch else "none",
        zorder=2,
    )


def _bars(axes: Any, trace: Any, x: Axis, y: Axis, level: int) -> None:
    lies = trace.orientation == "h"
    along, across = (y, x) if lies else (x, y)
    places = along.positions(trace.y if lies else trace.x)
    lengths = across.positions(trace.x if lies else trace.y)
    base = np.zeros(len(places)) if trace.base is None else across.positions(trace.base)
    across.has_bars |= trace.base is None
    width = _bar_width(trace, places)
    along.widen(places - width / 2, places + width / 2)
    across.widen(base, base + lengths)
    marker = trace.marker
    fills = _each(marker.color, len(places), _COLOURS.accent)
    edges = _each(marker.line.color, len(places), "rgba(0,0,0,0)")
    widths = _each(marker.line.width, len(places), 0)
    shades = _each(marker.opacity, len(places), 1.0)
    hatches = _each(marker.pattern.shape, len(places), "")
    bar = axes.barh if lies else axes.bar
    for i, place in enumerate(places):
        if not np.isfinite(lengths[i]):
            continue
        options = {("left" if lies else "bottom"): base[i]}
        hatch = _HATCHES.get(str(hatches[i]))
        bar(
            place,
            lengths[i],
            width[i],
            color=colour(fills[i], float(shades[i]) * (trace.opacity or 1)),
            edgecolor="white" if hatch else colour(edges[i]),
            linewidth=float(widths[i] or 0),
            hatch=hatch,
            zorder=2 + level / 100,
            **options,
        )


def _bar_width(trace: Any, places: np.ndarray) -> np.ndarray:
    if trace.width is not None:
        return np.broadcast_to(np.asarray(trace.width, dtype=float), places.shape)
    gaps = np.diff(np.unique(places))
    return np.full(places.shape, 0.8 * (gaps.min() if gaps.size else 1.0))


def _each(value: Any, n: int, otherwise: Any) -> list[Any]:
    if value is None:
        return [otherwise] * n
    if isinstance(value, (str, int, float)):
        return [value] * n
    return list(value)


def _map(axes: Any, trace: Any, x: Axis, y: Axis, level: int) -> None:
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    values = np.asarray(trace.z, dtype=float)
    columns = x.positions(_places(trace.x, values.shape[1]))
    rows = y.positions(_places(trace.y, values.shape[0]))
    scale = [(float(at), colour(c)) for at, c in trace.colorscale]
    axes.pcolormesh(
        _edges(columns),
        _edges(rows),
        values,
        cmap=LinearSegmentedColormap.from_list("scale", scale),
        vmin=trace.zmin,
        vmax=trace.zmax,
        edgecolor="white",
        linewidth=1,
        zorder=1 + level / 100,
    )
    x.widen(_edges(columns))
    y.widen(_edges(rows))
    if trace.texttemplate is not None:
        _cell_texts(axes, trace, columns, rows, level)


#: Share of the strongest colour from which on texts upon it are white.
_DEEP = 0.6


def _cell_texts(
    axes: Any, trace: Any, columns: np.ndarray, rows: np.ndarray, level: int
) -> None:
    """The text of each cell of a map, where all are shown."""
    strength = np.abs(np.asarray(trace.z, dtype=float)) / float(trace.zmax)
    for line, at_y, strong in zip(trace.text, rows, strength, strict=True):
        for text, at_x, share in zip(line, columns, strong, strict=True):
            axes.text(
                at_x,
                at_y,
                text,
                ha="center",
                va="center",
                fontsize=trace.textfont.size or 12,
                color="white" if share > _DEEP else "#10151c",
                zorder=2 + level / 100,
            )


def _places(named: Any, n: int) -> Any:
    """Names along an axis; numbers from zero where there are none."""
    return np.arange(n) if named is None else named


def _edges(centres: np.ndarray) -> np.ndarray:
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middles = (centres[:-1] + centres[1:]) / 2
    first, last = centres[:2], centres[-2:]
    return np.concatenate(
        [
            [first[0] - (first[1] - first[0]) / 2],
            middles,
            [last[1] + (last[1] - last[0]) / 2],
        ]
    )


def _scatter(axes: Any, trace: Any, x: Axis, y: Axis, level: int) -> None:
    across, up = x.positions(trace.x), y.positions(trace.y)
    x.widen(across)
    y.widen(up)
    above = 3 + level / 100
    mode = trace.mode or "lines"
    if trace.fill in ("toself", "tozeroy"):
        shade = colour(trace.fillcolor or trace.line.color)
        if trace.fill == "tozeroy":
            axes.fill_between(
                across, 0, up, color=shade, linewidth=0, zorder=2 + level / 100
            )
            y.widen(np.zeros(1))
        else:
            axes.fill(across, up, color=shade, linewidth=0, zorder=2 + level / 100)
    width = 2 if trace.line.width is None else trace.line.width
    if "lines" in mode and width > 0:
        axes.plot(
            across,
            up,
            color=colour(trace.line.color or _COLOURS.accent, trace.opacity),
            linewidth=width,
            linestyle=dash(trace.line),
            drawstyle="steps-mid" if trace.line.shape == "hvh" else "default",
            zorder=above,
        )
    for name in ("x", "y"):
        error = trace[f"error_{name}"]
        if error.array is not None:
            ends = _whiskers(axes, error, across, up, name, above)
            (x if name == "x" else y).widen(*ends)
    if "markers" in mode:
        _points(axes, trace, across, up, above)
    if "text" in mode and trace.text is not None:
        _texts(axes, trace, across, up)


def _whiskers(axes: Any, error: Any, across, up, along: str, above: float) -> Any:
    """Intervals of points; their lower and upper ends."""
    high = np.asarray(error.array, dtype=float)
    low = high if error.arrayminus is None else np.asarray(error.arrayminus, float)
    axes.errorbar(
        across,
        up,
        fmt="none",
        ecolor=colour(error.color or _COLOURS.ink),
        elinewidth=error.thickness or 1.25,
        capsize=(4 if error.width is None else error.width) / 2,
        zorder=above,
        **{f"{along}err": np.abs([low, high])},
    )
    middle = across if along == "x" else up
    return middle - np.abs(low), middle + np.abs(high)


def _points(axes: Any, trace: Any, across, up, above: float) -> None:
    marker, n = trace.marker, len(across)
    sizes = np.asarray(_each(marker.size, n, 6), dtype=float)
    fills = _each(marker.color, n, trace.line.color or _COLOURS.accent)
    edges = _each(marker.line.color, n, None)
    widths = _each(marker.line.width, n, 0)
    shades = _each(marker.opacity, n, trace.opacity or 1.0)
    symbols = _each(marker.symbol, n, "circle")
    for i in range(n):
        if not (np.isfinite(across[i]) and np.isfinite(up[i])) or shades[i] == 0:
            continue
        symbol, fill = str(symbols[i]), colour(fills[i], float(shades[i]))
        is_open = symbol.endswith("-open") or symbol in ("x-thin", "line-ns", "line-ew")
        width = float(widths[i] or 0)
        axes.plot(
            across[i],
            up[i],
            marker=_SYMBOLS.get(symbol.removesuffix("-open"), "o"),
            markersize=float(sizes[i]),
            markerfacecolor="none" if is_open else fill,
            markeredgecolor=colour(edges[i]) if edges[i] and width else fill,
            markeredgewidth=width or (1.5 if is_open else 0),
            linestyle="none",
            clip_on=False,
            # Above the whiskers of the same trace, below the next trace.
            zorder=above + 0.005,
        )


def _texts(axes: Any, trace: Any, across, up) -> None:
    n = len(across)
    texts, places = _each(trace.text, n, ""), _each(trace.textposition, n, "top center")
    for i in range(n):
        down, side = (str(places[i]).split() + ["center"])[:2]
        axes.annotate(
            markup.plain(str(texts[i] or "")),
            (across[i], up[i]),
            xytext=(
                {"left": -5, "center": 0, "right": 5}[side],
                {"top": 5, "middle": 0, "bottom": -5}[down],
            ),
            textcoords="offset points",
            ha={"left": "right", "center": "center", "right": "left"}[side],
            va={"top": "bottom", "middle": "center", "bottom": "top"}[down],
            fontsize=trace.textfont.size or 12,
            color=colour(trace.textfont.color or _COLOURS.ink),
            annotation_clip=False,
            zorder=9,
        )
