"""National markets with known truth, made by rules of their own.

Two families. `steady`: concave curves, moderate carryover, one kind of season; two of
the five channels hardly move. `redrawn`: returns, shapes from concave to S, carryover
from none to long, patterns, season, trend and noise all redrawn with each seed, and a
pair of channels that move together. Nothing here is used by the product.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.data.campaigns import PROFILES, activity, autoregression
from core.data.input_data import InputData, Treatments
from core.data.response import adstock, saturation

Family = Literal["steady", "redrawn"]

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
    """

    data: InputData
    roi: np.ndarray
    mroi: np.ndarray
    outcome: Callable[[int, float], float]


def market(family: Family, seed: int) -> Market:
    """A market of a family; the same seed gives the same market."""
    rng = np.random.default_rng([seed, len(family)])
    weeks = np.arange(_WEEKS)
    season, baseline = _baseline(rng, weeks, family)
    control = autoregression(rng, _WEEKS, persistence=0.7)
    effect = rng.uniform(0.01, 0.03) * control
    spend = np.stack([_spend(rng, place, season, family) for place in range(5)])
    if family == "redrawn":  # a pair that is bought together
        spend[3] = spend[3] * (0.3 + 0.7 * spend[2] / spend[2].mean())
    curves = [_curve(rng, family) for _ in _NAMES]
    roi = _roi(rng, family)
    share = rng.uniform(0.02, 0.08, 5) if family == "redrawn" else np.full(5, 0.05)
    scaled = spend / np.array([np.median(row[row > 0]) for row in spend])[:, None]

    def shape(place: int, multiple: float) -> np.ndarray:
        alpha, ec, slope = curves[place]
        carried = adstock(multiple * scaled[place : place + 1], alpha, _MAX_LAG)
        return saturation(carried, ec, slope)[0]

    total = _REVENUE * baseline.sum()
    worth = share * total
    height = [worth[place] / shape(place, 1.0).sum() for place in range(5)]
    cost = spend * (worth / roi / spend.sum(axis=1))[:, None]
    media = sum(height[place] * shape(place, 1.0) for place in range(5))
    noise = rng.uniform(0.02, 0.05) if family == "redrawn" else 0.03
    expected = _REVENUE * (baseline + effect) + media
    revenue = expected + noise * _REVENUE * rng.standard_normal(_WEEKS)

    def outcome(place: int, multiple: float) -> float:
        return float(height[place] * shape(place, multiple).sum())

    step = 0.01
    more = np.array([outcome(place, 1 + step) for place in range(5)])
    gained = more - np.array([outcome(place, 1.0) for place in range(5)])
    times = np.datetime64("2022-01-03") + 7 * weeks
    data = InputData(
        geos=("national",),
        times=times,
        media_times=times,
        kpi=np.maximum(revenue, 0.0)[None],
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=control[None, :, None],
        control_names=("control",),
        media=Treatments(_NAMES, spend.T[None], spend=cost.T[None]),
    )
    return Market(data, roi, gained / (step * cost.sum(axis=1)), outcome)


def _baseline(rng, weeks: np.ndarray, family: Family) -> tuple[np.ndarray, np.ndarray]:
    """Season and what sells without media, in units of a week's revenue."""
    turn = 2 * np.pi * weeks / _YEAR
    season = np.cos(turn - rng.uniform(0, 2 * np.pi))
    season += 0.3 * np.cos(2 * turn - rng.uniform(0, 2 * np.pi))
    strength, growth = 0.1, 0.05
    if family == "redrawn":
        strength, growth = rng.uniform(0.03, 0.2), rng.uniform(-0.05, 0.1)
    drift = 0.03 * autoregression(rng, len(weeks), persistence=0.98)
    level = 1.0 + strength * season + growth * weeks / _YEAR + drift
    for week in rng.choice(52, 3, replace=False):  # holidays
        level = level + rng.uniform(0.05, 0.15) * (weeks % 52 == week)
    return season, level


def _spend(rng, place: int, season: np.ndarray, family: Family) -> np.ndarray:
    """Media of one channel; the last two of a steady market hardly move."""
    if family == "steady" and place > 2:
        return np.exp(0.09 * rng.standard_normal(len(season)))
    profile = PROFILES[place if family == "steady" else int(rng.integers(0, 6))]
    return activity(rng, profile, season, 1)[0]


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
