"""Drift or saturation: how often a fit says which of the two a market has.

    python -m bench.drift [--markets 20] [--draws 200] [--minutes 40] [--out FILE]
                          [--table FILE]

Simulated national markets of 156 weeks and four channels. In every second one the
first channel's effect rises or falls from year to year at the spend that it had
("drift"), in the others its spend grows up to a factor of three at an effect that
stays ("saturation"). What a fit says is the probability that the effect, not the place
on the curve, changed the return more: of the history (104 weeks), and of the history
with a further year that was planned by `earn` and by `teach` (at most 0.5 %).
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.teaching import (
    _SEEN,
    _YEAR,
    World,
    learned,
    planned,
    world,
)
from core.analysis.draws import flat_draws
from core.analysis.learning.drift_or_saturation import factors
from core.fit.settings import SamplerSettings

KINDS = ("drift", "saturation")
_POLICIES = ("earn", "teach")
#: Change of the effect, and growth of spend, from the first year to the second; ends.
_EFFECT, _GROWTH = (0.35, 0.7), (2.0, 3.0)
#: Least change of a return that is one, logarithm.
_LEAST = 0.15


def market(kind: str, seed: int) -> World:
    """A market of which the first channel drifts, or saturates."""
    plain = world("redrawn", 1_000 + seed, 4)
    rng = np.random.default_rng([seed, KINDS.index(kind), 80])
    n = plain.spend.shape[1]
    # From the middle of the first year to the middle of the second, then it stays.
    rise = np.clip((np.arange(n) - _YEAR / 2) / _YEAR, 0.0, 1.0)
    if kind == "drift":
        size = rng.choice([-1, 1]) * rng.uniform(*_EFFECT)
        drift = plain.drift.copy()
        drift[0] = np.exp(size * rise)
        return replace(plain, drift=drift)
    spend = plain.spend.copy()
    growth = rng.uniform(*_GROWTH)
    spend[0] *= growth**rise / growth**0.5
    shapes = ((plain.shapes[0][0], plain.shapes[0][1], 1.0), *plain.shapes[1:])
    return replace(plain, spend=spend, shapes=shapes)


def truth(known: World, spend: np.ndarray) -> tuple[float, float]:
    """Logarithms of the last year's return over the first's: effect, and the curve."""
    n = spend.shape[1]
    still = replace(known, drift=np.ones_like(known.drift))
    ran, curve = (
        np.log(_return(of, spend, n - _YEAR)) - np.log(_return(of, spend, n % _YEAR))
        for of in (known, still)
    )
    return float(ran - curve), float(curve)


def _return(known: World, spend: np.ndarray, first: int) -> float:
    year = slice(first, first + _YEAR)
    return float(known.brought(spend)[0, year].sum() / spend[0, year].sum())


def odds_at(known: World, spend: np.ndarray, state: tuple) -> dict | None:
    """What a fit says of the first channel, beside what is true."""
    model, posterior = state
    said = factors(model, flat_draws(posterior)).get(known.names[0])
    if said is None:
        return None
    change, curve = truth(known, spend)
    return {
        "effect": change,
        "curve": curve,
        "odds": float((np.abs(said.drift) > np.abs(said.saturation)).mean()),
    }


def one(kind: str, seed: int, settings: SamplerSettings) -> dict:
    """A market: what is said of its history, and after a year of either plan."""
    known = market(kind, seed)
    first = known.spend[:, :_SEEN]
    state = learned(known, first, settings)
    record = {"kind": kind, "seed": seed, "history": odds_at(known, first, state)}
    for policy in _POLICIES:
        weeks, plan = planned(policy, *state, seed, 3, _YEAR)
        spend = np.concatenate([first, weeks], axis=1)
        after = learned(known, spend, replace(settings, seed=2))
        record[policy] = odds_at(known, spend, after)
        if plan.teaching is not None:
            record["is_other"] = plan.teaching.is_other
    return record


HEAD = """| after | markets | said right | at 80 % or more | wrong at 80 % or more |
|---|---|---|---|---|"""


def rows(markets: list[dict]) -> Iterator[str]:
    """A line per kind and what was seen."""
    for seen in ("history", *_POLICIES):
        for kind in (*KINDS, "both"):
            right = [
                _on_the_truth(each[seen])
                for each in markets
                if kind in (each["kind"], "both") and each.get(seen)
            ]
            odds = np.array([each for each in right if each is not None])
            if len(odds):
                yield (
                    f"| {seen}, {kind} | {len(odds)} | {(odds > 0.5).mean():.0%} | "
                    f"{(odds >= 0.8).mean():.0%} | {(odds <= 0.2).mean():.0%} |"
                )


def _on_the_truth(said: dict) -> float | None:
    """Probability of what is true; None where neither or both changed the return."""
    effect, curve = abs(said["effect"]), abs(said["curve"])
    if max(effect, curve) < max(2 * min(effect, curve), _LEAST):
        return None
    return said["odds"] if effect > curve else 1 - said["odds"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markets", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=np.inf)
    parser.add_argument("--out", type=Path, help="a file of one JSON object a line")
    parser.add_argument("--table", type=Path, help="print the table of such a file")
    options = parser.parse_args()
    if options.table is not None:
        lines = options.table.read_text().splitlines()
        print("\n".join([HEAD, *rows([json.loads(line) for line in lines])]))
        return
    settings = SamplerSettings(
        chains=2,
        warmup=options.draws,
        draws=options.draws,
        seed=1,
        precision="float64",
    )
    begin, markets = time.monotonic(), []
    for seed in range(options.first, options.first + options.markets):
        if time.monotonic() - begin > 60 * options.minutes:
            break
        markets.append(one(KINDS[seed % 2], seed, settings))
        line = json.dumps(markets[-1])
        print(f"{time.monotonic() - begin:.0f} s {line}", flush=True)
        if options.out is not None:
            with options.out.open("a") as file:
                file.write(line + "\n")
    print("\n".join([HEAD, *rows(markets)]))


if __name__ == "__main__":
    main()
