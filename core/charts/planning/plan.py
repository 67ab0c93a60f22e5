"""Figures about a plan: where the budget goes, what it is worth, what came of it."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import bars, interval, marks, style
from core.plan.frontier import Point
from core.plan.record.actuals import PlanBesideActuals
from core.plan.record.parts import MARKS, Cell, Line, direction, odds_of_more
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import marked, say

Draws = np.ndarray | Sequence[float]


def spend(
    plan: PlanRecord, *, currency: str = "", order: Sequence[str] | None = None
) -> go.Figure:
    """Spend that ran and planned spend of each channel as paired bars.

    Args:
        plan: The plan.
        currency: Currency code.
        order: Every channel of the project, which fixes colours; the plan's own
            order unless given.
    """
    lines = plan.channels
    names = [line.name for line in lines]
    current = np.array([line.current for line in lines])
    planned = np.array([line.planned for line in lines])
    unit = fmt.currency_symbol(currency)
    ends = [line.high or 0 for line in lines]
    # A limit far beyond what is planned would squeeze the bars, and is cut off.
    largest = float(np.max([*current, *planned, *np.minimum(ends, 4 * planned.max())]))
    divisor, axis_unit = marks.scaled(unit, largest)
    ran = plan.horizon.as_it_ran
    figure = style.figure(
        say("Planned spend, {unit}", unit=axis_unit),
        height=marks.rows_height(len(lines), frame=110) + 10 * len(lines),
        note=say("Grey: {what}. Line: limits. {marks}", what=ran, marks=say(MARKS)),
        x=axis_unit,
    )
    by_name = style.channel_colours(list(dict.fromkeys([*(order or ()), *names])))
    hover = [_hover(line, unit, plan.horizon.heading) for line in lines]
    at = np.arange(len(lines))
    faint = style.palette().faint
    for values, place, colours in (
        (current, at - 0.19, [style.fade(faint, 0.55)] * len(lines)),
        (planned, at + 0.19, [by_name[name] for name in names]),
    ):
        figure.add_bar(
            y=place,
            x=values / divisor,
            orientation="h",
            width=0.36,
            marker={"color": colours, "line_width": 0, "cornerradius": 3},
            **marks.hovering(hover),
        )
    figure.update_layout(barmode="overlay")
    _limits(figure, lines, divisor)
    marks.row_axis(figure, [style.label(name, marks.ROW) for name in names])
    marks.row_texts(figure, [_row_text(line, currency) for line in lines])
    figure.update_xaxes(range=[0, 1.03 * largest / divisor])
    return figure


def outcome(plan: PlanRecord, *, units: fmt.Units) -> go.Figure:
    """Distribution of the outcome of a plan, and of what its split is compared with.

    Args:
        plan: The plan.
        units: Units of the project.
    """
    colours = style.palette()
    pairs = [
        (
            plan.horizon.compared_mark(is_scaled=plan.comparison_scaled),
            plan.draws_of("current"),
            colours.faint,
        ),
        (say("planned"), plan.draws_of("planned"), colours.accent),
    ]
    over = plan.compared_with
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.scaled(unit, float(np.abs(pairs[1][1]).max()))
    name = style.label(units.outcome_name)
    figure = style.figure(
        say(
            "{outcome} of the plan and of {over}, {unit}",
            outcome=name,
            over=over,
            unit=axis_unit,
        ),
        height=240,
        x=f"{name}, {axis_unit}",
    )
    top = 0.0
    for word, draws, colour in pairs:
        grid, height = interval.density(draws)
        hover = _hover_of(word, grid, unit)
        figure.add_trace(marks.hill(grid / divisor, height, colour, 0.25, hover=hover))
        top = max(top, float(height.max()))
    figure.update_yaxes(showticklabels=False, range=[0, 1.2 * top], showgrid=False)
    _mean_labels(figure, pairs, divisor, units)
    return figure


def gain(draws: Draws, *, units: fmt.Units, over: str) -> go.Figure:
    """Distribution of what the plan gains.

    Args:
        draws: Draws of the planned outcome less that of what it is compared with.
        units: Units of the project.
        over: What it gains that over, in words.
    """
    colours = style.palette()
    draws = np.asarray(draws, float)
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.scaled(unit, float(np.abs(draws).max()))
    grid, height = interval.density(draws)
    sure = fmt.probability(float((draws > 0).mean()))
    name = style.label(units.outcome_in_text)
    figure = style.figure(
        say(
            "Gain in {outcome} over {over}, {unit}",
            outcome=name,
            over=over,
            unit=axis_unit,
        ),
        height=240,
        note=say("{odds} of the distribution lies above zero.", odds=sure),
        x=say("Gain, {unit}", unit=axis_unit),
    )
    for above, colour in ((False, colours.low), (True, colours.accent)):
        part = grid >= 0 if above else grid <= 0
        if part.any():
            x, y = grid[part], height[part]
            # Both colours meet at zero itself, not at the grid's nearest point.
            edge = float(np.interp(0, grid, height, left=0, right=0))
            x, y = (
                (np.append(0.0, x), np.append(edge, y))
                if above
                else (np.append(x, 0.0), np.append(y, edge))
            )
            hover = _hover_of(say("gain"), x, unit)
            figure.add_trace(marks.hill(x / divisor, y, colour, 0.25, hover=hover))
    figure.update_yaxes(showticklabels=False, rangemode="tozero", showgrid=False)
    marks.reference(figure, 0)
    return figure


def _hover_of(word: str, at: np.ndarray, unit: str) -> list[str]:
    return [f"{word} {fmt.exact(float(value), unit)}" for value in at]


def _mean_labels(figure, pairs, divisor: float, units: fmt.Units) -> None:
    """Means as lines with their text; the lower mean is labelled to its left."""
    means = [float(draws.mean()) for _, draws, _ in pairs]
    for i, (word, _, colour) in enumerate(pairs):
        is_left = means[i] < means[1 - i] or (means[0] == means[1] and i == 0)
        figure.add_vline(
            x=means[i] / divisor, line={"color": colour, "width": 1.5, "dash": "dot"}
        )
        figure.add_annotation(
            x=means[i] / divisor,
            y=1,
            yref="paper",
            yanchor="top",
            xanchor="right" if is_left else "left",
            xshift=-4 if is_left else 4,
            text=f"{word} {style.label(units.show(means[i]))}",
            showarrow=False,
            font={"size": 12},
        )


def _limits(figure, lines: Sequence[Line], divisor: float) -> None:
    """The range within which each channel may move, as a thin line."""
    colour = style.palette().muted
    for row, line in enumerate(lines):
        low, high = line.low, line.high
        if low is None or high is None:
            continue
        figure.add_scatter(
            x=[low / divisor, high / divisor],
            y=[row, row],
            mode="lines+markers",
            line={"color": colour, "width": 1},
            marker={"symbol": "line-ns", "size": 8, "line": {"color": colour}},
            marker_line_width=1,
            hoverinfo="skip",
        )


def _row_text(line: Line, currency: str) -> str:
    sign, _ = direction(line)
    change = say("new") if line.planned > 0 else fmt.share(0.0)
    if line.multiplier is not None:
        change = fmt.share(line.multiplier - 1, signed=True)
    amount = marks.light(f"{fmt.money(line.planned, currency)} ({change})")
    return f"{sign} {amount}".lstrip()


def _hover(line: Line, unit: str, ran: str) -> str:
    parts = [f"<b>{style.label(line.name, 60)}</b>", *hover_of_spend(line, unit, ran)]
    return "<br>".join(parts)


def hover_of_spend(line: Line | Cell, unit: str, ran: str) -> list[str]:
    """Lines on what ran, what is planned, the limits, and how sure the direction is.

    Args:
        line: A channel, or one in a geo.
        unit: Of money.
        ran: What ran, as a head.
    """
    _, word = direction(line)
    parts = [
        fmt.named(ran, fmt.exact(line.current, unit)),
        say("planned {planned}", planned=fmt.exact(line.planned, unit)),
    ]
    if line.low is not None and line.high is not None:
        parts.append(
            say(
                "limits {low} to {high}",
                low=fmt.exact(line.low, unit),
                high=fmt.exact(line.high, unit),
            )
        )
    if (odds := odds_of_more(line)) is not None:
        sure = fmt.probability(odds)
        parts.append(
            say(
                "{odds} that more would pay, direction {how_sure}",
                odds=sure,
                how_sure=word,
            )
        )
    elif isinstance(line, Line) and line.locked:
        parts.append(word)
    return parts


def variance(explained: PlanBesideActuals, *, units: fmt.Units) -> go.Figure:
    """Planned outcome, what spend, response and baseline changed, actual outcome.

    The axis begins near the outcomes, not at zero, so that the steps can be seen.

    Args:
        explained: Actual less planned outcome in its parts.
        units: Units of the project.
    """
    steps = [explained.planned, *explained.parts]
    means = np.array([step.mean for step in steps])
    ends = np.cumsum(means)
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.scaled(unit, float(max(ends.max(), explained.actual)))
    name = style.label(units.outcome_name)
    figure = style.figure(
        say("{name}, from planned to actual, {shown}", name=name, shown=axis_unit),
        height=marks.rows_height(5),
        note=say(
            "Bar: mean. Line: 90 % interval of the step. The axis does not begin at "
            "zero."
        ),
        x=axis_unit,
    )
    low, high = _range(steps, ends, float(explained.actual))
    base = [low, *ends[:-1], low]
    length = [means[0] - low, *means[1:], explained.actual - low]
    colours = style.palette()
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


_NOTE = marked(
    "Band: 90 % interval of the best split. Grey: the same split at each budget. "
    "Hollow: beyond observed spend."
)


def frontier(points: Sequence[Point], *, units: fmt.Units) -> go.Figure:
    """Best outcome by budget with its 90 % band, and that of the split that ran.

    Args:
        points: What `core.plan.frontier` gives.
        units: Units of the project.
    """
    colours = style.palette()
    budget = np.array([point.budget for point in points])
    best = np.array([point.outcome.mean for point in points])
    low = np.array([point.outcome.lo for point in points])
    high = np.array([point.outcome.hi for point in points])
    current = np.array([point.current.mean for point in points])
    money, x_unit = marks.scaled(units.symbol, float(budget.max()))
    size, y_unit = marks.scaled(style.label(units.outcome), float(high.max()))
    name = style.label(units.outcome_name)
    figure = style.figure(
        say(
            "{outcome} from the planned spend over the budget, {unit}",
            outcome=name,
            unit=y_unit,
        ),
        height=300,
        note=say(_NOTE),
        x=say("Budget, {unit}", unit=x_unit),
        y=f"{name}, {y_unit}",
    )
    band = (budget / money, low / size, high / size)
    figure.add_trace(marks.band(*band, colours.accent, 0.15))
    x, faint = budget / money, colours.faint
    hover = [
        say("the same split: {outcome}", outcome=units.show(float(outcome)))
        for outcome in current
    ]
    figure.add_trace(marks.line(x, current / size, faint, hover=hover, dash="dot"))
    hover = [_hover_of_budget(point, units) for point in points]
    look = {"hover": hover, "marker": _dots(points, colours)}
    figure.add_trace(marks.line(x, best / size, colours.accent, **look))
    return figure


def _dots(points: Sequence[Point], colours: style.Palette) -> dict:
    """Larger at the plan, hollow beyond observed spend."""
    return {
        "size": [12 if point.is_plan else 7 for point in points],
        "color": [
            colours.background if point.beyond_seen else colours.accent
            for point in points
        ],
        "line": {"color": colours.accent, "width": 1.5},
    }


def _hover_of_budget(point: Point, units: fmt.Units) -> str:
    lines = [
        f"<b>{fmt.money(point.budget, units.currency)}</b>",
        say("best split: {outcome}", outcome=units.estimate(point.outcome, bare=True)),
        say(
            "next {unit} brings {amount}",
            unit=units.symbol or say("unit"),
            amount=fmt.estimate(point.mroi, "ratio"),
        ),
    ]
    if point.beyond_seen:
        names = ", ".join(style.label(name) for name in point.beyond_seen)
        lines.append(say("beyond observed spend: {names}", names=names))
    return "<br>".join(lines)
