r"""Mediators: organic channels that are the KPI of another model, a step on the way.

Where television makes people search and searches sell, the searches are an organic
channel of the model of sales and the KPI of a model of their own. Given the mediator,
which is observed, the likelihood is a product of the two models':

    p(sales, searches | ...) = p(sales | searches, media, a) p(searches | media, b)

so that with independent priors of a and b two ordinary fits, their draws paired at
random, are the joint posterior. What a channel brings is what it brings directly, and
what the searches that it causes bring:

    \mathrm{total}_{cgt} = \beta_{gc}\tilde m_{gct}
        + \beta_{gM} \sum_\ell w_\ell\, \Delta_{cg,t-\ell} / (p_g\, \mathrm{med}_M)

with \Delta the incremental mediator of channel c in the other model (KPI units), p the
population and med the median by which the mediator is scaled as media.

References:
    Google Meridian, demo notebook on full-funnel models (`AnalyzerFullFunnel`).

Tested: lift tests of channels that work through mediators measure totals.

What a test changed is what it changed directly, and what the mediators that it changed
bring. The mediators' models were fitted before, so that a fit of this one takes the
test's likelihood as its mean over draws of theirs (`core.model.media.lift.ByWay`), and
a draw of it goes with one of theirs in proportion to how well the two agree with the
tests:

    P(s | a) \propto \prod_j p(result_j | I_j(a) + k_j(a) . M_{js})

which together are draws of both models' posterior with the tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.data.experiments.entry import Entry
from core.data.mapping import KINDS
from core.data.scaling import media_median
from core.errors import SpecError
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.model.latents import Params
from core.model.media.carried import carried_on
from core.model.media.lift import (
    STEMS,
    ByWay,
    LiftArrays,
    lift,
    lift_arrays,
    lift_log_densities,
    tested_in,
    with_mediated,
)
from core.model.media.structure import MediatorStructure, ModelArrays, Structure
from core.model.media.treatments import media_transformed

_KIND, _SUFFIX = "organic_media", "om"


def prefix(place: int) -> str:
    """What the draws of a mediator's model are called by in those of this one."""
    return f"through{place}_"


def draws_of(place: int, draws: Mapping[str, Any]) -> dict[str, Any]:
    """The draws, or the media, of a mediator's model, by its own names."""
    start = prefix(place)
    return {
        name.removeprefix(start): values
        for name, values in draws.items()
        if name.startswith(start)
    }


def with_mediators(model: Model, mediators: Sequence[tuple[str, Model]]) -> Model:
    """A fitted model that knows the models of its mediators.

    Args:
        model: The model.
        mediators: Names of organic channels, and the models whose KPI they are.

    Raises:
        SpecError: A mediator is no organic channel without saturation.
    """
    links = []
    mediators = [
        (name, seeing(other, model.spec.experiments)) for name, other in mediators
    ]
    for name, other in mediators:
        names = model.channels(_KIND)
        if name not in names or model.spec.channel(name).saturation != "none":
            raise SpecError(
                f"{name} is no organic channel without saturation.",
                hint="Name it as mediator in [[funnel]], which makes it one.",
                where=name,
            )
        ours, theirs = carrying(model), carrying(other)
        shared = [each for each in ours if each in theirs and each != name]
        links.append(
            MediatorStructure(
                next(x for x in model.structure.groups if x.suffix == _SUFFIX),
                names.index(name),
                other.structure,
                tuple(ours.index(each) for each in shared),
                tuple(theirs.index(each) for each in shared),
            )
        )
    model = replace(
        model,
        structure=replace(model.structure, mediators=tuple(links)),
        mediators=tuple(other for _, other in mediators),
    )
    parts = [(other.structure, other.arrays) for other in model.mediators]
    structure, arrays = at_periods(model, model.structure, model.arrays, parts)
    return replace(model, structure=structure, arrays=arrays)


def seeing(model: Model, tests: Sequence[Entry]) -> Model:
    """A mediator's model that knows the tests of the model whose mediator it is.

    Instead of its own, which are in its draws.

    Args:
        model: The mediator's, with its own mediators.
        tests: Their channels need not be channels there.
    """
    places = tuple(
        tuple(
            (group, names.index(channel))
            for channel in test.channels
            for group in model.structure.groups
            if channel in (names := model.channels(group.kind))
        )
        for test in tests
    )
    dtype = model.arrays.kpi.dtype
    lifts = tuple(
        _on_device(lift_arrays(model.data, own, test, dtype), dtype)
        for own, test in zip(places, tests, strict=True)
    )
    before = tuple(seeing(other, tests) for other in model.mediators)
    links = tuple(
        replace(link, structure=other.structure)
        for link, other in zip(model.structure.mediators, before, strict=True)
    )
    numbers = tuple(
        own._replace(lifts=other.arrays.lifts)
        for own, other in zip(model.arrays.mediators, before, strict=True)
    )
    tested = tuple(
        tuple((group.suffix, place) for group, place in own) for own in places
    )
    return replace(
        model,
        structure=replace(model.structure, lifts=tested, mediators=links),
        arrays=model.arrays._replace(lifts=lifts, mediators=numbers),
        mediators=before,
    )


def _on_device(lifts: LiftArrays, dtype) -> LiftArrays:
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), lifts)


def at_periods(
    model: Model,
    structure: Structure,
    arrays: ModelArrays,
    parts: Sequence[tuple[Structure, ModelArrays]],
) -> tuple[Structure, ModelArrays]:
    """Structure and arrays of some periods, with those of the mediators' models.

    Args:
        model: The model, with its mediators.
        structure: Of it at the periods.
        arrays: Of it at the periods.
        parts: Structure and arrays of each mediator's model at the same periods.
    """
    links = tuple(
        replace(link, structure=theirs)
        for link, (theirs, _) in zip(model.structure.mediators, parts, strict=True)
    )
    scaled = tuple(
        _in_media_units(_media_per_scaled_kpi(model, link, other), theirs, numbers)
        for link, other, (theirs, numbers) in zip(
            links, model.mediators, parts, strict=True
        )
    )
    return replace(structure, mediators=links), arrays._replace(mediators=scaled)


def carrying(model: Model) -> list[str]:
    """Names of the channels that carry over, in the groups' order."""
    return [name for kind in KINDS[:-1] for name in model.channels(kind)]


def mediator_names(model: Model) -> tuple[str, ...]:
    """Names of the mediators, in order."""
    names = model.channels(_KIND)
    return tuple(names[link.place] for link in model.structure.mediators)


def row_of(structure: Structure, link: MediatorStructure) -> int:
    """Place of a mediator among the channels that carry over."""
    first = 0
    for group in structure.groups:
        if group.suffix == link.suffix:
            break
        first += group.n_channels
    return first + link.place


def _in_media_units(
    scale: Float[np.ndarray, " geo"], structure: Structure, arrays: ModelArrays
) -> ModelArrays:
    """Arrays of a mediator's model whose outcome is scaled media of the other one."""
    shape = (structure.n_geos, structure.n_times)
    scaled = np.broadcast_to(scale[:, None], shape)
    return arrays._replace(outcome_scale=jnp.asarray(scaled, arrays.kpi.dtype))


def _media_per_scaled_kpi(
    model: Model, link: MediatorStructure, other: Model
) -> Float[np.ndarray, " geo"]:
    units, people = model.data.organic_media.units, model.data.population
    median = media_median(units, people)[link.place]
    return other.scale.size * other.scale.std / (people * median)


def units_per_scaled(model: Model) -> Float[np.ndarray, "mediator geo"]:
    """Units of each mediator per unit of its scaled media."""
    units, people = model.data.organic_media.units, model.data.population
    median = media_median(units, people)
    places = [link.place for link in model.structure.mediators]
    return np.array([people * median[place] for place in places])


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
