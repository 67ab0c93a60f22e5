r"""Stakes: what knowing more would be worth to the next plan.

The next horizon is planned again, at the same budget and within the same bounds. With
$g_d$ what a further unit of money brings in each channel in draw d, at the plan that is
best for the mean, and $h_c$ how fast that falls with a channel's spend, following a
better estimate of g gains, to second order,

    1/2 e' A e,   A = D - D 1 1' D / (1' D 1),   D = diag(1 / h)

for what it moves the estimate by, e: A is minus the pseudo-inverse of the second
derivative on the splits of one budget, since channels' outcomes add up. A curve that is
nearly straight would send all money one way; limits stop it, so h is at least what a
standard deviation of g needs to go half of a channel's room. And A is brought to the
scale at which knowing g exactly is worth what the draws' own plans gain within the
limits, 1/2 tr(A Cov g) = the value of perfect information.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.response.curves import ResponseCurves
from core.plan.solve.per_draw import own_plans

#: Share of a channel's room over which its marginal outcome is followed.
_STEP = 0.05


class Stakes(NamedTuple):
    """The next plan, and what it would pay for knowing.

    Attributes:
        curves: Of the next horizon, all draws.
        low: Least spend of each channel, currency.
        high: Most spend.
        budget: Of the next horizon.
        plan: The best split for the mean of the draws.
        pull: Marginal outcomes less their mean, in units of which the square, halved,
            is outcome; draw direction.
        certainty: What knowing every response exactly would gain, outcome.
    """

    curves: ResponseCurves
    low: Float[np.ndarray, " channel"]
    high: Float[np.ndarray, " channel"]
    budget: float
    plan: Float[np.ndarray, " channel"]
    pull: Float[np.ndarray, "draw direction"]
    certainty: float

    def gain(self, draw: int, spend: Float[np.ndarray, " channel"]) -> float:
        """Outcome of another split over the plan's, in one draw."""
        both = self.curves.draws(draw, draw + 1).total(np.stack([spend, self.plan]))
        return float(both[0, 0] - both[0, 1])


def stakes(
    curves: ResponseCurves,
    bounds: tuple[float, float],
    budget: float,
    new: Mapping[str, float] = MappingProxyType({}),
) -> Stakes:
    """What the next plan would pay for knowing.

    Args:
        curves: Of the next horizon, all draws.
        bounds: Of every channel's spend, multiples of what it spent.
        budget: Of the next horizon, currency; where bounds do not allow it, the
            nearest that they do.
        new: Most spend of channels that never ran, which may also spend nothing.
    """
    low, high = (bound * curves.spend for bound in bounds)
    for place, name in enumerate(curves.names):
        if name in new:
            low[place], high[place] = 0.0, new[name]
    budget = float(np.clip(budget, low.sum(), high.sum()))
    plan = own_plans(curves.mean(), low, high, budget, curves.spend).spend[0]
    begun = Stakes(curves, low, high, budget, plan, np.zeros((curves.n_draws, 0)), 0.0)
    own = own_plans(curves, low, high, budget, plan).spend
    gains = np.array([begun.gain(draw, spend) for draw, spend in enumerate(own)])
    certainty = float(np.maximum(gains, 0.0).mean())
    marginal = curves.marginal(plan)
    pull = (marginal - marginal.mean(axis=0)) @ _root(_moves(begun, marginal))
    value = 0.5 * float((pull**2).sum(axis=1).mean())
    if value <= 0 or certainty <= 0:
        return begun
    scale = np.sqrt(certainty / value)
    return begun._replace(pull=pull * scale, certainty=certainty)


def _moves(at: Stakes, marginal: np.ndarray) -> Float[np.ndarray, "channel channel"]:
    """A: how spend moves with the estimate of marginal outcomes."""
    room = at.high - at.low
    step = _STEP * np.maximum(room, 1e-9 * at.budget)
    mean = at.curves.mean()
    ends = mean.marginal(np.stack([at.plan - step, at.plan + step]))[0]
    fall = (ends[0] - ends[1]) / (2 * step)
    least = marginal.std(axis=0) / np.maximum(room / 2, 1e-300)
    d = np.where(room > 0, 1 / np.maximum(np.maximum(fall, least), 1e-300), 0.0)
    if (d > 0).sum() < 2:
        return np.zeros((len(d), len(d)))
    return np.diag(d) - np.outer(d, d) / d.sum()


def _root(matrix: np.ndarray) -> np.ndarray:
    """W with W W' the matrix, without directions in which nothing moves."""
    value, vector = np.linalg.eigh(matrix)
    keep = value > 1e-12 * max(float(value[-1]), 1e-300)
    return vector[:, keep] * np.sqrt(value[keep])
