"""Figure about fit: what was counted, and where the model says it should lie."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.analysis.record.sections import Accuracy
from core.charts.drawing import marks, style
from core.text import verdicts
from core.text.languages.language import say


@dataclass(frozen=True)
class Series:
    """One market or geo; outcome units per period.

    Attributes:
        actual: What was counted, time.
        middle: Mean of the expectation, time.
        expectation: Both ends of its interval, time ci.
        predicted: Both ends of the interval of what would be counted, time ci; None
            for fits of before there was one.
        held_out: Whether the model has not seen a period, time.
    """

    actual: np.ndarray
    middle: np.ndarray
    expectation: np.ndarray
    predicted: np.ndarray | None
    held_out: np.ndarray

    @property
    def outer(self) -> np.ndarray:
        """The widest interval there is, time ci."""
        return self.expectation if self.predicted is None else self.predicted

    def inside(self, which: np.ndarray) -> float:
        """Share of some periods whose count lies in the widest interval."""
        low, high = self.outer[which].T
        return float(
            np.mean((low <= self.actual[which]) & (self.actual[which] <= high))
        )


def expected(
    weeks: xr.Dataset,
    *,
    geo: str | None = None,
    accuracy: Accuracy | None = None,
    notes: Sequence[tuple[str, str]] = (),
) -> go.Figure:
    """Actual outcome over time, in the band where 90 % of it should lie.

    The band within is that of the expectation: how well it is known.

    Args:
        weeks: weeks.nc.
        geo: One geo; None for the sum.
        accuracy: Of the fit, written below the title.
        notes: What people noted: ISO date and text.
    """
    units = fmt.units(weeks.attrs)
    colours, series = style.palette(), _series(weeks, geo)
    times = weeks["time"].values
    unit = style.label(units.outcome)
    divisor, on_axis = marks.scaled(unit, float(np.nanmax(np.abs(series.outer))))
    word = say(marks.period(times))
    figure = style.figure(
        _title(units, geo, unit=on_axis, period=word),
        height=320,
        note=_note(series, accuracy),
        y=say("{unit} per {period}", unit=on_axis, period=word),
    )
    if series.predicted is not None:
        low, high = series.predicted.T / divisor
        figure.add_trace(marks.band(times, low, high, colours.accent, 0.2))
    low, high = series.expectation.T / divisor
    figure.add_trace(marks.band(times, low, high, colours.accent, 0.4))
    figure.add_trace(marks.line(times, series.middle / divisor, colours.accent))
    figure.add_trace(
        marks.dots(
            times,
            series.actual / divisor,
            colours.ink,
            np.where(series.held_out, 6, 4.5),
            _hovers(series, times, unit),
            symbol=np.where(series.held_out, "circle-open", "circle"),
            opacity=0.75,
        )
    )
    _end_labels(figure, series, colours, divisor)
    marks.noted(figure, times, notes)
    return figure


def _title(units: fmt.Units, geo: str | None, **places: str) -> str:
    """The title, with the geo where it is about one."""
    outcome = style.label(units.outcome_in_text)
    if not geo:
        return say(
            "Actual and expected {outcome}, {unit} per {period}",
            outcome=outcome,
            **places,
        )
    return say(
        "Actual and expected {outcome} in {geo}, {unit} per {period}",
        outcome=outcome,
        geo=style.label(geo),
        **places,
    )


def _series(weeks: xr.Dataset, geo: str | None) -> Series:
    by = "" if geo is None else "_geo"
    names = (f"actual{by}", f"expected{by}", f"expected{by}_ci")
    names += (f"predicted{by}_ci", f"held_out{by}")
    source = weeks[[name for name in names if name in weeks]]
    source = source if geo is None else source.sel(geo=geo)
    ends = {
        name: source[name].transpose("time", "ci").sel(ci=["lo", "hi"]).values
        for name in names[2:4]
        if name in source
    }
    actual = source[names[0]].values
    held_out = names[4] in source and source[names[4]].values > 0
    return Series(
        actual,
        source[names[1]].values,
        ends[names[2]],
        ends.get(names[3]),
        np.broadcast_to(held_out, actual.shape),
    )


def _hovers(series: Series, times: np.ndarray, unit: str) -> list[str]:
    def full(value: float) -> str:
        return fmt.exact(float(value), unit)

    texts = []
    for i, time in enumerate(times):
        low, high = series.outer[i]
        text = say(
            "<b>{day}</b><br>actual {actual}<br>expected {expected}<br>90 %: {low} "
            "to {high}",
            day=fmt.date(str(time)[:10]),
            actual=full(series.actual[i]),
            expected=full(series.middle[i]),
            low=full(low),
            high=full(high),
        )
        texts.append(f"{text}<br>{say('held out')}" if series.held_out[i] else text)
    return texts


def _note(series: Series, accuracy: Accuracy | None) -> str:
    parts = []
    if accuracy:
        parts.append(
            say(
                "R² {r2}, MAPE {mape}, wMAPE {wmape}.",
                r2=fmt.ratio(accuracy.r2),
                mape=fmt.percent(accuracy.mape),
                wmape=fmt.percent(accuracy.wmape),
            )
        )
        if left_out := verdicts.mape_left_out(accuracy.mape_left_out):
            parts.append(left_out)
    else:
        parts.append(say("Dots: actual. Line: expected."))
    if series.predicted is None:
        parts.append(say("Band: 90 % interval of the expectation."))
    else:
        share = series.inside(~series.held_out)
        parts.append(
            say(
                "Pale band: where 90 % of dots should lie; {seen} do.",
                seen=f"{share:.0%}",
            )
        )
        if series.held_out.any():
            unseen = series.inside(series.held_out)
            parts.append(
                say("Hollow: held out, {unseen} in it.", unseen=f"{unseen:.0%}")
            )
        parts.append(say("Dark band: the expectation."))
    # No line of the note may break between a number and its sign.
    return " ".join(parts).replace("%", "\u00a0%").replace(" \u00a0%", "\u00a0%")


def _end_labels(figure: go.Figure, series: Series, colours, divisor: float) -> None:
    every = np.concatenate([series.actual[:, None], series.outer], axis=1) / divisor
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    room = 0.05 * (high - low or 1.0)
    # From zero where that costs little room, so that heights can be compared.
    floor = 0.0 if 0 <= low < 0.4 * high else low - room
    labels = [
        (
            float(series.middle[-1]) / divisor,
            marks.keyed(say("expected"), colours.accent, "━"),
        ),
        (
            float(series.actual[-1]) / divisor,
            marks.keyed(say("actual"), colours.ink, "●"),
        ),
    ]
    marks.end_labels(figure, labels, (floor, high + room))
