"""Cutting planes: the split with the best mean of the worst draws (CVaR).

The mean of the worst draws is the least of all means that weigh draws by no more than
so much each. Every such mean has a best split and a bound; a linear program finds the
mixture of the means seen so far that is hardest to beat, its best split shows which
draws are the worst there, and their mean joins (cutting planes). The bound of the
hardest mean is one that no split's CVaR exceeds.
"""

import numpy as np
from jaxtyping import Float

from core.plan.limits.polytope import Polytope
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.measure import Measure, tail_weights
from core.plan.solve.branch_and_price import best_in
from core.plan.solve.column_generation import one_sided

_ROUNDS = 60
_TOLERANCE = 1e-4
_KNOTS = 12
#: Cuts after which the gap has to have shrunk to this share.
_STUCK, _SHRINKS = 3, 0.9
#: Share of the gap that is small enough which the bound of one mean may have.
_PART = 0.1


def cautious_split(
    curves: ResponseCurves,
    domain: Polytope,
    measure: Measure,
    start: Float[np.ndarray, " channel"],
    *,
    rounds: int = _ROUNDS,
    close: float = _TOLERANCE,
) -> tuple[Float[np.ndarray, " channel"], float]:
    """A split with a high CVaR, and a bound on that of any.

    Args:
        curves: All draws.
        domain: Limits that can be met.
        measure: A CVaR.
        start: A split of the domain.
        rounds: Cuts to make before the bound is taken as it is.
        close: Gap to the bound, as a share of it, that is small enough.
    """
    search = _Cuts(curves, domain, measure)
    best, reached = start, float(measure.of(curves.outcome(start).sum(axis=1)))
    bound, spend, hardest = np.inf, start, None
    gaps: list[float] = []
    for _ in range(rounds):
        weights = search.cut(spend)
        mixed, weights = search.hardest()
        mean = curves.weighted(weights)
        options = {"tolerance": _PART * close, "start": hardest}
        hardest = best_in(mean, domain, most_boxes=1, **options)
        bound = min(bound, hardest.bound)
        for tried in (mixed, hardest.spend):
            # The mean of a pause and a spend is neither.
            if tried is mixed and not domain.is_whole:
                continue
            value = float(measure.of(curves.outcome(tried).sum(axis=1)))
            if value > reached:
                best, reached = tried, value
        gaps.append(bound - reached)
        if gaps[-1] <= close * abs(bound) or _is_stuck(gaps):
            break
        spend = mixed
    return best, max(bound, reached)


def _is_stuck(gaps: list[float]) -> bool:
    """Whether the last cuts left the gap nearly as it was."""
    return len(gaps) > _STUCK and gaps[-1] > _SHRINKS * gaps[-1 - _STUCK]


class _Cuts:
    """Means that weigh the worst draws at splits seen so far."""

    def __init__(self, curves: ResponseCurves, domain: Polytope, measure: Measure):
        self.curves, self.domain = curves, domain
        self.tail = tail_weights(curves.n_draws, measure.level)
        share = np.linspace(0, 1, _KNOTS + 1)[:, None]
        low, high = domain.floor, domain.high
        self.knots = low + share * (high - low)
        self.weights: list[np.ndarray] = []
        self.rows: list[np.ndarray] = []
        self.values = curves.outcome(self.knots)

    def cut(self, spend: Float[np.ndarray, " channel"]) -> np.ndarray:
        """The mean of the worst draws at a split; the split's spends become knots."""
        outcome = self.curves.outcome(spend)
        self.knots = np.concatenate([self.knots, spend[None]])
        self.values = np.concatenate([self.values, outcome[:, None]], axis=1)
        weights = np.empty_like(self.tail)
        weights[np.argsort(outcome.sum(axis=1), kind="stable")] = self.tail
        self.weights.append(weights)
        return weights

    def hardest(self) -> tuple[np.ndarray, np.ndarray]:
        """The split that does best in the worst mean, and the mean hardest to beat."""
        # SciPy only where a program is solved: see core.plan.limits.program.
        from scipy.optimize import linprog

        domain, knots = self.domain, self.knots
        n_knots, n_channels = knots.shape
        flat = self.values.reshape(self.values.shape[0], -1)
        weights = np.stack(self.weights)
        means = weights @ flat
        size = float(np.abs(means).max()) or 1.0
        money = float(np.abs(knots).max()) or 1.0
        limits, most = one_sided(domain)
        sums = (limits[:, None, :] * knots / money).reshape(len(limits), -1)
        free = np.zeros((len(limits), 1))
        above = np.concatenate([-means / size, np.ones((len(means), 1))], axis=1)
        one_each = np.tile(np.eye(n_channels), n_knots)
        solved = linprog(
            np.append(np.zeros(flat.shape[1]), -1.0),
            A_ub=np.concatenate([above, np.concatenate([sums, free], axis=1)]),
            b_ub=np.concatenate([np.zeros(len(means)), most / money + 1e-9]),
            A_eq=np.concatenate([one_each, np.zeros((n_channels, 1))], axis=1),
            b_eq=np.ones(n_channels),
            bounds=[(0, None)] * flat.shape[1] + [(None, None)],
            method="highs",
        )
        if not solved.success:  # limits that meet only to a cent: the last split stays
            return knots[-1], weights.mean(axis=0)  # any mixture of means bounds
        price = np.maximum(-solved.ineqlin.marginals[: len(means)], 0.0)
        mixed = (solved.x[:-1].reshape(n_knots, n_channels) * knots).sum(axis=0)
        return mixed, (price / price.sum()) @ weights
