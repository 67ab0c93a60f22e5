"""Branch and price: the best split under joint limits, minimums when on, and steps.

Branch and bound on the mixtures of column generation: where a channel's mixture is no
spend that it may have (half on, between two steps, or across a bend), its range is cut
there, until the best split found and the bound meet.
"""

import numpy as np

from core.plan.limits.polytope import Polytope, nearest_steps
from core.plan.response.curves import ResponseCurves
from core.plan.solve.bisection import Optimum, basin, best_split
from core.plan.solve.branch_and_bound import best_first
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
    domain: Polytope,
    *,
    most_boxes: int = 60,
    tolerance: float = 0.0,
    start: Optimum | None = None,
) -> Optimum:
    """The best split of a domain on the curves' only draw, by the solver that serves.

    Where only a fixed budget joins channels its dual has one price, and bisection finds
    it in a fraction of the time; all else takes branch and price.

    Args:
        curves: One draw, which may be a mean of draws, however weighted.
        domain: Limits that can be met.
        most_boxes: Parts to examine before the bound is taken as it is.
        tolerance: Share of the bound by which a part's split may fall short of it; as
            little as can be told where none is given.
        start: The best of another draw in the same domain, to begin from.
    """
    if not domain.is_simple:
        return _Search(curves, domain, tolerance).run(most_boxes, start)
    boxes = 6 * most_boxes if most_boxes > 1 else 1
    limits = domain.low, domain.high, domain.budgets[0]
    return best_split(curves, *limits, most_boxes=boxes)


class _Search:
    """Branch and bound over parts of a domain."""

    def __init__(
        self, curves: ResponseCurves, domain: Polytope, tolerance: float = 0.0
    ):
        self.curves, self.domain = curves, domain
        self.mixed = {"tolerance": tolerance} if tolerance else {}
        self.best: np.ndarray | None = None
        self.outcome, self.count = -np.inf, 1
        self.tolerance = max(_TOLERANCE if domain.is_whole else _WHOLE, tolerance)

    def run(self, most_boxes: int, start: Optimum | None = None) -> Optimum:
        """The best split, its outcome, and the bound."""
        domain = self.domain
        below, above = nearest_steps(
            np.stack([domain.low, domain.high], axis=1), domain.step
        )
        whole = Part(above[:, 0], np.maximum(below[:, 1], above[:, 0]), domain.off)
        begin = None if start is None else points_at(self.curves, start.points)
        first = best_mixture(self.curves, domain, whole, begin, **self.mixed)
        if first is None:
            raise AssertionError("the domain holds no split")
        self._try(first, whole, is_new=True)
        begin = ((whole, first), first.bound)
        proven = best_first(begin, self._cut, self._is_close, most_boxes)
        bound = max(proven.bound, self.outcome)
        prices = GroupPrices(first.price, first.charge)
        bound += 1e-12 * abs(bound)
        points = first.points.channel, first.points.spend
        return Optimum(self.best, self.outcome, bound, proven.count, prices, points)

    def _is_close(self, bound: float) -> bool:
        return bool(bound - self.outcome <= self.tolerance * abs(bound))

    def _cut(self, branch: tuple[Part, Mixture]) -> list | None:
        """Both halves of a part, with their mixtures; one without any is left out."""
        part, mixture = branch
        halves = self._halves(part, mixture)
        cuts = []
        for half in halves:
            self.count += 1
            inner = best_mixture(self.curves, self.domain, half, mixture.points)
            if inner is None:
                continue
            # To climb takes as long as the bounds of several parts: every eighth will
            # do.
            self._try(inner, half, is_new=self.count % _EVERY == 0)
            inner = inner._replace(bound=min(inner.bound, mixture.bound))
            cuts.append(((half, inner), inner.bound))
        return cuts if halves else None

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
        # Without steps the distance is exactly zero, which is not above any of this.
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
        ends = basin(self.curves, low, high, np.clip(spend, low, high))
        near = Part(*ends, np.zeros(len(spend), dtype=bool))
        mixture = best_mixture(self.curves, pattern, near, points, **self.mixed)
        return None if mixture is None else mixture.spend

    def _halves(self, part: Part, mixture: Mixture) -> list[Part]:
        """The part cut where its mixture is no spend that a channel may have."""
        spend = mixture.spend
        half_on, between = self._half_on(spend, part), self._between(spend)
        above = mixture.outcome - self.curves.outcome(spend)[0]
        if half_on.any():
            channel = int(np.where(half_on, above, -np.inf).argmax())
            return [_off(part, channel), _on(part, channel)]
        # What a mixture gains by less than its share of the tolerance proves nothing.
        if (above > 0.1 * self.tolerance * abs(mixture.bound) / len(spend)).any():
            channel = int(above.argmax())
            return _cut(part, channel, spend[channel], self.domain.step[channel])
        if between.any():
            # The largest step first: deciding it moves most money.
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
