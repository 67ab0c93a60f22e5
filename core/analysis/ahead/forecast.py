r"""Forecast: KPI and outcome of periods after the data, under a media plan.

For a draw and a later period $t$, everything is the model's own equation at $t$:

    y_gt = baseline(t; level, linear terms) + sum_m beta_gm mtilde_gtm + n_gt

with the designs of the linear terms evaluated at $t$, media that ran before carrying
over, controls and media in the scale of the data, and noise n of scale sigma_g, which
goes on from the last residuals where the model's noise has memory. So a forecast at
the data's own dates is the expected outcome, and the smooth deviation falls back to
its prior as $t$ moves away: the interval widens by itself.

Mediators ahead: what a mediator will be is what its own model forecasts.

    sales_t = baseline_t + sum_c direct_ct + (beta_M carryover of searches)_t + n_t
    searches_t = baseline_t + sum_c media_ct + noise_t           (the other model)

so the forecast has the errors of both models, and a channel that is planned to run
more moves the searches as well. Equations are for one draw with that of the mediators'
models (`core.model.mediation.mediators.draws_of`).
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from core.analysis.ahead.future import future_mu_t, future_with_mediators
from core.analysis.checking.residual import demand_noise, later_noise
from core.analysis.incremental import (
    baseline_outcome,
    expected_outcome,
    incremental_outcome,
    per_draw,
)
from core.analysis.returns import channel_names
from core.data.input_data import InputData
from core.dims import CHANNEL, DRAW, GEO, TIME
from core.errors import WorkspaceError
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import PLAIN
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
    noises = {}
    for place, other in enumerate(model.mediators):
        own = draws_of(place, draws)
        # Another seed for each: the errors of two models are no copies of each other.
        other_seed = seed + 1 + place
        noise = noise_of(other, own, times, other_seed)
        noises[f"{prefix(place)}{_NOISE}"] = noise.astype(model.arrays.kpi.dtype)
        nested = noise_of_mediators(other, own, times, other_seed)
        noises |= {f"{prefix(place)}{name}": values for name, values in nested.items()}
    return noises


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
    structure, arrays = future_with_mediators(
        model, future, holds_last_knot=holds_last_knot
    )
    zeros = kpi_zeros(model)
    noise = noise_of(model, draws, future.times, seed)
    with_noise = draws | noise_of_mediators(model, draws, future.times, seed)
    by_geo, carried, baseline, events, added = (
        part.astype(np.float64)
        for part in in_chunks(
            lambda some: _in_parts(structure, arrays, some, zeros),
            model.filled.of(with_noise),
        )
    )
    counted = by_geo + carried + noise * np.asarray(arrays.outcome_scale, np.float64)
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
    """Refuse draws that lack a term of the model, or columns of one.

    Raises:
        WorkspaceError: They do.
    """
    terms = {f"gamma_{term.name}": term.name for term in model.structure.terms}
    names = [*terms, *["rho"] * model.structure.has_memory]
    names += [f"drift_{x.suffix}" for x in model.structure.groups if x.drifts]
    missing = [name for name in names if name not in draws]
    if missing:
        raise WorkspaceError(
            "The fit was made by an earlier version, whose model had no "
            f"{', '.join(missing)}.",
            hint="Fit the model again, then forecast.",
        )
    designs = model.arrays.baseline.terms
    other = [
        name
        for name, term in terms.items()
        if np.shape(draws[name])[-1] != designs[term].design.shape[-1]
    ]
    if other:
        raise WorkspaceError(
            "The fit was made by an earlier version, whose model had other columns in "
            f"{', '.join(other)}.",
            hint="Fit the model again, then forecast.",
        )


@per_draw(options=PLAIN)
def _in_parts(structure, arrays, draw, zeros):
    """Per draw: expected by geo, noise of mediators, baseline, events, treatments."""
    draw = at_later_periods(structure, arrays, draw)
    baseline = baseline_outcome(structure, arrays, draw, zeros.own)
    events = jnp.zeros(structure.n_times, arrays.kpi.dtype)
    for term in structure.shared_terms:
        if term.name in EVENT_TERMS:
            design = arrays.baseline.terms[term.name].design
            events = events + design @ draw[f"gamma_{term.name}"]
    return (
        expected_ahead(structure, arrays, draw, zeros),
        noise_carried_on(structure, arrays, draw),
        baseline.sum(axis=0),
        (events * arrays.outcome_scale).sum(axis=0),
        incremental_ahead(structure, arrays, draw, zeros).sum(axis=1),
    )
