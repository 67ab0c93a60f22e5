"""Figure about time: each channel's ROI in one fit after the other, with its band."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.drawing.style import Theme
from core.text.languages.language import say

_COLUMNS = 3
_PANEL = 165


def returns(
    fits: Sequence[tuple[str, Mapping[str, Mapping[str, Any]]]],
    units: fmt.Units,
    *,
    theme: Theme = "light",
) -> go.Figure:
    """One panel per channel, a point per fit.

    Args:
        fits: Label of each fit, oldest first, and its ROI by channel.
        units: Words for the units.
        theme: Light or dark.
    """
    names = list(dict.fromkeys(name for _, roi in fits for name in roi))
    colours = style.channel_colours(names)
    n_rows = -(-len(names) // _COLUMNS) or 1
    frame = style.figure(
        say("ROI from fit to fit, {roi}", roi=style.label(units.roi)),
        theme=theme,
        height=110 + _PANEL * n_rows,
        note=say(
            "Line: mean of each fit, by the last day of its data. Band: 90 % interval."
        ),
    )
    figure = make_subplots(
        rows=n_rows,
        cols=min(_COLUMNS, max(len(names), 1)),
        subplot_titles=[style.label(name) for name in names],
        # Plotly takes the gap as a share of the whole height, so that it shrinks with
        # rows.
        vertical_spacing=0.44 / max(n_rows, 1),
        horizontal_spacing=0.06,
    )
    figure.update_layout(frame.layout)
    figure.update_layout(margin={"t": frame.layout.margin.t + 26})
    figure.update_annotations(font_size=12)
    labels = [style.literal(label) for label, _ in fits]
    for place, name in enumerate(names):
        row, column = divmod(place, _COLUMNS)
        returns_by_fit = [
            (i, roi[name]) for i, (_, roi) in enumerate(fits) if name in roi
        ]
        for trace in _panel(name, returns_by_fit, labels, colours[name]):
            figure.add_trace(trace, row=row + 1, col=column + 1)
    figure.update_layout(showlegend=False)
    _axis(figure, labels)
    return figure


def _panel(
    name: str,
    returns_by_fit: Sequence[tuple[int, Mapping[str, Any]]],
    labels: Sequence[str],
    colour: str,
) -> Iterator[go.Scatter]:
    """Band and line of one channel; its estimates by number of the fit."""
    x = np.array([i for i, _ in returns_by_fit], float)
    low, middle, high = (
        np.array([roi[key] for _, roi in returns_by_fit], float)
        for key in ("lo", "mean", "hi")
    )
    yield marks.band(x, low, high, colour)
    hovers = [
        f"<b>{style.label(name)}</b>, {labels[i]}<br>{fmt.estimate(roi, 'ratio')}"
        for i, roi in returns_by_fit
    ]
    yield go.Scatter(
        x=x,
        y=middle,
        mode="lines+markers",
        line={"color": colour, "width": 2},
        marker={"size": 5, "color": colour},
        **marks.hovering(hovers),
    )


def _axis(figure: go.Figure, labels: Sequence[str]) -> None:
    """The first and the last fit by name, on two lines: more would not fit a phone."""
    ends = sorted({0, len(labels) - 1})
    figure.update_xaxes(
        tickvals=ends,
        ticktext=["<br>".join(labels[i].rsplit(" ", 1)) for i in ends],
        tickangle=0,
        range=[-0.3, len(labels) - 0.7],
    )
    figure.update_yaxes(rangemode="tozero")
