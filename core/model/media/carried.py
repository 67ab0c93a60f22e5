"""Carried: what some of a mediator brings, an organic channel that others move.

A mediator does not saturate, so that what a part of it brings does not depend on the
rest, and what a unit brings is one number per geo and period.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.latents import Params
from core.model.media.adstock import adstock, lagged
from core.model.media.structure import MediatorStructure, ModelArrays, Structure
from core.model.media.treatments import carryover, effectiveness_of


def carried_on(
    structure: Structure,
    link: MediatorStructure,
    arrays: ModelArrays,
    draw: Params,
    mediator: Float[Array, "channel geo time"],
) -> Float[Array, "channel geo time"]:
    """Outcome of some of a mediator, in the units of scaled media.

    With the mediator's carryover, coefficient and drift; linear, as it does not
    saturate.
    """
    group = link.group
    numbers = arrays.groups[group.suffix]
    weights = carryover(group, numbers.window, draw)[link.place]
    lags = lagged(mediator, group.n_lags, structure.n_times)
    works = adstock(lags, jnp.broadcast_to(weights, (len(mediator), group.n_lags)))
    effect = draw[f"beta_g{group.suffix}"][:, link.place, None] * arrays.outcome_scale
    if group.drifts:
        effect = effect * effectiveness_of(group, numbers, draw)[link.place]
    return works * effect


def per_mediator(
    structure: Structure,
    link: MediatorStructure,
    arrays: ModelArrays,
    draw: Params,
    where: Float[Array, "geo time"] | None = None,
) -> Float[Array, "geo time"]:
    """Outcome, in and after a period, per unit of scaled media of a mediator in it.

    The transpose of `carried_on`.

    Args:
        structure: Static.
        link: The mediator.
        arrays: Data.
        draw: One posterior draw.
        where: Weight of each cell's outcome; all of them where not given.
    """
    counted = 1.0 if where is None else where

    def outcome(mediator):
        each = carried_on(structure, link, arrays, draw, mediator[None])
        return (each * counted).sum()

    return jax.grad(outcome)(jnp.zeros_like(arrays.outcome_scale))
