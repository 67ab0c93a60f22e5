"""Spectral projected gradient: spend per cell with a large objective.

Each step follows the gradient for a length that fits the curvature seen last
(Barzilai and Borwein), is projected onto the limits, and is shortened until the
objective is above the least of the last few: Birgin, Martinez and Raydan (2000).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.plan.limits.cells import Cells
from core.plan.solve.weeks.projection import Projection, Spend

Objective = Callable[[Spend], tuple[float, Spend]]

_MEMORY = 5
_SUFFICIENT = 1e-4
_FEWEST_SHORTENED = 20
#: Rise of a step, as a share of the value, at which an ascent is at its end.
_NOTHING = 1e-11
#: Mean step, in average cells, beyond which a projection ends at the same corner.
_FARTHEST = 30.0


class Climbed(NamedTuple):
    """Where an ascent ended.

    Attributes:
        spend: Within the limits.
        value: The objective there.
        slope: Its gradient there.
    """

    spend: Spend
    value: float
    slope: Spend


def climb(
    objective: Objective,
    cells: Cells,
    start: Spend,
    *,
    most: int = 150,
    tolerance: float = 1e-7,
) -> Climbed:
    """The best spend found from a start.

    Args:
        objective: Value and gradient.
        cells: Limits that can be met.
        start: Within the limits.
        most: Evaluations.
        tolerance: Growth of ten steps below which it ends, as a share of the value.
    """
    unit = _units(cells)
    project = Projection(cells, unit)
    spend = start
    value, slope = objective(spend)
    best = Climbed(spend, value, slope)
    values, count, step = [value], 1, _first_step(spend, slope, unit)
    while count < most:
        length = _within(step, cells, unit * slope)
        target = project(spend + length * unit * slope, length)
        way = target - spend
        rise = float((slope * way).sum())
        if rise <= _NOTHING * abs(value):
            break
        # Spectral steps lose now and then: a step need only beat the worst of the last
        # few.
        share, floor = 1.0, min(values[-_MEMORY:])
        for _ in range(_FEWEST_SHORTENED):
            moved = spend + share * way
            new, new_slope = objective(moved)
            count += 1
            if new >= floor + _SUFFICIENT * share * rise:
                break
            share *= _shorter(value, new, share * rise)
        step = _curvature_step(moved - spend, new_slope - slope, unit, step)
        spend, value, slope = moved, new, new_slope
        values.append(value)
        if value > best.value:
            best = Climbed(spend, value, slope)
        if len(values) > 10:
            past = max(values[:-10])
            if max(values) - past <= tolerance * abs(best.value):
                break
    return best


def _within(step: float, cells: Cells, way: Spend) -> float:
    """A step along a way; no farther than projections with change stay exact."""
    if cells.change is None:
        return step
    spread = float(np.abs(way - np.median(way)).mean())
    return min(step, _FARTHEST * cells.budget / way.size / max(spread, 1e-300))


def _units(cells: Cells) -> Spend:
    """Squared money that a channel typically moves in a cell."""
    typical = np.maximum(cells.most, cells.budget * 1e-3) / cells.low.shape[1]
    return np.broadcast_to((typical**2)[:, None], cells.low.shape) / cells.budget


def _first_step(spend: Spend, slope: Spend, unit: Spend) -> float:
    """A step that moves the average cell by about a tenth of its spend."""
    move = float((unit * np.abs(slope - slope.mean())).mean()) or 1.0
    return max(0.1 * float(np.abs(spend).mean()) / move, 1e-12)


def _shorter(value: float, new: float, rise: float) -> float:
    """How much of a step to keep: the top of the parabola through both ends."""
    bend = value + rise - new
    if not np.isfinite(bend) or bend <= 0:
        return 0.5
    return float(np.clip(rise / (2 * bend), 0.1, 0.5))


def _curvature_step(way: Spend, change: Spend, unit: Spend, step: float) -> float:
    """Barzilai and Borwein's step, in the metric of the units."""
    length, bend = float((way**2 / unit).sum()), -float((way * change).sum())
    # Where the objective does not bend down, only the limits end a step.
    if bend <= 1e-14 * length:
        return min(10 * step, 1e12)
    return float(np.clip(length / bend, step / 1e3, step * 1e3))
