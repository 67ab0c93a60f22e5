"""Bound from draws: how high any split could lift a quantile, or the odds of a goal.

Two facts make the bound. For one draw, budget * price plus each channel's best
surplus at that price is never below the outcome of a split (the Lagrangian dual).
And a quantile rises with every draw. So the quantile of the draws' bounds is above the
quantile of any split, and so it is with the share of draws that reach a goal. That
lets every draw have a plan of its own, which no single plan can; so ranges of spend are
halved, and the best bound over the halves comes down towards what one plan can do. It
holds for curves of any shape.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.response.cubic import peaks, pieces
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.measure import Measure
from core.plan.solve.branch_and_bound import best_first
from core.plan.solve.per_draw import GroupPrices

_PIECES = 640
_FEWEST_PIECES = 32
_TOLERANCE = 1e-4
_MOST_BOXES = 600
#: Draws on either side of the place that decides, by which it is seen where to cut.
_NEAR = 100


class _Table(NamedTuple):
    """Best surplus of each draw on each piece of a channel's range.

    Attributes:
        knots: Ends of the pieces, currency.
        surplus: Outcome net of the draw's price.
        near: The same of the draws that decide.
        charge: What the budget costs at the draw's price.
    """

    knots: Float[np.ndarray, "channel knot"]
    surplus: Float[np.ndarray, "channel piece draw"]
    near: Float[np.ndarray, "channel piece near"]
    charge: Float[np.ndarray, " draw"]


class _Box(NamedTuple):
    """Pieces `first` to `last` (exclusive) of each channel, and the surplus there.

    Attributes:
        first: Channel.
        last: Channel.
        surplus: Best surplus of the draws, a row per channel.
        worth: By how much cutting a channel lowers the higher half's surplus; below
            zero where there is nothing to cut.
        total: Its sum over channels and what the budget is charged, draw.
    """

    first: np.ndarray
    last: np.ndarray
    surplus: tuple[np.ndarray, ...]
    worth: np.ndarray
    total: np.ndarray


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
    table = _priced_outcomes(curves, limits, budget, price, groups, measure)
    whole = _whole(table)

    def cut(box: _Box) -> list | None:
        halves = _halves(table, box, budget)
        if halves is None:
            return None
        return [(half, float(measure.of(half.total))) for half in halves]

    def is_close(bound: float) -> bool:
        return bool(bound - reached <= _TOLERANCE * abs(reached))

    first = (whole, float(measure.of(whole.total)))
    bound = max(best_first(first, cut, is_close, _MOST_BOXES).bound, reached)
    return bound + 1e-12 * abs(bound)


def _priced_outcomes(
    curves: ResponseCurves,
    limits: tuple[np.ndarray, np.ndarray],
    budget: float,
    price: np.ndarray,
    groups: GroupPrices | None,
    measure: Measure,
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
    # Draws last: a box takes the maximum of pieces for all draws, along memory.
    surplus = np.ascontiguousarray(np.moveaxis(np.maximum(inner, ends), 0, 2))
    paid = price * budget + (groups.charge if groups else 0.0)
    total = paid + surplus.max(axis=1).sum(axis=0)
    place = round(measure.share(total) * len(total))
    part = slice(max(place - _NEAR, 0), place + _NEAR)
    near = np.ascontiguousarray(surplus[:, :, np.argsort(total)[part]])
    return _Table(knots, surplus, near, paid)


def _knots(curves: ResponseCurves, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The grid's knots within the limits, each piece cut until there are enough."""
    x = curves.knots_within(low, high)
    # Knots outside the limits all lie at their ends: pieces without a width.
    used = np.diff(x, axis=1).max(axis=0) > 0
    x = x[:, np.concatenate([[True], used])] if used.any() else x[:, :2]
    n_pieces = max(_PIECES // len(low), _FEWEST_PIECES)
    cuts = -(-n_pieces // (x.shape[1] - 1))
    share = np.arange(cuts) / cuts
    fine = x[:, :-1, None] + np.diff(x, axis=1)[:, :, None] * share
    return np.concatenate([fine.reshape(len(low), -1), x[:, -1:]], axis=1)


def _whole(table: _Table) -> _Box:
    """All pieces."""
    n_channels, n_pieces = table.surplus.shape[:2]
    surplus = table.surplus.max(axis=1)
    worth = [_worth(near) for near in table.near]
    return _Box(
        np.zeros(n_channels, dtype=int),
        np.full(n_channels, n_pieces),
        tuple(surplus),
        np.array(worth),
        table.charge + surplus.sum(axis=0),
    )


def _part(table: _Table, first: np.ndarray, last: np.ndarray, parent: _Box) -> _Box:
    """A box within another, from which channels that stay as they were are taken."""
    surplus, worth = list(parent.surplus), parent.worth.copy()
    total = parent.total.copy()
    for channel in ((first != parent.first) | (last != parent.last)).nonzero()[0]:
        part = slice(first[channel], last[channel])
        best = table.surplus[channel, part].max(axis=0)
        total += best - surplus[channel]
        surplus[channel] = best
        worth[channel] = _worth(table.near[channel, part])
    return _Box(first, last, tuple(surplus), worth, total)


def _worth(surplus: Float[np.ndarray, "piece near"]) -> float:
    """By how much a cut in the middle lowers the higher half's mean surplus."""
    middle = len(surplus) // 2
    if not middle:
        return -1.0
    left, right = surplus[:middle].max(axis=0), surplus[middle:].max(axis=0)
    return float(np.maximum(left, right).mean() - max(left.mean(), right.mean()))


def _halves(table: _Table, box: _Box, budget: float) -> list[_Box] | None:
    """The box cut across the channel that matters most; None where none can be cut."""
    channel = int(box.worth.argmax())
    if box.worth[channel] < 0:
        return None
    middle = int(box.first[channel] + box.last[channel]) // 2
    left, right = box.last.copy(), box.first.copy()
    left[channel] = right[channel] = middle
    parts = []
    for first, last in ((box.first, left), (right, box.last)):
        fitted = _fitted(table.knots, first, last, budget)
        if fitted is not None:
            parts.append(_part(table, *fitted, box))
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
