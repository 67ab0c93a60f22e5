"""Mediated: what channels make us spend on mediators, and what that brings, on a grid.

Of mediators that cost money only: a plan may pay for what a channel causes there, and
buy a share of it (`core.plan.response.elsewhere`).
"""

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.analysis.ahead.planned_periods import PlannedPeriods
from core.analysis.incremental import over_draws, per_mediator
from core.analysis.response.multiples import response
from core.dims import CHANNEL, DRAW
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.model.mediation.mediators import (
    draws_of,
    mediator_names,
    units_per_scaled,
)


@persistent()
def _mediated(structure, arrays, beside, draws, multipliers, cost):
    """Per draw: outcome through each mediator and its slope, what it costs likewise.

    `cost`: currency per unit of scaled media; mediator geo time.
    """

    def of_draw(draw):
        parts = []
        for place, link in enumerate(structure.mediators):
            weights = per_mediator(structure, link, arrays, draw), cost[place]
            ours, theirs = jnp.array(link.ours, int), jnp.array(link.theirs, int)
            rows = []
            for weight in weights:
                caused = response(
                    link.structure,
                    arrays.mediators[place],
                    draws_of(place, draw),
                    multipliers,
                    weight,
                    beside=draws_of(place, beside or {}) or None,
                )
                n = sum(group.n_channels for group in structure.groups)
                none = jnp.zeros((n, len(multipliers)), cost.dtype)
                rows += [none.at[ours].set(each[theirs]) for each in caused]
            parts.append(jnp.stack(rows))
        return jnp.stack(parts)

    return over_draws(of_draw, draws)


def mediated(
    model: Model,
    periods: PlannedPeriods,
    draws: dict[str, np.ndarray],
    multipliers: Float[np.ndarray, " multiplier"],
    is_paid: Bool[np.ndarray, " channel"],
) -> dict[str, xr.DataArray]:
    """Variables of response curves about mediators that cost money; none without.

    Args:
        model: The model.
        periods: Of the spend.
        draws: Posterior variables, draws first, with those of its mediators.
        multipliers: Multiples of the spend that ran.
        is_paid: Of the channels that carry over.

    Returns:
        `through` and `induced` with their slopes; draw, paid_mediator, channel,
        spend_multiplier.
    """
    prices = np.array(model.mediator_prices)
    if not prices.any():
        return {}
    dtype = model.arrays.kpi.dtype
    scale = units_per_scaled(model) * prices[:, None]
    n_times = periods.structure.n_times
    cost = jnp.asarray(np.repeat(scale[:, :, None], n_times, axis=2), dtype)
    structure, arrays, beside, _ = periods
    grid = jnp.asarray(multipliers, dtype)
    (parts,) = in_chunks(
        lambda some: (_mediated(structure, arrays, beside, some, grid, cost),), draws
    )
    parts = np.asarray(parts)[:, prices > 0][:, :, :, is_paid].astype(np.float32)
    names = np.array(mediator_names(model))[prices > 0].tolist()
    dims = (DRAW, "paid_mediator", CHANNEL, "spend_multiplier")
    stored = ("through", "through_slope", "induced", "induced_slope")
    return {
        name: xr.DataArray(
            parts[:, :, place], dims=dims, coords={"paid_mediator": names}
        )
        for place, name in enumerate(stored)
    }
