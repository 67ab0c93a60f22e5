"""Figure of spend beside the KPI: does the one follow the other?"""

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.drawing.style import Theme
from core.data.demand.comparison import Comparison
from core.text.languages.language import say


def spend_and_kpi(
    shown: Comparison,
    *,
    kpi: str,
    colour: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Log spend of a channel and the KPI, each by its distance from its trend.

    In percent of its largest distance, so that both fill the figure.

    Args:
        shown: Both series.
        kpi: Name of the KPI.
        colour: Of the channel.
        theme: Light or dark.
    """
    colours = style.palette(theme)
    colour = colour or colours.accent
    figure = style.figure(
        say(
            "{channel} and {kpi}: from trend, % of the largest",
            channel=style.label(shown.channel, 18),
            kpi=style.label(kpi, 18),
        ),
        theme=theme,
        height=280,
        note=say("Log of spend and KPI; gaps are periods without spend."),
        y=say("% of the largest"),
    )
    days = [fmt.date(str(day)) for day in shown.times.astype("datetime64[D]")]
    lines = (
        (style.label(kpi, 18), _share(shown.kpi), colours.faint),
        (style.label(shown.channel, 18), _share(shown.spend), colour),
    )
    for name, values, shade in lines:
        hover = [
            f"{name}, {day}<br>{value:.0f} %" if np.isfinite(value) else ""
            for day, value in zip(days, values, strict=True)
        ]
        figure.add_trace(
            marks.line(shown.times, values, shade, hover=hover, width=1.75)
        )
    ends = [(_last(values), marks.keyed(name, shade)) for name, values, shade in lines]
    marks.end_labels(figure, ends, (-108, 108))
    return figure


def _share(values: np.ndarray) -> np.ndarray:
    """Percent of the largest distance from zero."""
    largest = np.nanmax(np.abs(values), initial=0.0)
    return 100 * values / largest if largest > 0 else values


def _last(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else 0.0
