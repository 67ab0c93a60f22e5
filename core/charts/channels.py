"""Figures about channels: what each returned, and how sure that is.

All but `returns`, which has a band per fit, read channels.nc: draws on the channel
level. A row is a channel; its dot is the mean (the median for CPIK, whose denominator
may come near zero), its bar the 90 % interval. Channels without a value (ROI of unpaid
media) are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr
from plotly.subplots import make_subplots

from core import text as fmt
from core.analysis.record.sections import ChannelPrior
from core.charts.drawing import marks, rows, style
from core.charts.drawing.rows import Measure
from core.estimate import OptionalEstimate
from core.text.languages.language import say


def roi(
    channels: xr.Dataset,
    *,
    prior: Mapping[str, ChannelPrior] | None = None,
    truth: Mapping[str, float] | None = None,
) -> go.Figure:
    """ROI of paid channels, best first, with the prior as a grey band behind.

    Args:
        channels: channels.nc.
        prior: Of each channel.
        truth: True ROI by channel of a simulated market, which is marked.
    """
    measure = _roi(channels)
    return rows.draw(channels, measure, _bands(prior, "roi"), truth)


def _roi(channels: xr.Dataset) -> Measure:
    return _ratio("roi", say("ROI"), fmt.units(channels.attrs))


def roi_order(channels: xr.Dataset) -> tuple[str, ...]:
    """Paid channels in the order of `roi`, for a figure beside it."""
    return rows.order_of(channels, _roi(channels))


def roi_so_far(
    estimates: Mapping[str, OptionalEstimate | None],
    units: fmt.Units,
    *,
    is_sampled: bool,
    prior: Mapping[str, tuple[float, float]] | None = None,
) -> go.Figure:
    """ROI of paid channels by a fit that is at work, with the prior behind.

    Args:
        estimates: Of each channel, in the order of results.
        units: Words for the units.
        is_sampled: Whether they are of draws; else of an approximation.
        prior: Both ends of the prior of each channel.
    """
    title = say("ROI") if is_sampled else say("ROI, a preview")
    ends = [
        (None, None, None) if each is None else (each.mean, each.lo, each.hi)
        for each in estimates.values()
    ]
    columns = ["mid", "lo", "hi"]
    frame = pd.DataFrame(ends, list(estimates), columns, dtype=float)
    return rows.draw(frame, _ratio("roi", title, units), prior)


def mroi(
    channels: xr.Dataset,
    *,
    prior: Mapping[str, ChannelPrior] | None = None,
    order: Sequence[str] = (),
) -> go.Figure:
    """Marginal ROI of paid channels: what one more unit of spend would return."""
    measure = _ratio("mroi", say("Marginal ROI"), fmt.units(channels.attrs))
    bands = _bands(prior, "mroi")
    return rows.draw(channels, measure, bands, order=order)


def contribution(channels: xr.Dataset, *, order: Sequence[str] = ()) -> go.Figure:
    """Share of the expected outcome that each channel contributed."""
    name = fmt.units(channels.attrs).outcome_in_text
    measure = Measure(
        variable="contribution",
        title=say("Contribution, % of expected {outcome}", outcome=style.label(name)),
        unit=say("% of expected {outcome}", outcome=style.label(name)),
        show=lambda e: marks.light(fmt.estimate(e, "share")),
        full=lambda v: f"{fmt.exact(100 * v, decimals=2)}\u00a0%",
        percent=True,
        reference=0.0,
    )
    return rows.draw(channels, measure, order=order)


def cpik(channels: xr.Dataset) -> go.Figure:
    """Cost per incremental KPI unit of paid channels, cheapest first."""
    return rows.draw(channels, _cost(channels))


def cpik_order(channels: xr.Dataset) -> tuple[str, ...]:
    """Paid channels in the order of `cpik`, for a figure beside it."""
    return rows.order_of(channels, _cost(channels))


def _cost(channels: xr.Dataset) -> Measure:
    units = fmt.units(channels.attrs)
    unit = say(
        "{money} per unit of {kpi}",
        money=units.symbol or say("spend"),
        kpi=style.label(units.kpi_name),
    )
    return Measure(
        variable="cpik",
        title=say("Cost per incremental KPI unit, {unit}", unit=unit),
        unit=unit,
        show=lambda e: marks.light(fmt.estimate(e, "money", units.currency)),
        full=lambda v: fmt.exact(v, units.symbol),
        centre="median",
        divide=True,
        ascending=True,
    )


def _ratio(variable: str, title: str, units: fmt.Units) -> Measure:
    unit = style.label(units.roi)
    return Measure(
        variable=variable,
        title=f"{title}, {unit}",
        unit=unit,
        show=lambda e: marks.light(fmt.estimate(e, "ratio")),
        full=lambda v: fmt.exact(v, unit),
        reference=1.0 if units.is_money else 0.0,
        note=say("Dotted: break-even.") if units.is_money else "",
    )


def _bands(
    prior: Mapping[str, ChannelPrior] | None, kind: str
) -> dict[str, tuple[float, float]]:
    return {
        name: (believed.lo, believed.hi)
        for name, believed in (prior or {}).items()
        if believed.kind == kind
    }


_COLUMNS = 3
_PANEL = 165


def returns(
    fits: Sequence[tuple[str, Mapping[str, Mapping[str, Any]]]], units: fmt.Units
) -> go.Figure:
    """One panel per channel, a point per fit.

    Args:
        fits: Label of each fit, oldest first, and its ROI by channel.
        units: Words for the units.
    """
    names = list(dict.fromkeys(name for _, roi in fits for name in roi))
    colours = style.channel_colours(names)
    n_rows = -(-len(names) // _COLUMNS) or 1
    frame = style.figure(
        say("ROI from fit to fit, {roi}", roi=style.label(units.roi)),
        height=110 + _PANEL * n_rows,
        note=say(
            "Line: mean of each fit, by the last day of its data. Band: 90 % interval."
        ),
    )
    figure = make_subplots(
        rows=n_rows,
        cols=min(_COLUMNS, max(len(names), 1)),
        subplot_titles=[style.label(name) for name in names],
        # Plotly takes the gap as a share of the whole height, so that it shrinks with
        # rows.
        vertical_spacing=0.44 / max(n_rows, 1),
        horizontal_spacing=0.06,
    )
    figure.update_layout(frame.layout)
    figure.update_layout(margin={"t": frame.layout.margin.t + 26})
    figure.update_annotations(font_size=12)
    labels = [style.literal(label) for label, _ in fits]
    for place, name in enumerate(names):
        row, column = divmod(place, _COLUMNS)
        returns_by_fit = [
            (i, roi[name]) for i, (_, roi) in enumerate(fits) if name in roi
        ]
        for trace in _panel(name, returns_by_fit, labels, colours[name]):
            figure.add_trace(trace, row=row + 1, col=column + 1)
    figure.update_layout(showlegend=False)
    _fits_axis(figure, labels)
    return figure


def _panel(
    name: str,
    returns_by_fit: Sequence[tuple[int, Mapping[str, Any]]],
    labels: Sequence[str],
    colour: str,
) -> Iterator[go.Scatter]:
    """Band and line of one channel; its estimates by number of the fit."""
    x = np.array([i for i, _ in returns_by_fit], float)
    low, middle, high = (
        np.array([roi[key] for _, roi in returns_by_fit], float)
        for key in ("lo", "mean", "hi")
    )
    yield marks.band(x, low, high, colour)
    hovers = [
        f"<b>{style.label(name)}</b>, {labels[i]}<br>{fmt.estimate(roi, 'ratio')}"
        for i, roi in returns_by_fit
    ]
    dots = {"size": 5, "color": colour}
    yield marks.line(x, middle, colour, hover=hovers, marker=dots)


def _fits_axis(figure: go.Figure, labels: Sequence[str]) -> None:
    """The first and the last fit by name, on two lines: more would not fit a phone."""
    ends = sorted({0, len(labels) - 1})
    figure.update_xaxes(
        tickvals=ends,
        ticktext=["<br>".join(labels[i].rsplit(" ", 1)) for i in ends],
        tickangle=0,
        range=[-0.3, len(labels) - 0.7],
    )
    figure.update_yaxes(rangemode="tozero")
