"""Weeks: actual and expected outcome per period, and what each channel added."""

import numpy as np
import xarray as xr

from core.analysis.by_period import ByPeriod, by_period
from core.analysis.checking.predicted import Spread, predictive_interval, spread
from core.analysis.draws import kept
from core.analysis.returns import channel_names
from core.analysis.sources import sources
from core.dims import CHANNEL, GEO, TIME
from core.estimate import interval
from core.model.build import Model

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
        `core.analysis.sources.sources` gives.
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
