"""Fits and plans on markets with known truth: Meridian's model, knots, structural.

    make bench-truth      20 seeds of each family, writes bench/TRUTH.md
    --first 100           other markets, on which defaults are chosen

Every model has the same ROI prior, LogNormal(0.2, 0.9), and the same sampler. A plan
keeps the budget and moves each channel between half and twice its spend; what it gains
is evaluated with the true curves, and compared with the best plan that knows them. The
oracle knows every shape, and the hidden demand of the families that have one.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import get_args

import numpy as np
from scipy.optimize import minimize

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

from bench.markets import Family, Market, market  # noqa: E402
from core.analysis.by_period import years  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.response.curves import response_curves  # noqa: E402
from core.analysis.returns import returns  # noqa: E402
from core.data.input_data import InputData  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import Model, build  # noqa: E402
from core.model.media.group_arrays import (  # noqa: E402
    scaled_units,
    typical_exposure,
)
from core.model.priors.prior import Prior, prior  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402
from core.plan.plan import plan  # noqa: E402
from core.plan.response.curves import ResponseCurves  # noqa: E402
from core.plan.response.curves import response_curves as of_draws  # noqa: E402
from core.plan.scenario.scenario import Scenario, scenario  # noqa: E402

LOW, HIGH = 0.5, 2.0
Question = tuple[Family, int, str]
ADVICE = ("change", "test", "keep")
_SHAPE = ("alpha", "ec", "slope")
SETTINGS = SamplerSettings(chains=4, warmup=500, draws=500, seed=1)
NAMES = (
    "Meridian's model, automatic knots",
    "knots, 25, slope 1",
    "structural (default)",
    "structural, slope 1",
    "structural, effectiveness constant",
    "structural, effectiveness drifting",
    "oracle: structural, given every shape and the demand",
)


def models(known: Market) -> dict[str, ModelSpec]:
    """The specifications that are compared; the last one is told what nobody knows."""
    names = known.data.media.names
    channels = tuple(ChannelSpec(name) for name in names)
    concave = tuple(
        ChannelSpec(name, priors=(("slope", _fixed(1.0)),)) for name in names
    )
    specs = (
        ModelSpec(channels, preset="meridian", knots="auto"),
        ModelSpec(channels, preset="meridian", knots=25),
        ModelSpec(channels),
        ModelSpec(concave),
        ModelSpec(channels, effectiveness="constant"),
        ModelSpec(channels, effectiveness="drifting"),
    )
    found = dict(zip(NAMES, specs, strict=False))
    if known.shapes:  # where every curve is one that the model has
        found[NAMES[-1]] = ModelSpec(_oracle(known))
    return found


def _oracle(known: Market) -> tuple[ChannelSpec, ...]:
    """The channels with every shape as it is, half-saturation in the model's unit."""
    media = known.data.media
    channels = tuple(
        ChannelSpec(
            name,
            priors=tuple(zip(_SHAPE, map(_fixed, shape), strict=True)),
            follows_demand=False,  # it has the demand itself
        )
        for name, shape in zip(media.names, known.shapes, strict=True)
    )
    spec = ModelSpec(channels)
    windows = np.full(len(channels), spec.max_lag + 1)
    scaled = scaled_units(known.data, media)
    unit = typical_exposure(spec, media, scaled, windows)
    return tuple(
        replace(
            channel,
            priors=(
                *channel.priors[:1],
                ("ec", _fixed(shape[1] / at)),
                *channel.priors[2:],
            ),
        )
        for channel, shape, at in zip(channels, known.shapes, unit, strict=True)
    )


def seen_by(known: Market, name: str) -> InputData:
    """The data that a model is given: the oracle's have the hidden demand."""
    if name != NAMES[-1] or known.demand is None:
        return known.data
    controls = np.concatenate([known.data.controls, known.demand[:, :, None]], axis=2)
    names = (*known.data.control_names, "demand")
    return replace(known.data, controls=controls, control_names=names)


def _fixed(value: float) -> Prior:
    return prior("Deterministic", loc=value)


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
    known: Market,
    data: InputData,
    spec: ModelSpec,
    settings: SamplerSettings = SETTINGS,
) -> dict:
    """What one model says of one market, against the truth."""
    model = build(data, spec, precision="float32")
    fitted = fit(model, settings)
    draws = flat_draws(fitted.posterior)
    found = returns(model, draws)
    roi = found["roi"].to_numpy()
    lo, hi = np.quantile(roi, [0.05, 0.95], axis=0)
    curves = of_draws(response_curves(model, draws))
    asked = scenario(curves, bounds=(LOW, HIGH))
    advised = plan(curves, asked)
    made = plan(curves, replace(asked, supported=False))
    multiples = np.array([one.multiplier for one in made.channels])
    followed = np.array([one.multiplier for one in advised.channels])
    return {
        "gain_sd": float(made.gain_draws.std()),
        "optimism": optimism(curves, replace(asked, supported=False)),
        "covered": ((lo <= known.roi) & (known.roi <= hi)).tolist(),
        "covered_last_year": _holds_last_year(model, draws, known),
        "score": interval_score(lo, hi, known.roi).tolist(),
        "mroi_error": np.abs(
            found["mroi"].to_numpy().mean(axis=0) - known.mroi
        ).tolist(),
        "gain": true_gain(known, multiples),
        "gain_expected": float(made.gain_draws.mean()),
        "gain_covered": _holds(made.gain_draws, true_gain(known, multiples)),
        "followed": true_gain(known, followed) if (advised.advice == "change") else 0.0,
        "advice": advised.advice,
        "verdict": fitted.verdict.status,
        "channels": list(known.data.media.names),
        "followers": list(known.followers),
        "roi": np.quantile(roi, [0.05, 0.5, 0.95], axis=0).T.tolist(),
        "truth": known.roi.tolist(),
    }


def optimism(curves: ResponseCurves, asked: Scenario) -> float:
    """What choosing the best plan adds to its gain, in sd of that gain.

    Planned on every other draw and evaluated on the rest, and the other way round: the
    winner's curse of a plan that is chosen and evaluated on the same draws.
    """
    halves = [
        replace(curves, value=curves.value[part], slope=curves.slope[part])
        for part in (slice(0, None, 2), slice(1, None, 2))
    ]
    found = []
    for own, other in (halves, halves[::-1]):
        spend = np.array(tuple(plan(own, asked).money.values()))
        gains = [
            (each.outcome(spend) - each.outcome(each.spend)).sum(axis=1)
            for each in (own, other)
        ]
        found.append((gains[0].mean() - gains[1].mean()) / max(gains[1].std(), 1e-300))
    return float(np.mean(found))


def _holds_last_year(model: Model, draws: dict, known: Market) -> list[bool]:
    """Whether 90 % intervals hold the ROI of the last 52 weeks, by channel."""
    of_draws = years(model, draws)["roi_last_year"].to_numpy()
    lo, hi = np.quantile(of_draws, [0.05, 0.95], axis=0)
    return ((lo <= known.roi_last_year) & (known.roi_last_year <= hi)).tolist()


def _holds(draws: np.ndarray, truth: float) -> bool:
    """Whether the 80 % interval of the plan's gain holds the true one."""
    lo, hi = np.quantile(draws, [0.1, 0.9])
    return bool(lo <= truth <= hi)


def line(name: str, markets: list[dict]) -> str:
    """One row of the table."""
    captured = np.array([one["gain"] / one["best"] for one in markets])
    error = captured.std(ddof=1) / np.sqrt(len(captured)) if len(captured) > 1 else 0
    advised = [one["followed"] / one["best"] for one in markets]
    return (
        f"| {name} | {np.mean([one['covered'] for one in markets]):.0%} | "
        f"{_last_year_held(markets)} | "
        f"{np.mean([one['score'] for one in markets]):.2f} | "
        f"{np.mean([one['mroi_error'] for one in markets]):.2f} | "
        f"{captured.mean():.2f} ± {error:.2f} | "
        f"{(captured < 0).sum()} of {len(markets)} | "
        f"{np.mean(advised):.2f}, {sum(each < 0 for each in advised)} worse | "
        f"{_advice_counts(markets)} | {_followers_held(markets)} | "
        f"{np.mean([one['gain_covered'] for one in markets]):.0%}{_off(markets)} | "
        f"{sum(one['verdict'] == 'trustworthy' for one in markets)} of {len(markets)} |"
    )


def _advice_counts(markets: list[dict]) -> str:
    counts = Counter(one["advice"] for one in markets)
    return ", ".join(f"{word} {counts[word]}" for word in ADVICE if counts[word])


def _last_year_held(markets: list[dict]) -> str:
    """How often the interval of the last 52 weeks' ROI holds it."""
    held = [one["covered_last_year"] for one in markets if "covered_last_year" in one]
    return f"{np.mean(held):.0%}" if len(held) == len(markets) else "–"


def _off(markets: list[dict]) -> str:
    """How far true gains are from the expected ones, in sd of each: mean and spread."""
    if not all("gain_sd" in one for one in markets) or len(markets) < 2:
        return ""
    off = [(one["gain"] - one["gain_expected"]) / one["gain_sd"] for one in markets]
    return f" ({np.mean(off):+.1f} ± {np.std(off, ddof=1):.1f} sd)"


def _followers_held(markets: list[dict]) -> str:
    """How often the interval of a channel that follows demand holds its ROI."""
    held = [
        covered
        for one in markets
        for covered, name in zip(one["covered"], one["channels"], strict=True)
        if name in one["followers"]
    ]
    return f"{np.mean(held):.0%}" if held else "–"


HEAD = """| model | 90 % interval holds the true ROI | of the last year | interval \
score | marginal ROI error | share of the achievable gain | worse than keeping | share \
when its advice is followed | advice | followers held | 80 % interval holds the plan's \
gain | trustworthy fits |
|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    everything = [f"{family}:20" for family in get_args(Family)]
    parser.add_argument("--families", nargs="*", default=everything, help="name:seeds")
    parser.add_argument("--first", type=int, default=0, help="first seed; 0 reports")
    parser.add_argument(
        "--models", nargs="*", default=list(NAMES), help="by default all; quoted"
    )
    parser.add_argument("--chains", type=int, default=SETTINGS.chains)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path, help="answers so far, to go on from")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "TRUTH.md")
    options = parser.parse_args()
    pairs = [one.partition(":")[::2] for one in options.families]
    families = {name: int(seeds) for name, seeds in pairs}

    def seeds_of(n_seeds: int) -> range:
        return range(options.first, options.first + n_seeds)

    asked = [
        (family, seed, name)
        for family, n_seeds in families.items()
        for seed, name in product(seeds_of(n_seeds), options.models)
        if name != NAMES[-1] or market(family, seed).shapes
    ]
    markets = kept(options.keep) if options.keep else {}
    missing = [question for question in asked if question not in markets]
    for question, found in answers(missing, options.workers, options.chains):
        markets[question] = found
        if options.keep:
            with options.keep.open("a") as file:
                file.write(json.dumps([question, found]) + "\n")
    sections = [
        "# Known truth\n\nWritten by `make bench-truth`; the markets are in "
        f"bench/markets.py. {date.today()}, {os.cpu_count()} CPU cores, JAX "
        f"{version('jax')}, {options.chains} chains of {SETTINGS.draws}, "
        f"{SETTINGS.precision}. The defaults were chosen on other markets than these."
    ]
    for family, n_seeds in families.items():
        seeds = seeds_of(n_seeds)
        rows = [
            line(name, [markets[family, seed, name] for seed in seeds])
            for name in NAMES
            if all((family, seed, name) in markets for seed in seeds)
        ]
        title = f"## {family}, {n_seeds} markets\n\n"
        sections.append(title + "\n".join([HEAD, *rows]))
    text = "\n\n".join(sections) + "\n"
    print(text)
    options.out.write_text(text)


def kept(path: Path) -> dict[Question, dict]:
    """Answers that an earlier run has left."""
    if not path.exists():
        return {}
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    return {tuple(question): found for question, found in rows}


def answers(
    asked: list[Question], workers: int, chains: int
) -> Iterator[tuple[Question, dict]]:
    """Each question with its answer, as they come, each in a process of its own."""
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    with pool:
        waiting = {
            pool.submit(answer, *question, chains): question for question in asked
        }
        for done in as_completed(waiting):
            found = done.result()
            captured = found["gain"] / found["best"]
            print(*waiting[done], f"{captured:.2f}", found["verdict"], flush=True)
            yield waiting[done], found


def answer(family: Family, seed: int, name: str, chains: int) -> dict:
    """What one model says of one market, and the best there was."""
    known = market(family, seed)
    settings = replace(SETTINGS, chains=chains)
    found = measured(known, seen_by(known, name), models(known)[name], settings)
    return found | {"best": best_gain(known)}


if __name__ == "__main__":
    main()
