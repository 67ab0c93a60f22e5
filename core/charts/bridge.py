"""Figure of a bridge: what changed the outcome from some periods to others."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import bars, marks, style
from core.charts.drawing.style import Theme
from core.estimate import Part
from core.text.languages.language import say
from core.text.languages.reworded import reworded


def bridge(
    steps: Sequence[Part],
    ends: tuple[float, float],
    labels: tuple[str, str],
    units: fmt.Units,
    *,
    order: Sequence[str] = (),
    theme: Theme = "light",
) -> go.Figure:
    """From the outcome of earlier periods to that of later ones, source by source.

    Args:
        steps: What `core.analysis.stretches.bridge` gives.
        ends: Outcome counted before and after.
        labels: What these periods are called.
        units: Words for the units.
        order: Every channel of the project; fixes the colours.
        theme: Light or dark.
    """
    colours = style.palette(theme)
    unit = style.label(units.outcome)
    divisor, shown = marks.scaled(unit, max(map(abs, ends)))
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
        say("What changed {name}, {shown}", name=name, shown=shown),
        theme=theme,
        height=marks.rows_height(len(steps) + 2),
        note=note,
        x=shown,
    )
    shades = [colours.accent, *_shades(steps, order, theme), colours.accent]
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


def _shades(steps: Sequence[Part], order: Sequence[str], theme: Theme) -> list[str]:
    """The colours of channels; what is no channel is grey, as in other figures."""
    own, faint = style.channel_colours(list(order)), style.palette(theme).faint
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
    return [
        say(
            "<b>{name}</b><br>mean {mean}<br>90 %: {lo} to {hi}",
            name=style.label(_named(step), 60),
            mean=fmt.exact(step.mean, unit),
            lo=fmt.exact(step.lo, unit),
            hi=fmt.exact(step.hi, unit),
        )
        for step in steps
    ]


def _range(every: np.ndarray, span: float) -> list[float]:
    """The axis: cut where the changes begin, so that they can be seen."""
    low, high = float(every.min()), float(every.max())
    room = 0.15 * span
    return [max(0.0, low - room) if low >= 0 else low - room, high + room]
