"""Markets with known truth, made by rules of their own.

Fourteen families. Six are bought by plan, with effects that stay and noise without
memory.
`steady`: national, concave curves, moderate carryover, one kind of season; two of the
five channels hardly move. `redrawn`: national; returns, shapes from concave to S,
carryover from none to long, patterns, season, trend and noise all redrawn with each
seed, and a pair of channels that move together. `geo`: as `redrawn`, in eight regions
of different size, level, season and response. `pulsing`, `always_on` and `mixed`:
national, baselines as `redrawn`; channels burst over a small level that never stops, or
run every week within narrow bounds, or some do this and some that. Their curves are
concave exponentials and Hill curves, from nearly linear to half saturated at 0.4 times
the exposure at which a typical unit of money is spent.

The others are the markets of `redrawn` (`geo` where the name ends so) with the same
seed and one fault each. `following_weak`, `following_strong`, `following_geo`: Search
and Social are bought after the season and a hidden demand that also moves sales.
`following_hidden`: demand weighs more, Search follows it further than Social, nothing
in spend answers to the season, and Search is called Search, Brand or channel_5, by the
seed. `drifting`,
`drifting_geo`: what each channel brings changes over the years. `rough`,
`rough_geo`: noise goes on from one week to the next. `idle`: two channels, by the seed,
do nothing. Nothing here is used by the product.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from core.data.input_data import InputData, Treatments
from core.data.recognition.campaigns import PROFILES, activity, autoregression
from core.data.simulate import adstock, saturation

Family = Literal[
    "steady",
    "redrawn",
    "geo",
    "pulsing",
    "always_on",
    "mixed",
    "following_weak",
    "following_strong",
    "following_hidden",
    "following_geo",
    "drifting",
    "drifting_geo",
    "rough",
    "rough_geo",
    "idle",
]

_WEEKS, _YEAR, _MAX_LAG = 156, 52.18, 8
_NAMES = ("TV", "Video", "Search", "Social", "Display")
_FOLLOWERS = (2, 3)
#: What Search is called in `following_hidden`.
_CALLED = ("Search", "Brand", "channel_5")
_REVENUE = 1.0e6  # a week without media

#: Streams of random numbers of the plain markets, and of what a fault adds to them.
_STREAM = {
    "steady": 6,
    "redrawn": 7,
    "geo": 3,
    "pulsing": 12,
    "always_on": 13,
    "mixed": 14,
}
_FAULTS = 11

#: Families whose channels differ in how they are bought.
BOUGHT = ("pulsing", "always_on", "mixed")

#: How a follower's log spend answers to one sd of hidden demand, and to the season.
_FOLLOWING = {
    "following_weak": (0.12, 0.25),
    "following_strong": (0.35, 0.6),
    "following_hidden": (0.6, 0.0),
    "following_geo": (0.35, 0.6),
}


class Faults(NamedTuple):
    """What a family does that a plain market does not.

    Attributes:
        demand: Hidden demand, sd one; geo time. Zero where there is none.
        weight: What one sd of it adds to sales, share of the level.
        follows: How log spend of a follower answers to demand and to the season.
        drift: What each channel's effect is multiplied by, channel time.
        memory: Share of the noise of a week that goes on into the next.
        idle: Places of the channels that do nothing.
    """

    demand: np.ndarray
    weight: float
    follows: tuple[float, float]
    drift: np.ndarray
    memory: float
    idle: tuple[int, ...] = ()


@dataclass(frozen=True)
class Market:
    """A market and what is true of it.

    Attributes:
        data: As somebody would fit it.
        roi: True ROI of each channel.
        mroi: True marginal ROI of each channel.
        outcome: True incremental outcome of each channel at a multiple of its spend.
        shapes: True retention rate, half saturation and slope of each channel, in
            medians of running weeks; none where some curve is no Hill curve.
        roi_last_year: ROI of the last 52 weeks' outcome and spend; None where not
            worked out.
        demand: Hidden demand that sales and followers answer to, geo time; None
            where there is none.
        followers: Names of the channels that are bought after demand.
    """

    data: InputData
    roi: np.ndarray
    mroi: np.ndarray
    outcome: Callable[[int, float], float]
    shapes: tuple[tuple[float, float, float], ...]
    roi_last_year: np.ndarray | None = None
    demand: np.ndarray | None = None
    followers: tuple[str, ...] = ()


class Curve(NamedTuple):
    """Carryover and saturation of one channel.

    Attributes:
        alpha: Retention rate per week.
        half: Scaled media at which a Hill curve is one half; the scale of an
            exponential.
        slope: Of a Hill curve; zero for 1 - exp(-x / half).
    """

    alpha: float
    half: float
    slope: float

    def __call__(self, carried: np.ndarray) -> np.ndarray:
        """Share of the most that the channel can do."""
        if self.slope == 0:
            return 1.0 - np.exp(-carried / self.half)
        return saturation(carried, self.half, self.slope)


def plain(family: Family) -> str:
    """The family whose markets a family has with a fault added."""
    if family in _STREAM:
        return family
    return "geo" if family.endswith("geo") else "redrawn"


def market(family: Family, seed: int) -> Market:
    """A market of a family; the same seed gives the same market."""
    base = plain(family)
    rng = np.random.default_rng([seed, _STREAM[base]])
    weeks, names = np.arange(_WEEKS), _names(family, seed)
    people = _people(rng, base)
    n_geos = len(people)
    season, baseline = _baselines(rng, weeks, base, n_geos)
    control = np.stack(
        [autoregression(rng, _WEEKS, persistence=0.7) for _ in range(n_geos)]
    )
    effect = rng.uniform(0.01, 0.03) * control
    spend = np.stack([_spend(rng, place, season, base, n_geos) for place in range(5)])
    if base in ("redrawn", "geo"):  # a pair that is bought together
        spend[3] = spend[3] * (0.3 + 0.7 * spend[2] / spend[2].mean())
    faults = _faults(np.random.default_rng([seed, _FAULTS]), family, n_geos)
    followers = _FOLLOWERS if any(faults.follows) else ()
    for place in followers:
        by_demand, by_season = faults.follows
        if family == "following_hidden" and place == _FOLLOWERS[1]:
            by_demand = by_demand / 3
        spend[place] *= np.exp(by_demand * faults.demand + by_season * season)
    scaled = spend / np.array([np.median(row[row > 0]) for row in spend])[:, None, None]
    curves = [_curve(rng, base, media) for media in scaled]
    roi = _roi(rng, base)
    share = np.full(5, 0.05) if base == "steady" else rng.uniform(0.02, 0.08, 5)
    response = np.ones((5, n_geos))
    if base == "geo":
        response = np.exp(0.3 * rng.standard_normal((5, n_geos)))

    def shape(place: int, multiple: float) -> np.ndarray:
        curve = curves[place]
        carried = adstock(multiple * scaled[place], curve.alpha, _MAX_LAG)
        by_geo = (people * response[place])[:, None]
        return by_geo * curve(carried) * faults.drift[place]

    level = _REVENUE * people[:, None]
    total = (level * baseline).sum()
    worth = share * total
    height = [worth[place] / shape(place, 1.0).sum() for place in range(5)]
    units = spend * people[:, None]
    cost = units * (worth / roi / units.sum(axis=(1, 2)))[:, None, None]
    for place in faults.idle:
        height[place] = roi[place] = 0.0
    brought = np.stack([height[place] * shape(place, 1.0) for place in range(5)])
    noise = 0.03 if base == "steady" else rng.uniform(0.02, 0.05)
    expected = level * (baseline + effect + faults.weight * faults.demand)
    shocks = _with_memory(rng.standard_normal((n_geos, _WEEKS)), faults.memory)
    revenue = expected + brought.sum(axis=0) + noise * level * shocks

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
            names, np.moveaxis(units, 0, -1), spend=np.moveaxis(cost, 0, -1)
        ),
    )
    last = slice(_WEEKS - 52, None)
    return Market(
        data=data,
        roi=roi,
        roi_last_year=brought[:, :, last].sum((1, 2)) / cost[:, :, last].sum((1, 2)),
        mroi=gained / (step * cost.sum(axis=(1, 2))),
        outcome=outcome,
        shapes=tuple(curves) if all(curve.slope for curve in curves) else (),
        demand=faults.demand if followers else None,
        followers=tuple(names[place] for place in followers),
    )


def _names(family: Family, seed: int) -> tuple[str, ...]:
    """Names of the channels."""
    if family != "following_hidden":
        return _NAMES
    return (*_NAMES[:2], _CALLED[seed % len(_CALLED)], *_NAMES[3:])


def _faults(rng, family: Family, n_geos: int) -> Faults:
    """What the family adds to a plain market, from a separate stream of numbers."""
    none = np.zeros((n_geos, _WEEKS))
    faults = Faults(none, 0.0, (0.0, 0.0), np.ones((5, 1, _WEEKS)), 0.0)
    if family in _FOLLOWING:
        memory = rng.uniform(0.3, 0.8)
        everywhere = autoregression(rng, _WEEKS, persistence=memory)
        local = [autoregression(rng, _WEEKS, persistence=memory) for _ in none]
        demand = np.broadcast_to(everywhere, none.shape)
        if n_geos > 1:  # some of it is of one region only
            demand = 0.95 * everywhere + 0.3 * np.stack(local)
        # Demand without a season has to weigh more to be worth following.
        heavy = family == "following_hidden"
        weight = rng.uniform(0.06, 0.15) if heavy else rng.uniform(0.03, 0.06)
        faults = faults._replace(
            demand=demand, weight=weight, follows=_FOLLOWING[family]
        )
    if family.startswith("drifting"):
        years = (np.arange(_WEEKS) - _WEEKS / 2) / (_WEEKS / 2)
        slope = rng.uniform(-0.5, 0.5, (5, 1))
        wave = rng.uniform(0.0, 0.25, (5, 1))
        turn = np.pi * rng.uniform(0.5, 1.5, (5, 1)) * years
        phase = rng.uniform(0, 2 * np.pi, (5, 1))
        drift = np.exp(slope * years + wave * np.sin(turn + phase))
        faults = faults._replace(drift=drift[:, None, :])
    if family.startswith("rough"):
        faults = faults._replace(memory=rng.uniform(0.4, 0.8))
    if family == "idle":
        faults = faults._replace(idle=tuple(rng.choice(5, 2, replace=False)))
    return faults


def _with_memory(shocks: np.ndarray, memory: float) -> np.ndarray:
    """AR(1) noise of variance one from independent shocks; geo time."""
    noise = shocks.copy()
    for week in range(1, shocks.shape[1]):
        noise[:, week] = memory * noise[:, week - 1]
        noise[:, week] += np.sqrt(1.0 - memory**2) * shocks[:, week]
    return noise


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
    if family in BOUGHT:
        pulses = rng.random() < {"pulsing": 1.0, "always_on": 0.0, "mixed": 0.5}[family]
        return (_pulses if pulses else _every_week)(rng, len(season))[None]
    profile = PROFILES[place if family == "steady" else int(rng.integers(0, 6))]
    return activity(rng, profile, season, n_geos)


def _pulses(rng, n_weeks: int) -> np.ndarray:
    """Bursts in a rhythm, over a small level that never stops."""
    turn = 2 * np.pi * np.arange(n_weeks) / rng.uniform(6, 14)
    bursts = np.clip(np.sin(turn + rng.uniform(0, 2 * np.pi)), 0, None)
    level = rng.uniform(0.02, 0.15) + bursts
    return level * np.exp(0.25 * rng.standard_normal(n_weeks))


def _every_week(rng, n_weeks: int) -> np.ndarray:
    """Every week, within bounds that differ between channels."""
    waves = autoregression(rng, n_weeks, persistence=rng.uniform(0.0, 0.8))
    return np.exp(rng.uniform(0.15, 0.45) * waves)


def _curve(rng, family: Family, media: np.ndarray) -> Curve:
    """Carryover and saturation; `media` in medians of running weeks, geo week."""
    if family == "steady":
        return Curve(float(rng.uniform(0.2, 0.6)), float(rng.uniform(0.6, 1.6)), 1.0)
    if family in BOUGHT:
        alpha = float(rng.uniform(0.0, 0.8))
        carried = adstock(media, alpha, _MAX_LAG)
        typical = (media * carried).sum() / media.sum()
        half = typical * float(np.exp(rng.uniform(np.log(0.4), np.log(6.0))))
        is_hill, slope = rng.random() < 0.5, float(rng.uniform(0.8, 2.0))
        return Curve(alpha, half, slope if is_hill else 0.0)
    slope = float(np.exp(0.4 * rng.standard_normal()))
    return Curve(float(rng.uniform(0.0, 0.8)), float(rng.uniform(0.4, 2.5)), slope)


def _roi(rng, family: Family) -> np.ndarray:
    if family == "steady":
        return np.exp(rng.permutation([-0.5, -0.1, 0.2, 0.5, 1.0]))
    return np.exp(0.2 + 0.7 * rng.standard_normal(5))
