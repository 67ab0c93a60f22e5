"""Plans on the markets of core/data/simulate.py: true gain, regret, honest intervals.

    python -m bench.plan_truth        10 seeds at four levels of noise, 15 minutes

The same ten markets, from a signal that is plain to one that noise all but drowns.
Each is fitted with the default model; its best plan keeps the budget and moves every
channel between half and twice its spend. What the plan truly brings is evaluated with
the curves that the market was made with.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from bench.markets import Market
from bench.truth import best_gain, measured
from core.data.assemble import assemble
from core.data.simulate import adstock, saturation, scaled_media, simulate_market
from core.fit.settings import SamplerSettings
from core.model.spec import ChannelSpec, ModelSpec

#: Standard deviation of sales around their expectation, as a share of them.
NOISES = (0.01, 0.03, 0.1, 0.3)
SETTINGS = SamplerSettings(chains=2, warmup=300, draws=300, seed=1)
_MAX_LAG = 8


def known_market(seed: int, noise: float) -> Market:
    """A simulated national market with its true outcome at any spend."""
    made = simulate_market(seed, noise=noise, max_lag=_MAX_LAG)
    data = assemble(made.frame, made.mapping)
    price = made.frame["Revenue_per_unit"].to_numpy()
    spend = data.media.spend.sum(axis=(0, 1))
    truth = [made.truth[name] for name in data.media.names]

    def shape(place: int, multiple: float) -> float:
        units = data.media.units[:, :, place]
        own = multiple * scaled_media(units, np.ones(1))
        carried = adstock(own, truth[place]["alpha"], _MAX_LAG)
        hill = saturation(carried, truth[place]["ec"], truth[place]["slope"])
        return float((price * hill).sum())

    def outcome(place: int, multiple: float) -> float:
        worth = truth[place]["roi"] * spend[place]
        return worth * shape(place, multiple) / shape(place, 1.0)

    roi = np.array([one["roi"] for one in truth])
    step = 0.01
    more = [outcome(place, 1 + step) - outcome(place, 1.0) for place in range(len(roi))]
    shapes = tuple((one["alpha"], one["ec"], one["slope"]) for one in truth)
    return Market(data, roi, np.array(more) / (step * spend), outcome, shapes)


def told(seed: int, noise: float) -> dict:
    """What the fit of one market said of its plan, and what is true."""
    known = known_market(seed, noise)
    spec = ModelSpec(tuple(ChannelSpec(name) for name in known.data.media.names))
    made = measured(known, known.data, spec, SETTINGS)
    now = sum(known.outcome(place, 1.0) for place in range(len(known.roi)))
    best = best_gain(known)
    return {
        "seed": seed,
        "noise": noise,
        "now": now,
        "best": best,
        "roi_covered": float(np.mean(made["covered"])),
        **{
            key: made[key]
            for key in ("gain", "gain_expected", "gain_covered", "advice", "verdict")
        },
    }


HEAD = """| noise | markets | true gain of the plan | gain it expected | achievable \
gain | share of it | regret | worse than keeping | advice to change | 80 % interval \
holds the true gain |
|---|---|---|---|---|---|---|---|---|---|"""


def row(label: str, found: list[dict]) -> str:
    """One line of the table; gains are shares of what the media bring now."""

    def of(key: str) -> np.ndarray:
        return np.array([one[key] for one in found], dtype=float)

    gain, best = of("gain") / of("now"), of("best") / of("now")
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else 0.0
    changes = sum(one["advice"] == "change" for one in found)
    return (
        f"| {label} | {len(found)} | {gain.mean():+.1%} ± {error:.1%} | "
        f"{(of('gain_expected') / of('now')).mean():+.1%} | {best.mean():.1%} | "
        f"{gain.sum() / best.sum():.0%} | {(best - gain).mean():.1%} | "
        f"{(gain < 0).sum()} | {changes} | {of('gain_covered').mean():.0%} |"
    )


def table(found: list[dict]) -> str:
    """One line per level of noise, and one for all."""
    noises = sorted({one["noise"] for one in found})
    parts = [[one for one in found if one["noise"] == noise] for noise in noises]
    rows = [row(f"{n:.0%}", part) for n, part in zip(noises, parts, strict=True)]
    return "\n".join([HEAD, *rows, row("all", found)])


def main() -> None:
    """Measure and print; every market is written at once to --out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--noises", type=float, nargs="*", default=list(NOISES))
    parser.add_argument("--out", type=Path, help="a file of one JSON object a line")
    options = parser.parse_args()
    found = []
    for seed in range(options.seeds):
        for noise in options.noises:
            found.append(told(seed, noise))
            if options.out is not None:
                with options.out.open("a") as file:
                    file.write(json.dumps(found[-1]) + "\n")
            print(json.dumps(found[-1]), flush=True)
    print(f"\n{table(found)}")


if __name__ == "__main__":
    main()
