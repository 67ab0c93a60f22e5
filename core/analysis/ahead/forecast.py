r"""Forecast: KPI and outcome of periods after the data, under a media plan.

For a draw and a later period $t$, everything is the model's own equation at $t$:

    y_gt = baseline(t; level, linear terms) + sum_m beta_gm mtilde_gtm + n_gt

with the designs of the linear terms evaluated at $t$, media that ran before carrying
over, controls and media in the scale of the data, and noise n of scale sigma_g, which
goes on from the last residuals where the model's noise has memory. So a forecast at
the data's own dates is the expected outcome, and the smooth deviation falls back to
its prior as $t$ moves away: the interval widens by itself.
"""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from core.analysis.checking.residual import demand_noise, later_noise
from core.analysis.incremental import (
    baseline_outcome,
    expected_outcome,
    incremental_outcome,
    over_draws,
)
from core.analysis.returns import channel_names
from core.data.input_data import InputData
from core.data.scaling import (
    media_median,
    scaled_media,
    scaled_treatment,
    treatment_scale,
)
from core.dims import CHANNEL, DRAW, GEO, TIME
from core.errors import SpecError, WorkspaceError
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.media.group_arrays import media_arrays
from core.model.media.structure import (
    GroupStructure,
    MediaArrays,
    ModelArrays,
    Structure,
)
from core.model.spec import ModelSpec
from core.model.terms.demand import demand_terms
from core.model.terms.effectiveness import waves
from core.model.terms.linear_terms import linear_terms

#: Linear terms that are events; the others are the baseline.
EVENT_TERMS = ("holidays", "events")

Draws = dict[str, np.ndarray]


def forecast(
    model: Model,
    draws: Draws,
    future: InputData,
    seed: int,
    *,
    holds_last_knot: bool = False,
) -> xr.Dataset:
    """Outcome of later periods, per draw, with residual noise and in parts.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        future: The periods and their plan; see `core.data.ahead.horizon`.
        seed: Of the residual noise.
        holds_last_knot: Carry a baseline of knots on flat, which is no forecast of
            the market, only something to beat.

    Returns:
        Dims draw, time, channel (all treatments), and geo where there are several.
        `outcome` is what would be counted, noise included, `expected` its mean;
        `baseline`, `events` and `contribution` add up to `expected`. `kpi` where a
        KPI unit has a value. `outcome_geo` by geo.

    Raises:
        SpecError: The baseline is made of knots.
        WorkspaceError: The draws are of an earlier version, without one of the terms.
    """
    _check_terms(model, draws)
    structure, arrays = future_model(model, future, holds_last_knot=holds_last_knot)
    zero = jnp.asarray(model.scale.mean / model.scale.std, arrays.kpi.dtype)
    by_geo, baseline, events, added = (
        part.astype(np.float64)
        for part in in_chunks(
            lambda some: _in_parts(structure, arrays, some, zero), draws
        )
    )
    # Drawn outside of JAX: another horizon compiles nothing for its noise.
    noise = later_noise(model, draws, future.times, seed)
    noise += demand_noise(model, draws, future.n_times, seed)
    counted = by_geo + noise * np.asarray(arrays.outcome_scale, np.float64)
    per_draw = (DRAW, TIME)
    variables = {
        "outcome": (per_draw, counted.sum(axis=1)),
        "expected": (per_draw, by_geo.sum(axis=1)),
        "baseline": (per_draw, baseline - events),
        "events": (per_draw, events),
        "contribution": ((DRAW, CHANNEL, TIME), added),
    }
    if future.revenue_per_kpi is not None:
        variables["kpi"] = (per_draw, (counted / future.revenue_per_kpi).sum(axis=1))
    coords = {
        TIME: future.times.astype("datetime64[ns]"),
        CHANNEL: channel_names(model)[0],
        "kind": (CHANNEL, channel_names(model)[1]),
    }
    if model.data.n_geos > 1:
        variables["outcome_geo"] = ((DRAW, GEO, TIME), counted)
        coords[GEO] = list(future.geos)
    return xr.Dataset(variables, coords=coords)


def _check_terms(model: Model, draws: Draws) -> None:
    """Refuse draws that lack a term of the model.

    Raises:
        WorkspaceError: They do.
    """
    names = [f"gamma_{term.name}" for term in model.structure.terms]
    names += ["rho"] * model.structure.has_memory
    names += [f"drift_{x.suffix}" for x in model.structure.groups if x.drifts]
    missing = [name for name in names if name not in draws]
    if missing:
        raise WorkspaceError(
            "The fit was made by an earlier version, whose model had no "
            f"{', '.join(missing)}.",
            hint="Fit the model again, then forecast.",
        )


def future_model(
    model: Model, future: InputData, *, holds_last_knot: bool = False
) -> tuple[Structure, ModelArrays]:
    """What `core.analysis.incremental` computes with, at other periods.

    Data are in the scale of the model's own data. The baseline over time of a draw
    is `future_mu_t`, not its `mu_t`.

    Raises:
        SpecError: The baseline is made of knots.
    """
    if not holds_last_knot:
        refuse_knots(model.spec)
    data, dtype = model.data, model.arrays.kpi.dtype
    structure = replace(model.structure, n_times=future.n_times)
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
        kpi=jnp.zeros(shape, dtype),
        outcome_scale=jnp.asarray(
            np.broadcast_to(value, shape) * data.population[:, None] * model.scale.std,
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
            knot_weights=jnp.asarray(weights, dtype),
            controls=jnp.asarray(
                scaled_treatment(future.controls, data.population, scale), dtype
            ),
            terms={
                design.structure.name: jax.tree.map(
                    lambda leaf: jnp.asarray(leaf, dtype), design.term
                )
                for design in terms
            },
        ),
        block=None,
        lifts=(),
        is_seen=None,
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
        seen, later = getattr(model.data, group.kind), getattr(future, group.kind)
        units = scaled_media(later.units, people, media_median(seen.units, people))
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
    return jnp.asarray(design, model.arrays.kpi.dtype)


def _non_media(model: Model, future: InputData):
    """Treatments of later periods in the scale of the data."""
    if model.arrays.non_media is None:
        return None
    data, dtype, spec = model.data, model.arrays.kpi.dtype, model.spec
    by_population = np.isin(data.non_media.names, spec.population_scaled_non_media)
    scale = treatment_scale(data.non_media.units, data.population, by_population)
    scaled = scaled_treatment(future.non_media.units, data.population, scale)
    return model.arrays.non_media._replace(
        scaled=jnp.asarray(np.moveaxis(scaled, 2, 0), dtype)
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


@partial(jax.jit, static_argnums=0)
def _in_parts(structure, arrays, draws, kpi_zero):
    """Per draw: expected by geo, baseline, events, treatments."""

    def of_draw(draw):
        draw = draw | {"mu_t": future_mu_t(structure, arrays, draw)}
        baseline = baseline_outcome(structure, arrays, draw, kpi_zero)
        events = jnp.zeros(structure.n_times, arrays.kpi.dtype)
        for term in structure.shared_terms:
            if term.name in EVENT_TERMS:
                design = arrays.baseline.terms[term.name].design
                events = events + design @ draw[f"gamma_{term.name}"]
        return (
            expected_outcome(structure, arrays, draw, kpi_zero),
            baseline.sum(axis=0),
            (events * arrays.outcome_scale).sum(axis=0),
            incremental_outcome(structure, arrays, draw).sum(axis=1),
        )

    return over_draws(of_draw, draws)
