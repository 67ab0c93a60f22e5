"""Lift tests: what geos did in one, and what each did to the model.

In `results` every test has a block with separate axes, because tests differ in size:
its incremental outcome on the left, the ROI of its channel on the right. A dot is a
mean, a bar the 90 % interval.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core import text as fmt
from core.analysis.record.sections import LiftTestResult
from core.charts.drawing import bars, marks, style
from core.estimate import OptionalEstimate
from core.experiments.reading.record import ReadoutRecord
from core.text.languages.language import marked, say
from core.text.lift_tests import tested

#: Rows of a block, from the top down: key and label.
ROWS = (
    ("prior", marked("Prior")),
    ("without", marked("Without the test")),
    ("test", marked("The test")),
    ("posterior", marked("With the test")),
)
_BLOCK_PX, _GAP_PX, _TOP_PX, _BOTTOM_PX = 96, 78, 104, 46
#: The second line of a block's title.
_SMALL = '<span style="font-size:12px;opacity:0.65">{}</span>'
#: Stands where the draws with a test say too little about the model without it.
_OPEN = marked("not known from these draws")


def results(
    tests: Sequence[LiftTestResult],
    *,
    units: fmt.Units,
    order: Sequence[str] | None = None,
) -> go.Figure:
    """Intervals of every test and of the model before and after it.

    Args:
        tests: `experiments` of the record of a fit.
        units: Units of the project.
        order: Every channel of the project, which fixes colours.
    """
    n = len(tests)
    inner = n * _BLOCK_PX + (n - 1) * _GAP_PX
    title = say(
        "Incremental {outcome} and ROI, test by test",
        outcome=style.label(units.outcome_in_text),
    )
    figure = style.figure(
        title[:1].upper() + title[1:],  # in French the KPI's name comes first
        height=inner + _TOP_PX + _BOTTOM_PX,
        note=say("Dot: mean. Bar: 90 % interval."),
    )
    make_subplots(
        rows=n,
        cols=2,
        figure=figure,
        shared_yaxes=True,
        column_widths=[0.58, 0.42],
        horizontal_spacing=0.05,
        vertical_spacing=_GAP_PX / inner if n > 1 else 0,
    )
    figure.update_layout(margin={"t": _TOP_PX, "b": _BOTTOM_PX})
    names = list(order or dict.fromkeys(test.channel for test in tests))
    colours = style.channel_colours(names)
    for row, test in enumerate(tests, start=1):
        colour = colours.get(test.channel, style.palette().accent)
        _lift(figure, row, test, units, colour)
        _roi(figure, row, test, units, colour)
        _title(figure, row, test)
    return figure


def _when(test: LiftTestResult) -> str:
    """When and where a test ran: `6 Feb 2023 to 19 Mar 2023, North and South`."""
    dates = say("{start} to {end}", start=fmt.date(test.start), end=fmt.date(test.end))
    return ", ".join(filter(None, (dates, places(test))))


def places(test: LiftTestResult) -> str:
    """The geos of a test, in words; empty where it ran in all."""
    geos, names = test.geos, ", ".join(test.geos[:3])
    return (
        say("{shown} and {n_geos} more", shown=names, n_geos=len(geos) - 3)
        if len(geos) > 3
        else names
    )


def _title(figure: go.Figure, row: int, test: LiftTestResult) -> None:
    axis = figure.get_subplot(row, 1)
    word = say("agrees") if test.agrees else say("in tension")
    name, when = style.label(tested(test.channels), 60), style.label(_when(test), 60)
    figure.add_annotation(
        x=0,
        xref="paper",
        xanchor="left",
        y=axis.yaxis.domain[1],
        yref="paper",
        yanchor="bottom",
        yshift=3,
        text=f"<b>{name}</b> · {word}<br>{_SMALL.format(when)}",
        align="left",
        showarrow=False,
        font={"size": 13},
    )


def _lift(figure, row, test, units: fmt.Units, colour: str) -> None:
    estimates = {key: getattr(test, key) for key, _ in ROWS}
    # Not the prior: where it is wide it would decide the unit of all.
    firm = [
        estimates[key]
        for key in ("without", "test", "posterior")
        if _has(estimates[key])
    ]
    largest = max(max(abs(each.lo), abs(each.hi)) for each in firm)
    divisor, axis_unit = marks.scaled(style.label(units.outcome), largest)

    def show(value: float) -> str:
        return style.label(units.show(value), 60)

    _bars(figure, (row, 1), estimates, divisor, show, colour)
    axis = figure.get_subplot(row, 1)
    axis.xaxis.range = _range(estimates, firm, divisor)
    if not _has(estimates["without"]):
        _say_open(figure, axis)
    axis.xaxis.title.text = style.literal(axis_unit)
    axis.yaxis.tickvals = list(range(len(ROWS)))
    axis.yaxis.ticktext = [say(label) for _, label in ROWS]
    _row_axes(axis)


def _roi(figure, row, test, units: fmt.Units, colour: str) -> None:
    roi = test.roi
    axis = figure.get_subplot(row, 2)
    _row_axes(axis)
    if roi is None:
        axis.xaxis.visible = False
        return
    estimates = {key: getattr(roi, key) for key in ("prior", "without", "posterior")}
    firm = [estimates[key] for key in ("without", "posterior") if _has(estimates[key])]
    _bars(figure, (row, 2), estimates, 1.0, fmt.ratio, colour)
    axis.xaxis.range = _range(estimates, firm, 1.0)
    axis.xaxis.title.text = style.literal(say("ROI, {roi}", roi=style.label(units.roi)))


def _say_open(figure, axis) -> None:
    figure.add_annotation(
        x=max(0.0, axis.xaxis.range[0]),
        y=[key for key, _ in ROWS].index("without"),
        xref=_short(axis.xaxis),
        yref=_short(axis.yaxis),
        xanchor="left",
        xshift=6,
        text=say(_OPEN),
        showarrow=False,
        font={"size": 12, "color": style.palette().muted},
    )


def _short(axis) -> str:
    """An axis as annotations name it: x, y3."""
    return axis.plotly_name.replace("axis", "")


def _row_axes(axis) -> None:
    axis.yaxis.update(
        tickmode="array", range=[len(ROWS) - 0.5, -0.5], showgrid=False, ticks=""
    )
    axis.xaxis.update(showgrid=True, showline=False, nticks=6)
    axis.xaxis.title.standoff = 2


def _range(
    estimates: Mapping[str, Any], firm: Sequence[OptionalEstimate], divisor: float
):
    """An axis that shows what the data say; a wide prior may run out of it."""
    low = min(0.0, *(each.lo for each in firm))
    high = max(0.0, *(each.hi for each in firm))
    reach = high - low or 1.0
    if _has(prior := estimates.get("prior")):
        low = max(min(low, prior.lo), low - 0.6 * reach)
        high = min(max(high, prior.hi), high + 0.6 * reach)
    room = 0.03 * (high - low)
    return [(low - room) / divisor, (high + room) / divisor]


def _bars(figure, cell, estimates, divisor: float, show, colour) -> None:
    """One bar and dot per row of a block that has an estimate."""
    colours = style.palette()
    shades = {"prior": colours.faint, "without": colours.muted, "test": colours.ink}
    for place, (key, label) in enumerate(ROWS):
        estimate = estimates.get(key)
        if not _has(estimate):
            continue
        shade = shades.get(key, colour)
        hover = _hover(label, estimate, show)
        ends = ([end / divisor] for end in (estimate.lo, estimate.hi))
        light = style.fade(shade, 0.35)
        bar = bars.intervals([place], *ends, light, width=0.42, hover=[hover])
        dot = marks.dots([estimate.mean / divisor], [place], shade, 9, [hover])
        for trace in (bar, dot):
            figure.add_trace(trace, row=cell[0], col=cell[1])
    axis = figure.get_subplot(*cell)
    figure.add_shape(
        type="line",
        x0=0,
        x1=0,
        y0=0,
        y1=1,
        xref=_short(axis.xaxis),
        yref=f"{_short(axis.yaxis)} domain",
        line={"color": colours.muted, "width": 1, "dash": "dot"},
    )


def _hover(label: str, estimate: OptionalEstimate, show) -> str:
    ends = estimate.mean, estimate.lo, estimate.hi
    return marks.interval_words(say(label), show, ends)


def _has(estimate: OptionalEstimate | None) -> bool:
    return estimate is not None and estimate.is_known


#: Periods before the test that are shown, as a multiple of the test's own.
_BEFORE = 4


def treated_and_counterfactual(readout: ReadoutRecord, unit: str) -> go.Figure:
    """Outcome of the treated geos, and their counterfactual, before and in the test.

    Args:
        readout: The read-out.
        unit: Of the outcome: a currency, or the name of the KPI.
    """
    colours = style.palette()
    series, n_test = readout.series, len(readout.cumulative.time)
    first = max(len(series.time) - (_BEFORE + 1) * n_test, 0)
    times = np.array(series.time[first:], "datetime64[ns]")
    observed, expected = (
        np.array(values[first:]) for values in (series.observed, series.counterfactual)
    )
    divisor, axis_unit = marks.scaled(unit, float(max(observed.max(), expected.max())))
    figure = style.figure(
        say("Treated geos and what they would have done, {shown}", shown=axis_unit),
        height=310,
        note=say(
            "Line: observed. Dotted: counterfactual, from the control geos. "
            "The test begins at the vertical line."
        ),
        y=axis_unit,
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
    marks.reference(figure, readout.start)
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


def cumulative(readout: ReadoutRecord, unit: str) -> go.Figure:
    """Incremental outcome up to each period of the test, with its 90 % interval.

    Args:
        readout: The read-out.
        unit: Of the outcome.
    """
    colours, series = style.palette(), readout.cumulative
    times = np.array(series.time, "datetime64[ns]")
    mean, low, high = (np.array(each) for each in (series.mean, series.lo, series.hi))
    largest = float(max(np.abs(low).max(), np.abs(high).max()))
    divisor, axis_unit = marks.scaled(unit, largest)
    figure = style.figure(
        say("Incremental outcome so far, {shown}", shown=axis_unit),
        height=260,
        note=say("Line: estimate. Band: 90 % interval, from placebos."),
        y=axis_unit,
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
