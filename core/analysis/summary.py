"""Summary: the numbers of a fit that people ask for, as one plain object.

Demand: how likely each channel follows it in a fit, and what its return is then.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from core import text as fmt
from core.analysis.following import FOLLOWS, indicators
from core.analysis.learning.priors import prior_summary
from core.analysis.response.frequency import frequency_summary
from core.analysis.returns import units_of
from core.estimate import Estimate, estimate
from core.model.build import Model
from core.text.languages.language import say
from core.text.sentences import listed
from core.text.units import Measured

#: A reading with less than this probability is not told beside the other.
LEAST = 0.05
#: Draws that an estimate of one reading needs.
_LEAST_DRAWS = 40
#: Two readings are told where their means are further apart than this share of the
#: ROI's standard deviation.
_APART = 0.5
#: Channels whose two readings are told where there is room for one sentence.
_MOST_TOLD = 2


def follows_demand(model: Model, demand: Mapping[str, Any]) -> dict[str, Any]:
    """Which channels follow demand more likely than not, and what to make of it.

    Args:
        model: The model.
        demand: Of each paid channel, what `demand_of_channels` says.

    Returns:
        `channels`, their names; `untested`, those of them without a lift test;
        `sentence`, about the untested of which one reading lives and about those of
        which two do, the widest apart first; empty where there are none.
    """
    names = [name for name, one in demand.items() if one["probability"] >= FOLLOWS]
    tested = {name for test in model.spec.experiments for name in test.channels}
    untested = [name for name in names if name not in tested]
    torn = [name for name in demand if demand[name]["readings"] and name not in tested]
    torn.sort(key=lambda name: -_times_apart(demand[name]["readings"]))
    odds = {name: demand[name]["probability"] for name in untested if name not in torn}
    certain = _certain_demand([name for name, chance in odds.items() if chance == 1])
    likely = _likely_demand(
        {name: chance for name, chance in odds.items() if chance < 1}
    )
    both = [f"{name}: {demand[name]['sentence']}" for name in torn[:_MOST_TOLD]]
    sentence = " ".join(filter(None, (certain, likely, *both)))
    return {"channels": names, "untested": untested, "sentence": sentence}


def demand_of_channels(
    model: Model, draws: Mapping[str, np.ndarray], channels: xr.Dataset
) -> dict[str, dict[str, Any]]:
    """What a fit says of each paid channel's spend and demand.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        channels: What `core.analysis.returns.returns` gives for the same draws.

    Returns:
        By name: `follows`, whether it does more likely than not; `probability`; `prior`
        (before the fit), `by`, who gave that one, and `reason`; `readings`, the ROI if
        it `follows` and if it does `not`, where both live and differ, else None; and
        `sentence`.
    """
    present = indicators(model, draws)
    texts = {}
    for one in model.demand:
        here = present[one.channel]
        chance = float(np.mean(here))
        readings = None
        if np.ndim(here):
            roi = channels["roi"].sel(channel=one.channel).to_numpy()
            readings = _readings(roi, np.asarray(here) > 0)
        texts[one.channel] = {
            "follows": chance >= FOLLOWS,
            "probability": chance,
            "prior": one.probability,
            "by": one.by,
            "reason": one.reason,
            "readings": readings,
            "sentence": _demand_sentence(chance, one.reason, readings),
        }
    return texts


def _readings(roi: np.ndarray, present: np.ndarray) -> dict[str, Any] | None:
    """ROI where it follows and where it does not; None where one reading will do."""
    chance = present.mean()
    fewest = min(present.sum(), (~present).sum())
    if min(chance, 1 - chance) < LEAST or fewest < _LEAST_DRAWS:
        return None
    readings = {"follows": estimate(roi[present]), "not": estimate(roi[~present])}
    between = abs(roi[present].mean() - roi[~present].mean())
    return readings if between > _APART * roi.std() else None


def _times_apart(readings: Mapping[str, Any]) -> float:
    """How many times one mean is of the other."""
    means = [max(abs(readings[key]["mean"]), 1e-9) for key in ("follows", "not")]
    return max(means) / min(means)


def _demand_sentence(
    chance: float, reason: str, readings: Mapping[str, Any] | None
) -> str:
    """`Probability that its spend follows demand: 71 %. If it does, ROI is 1.4 …`."""
    if chance in (0.0, 1.0):
        return reason
    if readings is None:
        return say(
            "Probability that its spend follows demand: {odds}.",
            odds=fmt.probability(chance),
        )
    with_, without = (
        fmt.estimate(readings[key], "ratio") for key in ("follows", "not")
    )
    return say(
        "Probability that its spend follows demand: {odds}. If it does, its ROI is "
        "{following}; if not, {otherwise}. A lift test would settle it.",
        odds=fmt.probability(chance),
        following=with_,
        otherwise=without,
    )


def _certain_demand(names: list[str]) -> str:
    """What returns rest on whose channels are said to follow demand."""
    if not names:
        return ""
    if len(names) == 1:
        return say(
            "{names} follows demand: its return rests on carryover and "
            "prior; a lift test would settle it.",
            names=names[0],
        )
    return say(
        "{names} follow demand: their returns rest on carryover and "
        "prior; lift tests would settle them.",
        names=listed(names),
    )


def _likely_demand(chances: Mapping[str, float]) -> str:
    """What returns rest on whose channels more likely follow demand than not."""
    if not chances:
        return ""
    odds = ", ".join(fmt.probability(chance) for chance in chances.values())
    if len(chances) == 1:
        return say(
            "{names} probably follows demand ({odds}): its return then rests on "
            "carryover and prior; a lift test would settle it.",
            names=listed(list(chances)),
            odds=odds,
        )
    return say(
        "{names} probably follow demand ({odds}): their returns then rest on "
        "carryover and prior; lift tests would settle them.",
        names=listed(list(chances)),
        odds=odds,
    )


_PER_CHANNEL = {
    "roi": "roi",
    "mroi": "mroi",
    "cpik": "cpik",
    "effectiveness": "effectiveness",
    "contribution": "incremental_outcome",
    "contribution_share": "contribution",
}
#: What two fits are compared by, and what a fit at work says.
_IN_BRIEF = ("roi", "mroi", "contribution", "contribution_share")


def brief_rows(channels: xr.Dataset) -> list[dict[str, Any]]:
    """Channels as the summary has them, with their returns alone.

    Args:
        channels: What `core.analysis.returns.returns` gives.
    """
    every = (channels.isel(channel=i) for i in range(channels.sizes["channel"]))
    return [_about(channel) | _returned(channel, _IN_BRIEF) for channel in every]


def _about(channel: xr.Dataset) -> dict[str, Any]:
    spend = float(channel["spend"])
    return {
        "name": str(channel["channel"].item()),
        "kind": str(channel["kind"].item()),
        "spend": None if np.isnan(spend) else spend,
    }


def _returned(channel: xr.Dataset, keys: Iterable[str]) -> dict[str, Estimate]:
    return {key: estimate(channel[_PER_CHANNEL[key]].to_numpy()) for key in keys}


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
        by_year: What `core.analysis.by_period.years` gives.
        draws: Posterior variables, draws first; those that `channels` is of.

    Returns:
        Plain numbers; an estimate is mean, median, sd, lo, hi. Names of units come
        first; those of money and KPI are the project's to say. `contribution` is in
        outcome units, `contribution_share` a share of the expected outcome.
        `optimal_frequency` also has `best`, of the mean outcome, and `current`; it is
        None for channels without a frequency. `roi_last_year` is the ROI of the last
        year's outcome and spend; None where nothing was spent. `follows_demand` has
        the names of the channels that do more likely than not, and each paid channel
        how likely, why, and its ROI in either case, as `demand`.
    """
    optimal, priors = frequency_summary(by_frequency), prior_summary(model)
    units, demand = units_of(model), demand_of_channels(model, draws, channels)
    rows = []
    for place, name in enumerate(channels["channel"].to_numpy()):
        channel = channels.isel(channel=place)
        about = {
            "units": None if np.isnan(units[place]) else float(units[place]),
            "prior": priors[str(name)],
            "demand": demand.get(str(name)),
        }
        further = {
            "optimal_frequency": optimal.get(str(name)),
            "roi_last_year": _last_year(by_year, str(name)),
        }
        rows.append(
            _about(channel) | about | _returned(channel, _PER_CHANNEL) | further
        )
    baseline = channels["baseline_outcome"].to_numpy()
    expected = channels["expected_outcome"].to_numpy()
    data, fit_of = model.data, _fit_of(model, weeks)
    result: dict[str, Any] = dict.fromkeys(Measured.__struct_fields__) | {
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
        observed = np.asarray(is_seen, dtype=bool)
        sets = {"train": observed, "test": ~observed} | sets
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
