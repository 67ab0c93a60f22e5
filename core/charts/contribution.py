"""Figures about what made the outcome, over time and in sum, and what changed it."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.charts.drawing import bars, interval, marks, stack, style
from core.dims import CHANNEL
from core.estimate import Part
from core.plan.limits.cents import NOTHING
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded

#: Letters of a part of the baseline and of the sum, whole in every language.
_PART = 28
#: The least share of the whole that a bar or a whisker shows.
_SEEN = 1e-4
#: Parts of the baseline as they stand after a colon.
_PARTS = {
    "Trend": marked("trend"),
    "Season": marked("season"),
    "Events": marked("events"),
    "Controls": marked("controls"),
    "Demand": marked("demand"),
}


def over_time(weeks: xr.Dataset, *, notes: Sequence[tuple[str, str]] = ()) -> go.Figure:
    """Expected outcome over time as baseline plus channels.

    Args:
        weeks: weeks.nc.
        notes: What people noted: ISO date and text.
    """
    units = fmt.units(weeks.attrs)
    names = [str(name) for name in weeks["channel"].values]
    times = weeks["time"].values
    table = weeks["contribution"].transpose("time", "channel").values
    baseline = weeks["baseline"].values
    # What takes away lies below the baseline, so that it adds no height.
    peak = float(np.nanmax(np.abs(baseline + np.clip(table, 0, None).sum(1))))
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.on_axis(units.symbol if units.is_money else "", peak)
    figure = style.figure(
        marks.per_period(
            say("{outcome} by source", outcome=style.label(units.outcome_name)),
            times,
            axis_unit if units.is_money and units.symbol else "",
        ),
        height=320,
        y=axis_unit,
    )
    grey = stack.Layer(say("Baseline"), baseline, style.palette().faint)
    layers = [grey, *stack.channel_layers(names, table, names)]
    stack.draw(figure, times, layers, unit=unit, divisor=divisor)
    marks.noted(figure, times, notes)
    return figure


class _Steps(NamedTuple):
    """Steps of a waterfall: parts of the baseline, then channels, largest first."""

    names: list[str]
    channels: list[str]
    n_parts: int
    mid: np.ndarray
    lo: np.ndarray
    hi: np.ndarray


def waterfall(channels: xr.Dataset, *, about: str = "") -> go.Figure:
    """Baseline plus channels make the expected outcome; largest channel first.

    Args:
        channels: channels.nc; with `baseline_part`, draw part, the baseline is drawn
            in its parts.
        about: What the title says before the unit, safe to draw.
    """
    units = fmt.units(channels.attrs)
    parts = _steps(channels)
    steps = parts.mid
    ends = np.cumsum(steps)
    total = float(channels["expected_outcome"].mean())
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.scaled(unit, total)
    outcome = style.label(units.outcome_in_text)
    question = say("What made the {outcome}", outcome=outcome)
    figure = style.figure(
        f"{about or question}, {axis_unit}",
        height=marks.rows_height(len(steps) + 1),
        note=say("Bar: mean. Line: 90 % interval of the step."),
        x=axis_unit,
    )
    colours = [*_colours(parts), style.palette().accent]
    base, length = [*(ends - steps), 0.0], [*steps, total]
    figure.add_trace(bars.steps(base, length, colours, divisor))
    low, middle, high = (each / divisor for each in (parts.lo, parts.mid, parts.hi))
    ink = style.palette().ink
    figure.add_trace(marks.whiskers(ends / divisor, middle - low, high - middle, ink))
    _hover(figure, parts, ends, total, divisor, unit)
    # Nothing has no shares: NaN is written as a dash.
    whole = total or float("nan")
    outcome = say("Expected {outcome}", outcome=units.outcome_in_text)
    n = parts.n_parts
    labels = [style.label(name, _PART) for name in parts.names[:n]]
    labels += [style.label(name, marks.ROW) for name in parts.names[n:]]
    marks.row_axis(figure, [*labels, style.label(outcome, _PART)])
    # What centred controls leave is rounding, not revenue.
    steps = np.where(np.abs(steps) < NOTHING * abs(total), 0.0, steps)
    counted = units.outcome if units.is_money else ""
    texts = [
        f"{fmt.in_scale(v, total, counted)} ({fmt.share(v / whole)})"
        for v in map(float, (*steps, total))
    ]
    marks.row_texts(figure, [marks.light(text) for text in texts])
    figure.update_xaxes(nticks=4)
    return figure


def _steps(channels: xr.Dataset) -> _Steps:
    """Baseline, then channels from the largest step down; the small ones as one."""
    names = [str(name) for name in channels["channel"].values]
    brought = channels["incremental_outcome"]
    table: xr.Dataset = interval.estimates(brought)
    parts = [say("Baseline")]
    whole = channels["baseline_outcome"].expand_dims(part=parts)
    if "baseline_part" in channels:
        whole = _with_an_effect(channels)
        parts = [_part(str(part)) for part in whole["part"].values]
    base: xr.Dataset = interval.estimates(whole)
    order, small = marks.large_and_small(np.abs(table["mid"].values))
    # Chosen by size, drawn by sign: what took outcome away stands last.
    order = order[np.argsort(-table["mid"].values[order], kind="stable")]
    labels = [*parts, *(names[i] for i in order)]
    ends = [
        np.concatenate([base[key].values, table[key].values[order]])
        for key in ("mid", "lo", "hi")
    ]
    if small.size:
        # Added up draw by draw: the ends of intervals do not add up.
        rest: xr.Dataset = interval.estimates(brought.isel(channel=small).sum(CHANNEL))
        labels.append(marks.smaller(small.size))
        more = (float(rest[key]) for key in ("mid", "lo", "hi"))
        ends = [np.append(each, last) for each, last in zip(ends, more, strict=True)]
    return _Steps(labels, names, len(parts), *ends)


def _with_an_effect(channels: xr.Dataset) -> xr.DataArray:
    """The parts of the baseline that are more than rounding, draw part."""
    parts = channels["baseline_part"]
    largest = np.abs(parts).max([dim for dim in parts.dims if dim != "part"])
    rest = [dim for dim in parts.dims if dim != "part"]
    whole = float(np.abs(channels["expected_outcome"]).mean())
    # A part that reads as 0 stays where some draw of it could be seen.
    is_read = np.abs(parts.mean(rest)).values >= NOTHING * whole
    is_seen = largest.values >= _SEEN * whole
    return parts.isel(part=np.flatnonzero(is_read | is_seen))


def _colours(parts: _Steps) -> list[str]:
    by_name = style.channel_colours(parts.channels)
    faint = style.palette().faint
    n = parts.n_parts
    return [*[faint] * n, *(by_name.get(name, faint) for name in parts.names[n:])]


def _hover(figure, parts, ends, total, divisor, unit: str) -> None:
    def full(value):
        return fmt.exact(float(value), unit)

    texts = [
        marks.interval_words(name, full, (parts.mid[i], parts.lo[i], parts.hi[i]))
        for i, name in enumerate(parts.names)
    ]
    texts.append(say("<b>Expected</b><br>mean {mean}", mean=full(total)))
    x = np.append(ends - parts.mid / 2, total / 2) / divisor
    y = np.arange(len(ends) + 1)
    figure.add_trace(marks.dots(x, y, None, 22, texts, opacity=0))


def _part(name: str) -> str:
    """A part of the baseline, in the reader's words."""
    return say("Baseline: {part}", part=say(_PARTS.get(name, name.lower())))


def bridge(
    steps: Sequence[Part],
    ends: tuple[float, float],
    labels: tuple[str, str],
    units: fmt.Units,
    *,
    order: Sequence[str] = (),
) -> go.Figure:
    """From the outcome of earlier periods to that of later ones, source by source.

    Args:
        steps: What `core.analysis.stretches.bridge` gives.
        ends: Outcome counted before and after.
        labels: What these periods are called.
        units: Words for the units.
        order: Every channel of the project; fixes the colours.
    """
    colours = style.palette()
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.scaled(unit, max(map(abs, ends)))
    name = style.label(units.outcome_in_text)
    before, after = map(reworded, labels)
    middle, low, high = (
        np.array([getattr(step, key) for step in steps]) for key in ("mean", "lo", "hi")
    )
    start = ends[0] + np.concatenate([[0.0], np.cumsum(middle)[:-1]])
    every = np.concatenate([[*ends], start, start + low, start + high]) / divisor
    axis = _range(every, float(every.max() - every.min()))
    note = say("Bar: mean change. Line: 90 % interval of the change.")
    if axis[0] > 0:
        note += " " + say("The axis does not begin at zero.")
    figure = style.figure(
        # Its first and last bar say from when to when; on a phone a title has one line.
        say("What changed {name}, {shown}", name=name, shown=axis_unit),
        height=marks.rows_height(len(steps) + 2),
        note=note,
        x=axis_unit,
    )
    shades = [colours.accent, *_shades(steps, order), colours.accent]
    base, length = [0.0, *start, 0.0], [ends[0], *middle, ends[1]]
    figure.add_trace(bars.steps(base, length, shades, divisor))
    spans = (start + middle, middle - low, high - middle)
    intervals = (each / divisor for each in spans)
    words = _words(steps, unit)
    figure.add_trace(marks.whiskers(*intervals, colours.ink, first=1, hover=words))
    figure.update_xaxes(range=axis)
    names = [before, *map(_named, steps), after]
    marks.row_axis(figure, [style.label(name) for name in names])
    marks.row_texts(figure, _texts(middle, ends, units))
    return figure


def _named(step: Part) -> str:
    """A channel as it is called, a part of the baseline in the reader's words."""
    name = step.name
    is_ours = step.kind in ("baseline", "events", "unexplained")
    return reworded(name) if is_ours else name


def _shades(steps: Sequence[Part], order: Sequence[str]) -> list[str]:
    """The colours of channels; what is no channel is grey, as in other figures."""
    own, faint = style.channel_colours(list(order)), style.palette().faint
    return [own.get(step.name, faint) for step in steps]


def _texts(
    middle: np.ndarray, ends: tuple[float, float], units: fmt.Units
) -> list[str]:
    """Both ends, and between them what each source changed."""
    counted, largest = units.outcome if units.is_money else "", max(map(abs, ends))

    def show(value: float, *, signed: bool = False) -> str:
        return fmt.in_scale(value, largest, counted, signed=signed)

    least = 1e-9 * largest  # what rounding leaves of nothing
    changes = [0.0 if abs(value) < least else float(value) for value in middle]
    between = [show(value, signed=True) for value in changes]
    return [show(ends[0]), *between, show(ends[1])]


def _words(steps: Sequence[Part], unit: str) -> list[str]:
    """What each step says when pointed at."""
    shown = partial(fmt.exact, unit=unit)
    return [
        marks.interval_words(_named(step), shown, (step.mean, step.lo, step.hi))
        for step in steps
    ]


def _range(every: np.ndarray, span: float) -> list[float]:
    """The axis: cut where the changes begin, so that they can be seen."""
    low, high = float(every.min()), float(every.max())
    room = 0.15 * span
    return [max(0.0, low - room) if low >= 0 else low - room, high + room]
