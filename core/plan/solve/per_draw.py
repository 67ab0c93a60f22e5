"""Per draw: how each draw of the posterior would split the budget on its own.

One plan has to serve every draw; what a single draw would do with the same limits
says how firm the plan's direction is, and how much any plan could reach at all.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.response.curves import ResponseCurves

#: Pieces of all channels' ranges together, and the fewest and most of one channel.
_PIECES, _FEWEST, _MOST = 320, 16, 32
#: Draws that are worked out together.
_TOGETHER = 200


class OwnPlans(NamedTuple):
    """Best split of each draw, to one knot of a channel's range.

    Attributes:
        spend: Currency.
        price: Outcome per currency at which the draw's channels want the budget.
    """

    spend: Float[np.ndarray, "draw channel"]
    price: Float[np.ndarray, " draw"]


class GroupPrices(NamedTuple):
    """What joint limits ask of channels at the best split of the mean.

    Attributes:
        price: Outcome per currency.
        charge: What the limits cost at these prices.
    """

    price: Float[np.ndarray, " channel"]
    charge: float


def own_plans(
    curves: ResponseCurves,
    low: Float[np.ndarray, " channel"],
    high: Float[np.ndarray, " channel"],
    budget: float,
    anchor: Float[np.ndarray, " channel"],
    *,
    groups: GroupPrices | None = None,
) -> OwnPlans:
    """Each draw's best split between knots, along the least concave majorant.

    Curves become lines between knots; the majorant's pieces are bought from the
    steepest on until the budget is spent.

    Args:
        curves: All draws.
        low: Least spend.
        high: Most spend.
        budget: Between the sums of the limits.
        anchor: A spend per channel that is a knot too, so that staying there is a
            choice of its own.
        groups: Prices of joint limits, which every draw pays.
    """
    knots = knots_between(low, high, anchor)
    remaining = budget - float(low.sum())
    parts = [
        _own_plans(curves.draws(first, first + _TOGETHER), knots, remaining, groups)
        for first in range(0, curves.n_draws, _TOGETHER)
    ]
    return OwnPlans(*map(np.concatenate, zip(*parts, strict=True)))


def _own_plans(
    curves: ResponseCurves,
    knots: Float[np.ndarray, "channel knot"],
    remaining: float,
    groups: GroupPrices | None,
) -> OwnPlans:
    """`own_plans` of a few draws, which the processor's cache holds."""
    value = curves.outcome_along(knots)
    if groups is not None:
        value = value - groups.price[:, None] * knots
    width = np.diff(knots, axis=1)
    slope = majorant_slopes(width, np.diff(value, axis=2))
    price = _price(width, slope.reshape(curves.n_draws, -1), remaining)
    at = price[:, None, None]
    low = knots[:, 0]
    spend = low + (width * (slope > at)).sum(axis=2)
    # Pieces of that very slope share what is left, or a draw would spend less than all.
    tied = (width * (slope == at)).sum(axis=2)
    rest = remaining + low.sum() - spend.sum(axis=1, keepdims=True)
    wide = np.maximum(tied.sum(axis=1, keepdims=True), 1e-300)
    spend += tied * np.clip(rest / wide, 0.0, 1.0)
    return OwnPlans(spend, price)


def _price(
    width: Float[np.ndarray, "channel piece"],
    slope: Float[np.ndarray, "draw piece_of_channel"],
    remaining: float,
) -> Float[np.ndarray, " draw"]:
    """Slope of the piece at which each draw has spent what is left."""
    order = np.argsort(-slope, axis=1, kind="stable")  # channels are sorted already
    spent = np.cumsum(width.ravel()[order], axis=1)
    last = np.minimum((spent < remaining).sum(axis=1), order.shape[1] - 1)
    row = np.arange(len(order))
    return slope[row, order[row, last]]


def knots_between(
    low: Float[np.ndarray, " channel"],
    high: Float[np.ndarray, " channel"],
    anchor: Float[np.ndarray, " channel"],
) -> Float[np.ndarray, "channel knot"]:
    """Even knots over each channel's range, the nearest one moved to its anchor.

    An anchor outside the range is its end.
    """
    pieces = int(np.clip(_PIECES // len(low), _FEWEST, _MOST))
    share = np.linspace(0.0, 1.0, pieces + 1)
    even = low[:, None] + (high - low)[:, None] * share
    inside = np.clip(anchor, low, high)
    part = (inside - low) / np.where(high > low, high - low, 1.0)
    nearest = np.clip(np.round(part * pieces).astype(int), 1, pieces - 1)
    is_between = (inside > low) & (inside < high)
    row = np.flatnonzero(is_between)
    even[row, nearest[row]] = inside[row]
    return even


def majorant_slopes(
    width: Float[np.ndarray, "channel piece"],
    rise: Float[np.ndarray, "draw channel piece"],
) -> Float[np.ndarray, "draw channel piece"]:
    """Slopes of the least concave function above each curve.

    Neighbours whose slopes rise are pooled into their common chord until all fall.
    Pieces of no width take the slope of the pool they fall into.
    """
    flat = rise.reshape(-1, rise.shape[-1])
    widths = np.broadcast_to(width, rise.shape).reshape(flat.shape)
    slope = np.divide(flat, widths, out=np.zeros_like(flat), where=widths > 0)
    bent = np.flatnonzero(((np.diff(slope, axis=1) > 0) & (widths[:, 1:] > 0)).any(1))
    if len(bent):
        slope[bent] = _pooled(widths[bent], flat[bent])
    return slope.reshape(rise.shape)


def _pooled(width: np.ndarray, rise: np.ndarray) -> np.ndarray:
    """Pool adjacent pieces, all curves at once: a stack of pools per curve."""
    n_curves, n_pieces = rise.shape
    pool_width = np.zeros_like(rise)
    pool_rise = np.zeros_like(rise)
    top = np.full(n_curves, -1)
    start = np.zeros(rise.shape, dtype=int)
    for piece in range(n_pieces):
        top += 1
        row = np.arange(n_curves)
        pool_width[row, top], pool_rise[row, top] = width[:, piece], rise[:, piece]
        start[row, top] = piece
        row = row[top > 0]
        while len(row):
            here, below = top[row], top[row] - 1
            # As products: a pool may be without width, and then has no slope.
            steeper = (
                pool_rise[row, here] * pool_width[row, below]
                >= pool_rise[row, below] * pool_width[row, here]
            )
            row = row[steeper]
            here, below = top[row], top[row] - 1
            pool_width[row, below] += pool_width[row, here]
            pool_rise[row, below] += pool_rise[row, here]
            top[row] -= 1
            row = row[top[row] > 0]
    row = np.arange(n_curves)
    starts = np.zeros(rise.shape, dtype=int)
    for level in range(int(top.max()) + 1):
        live = row[top >= level]
        starts[live, start[live, level]] = 1
    owner = np.cumsum(starts, axis=1) - 1
    slope = np.divide(
        pool_rise, pool_width, out=np.zeros_like(rise), where=pool_width > 0
    )
    return np.take_along_axis(slope, owner, axis=1)
