r"""Mediators ahead: what a mediator will be is what its own model forecasts.

    sales_t = baseline_t + sum_c direct_ct + (beta_M carryover of searches)_t + n_t
    searches_t = baseline_t + sum_c media_ct + noise_t           (the other model)

so the forecast has the errors of both models, and a channel that is planned to run
more moves the searches as well. Equations are for one draw with that of the mediators'
models (`core.model.mediation.mediators.draws_of`).
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.ahead.future import future_mu_t
from core.analysis.checking.residual import demand_noise, later_noise
from core.analysis.incremental import expected_outcome, incremental_outcome
from core.model.build import Model
from core.model.latents import Params
from core.model.media.carried import carried_on
from core.model.media.structure import ModelArrays, Structure
from core.model.mediation.mediators import draws_of, prefix, row_of

#: Noise of a mediator's model, among the draws that a forecast is made with.
_NOISE = "noise_ahead"


class Zeros(NamedTuple):
    """How far below zero on the scaled KPI no KPI lies, of a model and its mediators.

    Attributes:
        own: Of the model.
        mediators: Of the mediators' models, in order.
    """

    own: Float[Array, ""]
    mediators: tuple["Zeros", ...]


def kpi_zeros(model: Model) -> Zeros:
    """`Zeros` of a model."""
    zero = np.asarray(model.scale.mean / model.scale.std, model.arrays.kpi.dtype)
    return Zeros(zero, tuple(kpi_zeros(other) for other in model.mediators))


def noise_of(
    model: Model, draws: dict[str, np.ndarray], times: np.ndarray, seed: int
) -> Float[np.ndarray, "draw geo time"]:
    """Noise of later periods, scaled KPI; drawn outside of JAX.

    So another horizon compiles nothing for its noise.
    """
    noise = later_noise(model, draws, times, seed)
    return noise + demand_noise(model, draws, len(times), seed)


def noise_of_mediators(
    model: Model, draws: dict[str, np.ndarray], times: np.ndarray, seed: int
) -> dict[str, np.ndarray]:
    """Noise of the mediators' models, as further draws."""
    drawn = {}
    for place, other in enumerate(model.mediators):
        own = draws_of(place, draws)
        # Another seed for each: the errors of two models are no copies of each other.
        other_seed = seed + 1 + place
        noise = noise_of(other, own, times, other_seed)
        drawn[f"{prefix(place)}{_NOISE}"] = noise.astype(model.arrays.kpi.dtype)
        nested = noise_of_mediators(other, own, times, other_seed)
        drawn |= {f"{prefix(place)}{name}": values for name, values in nested.items()}
    return drawn


def at_later_periods(structure: Structure, arrays: ModelArrays, draw: Params) -> Params:
    """A draw with the baseline over time of later periods, of mediators too."""
    draw = draw | {"mu_t": future_mu_t(structure, arrays, draw)}
    for place, link in enumerate(structure.mediators):
        theirs = at_later_periods(
            link.structure, arrays.mediators[place], draws_of(place, draw)
        )
        draw |= {f"{prefix(place)}{name}": value for name, value in theirs.items()}
    return draw


def expected_ahead(
    structure: Structure, arrays: ModelArrays, draw: Params, zeros: Zeros
) -> Float[Array, "geo time"]:
    """Expected outcome of later periods, mediators as their own models expect them."""
    total = expected_outcome(structure, arrays, draw, zeros.own)
    for _, through in _whole_mediators(structure, arrays, draw, zeros):
        total = total + through
    return total


def incremental_ahead(
    structure: Structure, arrays: ModelArrays, draw: Params, zeros: Zeros
) -> Float[Array, "channel geo time"]:
    """Outcome of every treatment of later periods; of mediators what is left."""
    total = incremental_outcome(structure, arrays, draw)
    for row, through in _whole_mediators(structure, arrays, draw, zeros):
        total = total.at[row].add(through)
    return total


def noise_carried_on(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    """Outcome of what mediators' noise moves; draws of `noise_of_mediators` needed."""
    total = jnp.zeros_like(arrays.outcome_scale)
    for place, link in enumerate(structure.mediators):
        theirs, numbers = draws_of(place, draw), arrays.mediators[place]
        noise = theirs[_NOISE] * numbers.outcome_scale
        noise = noise + noise_carried_on(link.structure, numbers, theirs)
        total = total + carried_on(structure, link, arrays, draw, noise[None])[0]
    return total


def _whole_mediators(
    structure: Structure, arrays: ModelArrays, draw: Params, zeros: Zeros
):
    """Rows of mediators, and what each of them brings in later periods."""
    for place, link in enumerate(structure.mediators):
        expected = expected_ahead(
            link.structure,
            arrays.mediators[place],
            draws_of(place, draw),
            zeros.mediators[place],
        )
        brought = carried_on(structure, link, arrays, draw, expected[None])[0]
        yield row_of(structure, link), brought
