"""Auctions: what a plan gains that knows that media gets dearer with volume.

Each channel buys in a second-price auction: competing bids are log-normal, the cheapest
impressions go first, and how many there are and what they cost changes with the weeks.
The KPI saturates in impressions. A fit sees impressions, so its curves are right in
units; here they are the truth with errors of a usual size instead of a fit, which
leaves nothing but the price between the two plans:

    one price   today's mean price, whatever is bought
    dearer      gamma of each channel as `core.data.price` estimates it from the data

Captured is the true gain over today's split as a share of that of the best plan.

    python -m bench.auctions [--seeds 20]
"""

import argparse

import numpy as np
import xarray as xr
from scipy.special import ndtr

from core.data.price import price
from core.plan.plan import plan
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.scenario.table import of_table

WEEKS, YEAR, CHANNELS, DRAWS = 156, 52, 6, 100
GRID = np.linspace(0.0, 3.0, 61)
_Z = np.linspace(-8.0, 6.0, 2000)


class Auction:
    """A channel: its auctions of every week, what was spent, what that bought."""

    def __init__(self, rng: np.random.Generator):
        week = np.arange(WEEKS)
        season = 0.15 * np.sin(2 * np.pi * week / YEAR + rng.uniform(0, 6))
        self.spread = rng.uniform(0.1, 1.6)
        self.level = np.log(0.01) + season + 0.05 * rng.standard_normal(WEEKS)
        supply = 10 ** rng.uniform(6.5, 7.5)
        self.supply = supply * np.exp(0.1 * rng.standard_normal(WEEKS))
        usual = self._cost(rng.uniform(0.1, 0.5), supply)
        around = np.exp(0.35 * rng.standard_normal(WEEKS) + season)
        self.spend = usual * around
        self.units = self.bought(self.spend)
        typical = self.units.mean()
        self.ec, self.slope = typical * rng.uniform(0.4, 2.5), 1.0
        roi = rng.uniform(0.7, 3.0)
        brought = (self.units / (self.units + self.ec)).mean()
        self.beta = roi * self.spend.mean() / brought

    def _cost(self, share: float, supply: float) -> float:
        z = np.interp(share, ndtr(_Z), _Z)
        mean = 0.01 * np.exp(self.spread**2 / 2)
        return float(supply * mean * ndtr(z - self.spread))

    def bought(self, spend: np.ndarray, weeks: slice = slice(None)) -> np.ndarray:
        """Impressions that spend buys, cheapest first."""
        level, supply = self.level[weeks], self.supply[weeks]
        mean = np.exp(level + self.spread**2 / 2)
        share = np.minimum(spend / (supply * mean), 1 - 1e-9)
        z = np.interp(share, ndtr(_Z - self.spread), _Z)
        return supply * ndtr(z)

    def outcome(self, multiple: float, *, is_dearer: bool) -> float:
        """Of last year's weeks at a multiple: of spend, or of units at one price."""
        last = slice(WEEKS - YEAR, WEEKS)
        units = multiple * self.units[last]
        if is_dearer:
            units = self.bought(multiple * self.spend[last], last)
        return float((self.beta * units / (units + self.ec)).sum())


def curves_of(
    market: list[Auction], rng: np.random.Generator | None, *, is_dearer: bool
) -> ResponseCurves:
    """Response curves: the truth, or draws around it as a fit might have."""
    value, slope = [], []
    for _ in range(DRAWS if rng is not None else 1):
        rows = []
        for each in market:
            kept = each.beta, each.ec
            if rng is not None:
                each.beta *= np.exp(0.15 * rng.standard_normal())
                each.ec *= np.exp(0.2 * rng.standard_normal())
            rows.append(
                [
                    [each.outcome(m + h, is_dearer=is_dearer) for m in GRID]
                    for h in (0.0, 1e-5)
                ]
            )
            each.beta, each.ec = kept
        here, ahead = np.moveaxis(np.array(rows), 1, 0)
        value.append(here)
        slope.append((ahead - here) / 1e-5)
    axes = ("draw", "channel", "spend_multiplier")
    spend = [float(each.spend[WEEKS - YEAR :].sum()) for each in market]
    return response_curves(
        xr.Dataset(
            {
                "incremental_outcome": (axes, np.array(value)),
                "slope": (axes, np.array(slope)),
                "spend": ("channel", spend),
            },
            coords={
                "channel": [f"c{i}" for i in range(len(market))],
                "spend_multiplier": GRID,
            },
        )
    )


def captured(seed: int) -> dict[str, float]:
    """Share of the achievable gain that each plan captures on one market."""
    rng = np.random.default_rng(seed)
    market = [Auction(rng) for _ in range(CHANNELS)]
    table = {"bounds": [0.3, 2.5], "supported": False}
    found = [
        price(f"c{i}", each.spend[None], each.units[None], float(YEAR))
        for i, each in enumerate(market)
    ]
    rows = {
        each.channel: {"gamma": each.suggestion, "min": "30 %", "max": "250 %"}
        for each in found
    }
    truth = curves_of(market, None, is_dearer=True)
    fitted = curves_of(market, rng, is_dearer=False)
    today = truth.outcome(truth.spend).sum()

    def gain(curves: ResponseCurves, asked: dict) -> float:
        split = np.array(tuple(plan(curves, of_table(asked, curves)).money.values()))
        return float(truth.outcome(split).sum() - today)

    best = gain(truth, table)
    return {
        "one price": gain(fitted, table) / best,
        "dearer": gain(fitted, table | {"channel": rows}) / best,
        "gamma": float(np.mean([each.gamma for each in found])),
    }


def main() -> None:
    """Print the shares, market by market, and their means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    rows = [captured(seed) for seed in range(parser.parse_args().seeds)]
    for seed, row in enumerate(rows):
        print(seed, {key: round(value, 3) for key, value in row.items()}, flush=True)
    for key in rows[0]:
        values = np.array([row[key] for row in rows])
        error = values.std(ddof=1) / np.sqrt(len(values))
        middle = float(np.median(values))
        print(f"{key}: {values.mean():.3f} ± {error:.3f}, median {middle:.3f}")


if __name__ == "__main__":
    main()
