"""Campaigns: when and how hard the channels of a simulated market advertise.

Flights come and go; always-on channels swell and ebb and pause now and then. Little of
it follows the season, so that media and season can be told apart.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Profile:
    """How one channel is bought.

    Attributes:
        name: The channel.
        unit: What its media is counted in.
        price: Cost of one unit, currency.
        pattern: Flights with pauses, or always on.
        carryover: Range of its retention rate per week.
        half_saturation: Range of scaled media at which half of the effect is reached.
    """

    name: str
    unit: Literal["impressions", "clicks"]
    price: float
    pattern: Literal["flights", "always_on"]
    carryover: tuple[float, float]
    half_saturation: tuple[float, float]


PROFILES: tuple[Profile, ...] = (
    Profile("TV", "impressions", 0.018, "flights", (0.5, 0.8), (0.6, 1.8)),
    Profile("Video", "impressions", 0.012, "flights", (0.3, 0.6), (0.6, 1.6)),
    Profile("Search", "clicks", 0.85, "always_on", (0.05, 0.3), (0.5, 1.5)),
    Profile("Social", "impressions", 0.007, "always_on", (0.2, 0.5), (0.6, 1.6)),
    Profile("Display", "impressions", 0.003, "always_on", (0.2, 0.5), (0.6, 1.8)),
    Profile("Radio", "impressions", 0.006, "flights", (0.3, 0.6), (0.6, 1.6)),
)


def activity(
    rng: np.random.Generator, profile: Profile, season: np.ndarray, n_geos: int
) -> np.ndarray:
    """How hard a channel advertises; geo time, positive or zero, of any scale.

    Args:
        rng: Source of randomness.
        profile: How the channel is bought.
        season: Season of each period, about -1 to 1.
        n_geos: Number of geos; each follows the national plan loosely.
    """
    n_times = len(season)
    plan = {"flights": _flights, "always_on": _always_on}[profile.pattern]
    national = plan(rng, n_times) * (1.0 + 0.15 * season)
    local = np.exp(0.3 * rng.standard_normal((n_geos, n_times)))
    if n_geos == 1:
        return national[None, :] * local**0.5
    own = np.stack([plan(rng, n_times) for _ in range(n_geos)])
    return (0.6 * national[None, :] + 0.4 * own) * local


def autoregression(
    rng: np.random.Generator, n_times: int, *, persistence: float
) -> np.ndarray:
    """A stationary series with unit variance: $x_t = rho x_{t-1} + e_t$."""
    steps = rng.standard_normal(n_times)
    series = np.empty(n_times)
    series[0] = steps[0]
    scale = np.sqrt(1.0 - persistence**2)
    for time in range(1, n_times):
        series[time] = persistence * series[time - 1] + scale * steps[time]
    return series


def _flights(rng: np.random.Generator, n_times: int) -> np.ndarray:
    """Flights of 3 to 8 weeks with pauses of 2 to 9 weeks."""
    series = np.zeros(n_times)
    time = int(rng.integers(0, 6))
    while time < n_times:
        length = int(rng.integers(3, 9))
        height = np.exp(0.4 * rng.standard_normal())
        weekly = np.exp(0.15 * rng.standard_normal(length))
        stop = min(time + length, n_times)
        series[time:stop] = height * weekly[: stop - time]
        time = stop + int(rng.integers(2, 10))
    return series


def _always_on(rng: np.random.Generator, n_times: int) -> np.ndarray:
    """Every week, in waves, with bursts and some paused weeks."""
    series = np.exp(0.5 * autoregression(rng, n_times, persistence=0.6))
    bursts = rng.random(n_times) < 0.08
    series[bursts] *= rng.uniform(1.5, 2.5, bursts.sum())
    series[rng.random(n_times) < 0.06] = 0.0
    return series
