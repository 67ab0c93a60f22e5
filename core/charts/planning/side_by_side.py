"""Figures about several plans: where each spends, and what each may bring."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.charts.drawing import interval, marks, style
from core.plan.record.parts import Line
from core.plan.record.plan_record import PlanRecord, in_same_periods
from core.plan.response.periods import as_they_ran
from core.text.languages.language import say

#: Marks of plans, in order; the first is the one compared with.
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
_GLYPHS = ("●", "■", "◆", "▲", "✚", "★")


def _planned(unit: str, *, is_per_period: bool) -> str:
    """What the chart shows."""
    if is_per_period:
        return say("Planned spend per period by channel, {unit}", unit=unit)
    return say("Planned spend by channel, {unit}", unit=unit)


def _brought(name: str, unit: str, *, is_per_period: bool) -> str:
    """What the chart of outcomes shows."""
    if is_per_period:
        return say(
            "{name} from planned spend per period, {shown}", name=name, shown=unit
        )
    return say("{name} from planned spend, {shown}", name=name, shown=unit)


def spends(plans: Sequence[PlanRecord], *, currency: str = "") -> go.Figure:
    """Spend of each channel in each plan: one row per channel, one mark per plan.

    Plans for other periods are drawn per period, and without a line of last year's,
    which would be that of one of them.

    Args:
        plans: Plans, six at most.
        currency: Currency code.
    """
    lines = [{line.name: line for line in plan.channels} for plan in plans]
    names = list(dict.fromkeys(name for of in lines for name in of))
    is_one, counted = _counted(plans)
    each = zip(counted, lines, strict=True)
    largest = max(line.planned / n for n, of in each for line in of.values())
    divisor, unit = marks.scaled(fmt.currency_symbol(currency), largest)
    key = ", ".join(
        f"{glyph} {style.label(plan.name, 24)}"
        for glyph, plan in zip(_GLYPHS, plans, strict=False)
    )
    ran = as_they_ran(plan.horizon for plan in plans)
    figure = style.figure(
        _planned(unit, is_per_period=not is_one),
        height=marks.rows_height(len(names)),
        note=say("{key}. Grey line: {ran}.", key=key, ran=ran) if is_one else key,
        x=unit,
    )
    palette = style.palette()
    colours = style.channel_colours(names)
    if is_one:
        _current(figure, names, lines, divisor, palette.faint)
    for at, (plan, of, n) in enumerate(zip(plans, lines, counted, strict=True)):
        places = [i for i, name in enumerate(names) if name in of]
        values = [of[names[i]].planned / n for i in places]
        texts = _texts(plan, [names[i] for i in places], values, currency)
        x, own = np.array(values) / divisor, [colours[names[i]] for i in places]
        y = np.array(places) + 0.12 * (at - (len(plans) - 1) / 2)
        symbol, edge = _SYMBOLS[at % len(_SYMBOLS)], (palette.background, 1)
        figure.add_trace(marks.dots(x, y, own, 11, texts, edge=edge, symbol=symbol))
    marks.row_axis(figure, [style.label(name, marks.ROW) for name in names])
    figure.update_xaxes(rangemode="tozero")
    return figure


def _counted(plans: Sequence[PlanRecord]) -> tuple[bool, list[int]]:
    """Whether plans are for the same periods, and by what their sums are divided."""
    is_one = in_same_periods(plans)
    return is_one, [1 if is_one else plan.horizon.periods for plan in plans]


def _texts(
    plan: PlanRecord,
    names: Sequence[str],
    values: Sequence[float],
    currency: str,
) -> list[str]:
    """What hovering over a plan's marks says."""
    called, symbol = style.label(plan.name, 60), fmt.currency_symbol(currency)
    return [
        f"<b>{style.label(name, 60)}</b><br>{called} {fmt.exact(value, symbol)}"
        for name, value in zip(names, values, strict=True)
    ]


def _current(
    figure: go.Figure,
    names: Sequence[str],
    lines: Sequence[Mapping[str, Line]],
    divisor: float,
    colour: str,
) -> None:
    """A line at what each channel spends now."""
    for row, name in enumerate(names):
        current = next(of[name].current for of in lines if name in of)
        at = np.array([current / divisor] * 2), np.array([row - 0.35, row + 0.35])
        figure.add_trace(marks.line(*at, colour, width=3))


def outcomes(plans: Sequence[PlanRecord], *, units: fmt.Units) -> go.Figure:
    """Distribution of each plan's outcome, one row each on one axis.

    Args:
        plans: Plans; those for other periods are drawn per period.
        units: Units of the project.
    """
    is_one, counted = _counted(plans)
    draws = {
        plan.name: plan.draws_of("planned") / n
        for plan, n in zip(plans, counted, strict=True)
    }
    unit = style.label(units.outcome)
    top = max(float(np.abs(each).max()) for each in draws.values())
    divisor, axis_unit = marks.scaled(unit, top)
    name = style.label(units.outcome_name)
    figure = style.figure(
        _brought(name, axis_unit, is_per_period=not is_one),
        height=marks.rows_height(len(draws)) + 16 * len(draws),
        note=say("Dot: mean. Hill: the draws' distribution."),
        x=f"{name}, {axis_unit}",
    )
    accent = style.palette().accent
    for row, each in enumerate(draws.values()):
        _hill(figure, row, each / divisor, accent)
        mean = fmt.exact(float(each.mean()), unit)
        at, hover = float(each.mean()) / divisor, [say("mean {mean}", mean=mean)]
        figure.add_trace(marks.dots([at], [row + 0.35], accent, 9, hover))
    marks.row_axis(figure, [style.label(plan_name) for plan_name in draws])
    return figure


def _hill(figure: go.Figure, row: int, draws: np.ndarray, colour: str) -> None:
    """The distribution of draws, on the floor of its row."""
    grid, height = interval.density(draws)
    # Each by its own peak: a hill says where and how wide, and all are seen.
    height = 0.75 * height / height.max()
    figure.add_scatter(
        x=np.concatenate([grid, grid[::-1]]),
        y=np.concatenate([row + 0.35 - height, np.full(len(grid), row + 0.35)]),
        mode="lines",
        line={"color": colour, "width": 1},
        fill="toself",
        fillcolor=style.fade(colour, 0.2),
        hoverinfo="skip",
    )
