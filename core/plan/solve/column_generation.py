"""Column generation: the best mixture of spends under joint limits, and its bound.

Each channel mixes points of its curve (its least concave majorant), so that joint
limits are linear: a linear program whose dual gives every limit a price. At these
prices each channel's best spend is found alone and exactly; where it beats the mixture
it joins the points (Dantzig-Wolfe). Whatever the prices, the sum of what channels earn
above them, plus what the limits cost, is an outcome that no split exceeds.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from core.plan.limits.polytope import Polytope, nearest_steps
from core.plan.response.cubic import Cubics, Pieces, peaks, pieces
from core.plan.response.curves import ResponseCurves

_ROUNDS = 40
_NEIGHBOURS = 2
_EVERY = 3  # knots to begin with
_TOLERANCE = 3e-8


class Part(NamedTuple):
    """A part of a domain: ranges of channels, and which may be off."""

    low: Float[np.ndarray, " channel"]
    high: Float[np.ndarray, " channel"]
    off: Bool[np.ndarray, " channel"]


class Points(NamedTuple):
    """Points of curves; `channel` says whose."""

    channel: np.ndarray
    spend: np.ndarray
    outcome: np.ndarray


class Mixture(NamedTuple):
    """The best mixture of spends.

    Attributes:
        spend: Mean spend of the mixture, currency.
        outcome: Its outcome per channel, by the concave majorants.
        bound: No split of the part has an outcome above this.
        price: Outcome per currency that joint limits ask of each channel.
        charge: What the limits cost at their prices; bound minus surpluses.
        points: Points used, for parts of this part.
    """

    spend: Float[np.ndarray, " channel"]
    outcome: Float[np.ndarray, " channel"]
    bound: float
    price: Float[np.ndarray, " channel"]
    charge: float
    points: Points


def best_mixture(
    curves: ResponseCurves,
    domain: Polytope,
    part: Part,
    start: Points | None = None,
    *,
    tolerance: float = _TOLERANCE,
) -> Mixture | None:
    """The best mixture on the curves' only draw; None where limits cannot be met.

    Args:
        curves: One draw.
        domain: Steps and joint limits.
        part: Ranges to stay in.
        start: Points of a larger part, to begin with.
        tolerance: Share of the bound by which the mixture may fall short of it.
    """
    offered = _Offered(curves, domain, part)
    points = _joined(offered.first(), _inside(start, part))
    best, bound, duals = None, np.inf, (np.zeros(len(part.low)), 0.0)
    for _ in range(_ROUNDS):
        solved = _master(points, domain, len(part.low))
        if solved is None:
            return None
        weight, value, price, charge = solved
        added = offered.at(price)
        dual = charge + float((added.outcome - price * added.spend).sum())
        # Prices swing from round to round, so the last bound need not be the best.
        if dual < bound:
            bound, duals = dual, (price, charge)
        best = _mixed(points, weight, len(part.low))
        if bound - value <= tolerance * abs(bound):
            break
        # Points far from the mixture go again, so that the program stays small.
        points = _joined(_near(points, weight), added, offered.near(best[0]))
    spend, outcome = best
    return Mixture(spend, outcome, bound, *duals, points)


def points_at(
    curves: ResponseCurves, places: tuple[np.ndarray, np.ndarray] | None
) -> Points | None:
    """Points at spends of channels, on the curves' only draw.

    Args:
        curves: One draw.
        places: Channel and currency of each; None for none.
    """
    if places is None:
        return None
    channel, spend = places
    rank = np.arange(len(channel)) - np.searchsorted(channel, channel)  # sorted
    table = np.zeros((rank.max() + 1, len(curves.names)))
    table[rank, channel] = spend
    return Points(channel, spend, curves.outcome(table)[0][rank, channel])


class _Offered:
    """Points that channels may spend at, and the best of them at prices."""

    def __init__(self, curves: ResponseCurves, domain: Polytope, part: Part):
        self.curves, self.domain, self.part = curves, domain, part
        self.cubics: Cubics = curves.within(part.low, part.high)
        self.pieces: Pieces = pieces(*self.cubics)
        self.has_steps = bool(domain.step.any())

    def first(self) -> Points:
        """Knots, the ends among them, and nothing where a channel may be off."""
        last = self.cubics.x.shape[1] - 1
        some = np.union1d(np.arange(0, last, _EVERY), last)
        return self._points(self.cubics.x[:, some])

    def near(self, spend: Float[np.ndarray, " channel"]) -> Points:
        """A spend, or the steps beside it."""
        return self._points(spend[:, None], may_be_off=False)

    def at(self, price: Float[np.ndarray, " channel"]) -> Points:
        """Every channel's best point at its price."""
        place, _ = peaks(self.pieces, price[:, None])
        spend, outcome = self._outcomes_near(
            np.concatenate([self.cubics.x, place], axis=1)
        )
        net = outcome - price[:, None] * spend
        chosen = net.argmax(axis=1)
        channel = np.arange(len(chosen))
        return Points(channel, spend[channel, chosen], outcome[channel, chosen])

    def _points(self, places: np.ndarray, *, may_be_off: bool = True) -> Points:
        spend, outcome = self._outcomes_near(places, may_be_off=may_be_off)
        channel = np.broadcast_to(np.arange(len(spend))[:, None], spend.shape)
        mask = np.isfinite(outcome)
        return Points(channel[mask], spend[mask], outcome[mask])

    def _outcomes_near(
        self, places: np.ndarray, *, may_be_off: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Allowed spends near places, and their outcomes; minus infinity elsewhere."""
        low, high = self.part.low[:, None], self.part.high[:, None]
        places = np.clip(places, low, high)
        if self.has_steps:
            below, above = nearest_steps(places, self.domain.step)
            places = np.concatenate([below, above], axis=1)
        slack = 1e-12 * np.maximum(high, 1.0)
        inside = (places >= low - slack) & (places <= high + slack)
        if may_be_off and self.part.off.any():
            places = np.concatenate([places, np.zeros((len(places), 1))], axis=1)
            inside = np.concatenate([inside, self.part.off[:, None]], axis=1)
        outcome = self.curves.outcome(places.T)[0].T
        return places, np.where(inside, outcome, -np.inf)


def _inside(start: Points | None, part: Part) -> Points | None:
    """Points that are in the part too."""
    if start is None:
        return None
    low, high = part.low[start.channel], part.high[start.channel]
    mask = (start.spend >= low) & (start.spend <= high)
    mask |= part.off[start.channel] & (start.spend == 0)
    return Points(*(array[mask] for array in start))


def _joined(*several: Points | None) -> Points:
    """All points, each once."""
    parts = [points for points in several if points is not None]
    channel, spend, outcome = (np.concatenate(arrays) for arrays in zip(*parts))  # noqa: B905
    order = np.lexsort((spend, channel))
    channel, spend, outcome = channel[order], spend[order], outcome[order]
    new = np.ones(len(spend), dtype=bool)
    new[1:] = (np.diff(channel) > 0) | (np.diff(spend) > 0)
    return Points(channel[new], spend[new], outcome[new])


def _near(points: Points, weight: np.ndarray) -> Points:
    """Points of the mixture, their neighbours, and every channel's ends.

    What is left out costs more than it brings at the mixture's prices; if that changes,
    the prices bring it back.
    """
    used = weight > 0
    for _ in range(_NEIGHBOURS):
        wider = used.copy()
        wider[1:] |= used[:-1]
        wider[:-1] |= used[1:]
        used = wider
    new = np.flatnonzero(np.diff(points.channel)) + 1
    used[[0, *new]] = used[[*(new - 1), -1]] = True
    return Points(*(array[used] for array in points))


def _master(
    points: Points, domain: Polytope, n_channels: int
) -> tuple[np.ndarray, float, np.ndarray, float] | None:
    """Weights of the best mixture, its outcome, prices per channel, their charge."""
    # SciPy only where a program is solved: see core.plan.limits.program.
    from scipy.optimize import linprog

    # HiGHS's tolerances are absolute: in these units amounts are about one.
    money = float(np.abs(points.spend).max()) or 1.0
    outcome = float(np.abs(points.outcome).max()) or 1.0
    weights, most = one_sided(domain)
    sums, limits = weights[:, points.channel] * (points.spend / money), most / money
    slack = 1e-11 * np.maximum(np.abs(limits), 1.0)
    solved = linprog(
        -points.outcome / outcome,
        A_ub=sums,
        b_ub=limits + slack,
        A_eq=one_each(points.channel),
        b_eq=np.ones(n_channels),
        bounds=(0, None),
        method="highs",
    )
    if solved.status != 0:
        return None
    # Rounding may give a limit that does not bind a price of the wrong sign.
    price = np.maximum(-solved.ineqlin.marginals, 0.0) * outcome / money
    return solved.x, -solved.fun * outcome, price @ weights, float(price @ most)


def one_sided(
    domain: Polytope,
) -> tuple[Float[np.ndarray, "limit channel"], Float[np.ndarray, " limit"]]:
    """Joint limits as weights and the most of each, a minimum with its sign changed."""
    joint = domain.rows
    upper, lower = np.isfinite(joint.most), np.isfinite(joint.least)
    weights = np.concatenate([domain.matrix[upper], -domain.matrix[lower]])
    return weights, np.concatenate([joint.most[upper], -joint.least[lower]])


def one_each(channel: np.ndarray) -> Any:
    """A row per channel, one at each of its points: their weights add up to one.

    SciPy is imported here: see `core.plan.limits.program`.
    """
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(channel)), (channel, np.arange(len(channel)))))


def _mixed(
    points: Points, weight: np.ndarray, n_channels: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mean spend and outcome of each channel."""
    spend, outcome = (
        np.bincount(points.channel, weight * amounts, minlength=n_channels)
        for amounts in (points.spend, points.outcome)
    )
    return spend, outcome
