"""Build: from data and options to the structure and arrays of the log density."""

from dataclasses import dataclass

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
    treatment_scale,
)
from core.model import families
from core.model.agreement import check
from core.model.automatic_knots import automatic_knots
from core.model.demand import Demand, decided_demand, demand_terms
from core.model.group_arrays import (
    group_arrays,
    group_structure,
    non_media_arrays,
    treatment_places,
)
from core.model.holdout import is_seen
from core.model.knots import knot_locations, knot_weights
from core.model.latents import Latent
from core.model.lift import lift_arrays
from core.model.linear_block import Designs, linear_block
from core.model.linear_terms import TermDesign, deviations, linear_terms
from core.model.model_latents import latents_and_priors
from core.model.spec import SUFFIX, ModelSpec
from core.model.structure import (
    BaselineArrays,
    GroupStructure,
    ModelArrays,
    NonMediaStructure,
    Structure,
)


@dataclass(frozen=True)
class Model:
    """A model of one market: options, data, and what is compiled of them.

    Attributes:
        spec: The options, as given.
        data: The market.
        structure: What decides the compilation.
        arrays: What the compiled functions are given.
        scale: KPI units of a scaled KPI of zero and one.
        knots: Zero-based periods of the knots.
        terms: The linear terms, as built.
        demand: Of each paid channel, whether its spend follows demand, and why.
    """

    spec: ModelSpec
    data: InputData
    structure: Structure
    arrays: ModelArrays
    scale: KpiScale
    knots: np.ndarray
    terms: tuple[TermDesign, ...] = ()
    demand: tuple[Demand, ...] = ()

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
    check(spec, data)
    scale = kpi_scale(data.kpi, data.population)
    knots = _knots(spec, data, scale)
    demand = decided_demand(spec, data)
    terms = linear_terms(spec, data.times, n_geos=data.n_geos)
    terms += demand_terms(data, demand)
    latents, priors = latents_and_priors(spec, data, len(knots), terms)
    groups = tuple(
        group_structure(spec, data, kind) for kind in KINDS[:-1] if getattr(data, kind)
    )
    non_media = _non_media(spec, data, latents) if data.non_media else None
    structure = Structure(
        n_geos=data.n_geos,
        n_times=data.n_times,
        latents=latents,
        groups=groups,
        non_media=non_media,
        media_effects=spec.media_effects,
        unique_sigma=_unique_sigma(spec, data),
        n_controls=len(data.control_names),
        lifts=_lift_places(spec, data),
        terms=tuple(design.structure for design in terms),
    )
    numbers = {name: families.numbers(rows) for name, rows in priors.items()}
    dtype = jnp.dtype(precision)
    arrays = ModelArrays(
        kpi=scaled_kpi(data.kpi, data.population, scale),
        is_seen=is_seen(spec.holdout, data),
        outcome_scale=_outcome_scale(data, scale),
        groups={
            group.suffix: group_arrays(spec, data, group, dtype) for group in groups
        },
        non_media=non_media_arrays(spec, data) if non_media else None,
        baseline=_baseline_arrays(spec, data, knots, terms),
        block=None,
        priors=numbers,
        lifts=tuple(
            lift_arrays(data, _group(groups, suffix), place, test, dtype)
            for (suffix, place), test in zip(
                structure.lifts, spec.experiments, strict=True
            )
        ),
    )
    arrays = _cast(arrays._replace(block=_block(structure, arrays)), dtype)
    return Model(spec, data, structure, arrays, scale, knots, terms, demand)


def _non_media(
    spec: ModelSpec, data: InputData, latents: tuple[Latent, ...]
) -> NonMediaStructure:
    return NonMediaStructure(
        n_channels=len(data.non_media),
        treatment=treatment_places(spec, data, "non_media"),
        in_block=_role(latents, "gamma_gn_dev") == "integrated",
    )


def _knots(spec: ModelSpec, data: InputData, scale: KpiScale) -> np.ndarray:
    if spec.is_structural:  # one knot is the level
        return knot_locations(1, data.n_times, is_national=data.is_national)
    if spec.knots != "auto":
        return knot_locations(spec.knots, data.n_times, is_national=data.is_national)
    n_channels = sum(len(getattr(data, kind)) for kind in KINDS)
    return automatic_knots(
        scaled_kpi(data.kpi, data.population, scale),
        is_seen(spec.holdout, data),
        n_channels + len(data.control_names),
    )


def _lift_places(spec: ModelSpec, data: InputData) -> tuple[tuple[str, int], ...]:
    """Group suffix and place of the channel of each experiment."""
    places = {
        name: (SUFFIX[kind], place)
        for kind in KINDS[:-1]
        for place, name in enumerate(getattr(data, kind).names)
    }
    return tuple(places[test.channel] for test in spec.experiments)


def _group(groups: tuple[GroupStructure, ...], suffix: str) -> GroupStructure:
    return next(group for group in groups if group.suffix == suffix)


def _role(latents: tuple[Latent, ...], name: str) -> str | None:
    return next((latent.role for latent in latents if latent.name == name), None)


def _unique_sigma(spec: ModelSpec, data: InputData) -> bool:
    return spec.unique_sigma_for_each_geo and not data.is_national


def _outcome_scale(data: InputData, scale: KpiScale) -> np.ndarray:
    """Outcome per unit of scaled KPI: revenue per KPI x population x std."""
    value = 1.0 if data.revenue_per_kpi is None else data.revenue_per_kpi
    return np.broadcast_to(value, data.kpi.shape) * (
        data.population[:, None] * scale.std
    )


def _baseline_arrays(
    spec: ModelSpec,
    data: InputData,
    knots: np.ndarray,
    terms: tuple[TermDesign, ...],
) -> BaselineArrays:
    by_population = np.isin(data.control_names, spec.population_scaled_controls)
    scale = treatment_scale(data.controls, data.population, by_population)
    if spec.baseline_geo is None:
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


def _block(structure: Structure, arrays: ModelArrays):
    """Designs, prior precision and prior mean of what is integrated out."""
    n_geos, n_times = structure.n_geos, structure.n_times
    baseline = arrays.baseline
    shared = np.zeros((n_times, 0))
    by_geo = [np.zeros((n_geos, n_times, 0))]
    precision = [np.zeros(0)]
    offset = np.zeros((n_geos, n_times))

    def normal(name: str, size: int) -> np.ndarray:
        rows = np.broadcast_to(
            arrays.priors[name], (size, arrays.priors[name].shape[1])
        )
        precision.append(1.0 / rows[:, 1] ** 2)
        return rows[:, 0] + rows[:, 4]

    if structure.is_integrated("knot_values"):
        shared = baseline.knot_weights.T
        offset = offset + shared @ normal("knot_values", shared.shape[1])
    for one in structure.shared_terms:
        term = baseline.terms[one.name]
        normal(deviations(one.name), len(term.mean))
        shared = np.concatenate([shared, term.design], axis=1)
        offset = offset + term.design @ term.mean
    non_media = np.zeros((n_geos, n_times, 0))
    if arrays.non_media is not None:
        non_media = np.moveaxis(arrays.non_media.scaled, 0, 2)
    for name, columns in (("gamma_c", baseline.controls), ("gamma_n", non_media)):
        if structure.is_integrated(name):
            by_geo.append(columns)
            offset = offset + columns @ normal(name, columns.shape[2])
    for one in structure.cell_terms:
        term = baseline.terms[one.name]
        normal(deviations(one.name), len(term.mean))
        by_geo.append(term.design)
        offset = offset + term.design @ term.mean
    local, local_scale, level = _local(structure, arrays, non_media)
    designs = Designs(shared, np.concatenate(by_geo, 2), local)
    return linear_block(
        designs,
        precision=np.concatenate(precision),
        offset=offset + level,
        local_scale=local_scale,
        is_seen=arrays.is_seen,
        unique_sigma=structure.unique_sigma,
        has_memory=structure.has_memory,
        n_noise=sum(
            len(baseline.terms[one.name].mean)
            for one in structure.shared_terms
            if one.is_noise
        ),
    )


def _local(structure: Structure, arrays: ModelArrays, non_media: np.ndarray):
    """Columns of the effects of one geo, their scales, and the geos' mean level."""
    baseline = arrays.baseline
    shape = (structure.n_geos, structure.n_times)
    level = np.zeros((shape[0], 1))
    local, local_scale = [np.zeros((*shape, 0))], [np.zeros((shape[0], 0))]
    if structure.is_integrated("tau_g_excl_baseline"):
        row = arrays.priors["tau_g_excl_baseline"][0]
        local.append(np.ones((*shape, 1)))
        local_scale.append((row[1] * baseline.tau_is_free)[:, None])
        level = ((row[0] + row[4]) * baseline.tau_is_free)[:, None]
    for name, columns in (
        ("gamma_gc_dev", baseline.controls),
        ("gamma_gn_dev", non_media),
    ):
        if structure.is_integrated(name):
            local.append(columns)
            local_scale.append(np.ones((shape[0], columns.shape[2])))
    for one in structure.geo_terms:
        design = baseline.terms[one.name].design
        local.append(np.broadcast_to(design, (shape[0], *design.shape)))
        local_scale.append(np.ones((shape[0], design.shape[1])))
    return np.concatenate(local, 2), np.concatenate(local_scale, 1), level


def _cast(arrays: ModelArrays, dtype) -> ModelArrays:
    """Every float array in the run's precision, every integer array as it is."""

    def cast(leaf):
        is_float = np.issubdtype(leaf.dtype, np.floating)
        return jnp.asarray(leaf.astype(dtype) if is_float else leaf)

    return jax.tree.map(cast, arrays)
