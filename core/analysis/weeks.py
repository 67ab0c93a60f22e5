r"""Weeks: actual and expected outcome per period, and what each channel added.

Sources: where the outcome of each stretch of the data came from, draw by draw.

The baseline is a sum of linear terms, so it splits exactly: season, events, controls
and demand are what their terms add; trend is the rest, the level included. A stretch
is a calendar quarter, cut where the last year of the data and the one before begin, so
that years, quarters and the last year are sums of stretches.

Predicted: where observations should lie, rather than their expectation.

Given a draw, the outcome of a period is Normal: its expectation, and the scale of the
noise. So the predictive distribution is the mixture over draws. Noise with memory has
that scale at any one time: its memory moves neighbouring periods together, and widens
nothing. Geos add up with what their noise has in common:

    Var = (1 - c) sum_g (s_g sigma_g)^2 + c (sum_g s_g sigma_g)^2 + xi^2 (sum_g s_g)^2

with the outcome s_g of a unit of the scaled KPI, the correlation c of residuals of
geos, and the scale xi of the model's own common noise.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from core.analysis.by_period import PARTS, ByPeriod, by_period, year_of
from core.analysis.checking.pointwise import sigmas
from core.analysis.checking.residual import common_noise
from core.analysis.draws import kept
from core.analysis.returns import channel_names
from core.data.mapping import KINDS, PAID
from core.dims import CHANNEL, DRAW, GEO, TIME
from core.estimate import interval, quantiles
from core.model.build import Model

#: Scales of the noise beyond which no end of an interval lies.
_FARTHEST = 6.0
#: Steps to an end of an interval at most. One of Newton's is the last that is as short
#: as this, in scales of the noise: it leads to within a ten-millionth of them.
_STEPS, _LAST, _NEAR = 60, 3e-4, 1e-7


class Spread(NamedTuple):
    """Scale of the noise per draw; outcome units.

    Attributes:
        total: Of the sum over geos; draw time.
        own: sigma and common noise of a geo, scaled KPI; draw geo.
        scale: Outcome of a unit of the scaled KPI; geo time.
    """

    total: np.ndarray
    own: np.ndarray
    scale: np.ndarray


def spread(model: Model, draws: Mapping[str, np.ndarray]) -> Spread:
    """Scale of the noise of every cell, and of the sum over geos.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    sigma = sigmas(model, draws)
    scale = np.asarray(model.arrays.outcome_scale, np.float64)
    xi = np.zeros(len(sigma))
    for term in model.structure.terms:
        if term.is_noise:
            xi = np.hypot(xi, np.asarray(draws[f"xi_{term.name}"], np.float64))
    shared = common_noise(model, draws)
    apart = np.einsum("sg,gt->st", sigma**2, scale**2)
    # Perfectly correlated noise adds up in sd, independent noise in variance.
    together = np.einsum("sg,gt->st", sigma, scale) ** 2
    variance = (1 - shared) * apart + shared * together
    variance += xi[:, None] ** 2 * scale.sum(axis=0) ** 2
    own = np.hypot(sigma, xi[:, None])
    return Spread(np.sqrt(variance), own, scale)


def predictive_interval(mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Interval of a mixture of Normals, one per draw, by Newton's steps and halvings.

    Args:
        mean: draw time.
        scale: draw time, or what broadcasts to it; positive.

    Returns:
        Lower and upper end, time ci; the mass is `core.dims.INTERVAL`.
    """
    scale = np.broadcast_to(scale, mean.shape)
    low, _, high = quantiles()
    return np.stack([_end(mean, scale, share) for share in (low, high)], axis=-1)


def _end(mean: np.ndarray, scale: np.ndarray, share: float) -> np.ndarray:
    """Where a share of the mixture is below, of all periods at once.

    A quantile of drawn noise would need thousands of draws for the same digits.
    """
    left = (mean - _FARTHEST * scale).min(axis=0)
    right = (mean + _FARTHEST * scale).max(axis=0)
    spread = np.sqrt(mean.var(axis=0) + (scale**2).mean(axis=0))
    at = np.clip(mean.mean(axis=0) + ndtri(share) * spread, left, right)
    least, precision = scale.min(axis=0), 1 / scale
    for _ in range(_STEPS):
        z = (at - mean) * precision
        off = ndtr(z).mean(axis=0) - share
        left, right = np.where(off < 0, at, left), np.where(off < 0, right, at)
        z *= z
        z *= -0.5
        np.exp(z, out=z)
        z *= precision
        with np.errstate(all="ignore"):  # far from every draw
            to = at - off * np.sqrt(2 * np.pi) / z.mean(axis=0)
        by_halves = ~((left < to) & (to < right))
        to[by_halves] = (left + right)[by_halves] / 2
        step, at = np.abs(to - at), to
        if (step <= np.where(by_halves, _NEAR, _LAST) * least).all():
            break
    return at


#: Draws that are kept: joint ones, so that differences have their intervals.
MOST_DRAWS = 500
TREND = "Trend"


def sources(
    model: Model, baseline: np.ndarray, parts: np.ndarray, added: np.ndarray
) -> xr.Dataset:
    """Outcome by stretch and source, per draw.

    Args:
        model: The model.
        baseline: Outcome without treatments; draw time.
        parts: Parts of the baseline (`by_period.PARTS`); draw part time.
        added: Outcome of each treatment; draw time channel.

    Returns:
        Dims draw, stretch, part, channel: `baseline` by part, `incremental_outcome`
        by channel, `spend` by channel (NaN where there is none), `actual`; `start`,
        `end`, `year`, `quarter`, `last` (0 in the last year of the data, 1 in the one
        before, else -1) and `n_periods` by stretch. Outcome units and currency.
    """
    times = model.data.times
    place, about = stretches(times)
    member = (place[:, None] == np.arange(place.max() + 1)).astype(np.float64)
    few = kept(len(baseline), MOST_DRAWS)
    by_part = np.concatenate(
        [(baseline - parts.sum(axis=1))[:, None], parts], axis=1, dtype=np.float64
    )
    names, kinds = channel_names(model)
    spend = np.array(_spend(model)).reshape(len(names), len(times))
    outcome = model.data.outcome.sum(axis=0)
    has_any = np.abs(by_part).sum(axis=(0, 2)) > 0
    part_names = np.array([TREND, *PARTS])
    dims = (DRAW, "part", "stretch")
    return xr.Dataset(
        {
            "baseline": (dims, (by_part[few][:, has_any] @ member)),
            "incremental_outcome": (
                (DRAW, CHANNEL, "stretch"),
                np.swapaxes(added[few], 1, 2) @ member,
            ),
            "spend": ((CHANNEL, "stretch"), spend @ member),
            "actual": ("stretch", outcome @ member),
        },
        coords={
            "part": part_names[has_any],
            CHANNEL: names,
            "kind": (CHANNEL, kinds),
            **{name: ("stretch", values) for name, values in about.items()},
        },
    )


def stretches(times: np.ndarray) -> tuple[np.ndarray, dict[str, Sequence]]:
    """The stretch of each period, and what is known of every stretch.

    Args:
        times: Period starts, datetime64[D].
    """
    years = times.astype("datetime64[Y]").astype(int) + 1970
    quarters = (times.astype("datetime64[M]").astype(int) % 12) // 3 + 1
    back = year_of(times)
    last = np.where(back <= 1, back, -1)
    keys = np.stack([years, quarters, last], axis=1)
    new = np.append(True, (keys[1:] != keys[:-1]).any(axis=1))
    place, first = np.cumsum(new) - 1, np.flatnonzero(new)
    final = np.append(first[1:], len(times)) - 1
    return place, {
        "start": [str(day) for day in times[first]],
        "end": [str(day) for day in times[final]],
        "year": years[first],
        "quarter": quarters[first],
        "last": last[first],
        "n_periods": final - first + 1,
    }


def _spend(model: Model) -> list[np.ndarray]:
    """Spend of every treatment by period, summed over geos; NaN where it has none."""
    spend = []
    for kind in KINDS:
        treatments = getattr(model.data, kind)
        for place in range(len(treatments)):
            if kind in PAID:
                spend.append(treatments.spend[:, :, place].sum(axis=0))
            else:
                spend.append(np.full(model.data.n_times, np.nan))
    return spend


#: Draws of a geo's predictive interval, in which noise counts for most.
_DRAWS_BY_GEO = 100


def weeks(
    model: Model, draws: dict[str, np.ndarray], periods: ByPeriod | None = None
) -> tuple[xr.Dataset, xr.Dataset]:
    """Outcome per period: actual, expected, baseline and contributions.

    Args:
        model: The model.
        draws: Posterior variables, draws first; a few hundred are enough.
        periods: What `by_period` gives for these draws; worked out where not given.

    Returns:
        Dims time, channel (all treatments), ci; with several geos also geo, time.
        Outcome units per period, summed over geos unless the name says otherwise.
        `expected_ci` is the interval of the expectation, `predicted_ci` that of what
        would be counted, noise included. `held_out` is one where the likelihood did
        not see all of a period. And, from the same draws, what
        `core.analysis.weeks.sources` gives.
    """
    data = model.data
    by_geo, added, parts = periods or by_period(model, draws)
    expected = by_geo.sum(axis=1, dtype=np.float64)
    added = np.moveaxis(added, 1, 2).astype(np.float64)
    baseline = expected - added.sum(axis=2)
    noise, unseen = spread(model, draws), np.asarray(model.arrays.is_seen) == 0
    variables = {
        "actual": (TIME, data.outcome.sum(axis=0)),
        "expected": (TIME, expected.mean(axis=0)),
        "expected_ci": ((TIME, "ci"), interval(expected)),
        "predicted_ci": ((TIME, "ci"), predictive_interval(expected, noise.total)),
        "held_out": (TIME, unseen.any(axis=0).astype(np.int8)),
        "baseline": (TIME, baseline.mean(axis=0)),
        "baseline_ci": ((TIME, "ci"), interval(baseline)),
        "contribution": ((TIME, CHANNEL), added.mean(axis=0)),
        "contribution_ci": ((TIME, CHANNEL, "ci"), interval(added)),
    }
    coords = {
        TIME: data.times.astype("datetime64[ns]"),
        CHANNEL: channel_names(model)[0],
        "ci": ["lo", "hi"],
    }
    if not data.is_national:
        variables |= {
            "actual_geo": ((GEO, TIME), data.outcome),
            "expected_geo": ((GEO, TIME), by_geo.mean(axis=0, dtype=np.float64)),
            "expected_geo_ci": ((GEO, TIME, "ci"), interval(by_geo)),
            "predicted_geo_ci": ((GEO, TIME, "ci"), _predicted_geo(by_geo, noise)),
            "held_out_geo": ((GEO, TIME), unseen.astype(np.int8)),
        }
        coords[GEO] = list(data.geos)
    by_source = sources(model, baseline, parts.astype(np.float64), added)
    return xr.Dataset(variables, coords=coords), by_source


def _predicted_geo(by_geo: np.ndarray, noise: Spread) -> np.ndarray:
    """Interval of what would be counted in each geo; geo time ci."""
    some = kept(len(by_geo), _DRAWS_BY_GEO)
    return np.stack(
        [
            predictive_interval(
                by_geo[some, geo].astype(np.float64),
                noise.own[some, geo, None] * noise.scale[geo],
            )
            for geo in range(by_geo.shape[1])
        ]
    )
