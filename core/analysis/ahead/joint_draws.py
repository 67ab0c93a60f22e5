"""Joint draws: those of a fit beside those of the fits of its mediators.

At random, or, where lift tests moved a mediator, by how well each pair agrees with
them (`core.model.mediation.mediators`).
"""

from collections.abc import Sequence

import xarray as xr

from core.analysis.draws import flat_draws
from core.dims import DRAW
from core.fit.paired import alone, paired, paired_by
from core.model.build import Model
from core.model.mediation.mediators import (
    log_densities_by_pair,
    prefix,
    with_tests_by_way,
)

#: Draws of mediators' fits that the likelihood of a lift test is averaged over.
MIXED = 256


def as_tested(
    model: Model, whole: Model, others: Sequence[xr.Dataset], seed: int
) -> Model:
    """A model to be fitted, whose lift tests count what came by way of mediators.

    Args:
        model: The model alone.
        whole: The same with its mediators.
        others: Posteriors of the mediators' fits, in order; dims chain, draw, ...
        seed: Of the pairing of these with each other.
    """
    some = alone(_named(others), seed).isel({DRAW: slice(MIXED)})
    return with_tests_by_way(model, whole, flat_draws(some))


def joint_draws(
    model: Model,
    whole: Model,
    posterior: xr.Dataset,
    others: Sequence[xr.Dataset],
    seed: int,
) -> xr.Dataset:
    """A posterior with the draws of the mediators' fits beside its own.

    Args:
        model: As it was fitted.
        whole: The same with its mediators; needed where tests moved one.
        posterior: Dims chain, draw, ...
        others: Posteriors of the mediators' fits, in order; dims chain, draw, ...
        seed: Of the pairing.
    """
    if model.structure.tested:
        beside = alone(_named(others), seed)
        every = with_tests_by_way(model, whole, flat_draws(beside))
        pairs = log_densities_by_pair(every, flat_draws(posterior))
        return paired_by(posterior, beside, pairs, seed)
    for name, other in _named(others):
        posterior = paired(posterior, other, name, seed)
    return posterior


def _named(others: Sequence[xr.Dataset]) -> list[tuple[str, xr.Dataset]]:
    return [(prefix(place), other) for place, other in enumerate(others)]
