"""Comparison: one measure of every channel in two fits, each with its interval."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import bars, marks, style
from core.estimate import OptionalEstimate
from core.plan.comparison import ComparedChannel
from core.text.languages.language import marked, say

_TITLES = {
    "roi": marked("ROI"),
    "mroi": marked("Marginal ROI"),
    "contribution": marked("Contribution"),
}

#: Distance of a fit's marks from the middle of its row.
_APART = 0.19


def pairs(
    channels: Sequence[ComparedChannel], measure: str, units: fmt.Units
) -> go.Figure:
    """Both fits' means and 90 % intervals, channel by channel.

    Args:
        channels: Those of a comparison that have the measure.
        measure: `roi`, `mroi` or `contribution`.
        units: Words for the units.
    """
    names = [row.name for row in channels]
    colours = style.channel_colours(names)
    results = [row.measure(measure) for row in channels]
    both = [(each.a, each.b) for each in results]
    divisor, unit = 1.0, style.label(units.roi)
    if measure == "contribution":
        largest = max(
            (abs(estimate.hi) for pair in both for estimate in pair), default=0.0
        )
        divisor, unit = marks.scaled(style.label(units.outcome), largest)
    figure = style.figure(
        say("{titles} in both fits, {unit}", titles=say(_TITLES[measure]), unit=unit),
        height=marks.rows_height(len(names)),
        note=say("Upper, filled: fit A. Lower, hollow: fit B. Bar: 90 % interval."),
        x=unit,
    )
    fill = style.palette().background
    for side in (0, 1):
        tones = [colours[name] for name in names]
        _marks(figure, names, [pair[side] for pair in both], side, divisor, tones, fill)
    figure.update_layout(barmode="overlay")
    marks.row_axis(figure, [style.label(name) for name in names])
    return figure


def _marks(
    figure: go.Figure,
    names: Sequence[str],
    estimates: Sequence[OptionalEstimate],
    side: int,
    divisor: float,
    tones: Sequence[str],
    background: str,
) -> None:
    """Bars and dots of one fit."""
    at = np.arange(len(names)) + _APART * (2 * side - 1)
    low, middle, high = (
        np.array([getattr(estimate, key) for estimate in estimates], float) / divisor
        for key in ("lo", "mean", "hi")
    )
    shades = [style.fade(tone, 0.45 - 0.2 * side) for tone in tones]
    figure.add_trace(bars.intervals(at, low, high, shades, width=0.18))
    texts = [
        marks.interval_words(
            say("{name}, fit {part}", name=name, part="AB"[side]),
            fmt.exact,
            (estimate.mean, estimate.lo, estimate.hi),
        )
        for name, estimate in zip(names, estimates, strict=True)
    ]
    own, edge = [background if side else tone for tone in tones], (list(tones), 2)
    figure.add_trace(marks.dots(middle, at, own, 9, texts, edge=edge))
