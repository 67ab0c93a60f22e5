"""Figures about how a channel works: its response to spend, and its years.

`response` and `responses` read curves.nc; carryover, saturation and what was learnt
read shapes.nc and live in core/charts/drawing/shapes.py. A response curve is dashed
where it goes beyond the largest spend that was seen: there the model extrapolates.
`roi_by_year` and `effectiveness` read years.nc.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import xarray as xr
from plotly.subplots import make_subplots

from core import text as fmt
from core.charts.drawing import interval, marks, style
from core.text.languages.language import marked, say


class Curve(NamedTuple):
    """What a channel brings over its spend.

    Attributes:
        x: Spend.
        multiplier: The same as multiples of what was spent.
        highest_seen: The highest multiple that the data have.
        mid: Incremental outcome.
        lo: Lower end of its 90 % interval.
        hi: Upper end.
    """

    x: np.ndarray
    multiplier: np.ndarray
    highest_seen: float
    mid: np.ndarray
    lo: np.ndarray
    hi: np.ndarray


def response(curves: xr.Dataset, channel: str) -> go.Figure:
    """Incremental outcome of one channel against its spend.

    Args:
        curves: curves.nc.
        channel: The channel.
    """
    units = fmt.units(curves.attrs)
    curve = _curve(curves, channel)
    unit = style.label(units.outcome)
    y_by, y_unit = marks.scaled(unit, float(np.nanmax(curve.hi)))
    x_by, x_unit = marks.scaled(units.symbol, float(curve.x.max()))
    figure = style.figure(
        say(
            "Response of {channel}, {unit} incremental",
            channel=style.label(channel),
            unit=y_unit,
        ),
        height=240,
        note=say("Band: 90 % interval. Dashed: beyond the highest observed spend."),
        x=say("Spend over the data window, {unit}", unit=x_unit),
    )
    colour = style.colour_of(curves, channel)
    for trace in _curve_traces(curve, colour, (x_by, y_by), units):
        figure.add_trace(trace)
    now, word = float(curves["spend"].sel(channel=channel)), marked("spent")
    figure.add_trace(_mark(curve, now, word, (x_by, y_by), units, colour))
    figure.update_xaxes(range=[0, float(curve.x.max()) / x_by])
    figure.update_yaxes(rangemode="tozero")
    return figure


def responses(curves: xr.Dataset, of: Sequence[str] | None = None) -> go.Figure:
    """Response curves of paid channels, side by side, each on its own axes.

    Args:
        curves: curves.nc.
        of: Those that are drawn; None for all.
    """
    units = fmt.units(curves.attrs)
    every = [str(name) for name in curves["channel"].values]
    names = every if of is None else list(of)
    # Four stand in a square: three and one would leave a hole.
    columns = min(2 if len(names) == 4 else 3, len(names))
    n_rows = -(-len(names) // columns)
    all_curves = {name: _curve(curves, name) for name in every}
    # One unit for all panels, though each has its own axes: numbers can be compared.
    largest = max(float(np.nanmax(c.hi)) for c in all_curves.values())
    y_by, y_unit = marks.scaled(style.label(units.outcome), largest)
    x_by, x_unit = marks.scaled(
        units.symbol, max(float(c.x.max()) for c in all_curves.values())
    )
    figure = make_subplots(
        n_rows,
        columns,
        subplot_titles=[style.label(name) for name in names],
        horizontal_spacing=0.07,
        vertical_spacing=0.32 / n_rows,
        figure=style.figure(
            say("Response to spend, {unit} incremental", unit=y_unit),
            height=110 + 190 * n_rows,
            note=say("Dot: spent. Band: 90 % interval. Dashed: beyond observed spend."),
        ),
    )
    for i, name in enumerate(names):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        colour, curve = style.colour_of(curves, name), all_curves[name]
        for trace in _curve_traces(curve, colour, (x_by, y_by), units):
            figure.add_trace(trace, **place)
        now = float(curves["spend"].sel(channel=name))
        mark = _mark(curve, now, "", (x_by, y_by), units, colour)
        figure.add_trace(mark, **place)
        figure.update_xaxes(
            title_text=style.literal(say("Spend, {unit}", unit=x_unit))
            if i + columns >= len(names)
            else "",
            **place,
        )
        figure.update_yaxes(
            title_text=style.literal(y_unit) if i % columns == 0 else "",
            rangemode="tozero",
            **place,
        )
    figure.update_annotations(font_size=13)
    figure.update_layout(margin_t=86)
    return figure


def _curve(curves: xr.Dataset, channel: str) -> Curve:
    curve = curves[["incremental_outcome", "spend"]].sel(channel=channel)
    table: xr.Dataset = interval.estimates(curve["incremental_outcome"])
    multiplier = curves["spend_multiplier"].values
    return Curve(
        multiplier * float(curve["spend"]),
        multiplier=multiplier,
        highest_seen=float(curves["max_multiplier_seen"].sel(channel=channel)),
        mid=table["mid"].values,
        lo=table["lo"].values,
        hi=table["hi"].values,
    )


def _curve_traces(
    curve: Curve, colour: str, by: tuple[float, float], units: fmt.Units
) -> list[go.Scatter]:
    """Band, the seen part solid, the part beyond dashed."""
    x, unit = curve.x / by[0], style.label(units.outcome)
    hover = [
        say(
            "spend {spend} ({times}\u00a0× now)<br>mean {mean}<br>90 %: "
            "{low} to {high}",
            spend=fmt.exact(float(s), units.symbol),
            times=fmt.ratio(m),
            mean=fmt.exact(float(mid), unit),
            low=fmt.exact(float(lo), unit),
            high=fmt.exact(float(hi), unit),
        )
        for s, m, mid, lo, hi in zip(
            curve.x, curve.multiplier, curve.mid, curve.lo, curve.hi, strict=True
        )
    ]
    n_seen = int(np.searchsorted(curve.multiplier, curve.highest_seen, side="right"))
    return [
        marks.band(x, curve.lo / by[1], curve.hi / by[1], colour),
        *marks.seen_then_beyond(x, curve.mid / by[1], n_seen, colour, hover),
    ]


def _mark(curve, at, word, by, units, colour) -> go.Scatter:
    """A dot on the curve at a spend, with the spend beside it."""
    height = float(np.interp(at, curve.x, curve.mid))
    edge = style.palette().background
    text = f"{say(word)} {fmt.money(at, units.currency)}" if word else ""
    return go.Scatter(
        x=[at / by[0]],
        y=[height / by[1]],
        mode="markers+text" if text else "markers",
        marker={"size": 11, "color": colour, "line": {"color": edge, "width": 2}},
        text=[style.literal(text)],
        textposition="bottom right",
        textfont={"size": 12},
        **marks.hovering(
            [
                say(
                    "{what}: {at}<br>mean {height}",
                    what=say(word or "spent"),
                    at=fmt.exact(at, units.symbol),
                    height=fmt.exact(height, style.label(units.outcome)),
                )
            ]
        ),
    )


_HEIGHT = 240


def roi_by_year(years: xr.Dataset, channel: str) -> go.Figure:
    """ROI of each year of the data, with its interval.

    Args:
        years: years.nc.
        channel: A channel with spend.
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
        height=_HEIGHT,
        note=say("Dot: mean. Line: 90 % interval."),
        x=say("Year of the data"),
        y=unit,
    )
    spends = [fmt.money(float(x), units.currency) for x in of_channel["spend"].values]
    hover = [
        _hover_of_year(name, of_year, spent)
        for name, *of_year, spent in zip(names, middle, low, high, spends, strict=True)
    ]
    colour, reach = style.colour_of(years, channel), (middle - low, high - middle)
    ends = marks.error(*reach, colour, thickness=2, width=0)
    figure.add_trace(marks.dots(names, middle, colour, 9, hover).update(error_y=ends))
    figure.update_yaxes(rangemode="tozero")
    figure.update_xaxes(type="category")
    return figure


def _hover_of_year(name: str, roi: Sequence[float], spent: str) -> str:
    mean, low, high = map(fmt.ratio, roi)
    return say(
        "Year {name}<br>ROI {mean} (90 %: {low} to {high})<br>spend {spent}",
        name=name,
        mean=mean,
        low=low,
        high=high,
        spent=spent,
    )


def effectiveness(years: xr.Dataset, channel: str) -> go.Figure:
    """What a drifting channel's effect was multiplied by, over time.

    Args:
        years: years.nc of a model with channels that drift.
        channel: The channel.
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
        y=100, line={"color": style.palette().faint, "width": 1, "dash": "dot"}
    )
    marks.percent_axis(figure.layout.yaxis)
    return figure
