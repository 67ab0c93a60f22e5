"""Figures about a plan of weeks: spend per week and channel, outcome per week."""

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.charts.drawing import marks, style
from core.text.languages.language import say

_TOP = 0.74
#: Dates below the map.
_MOST_TICKS = 8


def spend(
    names: Sequence[str],
    weeks: np.ndarray,
    amounts: np.ndarray,
    *,
    title: str = "",
    currency: str = "",
    beyond: np.ndarray | None = None,
    reasons: Sequence[Sequence[str]] = (),
) -> go.Figure:
    """Channels by weeks, with totals on both edges.

    Args:
        names: Channels.
        weeks: First days.
        amounts: Currency, channel week.
        title: What spend it is.
        currency: Currency code.
        beyond: Cells above any week so far, marked.
        reasons: Why a cell is what it is, channel week; empty texts for none.
    """
    colours, symbol = style.palette(), fmt.currency_symbol(currency)
    total = float(amounts.sum())
    note = say("Stronger: more money, on one scale for all channels.")
    if beyond is not None and beyond.any():
        note += " " + say("×: above any week so far.")
    figure = style.figure(
        f"{title or say('Spend per week')}, {fmt.money(total, currency)}",
        height=190 + 30 * len(names),
        note=note,
    )
    days = [str(week)[:10] for week in weeks]
    # Roots, so that small channels can be seen beside large ones.
    # A plan may spend nothing, so that no cell is the strongest.
    shades = np.sqrt(amounts / max(float(amounts.max(initial=0.0)), 1e-300))
    figure.add_heatmap(
        x=days,
        y=np.arange(len(names)),
        z=shades,
        zmin=0,
        zmax=1,
        colorscale=[[0, colours.grid], [1, colours.accent]],
        showscale=False,
        xgap=1,
        ygap=2,
        customdata=_hover(names, days, amounts, symbol, reasons),
        hovertemplate="%{customdata}<extra></extra>",
    )
    if beyond is not None:
        _crosses(figure, days, beyond, colours.low)
    marks.row_axis(figure, [style.label(name, 18) for name in names])
    texts = [fmt.money(float(row.sum()), currency) for row in amounts]
    marks.row_texts(figure, texts)
    _week_totals(figure, days, amounts.sum(axis=0), symbol, colours.faint)
    return figure


def _crosses(figure, days: Sequence[str], beyond: np.ndarray, colour: str) -> None:
    """A cross in each cell above any week so far."""
    channels, columns = np.nonzero(beyond)
    x, edge = [days[column] for column in columns], (colour, 1.5)
    figure.add_trace(marks.dots(x, channels, colour, 6, edge=edge, symbol="x-thin"))


def _hover(names, days, amounts, symbol, reasons) -> list[list[str]]:
    whys = reasons or [[""] * len(days)] * len(names)
    return [
        [
            f"<b>{style.label(name, 60)}</b>, {fmt.date(day)}<br>"
            f"{fmt.exact(float(amount), symbol, decimals=2)}"
            + (f"<br>{html.escape(why)}" if why else "")
            for day, amount, why in zip(days, row, of_channel, strict=True)
        ]
        for name, row, of_channel in zip(names, amounts, whys, strict=True)
    ]


def _week_totals(figure, days, totals: np.ndarray, symbol: str, colour: str) -> None:
    """A bar per week above the map."""
    figure.add_bar(
        x=days,
        y=totals,
        yaxis="y2",
        marker={"color": colour},
        **marks.hovering(
            [
                say(
                    "<b>{day}</b><br>all channels {spend}",
                    day=fmt.date(day),
                    spend=fmt.exact(float(v), symbol),
                )
                for day, v in zip(days, totals, strict=True)
            ]
        ),
    )
    figure.update_yaxes(domain=[0, _TOP])
    figure.update_layout(
        yaxis2={
            "domain": [_TOP + 0.04, 1],
            "showticklabels": False,
            "showgrid": False,
            "rangemode": "tozero",
            "fixedrange": True,
        },
        bargap=0.15,
    )
    # First days of weeks; Plotly's own would be Sundays.
    ticks = days[:: -(-len(days) // _MOST_TICKS)]
    figure.update_xaxes(type="date", tickformat="%-d %b", tickvals=ticks)


def outcome(view: xr.Dataset) -> go.Figure:
    """Outcome of paid media per week, in the plan and added after its end.

    Args:
        view: flight.nc.
    """
    units, colours = fmt.units(view.attrs), style.palette()
    mean = view["outcome_time"].to_numpy()
    low, high = view["outcome_time_ci"].to_numpy().T
    inherited = view["inherited_time"].to_numpy()
    weeks = view["week"].to_numpy()
    n = len(weeks)
    rhythm = weeks[-1] - weeks[-2] if n > 1 else np.timedelta64(7, "D")
    later = weeks[-1] + rhythm * np.arange(1, len(mean) - n + 1)
    times = np.concatenate([weeks, later])
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.scaled(unit, float(np.abs(high).max()))
    figure = style.figure(
        say(
            "{outcome} from paid media, {unit} per week",
            outcome=style.label(units.outcome_name),
            unit=axis_unit,
        ),
        height=300,
        note=say("Band: 90 % interval. Right of the line: added after the plan's end."),
        y=say("{unit} per week", unit=axis_unit),
    )
    figure.add_trace(
        marks.band(times, low / divisor, high / divisor, colours.accent, 0.18)
    )
    texts = [
        _outcome_hover(str(time)[:10], *map(float, numbers), unit=unit)
        for time, *numbers in zip(times, mean, low, high, strict=True)
    ]
    figure.add_trace(marks.line(times, mean / divisor, colours.accent, hover=texts))
    figure.add_trace(
        marks.line(times[:n], inherited[:n] / divisor, colours.faint, dash="dot")
    )
    marks.reference(figure, str(weeks[-1] + rhythm / 2))
    figure.add_annotation(
        x=str(times[min(3, n - 1)])[:10],
        y=float(inherited[min(3, n - 1)]) / divisor,
        text=marks.keyed(say("from media before the plan"), colours.faint, "┅"),
        showarrow=False,
        xanchor="left",
        yanchor="bottom",
    )
    figure.update_yaxes(rangemode="tozero")
    return figure


def _outcome_hover(
    day: str, value: float, low: float, high: float, *, unit: str
) -> str:
    return say(
        "<b>{day}</b><br>{value} ({low} to {high})",
        day=fmt.date(day),
        value=fmt.exact(value, unit),
        low=fmt.exact(low, unit),
        high=fmt.exact(high, unit),
    )
