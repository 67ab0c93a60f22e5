"""Plan against actuals with known causes: are the parts right, and how sure are they?

    python -m bench.causes [--markets 14] [--geo-markets 4] [--repeats 8]

Every market is fitted once, on its first three years, and keeps its forecast. Then the
thirteen weeks after the data happen many times, under one cause, two or none, with
other noise and other timing of spend every time, and
`core.plan.against.actuals` splits the difference to the plan. The true parts are
known: the table says how often intervals hold them, and how often a cause that is none
is blamed firmly. Nothing here is used by the product.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import xarray as xr

from bench.jax_set_up import configure
from core.data.ahead.actual_table import Actuals
from core.data.input_data import InputData, Treatments
from core.data.recognition.campaigns import PROFILES, activity, autoregression
from core.data.simulate import adstock, saturation
from core.plan.against.actuals import against_actuals
from core.plan.against.changed_response import PRIORS

_NAMES = ("TV", "Video", "Search", "Social", "Display")
_WEEKS, _AHEAD, _YEAR, _MAX_LAG = 156, 13, 52, 8
_LATER = slice(_WEEKS, None)


@dataclass(frozen=True)
class World:
    """A market of which everything is known, also after its data.

    Attributes:
        data: What is fitted.
        media: In multiples of the median of running weeks; channel geo time. After
            the data as one year earlier, which is the plan.
        spend: The same, currency.
        shapes: Retention rate, half saturation and slope of each channel.
        height: Most that a channel can bring in each geo.
        baseline: Expected outcome without media; geo time.
        control: What one more unit of the control adds to a week.
        noise: Standard deviation of a week's outcome; geo.
    """

    data: InputData
    media: np.ndarray
    spend: np.ndarray
    shapes: tuple[tuple[float, float, float], ...]
    height: np.ndarray
    baseline: np.ndarray
    control: float
    noise: np.ndarray

    def brought(self, multiples: np.ndarray) -> np.ndarray:
        """Outcome of each channel after the data at multiples of the plan.

        Args:
            multiples: channel time.

        Returns:
            channel time.
        """
        parts = []
        for place in range(len(self.shapes)):
            media = self.media[place].copy()
            media[:, _LATER] *= multiples[place]
            parts.append(
                _brought(media, self.shapes[place], self.height[place]).sum(axis=0)
            )
        return np.stack(parts)[:, _LATER]


def _brought(media: np.ndarray, shape, height: np.ndarray) -> np.ndarray:
    alpha, half, slope = shape
    carried = adstock(media, alpha, _MAX_LAG)
    return height[:, None] * saturation(carried, half, slope)


def world(seed: int, n_geos: int = 1) -> World:
    """A market; the same seed gives the same one."""
    rng = np.random.default_rng([seed, n_geos, 77])
    n = _WEEKS + _AHEAD
    people = np.exp(0.7 * rng.standard_normal(n_geos)) if n_geos > 1 else np.ones(1)
    people = people / people.sum()
    turn = 2 * np.pi * np.arange(n) / 52.18
    season = np.cos(turn - rng.uniform(0, 2 * np.pi))
    sales = 1 + rng.uniform(0.03, 0.15) * season
    sales += rng.uniform(-0.03, 0.06) * np.arange(n) / _YEAR
    sales += 0.02 * autoregression(rng, n, persistence=0.98)
    control = np.stack([autoregression(rng, n, persistence=0.7) for _ in people])
    control[:, _LATER] = control[:, _WEEKS - _YEAR : _WEEKS - _YEAR + _AHEAD]
    effect, level = rng.uniform(0.01, 0.03), 1e6 * people
    media, spend, shapes, height = [], [], [], []
    for _ in _NAMES:
        plan = activity(rng, PROFILES[int(rng.integers(0, 6))], season, n_geos)
        plan[:, _LATER] = plan[:, _WEEKS - _YEAR : _WEEKS - _YEAR + _AHEAD]
        media.append(plan / np.median(plan[plan > 0]))
        slope = float(np.exp(0.3 * rng.standard_normal()))
        shapes.append((float(rng.uniform(0, 0.8)), float(rng.uniform(0.4, 2.5)), slope))
        local = people * np.exp(0.2 * rng.standard_normal(n_geos) * (n_geos > 1))
        worth = rng.uniform(0.02, 0.09) * 1e6 * _WEEKS
        raw = _brought(media[-1], shapes[-1], local)[:, :_WEEKS].sum()
        height.append(local * worth / raw)
        cost = media[-1] * people[:, None]
        roi = float(np.exp(0.2 + 0.7 * rng.standard_normal()))
        spend.append(cost * worth / roi / cost[:, :_WEEKS].sum())
    baseline = level[:, None] * (sales + effect * control)
    noise = rng.uniform(0.015, 0.04) * level
    known = [_brought(*each) for each in zip(media, shapes, height, strict=True)]
    outcome = baseline + sum(known) + noise[:, None] * rng.standard_normal((n_geos, n))
    data = _data(people, outcome, control, np.stack(media), np.stack(spend))
    return World(
        data=data,
        media=np.stack(media),
        spend=np.stack(spend),
        shapes=tuple(shapes),
        height=np.stack(height),
        baseline=baseline,
        control=effect * 1e6,
        noise=noise,
    )


def _data(people, outcome, control, media, spend) -> InputData:
    """The first three years, as somebody would fit them."""
    times = np.datetime64("2022-01-03") + 7 * np.arange(_WEEKS)
    units = np.moveaxis(1000 * media * people[:, None], 0, -1)[:, :_WEEKS]
    is_one = len(people) == 1
    return InputData(
        geos=("national",) if is_one else tuple(f"R{at}" for at in range(len(people))),
        times=times,
        media_times=times,
        kpi=np.maximum(outcome[:, :_WEEKS], 0.0),
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=people,
        controls=control[:, :_WEEKS, None],
        control_names=("control",),
        media=Treatments(_NAMES, units, spend=np.moveaxis(spend, 0, -1)[:, :_WEEKS]),
    )


def fitted(seed: int, n_geos: int, folder: Path) -> tuple[World, xr.Dataset]:
    """A market, and the forecast that its fit leaves behind."""
    known, path = world(seed, n_geos), folder / f"{n_geos}-{seed}.nc"
    if not path.exists():
        from core.analysis.ahead.forecast_view import forecast_view
        from core.fit.fit import fit
        from core.fit.settings import SamplerSettings
        from core.model.build import build
        from core.model.spec import ChannelSpec, ModelSpec

        spec = ModelSpec(tuple(ChannelSpec(name) for name in _NAMES))
        model = build(known.data, spec, precision="float32")
        found = fit(model, SamplerSettings(draws=500, device="cpu"))
        forecast_view(model, found.posterior, 1).to_netcdf(path)
        print(path.name, found.verdict.status, flush=True)
    return known, xr.load_dataset(path)


@dataclass(frozen=True)
class Cause:
    """What differs from the plan after the data.

    Attributes:
        demand: Share that the baseline loses or gains, from the first week or drifting
            in.
        drifts: Whether it comes in little by little.
        response: What one channel's response is multiplied by.
        all_change: Whether every response changes by about 30 %, and demand by about
            5 %.
        spends: Whether channels spend between half and one and a half times the plan.
        controls: Whether the control is another than a year earlier.
    """

    demand: float = 0.0
    drifts: bool = False
    response: float = 1.0
    all_change: bool = False
    spends: bool = False
    controls: bool = False


CAUSES = {
    "none": Cause(),
    "demand -8 %": Cause(demand=-0.08),
    "demand +8 %, drifting in": Cause(demand=0.08, drifts=True),
    "response of one channel at 30 %": Cause(response=0.3),
    "response of one channel at 130 %": Cause(response=1.3),
    "other spend than planned": Cause(spends=True),
    "other controls (price)": Cause(controls=True),
    "demand -8 %, response at 30 %": Cause(demand=-0.08, response=0.3),
    "demand -8 %, other spend": Cause(demand=-0.08, spends=True),
    "everything a little": Cause(all_change=True, spends=True),
}


def happened(
    known: World, cause: Cause, rng: np.random.Generator
) -> tuple[Actuals, dict[str, np.ndarray]]:
    """Thirteen weeks under a cause, and the true parts of the difference to the plan.

    Spend is timed a fifth otherwise than planned in any case.
    """
    n = len(_NAMES)
    multiples = np.exp(0.2 * rng.standard_normal((n, _AHEAD)))
    if cause.spends:
        multiples *= rng.uniform(0.5, 1.5, (n, 1))
    planned, spent = known.brought(np.ones((n, _AHEAD))), known.brought(multiples)
    changed = np.ones(n)
    changed[int(rng.integers(n))] = cause.response
    demand = cause.demand
    if cause.all_change:
        changed = np.maximum(1 + 0.3 * rng.standard_normal(n), 0.0)
        demand = 0.05 * rng.standard_normal()
    path = np.linspace(0, 1, _AHEAD) if cause.drifts else np.ones(_AHEAD)
    other = demand * path * known.baseline[:, _LATER].sum(axis=0)
    if cause.controls:
        other += known.control * 2 * autoregression(rng, _AHEAD, persistence=0.7)
    noise = known.noise[:, None] * rng.standard_normal((len(known.noise), _AHEAD))
    other += noise.sum(axis=0)
    brought = spent * changed[:, None]
    outcome = known.baseline[:, _LATER].sum(axis=0) + brought.sum(axis=0) + other
    times = known.data.times[-1] + 7 * np.arange(1, _AHEAD + 1)
    spend = known.spend[:, :, _LATER].sum(axis=1) * multiples
    actuals = Actuals(times, outcome, dict(zip(_NAMES, spend, strict=True)))
    parts = {
        "spend": (spent - planned).sum(axis=1),
        "response": (brought - spent).sum(axis=1),
        "baseline": other.sum(),
    }
    return actuals, parts


def answers(
    known: World, view: xr.Dataset, cause: Cause, seeds: list[list[int]]
) -> Iterator[dict]:
    """What is said of each part under a cause, and what is true."""
    decay = {
        name: alpha ** np.arange(_MAX_LAG + 1)
        for name, (alpha, _, _) in zip(_NAMES, known.shapes, strict=True)
    }
    for seed in seeds:
        actuals, truth = happened(known, cause, np.random.default_rng(seed))
        said = against_actuals(view, {}, actuals, decay)
        for part, true in truth.items():
            draws = getattr(said, part)
            draws = draws if draws.ndim > 1 else draws[:, None]
            ends = np.quantile(draws, [0.05, 0.1, 0.9, 0.95], axis=0)
            for low, lower, higher, high, right in zip(
                *ends, np.atleast_1d(true), strict=True
            ):
                yield {
                    "part": part,
                    "is_none": abs(right) < 1.0,
                    "held90": low <= right <= high,
                    "held80": lower <= right <= higher,
                    "firm": low > 0 or high < 0,
                    "wrong_way": (low > 0 > right) or (high < 0 < right),
                    "width": (high - low) / 1e3,
                    "size": abs(right) / 1e3,
                }


HEAD = """| cause | part | of | 80 % held | 90 % held | called firm | \
firm, wrong way | 90 % interval, k | true size, k |
|---|---|---|---|---|---|---|---|---|"""


def lines(cause: str, rows: list[dict]) -> list[str]:
    """The rows of one cause: each part, apart where it is none."""
    groups = {
        "spend": ("spend", False),
        "response that changed": ("response", False),
        "response that did not": ("response", True),
        "baseline": ("baseline", False),
    }
    table = []
    for name, (part, is_none) in groups.items():
        some = [r for r in rows if r["part"] == part and r["is_none"] == is_none]
        if some:
            table.append(
                f"| {cause} | {name} | {len(some)} | {_share(some, 'held80')} | "
                f"{_share(some, 'held90')} | {_share(some, 'firm', 1)} | "
                f"{_share(some, 'wrong_way', 1)} | "
                f"{np.mean([r['width'] for r in some]):,.0f} | "
                f"{np.mean([r['size'] for r in some]):,.0f} |"
            )
    return table


def _share(rows: list[dict], key: str, decimals: int = 0) -> str:
    return f"{100 * np.mean([row[key] for row in rows]):.{decimals}f} %"


def main() -> None:
    """Fit, let weeks happen, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markets", type=int, default=14)
    parser.add_argument("--geo-markets", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--keep", type=Path, default=Path("out/causes"))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "CAUSES.md")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    sections = [INTRODUCTION.format(priors=PRIORS, day=date.today())]
    for n_geos, n in ((1, options.markets), (6, options.geo_markets)):
        markets = [fitted(seed, n_geos, options.keep) for seed in range(n)]
        table, pooled = [HEAD], []
        for name, cause in CAUSES.items():
            rows = []
            for seed, (known, view) in enumerate(markets):
                seeds = [[seed, repeat, 5] for repeat in range(options.repeats)]
                rows += answers(known, view, cause, seeds)
            table += lines(name, rows)
            pooled += rows
        table += lines("all together", pooled)
        title = "national" if n_geos == 1 else f"{n_geos} geos"
        sections.append(
            f"## {title}, {n} markets, {options.repeats} times each\n\n"
            + "\n".join(table)
        )
    text = "\n\n".join(sections) + "\n"
    print(text)
    options.out.write_text(text)


INTRODUCTION = """# Causes

Written by `python -m bench.causes`, {day}. Thirteen weeks after the data under known \
causes: how often the intervals of `actuals` hold the true part, and how often a cause \
is called firm (its 90 % interval is on one side of zero). Priors: `{priors}`. A week \
brings about 1,000 k without media, a channel 20 to 90 k.

How to read it: a response that did not change is zero, the middle of its prior, so \
its intervals hold it nearly always; "called firm" is how often it is blamed wrongly. \
Held 72 to 88 % and 83 to 96 % is aimed at for what did change. Intervals are as wide \
as they are because these weeks can be explained in several ways: any of five \
responses, or demand."""

if __name__ == "__main__":
    configure("float32", "cpu", host_devices=os.cpu_count() or 1)
    main()
