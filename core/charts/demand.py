"""Figure of spend beside the KPI: does the one follow the other?"""

import numpy as np
import plotly.graph_objects as go

from core.charts import format as fmt
from core.charts import marks, style
from core.charts.style import Theme
from core.data.demand.comparison import Comparison


def spend_and_kpi(
    shown: Comparison,
    *,
    kpi: str,
    colour: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """Log spend of a channel and the KPI, in standard deviations from their trend.

    Args:
        shown: Both series.
        kpi: Name of the KPI.
        colour: Of the channel.
        theme: Light or dark.
    """
    colours = style.palette(theme)
    colour = colour or colours.accent
    drawn = style.figure(
        f"Spend on {style.label(shown.channel)} and {style.label(kpi)}",
        theme=theme,
        height=280,
        note="Standard deviations from the trend; gaps are periods without spend.",
        y="standard deviations",
    )
    days = [fmt.date(str(day)) for day in shown.times.astype("datetime64[D]")]
    lines = (
        (style.label(kpi, 18), shown.kpi, colours.faint),
        (style.label(shown.channel, 18), shown.spend, colour),
    )
    for name, values, shade in lines:
        hover = [
            f"{name}, {day}<br>{fmt.ratio(value)} sd" if np.isfinite(value) else ""
            for day, value in zip(days, values, strict=True)
        ]
        drawn.add_trace(marks.line(shown.times, values, shade, hover=hover, width=1.75))
    largest = max(np.nanmax(np.abs(values), initial=1.0) for _, values, _ in lines)
    ends = [(_last(values), marks.keyed(name, shade)) for name, values, shade in lines]
    marks.end_labels(drawn, ends, (-1.08 * largest, 1.08 * largest))
    return drawn


def _last(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else 0.0
