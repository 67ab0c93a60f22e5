"""Mediated: what channels bring by way of mediators, and make us spend, on a grid.

A plan may pay for what a channel causes on a mediator that costs money, and buy a share
of it (`core.plan.money.elsewhere`); and it asks how much hidden demand behind both its
advice withstands (`core.plan.advice.hidden`).
"""

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.analysis.ahead.planned_periods import PlannedPeriods
from core.analysis.incremental import over_draws
from core.analysis.multiples import response
from core.analysis.response.by_way import MEDIATOR, MULTIPLIER, K
from core.analysis.response.split import known_of
from core.dims import CHANNEL, DRAW, GEO
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.model.media.carried import per_mediator
from core.model.mediation.mediators import (
    draws_of,
    mediator_names,
    units_per_scaled,
)


@persistent(2)
def _mediated(structure, by_geo, arrays, beside, draws, multipliers, cost):
    """Per draw: outcome through each mediator and its slope, what it costs, and k.

    `cost`: currency per unit of scaled media; mediator geo time.
    """
    n = sum(group.n_channels for group in structure.groups)
    geos = (structure.n_geos,) if by_geo else ()
    none = jnp.zeros((n, *geos, len(multipliers)), cost.dtype)

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
                    by_geo=by_geo,
                )
                rows += [none.at[ours].set(each[theirs]) for each in caused]
            parts.append(jnp.stack(rows))
        places = range(len(structure.mediators))
        known = [known_of(structure, arrays, draw, place) for place in places]
        return jnp.stack(parts), jnp.stack(known)

    return over_draws(of_draw, draws)


def mediated(
    model: Model,
    periods: PlannedPeriods,
    draws: dict[str, np.ndarray],
    multipliers: Float[np.ndarray, " multiplier"],
    is_paid: Bool[np.ndarray, " channel"],
    *,
    by_geo: bool = False,
) -> dict[str, xr.DataArray]:
    """Variables of response curves about mediators; none without.

    Args:
        model: The model.
        periods: Of the spend.
        draws: Posterior variables, draws first, with those of its mediators.
        multipliers: Multiples of the spend that ran.
        is_paid: Of the channels that carry over.
        by_geo: Whether geos are kept apart.

    Returns:
        `through` and `induced`, zero where a mediator costs nothing, with their slopes;
        draw, mediator, channel, (geo,) spend_multiplier. `mediator_k`: its own noise
        as it moves the KPI over the KPI's (`core.analysis.response.split`); draw,
        mediator.
    """
    if not model.mediators:
        return {}
    prices = np.array([*model.mediator_prices] or [0.0] * len(model.mediators))
    dtype = model.arrays.kpi.dtype
    scale = units_per_scaled(model) * prices[:, None]
    n_times = periods.structure.n_times
    cost = jnp.asarray(np.repeat(scale[:, :, None], n_times, axis=2), dtype)
    structure, arrays, beside, _ = periods
    grid = jnp.asarray(multipliers, dtype)
    parts, known = in_chunks(
        lambda some: _mediated(structure, by_geo, arrays, beside, some, grid, cost),
        draws,
    )
    parts = np.asarray(parts)[:, :, :, is_paid].astype(np.float32)
    names = list(mediator_names(model))
    dims = (DRAW, MEDIATOR, CHANNEL, *((GEO,) if by_geo else ()), MULTIPLIER)
    stored = ("through", "through_slope", "induced", "induced_slope")
    variables = {
        name: xr.DataArray(parts[:, :, place], dims=dims, coords={MEDIATOR: names})
        for place, name in enumerate(stored)
    }
    k = np.asarray(known, np.float64)
    return variables | {K: xr.DataArray(k, dims=(DRAW, MEDIATOR))}
