"""Build: from data and options to the structure and arrays of the log density."""

from dataclasses import dataclass, replace
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np

from core.data.input_data import InputData
from core.data.mapping import KINDS, ChannelKind
from core.data.scaling import (
    KpiScale,
    kpi_scale,
    scaled_kpi,
    scaled_treatment,
    sized,
    treatment_scale,
)
from core.model.block.block_columns import block_of
from core.model.compiled.executables import QUICK, persistent
from core.model.holdout import is_seen
from core.model.latents import constrain, n_dims
from core.model.media.filled import Filled, filled
from core.model.media.group_arrays import (
    group_arrays,
    group_structure,
    non_media_arrays,
    treatment_places,
)
from core.model.media.lift import LiftArrays, lift_arrays
from core.model.media.structure import (
    BaselineArrays,
    GroupStructure,
    ModelArrays,
    NonMediaStructure,
    Structure,
)
from core.model.media.treatments import deviation_errors
from core.model.model_latents import latents_and_priors
from core.model.priors import families
from core.model.shares.agreement import check
from core.model.shares.settled import settled
from core.model.shares.totals import totals
from core.model.spec import SUFFIX, ModelSpec
from core.model.terms.automatic_knots import automatic_knots
from core.model.terms.demand import Demand, demand_terms, prior_demand
from core.model.terms.knots import knot_locations, knot_weights
from core.model.terms.linear_terms import TermDesign, linear_terms


@dataclass(frozen=True)
class Model:
    """A model of one market: options, data, and what is compiled of them.

    Attributes:
        spec: The options, what they left open settled by the data.
        data: The market.
        structure: What decides the compilation.
        arrays: What the compiled functions are given.
        scale: KPI units of a scaled KPI of zero and one.
        knots: Zero-based periods of the knots.
        terms: The linear terms, as built.
        demand: Of each paid channel, how likely its spend follows demand, and why.
        mediators: Models of organic channels that others move, see
            `core.model.mediation.mediators`; none while the model is fitted.
        mediator_prices: What a unit of each cost over the data, currency; 0 for
            nothing. Empty where none cost anything.
    """

    spec: ModelSpec
    data: InputData
    structure: Structure
    arrays: ModelArrays
    scale: KpiScale
    knots: np.ndarray
    terms: tuple[TermDesign, ...] = ()
    demand: tuple[Demand, ...] = ()
    mediators: tuple["Model", ...] = ()
    mediator_prices: tuple[float, ...] = ()

    @cached_property
    def filled(self) -> Filled:
        """Structure and arrays as compiled functions are given them.

        With empty periods after the last; see `core.model.media.filled`.
        """
        return filled(self.structure, self.arrays)

    def channels(self, kind: ChannelKind) -> tuple[str, ...]:
        """Names of the channels of one kind."""
        return getattr(self.data, kind).names


def build(data: InputData, spec: ModelSpec, *, precision: str = "float64") -> Model:
    """The model of a market.

    Args:
        data: The market, checked.
        spec: Options and priors.
        precision: Floating point type of the arrays.

    Raises:
        SpecError: Options and data do not fit together; carries every finding.
    """
    spec = _agreed(spec, data)
    scale = kpi_scale(data.kpi, _sizes(spec, data))
    knots = _knots(spec, data, scale)
    demand = prior_demand(spec, data)
    terms = linear_terms(spec, data.times, n_geos=data.n_geos)
    terms += demand_terms(data, demand)
    follows = {one.channel: one.probability for one in demand}
    latents, priors = latents_and_priors(spec, data, len(knots), terms)
    groups = tuple(
        group_structure(spec, data, kind) for kind in KINDS[:-1] if getattr(data, kind)
    )
    non_media = _non_media(spec, data) if data.non_media else None
    structure = Structure(
        n_geos=data.n_geos,
        n_times=data.n_times,
        latents=latents,
        groups=groups,
        non_media=non_media,
        media_effects=spec.media_effects,
        unique_sigma=(spec.unique_sigma_for_each_geo and (not data.is_national)),
        n_controls=len(data.control_names),
        lifts=_lift_places(spec, data),
        terms=tuple(design.structure for design in terms),
    )
    dtype = jnp.dtype(precision)
    arrays = ModelArrays(
        kpi=scaled_kpi(data.kpi, scale),
        is_seen=is_seen(spec.holdout, data),
        outcome_scale=_outcome_scale(data, scale),
        groups={
            group.suffix: group_arrays(spec, data, group, follows, dtype)
            for group in groups
        },
        non_media=non_media_arrays(spec, data) if non_media else None,
        baseline=_baseline_arrays(spec, data, knots, terms),
        block=None,
        priors={name: families.numbers(each) for name, each in priors.items()},
        errors={},
        lifts=_lifts(spec, data, structure, dtype),
    )
    # Gram matrices are sums over cells: in float64, and only then cast.
    arrays = _cast(arrays._replace(block=block_of(structure, arrays)), dtype)
    arrays = _with_errors(structure, arrays)
    return Model(spec, data, structure, arrays, scale, knots, terms, demand)


def _with_errors(structure: Structure, arrays: ModelArrays) -> ModelArrays:
    """The arrays with how well deviations are known, where the sampler asks for it."""
    if not any(latent.spread for latent in structure.latents):
        return arrays
    # Of the filled model, as all that is compiled.
    longer, numbers, _ = filled(structure, arrays)
    return arrays._replace(errors=_errors(longer, numbers))


@persistent(options=QUICK)
def _errors(structure: Structure, arrays: ModelArrays) -> dict[str, jax.Array]:
    """How well deviations are known where every parameter is at its prior median."""
    without = tuple(replace(latent, spread="") for latent in structure.latents)
    start = jnp.zeros(n_dims(without), arrays.kpi.dtype)
    params, _ = constrain(without, start, arrays.priors, {})
    return deviation_errors(structure, arrays, params)


def _non_media(spec: ModelSpec, data: InputData) -> NonMediaStructure:
    return NonMediaStructure(
        n_channels=len(data.non_media),
        treatment=treatment_places(spec, data, "non_media"),
    )


def _agreed(spec: ModelSpec, data: InputData) -> ModelSpec:
    """The options with what they left open settled, checked against the data."""
    spec = settled(spec, totals(data))
    check(spec, data)
    return spec


def _sizes(spec: ModelSpec, data: InputData) -> np.ndarray:
    """Size of each geo: what is one unit of scaled KPI there."""
    if spec.preset == "meridian" or data.is_national:
        return data.population
    return sized(data.kpi, data.population)


def _knots(spec: ModelSpec, data: InputData, scale: KpiScale) -> np.ndarray:
    if spec.is_structural:  # one knot is the level
        return knot_locations(1, data.n_times, is_national=data.is_national)
    if spec.knots != "auto":
        return knot_locations(spec.knots, data.n_times, is_national=data.is_national)
    n_channels = sum(len(getattr(data, kind)) for kind in KINDS)
    return automatic_knots(
        scaled_kpi(data.kpi, scale),
        is_seen(spec.holdout, data),
        n_channels + len(data.control_names),
    )


def _lift_places(
    spec: ModelSpec, data: InputData
) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Group suffix and place of every channel of each experiment."""
    places = {
        name: (SUFFIX[kind], place)
        for kind in KINDS[:-1]
        for place, name in enumerate(getattr(data, kind).names)
    }
    return tuple(
        tuple(places[name] for name in test.channels) for test in spec.experiments
    )


def _lifts(
    spec: ModelSpec, data: InputData, structure: Structure, dtype
) -> tuple[LiftArrays, ...]:
    """Numbers of each experiment."""
    groups = structure.groups
    return tuple(
        lift_arrays(
            data,
            tuple((_group(groups, suffix), place) for suffix, place in channels),
            test,
            dtype,
        )
        for channels, test in zip(structure.lifts, spec.experiments, strict=True)
    )


def _group(groups: tuple[GroupStructure, ...], suffix: str) -> GroupStructure:
    return next(group for group in groups if group.suffix == suffix)


def _outcome_scale(data: InputData, scale: KpiScale) -> np.ndarray:
    """Outcome per unit of scaled KPI: revenue per KPI x size of the geo x std."""
    value = 1.0 if data.revenue_per_kpi is None else data.revenue_per_kpi
    return np.broadcast_to(value, data.kpi.shape) * (scale.size[:, None] * scale.std)


def _baseline_arrays(
    spec: ModelSpec,
    data: InputData,
    knots: np.ndarray,
    terms: tuple[TermDesign, ...],
) -> BaselineArrays:
    by_population = np.isin(data.control_names, spec.population_scaled_controls)
    scale = treatment_scale(data.controls, data.population, by_population)
    if spec.baseline_geo is None:
        # The largest: its level is known best, and others are deviations from it.
        baseline_geo = int(np.argmax(data.population))
    else:
        baseline_geo = data.geos.index(spec.baseline_geo)
    others = np.delete(np.arange(data.n_geos), baseline_geo)
    index = np.zeros(data.n_geos, dtype=np.int32)
    index[others] = np.arange(len(others))
    is_free = np.ones(data.n_geos)
    is_free[baseline_geo] = 0.0
    return BaselineArrays(
        knot_weights=knot_weights(knots, data.n_times),
        controls=scaled_treatment(data.controls, data.population, scale),
        tau_is_free=is_free,
        tau_index=index,
        terms={design.structure.name: design.term for design in terms},
    )


def _cast(arrays: ModelArrays, dtype) -> ModelArrays:
    """Every float array in the run's precision, every integer array as it is."""

    def cast(leaf):
        is_float = np.issubdtype(leaf.dtype, np.floating)
        # A copy, so that the device may take its memory as it is.
        return np.array(leaf, dtype if is_float else None)

    # Not `jnp.asarray`, which compiles a copy for every shape that it meets.
    return jax.device_put(jax.tree.map(cast, arrays))
