"""The figure of optimal frequency: what the same impressions return, by frequency."""

import math
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.charts.drawing import marks, style
from core.text.languages.language import marked, say


class Curve(NamedTuple):
    """One channel by frequency, on its own grid.

    Attributes:
        is_paid: Whether it has spend; then its numbers are per unit of it.
        x: Frequencies.
        mid: What the channel brings there.
        lo: Lower end of its 90 % interval.
        hi: Upper end.
        best_of_draw: The best frequency by draw.
        best: The best one of the mean.
        current: That of the data.
        highest_seen: The highest that the data have.
    """

    is_paid: bool
    x: np.ndarray
    mid: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    best_of_draw: np.ndarray
    best: float
    current: float
    highest_seen: float


def by_frequency(
    view: xr.Dataset, channel: str, *, colour: str | None = None
) -> go.Figure:
    """ROI of a channel, or its outcome where it has no spend, over frequencies.

    Args:
        view: frequency.nc.
        channel: The channel.
        colour: The channel's colour.
    """
    units = fmt.units(view.attrs)
    curve = _curve_of(view, channel)
    quantity, unit = _quantity(curve.is_paid, units)
    # A channel may bring nothing at any frequency; the axis has a scale still.
    top = max(float(np.nanmax(curve.hi)), 1e-12)
    by, axis_unit = (1.0, unit) if curve.is_paid else marks.scaled(unit, top)
    figure = style.figure(
        say(
            "{quantity} of {channel} by frequency, {unit}",
            quantity=quantity,
            channel=style.label(channel),
            unit=axis_unit,
        ),
        height=300,
        note=_note(curve),
        x=say("Exposures per person reached"),
        y=f"{quantity}, {axis_unit}",
    )
    shade = colour or style.palette().accent
    best = np.quantile(curve.best_of_draw, [0.05, 0.95])
    figure.add_vrect(*best, fillcolor=style.fade(shade, 0.08), line_width=0)
    for trace in _traces(curve, shade, by, unit):
        figure.add_trace(trace)
    figure.add_trace(_mark(curve, curve.current, marked("now"), by, shade))
    figure.add_trace(_mark(curve, curve.best, marked("best"), by, shade))
    # Nobody who is reached is reached less than once.
    figure.update_xaxes(range=[1, max(float(curve.x[-1]), 1.1)])
    figure.update_yaxes(rangemode="tozero")
    return figure


def sentence(view: xr.Dataset, channel: str) -> str:
    """Optimal and current frequency, and what the change would bring, in words."""
    units, curve = fmt.units(view.attrs), _curve_of(view, channel)
    # Written so that NaN, where nothing was seen, comes here, too.
    if not curve.highest_seen > 1:
        return say(
            "{channel}: no frequency above 1 was seen, so the best one is not known.",
            channel=channel,
        )
    low, high = np.quantile(curve.best_of_draw, [0.05, 0.95])
    text = say(
        "{channel}: optimal frequency {best} ({low} – {high}), now {now} exposures per "
        "person reached.",
        channel=channel,
        best=_times(curve.best),
        low=_times(low),
        high=_times(high),
        now=_times(curve.current),
    )
    now, then = (
        float(np.interp(at, curve.x, curve.mid)) for at in (curve.current, curve.best)
    )
    quantity, unit = _quantity(curve.is_paid, units)
    if curve.is_paid:
        brings = say(
            "ROI {now} now, {then} there, {unit}.",
            now=fmt.roi(now),
            then=fmt.roi(then),
            unit=unit,
        )
        return f"{text} {brings}"
    kind = "money" if units.is_money else "number"
    brings = say(
        "{quantity} {now} now, {then} there.",
        quantity=quantity,
        now=fmt.value(now, kind, units.currency),
        then=fmt.value(then, kind, units.currency),
    )
    return f"{text} {brings}"


def _curve_of(view: xr.Dataset, channel: str) -> Curve:
    """One channel's numbers on its own grid, per unit of spend where it has spend."""
    channel_view = view.sel(channel=channel)
    there = np.isfinite(channel_view["outcome"].to_numpy())
    spend = float(channel_view["spend"])
    is_paid = math.isfinite(spend) and spend > 0
    by = spend if is_paid else 1.0
    ends = (
        channel_view["outcome_ci"].transpose("frequency", "ci").to_numpy()[there] / by
    )
    draws = channel_view["best_of_draw"].to_numpy()
    return Curve(
        is_paid,
        x=channel_view["frequency"].to_numpy()[there],
        mid=channel_view["outcome"].to_numpy()[there] / by,
        lo=ends[:, 0],
        hi=ends[:, 1],
        best_of_draw=draws[np.isfinite(draws)],
        best=float(channel_view["best"]),
        current=float(channel_view["current"]),
        highest_seen=float(channel_view["highest_seen"]),
    )


def _quantity(is_paid: bool, units: fmt.Units) -> tuple[str, str]:
    if is_paid:
        return say("ROI"), style.label(units.roi)
    word = style.label(units.outcome_in_text)
    return say("Incremental {outcome}", outcome=word), style.label(units.outcome)


def _note(curve: Curve) -> str:
    text = say(
        "Same impressions, another frequency. Band: 90 % interval. Shaded: 90 % of "
        "the optimum."
    )
    if curve.highest_seen < curve.x[-1]:
        text += " " + say("Dashed: beyond the highest frequency seen.")
    return text


def _traces(curve: Curve, colour: str, by: float, unit: str) -> list[go.Scatter]:
    x, middle = curve.x, curve.mid / by
    hover = [
        say(
            "frequency {frequency}<br>mean {mean}<br>90 %: {low} to {high}",
            frequency=_times(at),
            mean=fmt.exact(float(mid), unit),
            low=fmt.exact(float(lo), unit),
            high=fmt.exact(float(hi), unit),
        )
        for at, mid, lo, hi in zip(curve.x, curve.mid, curve.lo, curve.hi, strict=True)
    ]
    n_seen = int(np.searchsorted(x, curve.highest_seen, side="right"))
    return [
        marks.band(x, curve.lo / by, curve.hi / by, colour),
        *marks.seen_then_beyond(x, middle, n_seen, colour, hover),
    ]


def _mark(curve: Curve, at: float, word: str, by: float, colour: str):
    """A dot on the curve, with its frequency beside it."""
    ground = style.palette().background
    is_best = word == "best"
    height = float(np.interp(at, curve.x, curve.mid)) / by
    return go.Scatter(
        x=[at],
        y=[height],
        mode="markers+text",
        marker={
            "size": 11,
            "color": colour if is_best else ground,
            "line": {"color": ground if is_best else colour, "width": 2},
        },
        text=[style.literal(f"{say(word)} {_times(at)}")],
        textposition=_beside(curve, at, is_best),
        cliponaxis=False,
        textfont={"size": 12},
        hoverinfo="skip",
    )


def _beside(curve: Curve, at: float, is_best: bool) -> str:
    """Where a dot's text has room."""
    first, last = curve.x[0], curve.x[-1]
    edge = 0.06 * (last - first)
    side = "left" if at > last - edge else "right" if at < first + edge else "center"
    return f"{'top' if is_best else 'bottom'} {side}"


def _times(frequency: float) -> str:
    """A frequency with one decimal."""
    return fmt.ratio(frequency, decimals=1)
