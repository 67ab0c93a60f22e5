"""The model's outcome of weeks and its concave ceiling, differentiated automatically.

What the derivatives by hand of `core.plan.response.felt` are held against.
"""

from functools import partial

import jax
import jax.numpy as jnp

from core.analysis.incremental import treatment_outcome
from core.model.media.adstock import adstock, lagged
from core.model.media.saturation import hill, saturate
from core.model.media.treatments import (
    carryover,
    effectiveness_of,
    half_saturation,
)
from core.plan.response.weeks import media_of


@partial(jax.jit, static_argnums=0)
def ranked(structure, arrays, bought, draws, spend, floor, ranks, others):
    """Weighted sum of the sorted draws' outcomes, and its gradient."""

    def objective(spend):
        media = media_of(structure, bought, spend, arrays.kpi.dtype)

        def of_draw(draw):
            return treatment_outcome(structure, arrays, draw, media).sum()

        return jnp.sort(jax.vmap(of_draw)(draws) - others) @ ranks

    return jax.value_and_grad(objective)(spend + floor)


@partial(jax.jit, static_argnums=0)
def ranked_ceiling(structure, arrays, bought, draws, found, spend, ranks, others):
    """The same of the draws' concave ceilings."""

    def objective(spend):
        media = media_of(structure, bought, spend, arrays.kpi.dtype)

        def of_draw(draw, bent):
            return ceiling(structure, arrays, draw, bent, media)

        return jnp.sort(jax.vmap(of_draw)(draws, found) - others) @ ranks

    return jax.value_and_grad(objective)(spend)


def ceiling(structure, arrays, draw, found, media):
    """Outcome of one draw, nowhere below the true one and concave in spend."""
    total = jnp.zeros((), arrays.kpi.dtype)
    for group in structure.groups:
        x, bent = group.suffix, found[group.suffix]
        effects = draw[f"beta_g{x}"].T[:, :, None]
        weights = carryover(group, arrays.groups[x].window, draw)
        given = media[x]
        if group.by_reach:
            ec = half_saturation(group, arrays.groups[x], draw)
            slope = draw[f"slope_{x}"]
            felt = given.units * saturate(group.saturation, given.frequency, ec, slope)
        else:
            carried = given.units
            if not group.saturates_first:
                carried = adstock(given.lags, weights)
            ec = half_saturation(group, arrays.groups[x], draw)
            curve = hill(jnp.maximum(carried, bent.touch), ec, draw[f"slope_{x}"])
            felt = _ceiling(group, curve, bent, carried, effects)
        if group.by_reach or group.saturates_first:
            felt = adstock(lagged(felt, group.n_lags, structure.n_times), weights)
        if group.drifts:
            over_time = effectiveness_of(group, arrays.groups[x], draw)
            felt = felt * over_time[:, None, :]
        total = total + (effects * felt * arrays.outcome_scale).sum()
    return total


def _ceiling(group, curve, bent, media, effects):
    line = bent.value + bent.slope * (media - bent.touch)
    above = jnp.where(media < bent.touch, line, curve)
    below = bent.least_value + bent.chord * (media - bent.least)
    felt = jnp.where(effects < 0, below, above)
    linear = jnp.array([kind == "none" for kind in group.saturation])
    return jnp.where(linear[:, None, None], media, felt)
