"""Figures of the model check: the data beside what the model would have given."""

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.analysis.record.sections import Check, ModelCheck
from core.charts.drawing import bars, marks, style
from core.text import scores
from core.text.languages.language import say
from core.text.languages.reworded import reworded


def checks(check: ModelCheck) -> go.Figure:
    """Each check's number of the data within the range of its simulations.

    Args:
        check: Of a fit.
    """
    ranges = [each for each in check.checks if each.hi > each.lo]
    colours = style.palette()
    figure = style.figure(
        say("Model check: the data within what the model would have given"),
        height=marks.rows_height(len(ranges)),
        note=say(
            "Bar: 90 % of simulations, each check on its own scale. Dot: the data."
        ),
        x=say("In units of half the bar"),
    )
    at = np.arange(len(ranges))
    middle, half = _scale(ranges)
    low, high = (
        (np.array([getattr(each, end) for each in ranges]) - middle) / half
        for end in ("lo", "hi")
    )
    shade = style.fade(colours.faint, 0.5)
    figure.add_trace(bars.intervals(at, low, high, shade, width=0.5))
    actual = (np.array([each.actual for each in ranges]) - middle) / half
    shades = {"ok": colours.accent, "borderline": colours.muted, "missed": colours.low}
    # Further out they would squeeze all bars; a diamond says that it lies beyond.
    x = np.clip(actual, -3, 3)
    symbols = ["diamond" if abs(v) > 3 else "circle" for v in actual]
    own, hover = (
        [shades.get(c.status, colours.ink) for c in ranges],
        map(_hover, ranges),
    )
    figure.add_trace(marks.dots(x, at, own, 10, [*hover], symbol=symbols))
    marks.row_axis(figure, [style.label(reworded(each.label), 40) for each in ranges])
    figure.update_xaxes(range=[-3.2, 3.2], showticklabels=False, zeroline=False)
    return figure


def _hover(check: Check) -> str:
    return say(
        "<b>{label}</b><br>data {actual}<br>model, 90 %: {expected}",
        label=style.label(reworded(check.label), 60),
        actual=scores.check_number(check.unit, check.actual),
        expected=scores.check_range(check.unit, check.lo, check.hi),
    )


def _scale(ranges: list[Check]) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half width of the simulations' range."""
    low, high = (
        np.array([getattr(each, end) for each in ranges]) for end in ("lo", "hi")
    )
    return (low + high) / 2, (high - low) / 2


def residuals(weeks: xr.Dataset) -> go.Figure:
    """What the model leaves unexplained over time, in scales of its noise.

    Args:
        weeks: weeks.nc, with `predicted_ci`.
    """
    times = weeks["time"].values
    low, high = (weeks["predicted_ci"].sel(ci=end).values for end in ("lo", "hi"))
    # The view has no draws, only the 90 % interval of what is predicted.
    spread = (high - low) / (2 * 1.645)
    deviations = (weeks["actual"].values - weeks["expected"].values) / spread
    colours = style.palette()
    figure = style.figure(
        say("Residuals over time, in standard deviations of what is predicted"),
        height=240,
        note=say("No pattern is a good sign. Beyond the dotted lines lies one in ten."),
        y=say("Standard deviations"),
    )
    hover = [
        f"{fmt.date(str(time)[:10])}<br>{fmt.ratio(value, signed=True, decimals=1)}"
        for time, value in zip(times, deviations, strict=True)
    ]
    figure.add_bar(
        x=times,
        y=deviations,
        marker={
            "color": [
                colours.low if abs(value) > 3 else style.fade(colours.accent, 0.7)
                for value in deviations
            ],
            "line_width": 0,
        },
        **marks.hovering(hover),
    )
    line = {"color": colours.muted, "width": 1.25, "dash": "dot"}
    for end in (-1.645, 1.645):
        figure.add_hline(y=end, line=line)
    return figure


def densities(replicated: xr.Dataset, *, unit: str = "") -> go.Figure:
    """Distribution of the KPI in the data and in simulations by the fitted model.

    Args:
        replicated: replicated.nc.
        unit: Unit of the KPI, safe to draw.
    """
    colours = style.palette()
    x = replicated["grid"].values
    divisor, axis_unit = marks.scaled(unit, float(np.abs(x).max()))
    word = marks.period(replicated["time"].values)
    figure = style.figure(
        say("The KPI per {word} in the data and in simulations", word=say(word))
        + (f", {axis_unit}" if axis_unit else ""),
        height=240,
        note=marks.keyed(say("simulated"), colours.faint, "━")
        + "\u2002"
        + marks.keyed(say("data"), colours.accent, "━"),
        x=say("KPI per {word}, {shown}", word=say(word), shown=axis_unit)
        if axis_unit
        else say("KPI per {word}", word=say(word)),
    )
    for row in replicated["simulated"].transpose("replication", "point").values:
        line = marks.line(x / divisor, row, style.fade(colours.faint, 0.45), width=1)
        figure.add_trace(line)
    figure.add_trace(
        marks.line(x / divisor, replicated["actual"].values, colours.accent, width=3)
    )
    figure.update_yaxes(showticklabels=False, showgrid=False, rangemode="tozero")
    return figure
