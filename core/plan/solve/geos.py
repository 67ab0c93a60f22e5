"""Plans of geos: how long to search, and the best plan that keeps the pattern.

Cells are planned as channels are (`core.plan.solve.dispatch`), totals of channels and
geos being joint limits. Beside it stands the best plan in which each channel keeps its
pattern over geos: there all cells of a channel that are not fixed share one multiple,
so that channels have the sum of their cells' curves, and limits are rows over channels.
A budget that is to be found is found for either (`core.plan.solve.budget`).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.errors import PlanError
from core.plan.limits.cents import step
from core.plan.limits.polytope import Polytope, dense_rows, polytope
from core.plan.limits.program import can_be_met
from core.plan.response.curves import ResponseCurves
from core.plan.response.geos import GeoResponse
from core.plan.scenario.geo_limits import GeoDomain
from core.plan.scenario.measure import Measure
from core.plan.scenario.scenario import Scenario
from core.plan.solve.branch_and_price import best_in
from core.plan.solve.budget import budget_within
from core.plan.solve.dispatch import Effort, measured_split

#: How long to search: each part, cut and step takes as long as all of a concave mean.
EFFORT = Effort(6, 1, cuts=20, rounds=2, starts=False, close=1e-3)
_KEPT = Effort(12, 12, cuts=20, close=1e-3)


class KeptPattern(NamedTuple):
    """Splits in which every channel keeps its pattern over geos.

    A cell whose spend is fixed is a sum by itself, so that its outcome counts.

    Attributes:
        curves: One per sum of cells that share a multiple.
        domain: The splits that are allowed over those.
        share: Of each sum's spend that goes to a cell.
    """

    curves: ResponseCurves
    domain: Polytope
    share: Float[np.ndarray, "sum cell"]


def best_kept_pattern(
    response: GeoResponse, limits: GeoDomain, measure: Measure
) -> Float[np.ndarray, " cell"] | None:
    """The best split in which every channel keeps its pattern over geos.

    Cells whose spend is fixed stay as they are; the others of a channel share a
    multiple.

    Returns:
        Spend per cell, not rounded; None where no such split keeps to the limits.
    """
    pattern = _kept_pattern(response, limits.domain)
    if pattern is None:
        return None
    mean = best_in(pattern.curves.mean(), pattern.domain, most_boxes=_KEPT.boxes)
    spend, _ = measured_split(pattern.curves, pattern.domain, measure, mean, _KEPT)
    return spend @ pattern.share


def budget_of_geos(
    response: GeoResponse, limits: GeoDomain, scenario: Scenario, measure: Measure
) -> float:
    """The budget that a scenario asks to find, split over geos as is best.

    Args:
        response: By geo.
        limits: Of cells, with the range of the budget.
        scenario: What the budget is found for.
        measure: Its objective.

    Raises:
        PlanError: No budget within the limits does it.
    """
    return budget_within(response.curves, limits.domain, scenario, measure, EFFORT)


def budget_in_pattern(
    response: GeoResponse, limits: GeoDomain, scenario: Scenario, measure: Measure
) -> float | None:
    """The same where every channel keeps its pattern over geos.

    Returns:
        None where no budget in that pattern does it.
    """
    pattern = _kept_pattern(response, limits.domain)
    if pattern is None:
        return None
    try:
        return budget_within(pattern.curves, pattern.domain, scenario, measure, _KEPT)
    except PlanError:
        return None


def _kept_pattern(response: GeoResponse, domain: Polytope) -> KeptPattern | None:
    """The splits that keep the pattern; None where none is within the limits."""
    now, size = response.curves.spend, float(step(domain.budgets[1]))
    # A range of a cent or two is a decision that was rounded; as a range it would hold
    # its whole channel.
    is_free = domain.high - domain.low > 3 * size
    fixed = (domain.low + domain.high) / 2
    together = response.in_channel * is_free
    alone = np.eye(len(now))[~is_free]
    part = np.concatenate([together[together.any(axis=1)], alone])
    curves = response.together(part)
    share = part * now / curves.spend[:, None]
    ends = [np.where(is_free, end, fixed) for end in (domain.low, domain.high)]
    small = _over_sums(replace(domain, low=ends[0], high=ends[1]), share)
    if not (small.low <= small.high).all() or not can_be_met(small):
        return None
    return KeptPattern(curves, small, share)


def _over_sums(domain: Polytope, share: np.ndarray) -> Polytope:
    """The domain of sums of cells that share a multiple."""
    inside = share > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        lows = np.where(inside, domain.low / share, -np.inf)
        highs = np.where(inside, domain.high / share, np.inf)
    low, high = lows.max(axis=1), highs.min(axis=1)
    joint = domain.rows
    slack = np.full(joint.n, float(step(domain.budgets[1])) * len(domain.low))
    # Sums of rounded cells give way a little; the budget does not.
    slack[0] = 0.0
    names = tuple(str(place) for place in range(len(low)))
    ends = joint.least - slack, joint.most + slack
    return polytope(
        names, low, high, dense_rows(joint.names, domain.matrix @ share.T, *ends)
    )
