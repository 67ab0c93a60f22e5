"""Figure about time: each channel's ROI in one fit after the other, with its band."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core import text as fmt
from core.charts import marks, style
from core.charts.style import Theme

_COLUMNS = 3
_PANEL = 150


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
        f"ROI from fit to fit, {style.label(units.roi)}",
        theme=theme,
        height=90 + _PANEL * n_rows,
        note="Line: mean of each fit. Band: 90 % interval.",
    )
    drawn = make_subplots(
        rows=n_rows,
        cols=min(_COLUMNS, max(len(names), 1)),
        subplot_titles=[style.label(name) for name in names],
        vertical_spacing=0.32 / max(n_rows, 1),
        horizontal_spacing=0.06,
    )
    drawn.update_layout(frame.layout)
    labels = [style.literal(label) for label, _ in fits]
    for place, name in enumerate(names):
        row, column = divmod(place, _COLUMNS)
        at = [i for i, (_, roi) in enumerate(fits) if name in roi]
        x = np.array(at, float)
        low, middle, high = (
            np.array([fits[i][1][name][key] for i in at], float)
            for key in ("lo", "mean", "hi")
        )
        where = {"row": row + 1, "col": column + 1}
        drawn.add_trace(marks.band(x, low, high, colours[name]), **where)
        drawn.add_scatter(
            x=x,
            y=middle,
            mode="lines+markers",
            line={"color": colours[name], "width": 2},
            marker={"size": 5, "color": colours[name]},
            **where,
            **marks.hovering(
                [
                    f"<b>{style.label(name)}</b>, {labels[i]}<br>"
                    f"{fmt.estimate(fits[i][1][name], 'ratio')}"
                    for i in at
                ]
            ),
        )
    drawn.update_layout(showlegend=False)
    _axis(drawn, labels)
    return drawn


def _axis(drawn: go.Figure, labels: Sequence[str]) -> None:
    """The first and the last fit by name: more would not fit."""
    ends = sorted({0, len(labels) - 1})
    drawn.update_xaxes(
        tickvals=ends,
        ticktext=[labels[i] for i in ends],
        range=[-0.3, len(labels) - 0.7],
    )
    drawn.update_yaxes(rangemode="tozero")
