"""Plans of geos: how long to search, and the best plan that keeps the pattern.

Cells are planned as channels are (`core.plan.solve.dispatch`), totals of channels and
geos being joint limits. Beside it stands the best plan in which each channel keeps its
pattern over geos: there all cells of a channel that are not fixed share one multiple,
so that channels have the sum of their cells' curves, and limits are rows over channels.
"""

import numpy as np
from jaxtyping import Float

from core.plan.limits.cents import step
from core.plan.limits.polytope import Polytope, dense_rows, polytope
from core.plan.limits.program import can_be_met
from core.plan.response.geos import GeoResponse
from core.plan.scenario.geo_limits import GeoDomain
from core.plan.scenario.measure import Measure
from core.plan.solve.branch_and_price import best_in
from core.plan.solve.dispatch import Effort, measured_split

#: How long to search: each part, cut and step takes as long as all of a concave mean.
EFFORT = Effort(6, 1, cuts=20, rounds=2, starts=False, close=1e-3)
_KEPT = Effort(12, 12, cuts=20, close=1e-3)


def best_kept_pattern(
    response: GeoResponse, limits: GeoDomain, measure: Measure
) -> Float[np.ndarray, " cell"] | None:
    """The best split in which every channel keeps its pattern over geos.

    Cells whose spend is fixed stay as they are; the others of a channel share a
    multiple.

    Returns:
        Spend per cell, not rounded; None where no such split keeps to the limits.
    """
    domain, now = limits.domain, response.curves.spend
    is_free = domain.high - domain.low > 3 * float(step(domain.budgets[0]))
    fixed = np.where(is_free, 0.0, (domain.low + domain.high) / 2)
    part = response.in_channel * is_free
    part = part[part.any(axis=1)]
    if not len(part):
        return fixed
    curves = response.together(part)
    pattern = part * now / curves.spend[:, None]
    small = _over_channels(domain, pattern, fixed, part > 0)
    if not (small.low <= small.high).all() or not can_be_met(small):
        return None
    mean = best_in(curves.mean(), small, most_boxes=_KEPT.boxes)
    spend, _ = measured_split(curves, small, measure, mean, _KEPT)
    return fixed + spend @ pattern


def _over_channels(
    domain: Polytope, pattern: np.ndarray, fixed: np.ndarray, part: np.ndarray
) -> Polytope:
    """The domain of channels whose cells follow a pattern."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lows = np.where(part, domain.low / pattern, -np.inf)
        highs = np.where(part, domain.high / pattern, np.inf)
    low, high = lows.max(axis=1), highs.min(axis=1)
    weights = domain.matrix @ pattern.T
    spent = domain.matrix @ fixed
    slack = np.full(len(weights), float(step(domain.budgets[0])) * len(domain.low))
    slack[0] = 0.0
    names = tuple(str(place) for place in range(len(low)))
    ends = domain.rows.least - spent - slack, domain.rows.most - spent + slack
    return polytope(names, low, high, dense_rows(domain.rows.names, weights, *ends))
