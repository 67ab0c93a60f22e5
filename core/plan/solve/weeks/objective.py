"""Objective of a plan of weeks: a number and its gradient, and its concave ceiling.

Equal weights of the sorted draws are the mean, weights of the worst ones a CVaR.
Ascents take it in single precision, their ends and a bound in double.
"""

import jax
import jax.numpy as jnp
import numpy as np

from core.plan.response.envelope import Bends
from core.plan.response.felt import felt, in_single, ranked
from core.plan.response.horizon import WeekResponse
from core.plan.response.weeks import all_bends, not_of_the_plan
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
        self._exact = felt(horizon, self.draws)
        self._single = in_single(self._exact)
        self._sorted = None if np.ptp(ranks) == 0 else self.ranks
        self._bent: tuple[Bends | None, ...] | None = None
        self._bent_single: tuple[Bends | None, ...] | None = None

    def __call__(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, in single precision."""
        return self._ranked(self._single, None, spend, self.floor)

    def exact(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, for the end of an ascent."""
        return self._ranked(self._exact, None, spend, self.floor)

    def near_ceiling(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient of the concave ceiling, for an ascent; `bend` first."""
        return self._ranked(self._single, self._bent_single, spend, 0.0)

    def ceiling(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient of the concave ceiling, for a bound; `bend` first."""
        return self._ranked(self._exact, self._bent, spend, 0.0)

    def _ranked(
        self, parts, bent, spend: np.ndarray, floor
    ) -> tuple[float, np.ndarray]:
        spend = np.asarray(spend)
        moved = jnp.asarray(spend + floor, self.dtype)
        structure = self.horizon.structure
        value = ranked(structure, parts, bent, moved, self._sorted, self.others)
        return self._net(*value, spend)

    def _net(self, value, slope, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, money taken off where it counts."""
        value, slope = float(value), np.nan_to_num(np.asarray(slope, np.float64))
        if self.worth is None or not self.worth.is_profit:
            return value, slope
        margin, cost = self.worth.margin, self.worth.cost
        return margin * value - float((spend * cost).sum()), margin * slope - cost

    def bend(self, low: np.ndarray, high: np.ndarray) -> None:
        """Find the concave ceilings between two spends."""
        x = self.horizon
        ends = [jnp.asarray(spend, self.dtype) for spend in (low, high)]
        bent = all_bends(x.structure, x.arrays, x.bought, self.draws, *ends)
        groups = (bent[group.suffix] for group in x.structure.groups)
        self._bent = tuple(map(_channel_first, groups))
        self._bent_single = in_single(self._bent)


def _weighted(horizon: WeekResponse, worth: Worth) -> WeekResponse:
    """A horizon whose outcome counts what its week does."""
    weight = jnp.asarray(worth.weight, horizon.arrays.kpi.dtype)
    scale = horizon.arrays.outcome_scale * weight
    return horizon._replace(arrays=horizon.arrays._replace(outcome_scale=scale))


def _channel_first(bent: Bends | None) -> Bends | None:
    return None if bent is None else jax.tree.map(lambda x: jnp.moveaxis(x, 1, 0), bent)
