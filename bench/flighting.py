"""The planner of weeks: its time once compiled, and the gap it proves.

    python -m bench.flighting      prints a table, two minutes

52 weeks, 10 channels, 200 draws, two simulated years of uneven spend before the plan.
Curves bend down throughout, or are S-shaped (slopes of 1 to 3 and a half); with and
without limits of change from week to week.
"""

import argparse
import time

import numpy as np
import xarray as xr

from bench.jax_set_up import configure

configure("float64", "cpu")

from core.data.input_data import InputData, Treatments  # noqa: E402
from core.model.build import Model, build  # noqa: E402
from core.model.priors.prior import prior  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402
from core.plan.flighting import flight  # noqa: E402
from core.plan.scenario.weeks import week_request  # noqa: E402

_WEEKS, _CHANNELS, _DRAWS, _SEEN = 52, 10, 200, 104
_STEEP = prior("LogNormal", loc=0.0, scale=0.5)
_SLOPES = {"bend down": (0.6, 1.0), "S-shaped": (1.0, 3.0)}
_CHANGES = {"none": {}, "30 %": {"change": "30 %"}}


def market(seed: int) -> Model:
    """A national market whose spend is uneven over weeks."""
    rng = np.random.default_rng(seed)
    weekly = rng.uniform(50, 300, _CHANNELS)
    paid = rng.gamma(2.0, 0.5, (_SEEN, _CHANNELS)) * weekly
    times = np.datetime64("2023-01-02") + 7 * np.arange(_SEEN)
    names = tuple(f"Channel {i}" for i in range(_CHANNELS))
    data = InputData(
        geos=("all",),
        times=times,
        media_times=times,
        kpi=rng.gamma(9.0, 100.0, (1, _SEEN)),
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=np.zeros((1, _SEEN, 0)),
        control_names=(),
        media=Treatments(names=names, units=paid[None], spend=paid[None].copy()),
    )
    channels = tuple(
        ChannelSpec(name, "media", priors=(("slope", _STEEP),)) for name in names
    )
    spec = ModelSpec(channels=channels, preset="meridian", knots=4, max_lag=8)
    return build(data, spec)


def posterior(model: Model, seed: int, slopes: tuple[float, float]) -> xr.Dataset:
    """Joint draws around channels' own carryover, saturation and effect."""
    rng = np.random.default_rng(1000 + seed)
    size = (_DRAWS, _CHANNELS)
    units = model.data.media.units[0]
    usual = units.mean(axis=0) / np.median(units, axis=0)

    def around(low: float, high: float, spread: float) -> np.ndarray:
        own = rng.uniform(low, high, _CHANNELS)
        return own * np.exp(spread * rng.standard_normal(size))

    effect = around(300, 900, 0.25) / model.scale.std
    rows = {
        "alpha_m": np.clip(around(0.1, 0.8, 0.1), 0.0, 0.95),
        "ec_m": usual * around(0.5, 2.0, 0.2),
        "slope_m": around(*slopes, 0.05),
        "beta_gm": effect[:, None, :],
    }
    return xr.Dataset(
        {
            name: (("chain", "draw", *("geo", "channel")[3 - rows.ndim :]), rows[None])
            for name, rows in rows.items()
        }
    )


def measured(shape: str, change: str, seeds: range) -> str:
    """One row: seconds on the clock and of processors, and gaps, over seeds."""
    table = {"horizon": {"periods": _WEEKS}, "weeks": _CHANGES[change]}
    clock, busy, gaps, gains = [], [], [], []
    for seed in (seeds[0], *seeds):  # the first compiles
        model = market(seed)
        draws, request = posterior(model, seed, _SLOPES[shape]), week_request(table)
        begun = time.perf_counter(), time.process_time()
        made = flight(model, draws, request)
        clock.append(time.perf_counter() - begun[0])
        busy.append(time.process_time() - begun[1])
        gaps.append(made.record.bound.gap)
        mean = made.stored["outcome"].mean("draw")
        fixed = float(mean.sel(plan="fixed"))
        gains.append(float(mean.sel(plan="planned")) / fixed - 1)
    seconds, work = np.array(clock[1:]), np.array(busy[1:])
    return (
        f"| {shape} | {change} | {seconds.min():.1f} to {seconds.max():.1f} "
        f"| {work.min():.1f} to {work.max():.1f} "
        f"| {np.min(gaps[1:]):.2%} to {np.max(gaps[1:]):.2%} "
        f"| {np.min(gains[1:]):+.2%} to {np.max(gains[1:]):+.2%} |"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print(
        f"{_WEEKS} weeks, {_CHANNELS} channels, {_DRAWS} draws, {options.seeds} "
        "markets\n\n| curves | change | seconds | of processors | gap to the bound "
        "| over the best fixed pattern |\n|---|---|---|---|---|---|"
    )
    for shape in _SLOPES:
        for change in _CHANGES:
            print(measured(shape, change, range(options.seeds)), flush=True)


if __name__ == "__main__":
    main()
