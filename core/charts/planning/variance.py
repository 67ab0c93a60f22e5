"""The figure of a plan against actuals: from the planned outcome to the actual one."""

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import bars, marks, style
from core.charts.drawing.style import Theme
from core.plan.record.actuals import PlanBesideActuals
from core.text.languages.language import say


def variance(
    explained: PlanBesideActuals, *, units: fmt.Units, theme: Theme = "light"
) -> go.Figure:
    """Planned outcome, what spend, response and baseline changed, actual outcome.

    The axis begins near the outcomes, not at zero, so that the steps can be seen.

    Args:
        explained: Actual less planned outcome in its parts.
        units: Units of the project.
        theme: Light or dark.
    """
    steps = [explained.planned, *explained.parts]
    means = np.array([step.mean for step in steps])
    ends = np.cumsum(means)
    unit = style.label(units.outcome)
    divisor, shown = marks.scaled(unit, float(max(ends.max(), explained.actual)))
    name = style.label(units.outcome_name)
    figure = style.figure(
        say("{name}, from planned to actual, {shown}", name=name, shown=shown),
        theme=theme,
        height=marks.rows_height(5),
        note=say(
            "Bar: mean. Line: 90 % interval of the step. The axis does not begin at "
            "zero."
        ),
        x=shown,
    )
    low, high = _range(steps, ends, float(explained.actual))
    base = [low, *ends[:-1], low]
    length = [means[0] - low, *means[1:], explained.actual - low]
    colours = style.palette(theme)
    signed = [colours.high if step >= 0 else colours.low for step in means[1:]]
    shades = [colours.faint, *signed, colours.accent]
    figure.add_trace(bars.steps(base, length, shades, divisor))
    below, above = (
        np.array([abs(getattr(step, end) - step.mean) for step in steps]) / divisor
        for end in ("lo", "hi")
    )
    figure.add_trace(marks.whiskers(ends / divisor, below, above, colours.ink))
    titles = [
        say("Planned"),
        *(say(step.name.capitalize()) for step in explained.parts),
    ]
    marks.row_axis(figure, [*titles, say("Actual")])
    texts = [units.estimate(steps[0], bare=True)]
    texts += [units.estimate(step, bare=True, signed=True) for step in steps[1:]]
    marks.row_texts(
        figure, [*map(marks.light, texts), style.label(units.show(explained.actual))]
    )
    figure.update_xaxes(range=[low / divisor, high / divisor])
    return figure


def _range(steps: list, ends: np.ndarray, actual: float) -> tuple[float, float]:
    """Room for every bar and interval."""
    around = [actual, *ends]
    for step, end in zip(steps, ends, strict=True):
        around += [end - step.mean + step.lo, end - step.mean + step.hi]
    # All may agree to the cent: the axis still needs a width.
    width = max(max(around) - min(around), 0.02 * abs(actual), 1e-9)
    return min(around) - 0.15 * width, max(around) + 0.08 * width
