"""Best split over geos: in cents with its bound, and the best that keeps the pattern.

Cells are planned as channels are (`allocation`, `hull`, `joint`), with totals of
channels and geos as joint limits. Beside it stands the best plan in which each channel
keeps its pattern over geos: there all cells of a channel that are not fixed share one
multiple, so channels have the sum of their cells' curves, and the same limits are rows
over channels.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.errors import PlanError
from core.plan.limits.cents import apportion, in_money, in_steps, step
from core.plan.limits.domain import Domain
from core.plan.limits.feasible import can_be_met
from core.plan.response.curves import ResponseCurves
from core.plan.response.geos import GeoResponse
from core.plan.scenario.geo_limits import GeoDomain
from core.plan.scenario.measure import Measure
from core.plan.solve.best import Effort, climbed, measured_split
from core.plan.solve.branch_and_bound import best_in
from core.plan.solve.cutting_planes import cautious_split
from core.plan.solve.per_draw import OwnPlans, own_plans
from core.plan.solve.rounding import in_cents

#: Parts of S-shaped problems to examine, and how long to search for what is not a mean:
#: each part, cut and step takes as long as all of a concave mean.
_MOST_BOXES = 6
_EFFORT = Effort(cuts=20, rounds=2, starts=False, close=1e-3)


class BestOverGeos(NamedTuple):
    """The best split found.

    Attributes:
        spend: Currency, in whole cents.
        bound: No split of the domain has an objective above this.
        own: Each draw's own best split.
    """

    spend: Float[np.ndarray, " cell"]
    bound: float
    own: OwnPlans


def best_over_geos(
    given: GeoResponse, limits: GeoDomain, measure: Measure
) -> BestOverGeos:
    """The best split over cells.

    Args:
        given: Response by geo.
        limits: Limits that can be met.
        measure: What is to be large.
    """
    curves, domain = given.curves, limits.domain
    boxes = _MOST_BOXES if measure.kind == "mean" else 1  # else only a start
    mean = best_in(curves.mean(), domain, most_boxes=boxes)
    own = own_plans(
        curves,
        domain.low,
        domain.high,
        domain.budgets[0],
        curves.spend,
        groups=mean.groups,
    )
    spend, bound = measured_split(curves, domain, measure, mean, own, effort=_EFFORT)
    return BestOverGeos(_rounded(spend, domain), bound, own)


def _rounded(spend: np.ndarray, domain: Domain) -> np.ndarray:
    """In whole cents that keep to the limits."""
    budget = domain.budgets[0]
    size = step(budget)
    if domain.is_simple:
        low, high = ([in_steps(one, size) for one in limit] for limit in domain[:2])
        return in_money(apportion(spend, low, high, in_steps(budget, size), size), size)
    rounded = in_cents(spend, domain, float(size))
    if rounded is None:
        raise PlanError(
            "No split in whole cents keeps to all limits.",
            hint="Widen one of the limits by a cent.",
            where="geos",
        )
    return np.round(rounded, 6)


def best_kept_pattern(
    given: GeoResponse, limits: GeoDomain, measure: Measure
) -> Float[np.ndarray, " cell"] | None:
    """The best split in which every channel keeps its pattern over geos.

    Cells whose spend is fixed stay as they are; the others of a channel share a
    multiple.

    Returns:
        Spend per cell, not rounded; None where no such split keeps to the limits.
    """
    domain, now = limits.domain, given.curves.spend
    is_free = domain.high - domain.low > 3 * float(step(domain.budgets[0]))
    fixed = np.where(is_free, 0.0, (domain.low + domain.high) / 2)
    part = given.in_channel * is_free
    part = part[part.any(axis=1)]
    if not len(part):
        return fixed
    curves = given.together(part)
    pattern = part * now / curves.spend[:, None]
    small = _over_channels(domain, pattern, fixed, part > 0)
    if not (small.low <= small.high).all() or not can_be_met(small):
        return None
    spend = _best_of(curves, small, measure)
    return fixed + spend @ pattern


def _over_channels(
    domain: Domain, pattern: np.ndarray, fixed: np.ndarray, part: np.ndarray
) -> Domain:
    """The domain of channels whose cells follow a pattern."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lows = np.where(part, domain.low / pattern, -np.inf)
        highs = np.where(part, domain.high / pattern, np.inf)
    low, high = lows.max(axis=1), highs.min(axis=1)
    rows = domain.rows @ pattern.T
    spent = domain.rows @ fixed
    slack = np.full(len(rows), float(step(domain.budgets[0])) * domain.rows.shape[1])
    slack[0] = 0.0
    none = np.zeros(len(low))
    return Domain(
        low,
        high,
        none > 0,
        none,
        rows,
        domain.least - spent - slack,
        domain.most - spent + slack,
    )


def _best_of(curves: ResponseCurves, domain: Domain, measure: Measure) -> np.ndarray:
    start = best_in(curves.mean(), domain, most_boxes=2 * _MOST_BOXES).spend
    if measure.kind == "mean":
        return start
    if measure.kind == "cvar":
        search = {"rounds": _EFFORT.cuts, "close": _EFFORT.close}
        return cautious_split(curves, domain, measure, start, **search)[0]
    return climbed(curves, domain, measure, (start,))
