r"""Forecast: KPI and outcome of periods after the data, under a media plan.

For a draw and a later period $t$, everything is the model's own equation at $t$:

    y_gt = baseline(t; level, linear terms) + sum_m beta_gm mtilde_gtm + n_gt

with the designs of the linear terms evaluated at $t$, media that ran before carrying
over, controls and media in the scale of the data, and noise n of scale sigma_g, which
goes on from the last residuals where the model's noise has memory. So a forecast at
the data's own dates is the expected outcome, and the smooth deviation falls back to
its prior as $t$ moves away: the interval widens by itself.
"""

import jax.numpy as jnp
import numpy as np
import xarray as xr

from core.analysis.ahead.future import future_with_mediators
from core.analysis.ahead.mediators import (
    at_later_periods,
    expected_ahead,
    incremental_ahead,
    kpi_zeros,
    noise_carried_on,
    noise_of,
    noise_of_mediators,
)
from core.analysis.incremental import baseline_outcome, over_draws
from core.analysis.returns import channel_names
from core.data.input_data import InputData
from core.dims import CHANNEL, DRAW, GEO, TIME
from core.errors import WorkspaceError
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent

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


@persistent()
def _in_parts(structure, arrays, draws, zeros):
    """Per draw: expected by geo, noise of mediators, baseline, events, treatments."""

    def of_draw(draw):
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

    return over_draws(of_draw, draws)
