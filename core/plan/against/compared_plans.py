"""Compared plans: the best split by each of two fits, and what one costs by the other.

A split has a Monte-Carlo error too: leave a stretch of draws out, and the best split
moves. Where many splits are almost as good that error is large, so what one fit's split
would lose by the other fit's curves is told as well.
"""

from dataclasses import dataclass

import numpy as np

from core.estimate import estimate, extended
from core.plan.comparison import Difference, Loss, difference
from core.plan.limits.channels import DEFAULT_BOUNDS
from core.plan.response.curves import ResponseCurves
from core.plan.solve.bisection import best_split

#: Stretches of draws that are left out in turn.
_STRETCHES = 16

#: Differences in spend below this share of the budget are none.
_FINEST = 1e-4

#: Losses below this share of the outcome do not matter.
IMMATERIAL = 0.001


@dataclass(frozen=True)
class ComparedPlans:
    """Two fits' best splits of the same budget.

    Attributes:
        budget: Currency.
        spend: Difference in spend of every channel.
        losses: By the first and by the second fit's curves: what the other fit's
            split would lose.
    """

    budget: float
    spend: tuple[Difference, ...]
    losses: tuple[Loss, Loss]

    @property
    def costs_nothing(self) -> bool:
        """Whether either split is as good as the other by both fits."""
        return all(loss.share < IMMATERIAL for loss in self.losses)


def why_not(first: ResponseCurves, second: ResponseCurves) -> str:
    """Why the plans of two fits cannot be compared; empty if they can."""
    if set(first.names) != set(second.names):
        return "the fits have different paid channels"
    order = [second.names.index(name) for name in first.names]
    if not np.allclose(first.spend, second.spend[order], rtol=1e-6):
        return "the channels' spend is not the same in both fits' data"
    if first.outcome_unit != second.outcome_unit:
        return "the outcomes have different units"
    return ""


def compared_plans(first: ResponseCurves, second: ResponseCurves) -> ComparedPlans:
    """The best split of the budget that ran by each fit, within the default limits.

    Args:
        first: Curves of a fit.
        second: Curves of another, of the same channels with the same spend.
    """
    order = [second.names.index(name) for name in first.names]
    budget = float(first.spend.sum())
    (a, error_a), (b, error_b) = _split(first), _split(second)
    b, error_b = b[order], error_b[order]
    error = np.sqrt(error_a**2 + error_b**2 + (_FINEST * budget) ** 2)
    spend = tuple(
        difference(name, "spend", _cents(a[i]), _cents(b[i]), error=float(error[i]))
        for i, name in enumerate(first.names)
    )
    back = np.argsort(order)
    losses = _loss(first, a, b), _loss(second, b[back], a[back])
    return ComparedPlans(budget, spend, losses)


def _cents(spend: float) -> float:
    return round(float(spend), 2)


def _split(curves: ResponseCurves) -> tuple[np.ndarray, np.ndarray]:
    """The best split and its Monte-Carlo error: a jackknife over stretches of draws."""
    limits = [bound * curves.spend for bound in DEFAULT_BOUNDS]
    budget = float(curves.spend.sum())
    n = curves.n_draws

    def best(weights: np.ndarray) -> np.ndarray:
        return best_split(curves.weighted(weights), *limits, budget).spend

    splits = []
    for stretch in np.array_split(np.arange(n), min(_STRETCHES, n)):
        weights = np.ones(n)
        weights[stretch] = 0.0
        if weights.any():
            splits.append(best(weights / weights.sum()))
    spend = best(np.full(n, 1 / n))
    if len(splits) < 2:
        return spend, np.full(len(spend), np.nan)
    m = len(splits)
    return spend, np.sqrt((m - 1) * np.var(splits, axis=0))


def _loss(curves: ResponseCurves, own: np.ndarray, other: np.ndarray) -> Loss:
    """What another split loses against a fit's own, by that fit's curves."""
    best, worse = (curves.outcome(split).sum(axis=1) for split in (own, other))
    lost = estimate(best - worse)
    outcome = float(best.mean())
    share = lost.mean / abs(outcome) if outcome else 0.0
    return extended(Loss, lost, share=share)
