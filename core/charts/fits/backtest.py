"""Figures about forecasts made before: what happened, and how often they held."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.analysis.ahead.backtest_record import BacktestRecord, Fold
from core.charts.drawing import marks, style
from core.text.languages.language import say


def forecasts(backtest: BacktestRecord, units: fmt.Units) -> go.Figure:
    """Actual outcome of every test window, and the forecast with its intervals.

    Args:
        backtest: With folds.
        units: Words for the units.
    """
    folds = sorted(backtest.folds, key=lambda fold: fold.origin)
    weeks = [week for fold in folds for week in fold.weeks]
    times = np.array([week.time for week in weeks], "datetime64[ns]")
    colours, unit = style.palette(), style.label(units.outcome)
    actual = np.array([week.actual for week in weeks])
    high = np.array([week.model.hi90 for week in weeks])
    low = np.array([week.model.lo90 for week in weeks])
    divisor, axis_unit = marks.scaled(unit, float(max(high.max(), actual.max())))
    word = marks.period(times)
    figure = style.figure(
        say(
            "Forecasts as they would have been, {shown} per {word}",
            shown=axis_unit,
            word=say(word),
        ),
        height=310,
        note=say(
            "Dots: actual. Line: median. Bands: 50 and 90 % intervals. "
            "Dotted: the same {periods} last year. Each fit ends at a vertical line.",
            periods=fmt.periods(word),
        ),
        y=say("{shown} per {word}", shown=axis_unit, word=say(word)),
    )
    for fold in folds:
        _fold(figure, fold, divisor, unit, colours)
    hover = [
        say(
            "<b>{time}</b><br>actual {actual}",
            time=fmt.date(week.time),
            actual=fmt.exact(week.actual, unit),
        )
        for week in weeks
    ]
    counted = actual / divisor
    figure.add_trace(marks.dots(times, counted, colours.ink, 5, hover, opacity=0.8))
    naive = np.array([week.seasonal_naive.median for week in weeks])
    every = np.concatenate([low, high, actual, naive]) / divisor
    room = 0.06 * float(np.ptp(every))
    figure.update_yaxes(range=[float(every.min()) - room, float(every.max()) + room])
    return figure


def _fold(figure: go.Figure, fold: Fold, divisor: float, unit: str, colours) -> None:
    """One origin: bands, median, a year earlier."""
    weeks = fold.weeks
    times = np.array([week.time for week in weeks], "datetime64[ns]")
    fold_style = {
        name: np.array([getattr(week.model, name) for week in weeks]) / divisor
        for name in ("lo90", "lo50", "median", "hi50", "hi90")
    }
    for mass, opacity in (("90", 0.16), ("50", 0.26)):
        ends = fold_style[f"lo{mass}"], fold_style[f"hi{mass}"]
        figure.add_trace(marks.band(times, *ends, colours.accent, opacity))
    naive = np.array([week.seasonal_naive.median for week in weeks]) / divisor
    figure.add_trace(marks.line(times, naive, colours.faint, dash="dot"))
    hovers = [
        say(
            "<b>{time}</b><br>forecast {median}<br>90 %: {lo90} to {hi90}",
            time=fmt.date(week.time),
            median=fmt.exact(week.model.median, unit),
            lo90=fmt.exact(week.model.lo90, unit),
            hi90=fmt.exact(week.model.hi90, unit),
        )
        for week in weeks
    ]
    figure.add_trace(
        marks.line(times, fold_style["median"], colours.accent, hover=hovers)
    )
    begin = {"color": colours.muted, "width": 1, "dash": "dot"}
    figure.add_vline(x=fold.origin, line=begin)


def calibration(
    points: Sequence[tuple[float, float, float, float]], n: int
) -> go.Figure:
    """Share of intervals that held by their level, with the band of right ones.

    Args:
        points: Level, share held, and the ends of the band; shares.
        n: Intervals of each level.
    """
    colours = style.palette()
    level, coverage, low, high = 100 * np.array(points, float).T
    figure = style.figure(
        say("How often intervals held"),
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
    hover = [_hover_of_level(*each) for each in points]
    dots = {"size": 7, "color": colours.accent}
    figure.add_trace(
        marks.line(level, coverage, colours.accent, hover=hover, marker=dots)
    )
    figure.update_layout(showlegend=False)
    marks.percent_axis(figure.layout.xaxis)
    marks.percent_axis(figure.layout.yaxis)
    figure.update_xaxes(range=[0, 100], dtick=20)  # so that a phone has room
    figure.update_yaxes(range=[0, 102])
    return figure


def _hover_of_level(level: float, share: float, least: float, most: float) -> str:
    return say(
        "{level} intervals: {share} held<br>{least} to {most} would be no surprise",
        level=fmt.share(level),
        share=fmt.share(share),
        least=fmt.share(least),
        most=fmt.share(most),
    )
