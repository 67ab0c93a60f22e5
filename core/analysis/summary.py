"""Summary: the numbers of a fit that people ask for, as one plain object."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from core.analysis.learning.demand import follows_demand, of_channels
from core.analysis.learning.priors import prior_summary
from core.analysis.response.frequency import frequency_summary
from core.analysis.returns import units_of
from core.estimate import Estimate, estimate
from core.model.build import Model

_PER_CHANNEL = {
    "roi": "roi",
    "mroi": "mroi",
    "cpik": "cpik",
    "effectiveness": "effectiveness",
    "contribution": "incremental_outcome",
    "contribution_share": "contribution",
}


def summary(
    model: Model,
    channels: xr.Dataset,
    weeks: xr.Dataset,
    by_frequency: xr.Dataset | None = None,
    by_year: xr.Dataset | None = None,
    *,
    draws: Mapping[str, np.ndarray],
) -> dict[str, Any]:
    """ROI, marginal ROI, contribution and the rest with intervals, and accuracy.

    Args:
        model: The model.
        channels: What `core.analysis.returns.returns` gives.
        weeks: What `core.analysis.weeks.weeks` gives.
        by_frequency: What `core.analysis.response.frequency.frequencies` gives.
        by_year: What `core.analysis.years.years` gives.
        draws: Posterior variables, draws first; those that `channels` is of.

    Returns:
        Plain numbers; an estimate is mean, median, sd, lo, hi. `contribution` is in
        outcome units, `contribution_share` a share of the expected outcome.
        `optimal_frequency` also has `best`, of the mean outcome, and `current`; it is
        None for channels without a frequency. `roi_last_year` is the ROI of the last
        year's outcome and spend; None where nothing was spent. `follows_demand` has
        the names of the channels that do more likely than not, and each paid channel
        how likely, why, and its ROI in either case, as `demand`.
    """
    optimal, priors = frequency_summary(by_frequency), prior_summary(model)
    units, demand = units_of(model), of_channels(model, draws, channels)
    rows = []
    for place, name in enumerate(channels["channel"].to_numpy()):
        channel = channels.isel(channel=place)
        spend = float(channel["spend"])
        row: dict[str, Any] = {
            "name": str(name),
            "kind": str(channel["kind"].item()),
            "spend": None if np.isnan(spend) else spend,
            "units": None if np.isnan(units[place]) else float(units[place]),
            "prior": priors[str(name)],
            "demand": demand.get(str(name)),
        }
        for key, variable in _PER_CHANNEL.items():
            row[key] = estimate(channel[variable].to_numpy())
        row["optimal_frequency"] = optimal.get(str(name))
        row["roi_last_year"] = _last_year(by_year, str(name))
        rows.append(row)
    baseline = channels["baseline_outcome"].to_numpy()
    expected = channels["expected_outcome"].to_numpy()
    data, fit_of = model.data, _fit_of(model, weeks)
    result = {
        "channels": rows,
        "baseline_share": estimate(baseline / expected.mean()),
        "baseline_negative_probability": float((baseline < 0).mean()),
        "expected_outcome": estimate(expected),
        "accuracy": fit_of["all"]["national"],
        "outcome_unit": data.outcome_unit,
        "start": str(data.times[0]),
        "end": str(data.times[-1]),
        "n_geos": data.n_geos,
        "follows_demand": follows_demand(model, demand),
        "n_times": data.n_times,
        "spend": float(np.nansum(channels["spend"].to_numpy())),
    }
    if not data.is_national:
        result["accuracy_by_geo"] = fit_of["all"]["geo"]
    if "test" in fit_of:
        result["accuracy_held_out"] = fit_of["test"]["national"]
    return result


def _last_year(by_year: xr.Dataset | None, name: str) -> Estimate | None:
    if by_year is None or name not in by_year["channel"].values:
        return None
    draws = by_year["roi_last_year"].sel(channel=name).to_numpy()
    return estimate(draws) if np.isfinite(draws).all() else None


def _fit_of(model: Model, weeks: xr.Dataset) -> dict[str, dict[str, dict[str, float]]]:
    """Measures of fit by set of cells and granularity."""
    names = ("actual", "expected")
    if model.data.is_national:
        actual, expected = (weeks[name].to_numpy()[None] for name in names)
    else:
        actual, expected = (weeks[f"{name}_geo"].to_numpy() for name in names)
    sets = accuracy_sets(actual, expected, np.asarray(model.arrays.is_seen))
    return {
        name: {level: measures._asdict() for level, measures in levels.items()}
        for name, levels in sets.items()
    }


#: An outcome below this share of its geo's mean is next to zero: an error in percent of
#: it says nothing of the fit, and a single one would rule the mean.
_NEXT_TO_ZERO = 0.05


class Accuracy(NamedTuple):
    """Measures of fit; dimensionless but for the number of cells.

    Attributes:
        r2: Share of variance explained, one less MSE over variance.
        mape: Mean of the absolute error as a share of the actual outcome, over
            cells where that is not next to zero.
        wmape: Sum of the absolute errors as a share of the total actual outcome.
        mape_left_out: Cells whose actual outcome is next to zero.
    """

    r2: float
    mape: float
    wmape: float
    mape_left_out: int


def accuracy(
    actual: np.ndarray, expected: np.ndarray, is_sizable: np.ndarray
) -> Accuracy:
    """Measures of fit over cells.

    Args:
        actual: Outcome, any shape.
        expected: Posterior mean of the expected outcome, same shape.
        is_sizable: Whether an error in percent of the actual outcome says something,
            same shape.
    """
    error = np.abs(actual - expected)
    size, variance = np.abs(actual), actual.var()
    shares = error[is_sizable] / size[is_sizable]
    nothing = float("nan")
    return Accuracy(
        r2=float(1 - (error**2).mean() / variance) if variance > 0 else nothing,
        mape=float(shares.mean()) if shares.size else nothing,
        wmape=float(error.sum() / size.sum()) if size.any() else nothing,
        mape_left_out=int((~is_sizable).sum()),
    )


def _is_sizable(actual: np.ndarray) -> np.ndarray:
    """Whether outcomes are more than next to zero, beside others of their geo.

    Args:
        actual: Outcome, periods last.
    """
    size = np.abs(actual)
    return (size > 0) & (size >= _NEXT_TO_ZERO * size.mean(axis=-1, keepdims=True))


def accuracy_sets(
    actual: np.ndarray, expected: np.ndarray, is_seen: np.ndarray
) -> dict[str, dict[str, Accuracy]]:
    """Measures of fit of cells seen, held out, and all; by geo and nationally.

    Args:
        actual: Outcome, geo time.
        expected: Posterior mean of the expected outcome, geo time.
        is_seen: Whether the likelihood saw a cell, geo time.

    Returns:
        `train`, `test` and `all` (only `all` where nothing is held out), each with
        `geo` (every cell counts) and `national` (sums over the set's geos).
    """
    sets = {"all": np.ones(actual.shape, dtype=bool)}
    if not np.all(is_seen):
        seen = np.asarray(is_seen, dtype=bool)
        sets = {"train": seen, "test": ~seen} | sets
    result, is_sizable = {}, _is_sizable(actual)
    for name, cells in sets.items():
        has_any = cells.any(axis=0)
        summed = [
            np.where(cells, values, 0.0).sum(axis=0)[has_any]
            for values in (actual, expected)
        ]
        result[name] = {
            "geo": accuracy(actual[cells], expected[cells], is_sizable[cells]),
            "national": accuracy(*summed, _is_sizable(summed[0])),
        }
    return result
