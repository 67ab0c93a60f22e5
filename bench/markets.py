"""Markets with known truth, made by rules of their own.

Three families. `steady`: national, concave curves, moderate carryover, one kind of
season; two of the five channels hardly move. `redrawn`: national; returns, shapes from
concave to S, carryover from none to long, patterns, season, trend and noise all redrawn
with each seed, and a pair of channels that move together. `geo`: as `redrawn`, in eight
regions of different size, level, season and response. Nothing here is used by the
product.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.data.campaigns import PROFILES, activity, autoregression
from core.data.input_data import InputData, Treatments
from core.data.response import adstock, saturation

Family = Literal["steady", "redrawn", "geo"]

_WEEKS, _YEAR, _MAX_LAG = 156, 52.18, 8
_NAMES = ("TV", "Video", "Search", "Social", "Display")
_REVENUE = 1.0e6  # a week without media


@dataclass(frozen=True)
class Market:
    """A market and what is true of it.

    Attributes:
        data: As somebody would fit it.
        roi: True ROI of each channel.
        mroi: True marginal ROI of each channel.
        outcome: True incremental outcome of each channel at a multiple of its spend.
        shapes: True retention rate, half saturation and slope of each channel.
    """

    data: InputData
    roi: np.ndarray
    mroi: np.ndarray
    outcome: Callable[[int, float], float]
    shapes: tuple[tuple[float, float, float], ...]


def market(family: Family, seed: int) -> Market:
    """A market of a family; the same seed gives the same market."""
    rng = np.random.default_rng([seed, len(family)])
    weeks = np.arange(_WEEKS)
    people = _people(rng, family)
    n_geos = len(people)
    season, baseline = _baselines(rng, weeks, family, n_geos)
    control = np.stack(
        [autoregression(rng, _WEEKS, persistence=0.7) for _ in range(n_geos)]
    )
    effect = rng.uniform(0.01, 0.03) * control
    spend = np.stack([_spend(rng, place, season, family, n_geos) for place in range(5)])
    if family != "steady":  # a pair that is bought together
        spend[3] = spend[3] * (0.3 + 0.7 * spend[2] / spend[2].mean())
    curves = [_curve(rng, family) for _ in _NAMES]
    roi = _roi(rng, family)
    share = np.full(5, 0.05) if family == "steady" else rng.uniform(0.02, 0.08, 5)
    scaled = spend / np.array([np.median(row[row > 0]) for row in spend])[:, None, None]
    response = np.ones((5, n_geos))
    if family == "geo":
        response = np.exp(0.3 * rng.standard_normal((5, n_geos)))

    def shape(place: int, multiple: float) -> np.ndarray:
        alpha, ec, slope = curves[place]
        carried = adstock(multiple * scaled[place], alpha, _MAX_LAG)
        return (people * response[place])[:, None] * saturation(carried, ec, slope)

    level = _REVENUE * people[:, None]
    total = (level * baseline).sum()
    worth = share * total
    height = [worth[place] / shape(place, 1.0).sum() for place in range(5)]
    units = spend * people[:, None]
    cost = units * (worth / roi / units.sum(axis=(1, 2)))[:, None, None]
    media = sum(height[place] * shape(place, 1.0) for place in range(5))
    noise = 0.03 if family == "steady" else rng.uniform(0.02, 0.05)
    expected = level * (baseline + effect) + media
    revenue = expected + noise * level * rng.standard_normal((n_geos, _WEEKS))

    def outcome(place: int, multiple: float) -> float:
        return float(height[place] * shape(place, multiple).sum())

    step = 0.01
    more = np.array([outcome(place, 1 + step) for place in range(5)])
    gained = more - np.array([outcome(place, 1.0) for place in range(5)])
    times = np.datetime64("2022-01-03") + 7 * weeks
    data = InputData(
        geos=tuple(f"Region {geo + 1}" for geo in range(n_geos))
        if n_geos > 1
        else ("national",),
        times=times,
        media_times=times,
        kpi=np.maximum(revenue, 0.0),
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=people,
        controls=control[:, :, None],
        control_names=("control",),
        media=Treatments(
            _NAMES, np.moveaxis(units, 0, -1), spend=np.moveaxis(cost, 0, -1)
        ),
    )
    marginal = gained / (step * cost.sum(axis=(1, 2)))
    return Market(data, roi, marginal, outcome, tuple(curves))


def _people(rng, family: Family) -> np.ndarray:
    """Size of each region, that of the whole market 1."""
    if family != "geo":
        return np.ones(1)
    size = np.exp(0.7 * rng.standard_normal(8))
    return size / size.sum()


def _baselines(
    rng, weeks: np.ndarray, family: Family, n_geos: int
) -> tuple[np.ndarray, np.ndarray]:
    """Season of the market, and what sells without media in each region, per head."""
    season, baseline = _baseline(rng, weeks, family)
    if n_geos == 1:
        return season, baseline[None]
    high = np.exp(0.2 * rng.standard_normal(n_geos))[:, None]
    swing = 0.03 * rng.standard_normal(n_geos)[:, None] * season
    drift = [autoregression(rng, len(weeks), persistence=0.98) for _ in range(n_geos)]
    return season, high * (baseline + swing + 0.02 * np.stack(drift))


def _baseline(rng, weeks: np.ndarray, family: Family) -> tuple[np.ndarray, np.ndarray]:
    """Season and what sells without media, in units of a week's revenue."""
    turn = 2 * np.pi * weeks / _YEAR
    season = np.cos(turn - rng.uniform(0, 2 * np.pi))
    season += 0.3 * np.cos(2 * turn - rng.uniform(0, 2 * np.pi))
    strength, growth = 0.1, 0.05
    if family != "steady":
        strength, growth = rng.uniform(0.03, 0.2), rng.uniform(-0.05, 0.1)
    drift = 0.03 * autoregression(rng, len(weeks), persistence=0.98)
    level = 1.0 + strength * season + growth * weeks / _YEAR + drift
    for week in rng.choice(52, 3, replace=False):  # holidays
        level = level + rng.uniform(0.05, 0.15) * (weeks % 52 == week)
    return season, level


def _spend(
    rng, place: int, season: np.ndarray, family: Family, n_geos: int
) -> np.ndarray:
    """Media of one channel per head, geo week; the last two of steady hardly move."""
    if family == "steady" and place > 2:
        return np.exp(0.09 * rng.standard_normal((n_geos, len(season))))
    profile = PROFILES[place if family == "steady" else int(rng.integers(0, 6))]
    return activity(rng, profile, season, n_geos)


def _curve(rng, family: Family) -> tuple[float, float, float]:
    """Retention rate, half saturation, slope."""
    if family == "steady":
        return float(rng.uniform(0.2, 0.6)), float(rng.uniform(0.6, 1.6)), 1.0
    slope = float(np.exp(0.4 * rng.standard_normal()))
    return float(rng.uniform(0.0, 0.8)), float(rng.uniform(0.4, 2.5)), slope


def _roi(rng, family: Family) -> np.ndarray:
    if family == "steady":
        return np.exp(rng.permutation([-0.5, -0.1, 0.2, 0.5, 1.0]))
    return np.exp(0.2 + 0.7 * rng.standard_normal(5))
