"""Peaks of sales that no column shows, and Search that follows them or does not.

    python -m bench.campaigns followed:0 apart:0 caused:0 followed:0:geo --keep FILE
    python -m bench.campaigns --read FILE          the tables of what was kept

Weekly markets in the style of bench.odds, national or of four regions (104 weeks),
whose sales have peaks of one to three weeks at random dates: campaigns, press, prices
of others. A seed gives one market in three versions:

- followed: the spend of Search goes up in these weeks by a share of the peak, on every
  other seed a week late, and on every third that of Social does, too;
- apart: the same peaks; Search goes up as often and as far at dates of its own;
- caused: no peaks of sales; Search goes up as in `apart` and brings what it brings.

Each goes through `init`, a fit (2 chains of 400) and `plan`, as in bench.odds. Nothing
here is used by the product.
"""

from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from bench import odds
from core.data.recognition.campaigns import autoregression

Version = Literal["followed", "apart", "caused"]

_SEARCH, _SOCIAL = odds.NAMES.index("Search"), odds.NAMES.index("Social")
_STREAM = 83
#: Peaks of a year, their height in logs, and how far spend follows them.
_PEAKS, _HEIGHT, _FOLLOWS = (4, 9), (0.08, 0.35), (0.6, 1.6)
#: What else moves the log spend of Search from week to week, at least and at most.
_CHANCE = (0.03, 0.15)


class Style(NamedTuple):
    """What differs from market to market by rule rather than by chance."""

    version: Version
    kind: odds.Kind
    late: bool
    social: bool
    multiplies: bool


def market(version: Version, seed: int, kind: odds.Kind = "national") -> odds.Market:
    """A market in one of its versions; the same seed gives the same market."""
    rng = np.random.default_rng([seed, _STREAM])
    style = Style(version, kind, seed % 2 == 1, seed % 3 == 2, seed % 4 >= 2)
    n, sizes = odds.WEEKS[kind], np.array(odds.SIZES[kind])[:, None]
    total = n + odds.AHEAD + odds.TAIL
    t = np.arange(total)
    season = rng.uniform(0.05, 0.2) * np.cos(2 * np.pi * (t / 52.18 - rng.random()))
    growth = rng.uniform(-0.05, 0.15) * t / 52
    discount = rng.choice([0.0, 0.1, 0.2, 0.3], total, p=[0.8, 0.1, 0.06, 0.04])
    discount[n:] = discount[n - odds.AHEAD :][: len(discount[n:])]
    wave = 0.03 * autoregression(rng, total, persistence=0.98)
    peaks, others = _peaks(rng, total), _peaks(rng, total)
    share, noise = rng.uniform(*_FOLLOWS), rng.uniform(0.015, 0.035)
    logs = season + growth + rng.uniform(0.3, 1.0) * discount + wave
    logs = logs + peaks * (version != "caused")
    spend = odds.spend_of(rng, t, season, np.zeros(total))
    up = np.roll(peaks, style.late) if version == "followed" else others
    own = 0.1 * autoregression(rng, total, persistence=0.8)
    own = own + rng.uniform(*_CHANCE) * rng.standard_normal(total)
    spend[_SEARCH] = np.exp(season + own + share * up)
    if style.social and version == "followed":
        spend[_SOCIAL] *= np.exp(share * up)
    spend = spend[:, None] * sizes
    level = np.exp(logs)[None]
    if kind == "geo":
        spend = spend * np.exp(0.6 * rng.standard_normal((*spend.shape[:2], 1)))
        spend = spend * np.exp(0.1 * rng.standard_normal(spend.shape))
        level = level * np.exp(0.2 * rng.standard_normal(sizes.shape))
    for week in range(n, total):
        spend[:, :, week] = spend[:, :, week - odds.AHEAD]
    shocks = rng.standard_normal((len(sizes), total))
    base = 1e6 * sizes * level * np.exp(noise * shocks)
    times = level if style.multiplies else 1.0
    brought, roi = odds.media(rng, spend, base, times, n)
    kpi = base + brought(spend).sum(axis=0)
    frame = odds.frame_of(kind, n, kpi, discount, spend)
    return odds.Market(frame, spend, roi, style, brought, base, n)


def _peaks(rng, total: int) -> np.ndarray:
    """Logs of peaks at random dates; time."""
    n = int(rng.integers(*_PEAKS) * total / 52)
    logs = np.zeros(total)
    for first in rng.choice(total, n, replace=False):
        weeks = rng.integers(1, 4)
        logs[first : first + weeks] += rng.uniform(*_HEIGHT)
    return np.minimum(logs, 1.5 * _HEIGHT[1])


def table(found: list[dict[str, Any]]) -> str:
    """What was said of each version, and what is true."""
    rows = [
        "| version | ROI held by 90 % | of Search (too high, too low) | its median "
        "over the truth, its 95 % over its 5 % | gain expected and true, M | its 90 % "
        "interval holds it | likely enough to be advised, losing | goals (Brier) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for version, kind in product(get_args(Version), get_args(odds.Kind)):
        styles = {"version": version, "kind": kind}
        some = [one for one in found if styles.items() <= one["style"].items()]
        if some:
            rows.append(_row(f"{version}, {kind}", some))
    return "\n".join(rows)


def _row(version: str, some: list[dict[str, Any]]) -> str:
    rois = [row for one in some for row in one["roi"]]
    search = [row[1:] for row in rois if row[0] == "Search"]
    held = [lo <= true <= hi for lo, _, hi, true in search]
    above = sum(lo > true for lo, _, _, true in search)
    off = np.exp(np.mean([np.log(mid / true) for _, mid, _, true in search]))
    width = np.exp(np.mean([np.log(hi / lo) for lo, _, hi, _ in search]))
    plans = [plan for one in some for plan in one["plans"]]
    holds = sum(plan["lo"] <= plan["true"] <= plan["hi"] for plan in plans)
    advised = [plan for plan in plans if plan["odds"] >= odds.PROBABLE]
    losing = sum(plan["true"] < 0 for plan in advised)
    gains = [sum(plan[key] for plan in plans) for key in ("mean", "true")]
    all_held = sum(lo <= true <= hi for _, lo, _, hi, true in rois)
    goals = [row[2:] for one in some for row in one["goals"] if "sum" not in row[0]]
    brier = np.mean([(chance - came) ** 2 for chance, came in goals])
    return (
        f"| {version}, {len(some)} | {all_held} of {len(rois)} | {sum(held)} of "
        f"{len(held)} ({above}, {len(held) - sum(held) - above}) | {off:.2f}, "
        f"{width:.1f} | {gains[0]:.1f}, {gains[1]:.1f} | {holds} of {len(plans)} | "
        f"{len(advised)}, {losing} | {brier:.3f} |"
    )


def _measured(name: str, folder: Path) -> dict[str, Any]:
    version, seed, *kind = name.split(":")
    known = market(version, int(seed), *kind)
    return odds.measured(name.replace(":", "_"), known, folder)


if __name__ == "__main__":
    odds.run(__doc__, "version:seed[:geo]", _measured, table)
