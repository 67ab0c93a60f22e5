"""Future: structure and arrays of the model at periods after its data."""

from dataclasses import replace

import jax
import numpy as np

from core.analysis.incremental import MediaBySuffix
from core.data.ahead.horizon import ahead, between
from core.data.input_data import InputData
from core.data.mapping import KINDS
from core.data.scaling import (
    media_median,
    scaled_media,
    scaled_treatment,
    treatment_scale,
)
from core.errors import SpecError
from core.model.build import Model
from core.model.media.group_arrays import media_arrays
from core.model.media.structure import (
    GroupStructure,
    MediaArrays,
    ModelArrays,
    Structure,
)
from core.model.mediation.mediators import at_periods, prefix
from core.model.spec import ModelSpec
from core.model.terms.demand import demand_terms
from core.model.terms.effectiveness import waves
from core.model.terms.linear_terms import linear_terms

#: What no later period has; mediators come in apart.
_ABSENT = {"block": None, "lifts": (), "is_seen": None, "mediators": ()}


def future_model(
    model: Model, future: InputData, *, holds_last_knot: bool = False
) -> tuple[Structure, ModelArrays]:
    """What `core.analysis.incremental` computes with, at other periods.

    Data are in the scale of the model's own data. The baseline over time of a draw
    is `future_mu_t`, not its `mu_t`. Mediators are not in it: see
    `future_with_mediators`.

    Raises:
        SpecError: The baseline is made of knots.
    """
    if not holds_last_knot:
        refuse_knots(model.spec)
    data, dtype = model.data, model.arrays.kpi.dtype
    structure = replace(model.structure, n_times=future.n_times, mediators=())
    # The data's own times decide basis, scale and columns; `at` only evaluates them.
    terms = linear_terms(model.spec, data.times, n_geos=data.n_geos, at=future.times)
    terms += demand_terms(data, model.demand, n_ahead=future.n_times)
    weights = np.zeros((len(model.knots), future.n_times))
    # Level of a structural baseline: one knot; of knots, the last one held.
    weights[-1] = 1.0
    by_population = np.isin(data.control_names, model.spec.population_scaled_controls)
    # Of the fitted data: coefficients are per their standard deviation.
    scale = treatment_scale(data.controls, data.population, by_population)
    value = 1.0 if future.revenue_per_kpi is None else future.revenue_per_kpi
    shape = (data.n_geos, future.n_times)
    arrays = model.arrays._replace(
        kpi=_on_device(np.zeros(shape), dtype),
        outcome_scale=_on_device(
            np.broadcast_to(value, shape) * model.scale.size[:, None] * model.scale.std,
            dtype,
        ),
        groups={
            group.suffix: model.arrays.groups[group.suffix]._replace(
                media=media, counterfactual=None, drift=_drift(model, group, future)
            )
            for group, media in zip(
                structure.groups, media_of(model, future).values(), strict=True
            )
        },
        non_media=_non_media(model, future),
        baseline=model.arrays.baseline._replace(
            knot_weights=_on_device(weights, dtype),
            controls=_on_device(
                scaled_treatment(future.controls, data.population, scale), dtype
            ),
            terms={
                design.structure.name: jax.tree.map(
                    lambda leaf: _on_device(leaf, dtype), design.term
                )
                for design in terms
            },
        ),
        **_ABSENT,
    )
    return structure, arrays


def refuse_knots(spec: ModelSpec) -> None:
    """Refuse a baseline that does not go on after its data.

    Raises:
        SpecError: The baseline is made of knots.
    """
    if not spec.is_structural:
        raise SpecError(
            "This fit's baseline is made of knots, which say nothing about the time "
            "after the last one: it cannot be forecast.",
            hint='Fit with baseline = "structural" (Model screen, Baseline).',
            where="model.baseline",
        )


def media_of(model: Model, future: InputData) -> dict[str, MediaArrays]:
    """Media of later periods in the scale of the data, by group."""
    arrays, people = {}, model.data.population
    for group in model.structure.groups:
        earlier, later = getattr(model.data, group.kind), getattr(future, group.kind)
        units = scaled_media(later.units, people, media_median(earlier.units, people))
        frequency = later.frequency
        arrays[group.suffix] = media_arrays(
            group,
            np.moveaxis(units, 2, 0),
            None if frequency is None else np.moveaxis(frequency, 2, 0),
            future.n_times,
            model.arrays.kpi.dtype,
        )
    return arrays


def _drift(model: Model, group: GroupStructure, future: InputData) -> jax.Array | None:
    """Waves of the effectiveness at later periods; None where nothing drifts."""
    if not group.drifts:
        return None
    design = waves(future.times, model.data.times)
    return _on_device(design, model.arrays.kpi.dtype)


def _non_media(model: Model, future: InputData):
    """Treatments of later periods in the scale of the data."""
    if model.arrays.non_media is None:
        return None
    data, dtype, spec = model.data, model.arrays.kpi.dtype, model.spec
    by_population = np.isin(data.non_media.names, spec.population_scaled_non_media)
    scale = treatment_scale(data.non_media.units, data.population, by_population)
    scaled = scaled_treatment(future.non_media.units, data.population, scale)
    return model.arrays.non_media._replace(
        scaled=_on_device(np.moveaxis(scaled, 2, 0), dtype)
    )


def future_mu_t(structure: Structure, arrays: ModelArrays, draw) -> jax.Array:
    r"""Baseline over time of a draw at later periods: $b_K + \sum_x X_x\gamma_x$.

    Without terms that are noise.
    """
    total = draw["knot_values"] @ arrays.baseline.knot_weights
    for term in structure.shared_terms:
        if not term.is_noise:
            design = arrays.baseline.terms[term.name].design
            total = total + design @ draw[f"gamma_{term.name}"]
    return total


def future_with_mediators(
    model: Model, future: InputData, *, holds_last_knot: bool = False
) -> tuple[Structure, ModelArrays]:
    """`future_model` with the models of the mediators at the same periods.

    A mediator is then what its own model expects, so its planned media, which would
    be last year's, is none. Channels that it shares run as in `future`.

    Raises:
        SpecError: A baseline is made of knots.
    """
    if not model.mediators:
        return future_model(model, future, holds_last_knot=holds_last_knot)
    structure, arrays = future_model(
        model, _without_mediators(model, future), holds_last_knot=holds_last_knot
    )
    parts = [
        future_with_mediators(
            other,
            future_of_mediator(model, future, other),
            holds_last_knot=holds_last_knot,
        )
        for other in model.mediators
    ]
    return at_periods(model, structure, arrays, parts)


def media_with_mediators(model: Model, future: InputData) -> MediaBySuffix:
    """Media of later periods, with that of the models of the mediators."""
    media = media_of(model, _without_mediators(model, future))
    for place, other in enumerate(model.mediators):
        theirs = future_of_mediator(model, future, other)
        media |= {
            prefix(place) + key: numbers
            for key, numbers in media_with_mediators(other, theirs).items()
        }
    return media


def future_of_mediator(model: Model, future: InputData, other: Model) -> InputData:
    """The same later periods for a mediator's model: what both have runs as here.

    Args:
        model: The model.
        future: Its later periods, which follow its data.
        other: The model of a mediator, of the same periods and geos.
    """
    stop = future.n_media_times - model.data.n_media_times
    theirs = between(ahead(other.data, stop), stop - future.n_times, stop)
    changed = {}
    for kind in KINDS[:-1]:
        mine, own = getattr(future, kind), getattr(theirs, kind)
        shared = [name for name in own.names if name in mine.names] if own else []
        if not shared:
            continue
        here = [mine.names.index(name) for name in shared]
        there = [own.names.index(name) for name in shared]
        units = own.units.copy()
        units[:, -stop:, there] = mine.units[:, -stop:, here]
        frequency = own.frequency
        if frequency is not None:
            frequency = frequency.copy()
            frequency[:, -stop:, there] = mine.frequency[:, -stop:, here]
        changed[kind] = replace(own, units=units, frequency=frequency)
    return replace(theirs, **changed)


def _without_mediators(model: Model, future: InputData) -> InputData:
    """Later periods in which mediators are left to their own models."""
    organic = future.organic_media
    if not model.mediators:
        return future
    units = organic.units.copy()
    places = [link.place for link in model.structure.mediators]
    units[:, model.data.n_media_times :, places] = 0.0
    return replace(future, organic_media=replace(organic, units=units))


def _on_device(values: np.ndarray, dtype: np.dtype) -> jax.Array:
    """Numbers as JAX has them; `jnp.asarray` compiles a cast for every shape."""
    return jax.device_put(np.asarray(values, dtype))
