"""Figures about a channel's shapes: carryover, saturation, prior and posterior.

All read shapes.nc; its media are in multiples of typical exposure, or of the median of
active periods with preset `meridian`.
"""

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.charts.drawing import marks, style
from core.text.languages.language import marked, say

#: Units of `media_grid` where it is frequency, and where one is typical exposure.
FREQUENCY, TYPICAL = (
    marked("Exposures per person reached"),
    marked("typical exposure = 1"),
)
_PRIOR_HEIGHT = 190


def _hover(where: str, mean: float, low: float, high: float) -> str:
    share = f"{mean:.0f}\u00a0%"
    ends = {"low": f"{low:.0f}", "high": f"{high:.0f}"}
    return say(
        "{where}<br>{share} (90 %: {low} to {high})", where=where, share=share, **ends
    )


def _typical(now: float, unit: str, word: str) -> str:
    """What the dotted line marks; empty where there is none."""
    if not np.isfinite(now):
        return ""
    if unit == TYPICAL:
        return say("Dotted line: typical exposure.")
    return say("Dotted line: a typical {word}.", word=say(word))


def adstock(
    shapes: xr.Dataset,
    channel: str,
    *,
    colour: str | None = None,
    is_prior: bool = False,
) -> go.Figure:
    """How a channel's effect decays after the exposure.

    Args:
        shapes: shapes.nc, or what priors imply in the same form.
        channel: The channel.
        colour: The channel's colour; by its place in `shapes` unless given.
        is_prior: Whether it is assumed, not learnt: smaller, and says so.
    """
    word = period(shapes.attrs)
    shape = shapes[["adstock", "adstock_ci"]].sel(channel=channel)
    shade = colour or style.colour_of(shapes, channel)
    middle = 100 * shape["adstock"].values
    low, high = (100 * shape["adstock_ci"].sel(ci=end).values for end in ("lo", "hi"))
    figure = style.figure(
        say("Prior: carryover, % of the peak")
        if is_prior
        else say(
            "Carryover of {channel}, % of the first {word}'s effect",
            channel=style.label(channel),
            word=say(word),
        ),
        height=_PRIOR_HEIGHT if is_prior else 240,
        note=say("Bar: mean. Line: 90 % interval."),
        x=say("{periods} after the exposure", periods=fmt.periods_heading(word)),
        y="" if is_prior else say("% of the first {word}", word=say(word)),
    )
    figure.add_bar(
        x=shapes["lag"].values,
        y=middle,
        width=0.6,
        marker={"color": style.fade(shade, 0.8), "cornerradius": 3},
        error_y=marks.error(middle - low, high - middle, style.palette().ink),
        **marks.hovering(
            [
                _hover(say("{periods} after", periods=fmt.count(int(lag), word)), *ends)
                for lag, *ends in zip(
                    shapes["lag"].values, middle, low, high, strict=True
                )
            ]
        ),
    )
    marks.percent_axis(figure.layout.yaxis)
    # Delayed carryover peaks later, above the first period's 100 %.
    figure.update_yaxes(range=[0, 1.04 * max(100.0, float(high.max()))])
    figure.update_xaxes(dtick=1 if shapes.sizes["lag"] <= 16 else 4)
    return figure


def saturation(
    shapes: xr.Dataset,
    channel: str,
    *,
    colour: str | None = None,
    is_prior: bool = False,
) -> go.Figure:
    """How a channel's effect flattens as its media grow.

    Args:
        shapes: shapes.nc, or what priors imply in the same form; where `media_now` is
            NaN no typical period is marked.
        channel: The channel.
        colour: The channel's colour; by its place in `shapes` unless given.
        is_prior: Whether it is assumed, not learnt: smaller, and says so.
    """
    word = period(shapes.attrs)
    shape = shapes.sel(channel=channel)
    x, middle = shape["media_grid"].values, 100 * shape["saturation"].values
    low, high = (100 * shape["saturation_ci"].sel(ci=e).values for e in ("lo", "hi"))
    unit = str(
        shapes["media_grid"].attrs.get("unit")
        or say("median active {word} = 1", word=say(word))
    )
    now = float(shape["media_now"])
    by_frequency = unit == FREQUENCY
    figure = style.figure(
        say("Prior: saturation, % of its maximum")
        if is_prior
        else say(
            "Saturation of {channel}, % of the largest effect",
            channel=style.label(channel),
        ),
        height=_PRIOR_HEIGHT if is_prior else 240,
        note=f"{say('Band: 90 % interval.')} {_typical(now, unit, word)}".rstrip(),
        x=say(unit)
        if by_frequency
        else say(
            "Media per {word}, {unit}", word=say(word), unit=style.label(say(unit), 40)
        ),
        y="" if is_prior else say("% of the largest effect"),
    )
    colour = colour or style.colour_of(shapes, channel)
    figure.add_trace(marks.band(x, low, high, colour))
    times = say("exposures") if by_frequency else say("× the median")
    times = say("× typical exposure") if unit == TYPICAL else times
    hover = [
        _hover(f"{fmt.ratio(at)} {times}", *ends)
        for at, *ends in zip(x, middle, low, high, strict=True)
    ]
    figure.add_trace(marks.line(x, middle, colour, hover=hover))
    if np.isfinite(now):
        marks.reference(figure, now)
    marks.percent_axis(figure.layout.yaxis)
    figure.update_yaxes(range=[0, 104])
    return figure


def prior_posterior(shapes: xr.Dataset, channel: str) -> go.Figure:
    """Prior and posterior density of a channel's treatment parameter."""
    units = fmt.units(shapes.attrs)
    densities = shapes[["prior_grid", "prior_density", "posterior_density"]]
    densities = densities.sel(channel_all=channel)
    kind = str(densities["prior_kind"].values)
    name, unit, factor = quantity(kind, units)
    x = densities["prior_grid"].values * factor
    names = [str(n) for n in shapes["channel_all"].values]
    colour, faint = style.channel_colours(names)[channel], style.palette().faint
    keys = marks.keyed(say("prior"), faint), marks.keyed(say("posterior"), colour)
    figure = style.figure(
        say(
            "{name} of {channel}: prior and posterior, {unit}",
            name=name,
            channel=style.label(channel),
            unit=unit,
        ),
        height=240,
        note="\u2002".join(keys),
        x=f"{name}, {unit}",
    )
    for variable, shade, word in (
        ("prior_density", faint, "prior"),
        ("posterior_density", colour, "posterior"),
    ):
        hover = [
            say("{word} at {v}", word=say(word), v=fmt.exact(float(v), unit)) for v in x
        ]
        height = densities[variable].values / factor
        figure.add_trace(marks.hill(x, height, shade, hover=hover))
    figure.update_yaxes(showticklabels=False, showgrid=False, rangemode="tozero")
    return figure


def quantity(kind: str, units: fmt.Units) -> tuple[str, str, float]:
    """Name, unit and display factor of what a treatment prior is about."""
    outcome = style.label(units.outcome_in_text)
    return {
        "roi": (say("ROI"), style.label(units.roi), 1.0),
        "mroi": (say("Marginal ROI"), style.label(units.roi), 1.0),
        "contribution": (
            say("Contribution"),
            say("% of {outcome}", outcome=outcome),
            100.0,
        ),
    }.get(kind, (say("Coefficient"), say("scaled KPI"), 1.0))


def period(attrs: Mapping[str, Any]) -> str:
    """Word for one period, from the window that the attributes give."""
    try:
        start, end = (
            datetime.date.fromisoformat(str(attrs[k])[:10]) for k in ("start", "end")
        )
        days = (end - start).days / (int(attrs["n_times"]) - 1)
    except (KeyError, ValueError, ZeroDivisionError):
        return "period"
    first = np.datetime64(start)
    return marks.period(np.array([first, first + np.timedelta64(round(days), "D")]))
