r"""Tested: lift tests of channels that work through mediators measure totals.

What a test changed is what it changed directly, and what the mediators that it changed
bring. The mediators' models were fitted before, so that a fit of this one takes the
test's likelihood as its mean over draws of theirs (`core.model.media.lift.ByWay`), and
a draw of it goes with one of theirs in proportion to how well the two agree with the
tests:

    P(s | a) \propto \prod_j p(result_j | I_j(a) + k_j(a) . M_{js})

which together are draws of both models' posterior with the tests.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.model.latents import Params
from core.model.media.carried import carried_on
from core.model.media.lift import (
    STEMS,
    ByWay,
    lift,
    lift_log_densities,
    tested_in,
    with_mediated,
)
from core.model.media.structure import ModelArrays, Structure
from core.model.media.treatments import media_transformed
from core.model.mediation.mediators import draws_of


def changed_by_tests(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> list[Float[Array, "geo time"]]:
    """What each lift test changed in each cell, in total; outcome units.

    Args:
        structure: Static, with the mediators.
        arrays: Data.
        draw: One draw's posterior variables, with those of the mediators' models.
    """
    total = [jnp.zeros_like(arrays.outcome_scale) for _ in structure.lifts]
    for group in structure.groups:
        tested = tested_in(group, structure)
        if not tested:
            continue
        own = arrays.groups[group.suffix]
        media = media_transformed(group, own.media, own, draw, structure.n_times)
        effects = draw[f"beta_g{group.suffix}"].T
        numbers = (media, effects, own, draw, arrays.outcome_scale)
        for each in tested:
            total[each.which] += lift(group, each, arrays.lifts[each.which], *numbers)
    for place, link in enumerate(structure.mediators):
        theirs = draws_of(place, draw)
        caused = changed_by_tests(link.structure, arrays.mediators[place], theirs)
        for which, is_moved in enumerate(_moved(link.structure)):
            if is_moved:
                some = caused[which][None]
                total[which] += carried_on(structure, link, arrays, draw, some)[0]
    return total


def _moved(structure: Structure) -> list[bool]:
    """Of each test of a model, whether it moves a mediator of it."""
    own = [bool(channels) for channels in structure.lifts]
    further = [_moved(link.structure) for link in structure.mediators]
    return [any(each) for each in zip(own, *further, strict=True)]


def with_tests_by_way(model: Model, whole: Model, draws: dict[str, Any]) -> Model:
    """A model to be fitted, whose lift tests count what came by way of mediators.

    Args:
        model: The model alone.
        whole: The same with its mediators.
        draws: Of the mediators' models, by the names that they have in those of the
            whole; draws first.

    Returns:
        The model as it is where no test moves a mediator.
    """
    links = whole.structure.mediators
    moved = np.array([_moved(link.structure) for link in links]).any(axis=0)
    if not moved.any():
        return model
    caused = in_chunks(lambda some: _caused(whole.structure, whole.arrays, some), draws)
    lifts = tuple(
        test._replace(by_way=_in_cells(test.where, [own[which] for own in caused]))
        if moved[which]
        else test
        for which, test in enumerate(model.arrays.lifts)
    )
    return replace(
        model,
        structure=replace(model.structure, tested=links),
        arrays=model.arrays._replace(lifts=lifts),
    )


def _in_cells(where: Array, caused: list[np.ndarray]) -> ByWay:
    cells = np.flatnonzero(np.asarray(where))
    media = tuple(jnp.asarray(each.reshape(len(each), -1)[:, cells]) for each in caused)
    return ByWay(jnp.asarray(cells, jnp.int32), media)


@persistent()
def _caused(structure, arrays, draws):
    """What each test changed of each mediator, in scaled media."""

    def of_draw(draw):
        return [
            changed_by_tests(
                link.structure, arrays.mediators[place], draws_of(place, draw)
            )
            for place, link in enumerate(structure.mediators)
        ]

    return jax.lax.map(of_draw, draws, batch_size=16)


def log_densities_by_pair(
    model: Model, draws: Mapping[str, np.ndarray]
) -> Float[np.ndarray, "draw other"]:
    """Log density of the tests' results, for each draw with each of the mediators'.

    Args:
        model: What `with_tests_by_way` gives.
        draws: Posterior variables of the model, draws first.
    """
    arrays = model.arrays._replace(block=None)
    needed = {name: draws[name] for name in _needed(model) if name in draws}
    pairs = in_chunks(lambda some: _by_pair(model.structure, arrays, some), needed)
    return np.asarray(pairs, np.float64)


def _needed(model: Model) -> set[str]:
    """Names of what the tests' channels and the mediators take."""
    structure = model.structure
    suffixes = {suffix for test in structure.lifts for suffix, _ in test}
    suffixes |= {link.suffix for link in structure.tested}
    names = {f"{stem}_{x}" for stem in STEMS for x in suffixes} | {"xi_drift"}
    return names | {f"beta_g{x}" for x in suffixes}


@persistent()
def _by_pair(structure, arrays, draws):
    def of_draw(draw):
        alone = changed_by_tests(structure, arrays, draw)
        lifts = [
            (changed * test.where).sum()
            for changed, test in zip(alone, arrays.lifts, strict=True)
        ]
        lifts = with_mediated(structure, arrays, draw, lifts)
        return lift_log_densities(lifts, arrays.lifts)

    return jax.lax.map(of_draw, draws, batch_size=16)
