"""Bound from draws: how high any split could lift a quantile, or the odds of a goal.

Two facts make the bound. For one draw, budget * price plus each channel's best
surplus at that price is never below the outcome of a split (the Lagrangian dual).
And a quantile rises with every draw. So the quantile of the draws' bounds is above the
quantile of any split, and so it is with the share of draws that reach a goal. That
lets every draw have a plan of its own, which no single plan can; so ranges of spend are
halved, and the best bound over the halves comes down towards what one plan can do. It
holds for curves of any shape.
"""

import heapq
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.cubic import peaks, pieces
from core.plan.curves import ResponseCurves
from core.plan.measure import Measure
from core.plan.per_draw import GroupPrices

_PIECES = 640
_FEWEST_PIECES = 32
_TOLERANCE = 1e-4
_MOST_BOXES = 500


class _Table(NamedTuple):
    """Best surplus of each draw on each piece of a channel's range."""

    knots: Float[np.ndarray, "channel knot"]
    surplus: Float[np.ndarray, "channel piece draw"]
    mean: Float[np.ndarray, "channel piece"]
    charge: Float[np.ndarray, " draw"]


class _Box(NamedTuple):
    """Pieces `first` to `last` (exclusive) of each channel, and the surplus there."""

    first: np.ndarray
    last: np.ndarray
    surplus: np.ndarray


def draws_bound(
    curves: ResponseCurves,
    limits: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]],
    budget: float,
    price: Float[np.ndarray, " draw"],
    *,
    measure: Measure,
    reached: float,
    groups: GroupPrices | None = None,
) -> float:
    """A value that the measure of no split within the limits exceeds.

    Args:
        curves: All draws.
        limits: Least and most spend.
        budget: Between the sums of the limits.
        price: Per draw, outcome per currency; any is valid, the draw's own is best.
        measure: A quantile, or the probability of reaching a goal.
        reached: The measure of the plan, below which there is nothing to prove.
        groups: What joint limits ask of channels, in every draw.
    """
    table = _table(curves, limits, budget, price, groups)
    n_channels, n_pieces = table.surplus.shape[:2]
    first = np.zeros(n_channels, dtype=int)
    whole = _box(table, first, np.full(n_channels, n_pieces), None)
    waiting = [(-_bound(table, whole, measure), 0, whole)]
    settled, count = -np.inf, 1
    while waiting and count < _MOST_BOXES:
        if -waiting[0][0] - reached <= _TOLERANCE * abs(reached):
            break
        negative, _, box = heapq.heappop(waiting)
        halves = _halves(table, box, budget)
        if halves is None:
            settled = max(settled, -negative)
            continue
        for part in halves:
            bound = min(_bound(table, part, measure), -negative)
            count += 1
            heapq.heappush(waiting, (-bound, count, part))
    left = -waiting[0][0] if waiting else -np.inf
    bound = max(settled, left, reached)
    return bound + 1e-12 * abs(bound)


def _table(
    curves: ResponseCurves,
    limits: tuple[np.ndarray, np.ndarray],
    budget: float,
    price: np.ndarray,
    groups: GroupPrices | None,
) -> _Table:
    knots = _knots(curves, *limits)
    both = curves.outcome_and_marginal(knots.T)
    value, slope = (np.moveaxis(part, 1, 2) for part in both)
    charge = price[:, None, None]
    if groups is not None:
        charge = charge + groups.price[:, None]
    _, inner = peaks(pieces(knots, value, slope), charge)
    at_knots = value - charge * knots
    ends = np.maximum(at_knots[..., :-1], at_knots[..., 1:])
    surplus = np.ascontiguousarray(np.moveaxis(np.maximum(inner, ends), 0, 2))
    paid = price * budget + (groups.charge if groups else 0.0)
    return _Table(knots, surplus, surplus.mean(axis=2), paid)


def _knots(curves: ResponseCurves, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The grid's knots within the limits, each piece cut until there are enough."""
    x = curves.knots_within(low, high)
    used = np.diff(x, axis=1).max(axis=0) > 0
    x = x[:, np.concatenate([[True], used])] if used.any() else x[:, :2]
    wanted = max(_PIECES // len(low), _FEWEST_PIECES)
    cuts = -(-wanted // (x.shape[1] - 1))
    share = np.arange(cuts) / cuts
    fine = x[:, :-1, None] + np.diff(x, axis=1)[:, :, None] * share
    return np.concatenate([fine.reshape(len(low), -1), x[:, -1:]], axis=1)


def _bound(table: _Table, box: _Box, measure: Measure) -> float:
    return float(measure.of(table.charge + box.surplus.sum(axis=0)))


def _box(
    table: _Table, first: np.ndarray, last: np.ndarray, parent: _Box | None
) -> _Box:
    """A box with its surplus; channels that are as in the parent are copied."""
    n_channels = len(first)
    if parent is None:
        surplus = np.empty((n_channels, table.charge.size))
        changed = range(n_channels)
    else:
        surplus = parent.surplus.copy()
        changed = np.flatnonzero((first != parent.first) | (last != parent.last))
    for channel in changed:
        surplus[channel] = table.surplus[channel, first[channel] : last[channel]].max(0)
    return _Box(first, last, surplus)


def _halves(table: _Table, box: _Box, budget: float) -> list[_Box] | None:
    """The box cut across the channel that matters most; None where none can be cut."""
    row = np.arange(len(box.first))
    ends = np.minimum(table.mean[row, box.first], table.mean[row, box.last - 1])
    drop = box.surplus.mean(axis=1) - ends
    drop = np.where(box.last - box.first > 1, drop, -1.0)
    channel = int(drop.argmax())
    if drop[channel] < 0:
        return None
    middle = int(box.first[channel] + box.last[channel]) // 2
    left, right = box.last.copy(), box.first.copy()
    left[channel] = right[channel] = middle
    parts = []
    for first, last in ((box.first, left), (right, box.last)):
        fitted = _fitted(table.knots, first, last, budget)
        if fitted is not None:
            parts.append(_box(table, *fitted, box))
    return parts


def _fitted(
    knots: np.ndarray, first: np.ndarray, last: np.ndarray, budget: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The box without pieces that the budget cannot reach; None for an empty one."""
    channel = np.arange(len(first))
    low, high = knots[channel, first], knots[channel, last]
    slack = 1e-9 * budget
    if low.sum() > budget + slack or high.sum() < budget - slack:
        return None
    least = np.maximum(low, budget - (high.sum() - high) - slack)
    most = np.minimum(high, budget - (low.sum() - low) + slack)
    start = (knots <= least[:, None]).sum(axis=1) - 1
    stop = knots.shape[1] - (knots >= most[:, None]).sum(axis=1)
    first = np.clip(start, first, last - 1)
    return first, np.clip(stop, first + 1, last)
