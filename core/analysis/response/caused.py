"""Caused: what channels make be spent on mediators that cost money, per draw."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from core.analysis.ahead.planned_periods import planned_periods
from core.analysis.incremental import over_draws, per_mediator
from core.analysis.response.multiples import response
from core.data.ahead.horizon import PlanHorizon
from core.dims import CHANNEL, DRAW
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.mediation.mediators import carrying, draws_of, units_per_scaled

_OUTCOME = ("incremental_outcome", "slope")


class Price(NamedTuple):
    """What a mediator costs.

    Attributes:
        per_unit: Currency per unit; zero where it costs nothing.
        bought: Share of the demand that channels cause which is bought.
    """

    per_unit: float
    bought: float = 1.0


@partial(jax.jit, static_argnums=(0, 1))
def _caused(structure, place, arrays, beside, draws, multipliers, units):
    """Units of a mediator and outcome through it, values and slopes, by channel."""
    link = structure.mediators[place]
    n_carrying = sum(group.n_channels for group in structure.groups)
    ours, theirs = jnp.array(link.ours, int), jnp.array(link.theirs, int)

    def of_draw(draw):
        weights = units, per_mediator(structure, link, arrays, draw)
        found = [
            response(
                link.structure,
                arrays.mediators[place],
                draws_of(place, draw),
                multipliers,
                where,
                beside=draws_of(place, beside or {}) or None,
            )
            for where in weights
        ]
        none = jnp.zeros((n_carrying, len(multipliers)), arrays.kpi.dtype)
        return tuple(none.at[ours].set(x[theirs]) for pair in found for x in pair)

    return over_draws(of_draw, draws)


def with_induced(
    view: xr.Dataset,
    model: Model,
    draws: dict[str, np.ndarray],
    horizon: PlanHorizon | None,
    prices: Sequence[Price],
) -> xr.Dataset:
    """Response curves with what their spend makes be spent elsewhere.

    Args:
        view: What `response_curves` gives for the same draws and periods.
        model: The model.
        draws: Posterior draws, with those of the mediators' models.
        horizon: The periods of the spend; the data's own where not given.
        prices: Of each mediator, in order.

    Returns:
        The same with `induced` and `induced_slope`, currency, of channels that cause
        some; what comes through demand that is not bought is taken from the outcome of
        a horizon. Unchanged where no mediator costs money.
    """
    if not any(price.per_unit for price in prices):
        return view
    structure, arrays, beside, _ = planned_periods(model, horizon)
    dtype = arrays.kpi.dtype
    grid = jnp.asarray(view["spend_multiplier"].values, dtype)
    scale = np.broadcast_to(
        units_per_scaled(model)[:, :, None],
        (len(prices), structure.n_geos, structure.n_times),
    )
    names = carrying(model)
    rows = [names.index(str(name)) for name in view[CHANNEL].values]
    order = (DRAW, CHANNEL, "spend_multiplier")
    numbers = {name: view[name].transpose(*order).values.copy() for name in _OUTCOME}
    induced = {name: np.zeros_like(values) for name, values in numbers.items()}
    for place, price in enumerate(prices):
        if not price.per_unit:
            continue
        units = jnp.asarray(scale[place], dtype)
        found = in_chunks(
            lambda some, at=place, units=units: _caused(
                structure, at, arrays, beside, some, grid, units
            ),
            draws,
        )
        own = [np.asarray(each, np.float64)[:, rows] for each in found]
        # What was bought in the data's own periods is a fact.
        share = 1.0 if horizon is None else price.bought
        for name, caused, through in zip(_OUTCOME, own[:2], own[2:], strict=True):
            induced[name] += share * price.per_unit * caused
            numbers[name] -= (1.0 - share) * through
    return view.assign(
        {name: (order, values) for name, values in numbers.items()}
        | {
            "induced": (order, induced["incremental_outcome"]),
            "induced_slope": (order, induced["slope"]),
        }
    )
