r"""Markets with a step on the way, whose truth is known.

    queries_gt = base_g season_t e^noise + sum_c effect_c Hill(AdStock(media_c))
    clicks_gt  = share queries_gt e^noise          paid search follows queries
    sales_gt   = base_g season_t + noise + sum_c direct_c + worth carryover(queries)

Television and online video move queries; queries sell, late; paid search buys a share
of them. A model without queries gives search what queries brought, and television too
little; one with queries as a control takes from television what it caused.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

UPPER, LOWER = ("TV", "Video"), ("Search", "Display")
PAID = UPPER + LOWER
MEDIATOR, KPI = "queries", "revenue"


@dataclass(frozen=True)
class FunnelMarket:
    """A table and its truth.

    Attributes:
        table: One row per geo and week.
        direct: Outcome of each channel without that by way of queries, currency.
        total: Outcome of each channel, currency.
        caused: Queries that each channel caused.
        parts: Outcome of each channel's direct part and of all queries, by cell.
    """

    table: pd.DataFrame
    direct: dict[str, float]
    total: dict[str, float]
    caused: dict[str, float]
    parts: dict[str, np.ndarray]


def carried(values: np.ndarray, alpha: float, n_lags: int = 9) -> np.ndarray:
    """Normalised geometric carryover over the last axis."""
    weights = alpha ** np.arange(n_lags)
    weights /= weights.sum()
    padded = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(n_lags - 1, 0)])
    n = values.shape[-1]
    start = n_lags - 1
    return sum(
        w * padded[..., start - i : start - i + n] for i, w in enumerate(weights)
    )


def hill(x: np.ndarray, half: float, slope: float) -> np.ndarray:
    """The share of the largest effect that x reaches."""
    return x**slope / (x**slope + half**slope)


def funnel_market(
    seed: int,
    n_geos: int = 6,
    n_weeks: int = 104,
    hidden: float = 0.0,
    quoted: bool = False,
) -> FunnelMarket:
    """A market.

    Args:
        seed: Of everything drawn.
        n_geos: Regions.
        n_weeks: Weeks.
        hidden: Standard deviation of a demand that moves queries and sales alike, as
            shares of their bases.
        quoted: Markets of the arithmetic that vendors quote: paid search buys nearly
            the same share of queries in every week, and brings more by itself.
    """
    rng = np.random.default_rng(seed)
    people = rng.uniform(4e5, 2e6, n_geos)[:, None]
    week = np.arange(n_weeks)
    season = 1 + 0.12 * np.sin(2 * np.pi * week / 52 + rng.uniform(0, 6))
    shape = (n_geos, n_weeks)
    price = dict(zip(PAID, rng.uniform(0.008, 0.02, 4), strict=True))
    flights = {
        "TV": _bursts(rng, shape, 0.5),
        "Video": _bursts(rng, shape, 0.7),
        "Display": rng.gamma(6.0, 1 / 6, shape),
    }
    media = {name: people * 2 * flight for name, flight in flights.items()}
    demand = hidden * _smooth_noise(rng, n_weeks)
    base = people * 0.05
    queries = base * season * np.exp(demand + rng.normal(0, 0.04, shape))
    shares = {"TV": rng.uniform(0.12, 0.25), "Video": rng.uniform(0.05, 0.12)}
    caused = {}
    for name, share in shares.items():
        works = hill(
            carried(media[name] / people, rng.uniform(0.3, 0.6)),
            rng.uniform(1.5, 4.0),
            rng.uniform(1.0, 1.6),
        )
        caused[name] = share * base * works / works.mean()
    queries = queries + sum(caused.values())
    clicks = 0.3 * queries * np.exp(rng.normal(0, 0.08 if quoted else 0.25, shape))
    media["Search"] = clicks
    price["Search"] = rng.uniform(0.4, 0.8)
    level = people * 0.5
    alpha, worth = rng.uniform(0.2, 0.5), 0.30 * 0.5 / 0.05
    parts = {"TV": rng.uniform(0.01, 0.05), "Video": rng.uniform(0.01, 0.04)}
    parts |= {"Search": rng.uniform(0.03, 0.07), "Display": rng.uniform(0.02, 0.05)}
    if quoted:
        parts["Search"] *= 4.0
    direct = {}
    for name, share in parts.items():
        own = media[name] / people
        works = hill(
            carried(own / own.mean(), rng.uniform(0.1, 0.5)),
            rng.uniform(0.8, 2.0),
            rng.uniform(1.0, 1.5),
        )
        direct[name] = share * level * works / works.mean()
    noise = rng.normal(0, 0.03, shape)
    sales = level * season * (0.55 + demand + noise)
    sales = sales + sum(direct.values()) + worth * carried(queries, alpha)
    through = {name: worth * carried(each, alpha) for name, each in caused.items()}
    geos = np.repeat([f"Region {i + 1}" for i in range(n_geos)], n_weeks)
    times = pd.date_range("2023-01-02", periods=n_weeks, freq="7D").strftime("%Y-%m-%d")
    columns: dict[str, object] = {
        "week": np.tile(times, n_geos),
        "region": geos,
        "population": np.repeat(people[:, 0].round(), n_weeks),
    }
    for name in PAID:
        columns[f"{name}_impressions"] = media[name].round(2).ravel()
        columns[f"{name}_spend"] = (price[name] * media[name]).round(2).ravel()
    columns[MEDIATOR] = queries.round(2).ravel()
    columns[KPI] = sales.round(2).ravel()
    return FunnelMarket(
        table=pd.DataFrame(columns),
        direct={name: float(each.sum()) for name, each in direct.items()},
        total={
            name: float(direct[name].sum() + np.sum(through.get(name, 0.0)))
            for name in PAID
        },
        caused={name: float(each.sum()) for name, each in caused.items()},
        parts=direct | {MEDIATOR: worth * carried(queries, alpha)},
    )


def _bursts(rng: np.random.Generator, shape: tuple[int, int], on: float) -> np.ndarray:
    """Flights of some weeks, on and off by region."""
    n_geos, n_weeks = shape
    lengths = rng.integers(3, 8, (n_geos, n_weeks))
    rows = []
    for row in lengths:
        state = np.repeat(rng.random(n_weeks) < on, row)[:n_weeks]
        rows.append(state * rng.gamma(5.0, 1 / 5, n_weeks))
    return np.array(rows) + 0.02


def _smooth_noise(rng: np.random.Generator, n: int) -> np.ndarray:
    """Demand that comes and goes over some weeks, of standard deviation one."""
    noise = carried(rng.normal(0, 1, n + 12)[None], 0.8, 12)[0, 12:]
    return (noise - noise.mean()) / noise.std()
