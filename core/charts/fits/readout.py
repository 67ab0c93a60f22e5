"""Read-out of a test of geos: the treated geos and what they would have done."""

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import marks, style
from core.charts.drawing.style import Theme
from core.experiments.reading.record import ReadoutRecord
from core.text.languages.language import say

#: Periods before the test that are shown, as a multiple of the test's own.
_BEFORE = 4


def treated_and_counterfactual(
    readout: ReadoutRecord, unit: str, *, theme: Theme = "light"
) -> go.Figure:
    """Outcome of the treated geos, and their counterfactual, before and in the test.

    Args:
        readout: The read-out.
        unit: Of the outcome: a currency, or the name of the KPI.
        theme: Light or dark.
    """
    colours = style.palette(theme)
    series, n_test = readout.series, len(readout.cumulative.time)
    first = max(len(series.time) - (_BEFORE + 1) * n_test, 0)
    times = np.array(series.time[first:], "datetime64[ns]")
    observed, expected = (
        np.array(values[first:]) for values in (series.observed, series.counterfactual)
    )
    divisor, shown = marks.scaled(unit, float(max(observed.max(), expected.max())))
    figure = style.figure(
        say("Treated geos and what they would have done, {shown}", shown=shown),
        theme=theme,
        height=310,
        note=say(
            "Line: observed. Dotted: counterfactual, from the control geos. "
            "The test begins at the vertical line."
        ),
        y=shown,
    )
    for values, colour, dash, name in (
        (expected, colours.muted, "dot", "counterfactual"),
        (observed, colours.accent, "solid", "observed"),
    ):
        texts = [
            f"<b>{fmt.date(str(time)[:10])}</b><br>{name} {fmt.exact(value, unit)}"
            for time, value in zip(times, values, strict=True)
        ]
        line = marks.line(times, values / divisor, colour, dash=dash, hover=texts)
        figure.add_trace(line)
    marks.reference(figure, readout.start, theme=theme)
    every = np.concatenate([observed, expected]) / divisor
    room = 0.08 * float(np.ptp(every)) or 1.0
    labels = [
        (observed[-1] / divisor, marks.keyed(say("observed"), colours.accent, "━")),
        (
            expected[-1] / divisor,
            marks.keyed(say("counterfactual"), colours.muted, "┅"),
        ),
    ]
    marks.end_labels(
        figure, labels, (float(every.min()) - room, float(every.max()) + room)
    )
    return figure


def cumulative(
    readout: ReadoutRecord, unit: str, *, theme: Theme = "light"
) -> go.Figure:
    """Incremental outcome up to each period of the test, with its 90 % interval.

    Args:
        readout: The read-out.
        unit: Of the outcome.
        theme: Light or dark.
    """
    colours, series = style.palette(theme), readout.cumulative
    times = np.array(series.time, "datetime64[ns]")
    mean, low, high = (np.array(each) for each in (series.mean, series.lo, series.hi))
    largest = float(max(np.abs(low).max(), np.abs(high).max()))
    divisor, shown = marks.scaled(unit, largest)
    figure = style.figure(
        say("Incremental outcome so far, {shown}", shown=shown),
        theme=theme,
        height=260,
        note=say("Line: estimate. Band: 90 % interval, from placebos."),
        y=shown,
    )
    figure.add_trace(
        marks.band(times, low / divisor, high / divisor, colours.accent, 0.2)
    )
    texts = [
        say(
            "<b>{day}</b><br>{effect}<br>90 %: {lo} to {hi}",
            day=fmt.date(day),
            effect=fmt.exact(effect, unit),
            lo=fmt.exact(lo, unit),
            hi=fmt.exact(hi, unit),
        )
        for day, effect, lo, hi in zip(series.time, mean, low, high, strict=True)
    ]
    figure.add_trace(marks.line(times, mean / divisor, colours.accent, hover=texts))
    figure.add_hline(y=0, line={"color": colours.muted, "width": 1, "dash": "dot"})
    return figure
