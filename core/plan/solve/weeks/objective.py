"""Objective of a plan of weeks: a number and its gradient, and its concave ceiling.

Equal weights of the sorted draws are the mean, weights of the worst ones a CVaR, those
near a quantile nearly that.
Ascents take it in single precision, their ends and a bound in double.
"""

from copy import copy

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from core.plan.response.envelope import Bends
from core.plan.response.felt import (
    Felt,
    Linear,
    by_channel,
    by_draw,
    ceiling_by_geo,
    felt,
    in_single,
    one_draw,
    ranked,
)
from core.plan.response.horizon import WeekResponse
from core.plan.response.weeks import Way, all_bends, not_of_the_plan, ways
from core.plan.response.worth import Worth

#: A cell's gradient is that of a little more spend than none, because a Hill curve
#: with a slope below one is vertical at zero.
_FLOOR = 1e-5


class Objective:
    """A weighted sum of the sorted draws' outcomes over a horizon, for an ascent."""

    def __init__(
        self,
        horizon: WeekResponse,
        draws: dict[str, np.ndarray],
        ranks: np.ndarray,
        worth: Worth | None = None,
    ):
        if worth is not None:
            horizon = _weighted(horizon, worth)
        self.worth, self.horizon = worth, horizon
        self.dtype = dtype = horizon.arrays.kpi.dtype
        none = np.zeros_like(horizon.usual)
        self.others = jnp.asarray(not_of_the_plan(horizon, draws, none), dtype)
        self.draws = {
            name: jnp.asarray(values, dtype) for name, values in draws.items()
        }
        self.ranks = jnp.asarray(ranks, dtype)
        self.floor = _FLOOR * horizon.usual.mean(axis=1, keepdims=True)
        self.ways = ways(horizon.structure)
        self._exact = felt(horizon, self.draws)
        self._single = in_single(self._exact)
        # Where all draws weigh the same there is nothing to sort.
        self._sorted = None if np.ptp(ranks) == 0 else self.ranks
        self._bent: tuple[Bends | None, ...] | None = None
        self._bent_single: tuple[Bends | None, ...] | None = None
        self._above, self._above_single = self._exact, self._single

    def __call__(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, in single precision."""
        return self._ranked(self._single, None, spend, self.floor)

    def exact(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, for the end of an ascent."""
        return self._ranked(self._exact, None, spend, self.floor)

    def near_ceiling(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient of the concave ceiling, for an ascent; `bend` first."""
        return self._ranked(self._above_single, self._bent_single, spend, 0.0)

    def ceiling(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient of the concave ceiling, for a bound; `bend` first."""
        return self._ranked(self._above, self._bent, spend, 0.0)

    def ceiling_by_geo(self, spend: np.ndarray) -> list[np.ndarray]:
        """What each geo's part of a unit, at one price, adds to the ceiling.

        For the mean of the draws and channels without mediators; `bend` first. By
        channel, geo week, or all geos as one.
        """
        at_price = jnp.asarray(self.horizon.at_one_price(spend), self.dtype)
        rows = ceiling_by_geo(self.ways, self._above, self._bent, at_price)
        return [np.asarray(row, np.float64) for of_way in rows for row in of_way]

    @property
    def parts(self) -> tuple[Felt | Linear, ...]:
        """What outcome is worked out with, by way, in single precision."""
        return self._single

    def _ranked(
        self, parts, bent, spend: np.ndarray, floor
    ) -> tuple[float, np.ndarray]:
        spend = np.asarray(spend)
        moved, x = spend + floor, self.horizon
        at_price = jnp.asarray(x.at_one_price(moved), self.dtype)
        value, slope = ranked(
            self.ways, parts, bent, at_price, self._sorted, self.others
        )
        if x.is_dearer:
            slope = np.asarray(slope, np.float64) * x.units_per_money(moved)
        return self._net(value, slope, spend)

    def _net(self, value, slope, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, money taken off where it counts."""
        value, slope = float(value), np.nan_to_num(np.asarray(slope, np.float64))
        if self.worth is None or not self.worth.is_profit:
            return value, slope
        margin, cost = self.worth.margin, self.worth.cost
        return margin * value - float((spend * cost).sum()), margin * slope - cost

    def by_draw(self, spend: np.ndarray) -> Float[np.ndarray, " draw"]:
        """What each draw brings, before any cost."""
        x = self.horizon
        at_price = jnp.asarray(x.at_one_price(np.asarray(spend)), self.dtype)
        brought = by_draw(self.ways, self._exact, at_price, self.others)
        return np.asarray(brought, np.float64)

    def along(
        self, plan: np.ndarray, tried: Float[np.ndarray, "channel tried"]
    ) -> Float[np.ndarray, "draw channel tried"]:
        """What each channel brings at other totals, in the proportions of a plan.

        Args:
            plan: Spend; channel week.
            tried: Totals of each channel; currency.
        """
        share = plan / np.maximum(plan.sum(axis=1, keepdims=True), 1e-300)
        x, rows = self.horizon, []
        for totals in (np.zeros(len(tried)), *tried.T):
            at_price = jnp.asarray(x.at_one_price(totals[:, None] * share), self.dtype)
            rows.append(np.asarray(by_channel(self.ways, self._exact, at_price)))
        return np.stack(rows[1:], axis=2).astype(np.float64) - rows[0][:, :, None]

    def ranked_by(self, ranks: np.ndarray) -> "Objective":
        """The same draws with other weights, from worst to best."""
        other = copy(self)
        other.ranks = jnp.asarray(ranks, self.dtype)
        other._sorted = None if np.ptp(ranks) == 0 else other.ranks
        return other

    def of_draw(self, place: int) -> "Objective":
        """One draw alone; its ceiling is that between the spends of `bend`."""
        other = copy(self)
        other.ranks, other._sorted = jnp.ones(1, self.dtype), None
        other.others = self.others[place : place + 1]
        for name in ("_exact", "_single", "_above", "_above_single"):
            parts = tuple(one_draw(part, place) for part in getattr(self, name))
            setattr(other, name, parts)
        for name in ("_bent", "_bent_single"):
            bent = tuple(_one_draw(each, place) for each in getattr(self, name) or ())
            setattr(other, name, bent or None)
        return other

    def bend(self, low: np.ndarray, high: np.ndarray) -> None:
        """Find the concave ceilings between two spends."""
        x = self.horizon
        ends = [jnp.asarray(x.at_one_price(end), self.dtype) for end in (low, high)]
        bent = all_bends(x.structure, x.arrays, x.bought, self.draws, *ends)
        by_way = (bent[way.path + way.group.suffix] for way in self.ways)
        self._bent = tuple(map(_channel_first, by_way))
        self._above = self._exact
        if x.is_dearer:
            self._bent, self._above = _of_units_that_bend(
                x, self.ways, self._bent, self._exact, ends[0]
            )
        self._bent_single = in_single(self._bent)
        self._above_single = in_single(self._above)


def _of_units_that_bend(
    horizon: WeekResponse,
    ways: tuple[Way, ...],
    bent: tuple[Bends | None, ...],
    parts: tuple[Felt | Linear, ...],
    least: jax.Array,
) -> tuple[tuple[Bends | None, ...], tuple[Felt | Linear, ...]]:
    """Ceilings where units bend down in spend: negative effects are at their least.

    A rising concave curve of concave units is concave. A falling one is not: it lies
    below what it is at the least spend.

    Args:
        horizon: The weeks.
        ways: Of the parts.
        bent: Ceilings in units, by way.
        parts: What outcome is worked out with.
        least: Least spend, at one price; channel week.
    """
    ceilings, above = [], []
    for bend, part, way in zip(bent, parts, ways, strict=True):
        own = np.array(way.rows, int)
        dearer = jnp.asarray(horizon.gamma[own] > 0)
        if bend is not None:
            chord = jnp.where(dearer[:, None, None, None], 0.0, bend.chord)
            bend = bend._replace(chord=chord)
        if isinstance(part, Linear):
            falls = dearer[:, None] & (part.per_money < 0)
            lost = jnp.where(falls, part.per_money, 0.0)
            base = part.base + jnp.einsum("dcw,cw->d", lost, least[own])
            part = Linear(base, part.per_money - lost)
        ceilings.append(bend)
        above.append(part)
    return tuple(ceilings), tuple(above)


def _weighted(horizon: WeekResponse, worth: Worth) -> WeekResponse:
    """A horizon whose outcome counts what its week does."""
    weight = jnp.asarray(worth.weight, horizon.arrays.kpi.dtype)
    scale = horizon.arrays.outcome_scale * weight
    return horizon._replace(arrays=horizon.arrays._replace(outcome_scale=scale))


def _one_draw(bent: Bends | None, place: int) -> Bends | None:
    here = slice(place, place + 1)
    return None if bent is None else jax.tree.map(lambda x: x[:, here], bent)


def _channel_first(bent: Bends | None) -> Bends | None:
    return None if bent is None else jax.tree.map(lambda x: jnp.moveaxis(x, 1, 0), bent)
