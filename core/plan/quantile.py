"""Quantile: the split with the best outcome in the poor draws (or the good ones).

A quantile of a sum over draws has no single curve per channel. Around a split it is
the mean over the draws that lie near the quantile, weighted by how near; so the best
split of that weighted mean shows a way up, and the search goes along it as far as the
quantile itself rises. Several starts and narrowing weights; the best quantile wins.
"""

import numpy as np
from jaxtyping import Float

from core.plan.allocation import best_split
from core.plan.curves import ResponseCurves

_WIDTHS = (0.1, 0.03)
_STEPS = np.array([1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01])
_ROUNDS = 5
_RANDOM_STARTS = 1
_FIRST_MOVE = 0.1
_LAST_MOVE = 1e-4
_EXCHANGED = 2


def quantile_split(
    curves: ResponseCurves,
    low: Float[np.ndarray, " channel"],
    high: Float[np.ndarray, " channel"],
    budget: float,
    *,
    quantile: float,
    starts: tuple[Float[np.ndarray, " channel"], ...],
) -> Float[np.ndarray, " channel"]:
    """A split with a high quantile of the outcome over draws.

    Args:
        curves: All draws.
        low: Least spend.
        high: Most spend.
        budget: Between the sums of the limits.
        quantile: Between 0 and 1.
        starts: Splits that keep to limits and budget.
    """
    rng = np.random.default_rng(0)
    mix = [_random_split(rng, low, high, budget) for _ in range(_RANDOM_STARTS)]
    climbed = [
        _climbed(curves, (low, high), budget, start, quantile)
        for start in (*starts, *mix)
    ]
    reached = outcome_quantile(curves, np.stack(climbed), quantile)
    order = np.argsort(-reached, kind="stable")[:_EXCHANGED]
    ends = [
        _exchanged(curves, (low, high), climbed[index], quantile) for index in order
    ]
    return max(ends, key=lambda end: end[1])[0]


def outcome_quantile(
    curves: ResponseCurves,
    spend: Float[np.ndarray, "plan channel"],
    quantile: float,
) -> Float[np.ndarray, " plan"]:
    """The quantile over draws of the outcome of each plan."""
    return np.quantile(curves.outcome(spend).sum(axis=2), quantile, axis=0)


def _climbed(
    curves: ResponseCurves,
    limits: tuple[np.ndarray, np.ndarray],
    budget: float,
    spend: np.ndarray,
    quantile: float,
) -> np.ndarray:
    """The split after steps towards the best one for the draws near the quantile."""
    for width in _WIDTHS:
        for _ in range(_ROUNDS):
            goal = _goal(curves, limits, budget, spend, (quantile, width))
            way = spend + _STEPS[:, None] * (goal - spend)
            tried = np.concatenate([spend[None], way])
            reached = outcome_quantile(curves, tried, quantile)
            top = int(reached.argmax())
            spend = tried[top]
            if reached[top] <= reached[0] + 1e-6 * abs(reached[0]):
                break
    return spend


def _goal(
    curves: ResponseCurves,
    limits: tuple[np.ndarray, np.ndarray],
    budget: float,
    spend: np.ndarray,
    where: tuple[float, float],
) -> np.ndarray:
    """Best split for the draws whose outcome at `spend` is near the quantile."""
    quantile, width = where
    outcome = curves.outcome(spend).sum(axis=1)
    n_draws = len(outcome)
    rank = (np.argsort(np.argsort(outcome, kind="stable")) + 0.5) / n_draws
    width = max(width, 1.0 / n_draws)
    weights = np.exp(-0.5 * ((rank - quantile) / width) ** 2)
    near = curves.weighted(weights / weights.sum())
    return best_split(near, *limits, budget, most_boxes=1).spend


def _exchanged(
    curves: ResponseCurves,
    limits: tuple[np.ndarray, np.ndarray],
    spend: np.ndarray,
    quantile: float,
) -> tuple[np.ndarray, float]:
    """The split after the best moves from one channel to another, ever smaller.

    A move changes two channels only, so all pairs are tried at once.
    """
    low, high = limits
    outcome = curves.outcome(spend).T
    value = float(np.quantile(outcome.sum(axis=0), quantile))
    step, spend = _FIRST_MOVE * float((high - low).max()), spend.copy()
    smallest = _LAST_MOVE * float((high - low).max())
    while step > smallest:
        changed = curves.outcome(np.stack([spend + step, spend - step]))
        more, less = np.moveaxis(changed, 0, 2) - outcome
        pairs = outcome.sum(axis=0) + more[:, None] + less[None]
        reached = np.quantile(pairs, quantile, axis=2)
        allowed = (spend + step <= high)[:, None] & (spend - step >= low)[None]
        reached = np.where(allowed & ~np.eye(len(spend), dtype=bool), reached, -np.inf)
        to, out = np.unravel_index(int(reached.argmax()), reached.shape)
        if reached[to, out] > value + 1e-9 * abs(value):
            value = float(reached[to, out])
            spend[to] += step
            spend[out] -= step
            outcome = curves.outcome(spend).T
        else:
            step /= 2
    return spend, value


def _random_split(
    rng: np.random.Generator, low: np.ndarray, high: np.ndarray, budget: float
) -> np.ndarray:
    """A split within the limits that spends the budget."""
    share = rng.uniform(size=len(low))
    point = low + share * (high - low)
    gap = budget - point.sum()
    room = high - point if gap > 0 else point - low
    return point + room * (gap / room.sum() if room.sum() > 0 else 0.0)
