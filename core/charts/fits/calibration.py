"""Figure of calibration: how often intervals held, beside how often they should."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.drawing.style import Theme


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
    drawn = style.figure(
        "How often intervals held",
        theme=theme,
        height=300,
        x="Level of the interval",
        y="Share that held",
        note=f"{fmt.count(n, 'interval')}. Band: what right intervals would show.",
    )
    drawn.add_trace(marks.band(level, low, high, colours.faint))
    drawn.add_trace(
        marks.line(
            np.array([0.0, 100.0]), np.array([0.0, 100.0]), colours.faint, width=1
        )
    )
    hovers = [
        f"{fmt.share(each)} intervals: {fmt.share(share)} held<br>"
        f"{fmt.share(least)} to {fmt.share(most)} would be no surprise"
        for each, share, least, most in points
    ]
    drawn.add_trace(
        go.Scatter(
            x=level,
            y=held,
            mode="lines+markers",
            line={"color": colours.accent, "width": 2},
            marker={"size": 7, "color": colours.accent},
            **marks.hovering(hovers),
        )
    )
    drawn.update_layout(showlegend=False)
    marks.percent_axis(drawn.layout.xaxis)
    marks.percent_axis(drawn.layout.yaxis)
    drawn.update_xaxes(range=[0, 100])
    drawn.update_yaxes(range=[0, 102])
    return drawn
