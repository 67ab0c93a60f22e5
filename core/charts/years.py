"""Figures about years: a channel's return in each, and how its effectiveness changed.

Both read years.nc.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.drawing.style import Theme
from core.text.languages.language import say

_HEIGHT = 240


def roi_by_year(
    years: xr.Dataset, channel: str, *, theme: Theme = "light"
) -> go.Figure:
    """ROI of each year of the data, with its interval.

    Args:
        years: years.nc.
        channel: A channel with spend.
        theme: Light or dark.
    """
    units = fmt.units(years.attrs)
    unit = style.label(units.roi)
    of_channel = years[["roi", "roi_ci", "spend"]].sel(channel=channel)
    middle = of_channel["roi"].values
    low, high = (of_channel["roi_ci"].sel(ci=end).values for end in ("lo", "hi"))
    names = [
        say("from {start}", start=fmt.date(str(start)))
        for start in of_channel["year"].values
    ]
    figure = style.figure(
        say(
            "ROI of {channel} by year, {unit}", channel=style.label(channel), unit=unit
        ),
        theme=theme,
        height=_HEIGHT,
        note=say("Dot: mean. Line: 90 % interval."),
        x=say("Year of the data"),
        y=unit,
    )
    figure.add_scatter(
        x=names,
        y=middle,
        mode="markers",
        marker={"color": style.colour_of(years, channel), "size": 9},
        error_y=marks.error(
            middle - low,
            high - middle,
            style.colour_of(years, channel),
            thickness=2,
            width=0,
        ),
        **marks.hovering(
            [
                _hover(name, of_year, fmt.money(float(spent), units.currency))
                for name, *of_year, spent in zip(
                    names, middle, low, high, of_channel["spend"].values, strict=True
                )
            ]
        ),
    )
    figure.update_yaxes(rangemode="tozero")
    figure.update_xaxes(type="category")
    return figure


def _hover(name: str, roi: Sequence[float], spent: str) -> str:
    mean, low, high = map(fmt.ratio, roi)
    return say(
        "Year {name}<br>ROI {mean} (90 %: {low} to {high})<br>spend {spent}",
        name=name,
        mean=mean,
        low=low,
        high=high,
        spent=spent,
    )


def effectiveness(
    years: xr.Dataset, channel: str, *, theme: Theme = "light"
) -> go.Figure:
    """What a drifting channel's effect was multiplied by, over time.

    Args:
        years: years.nc of a model with channels that drift.
        channel: The channel.
        theme: Light or dark.
    """
    of_channel = years[["effectiveness", "effectiveness_ci"]].sel(channel=channel)
    when = years["time"].values
    middle = 100 * of_channel["effectiveness"].values
    low, high = (
        100 * of_channel["effectiveness_ci"].sel(ci=e).values for e in ("lo", "hi")
    )
    figure = style.figure(
        say(
            "Effectiveness of {channel} over time, % of its average",
            channel=style.label(channel),
        ),
        theme=theme,
        height=_HEIGHT,
        note=say("Band: 90 % interval. Dotted line: no change."),
    )
    colour = style.colour_of(years, channel)
    figure.add_trace(marks.band(when, low, high, colour))
    hover = [
        say(
            "{at}<br>{m}\u00a0% (90 %: {lo} to {hi})",
            at=fmt.date(np.datetime_as_string(at, "D")),
            m=f"{m:.0f}",
            lo=f"{lo:.0f}",
            hi=f"{hi:.0f}",
        )
        for at, m, lo, hi in zip(when, middle, low, high, strict=True)
    ]
    figure.add_trace(marks.line(when, middle, colour, hover=hover))
    figure.add_hline(
        y=100, line={"color": style.palette(theme).faint, "width": 1, "dash": "dot"}
    )
    marks.percent_axis(figure.layout.yaxis)
    return figure
