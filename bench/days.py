"""Daily markets with known truth: windows of carryover, and the same days by the week.

Run: python -m bench.days [first seed, after the last]
Prints the table of docs/decisions.md on windows of daily data. National, 728 days, four
channels: two carry over for weeks and run in flights, two for days; weekdays, a season
and a drift that goes by the week.
"""

import sys
import time
from dataclasses import replace

import numpy as np

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

from bench.truth import interval_score  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.returns import returns  # noqa: E402
from core.data.input_data import InputData, Treatments  # noqa: E402
from core.data.recognition.campaigns import autoregression  # noqa: E402
from core.data.simulate import adstock, saturation  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

_DAYS, _WEEKS, _LEVEL = 728, 104, 1e5
_NAMES = ("TV", "Video", "Search", "Social")
SETTINGS = SamplerSettings(chains=2, warmup=500, draws=500, seed=1)
#: Longest carryover in periods, and whether days are summed to weeks.
ROWS = ((8, False), (28, False), (56, False), (8, True))


def market(seed: int) -> tuple[InputData, np.ndarray]:
    """A market by the day, and the true ROI of each channel."""
    rng = np.random.default_rng([seed, 99])
    day = np.arange(_DAYS)
    weekday = np.exp(0.15 * rng.standard_normal(7))[day % 7]
    season = 1 + 0.1 * np.cos(2 * np.pi * (day / 365.25 - rng.random()))
    drift = 0.03 * np.repeat(autoregression(rng, _WEEKS, persistence=0.95), 7)
    baseline = _LEVEL * (season + drift) * weekday
    alpha = (
        rng.uniform(0.25, 0.7) ** (1 / 7),
        rng.uniform(0.1, 0.6) ** (1 / 7),
        rng.uniform(0.2, 0.7),
        rng.uniform(0.5, 0.85),
    )
    units = np.stack([_spend(rng, place, weekday) for place in range(len(_NAMES))])
    roi = np.exp(0.2 + 0.6 * rng.standard_normal(len(_NAMES)))
    worth = rng.uniform(0.03, 0.08, len(_NAMES)) * baseline.sum()
    kpi = baseline.copy()
    for place, media in enumerate(units):
        carried = adstock(media[None], alpha[place], 200)[0]
        half = np.median(carried[carried > 0]) * rng.uniform(1, 3)
        brought = saturation(carried, half, 1.0)
        kpi += brought * worth[place] / brought.sum()
    kpi += 0.05 * _LEVEL * rng.standard_normal(_DAYS)
    cost = units * (worth / roi / units.sum(axis=1))[:, None]
    times = np.datetime64("2023-01-02") + day
    data = InputData(
        geos=("national",),
        times=times,
        media_times=times,
        kpi=kpi[None],
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=np.zeros((1, _DAYS, 0)),
        control_names=(),
        media=Treatments(_NAMES, units.T[None], spend=cost.T[None]),
    )
    return data, roi


def _spend(rng, place: int, weekday: np.ndarray) -> np.ndarray:
    """Media of a channel by the day; the first two run in flights."""
    level = np.repeat(np.exp(0.5 * autoregression(rng, _WEEKS, persistence=0.5)), 7)
    if place < 2:
        level = level * np.repeat(rng.random(_WEEKS // 2) < 0.6, 14)
    noisy = level * np.exp(0.25 * rng.standard_normal(_DAYS))
    return noisy if place < 2 else noisy * weekday**0.5


def by_week(data: InputData) -> InputData:
    """The same market, its days summed to weeks."""

    def summed(values: np.ndarray) -> np.ndarray:
        return values.reshape(1, _WEEKS, 7, *values.shape[2:]).sum(axis=2)

    times, media = data.times[::7], data.media
    return replace(
        data,
        times=times,
        media_times=times,
        kpi=summed(data.kpi),
        controls=np.zeros((1, _WEEKS, 0)),
        media=Treatments(media.names, summed(media.units), spend=summed(media.spend)),
    )


def main() -> None:
    """One line per window."""
    first, end = (int(each) for each in (*sys.argv[1:], "0", "8")[:2])
    print(
        "| max_lag | held | interval score | seconds of processor |\n|---|---|---|---|"
    )
    for max_lag, in_weeks in ROWS:
        held, scores, seconds = [], [], []
        for seed in range(first, end):
            data, roi = market(seed)
            spec = ModelSpec(tuple(map(ChannelSpec, _NAMES)), max_lag=max_lag)
            data = by_week(data) if in_weeks else data
            began = time.process_time()
            model = build(data, spec, precision="float32")
            draws = flat_draws(fit(model, SETTINGS).posterior)
            found = returns(model, draws)["roi"].to_numpy()
            lo, hi = np.quantile(found, [0.05, 0.95], axis=0)
            held += ((lo <= roi) & (roi <= hi)).tolist()
            scores += interval_score(lo, hi, roi).tolist()
            seconds.append(time.process_time() - began)
        print(
            f"| {max_lag} {'weeks' if in_weeks else 'days'} | {sum(held)} of "
            f"{len(held)} | {np.mean(scores):.1f} | {np.median(seconds):.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
