"""Figures about what comes: the next periods in their intervals, the odds of a goal."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.analysis.ahead.outlook import Period
from core.charts import contribution
from core.charts.drawing import marks, style
from core.text.languages.language import say

#: Periods of the past that are shown, as a multiple of those to come, and at least.
_PAST, _LEAST = 2, 26


def periods(
    weeks: xr.Dataset,
    ahead: Sequence[Period],
    *,
    year_before: np.ndarray | None = None,
    ran: str | None = None,
) -> go.Figure:
    """Actual outcome, then the forecast with its 50 and 90 % intervals.

    Args:
        weeks: weeks.nc.
        ahead: `weeks` of an outlook.
        year_before: Actual outcome of the same periods one year earlier.
        ran: What that is called; None for last year.
    """
    units = fmt.units(weeks.attrs)
    colours, unit = style.palette(), style.label(units.outcome)
    past = weeks["actual"].isel(time=slice(-max(_LEAST, _PAST * len(ahead)), None))
    times = np.array([week.time for week in ahead], "datetime64[ns]")
    low90, low50, middle, high50, high90 = (
        np.array([getattr(week, name) for week in ahead]) for name in _ENDS
    )
    before = np.full(len(times), np.nan) if year_before is None else year_before
    shown = np.concatenate([past.values, low90, high90, before])
    peak = float(np.nanmax(np.abs(shown)))
    divisor, axis_unit = marks.on_axis(units.symbol if units.is_money else "", peak)
    figure = style.figure(
        marks.per_period(
            say("{outcome} to come", outcome=style.label(units.outcome_name)),
            weeks["time"].values,
            axis_unit if units.is_money and units.symbol else "",
        ),
        height=310,
        note=say("Dots: actual. Line: median. Bands: 50 and 90 % intervals."),
        y=axis_unit,
    )
    for low, high, opacity in ((low90, high90, 0.16), (low50, high50, 0.26)):
        ends = (low / divisor, high / divisor)
        figure.add_trace(marks.band(times, *ends, colours.accent, opacity))
    labels = [(middle[-1], marks.keyed(say("forecast"), colours.accent, "━"))]
    if year_before is not None:
        dotted = marks.line(times, before / divisor, colours.faint, dash="dot")
        figure.add_trace(dotted)
        name = marks.keyed(ran or say("last year"), colours.faint, "━")
        labels.append((before[-1], name))
    texts = [_hover(week, unit) for week in ahead]
    line = marks.line(times, middle / divisor, colours.accent, hover=texts)
    figure.add_trace(line)
    _past(figure, past, divisor, unit, colours.ink)
    marks.reference(figure, ahead[0].time)
    low, high = float(np.nanmin(shown)) / divisor, peak / divisor
    room = 0.06 * (high - low or 1.0)
    # From zero where that costs little room, as in the chart of actual and expected.
    floor = 0.0 if 0 <= low < 0.4 * high else low - room
    placed = [(float(value) / divisor, text) for value, text in labels]
    marks.end_labels(figure, placed, (floor, high + room))
    return figure


def _past(figure, past: xr.DataArray, divisor: float, unit: str, ink: str) -> None:
    """What was counted, as dots."""
    times = past["time"].values
    hover = [
        say(
            "<b>{time}</b><br>actual {value}",
            time=fmt.date(str(time)[:10]),
            value=fmt.exact(float(value), unit),
        )
        for time, value in zip(times, past.values, strict=True)
    ]
    counted = past.values / divisor
    figure.add_trace(marks.dots(times, counted, ink, 4.5, hover, opacity=0.75))


_ENDS = ("lo90", "lo50", "median", "hi50", "hi90")


def _hover(week: Period, unit: str) -> str:
    lines = [
        f"<b>{fmt.date(week.time)}</b>",
        say("median {median}", median=fmt.exact(week.median, unit)),
    ]
    for mass, ends in (("50", (week.lo50, week.hi50)), ("90", (week.lo90, week.hi90))):
        low, high = (fmt.exact(end, unit) for end in ends)
        lines.append(say("{mass} %: {low} to {high}", mass=mass, low=low, high=high))
    return "<br>".join(lines)


def parts(forecast: xr.Dataset) -> go.Figure:
    """Baseline, events and channels make the outcome to come.

    Args:
        forecast: A forecast of the periods shown.
    """
    added = forecast["contribution"].sum("time").rename("incremental_outcome")
    table = added.to_dataset().reset_coords(drop=True)
    if float(np.abs(forecast["events"]).max()) > 0:
        events = forecast["events"].sum("time").expand_dims(channel=[say("Events")])
        both = [added.reset_coords(drop=True), events.transpose("draw", "channel")]
        table = xr.concat(both, "channel").to_dataset(name="incremental_outcome")
    table = table.assign(
        baseline_outcome=forecast["baseline"].sum("time"),
        expected_outcome=forecast["expected"].sum("time"),
    ).assign_attrs(forecast.attrs)
    name = style.label(fmt.units(forecast.attrs).outcome_in_text)
    return contribution.waterfall(
        table, about=say("Where the {name} comes from", name=name)
    )


def odds(forecast: xr.Dataset, goal: float | None) -> go.Figure:
    """Probability of reaching any goal, and the one that was asked about.

    Args:
        forecast: A forecast of the periods shown.
        goal: The goal.
    """
    units, colours = fmt.units(forecast.attrs), style.palette()
    unit = style.label(units.outcome)
    total = np.sort(forecast["outcome"].sum("time").to_numpy().astype(float))
    goals = np.quantile(total, np.linspace(0, 1, 101))
    chances = 1 - np.searchsorted(total, goals) / len(total)
    divisor, axis_unit = marks.scaled(unit, float(np.abs(goals).max()))
    figure = style.figure(
        say("Odds of reaching a goal, by goal in {shown}", shown=axis_unit),
        height=230,
        x=say(
            "{outcome_name} over all periods, {shown}",
            outcome_name=style.label(units.outcome_name),
            shown=axis_unit,
        ),
    )
    texts = [
        say(
            "<b>{x}</b><br>reached with a probability of {p}",
            x=fmt.exact(float(x), unit),
            p=fmt.probability(float(p)),
        )
        for x, p in zip(goals, chances, strict=True)
    ]
    figure.add_trace(
        marks.line(goals / divisor, 100 * chances, colours.accent, hover=texts)
    )
    if goal is not None:
        at = float((total >= goal).mean())
        figure.add_scatter(
            x=[goal / divisor],
            y=[100 * at],
            mode="markers+text",
            marker={"size": 9, "color": colours.ink},
            text=[fmt.probability(at)],
            textposition="top right",
            cliponaxis=False,
            **marks.hovering([say("goal {goal}", goal=fmt.exact(goal, unit))]),
        )
    ticks = [0, 25, 50, 75, 100]
    texts = [f"{tick}\u00a0%" for tick in ticks]
    # Room above for the number beside a goal that is certain.
    figure.update_yaxes(range=[0, 124], tickvals=ticks, ticktext=texts)
    return figure
