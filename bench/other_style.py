"""Markets in another style than this package's, and what the commands make of them.

    python -m bench.other_style weekly:0 geo:1 daily:6

Sales multiply: season, trend, a peak before Christmas, weekdays, promotions and hidden
demand. TV and Radio are bought together for all regions, other channels by region;
Online Video runs in the second half only; Google Search goes with season, peak and
demand; Affiliates, in half of the markets, cost a share of sales. Carryover and curves
are of several kinds, most of which the model does not have. Each market is a CSV file
that goes through `init`, a fit and `plan` with their defaults (2 chains of 500); what
they say is printed beside what is true. Nothing here is used by the product.
"""

import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

Kind = Literal["weekly", "geo", "daily"]

_STREAM = {"geo": 71, "daily": 72, "weekly": 73}
_PERIODS = {"geo": 104, "daily": 560, "weekly": 156}
_YEAR, _START = 365.25, np.datetime64("2022-01-03")
_CHANNELS = ("TV", "Radio", "Online Video", "Paid Social", "Google Search")
_VIDEO, _SOCIAL, _SEARCH, _LAST = 2, 3, 4, 5
#: What demand adds to the log spend of Search, by how far it follows.
_FOLLOWS = {"strong": 0.35, "none": 0.0, "weak": 0.2}
SAMPLER = {"chains": 2, "warmup": 500, "draws": 500, "seed": 1}


class Style(NamedTuple):
    """What differs from seed to seed by rule rather than by chance.

    Attributes:
        follow: How far Search follows hidden demand.
        promotions: Whether they are a column, hidden, or none.
        multiplies: Whether what media bring is in proportion to the level of sales.
        affiliates: Whether the last channel is Affiliates, paid by sale; else Direct
            Mail.
        odd: Whether sales of some periods are off by a third.
    """

    follow: str
    promotions: str
    multiplies: bool
    affiliates: bool
    odd: bool


class Market(NamedTuple):
    """A market and what is true of it.

    Attributes:
        frame: As somebody would upload it.
        names: Channels.
        roi: True ROI of each over the data.
        style: What kind of market it is.
        brought: What a channel brings in the year after the data, at a multiple of what
            it spent a year earlier.
    """

    frame: pd.DataFrame
    names: tuple[str, ...]
    roi: np.ndarray
    style: Style
    brought: Callable[[int, float], float]


class _Time(NamedTuple):
    """Periods of the data and of the year after them."""

    kind: Kind
    n: int
    year: int
    dates: np.ndarray

    @property
    def unit(self) -> int:
        """Periods of a week."""
        return 7 if self.kind == "daily" else 1

    @property
    def total(self) -> int:
        """Periods of both together."""
        return self.n + self.year

    @property
    def weekday(self) -> np.ndarray:
        """Monday is zero."""
        return (self.dates.astype(int) + 3) % 7


class _Level(NamedTuple):
    """Logs of what moves sales, by period; `all` is the level itself."""

    season: np.ndarray
    growth: np.ndarray
    peak: np.ndarray
    weekday: np.ndarray
    demand: np.ndarray
    promotion: np.ndarray
    all: np.ndarray


class _Effects(NamedTuple):
    """By channel: weights of carryover, kind and half of the curve, what it returns.

    `share` is what it brings of sales without media, `sense` how geos differ.
    """

    carryover: list[np.ndarray]
    curve: list[str]
    half: np.ndarray
    roi: np.ndarray
    share: np.ndarray
    sense: np.ndarray


def style_of(seed: int) -> Style:
    """The style of a seed."""
    return Style(
        follow=("strong", "none", "weak")[seed % 3],
        promotions=("column", "hidden", "none")[(seed // 2) % 3],
        multiplies=bool(seed % 2),
        affiliates=seed % 4 in (1, 2),
        odd=seed % 3 == 1,
    )


def market(kind: Kind, seed: int) -> Market:
    """A market of a kind; the same seed gives the same market."""
    rng = np.random.default_rng([seed, _STREAM[kind]])
    step = 1 if kind == "daily" else 7
    n, year = _PERIODS[kind], 364 if kind == "daily" else 52
    time = _Time(kind, n, year, _START + step * np.arange(n + year))
    style, n_geos = style_of(seed), 12 if kind == "geo" else 1
    people = np.exp(0.9 * rng.standard_normal(n_geos)) if n_geos > 1 else np.ones(1)
    people = (people / people.sum())[:, None]
    level = _level(rng, time, style)
    high, own = _by_geo(rng, time, level, n_geos)
    base = 1e6 / time.unit * people * high * level.all * own
    last = "Affiliates" if style.affiliates else "Direct Mail"
    names = (*_CHANNELS, last)
    spend = _spend(rng, time, level, style)
    spend = np.repeat(spend[:, None], n_geos, axis=1)
    if n_geos > 1:
        _bought_locally(rng, spend, high, style)
        spend *= people
    noise = _noise(rng, time, people)
    if style.affiliates:
        spend[_LAST] = base * np.exp(noise)
        spend[_LAST] *= np.exp(0.08 * rng.standard_normal(spend[_LAST].shape))
    spend[:, :, n:] = spend[:, :, n - year : n]  # what a plan starts from
    effects = _effects(rng, time, style, n_geos)
    roi, share = effects.roi, effects.share
    goes = level.all if style.multiplies else np.ones(time.total)
    head = spend / people
    usual = (head[:, :, :n] ** 2).sum(axis=(1, 2)) / head[:, :, :n].sum(axis=(1, 2))

    def shape(place: int, multiple: np.ndarray) -> np.ndarray:
        x = head[place] * multiple / usual[place]
        weight = effects.carryover[place]
        x = np.stack([np.convolve(row, weight)[: time.total] for row in x])
        curve = _saturated(effects.curve[place], x, effects.half[place])
        return people * effects.sense[place] * goes * curve

    ones, sold = np.ones(time.total), base[:, :n].sum()
    height = [
        share[place] * sold / shape(place, ones)[:, :n].sum()
        for place in range(len(names))
    ]
    kpi = base * np.exp(noise)
    kpi = kpi + sum(height[place] * shape(place, ones) for place in range(len(names)))
    if style.odd:
        bad = rng.choice(n, 6 if kind == "daily" else 3, replace=False)
        kpi[:, bad] *= rng.choice([0.6, 0.7, 1.4], len(bad))
    price = share * sold / roi / spend[:, :, :n].sum(axis=(1, 2))
    money = spend * price[:, None, None]

    def brought(place: int, multiple: float) -> float:
        multiples = np.where(np.arange(time.total) < n, 1.0, multiple)
        return float(height[place] * shape(place, multiples)[:, n:].sum())

    frame = _frame(time, style, people[:, 0], names, level, kpi, money)
    return Market(frame, names, roi, style, brought)


def _effects(rng, time: _Time, style: Style, n_geos: int) -> _Effects:
    n = _LAST + 1
    kinds = rng.permutation(
        ["geometric", "delayed", "weibull", "geometric", "none", "weibull"]
    )
    if kinds[_SEARCH] == "delayed":
        kinds[_SEARCH] = "geometric"
    curves = rng.permutation(["log", "hill", "sqrt", "exp", "hill1", "none"])
    weights = [_carryover(rng, str(each), time.unit) for each in kinds]
    half = rng.uniform(0.5, 3.0, n)
    roi = np.exp(0.1 + 0.6 * rng.standard_normal(n))
    roi[_SEARCH] *= 0.6
    if style.affiliates:
        roi[_LAST] = rng.uniform(0.2, 0.8)
    share = rng.uniform(0.012, 0.06, n)
    share[_VIDEO] *= 0.6
    if style.affiliates:
        share[_LAST] = rng.uniform(0.005, 0.02)
    sizes = (n, n_geos, 1)
    sense = np.exp(0.25 * rng.standard_normal(sizes)) if n_geos > 1 else np.ones(sizes)
    return _Effects(weights, list(map(str, curves)), half, roi, share, sense)


def _level(rng, time: _Time, style: Style) -> _Level:
    step = 7 // time.unit
    t = np.arange(time.total) * step / _YEAR
    phase = rng.random()
    season = rng.uniform(0.05, 0.25) * np.cos(2 * np.pi * (t - phase))
    season = season + rng.uniform(0, 0.08) * np.cos(4 * np.pi * (t - rng.random()))
    growth = rng.uniform(-0.08, 0.25) * t
    day = time.dates - time.dates.astype("datetime64[Y]")
    day = day.astype("timedelta64[D]").astype(int)
    peak = rng.uniform(0.1, 0.45) * np.exp(-0.5 * ((day - 335) / 9.0) ** 2)
    dip = -rng.uniform(0.05, 0.3) * ((day >= 358) | (day <= 2))
    easter = rng.uniform(-0.1, 0.1) * np.exp(-0.5 * ((day - 105) / 6.0) ** 2)
    slow = 0.98 if time.unit == 1 else 0.997
    wander = rng.uniform(0.01, 0.05) * _walk(rng, time.total, slow)
    weekday = np.zeros(time.total)
    if time.kind == "daily":
        week = np.array([0.3, 0.1, 0.0, 0.1, 0.4, 0.6, -1.5])
        week = rng.uniform(0.05, 0.25) * week + 0.03 * rng.standard_normal(7)
        weekday = week[time.weekday]
    memory = rng.uniform(0.4, 0.9) ** (1 / time.unit)
    demand = _walk(rng, time.total, memory)
    weights = {"strong": rng.uniform(0.05, 0.1), "weak": rng.uniform(0.02, 0.05)}
    weight, promotion = weights.get(style.follow, 0.0), np.zeros(time.total)
    if style.promotions != "none":
        weeks = time.total // time.unit
        n_weeks = int(0.12 * time.total / time.unit)
        for week in rng.choice(weeks, n_weeks, replace=False):
            at = slice(week * time.unit, (week + 1) * time.unit)
            promotion[at] = rng.choice([10, 15, 20, 30]) / 100
    pull = rng.uniform(0.4, 1.0)
    logs = season + growth + peak + dip + easter + wander + weekday
    logs = logs + weight * demand + pull * promotion
    return _Level(season, growth, peak, weekday, demand, promotion, np.exp(logs))


def _by_geo(rng, time: _Time, level: _Level, n_geos: int) -> tuple[Any, Any]:
    """How much a geo buys per head, and its own season and wandering."""
    if n_geos == 1:
        return np.ones((1, 1)), 1.0
    high = np.exp(0.25 * rng.standard_normal((n_geos, 1)))
    season = np.exp(0.3 * rng.standard_normal((n_geos, 1)) * level.season)
    drift = np.stack([_walk(rng, time.total, 0.98) for _ in range(n_geos)])
    return high, season * np.exp(0.03 * drift)


def _spend(rng, time: _Time, level: _Level, style: Style) -> np.ndarray:
    """What each channel spends in the whole market; channel time."""
    total, unit = time.total, time.unit
    usual = np.exp(level.season + level.growth + level.peak)
    tv = _flights(rng, time, (3, 7), (2, 8)) * (0.7 + 0.6 * (usual > usual.mean()))
    television = tv * np.exp(0.1 * rng.standard_normal(total))
    radio = 0.85 * tv + 0.25 * _flights(rng, time, (2, 4), (4, 10))
    radio = radio * np.exp(0.15 * rng.standard_normal(total))
    video = np.exp(0.4 * _walk(rng, total, 0.8 ** (1 / unit)))
    video[: time.n // 2] = 0.0
    social = 0.35 * _walk(rng, total, 0.85 ** (1 / unit)) + 0.5 * level.season
    social = social + 0.1 * rng.standard_normal(total)
    week = (0.1 * rng.standard_normal(7))[time.weekday]
    social = np.exp(social + week * (time.kind == "daily"))
    search = _FOLLOWS[style.follow] * level.demand + level.season + level.peak
    search = search + 0.5 * level.growth + level.weekday
    search = np.exp(search + 0.15 * rng.standard_normal(total))
    last = np.zeros(total)
    if not style.affiliates:
        last = (rng.random(total) < 0.2 / unit) * rng.uniform(0.5, 2, total)
        if time.kind == "daily":
            last = np.convolve(last, [0.5, 0.3, 0.2])[:total] * 2
    return np.stack([television, radio, video, social, search, last])


def _flights(rng, time: _Time, on: tuple[int, int], off: tuple[int, int]) -> np.ndarray:
    """Weeks on and weeks off, each flight at a level of its own."""
    spend, at = np.zeros(time.total), 0
    while at < time.total:
        length = int(rng.integers(*on)) * time.unit
        spend[at : at + length] = rng.uniform(0.5, 1.6)
        at += length + int(rng.integers(*off)) * time.unit
    return spend


def _bought_locally(rng, spend: np.ndarray, high: np.ndarray, style: Style) -> None:
    """Video, Social, Search and Direct Mail differ between geos, in place."""
    n_geos, total = spend.shape[1:]
    for place in range(_VIDEO, len(spend)):
        own = 0.4 * rng.standard_normal((n_geos, 1))
        local = np.stack([0.3 * _walk(rng, total, 0.7) for _ in range(n_geos)])
        factor = np.exp(own + local)
        if place == _SEARCH:
            own = 0.15 * rng.standard_normal((n_geos, 1))
            factor = np.exp(own + 0.2 * rng.standard_normal((n_geos, total))) * high
        if place == _LAST and not style.affiliates:
            factor = np.exp(0.3 * rng.standard_normal((n_geos, 1)))
            factor = factor * (rng.random((n_geos, 1)) < 0.7)
        spend[place] *= factor


def _noise(rng, time: _Time, people: np.ndarray) -> np.ndarray:
    """Of log sales: with memory, shared by geos in part, with heavy tails."""
    n_geos = len(people)
    size = rng.uniform(0.015, 0.04) * (1.5 if time.kind == "daily" else 1.0)
    shocks = np.stack([_walk(rng, time.total, 0.3) for _ in range(n_geos)])
    if n_geos > 1:
        shared = 0.5 * _walk(rng, time.total, 0.3)
        shocks = shared + shocks * 0.81 / np.sqrt(people * n_geos)
    return size * (shocks + 0.5 * rng.standard_t(4, shocks.shape))


def _walk(rng, n: int, memory: float) -> np.ndarray:
    """Noise of variance one that goes on."""
    walk = rng.standard_normal(n)
    for at in range(1, n):
        walk[at] = memory * walk[at - 1] + np.sqrt(1 - memory**2) * walk[at]
    return walk


def _carryover(rng, kind: str, unit: int) -> np.ndarray:
    """Weights of a quarter of a year, which add to one."""
    lag = np.arange(13 * unit)
    if kind == "none":
        weight = (lag == 0).astype(float)
    elif kind == "geometric":
        weight = rng.uniform(0.2, 0.75) ** (lag / unit)
    elif kind == "delayed":
        peak, width = rng.uniform(0.7, 2.0) * unit, rng.uniform(0.8, 1.6) * unit
        weight = np.exp(-0.5 * ((lag - peak) / width) ** 2)
    else:
        power, scale = rng.uniform(0.7, 2.0), rng.uniform(0.8, 3.0) * unit
        weight = np.exp(-((lag / scale) ** power))
    return weight / weight.sum()


def _saturated(kind: str, x: np.ndarray, half: float) -> np.ndarray:
    match kind:
        case "log":
            return np.log1p(x / half)
        case "hill":
            return x**1.6 / (x**1.6 + half**1.6)
        case "hill1":
            return x / (x + half)
        case "sqrt":
            return np.sqrt(x)
        case "exp":
            return 1 - np.exp(-x / half)
    return x


def _frame(
    time: _Time,
    style: Style,
    people: np.ndarray,
    names: tuple[str, ...],
    level: _Level,
    kpi: np.ndarray,
    money: np.ndarray,
) -> pd.DataFrame:
    parts = []
    for geo, size in enumerate(people):
        columns: dict[str, Any] = {"date": time.dates[: time.n].astype(str)}
        if len(people) > 1:
            columns["region"] = f"Region {chr(65 + geo)}"
            columns["population"] = int(size * 4e7)
        columns["revenue"] = kpi[geo, : time.n].round(0)
        if style.promotions == "column":
            columns["discount"] = level.promotion[: time.n]
        for place, name in enumerate(names):
            columns[_column(name)] = money[place, geo, : time.n].round(2)
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts)


def _column(name: str) -> str:
    return f"{name.lower().replace(' ', '_')}_spend"


def said(*arguments: str) -> dict[str, Any]:
    """What a command answers with --json."""
    from core.cli.main import main as command

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = command([*arguments, "--json"])
    if code:
        raise SystemExit(f"{arguments[0]} ended with {code}: {out.getvalue()}")
    return json.loads(out.getvalue())


def measure(kind: Kind, seed: int, folder: Path) -> None:
    """Print what the commands say of one market beside what is true of it."""
    from core.service.fitting.in_process import fit_here

    known = market(kind, seed)
    table, project = folder / f"{kind}_{seed}.csv", folder / f"{kind}_{seed}"
    known.frame.to_csv(table, index=False)
    said("init", str(table), "--out", str(project))
    run = str(fit_here(project, SAMPLER).folder)
    summary, plan = said("summary", run), said("plan", run)
    print(f"{kind} {seed}: {summary['diagnostics']['verdict']}; {known.style}")
    by_column = {f"{row['name']}_spend": row["roi"] for row in summary["channels"]}
    for name, true in zip(known.names, known.roi, strict=True):
        roi = by_column[_column(name)]
        held = "" if roi["lo"] <= true <= roi["hi"] else ", missed"
        low, middle, high = (roi[end] for end in ("lo", "median", "hi"))
        print(
            f"  {name}: {middle:.2f} ({low:.2f} to {high:.2f}), true {true:.2f}{held}"
        )
    moved = {f"{row['name']}_spend": row["multiplier"] for row in plan["channels"]}
    gain = sum(
        known.brought(place, moved[_column(name)]) - known.brought(place, 1.0)
        for place, name in enumerate(known.names)
    )
    draws = np.subtract(plan["draws"]["planned"], plan["draws"]["current"])
    low, high = np.quantile(draws, [0.1, 0.9]) / 1e6
    print(
        f"  plan: {plan['advice']}; gain {draws.mean() / 1e6:.2f} M "
        f"({low:.2f} to {high:.2f}), true {gain / 1e6:.2f} M"
    )
    for reason in summary["diagnostics"]["reasons"]:
        print(f"  - {reason}")


def main() -> None:
    """Measure the markets that the arguments name, or the first of each kind."""
    asked = sys.argv[1:] or [f"{kind}:0" for kind in get_args(Kind)]
    with tempfile.TemporaryDirectory() as folder:
        for one in asked:
            kind, _, seed = one.partition(":")
            if kind not in get_args(Kind):
                raise SystemExit(f"{kind} is none of {', '.join(get_args(Kind))}.")
            measure(kind, int(seed or 0), Path(folder))


if __name__ == "__main__":
    main()
