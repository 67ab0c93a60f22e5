"""Fits and plans on markets with known truth: Meridian's model, knots, structural.

    make bench-truth      20 seeds of two families, writes bench/TRUTH.md

Every model has the same ROI prior, LogNormal(0.2, 0.9), and the same sampler. A plan
keeps the budget and moves each channel between half and twice its spend; what it gains
is evaluated with the true curves, and compared with the best plan that knows them.
"""

import argparse
import os
from datetime import date
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from core.fit.devices import configure

configure("float32", "cpu")

from bench.markets import Family, Market, market  # noqa: E402
from core.analysis.curves import response_curves  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.returns import returns  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402
from core.plan.curves import response_curves as of_draws  # noqa: E402
from core.plan.plan import plan  # noqa: E402
from core.plan.scenario import scenario  # noqa: E402

LOW, HIGH = 0.5, 2.0
SETTINGS = SamplerSettings(chains=4, warmup=500, draws=500, seed=1)


def models(names: tuple[str, ...]) -> dict[str, ModelSpec]:
    """The specifications that are compared."""
    channels = tuple(ChannelSpec(name) for name in names)
    return {
        "Meridian's model, automatic knots": ModelSpec(
            channels, preset="meridian", knots="auto"
        ),
        "knots, 25, slope 1": ModelSpec(channels, preset="meridian", knots=25),
        "structural (default)": ModelSpec(channels),
    }


def interval_score(lo: np.ndarray, hi: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Of 90 % intervals: width, and twenty times the miss; lower is better.

    References:
        Gneiting and Raftery (2007), Strictly Proper Scoring Rules.
    """
    missed = np.maximum(lo - truth, 0) + np.maximum(truth - hi, 0)
    return hi - lo + 2 / 0.1 * missed


def true_gain(known: Market, multiples: np.ndarray) -> float:
    """True outcome of a plan less that of the current one."""
    return sum(
        known.outcome(place, multiple) - known.outcome(place, 1.0)
        for place, multiple in enumerate(multiples)
    )


def best_gain(known: Market) -> float:
    """What a plan that knows every curve gains, from several starts."""
    spend = known.data.media.spend.sum(axis=(0, 1))
    share = spend / spend.sum()
    rng = np.random.default_rng(0)
    starts = [np.ones(len(share)), *rng.uniform(LOW, HIGH, (8, len(share)))]
    unit = abs(true_gain(known, np.full(len(share), HIGH))) + 1.0
    found = [
        minimize(
            lambda x: -true_gain(known, x) / unit,
            start,
            bounds=[(LOW, HIGH)] * len(share),
            constraints={"type": "eq", "fun": lambda x: share @ x - 1.0},
        )
        for start in starts
    ]
    return max(-one.fun * unit for one in found if one.success)


def measured(
    known: Market, spec: ModelSpec, settings: SamplerSettings = SETTINGS
) -> dict:
    """What one model says of one market, against the truth."""
    model = build(known.data, spec, precision="float32")
    fitted = fit(model, settings)
    draws = flat_draws(fitted.posterior)
    found = returns(model, draws)
    roi = found["roi"].to_numpy()
    lo, hi = np.quantile(roi, [0.05, 0.95], axis=0)
    curves = of_draws(response_curves(model, draws))
    made = plan(curves, scenario(curves, bounds=(LOW, HIGH)))
    multiples = np.array([one.multiplier for one in made.channels])
    return {
        "covered": (lo <= known.roi) & (known.roi <= hi),
        "score": interval_score(lo, hi, known.roi),
        "mroi_error": np.abs(found["mroi"].to_numpy().mean(axis=0) - known.mroi),
        "gain": true_gain(known, multiples),
        "gain_draws": made.gain_draws,
        "advice": made.advice.advice,
        "verdict": fitted.verdict.status,
    }


def line(name: str, told: list[dict], best: np.ndarray) -> str:
    """One row of the table."""
    captured = np.array([one["gain"] for one in told]) / best
    error = captured.std(ddof=1) / np.sqrt(len(captured)) if len(captured) > 1 else 0
    advised = [
        share if one["advice"] == "change" else 0.0
        for share, one in zip(captured, told, strict=True)
    ]
    return (
        f"| {name} | {np.mean([one['covered'] for one in told]):.0%} | "
        f"{np.mean([one['score'] for one in told]):.2f} | "
        f"{np.mean([one['mroi_error'] for one in told]):.2f} | "
        f"{captured.mean():.2f} ± {error:.2f} | "
        f"{(captured < 0).sum()} of {len(told)} | "
        f"{np.mean(advised):.2f} | "
        f"{sum(one['verdict'] == 'trustworthy' for one in told)} of {len(told)} |"
    )


HEAD = """| model | 90 % interval holds the true ROI | interval score | marginal ROI \
error | share of the achievable gain | worse than keeping | share when its advice is \
followed | trustworthy fits |
|---|---|---|---|---|---|---|---|"""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--families", nargs="*", default=["steady", "redrawn"])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "TRUTH.md")
    options = parser.parse_args()
    sections = [
        "# Known truth\n\nWritten by `make bench-truth`; the markets are in "
        f"bench/markets.py. {date.today()}, {os.cpu_count()} CPU cores, "
        f"{options.seeds} seeds of each family, {SETTINGS.chains} chains of "
        f"{SETTINGS.draws}, {SETTINGS.precision}. The defaults were chosen on other "
        "markets than these."
    ]
    for family in options.families:
        sections.append(f"## {family}\n\n{table(family, options.seeds)}")
        print(sections[-1], "\n", flush=True)
    options.out.write_text("\n\n".join(sections) + "\n")


def table(family: Family, n_seeds: int) -> str:
    """The rows of one family."""
    told: dict[str, list[dict]] = {}
    best = []
    for seed in range(n_seeds):
        known = market(family, seed)
        best.append(best_gain(known))
        for name, spec in models(known.data.media.names).items():
            told.setdefault(name, []).append(measured(known, spec))
            print(family, seed, name, told[name][-1]["gain"] / best[-1], flush=True)
    rows = [line(name, made, np.array(best)) for name, made in told.items()]
    return "\n".join([HEAD, *rows])


if __name__ == "__main__":
    main()
