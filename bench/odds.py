"""Odds against the truth: goals, forecasts and plans over channels, geos and weeks.

    python -m bench.odds national:0 geo:1 --keep FILE
    python -m bench.odds --read FILE          the table of what was kept

Markets in a style that is neither this package's nor that of bench.other_style: season,
two peaks, growth, promotions and noise multiply; carryover is of two speeds, humped,
even over some weeks or none; what media bring bends as an arctangent, a logarithm, a
root, an exponential or with a kink; TV and Radio come in common bursts; four regions
share sales like 55, 27, 13 and 5. By the seed Search follows hidden demand, noise goes
on from week to week, media count for more where sales are high, or sales break by an
eighth. Each goes through `init`, a fit (2 chains of 400) and `plan`, over geos or over
weeks, too; goals are sums of a year earlier with some more, so that no fit chooses
them. Nothing here is used by the product.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from bench.other_style import said
from core.data.recognition.campaigns import autoregression
from core.plan.advice.rule import PROBABLE

Kind = Literal["national", "geo"]

WEEKS = {"national": 130, "geo": 104}
AHEAD, TAIL, _START = 52, 13, np.datetime64("2022-01-03")
NAMES = ("TV", "Radio", "Video", "Search", "Social")
_SEARCH = 3
SIZES = {"national": (1.0,), "geo": (0.55, 0.27, 0.13, 0.05)}
_STREAM = {"national": 81, "geo": 82}
#: Goals, as multiples of what the same weeks brought a year earlier.
_GOALS = (0.95, 1.0, 1.03, 1.06, 1.1)
SAMPLER = {"chains": 2, "warmup": 400, "draws": 400, "seed": 1}


class Style(NamedTuple):
    """What differs from seed to seed by rule rather than by chance."""

    follows: bool
    memory: float
    multiplies: bool
    breaks: bool


class Market(NamedTuple):
    """A market and what is true of it.

    Attributes:
        frame: As somebody would upload it.
        spend: Of all weeks, those ahead as a year earlier; channel geo week.
        roi: True ROI of each channel over the data.
        style: What kind of market it is.
        brought: What media at a spend bring in each week; channel geo week.
        rest: What else comes in, noise and all; geo week.
        n: Weeks of the data.
    """

    frame: pd.DataFrame
    spend: np.ndarray
    roi: np.ndarray
    style: Style
    brought: Callable[[np.ndarray], np.ndarray]
    rest: np.ndarray
    n: int


def market(kind: Kind, seed: int) -> Market:
    """A market of a kind; the same seed gives the same market."""
    rng = np.random.default_rng([seed, _STREAM[kind]])
    n, sizes = WEEKS[kind], np.array(SIZES[kind])[:, None]
    total = n + AHEAD + TAIL
    style = Style(seed % 3 == 0, 0.6 * (seed % 4 == 1), seed % 2 == 0, seed % 7 == 5)
    t = np.arange(total)
    season = rng.uniform(0.05, 0.2) * np.cos(2 * np.pi * (t / 52.18 - rng.random()))
    for week in rng.choice(52, 2, replace=False):
        far = (t - week + 26) % 52 - 26
        season = season + rng.uniform(0.08, 0.3) * np.exp(-0.5 * (far / 1.3) ** 2)
    growth = rng.uniform(-0.05, 0.15) * t / 52
    discount = rng.choice([0.0, 0.1, 0.2, 0.3], total, p=[0.8, 0.1, 0.06, 0.04])
    discount[n:] = discount[n - AHEAD :][: len(discount[n:])]
    demand = autoregression(rng, total, persistence=rng.uniform(0.4, 0.9))
    logs = season + growth + rng.uniform(0.3, 1.0) * discount
    logs = logs + style.follows * rng.uniform(0.05, 0.1) * demand
    logs = logs + 0.03 * autoregression(rng, total, persistence=0.98)
    logs = logs - 0.13 * style.breaks * (t >= int(0.6 * n))
    own = np.stack([autoregression(rng, total, persistence=0.95) for _ in sizes])
    high = np.exp(
        0.2 * rng.standard_normal(sizes.shape) + 0.03 * own * (len(sizes) > 1)
    )
    level = np.exp(logs) * high
    spend = spend_of(rng, t, season, demand * style.follows)[:, None] * sizes
    if len(sizes) > 1:
        waves = [
            0.6 * rng.standard_normal((5, 4, 1)),
            0.3 * rng.standard_normal(spend.shape),
        ]
        spend = spend * np.exp(sum(waves))
    for week in range(n, total):
        spend[:, :, week] = spend[:, :, week - AHEAD]
    shocks = np.stack(
        [autoregression(rng, total, persistence=style.memory) for _ in sizes]
    )
    base = 1e6 * sizes * level * np.exp(rng.uniform(0.015, 0.035) * shocks)
    brought, roi = media(rng, spend, base, level if style.multiplies else 1.0, n)
    frame = frame_of(kind, n, base + brought(spend).sum(axis=0), discount, spend)
    return Market(frame, spend, roi, style, brought, base, n)


def spend_of(rng, t, season: np.ndarray, demand: np.ndarray) -> np.ndarray:
    """What each channel spends in the whole market; channel week."""
    n = len(t)
    bursts = np.repeat(rng.random(n // 4 + 1) < 0.4, 4)[:n] * rng.uniform(0.5, 1.5, n)
    noise = np.exp(0.2 * rng.standard_normal((5, n)))
    wave = np.stack([autoregression(rng, n, persistence=0.8) for _ in range(2)])
    pulses = 0.1 + (rng.random(n) < 0.25) * rng.uniform(0.5, 2.0, n)
    rows = [
        bursts,
        0.8 * bursts + 0.2 * (rng.random(n) < 0.3),
        np.exp(0.4 * wave[0]),
        np.exp(season + 0.3 * demand + 0.1 * wave[1]),
        pulses,
    ]
    return np.stack(rows) * noise


def media(rng, spend: np.ndarray, base: np.ndarray, level: Any, n: int) -> Any:
    """What media bring at a spend, and true ROIs."""
    lag = np.arange(10)
    shares = 0.7 * 0.3**lag + 0.3 * 0.12 * 0.85**lag
    even = (lag < rng.integers(2, 5)).astype(float)
    weights = [shares, lag * np.exp(-lag / 1.2), even, lag == 0, 0.6**lag]
    order = rng.permutation(5)
    if order[_SEARCH] == 1:  # nobody searches weeks later
        order[[_SEARCH, 4]] = order[[4, _SEARCH]]
    weights = [weights[k] / weights[k].sum() for k in order]
    bend = rng.uniform(0.6, 3.0, 5)
    curves = [
        lambda x, k: np.arctan(x / k),
        lambda x, k: np.log1p(x / k),
        lambda x, k: x**0.6,
        lambda x, k: 1 - np.exp(-x / k),
        lambda x, k: np.minimum(x, k) + 0.25 * np.maximum(x - k, 0),
    ]
    kinds = rng.permutation(5)
    sense = np.exp(0.25 * rng.standard_normal((*spend.shape[:2], 1)))
    sense = sense if spend.shape[1] > 1 else np.ones(sense.shape)
    usual = (spend[:, :, :n] ** 2).sum(axis=2) / spend[:, :, :n].sum(axis=2)
    size = base[:, :n].sum(axis=1)[:, None] / base[:, :n].sum()

    def shape(money: np.ndarray) -> np.ndarray:
        x = money / usual[:, :, None]
        rows = [
            np.stack([np.convolve(row, weights[c])[: x.shape[2]] for row in x[c]])
            for c in range(5)
        ]
        bent = [curves[kinds[c]](rows[c], bend[c]) for c in range(5)]
        return np.stack(bent) * sense * size * level

    share = rng.uniform(0.015, 0.06, 5)
    unit = share * base[:, :n].sum() / shape(spend)[:, :, :n].sum(axis=(1, 2))
    roi = np.exp(0.1 + 0.6 * rng.standard_normal(5))
    roi[_SEARCH] *= 0.6
    price = share * base[:, :n].sum() / roi / spend[:, :, :n].sum(axis=(1, 2))
    spend *= price[:, None, None]
    usual *= price[:, None]
    return lambda money: unit[:, None, None] * shape(money), roi


def frame_of(kind: Kind, n: int, kpi, discount, spend) -> pd.DataFrame:
    parts = []
    for geo, size in enumerate(SIZES[kind]):
        columns: dict[str, Any] = {"date": (_START + 7 * np.arange(n)).astype(str)}
        if kind == "geo":
            columns |= {"region": f"Region {geo + 1}", "population": int(size * 4e7)}
        columns |= {"revenue": kpi[geo, :n].round(0), "discount": discount[:n]}
        money = zip(NAMES, spend[:, geo, :n].round(2), strict=True)
        columns |= {f"{name.lower()}_spend": row for name, row in money}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts)


def of_market(kind: Kind, seed: int, folder: Path) -> dict[str, Any]:
    """What the commands say of one market, beside what is true."""
    known = market(kind, seed)
    name = f"{kind}_{seed}"
    found, run, plan = _asked(name, known, folder)
    if kind == "geo":
        plan = said("plan", str(run), "--over", "geos")
        found["plans"].append(_scored("geos", plan, known, _by_geo(plan, known)))
    else:
        plan = _weeks(run)
        spend = known.spend.copy()
        now = {line["name"]: line["weeks"] for line in plan["channels"]}
        ahead = slice(known.n, known.n + len(plan["weeks"]))
        even, spend_ran = spend.copy(), known.spend[:, 0, ahead]
        for place, name in enumerate(NAMES):
            spend[place, 0, ahead] = now[name.lower()]
            even[place, 0, ahead] = spend_ran[place].mean()
        found["plans"].append(_scored("weeks", plan, known, spend))
        over = plan | {"gain": plan["gain_over_even"]}
        found["plans"].append(_scored("over even weeks", over, known, spend, even))
    return found


def measured(name: str, known: Market, folder: Path) -> dict[str, Any]:
    """What the commands say of a market over its channels, beside what is true."""
    return _asked(name, known, folder)[0]


def _asked(name: str, known: Market, folder: Path) -> tuple[dict[str, Any], Path, Any]:
    """What they say, the folder of the fit, and its plan over channels."""
    from core.service.fitting.in_process import fit_here

    table, project = folder / f"{name}.csv", folder / name
    known.frame.to_csv(table, index=False)
    said("init", str(table), "--out", str(project))
    run = fit_here(project, SAMPLER).folder
    summary, plan = said("summary", str(run)), said("plan", str(run))
    rois = {line["name"]: line["roi"] for line in summary["channels"]}
    found = {
        "market": name.replace("_", " "),
        "style": known.style._asdict(),
        "verdict": summary["diagnostics"]["verdict"],
        "reasons": summary["diagnostics"]["reasons"],
        "roi": [
            [name, *(rois[name.lower()][end] for end in ("lo", "median", "hi")), true]
            for name, true in zip(NAMES, known.roi.tolist(), strict=True)
        ],
        "plans": [_scored("channels", plan, known, _by_channel(plan, known))],
        "goals": _goals(run, plan, known),
    }
    return found, run, plan


def _weeks(run: Path) -> dict[str, Any]:
    """A plan of half a year of weeks, by a worker that this process waits for."""
    from core.project.fits.derived import new_derived

    work = new_derived(run, "flight", {"horizon": {"periods": 26}})
    subprocess.run([sys.executable, "-m", "core.jobs.worker", str(work)], check=True)
    return json.loads((work / "result" / "flight.json").read_text())


def _by_channel(plan: dict[str, Any], known: Market) -> np.ndarray:
    spend = known.spend.copy()
    lines = {line["name"]: line["multiplier"] for line in plan["channels"]}
    multiples = np.array([lines[name.lower()] for name in NAMES])
    spend[:, :, known.n : known.n + AHEAD] *= multiples[:, None, None]
    return spend


def _by_geo(plan: dict[str, Any], known: Market) -> np.ndarray:
    spend = known.spend.copy()
    for cell in plan["cells"]:
        place = [name.lower() for name in NAMES].index(cell["channel"])
        geo = int(cell["geo"].split()[-1]) - 1
        spend[place, geo, known.n : known.n + AHEAD] *= (
            cell["planned"] / cell["current"]
        )
    return spend


def _scored(
    over: str,
    plan: dict[str, Any],
    known: Market,
    spend: np.ndarray,
    before: np.ndarray | None = None,
) -> dict[str, Any]:
    """A plan's gain, its odds, and what the truth gains, in millions."""
    before = known.spend if before is None else before
    true = (known.brought(spend) - known.brought(before))[:, :, known.n :].sum()
    gain = plan["gain"]
    ends = {key: gain[key] / 1e6 for key in ("mean", "sd", "lo", "hi")}
    odds = gain["probability_positive"]
    advice = plan["on_split"] if over != "geos" else {"advice": plan["geo_advice"]}
    return {"over": over, "true": true / 1e6, "odds": odds, **ends, **advice}


def _goals(run: Path, plan: dict[str, Any], known: Market) -> list[list[Any]]:
    """Odds of goals with media as they ran and as planned: weeks, odds, reached."""
    from core.analysis.ahead.outlook import outlook, replanned
    from core.store.results import open_dataset

    view, results = open_dataset(run, "forecast"), []
    moved = {line["name"]: line["multiplier"] for line in plan["channels"]}
    for name, media in (("ran", known.spend), ("planned", _by_channel(plan, known))):
        came = known.rest.sum(axis=0) + known.brought(media).sum(axis=(0, 1))
        shown = view if name == "ran" else replanned(view, moved)
        for weeks in (13, 26, 52):
            ahead = came[known.n : known.n + weeks].sum()
            ago = came[known.n - AHEAD : known.n - AHEAD + weeks].sum()
            said_of = [
                outlook(shown.isel(time=slice(weeks)), goal=ago * by) for by in _GOALS
            ]
            total = said_of[0].total
            for by, one in zip(_GOALS, said_of, strict=True):
                reached = bool(ahead >= ago * by)
                results.append([name, weeks, one.goal.probability, reached])
            z = (ahead - total.mean) / total.sd
            results.append(
                [f"{name}, sum", weeks, z, bool(total.lo <= ahead <= total.hi)]
            )
    return results


def table(found: list[dict[str, Any]]) -> str:
    """What was said and what came true, over all markets."""
    rows = ["| what | said | true |", "|---|---|---|"]
    rois = [row for one in found for row in one["roi"]]
    held = sum(lo <= true <= hi for _, lo, _, hi, true in rois)
    rows.append(f"| ROI in its 90 % interval | {len(rois)} | {held} |")
    for over in ("channels", "geos", "weeks", "over even weeks"):
        some = [p for one in found for p in one["plans"] if p["over"] == over]
        if not some:
            continue
        z = [(p["true"] - p["mean"]) / p["sd"] for p in some]
        held = sum(p["lo"] <= p["true"] <= p["hi"] for p in some)
        # So few draws make most fits doubtful: what would be advised without that.
        advised = [p for p in some if p["odds"] >= PROBABLE]
        means, trues = (sum(p[key] for p in some) for key in ("mean", "true"))
        rows += [
            f"| gain of plans, {over}, in its 90 % interval | {len(some)} | {held} |",
            f"| their gains, M (off by {np.mean(z):+.1f} ± {np.std(z):.1f} sd) "
            f"| {means:.1f} | {trues:.1f} |",
            f"| likely enough to be advised, and gaining | {len(advised)} "
            f"| {sum(p['true'] > 0 for p in advised)} |",
            _odds(
                f"odds of a gain, {over}", [(p["odds"], p["true"] > 0) for p in some]
            ),
        ]
    goals = [row for one in found for row in one["goals"]]
    for name in ("ran", "planned"):
        for weeks in (13, 26, 52):
            some = [row for row in goals if row[:2] == [name, weeks]]
            sums = [row for row in goals if row[:2] == [f"{name}, sum", weeks]]
            z = [row[2] for row in sums]
            rows += [
                f"| sum of {weeks} weeks, media as {name}, in its 90 % interval (off "
                f"by {np.mean(z):+.1f} ± {np.std(z):.1f} sd) | {len(sums)} "
                f"| {sum(row[3] for row in sums)} |",
                _odds(f"goals in {weeks} weeks, {name}", [row[2:] for row in some]),
            ]
    return "\n".join(rows)


def _odds(name: str, pairs: list[Any]) -> str:
    """Odds by thirds of the scale: how many, their mean, and how often it came true."""
    parts = []
    for low, high in ((0.0, 0.35), (0.35, 0.65), (0.65, 0.9), (0.9, 1.01)):
        some = [(p, came) for p, came in pairs if low <= p < high]
        if some:
            said_mean, came = np.mean(some, axis=0)
            parts.append(f"{said_mean:.0%} → {came:.0%} ({len(some)})")
    score = np.mean([(p - came) ** 2 for p, came in pairs])
    return f"| {name} (Brier {score:.2f}) | {'; '.join(parts)} | |"


def run(
    description: str,
    markets: str,
    measure: Callable[[str, Path], dict[str, Any]],
    report: Callable[[list[Any]], str],
) -> None:
    """Measure the markets that the arguments name, and print a table of all.

    Args:
        description: Of the command.
        markets: How a market is named.
        measure: What is kept of a market, by its name and an empty folder.
        report: The table of what was kept.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("markets", nargs="*", help=markets)
    parser.add_argument("--keep", type=Path, help="a file of one JSON object a line")
    parser.add_argument("--read", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    kept = [
        json.loads(line)
        for path in options.read
        for line in path.read_text().split("\n")[:-1]
    ]
    for name in options.markets:
        with tempfile.TemporaryDirectory() as folder:
            kept.append(measure(name, Path(folder)))
        print(json.dumps(kept[-1]), flush=True)
        if options.keep:
            with options.keep.open("a") as file:
                file.write(json.dumps(kept[-1]) + "\n")
    print(report(kept))


def _measured(name: str, folder: Path) -> dict[str, Any]:
    kind, _, seed = name.partition(":")
    return of_market(kind, int(seed), folder)


if __name__ == "__main__":
    run(__doc__, "kind:seed", _measured, table)
