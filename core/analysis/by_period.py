"""By period: what was expected and what every part of it was, of each draw.

Weeks, years, sources and what tells drift from saturation all read these numbers, so
one compiled function makes them.

Years: what each channel returned in each year and lately, and how that changed.

Years are stretches of as many periods as a year has, counted back from the end of the
data, so that the last one is the year that a plan goes on from.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from core.analysis.incremental import (
    expected_outcome,
    incremental_outcome,
    on_cores,
    per_draw,
)
from core.analysis.returns import channel_names
from core.data.ahead.horizon import periods_per_year
from core.data.mapping import PAID
from core.dims import CHANNEL, TIME
from core.estimate import interval
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import PLAIN, persistent
from core.model.density import by_geo as added_by_geo
from core.model.latents import Params
from core.model.media.structure import ModelArrays, Structure
from core.model.media.treatments import effectiveness_of

#: Parts of the baseline beside the trend, and the linear terms that they are made of.
PARTS: Mapping[str, tuple[str, ...]] = {
    "Season": ("fourier", "weekday", "recurring", "fourier_g"),
    "Events": ("holidays", "events"),
    "Controls": (),
    "Demand": ("demand",),
}


class ByPeriod(NamedTuple):
    """Outcome per period; outcome units, in the model's precision.

    Attributes:
        expected: Expected outcome; draw geo time.
        added: What each treatment added, all geos; draw channel time.
        parts: Parts of the baseline beside the trend, all geos; draw part time.
    """

    expected: np.ndarray
    added: np.ndarray
    parts: np.ndarray


def by_period(model: Model, draws: Mapping[str, np.ndarray]) -> ByPeriod:
    """Outcome of each period.

    Args:
        model: The model.
        draws: Posterior variables, draws first; some hundreds are enough.
    """
    padded = in_chunks(lambda some: _of_chunk(model, some), model.filled.of(draws))
    return model.filled.cut(padded)


def outcome_by_period(model: Model, draws: Mapping[str, np.ndarray]) -> np.ndarray:
    """What each treatment that carries over brought, all geos; draw channel time.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    added = in_chunks(lambda some: _of_chunk(model, some).added, model.filled.of(draws))
    return carrying(model, model.filled.cut(added))


def carrying(model: Model, added: np.ndarray) -> Float[np.ndarray, "draw channel time"]:
    """The channels that carry over, of all treatments; in double precision."""
    n = sum(group.n_channels for group in model.structure.groups)
    return added[:, :n].astype(np.float64)


def _of_chunk(model: Model, draws: Mapping[str, Any]) -> ByPeriod:
    """Of the periods that the model is filled up to."""
    dtype = model.arrays.kpi.dtype
    zero = np.asarray(model.scale.mean / model.scale.std, dtype)
    structure, arrays, _ = model.filled
    return _by_period(structure, arrays._replace(block=None), draws, zero)


@per_draw(options=PLAIN, over=on_cores)
def _by_period(structure, arrays, draw, kpi_zero):
    return ByPeriod(
        expected_outcome(structure, arrays, draw, kpi_zero),
        incremental_outcome(structure, arrays, draw).sum(axis=1),
        baseline_parts(structure, arrays, draw),
    )


def baseline_parts(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "part time"]:
    """Outcome of season, events, controls and demand, summed over geos."""
    nothing = jnp.zeros_like(arrays.kpi)
    parts = dict.fromkeys(PARTS, nothing)
    for term in structure.terms:
        part = next((p for p, names in PARTS.items() if term.name in names), None)
        if part is None:
            continue
        numbers, gamma = arrays.baseline.terms[term.name], draw[f"gamma_{term.name}"]
        if term in structure.shared_terms:
            added = jnp.broadcast_to((numbers.design @ gamma)[None, :], nothing.shape)
        else:
            added = added_by_geo(term, numbers, gamma)
        parts[part] = parts[part] + added
    if structure.n_controls:
        controls = arrays.baseline.controls
        parts["Controls"] = jnp.einsum("gtc,gc->gt", controls, draw["gamma_gc"])
    scale = arrays.outcome_scale
    return jnp.stack([(parts[part] * scale).sum(axis=0) for part in PARTS])


def year_of(times: np.ndarray) -> np.ndarray:
    """The year that each period is in: 0 the last, 1 the one before; int.

    Periods at the beginning that do not fill a year are -1, unless there is no whole
    year at all: then everything is year 0.

    Args:
        times: Periods of the data, datetime64[D].
    """
    n = periods_per_year(times)
    back = np.arange(len(times))[::-1] // n
    whole = len(times) // n
    return np.where(back < whole, back, -1) if whole else np.zeros(len(times), int)


def years(
    model: Model, draws: dict[str, np.ndarray], periods: ByPeriod | None = None
) -> xr.Dataset:
    """Return and outcome of each channel that carries over, by year.

    Args:
        model: The model.
        draws: Posterior variables, draws first; some hundreds are enough.
        periods: What `by_period` gives for these draws; worked out where not given.

    Returns:
        Dims channel, year (labelled with its first date, oldest first), ci: `roi`
        (NaN where nothing was spent), `contribution` in outcome units, each with its
        interval, and `spend`. `roi_last_year` has dims draw, channel. With channels
        that drift also `effectiveness` and its interval by channel and time: what a
        channel's effect is multiplied by, one on average.
    """
    data = model.data
    names, kinds = channel_names(model)
    places = [i for i, kind in enumerate(kinds) if kind != "non_media"]
    if periods is None:
        brought = outcome_by_period(model, draws)
    else:
        brought = carrying(model, periods.added)
    spent = np.concatenate(
        [
            getattr(data, kind).spend.sum(axis=0).T
            if kind in PAID
            else np.full((len(getattr(data, kind)), data.n_times), np.nan)
            for kind in dict.fromkeys(kinds[i] for i in places)
        ]
    )
    place = year_of(data.times)
    of_year = [place == year for year in range(place.max(), -1, -1)]
    outcome = np.stack([brought[:, :, here].sum(axis=2) for here in of_year], axis=2)
    spend = np.stack([spent[:, here].sum(axis=1) for here in of_year], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        roi = np.where(spend > 0, outcome / spend, np.nan)
    by_year = (CHANNEL, "year")
    variables = {
        "roi": (by_year, roi.mean(axis=0)),
        "roi_ci": ((*by_year, "ci"), interval(roi)),
        "contribution": (by_year, outcome.mean(axis=0)),
        "contribution_ci": ((*by_year, "ci"), interval(outcome)),
        "spend": (by_year, spend),
        "roi_last_year": (("draw", CHANNEL), roi[:, :, -1]),
    }
    coords = {
        CHANNEL: [names[i] for i in places],
        "year": [str(data.times[here][0]) for here in of_year],
        "ci": ["lo", "hi"],
    }
    if any(group.drifts for group in model.structure.groups):
        over_time = _effectiveness(model, draws)
        variables |= {
            "effectiveness": ((CHANNEL, TIME), over_time.mean(axis=0)),
            "effectiveness_ci": ((CHANNEL, TIME, "ci"), interval(over_time)),
        }
        coords[TIME] = data.times.astype("datetime64[ns]")
    return xr.Dataset(variables, coords=coords)


def _effectiveness(model: Model, draws: dict[str, np.ndarray]) -> np.ndarray:
    """Of every channel that carries over, one where it does not drift."""
    parts = []
    for group in model.structure.groups:
        arrays = model.filled.arrays.groups[group.suffix]
        if group.drifts:
            parameters = {
                name: draws[name] for name in (f"drift_{group.suffix}", "xi_drift")
            }
            over_time = model.filled.cut(np.asarray(_drift(group, arrays, parameters)))
            parts.append(over_time.astype(np.float64))
        else:
            n = len(next(iter(draws.values())))
            parts.append(np.ones((n, group.n_channels, model.data.n_times)))
    return np.concatenate(parts, axis=1)


@persistent(options=PLAIN)
def _drift(group, numbers, draws):
    return jax.vmap(partial(effectiveness_of, group, numbers))(draws)
