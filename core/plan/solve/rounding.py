"""Rounding: splits in whole steps and whole cents that keep to joint limits.

Small integer programs: one point per channel for those that may be off or are bought
in steps; one cent up or down for the rest.
"""

import numpy as np
from jaxtyping import Float

from core.plan.limits.domain import Domain
from core.plan.solve.column_generation import Points


def whole_split(domain: Domain, points: Points) -> Float[np.ndarray, " channel"] | None:
    """The best split of points, one point per channel that may be off or has steps.

    Other channels may lie between two points. None where no choice meets the limits.
    """
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array

    n, n_channels = len(points.spend), len(domain.low)
    money = float(np.abs(points.spend).max()) or 1.0
    outcome = float(np.abs(points.outcome).max()) or 1.0
    picks = (domain.off | (domain.step > 0))[points.channel]
    sums = domain.rows[:, points.channel] * (points.spend / money)
    slack = 1e-10
    one_each = csr_array((np.ones(n), (points.channel, np.arange(n))))
    solved = milp(
        -points.outcome / outcome,
        integrality=_choices(domain, points, picks),
        bounds=(0, 1),
        constraints=[
            LinearConstraint(one_each, 1, 1),
            LinearConstraint(
                sums, domain.least / money - slack, domain.most / money + slack
            ),
        ],
        options={"mip_rel_gap": 1e-7, "node_limit": 2000},
    )
    if solved.x is None:
        return None
    spend = np.bincount(points.channel, solved.x * points.spend, minlength=n_channels)
    return _snapped(domain, points, solved.x, spend)


def _choices(domain: Domain, points: Points, picks: np.ndarray) -> np.ndarray:
    """Which weights are yes or no: points of steps, and being off."""
    stepped = (domain.step > 0)[points.channel]
    return (stepped | (picks & (points.spend == 0))).astype(int)


def _snapped(
    domain: Domain, points: Points, weight: np.ndarray, spend: np.ndarray
) -> np.ndarray:
    """Exactly the point of a channel that has steps or is off."""
    chosen = weight > 0.5
    exact = (domain.step > 0)[points.channel] | (points.spend == 0)
    kept = chosen & exact
    spend = spend.copy()
    spend[points.channel[kept]] = points.spend[kept]
    return spend


def in_cents(
    spend: Float[np.ndarray, " channel"], domain: Domain, size: float
) -> Float[np.ndarray, " channel"] | None:
    """Spend in whole cents within joint limits, next to a split that keeps to them.

    Args:
        spend: A split of the domain.
        domain: Limits, in whole cents where they are money.
        size: Currency per cent.
    """
    from scipy.optimize import LinearConstraint, milp

    base = np.floor(spend / size + 1e-6)
    part = spend / size - base
    fixed = domain.step > 0
    base = np.where(fixed, np.round(spend / size), base)
    low = np.where(fixed, 0, np.maximum(-1, np.floor(domain.floor / size) - base))
    high = np.where(fixed, 0, np.minimum(2, np.ceil(domain.high / size) - base))
    sums = domain.rows @ base
    slack = 1e-3
    solved = milp(
        -(part - 0.5),
        integrality=np.ones(len(spend)),
        bounds=(np.minimum(low, 0), np.maximum(high, 0)),
        constraints=LinearConstraint(
            domain.rows,
            domain.least / size - sums - slack,
            domain.most / size - sums + slack,
        ),
    )
    if solved.x is None:
        return None
    return (base + np.round(solved.x)) * size
