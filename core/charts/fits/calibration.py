"""Figure of calibration: how often intervals held, beside how often they should."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.drawing.style import Theme
from core.text.languages.language import say


def calibration(
    points: Sequence[tuple[float, float, float, float]],
    n: int,
    *,
    theme: Theme = "light",
) -> go.Figure:
    """Share of intervals that held by their level, with the band of right ones.

    Args:
        points: Level, share held, and the ends of the band; shares.
        n: Intervals of each level.
        theme: Light or dark.
    """
    colours = style.palette(theme)
    level, held, low, high = 100 * np.array(points, float).T
    figure = style.figure(
        say("How often intervals held"),
        theme=theme,
        height=300,
        x=say("Level of the interval"),
        y=say("Share that held"),
        note=say(
            "{intervals}. Band: what right intervals would show.",
            intervals=fmt.count(n, "interval"),
        ),
    )
    figure.add_trace(marks.band(level, low, high, colours.faint))
    whole = np.array([0.0, 100.0])
    figure.add_trace(marks.line(whole, whole, colours.faint, width=1))
    figure.add_trace(
        go.Scatter(
            x=level,
            y=held,
            mode="lines+markers",
            line={"color": colours.accent, "width": 2},
            marker={"size": 7, "color": colours.accent},
            **marks.hovering([_hover(*each) for each in points]),
        )
    )
    figure.update_layout(showlegend=False)
    marks.percent_axis(figure.layout.xaxis)
    marks.percent_axis(figure.layout.yaxis)
    figure.update_xaxes(range=[0, 100], dtick=20)  # so that a phone has room
    figure.update_yaxes(range=[0, 102])
    return figure


def _hover(level: float, share: float, least: float, most: float) -> str:
    return say(
        "{level} intervals: {share} held<br>{least} to {most} would be no surprise",
        level=fmt.share(level),
        share=fmt.share(share),
        least=fmt.share(least),
        most=fmt.share(most),
    )
