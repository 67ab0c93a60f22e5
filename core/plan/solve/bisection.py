"""Bisection on the dual: the best split of a budget on one curve per channel.

The budget gets a price. At a price, each channel's best spend is found alone and
exactly, and the sum of what channels want falls as the price rises; so bisection
finds the price at which they want the budget. Whatever the price, budget * price plus
the channels' surplus is an outcome that no split exceeds (the Lagrangian dual), which
bounds how far a plan can be from the best. Where curves bend down throughout, bound
and plan meet. Where one is S-shaped it may want to jump; then branch and bound splits
its range at the jump until the two meet.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.response.cubic import (
    Best,
    Cubics,
    best_at_price,
    concave_pieces,
    pieces,
    slope_range,
)
from core.plan.response.curves import ResponseCurves
from core.plan.solve.branch_and_bound import best_first
from core.plan.solve.per_draw import GroupPrices

_TOLERANCE = 1e-7
_PRICE = 1e-13


class Optimum(NamedTuple):
    """A split and how good any split can be.

    Attributes:
        spend: The split, currency; adds up to the budget.
        outcome: Its outcome on the curves given.
        bound: No split within the limits has an outcome above this.
        boxes: Ranges examined; 1 where curves bend down.
        groups: Prices of joint limits; None where only the budget joins channels.
        points: Spends that mattered, channel and currency; None where only the budget
            joins channels.
    """

    spend: Float[np.ndarray, " channel"]
    outcome: float
    bound: float
    boxes: int
    groups: GroupPrices | None = None
    points: tuple[np.ndarray, np.ndarray] | None = None


class _Relaxed(NamedTuple):
    """A box's answer: a split, the bound, and the channel that jumps (or -1)."""

    spend: np.ndarray
    bound: float
    jumps: int
    sides: tuple[float, float]


class _Box(NamedTuple):
    low: np.ndarray
    high: np.ndarray


def best_split(
    curves: ResponseCurves,
    low: Float[np.ndarray, " channel"],
    high: Float[np.ndarray, " channel"],
    budget: float,
    *,
    most_boxes: int = 400,
) -> Optimum:
    """The best split on the curves' only draw (a mean, or a weighted sum).

    Args:
        curves: One draw.
        low: Least spend, currency.
        high: Most spend, currency.
        budget: Currency, between the sums of the limits.
        most_boxes: Ranges to examine before the bound is taken as it is.
    """
    whole = _Box(low, high)
    first = _relaxed(curves.within(*whole), budget)
    best, outcome = _better(curves, whole, budget, first)

    def cut(part: tuple[_Box, _Relaxed]) -> list | None:
        nonlocal best, outcome
        halves = []
        for half in _halves(*part, budget):
            answer = _relaxed(curves.within(*half), budget)
            spend, value = _better(curves, half, budget, answer)
            if value > outcome:
                best, outcome = spend, value
            halves.append(((half, answer), answer.bound))
        return halves or None

    def is_close(bound: float) -> bool:
        return bool(bound - outcome <= _TOLERANCE * abs(bound))

    proven = best_first(((whole, first), first.bound), cut, is_close, most_boxes)
    bound = max(proven.bound, outcome)
    # A bound that rounding lowered would be none.
    return Optimum(best, outcome, bound + 1e-12 * abs(bound), proven.count)


def _relaxed(cubics: Cubics, budget: float) -> _Relaxed:
    """Split and bound at the price where channels want the budget."""
    parts = pieces(*cubics)
    cheap, dear = slope_range(cubics)
    steepest = max(abs(cheap), abs(dear)) or 1.0
    # Beyond every slope: at these prices channels want all that they may, and the
    # least.
    cheap, dear = cheap - 1e-9 * steepest, dear + 1e-9 * steepest
    most, least = (best_at_price(parts, cubics, price) for price in (cheap, dear))
    bound = min(_dual(most, cheap, budget), _dual(least, dear, budget))
    while dear - cheap > _PRICE * steepest:
        if most.spend.sum() - least.spend.sum() <= _PRICE * budget:
            break
        price = (cheap + dear) / 2
        target = best_at_price(parts, cubics, price)
        bound = min(bound, _dual(target, price, budget))
        if target.spend.sum() >= budget:
            cheap, most = price, target
        else:
            dear, least = price, target
    return _fill(least.spend, most.spend, budget, bound)


def _dual(target: Best, price: float, budget: float) -> float:
    return price * budget + float(target.surplus.sum())


def _fill(least: np.ndarray, most: np.ndarray, budget: float, bound: float) -> _Relaxed:
    """Between what channels want on either side of the price, the budget's split.

    Small steps are taken whole first; the one that no longer fits is taken in part,
    and its channel is the one that jumps.
    """
    jump = np.maximum(most - least, 0.0)
    order = np.argsort(jump, kind="stable")
    rest = max(budget - least.sum(), 0.0)
    fill = np.zeros_like(least)
    before = np.concatenate([[0.0], np.cumsum(jump[order])[:-1]])
    fill[order] = np.clip(rest - before, 0.0, jump[order])
    part = np.flatnonzero((fill > 0) & (fill < jump))
    channel = int(part[0]) if len(part) else -1
    sides = (float(least[channel]), float(most[channel])) if len(part) else (0.0, 0.0)
    return _Relaxed(least + fill, bound, channel, sides)


def _better(
    curves: ResponseCurves, box: _Box, budget: float, answer: _Relaxed
) -> tuple[np.ndarray, float]:
    """The best split found from a box's answer: it, and those that climb from it."""
    best, outcome = answer.spend, _outcome(curves, answer.spend)
    if answer.bound - outcome <= _TOLERANCE * abs(answer.bound) or answer.jumps < 0:
        return best, outcome
    for place in (*answer.sides, float(answer.spend[answer.jumps])):
        start = answer.spend.copy()
        start[answer.jumps] = place
        near = _Box(*basin(curves, *box, start))
        if near.low.sum() <= budget <= near.high.sum():
            spend = _relaxed(curves.within(*near), budget).spend
            value = _outcome(curves, spend)
            if value > outcome:
                best, outcome = spend, value
    return best, outcome


def _outcome(curves: ResponseCurves, spend: Float[np.ndarray, " channel"]) -> float:
    """Outcome of a split on the curves' only draw."""
    return float(curves.outcome(spend)[0].sum())


def basin(
    curves: ResponseCurves,
    low: Float[np.ndarray, " channel"],
    high: Float[np.ndarray, " channel"],
    spend: Float[np.ndarray, " channel"],
) -> tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]]:
    """The ranges in which curves bend down all the way from a spend."""
    cubics = curves.within(low, high)
    index = np.arange(cubics.x.shape[1] - 1)
    at = np.clip((spend[:, None] >= cubics.x).sum(axis=1) - 1, 0, index[-1])[:, None]
    bent = ~concave_pieces(cubics)
    first = np.where(bent & (index < at), index + 1, 0).max(axis=1)
    last = np.where(bent & (index > at), index, len(index)).min(axis=1)
    channel = np.arange(len(spend))
    stuck = bent[channel, at[:, 0]]
    low = np.where(stuck, spend, cubics.x[channel, first])
    return low, np.where(stuck, spend, cubics.x[channel, last])


def _halves(box: _Box, answer: _Relaxed, budget: float) -> list[_Box]:
    """The box cut where a channel jumps, without parts that no budget reaches."""
    channel = answer.jumps
    if channel < 0:
        return []
    cut = answer.spend[channel]
    width = box.high[channel] - box.low[channel]
    # A cut at an end leaves one half as large as the whole, for ever.
    if not box.low[channel] + 1e-6 * width < cut < box.high[channel] - 1e-6 * width:
        cut = box.low[channel] + width / 2
    left, right = box.high.copy(), box.low.copy()
    left[channel] = right[channel] = cut
    parts = (_Box(box.low, left), _Box(right, box.high))
    return [part for part in parts if part.low.sum() <= budget <= part.high.sum()]
