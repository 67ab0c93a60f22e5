"""Simulated markets with known truth, for the demo and for tests of recovery.

A market is made by the model that is fitted to it: sales per head are a baseline
(trend, season, geo), controls, and adstocked, saturated media, plus noise. So the
truth of every channel is known: ROI, retention rate, half saturation and slope.

    python -m core.data.simulate --out assets/examples

writes the example tables `demo_national.csv` and `demo_geo.csv`, and what is true of
them as `demo_national.truth.json` and `demo_geo.truth.json`.

Response: what media does in a simulated market, in NumPy, as the model has it.

Written apart from the model that is fitted, so that a simulated truth does not depend
on the code it is to check.
"""

import argparse
import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from core.data.mapping import ChannelColumns, ColumnMapping
from core.data.recognition.campaigns import PROFILES, Profile, activity, autoregression


def adstock(media: np.ndarray, alpha: float, max_lag: int) -> np.ndarray:
    r"""Geometric adstock over time, nothing before the first period; geo time.

    $\sum_{\ell=0}^{L} \alpha^\ell x_{t-\ell} / \sum_{\ell=0}^{L} \alpha^\ell$
    """
    n_lags = min(max_lag + 1, media.shape[1])
    weights = alpha ** np.arange(n_lags)
    summed = sum(
        weight * np.pad(media, ((0, 0), (lag, 0)))[:, : media.shape[1]]
        for lag, weight in enumerate(weights)
    )
    return summed / weights.sum()


def saturation(media: np.ndarray, ec: float, slope: float) -> np.ndarray:
    """Hill: $x^s / (x^s + ec^s)$."""
    return media**slope / (media**slope + ec**slope)


def scaled_media(units: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Media units per head over the median of those that are not zero; geo time."""
    per_head = units / people[:, None]
    return per_head / np.median(per_head[per_head > 0])


#: Seed and geos of the demo markets.
DEMO_SEED = 11
DEMO_GEOS = 12

_GEO_NAMES = (
    *("North Coast", "Harbour", "Lowlands", "Midlands", "Capital", "River Valley"),
    *("West Hills", "Lake District", "Uplands", "South Bay", "Islands", "Border"),
)
_PEOPLE = 24_000_000
_WEEKLY_SALES = 120_000.0
_WEEK = 52.18
_CONTROLS = ("Price_index", "Competitor_activity", "Promotion_control")


@dataclass(frozen=True)
class Market:
    """A simulated market.

    Attributes:
        frame: A table as somebody would upload it.
        mapping: The roles of its columns.
        truth: For each channel `roi` (incremental revenue over spend in the whole
            window), `alpha`, `ec` and `slope`, in the model's units.
        effects: For each channel what the same media per head do in each geo,
            relative to one another.
    """

    frame: pd.DataFrame
    mapping: ColumnMapping
    truth: dict[str, dict[str, float]]
    effects: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class _Base:
    """What a market does without media, geo time where it says nothing else.

    Attributes:
        times: Mondays.
        people: Population, geo.
        season: Season of each period, about -1 to 1; time.
        sales: Sales per head without media and noise.
        controls: geo time control.
        price: Revenue per unit sold, currency.
    """

    times: np.ndarray
    people: np.ndarray
    season: np.ndarray
    sales: np.ndarray
    controls: np.ndarray
    price: np.ndarray


def simulate_market(
    seed: int,
    *,
    n_geos: int = 1,
    n_times: int = 156,
    max_lag: int = 8,
    slope: float = 1.0,
    noise: float | None = None,
    geo_spread: float = 0.15,
) -> Market:
    """A market of weekly data with six paid channels and three controls.

    ROIs are drawn from LogNormal(0.2, 0.9) between 0.3 and 4, the default prior
    without its tails; every channel brings 2 to 12 % of revenue. Media before the
    first week is zero.

    Args:
        seed: The same seed gives the same market.
        n_geos: Number of geos; one gives a national table without a geo column.
        n_times: Number of weeks.
        max_lag: Longest carryover, weeks.
        slope: Steepness of saturation, the same for every channel.
        noise: Standard deviation of sales around their expectation, as a share of
            them; None for 3 % nationally and 5 % in geos.
        geo_spread: Standard deviation of a channel's effect over geos, in logarithms.
    """
    base = _base(seed, n_geos, n_times)
    profiles = {profile.name: _draw(seed, profile) for profile in PROFILES}
    revenue = (base.people[:, None] * base.sales * base.price).sum()
    total = revenue / (1.0 - sum(share for _, share, _, _ in profiles.values()))
    columns: dict[str, np.ndarray] = {}
    truth: dict[str, dict[str, float]] = {}
    effects: dict[str, np.ndarray] = {}
    expected = base.sales.copy()
    for profile in PROFILES:
        roi, share, alpha, ec = profiles[profile.name]
        cost, units = _bought(seed, profile, base, share * total / roi)
        scaled = scaled_media(units, base.people)
        shape = saturation(adstock(scaled, alpha, max_lag), ec, slope)
        varied = _rng(seed, f"effect {profile.name}").normal(size=n_geos)
        effects[profile.name] = effect = np.exp(geo_spread * varied)
        response = effect[:, None] * shape
        worth = (base.people[:, None] * response * base.price).sum()
        response *= share * total / worth
        expected += response
        gained = (base.people[:, None] * response * base.price).sum()
        columns[f"{profile.name}_{profile.unit}"] = units
        columns[f"{profile.name}_spend"] = cost
        roi = float(gained / cost.sum())
        truth[profile.name] = {"roi": roi, "alpha": alpha, "ec": ec, "slope": slope}
    spread = noise if noise is not None else (0.03 if n_geos == 1 else 0.05)
    around = spread * expected.mean() * _rng(seed, "noise").normal(size=expected.shape)
    sales = np.maximum(np.rint(base.people[:, None] * (expected + around)), 0.0)
    return Market(_frame(base, columns, sales), _mapping(n_geos), truth, effects)


def _rng(seed: int, purpose: str) -> np.random.Generator:
    """One stream of random numbers per purpose, so that none disturbs another."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def _draw(seed: int, profile: Profile) -> tuple[float, float, float, float]:
    """ROI, share of revenue, retention rate and half saturation of a channel."""
    rng = _rng(seed, f"truth {profile.name}")
    roi = 0.0
    while not 0.3 <= roi <= 4.0:
        roi = float(np.exp(0.2 + 0.9 * rng.standard_normal()))
    low, high = max(0.02, 0.008 * roi), min(0.12, 0.07 * roi)
    share = float(rng.uniform(low, max(low, high)))
    alpha = float(rng.uniform(*profile.carryover))
    return roi, share, alpha, float(rng.uniform(*profile.half_saturation))


def _base(seed: int, n_geos: int, n_times: int) -> _Base:
    """Baseline, controls and prices."""
    rng = _rng(seed, "base")
    weeks = np.arange(n_times)
    phase = rng.uniform(0.8, 1.1) * _WEEK  # the peak is around the turn of the year
    turn = 2 * np.pi * (weeks - phase) / _WEEK
    season = np.cos(turn) + rng.uniform(0.1, 0.3) * np.cos(2 * turn + rng.uniform(0, 6))
    growth = rng.uniform(-0.02, 0.08) * weeks / _WEEK
    bend = 0.04 * np.sin(np.pi * weeks / n_times + rng.uniform(0, 3))
    level = 1.0 + rng.uniform(0.06, 0.12) * season + growth + bend
    controls, effects = _controls(rng, weeks, n_geos)
    people = np.ones(1)
    if n_geos > 1:
        sizes = np.exp(0.7 * rng.standard_normal(n_geos))
        people = np.rint(_PEOPLE * sizes / sizes.sum())
    place = 1.0 + (0.1 * rng.standard_normal(n_geos) if n_geos > 1 else np.zeros(1))
    sales = level[None, :] * 1.0 + (place - 1.0)[:, None] + effects
    price = 30.0 * (1.0 + 0.02 * weeks / _WEEK)[None, :]
    own = [autoregression(rng, n_times, persistence=0.9) for _ in range(n_geos)]
    return _Base(
        times=np.datetime64("2022-01-03") + 7 * weeks,
        people=people,
        season=season,
        sales=sales * _WEEKLY_SALES / people.sum(),
        controls=controls,
        price=np.round(price * (1.0 + 0.01 * np.stack(own)), 2),
    )


def _controls(
    rng: np.random.Generator, weeks: np.ndarray, n_geos: int
) -> tuple[np.ndarray, np.ndarray]:
    """Price index, competitors and promotions, and what they do to sales; geo time."""
    n_times = len(weeks)

    def wandering(scale: float, persistence: float) -> np.ndarray:
        together = autoregression(rng, n_times, persistence=persistence)
        apart = [
            autoregression(rng, n_times, persistence=persistence) for _ in range(n_geos)
        ]
        return scale * (0.8 * together[None, :] + 0.6 * np.stack(apart))

    price = np.round(100.0 + wandering(3.0, 0.8), 2)
    rivals = np.round(np.clip(50.0 + wandering(15.0, 0.7), 0.0, 100.0), 1)
    depth = np.zeros((n_geos, n_times))
    year = weeks % _WEEK
    for week in (6, 14, 26, 37, 46, 50):  # sales, Easter, summer, autumn, gifts
        here = np.abs(year - week - rng.integers(-1, 2)) < rng.uniform(0.6, 1.2)
        discount = rng.uniform(0.08, 0.25)
        local = np.clip(1.0 + 0.25 * rng.standard_normal((n_geos, 1)), 0.2, 1.6)
        varied = np.clip(1.0 + 0.1 * rng.standard_normal((n_geos, n_times)), 0.5, 1.5)
        depth += here[None, :] * discount * local * varied
    promotion = np.round(np.clip(depth, 0.0, 0.4), 3)
    effects = (
        -0.8 * (price / 100.0 - 1.0)
        - 0.002 * (rivals - 50.0)
        + rng.uniform(0.5, 0.9) * promotion
    )
    return np.stack([price, rivals, promotion], axis=-1), effects


def _bought(
    seed: int, profile: Profile, base: _Base, budget: float
) -> tuple[np.ndarray, np.ndarray]:
    """Spend in currency and the media units bought with it; geo time."""
    rng = _rng(seed, f"campaign {profile.name}")
    plan = activity(rng, profile, base.season, len(base.people))
    plan = plan * base.people[:, None]
    cost = np.round(budget * plan / plan.sum(), 2)
    drift = 0.05 * autoregression(rng, len(base.season), persistence=0.8)
    price = profile.price * (1.0 + 0.04 * base.season + drift)
    return cost, np.rint(cost / price[None, :])


def _frame(
    base: _Base, columns: dict[str, np.ndarray], sales: np.ndarray
) -> pd.DataFrame:
    """The table, one row per geo and week."""
    n_geos, n_times = sales.shape
    table: dict[str, np.ndarray] = {}
    if n_geos > 1:
        table["Region"] = np.repeat(np.array(_names(n_geos)), n_times)
    table["Week"] = np.tile(np.datetime_as_string(base.times), n_geos)
    for name, values in columns.items():
        is_count = not name.endswith("_spend")
        table[name] = values.ravel().astype(np.int64) if is_count else values.ravel()
    for at, name in enumerate(_CONTROLS):
        table[name] = base.controls[:, :, at].ravel()
    table["Sales_units"] = sales.ravel().astype(np.int64)
    table["Revenue_per_unit"] = base.price.ravel()
    if n_geos > 1:
        table["Population"] = np.repeat(base.people, n_times).astype(np.int64)
    return pd.DataFrame(table)


def _names(n_geos: int) -> list[str]:
    return [
        _GEO_NAMES[at] if at < len(_GEO_NAMES) else f"Region {at + 1}"
        for at in range(n_geos)
    ]


def _mapping(n_geos: int) -> ColumnMapping:
    """The roles of the table's columns."""
    return ColumnMapping(
        time="Week",
        kpi="Sales_units",
        geo="Region" if n_geos > 1 else None,
        kpi_type="non_revenue",
        revenue_per_kpi="Revenue_per_unit",
        population="Population" if n_geos > 1 else None,
        controls=_CONTROLS,
        channels=tuple(
            ChannelColumns(
                name=profile.name,
                kind="media",
                media=f"{profile.name}_{profile.unit}",
                spend=f"{profile.name}_spend",
            )
            for profile in PROFILES
        ),
    )


def main() -> None:
    """Write the example tables."""
    parser = argparse.ArgumentParser(description="Write the example tables.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for name, n_geos in (("national", 1), ("geo", DEMO_GEOS)):
        market = simulate_market(DEMO_SEED, n_geos=n_geos)
        market.frame.to_csv(folder / f"demo_{name}.csv", index=False)
        content = json.dumps({"channels": market.truth}, indent=1)
        (folder / f"demo_{name}.truth.json").write_text(f"{content}\n")


if __name__ == "__main__":
    main()
