"""Joint: the best split under joint limits, minimums when on, and steps.

Branch and bound on the hull: where a channel's mixture is no spend that it may have
(half on, between two steps, or across a bend), its range is cut there, until the best
split found and the bound meet.
"""

import heapq

import numpy as np

from core.plan.limits.domain import Domain, nearest_steps
from core.plan.response.cubic import concave_pieces
from core.plan.response.curves import ResponseCurves
from core.plan.solve.bisection import Optimum, best_split
from core.plan.solve.column_generation import (
    Mixture,
    Part,
    Points,
    best_mixture,
    points_at,
)
from core.plan.solve.per_draw import GroupPrices
from core.plan.solve.rounding import whole_split

_TOLERANCE = 1e-6
_WHOLE = 1e-5  # where channels are off or bought in steps
_EVERY = 8


def best_in(
    curves: ResponseCurves,
    domain: Domain,
    *,
    most_boxes: int = 60,
    tolerance: float = 0.0,
    known: Optimum | None = None,
) -> Optimum:
    """The best split of a domain on the curves' only draw.

    Args:
        curves: One draw.
        domain: Limits that can be met.
        most_boxes: Parts to examine before the bound is taken as it is.
        tolerance: Share of the bound by which a part's split may fall short of it; as
            little as can be told where none is given.
        known: The best of another draw in the same domain, to begin from.
    """
    if domain.is_simple:
        return best_split(
            curves,
            domain.low,
            domain.high,
            domain.budgets[0],
            most_boxes=6 * most_boxes if most_boxes > 1 else 1,
        )
    return _Search(curves, domain, tolerance).run(most_boxes, known)


class _Search:
    """Branch and bound over parts of a domain."""

    def __init__(self, curves: ResponseCurves, domain: Domain, tolerance: float = 0.0):
        self.curves, self.domain = curves, domain
        self.mixed = {"tolerance": tolerance} if tolerance else {}
        self.best: np.ndarray | None = None
        self.outcome = -np.inf
        self.tolerance = max(_TOLERANCE if domain.is_whole else _WHOLE, tolerance)

    def run(self, most_boxes: int, known: Optimum | None = None) -> Optimum:
        """The best split, its outcome, and the bound."""
        domain = self.domain
        below, above = nearest_steps(
            np.stack([domain.low, domain.high], axis=1), domain.step
        )
        whole = Part(above[:, 0], np.maximum(below[:, 1], above[:, 0]), domain.off)
        begin = None if known is None else points_at(self.curves, known.points)
        first = best_mixture(self.curves, domain, whole, begin, **self.mixed)
        if first is None:
            raise AssertionError("the domain holds no split")
        self._try(first, whole, is_new=True)
        waiting = [(-first.bound, 0, whole, first)]
        settled, count = -np.inf, 1
        while waiting:
            bound = max(settled, -waiting[0][0])
            if (
                bound - self.outcome <= self.tolerance * abs(bound)
                or count >= most_boxes
            ):
                break
            _, _, part, mixture = heapq.heappop(waiting)
            halves = self._halves(part, mixture)
            if not halves:
                settled = max(settled, mixture.bound)
            for half in halves:
                count += 1
                inner = best_mixture(self.curves, domain, half, mixture.points)
                if inner is None:
                    continue
                self._try(inner, half, is_new=count % _EVERY == 0)
                within = min(inner.bound, mixture.bound)
                heapq.heappush(
                    waiting, (-within, count, half, inner._replace(bound=within))
                )
        left = -waiting[0][0] if waiting else -np.inf
        bound = max(settled, left, self.outcome)
        prices = GroupPrices(first.price, first.charge)
        bound += 1e-12 * abs(bound)
        points = first.points.channel, first.points.spend
        return Optimum(self.best, self.outcome, bound, count, prices, points)

    def _try(self, mixture: Mixture, part: Part, *, is_new: bool) -> None:
        """Keep the best split that a mixture leads to."""
        if self._is_allowed(mixture.spend, part):
            self._keep(mixture.spend)
        elif is_new or self.best is None:
            self._keep(whole_split(self.domain, mixture.points))
        is_closed = self.outcome >= mixture.bound - self.tolerance * abs(mixture.bound)
        if is_new and self.best is not None and not is_closed:
            self._keep(self._climbed(mixture.spend, part, mixture.points))
            self._keep(self._climbed(self.best, part, mixture.points))

    def _keep(self, spend: np.ndarray | None) -> None:
        if spend is None:
            return
        outcome = float(self.curves.outcome(spend)[0].sum())
        if outcome > self.outcome:
            self.best, self.outcome = spend, outcome

    def _is_allowed(self, spend: np.ndarray, part: Part) -> bool:
        return not (self._half_on(spend, part) | self._between(spend)).any()

    def _half_on(self, spend: np.ndarray, part: Part) -> np.ndarray:
        slack = 1e-9 * np.maximum(part.high, 1.0)
        return part.off & (spend > slack) & (spend < part.low - slack)

    def _between(self, spend: np.ndarray) -> np.ndarray:
        """Channels that spend no whole number of steps."""
        below, above = nearest_steps(spend[:, None], self.domain.step)
        apart = np.minimum(spend - below[:, 0], above[:, 0] - spend)
        return apart > 1e-7 * np.maximum(self.domain.step, 1e-300)

    def _climbed(
        self, spend: np.ndarray, part: Part, points: Points
    ) -> np.ndarray | None:
        """The best split in the basin of one: curves there bend down all along."""
        domain = self.domain
        if domain.step.any():
            return None
        pattern = domain.around(spend)
        low = np.maximum(pattern.low, np.where(pattern.high > 0, part.low, 0.0))
        high = np.minimum(pattern.high, part.high)
        low = np.minimum(low, high)
        near = _basin(self.curves, low, high, np.clip(spend, low, high))
        found = best_mixture(self.curves, pattern, near, points, **self.mixed)
        return None if found is None else found.spend

    def _halves(self, part: Part, mixture: Mixture) -> list[Part]:
        """The part cut where its mixture is no spend that a channel may have."""
        spend = mixture.spend
        half_on, between = self._half_on(spend, part), self._between(spend)
        above = mixture.outcome - self.curves.outcome(spend)[0]
        if half_on.any():
            channel = int(np.where(half_on, above, -np.inf).argmax())
            return [_off(part, channel), _on(part, channel)]
        if (above > 0.1 * self.tolerance * abs(mixture.bound) / len(spend)).any():
            channel = int(above.argmax())
            return _cut(part, channel, spend[channel], self.domain.step[channel])
        if between.any():
            size = np.where(between, self.domain.step, 0.0)
            channel = int((size * (part.high > part.low)).argmax())
            return _cut(part, channel, spend[channel], self.domain.step[channel])
        return []


def _off(part: Part, channel: int) -> Part:
    low, high, off = (array.copy() for array in part)
    low[channel] = high[channel] = 0.0
    off[channel] = False
    return Part(low, high, off)


def _on(part: Part, channel: int) -> Part:
    off = part.off.copy()
    off[channel] = False
    return part._replace(off=off)


def _cut(part: Part, channel: int, cut: float, step: float) -> list[Part]:
    """Both sides of a cut; the left one keeps being off, if it may be."""
    low, high = part.low[channel], part.high[channel]
    width = high - low
    if width <= 0:
        return []
    if not low + 1e-6 * width < cut < high - 1e-6 * width:
        cut = low + width / 2
    ends = nearest_steps(np.array([[cut]]), np.array([step]))
    below, above = float(ends[0][0, 0]), float(ends[1][0, 0])
    if step > 0 and below == above:
        above = below + step
    left, right = part.high.copy(), part.low.copy()
    left[channel], right[channel] = below, above
    parts = [Part(part.low, left, part.off)] if below >= low else []
    off = part.off.copy()
    off[channel] = False
    return parts + ([Part(right, part.high, off)] if above <= high else [])


def _basin(
    curves: ResponseCurves, low: np.ndarray, high: np.ndarray, spend: np.ndarray
) -> Part:
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
    high = np.where(stuck, spend, cubics.x[channel, last])
    return Part(low, high, np.zeros(len(spend), dtype=bool))
