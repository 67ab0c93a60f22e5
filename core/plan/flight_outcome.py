"""Outcome of spend per week and channel, per posterior draw, and its gradient.

The outcome is that of `core.analysis.incremental.treatment_outcome`; only the media is
the plan's.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import over_draws, treatment_outcome
from core.model.group_arrays import media_arrays
from core.model.structure import MediaArrays
from core.plan.envelope import Bends, bends, ceiling
from core.plan.flight_worth import Worth
from core.plan.horizon import Bought, Horizon

#: A cell's gradient is that of a little more spend than none, because a Hill curve
#: with a slope below one is vertical at zero.
_FLOOR = 1e-5


def media_of(
    structure, bought: dict[str, Bought], spend: Float[Array, "channel week"], dtype
) -> dict[str, MediaArrays]:
    """Media before, in and after a plan, by group suffix."""
    made, first = {}, 0
    for group in structure.groups:
        given = bought[group.suffix]
        rows = spend[first : first + group.n_channels, None, :]
        first += group.n_channels
        units = given.per_money * rows.astype(dtype)
        units = jnp.concatenate([given.before, units, given.after], axis=2)
        made[group.suffix] = media_arrays(
            group, units, given.frequency, structure.n_times, dtype
        )
    return made


@partial(jax.jit, static_argnums=0)
def _outcomes(structure, arrays, bought, draws, spend):
    media = media_of(structure, bought, spend, arrays.kpi.dtype)

    def of_draw(draw):
        return treatment_outcome(structure, arrays, draw, media).sum(axis=1)

    return over_draws(of_draw, draws)


def outcomes(
    given: Horizon, draws: dict[str, np.ndarray], spend: Float[np.ndarray, "c w"]
) -> Float[np.ndarray, "draw channel time"]:
    """Outcome per draw, channel and period, those after the plan included."""
    made = _outcomes(given.structure, given.arrays, given.bought, draws, spend)
    return np.asarray(made, np.float64)


def not_of_the_plan(
    given: Horizon, draws: dict[str, np.ndarray], none: Float[np.ndarray, "c w"]
) -> Float[np.ndarray, " draw"]:
    """Outcome after the plan that comes without it, of media before and after."""
    return outcomes(given, draws, none)[:, :, len(given.weeks) :].sum(axis=(1, 2))


@partial(jax.jit, static_argnums=0)
def _ranked(structure, arrays, bought, draws, spend, floor, ranks, others):
    """Weighted sum of the sorted draws' outcomes, and its gradient."""

    def objective(spend):
        media = media_of(structure, bought, spend, arrays.kpi.dtype)

        def of_draw(draw):
            return treatment_outcome(structure, arrays, draw, media).sum()

        return jnp.sort(jax.vmap(of_draw)(draws) - others) @ ranks

    return jax.value_and_grad(objective)(spend + floor)


@partial(jax.jit, static_argnums=0)
def _bends(structure, arrays, bought, draws, low, high):
    dtype = arrays.kpi.dtype
    ends = (media_of(structure, bought, spend, dtype) for spend in (low, high))
    least, most = ends

    def of_draw(draw):
        return bends(structure, arrays, draw, least, most)

    return jax.vmap(of_draw)(draws)


@partial(jax.jit, static_argnums=0)
def _ranked_ceiling(structure, arrays, bought, draws, found, spend, ranks, others):
    def objective(spend):
        media = media_of(structure, bought, spend, arrays.kpi.dtype)

        def of_draw(draw, bent):
            return ceiling(structure, arrays, draw, bent, media)

        return jnp.sort(jax.vmap(of_draw)(draws, found) - others) @ ranks

    return jax.value_and_grad(objective)(spend)


def _weighted(given: Horizon, worth: Worth) -> Horizon:
    """A horizon whose outcome counts what its week does."""
    weight = jnp.asarray(worth.weight, given.arrays.kpi.dtype)
    scale = given.arrays.outcome_scale * weight
    return given._replace(arrays=given.arrays._replace(outcome_scale=scale))


class Objective:
    """A weighted sum of the sorted draws' outcomes over a horizon, for an ascent.

    Equal weights are the mean, the worst ones' weights a CVaR.
    """

    def __init__(
        self,
        given: Horizon,
        draws: dict[str, np.ndarray],
        ranks: np.ndarray,
        worth: Worth | None = None,
    ):
        if worth is not None:
            given = _weighted(given, worth)
        self.worth = worth
        self.given = given
        dtype = given.arrays.kpi.dtype
        self.draws = {name: jnp.asarray(rows, dtype) for name, rows in draws.items()}
        self.ranks = jnp.asarray(ranks, dtype)
        self.dtype = dtype
        none = np.zeros_like(given.usual)
        self.others = jnp.asarray(not_of_the_plan(given, draws, none), dtype)
        self.floor = _FLOOR * given.usual.mean(axis=1, keepdims=True)
        self.bent: dict[str, Bends] | None = None

    def __call__(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient."""
        x = self.given
        value, slope = _ranked(
            x.structure,
            x.arrays,
            x.bought,
            self.draws,
            jnp.asarray(spend, self.dtype),
            jnp.asarray(self.floor, self.dtype),
            self.ranks,
            self.others,
        )
        return self._net(value, slope, spend)

    def _net(self, value, slope, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient, money taken off where it counts."""
        value, slope = float(value), np.nan_to_num(np.asarray(slope, np.float64))
        if self.worth is None or not self.worth.is_profit:
            return value, slope
        margin, cost = self.worth.margin, self.worth.cost
        return margin * value - float((spend * cost).sum()), margin * slope - cost

    def bend(self, low: np.ndarray, high: np.ndarray) -> None:
        """Find the concave ceilings between two spends."""
        x = self.given
        ends = [jnp.asarray(spend, self.dtype) for spend in (low, high)]
        self.bent = _bends(x.structure, x.arrays, x.bought, self.draws, *ends)

    def ceiling(self, spend: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient of the concave ceiling; `bend` first."""
        x = self.given
        value, slope = _ranked_ceiling(
            x.structure,
            x.arrays,
            x.bought,
            self.draws,
            self.bent,
            jnp.asarray(spend, self.dtype),
            self.ranks,
            self.others,
        )
        return self._net(value, slope, spend)
