"""Marks that several figures share: bands, lines, direct labels, axes with a scale."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import style
from core.text.languages.language import marked, say

_LINE_PX = 17
#: Letters of a name beside a row: on a phone there is still room for what it is about.
ROW = 20


def band(
    x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str, opacity: Real = 0.18
) -> go.Scatter:
    """An interval as a filled band."""
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=style.fade(colour, opacity),
        hoverinfo="skip",
    )


def line(
    x: np.ndarray,
    y: np.ndarray,
    colour: str,
    *,
    hover: Sequence[str] | None = None,
    width: Real = 2,
    dash: str = "solid",
    marker: Mapping[str, Any] | None = None,
) -> go.Scatter:
    """A line whose hover text is given point by point."""
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers" if marker else "lines",
        line={"color": colour, "width": width, "dash": dash},
        marker=marker,
        **hovering(hover),
    )


def dots(  # noqa: PLR0913
    x: Any,
    y: Any,
    colour: Any,
    size: Any,
    hover: Sequence[str] | None = None,
    *,
    edge: tuple[Any, Real] | None = None,
    **marker: Any,
) -> go.Scatter:
    """Dots, each with what the mouse tells of it.

    Args:
        x: Where they are.
        y: Likewise.
        colour: Of all, or of each.
        size: Likewise, pixels.
        hover: Of each; None for none.
        edge: Colour and width of the line around them.
        marker: More of Plotly's markers, such as `symbol`.
    """
    marker |= {"color": colour, "size": size}
    if edge is not None:
        marker["line"] = {"color": edge[0], "width": edge[1]}
    return go.Scatter(x=x, y=y, mode="markers", marker=marker, **hovering(hover))


def seen_then_beyond(
    x: np.ndarray, y: np.ndarray, n_seen: int, colour: str, hover: Sequence[str]
) -> list[go.Scatter]:
    """A curve, solid as far as was seen (at least its first point), dashed beyond."""
    n = max(n_seen, 1)
    traces = [line(x[:n], y[:n], colour, hover=hover[:n])]
    if n < len(x):
        rest = slice(n - 1, None)  # both parts have the point at which they meet
        traces.append(line(x[rest], y[rest], colour, hover=hover[rest], dash="dash"))
    return traces


def hill(
    x: np.ndarray,
    y: np.ndarray,
    colour: str,
    opacity: Real = 0.2,
    *,
    hover: Sequence[str] | None = None,
    width: Real = 2,
) -> go.Scatter:
    """A density: a line, and the ground below it filled."""
    ground = {"fill": "tozeroy", "fillcolor": style.fade(colour, opacity)}
    return line(x, y, colour, hover=hover, width=width).update(ground)


def error(
    below: np.ndarray,
    above: np.ndarray,
    colour: str,
    *,
    thickness: Real = 1.25,
    width: Real = 4,
) -> dict[str, Any]:
    """An interval as a line through its mark, by its length on either side."""
    return {
        "type": "data",
        "symmetric": False,
        "array": above,
        "arrayminus": below,
        "color": colour,
        "thickness": thickness,
        "width": width,
    }


def whiskers(
    ends: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
    colour: str,
    *,
    first: int = 0,
    hover: Sequence[str] | None = None,
) -> go.Scatter:
    """The interval of each step of a waterfall, drawn where the step ends.

    Args:
        ends: Where the steps end, in the units of the axis; step.
        below: From the lower end of the interval to its middle; step.
        above: From the middle to the upper end; step.
        colour: Of the lines.
        first: Row of the first step.
        hover: What a step says when pointed at; nothing where not given.
    """
    return go.Scatter(
        y=first + np.arange(len(ends)),
        x=ends,
        mode="markers",
        marker={"size": 1, "opacity": 0},
        error_x=error(below, above, colour),
        **hovering(hover),
    )


def hovering(texts: Sequence[str] | None) -> dict[str, Any]:
    """Trace arguments that show exactly these hover texts."""
    if texts is None:
        return {"hoverinfo": "skip"}
    return {
        # As data, not in the template, where a name that holds %{ would be evaluated.
        "customdata": [style.literal(text) for text in texts],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def interval_words(
    name: str,
    shown: Callable[[Real], str],
    ends: tuple[Real, Real, Real],
    centre: str = "mean",
) -> str:
    """What a mark with an interval says when pointed at.

    Args:
        name: What it is of.
        shown: How its numbers are written.
        ends: The centre, and both ends of the interval.
        centre: What the centre is: mean or median.
    """
    value, low, high = map(shown, ends)
    return say(
        "<b>{name}</b><br>{centre} {value}<br>90 %: {low} to {high}",
        name=style.label(name, 60),
        centre=say(centre),
        value=value,
        low=low,
        high=high,
    )


def scaled(unit: str, largest: Real) -> tuple[float, str]:
    """Divisor of the data and the unit to print on its axis: (1e6, "M €")."""
    divisor, prefix = fmt.scale(largest)
    return divisor, fmt.scaled_unit(prefix, unit)


def on_axis(symbol: str, largest: Real) -> tuple[float, str]:
    """Divisor of the data and what its axis says under a title that names the KPI.

    Args:
        symbol: Of the currency; empty for what is counted, or where nobody has said.
        largest: The largest number.

    Returns:
        Such as (1e6, "M €") or (1e3, "thousands").
    """
    divisor, prefix = fmt.scale(largest)
    if symbol:
        return divisor, fmt.scaled_unit(prefix, symbol)
    return divisor, say(_COUNTS[divisor]) if divisor in _COUNTS else ""


def per_period(what: str, times: np.ndarray, money: str = "") -> str:
    """Title of a figure over time: `Sales units, per week`, `Revenue, M € per week`.

    Args:
        what: What is drawn, safe to draw.
        times: Its periods.
        money: What `on_axis` says of money; what is counted is its own unit.
    """
    places = {"what": what, "period": say(period(times))}
    if money:
        return say("{what}, {unit} per {period}", unit=money, **places)
    return say("{what}, per {period}", **places)


_COUNTS = {1e3: marked("thousands"), 1e6: marked("millions"), 1e9: marked("billions")}


def keyed(text: str, colour: str, glyph: str = "■") -> str:
    """Safe text behind a mark of its colour."""
    return f'<span style="color:{colour}">{glyph}</span> {text}'


def light(text: str) -> str:
    """An estimate with its brackets in a lighter tone."""
    number, _, bracket = text.partition(" (")
    return f'{number} <span style="opacity:0.65">({bracket}</span>'


def noted(
    figure: go.Figure, times: np.ndarray, notes: Sequence[tuple[str, str]]
) -> None:
    """Draw what people noted at dates: a dotted line, with its text beside it.

    Args:
        figure: The figure; its x axis is time.
        times: Period starts; a note of another time is left out.
        notes: ISO date and text.
    """
    colours = figure.layout.template.layout.xaxis.tickfont.color
    first, last = (str(np.datetime64(end, "D")) for end in (times[0], times[-1]))
    for day, text in notes:
        if not first <= day <= last:
            continue
        figure.add_vline(x=day, line={"color": colours, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=day,
            y=1,
            yref="paper",
            xanchor="left",
            yanchor="top",
            textangle=-90,
            text=style.label(text, 24),
            hovertext=fmt.named(fmt.date(day), style.label(text, 80)),
            showarrow=False,
            font={"size": 11, "color": colours},
        )


def end_labels(
    figure: go.Figure, labels: Sequence[tuple[Real, str]], limits: tuple[Real, Real]
) -> None:
    """Label lines or areas at the right edge, moved apart where they would overlap.

    Args:
        figure: The figure; its y range is set to `limits`.
        labels: Height in data units and safe text.
        limits: Lowest and highest value of the y axis.
    """
    figure.update_yaxes(range=list(limits))
    # 45 px: the labels of the horizontal axis below the plot.
    plot_px = figure.layout.height - figure.layout.margin.t - 45
    step = (limits[1] - limits[0]) * _LINE_PX / plot_px
    order = sorted(range(len(labels)), key=lambda i: labels[i][0])
    heights = spread([labels[i][0] for i in order], step, limits)
    for i, height in zip(order, heights, strict=True):
        _beside(figure, height, labels[i][1], shift=6, size=12)
    widest = max((visible_length(text) for _, text in labels), default=0)
    figure.update_layout(margin={"r": 22 + 7 * widest})


def _beside(figure: go.Figure, y: Real, text: str, shift: int, size: Real) -> None:
    """A text right of the plot at a height."""
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="left",
        xshift=shift,
        y=y,
        yanchor="middle",
        text=style.literal(text),
        showarrow=False,
        align="left",
        font={"size": size},
    )


def spread(
    heights: Sequence[Real], step: Real, limits: tuple[Real, Real]
) -> list[float]:
    """Ascending heights moved apart to at least `step`, kept within the limits."""
    if not heights:
        return []
    step = min(step, (limits[1] - limits[0]) / max(1, len(heights)))
    placed: list[float] = []
    for height in heights:
        lowest = placed[-1] + step if placed else limits[0] + step / 2
        placed.append(max(height, lowest))
    ceiling = limits[1] - step / 2
    # The first pass may have pushed the upper ones out at the top; this one pushes
    # back.
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - step
    return placed


def visible_length(text: str) -> int:
    """Number of characters that are drawn: without tags, entities as one."""
    length, inside, entity = 0, False, False
    for char in text:
        if char == "<":
            inside = True
        elif char == ">":
            inside = False
        elif char == "&":
            entity = True
        elif entity:
            entity = char != ";"
            length += char == ";"
        elif not inside:
            length += 1
    return length


#: Channels that a chart which adds them up shows one by one.
_MOST_PARTS = 12


def large_and_small(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of the parts that are drawn one by one, largest first, and of the rest.

    Args:
        sizes: How much each part is.
    """
    order = np.argsort(-sizes, kind="stable")
    if len(order) <= _MOST_PARTS:
        return order, order[:0]
    return order[: _MOST_PARTS - 1], order[_MOST_PARTS - 1 :]


def smaller(n: int) -> str:
    """What the rest is called."""
    return say("{number} smaller channels", number=n)


def rows_height(n_rows: int, *, frame: int = 96) -> int:
    """Height of a figure with one row per channel, in pixels."""
    return frame + n_rows * (32 if n_rows <= 10 else 26)


def row_axis(figure: go.Figure, texts: Sequence[str]) -> None:
    """Make the y axis a list of names from the top down."""
    n_rows = len(texts)
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(n_rows)),
        ticktext=list(texts),
        range=[n_rows - 0.5, -0.5],
        showgrid=False,
        ticklabelstandoff=6,
        tickfont={"size": 13},
        tickfont_color=figure.layout.template.layout.font.color,
    )
    figure.update_xaxes(showgrid=True, showline=False)


def row_texts(figure: go.Figure, texts: Sequence[str]) -> None:
    """Write one text per row into the right margin."""
    for row, text in enumerate(texts):
        _beside(figure, row, text, shift=10, size=12.5)
    widest = max((visible_length(text) for text in texts), default=0)
    figure.update_layout(margin={"r": 24 + int(6.6 * widest)})


def period(times: np.ndarray) -> str:
    """Word for the distance between period starts: day, week, month, quarter."""
    if len(times) < 2:
        return "period"
    steps = np.diff(np.asarray(times).astype("datetime64[D]")).astype(int)
    # The median, because months differ and a table may have gaps.
    days = float(np.median(steps))
    names = {"day": (1, 1), "week": (6, 8), "month": (27, 32), "quarter": (88, 93)}
    words = (word for word, (low, high) in names.items() if low <= days <= high)
    return next(words, "year" if 360 <= days <= 370 else "period")


def reference(figure: go.Figure, at: Real | str) -> None:
    """A vertical dotted line at a value that means something."""
    colour = style.palette().muted
    figure.add_vline(x=at, line={"color": colour, "width": 1.25, "dash": "dot"})


def percent_axis(axis: go.layout.XAxis | go.layout.YAxis) -> None:
    """Print an axis that holds percent (not shares)."""
    axis.ticksuffix = "\u00a0%"
