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
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from core.data.mapping import KINDS
from core.data.scaling import media_median
from core.errors import SpecError
from core.model.build import Model
from core.model.inputs.experiment import Experiment
from core.model.media.lift import LiftArrays, lift_arrays
from core.model.media.structure import (
    MediatorStructure,
    ModelArrays,
    Structure,
)

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


def seeing(model: Model, tests: Sequence[Experiment]) -> Model:
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
    return other.data.population * other.scale.std / (people * median)


def units_per_scaled(model: Model) -> Float[np.ndarray, "mediator geo"]:
    """Units of each mediator per unit of its scaled media."""
    units, people = model.data.organic_media.units, model.data.population
    median = media_median(units, people)
    places = [link.place for link in model.structure.mediators]
    return np.array([people * median[place] for place in places])
