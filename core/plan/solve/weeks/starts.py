"""Starts: plans of weeks that an ascent begins from, the best fixed pattern first."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.plan.limits.cells import Cells
from core.plan.limits.program import total_range
from core.plan.solve.weeks.projected_gradient import Objective, climb
from core.plan.solve.weeks.projection import Spend, nearest


class Starts(NamedTuple):
    """Plans within the limits.

    Attributes:
        current: The pattern and split of the year before, scaled to the budget.
        even: Its split, the same in every week.
        fixed: The pattern of the year before with the best split.
    """

    current: Spend
    even: Spend
    fixed: Spend


def starts(objective: Objective, cells: Cells, usual: Spend) -> Starts:
    """Plans to compare with, each moved into the limits where it has to be.

    Args:
        objective: Value and gradient.
        cells: Limits that can be met.
        usual: Spend of the same weeks a year earlier.
    """
    n_weeks = usual.shape[1]
    total = max(float(usual.sum()), 1e-300)
    budget = np.clip(total, cells.budget - cells.spare, cells.budget)
    scaled = usual * (budget / total)
    unit = units_of(cells)
    even = np.repeat(scaled.mean(axis=1, keepdims=True), n_weeks, axis=1)
    current = nearest(cells, scaled, unit)
    return Starts(
        current=current,
        even=nearest(cells, even, unit),
        fixed=_best_fixed(objective, cells, scaled, current),
    )


def units_of(cells: Cells) -> Spend:
    """How readily a channel's cells move."""
    typical = np.maximum(cells.most, 1e-3 * cells.budget)
    return np.repeat(typical[:, None], cells.low.shape[1], axis=1)


def _best_fixed(
    objective: Objective, cells: Cells, usual: Spend, current: Spend
) -> Spend:
    """The best split with each channel's pattern as it was in the free weeks."""
    free = cells.high > cells.low
    pattern = np.where(free, usual, 0.0)
    # A channel that did not run in the weeks left to it spends evenly there.
    none = pattern.sum(axis=1, keepdims=True) <= 0
    pattern = np.where(none, free, pattern)
    pattern = pattern / np.maximum(pattern.sum(axis=1, keepdims=True), 1e-300)
    booked = np.where(free, 0.0, cells.low)
    room = np.divide(
        cells.high, pattern, out=np.full(usual.shape, np.inf), where=pattern > 0
    )
    spent = booked.sum(axis=1)
    limits = replace(
        cells,
        columns=("all",),
        low=np.zeros((len(cells.names), 1)),
        high=np.minimum(room.min(axis=1), cells.budget)[:, None] * free.any(1)[:, None],
        least=np.maximum(cells.least - spent, 0.0),
        most=np.maximum(cells.most - spent, 0.0),
        column_most=np.array([np.inf]),
        budget=cells.budget - float(spent.sum()),
        change=None,
        joint=None,
    )
    ends = total_range(limits.polytope)
    if ends is None or limits.budget <= 0:
        return current
    if ends[0] > limits.budget or limits.budget - limits.spare > ends[1]:
        return current

    def of_totals(totals: Spend) -> tuple[float, Spend]:
        value, slope = objective(booked + totals * pattern)
        return value, (slope * pattern).sum(axis=1, keepdims=True)

    begin = nearest(limits, np.where(free, usual, 0).sum(1)[:, None], units_of(limits))
    totals = climb(of_totals, limits, begin, most=40).spend
    return nearest(cells, booked + totals * pattern, units_of(cells))


def pulses(cells: Cells, plan: Spend) -> list[Spend]:
    """A plan's split in every other week, and in one of four."""
    weeks = np.arange(plan.shape[1])
    channels = np.arange(len(plan))[:, None]
    plans = []
    for on in ((weeks + channels) % 2 == 0, (weeks + channels) % 4 == 0):
        shares = on / np.maximum(on.sum(axis=1, keepdims=True), 1)
        ask = plan.sum(axis=1, keepdims=True) * shares
        plans.append(nearest(cells, ask, units_of(cells)))
    return plans


def best_of(
    plans: list[Spend], value: Callable[[Spend], float]
) -> tuple[Spend, float, int]:
    """The best of some plans, its value and its place."""
    values = [value(plan) for plan in plans]
    place = int(np.argmax(values))
    return plans[place], values[place], place
