"""Carried: how much of a channel's total effect is felt at each lag.

What comes through a mediator has carried over twice: until the channel has moved the
mediator, and until the mediator has moved the KPI.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import direct_outcome, over_draws, through_mediator
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.model.latents import Params
from core.model.media.structure import ModelArrays, Structure
from core.model.media.treatments import carryover
from core.model.mediation.mediators import draws_of


def carried_in_total(
    model: Model, draws: dict[str, np.ndarray]
) -> Float[np.ndarray, "channel lag"]:
    """Share of the total effect at each lag, the mean over draws.

    Args:
        model: With its mediators.
        draws: Posterior variables, draws first, with those of the mediators.
    """
    arrays = model.arrays._replace(block=None)
    shares = in_chunks(lambda some: _by_lag(model.structure, arrays, some), draws)
    return np.asarray(shares, np.float64).mean(axis=0)


@persistent()
def _by_lag(structure, arrays, draws):
    return over_draws(lambda draw: by_lag(structure, arrays, draw), draws)


def by_lag(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel lag"]:
    """Of one draw; a channel without any effect has none at any lag."""
    direct = direct_outcome(structure, arrays, draw).sum(axis=(1, 2))
    weights = [
        carryover(group, arrays.groups[group.suffix].window, draw)
        for group in structure.groups
    ]
    length = n_lags(structure)
    parts = jnp.concatenate([_to(length, each) for each in weights]) * direct[:, None]
    for place, link in enumerate(structure.mediators):
        theirs = by_lag(link.structure, arrays.mediators[place], draws_of(place, draw))
        window = arrays.groups[link.suffix].window
        onward = carryover(link.group, window, draw)[link.place]
        both = jax.vmap(lambda own, onward=onward: jnp.convolve(own, onward))(
            theirs[jnp.array(link.theirs, int)]
        )
        through = through_mediator(structure, arrays, draw, place).sum(axis=(1, 2))
        parts = parts.at[jnp.array(link.ours, int)].add(
            _to(length, both) * through[:, None]
        )
    total = parts.sum(axis=1, keepdims=True)
    return jnp.where(total != 0, parts / jnp.where(total != 0, total, 1.0), 0.0)


def n_lags(structure: Structure) -> int:
    """Periods in which any channel is felt, by way of mediators as well."""
    own = [group.n_lags for group in structure.groups]
    through = [
        n_lags(link.structure) + link.group.n_lags - 1 for link in structure.mediators
    ]
    return max(own + through)


def _to(
    length: int, weights: Float[Array, "channel some"]
) -> Float[Array, "channel {length}"]:
    return jnp.pad(weights, ((0, 0), (0, length - weights.shape[1])))
