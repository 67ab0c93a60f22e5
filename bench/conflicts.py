"""How often a lift test that agrees with the truth is called a conflict, and its price.

Run: python -m bench.conflicts [MARKETS]. Prints the tables of bench/TESTS.md.

A market of known truth is fitted with tests that weigh nothing, one per channel and
window, so that the fit says of each what it says without it. A test whose result is the
truth and Normal noise is then a conflict with a probability that follows exactly: the
check asks whether result and fit are more than two standard errors apart, in both
together. Then the first channel's test is fitted for real, to see how often weights
cannot take it out, and what the short fit without it costs.
"""

import sys
import time
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

from bench.markets import Family, Market, market  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.learning.experiments import TENSION, experiments  # noqa: E402
from core.data.experiments.entry import Entry  # noqa: E402
from core.data.simulate import adstock, saturation  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

FAMILIES: tuple[Family, ...] = ("redrawn", "following_strong")
#: First weeks of the tests, and how long they are.
WINDOWS, WEEKS = (104, 140), 8
#: Standard errors of the tests, shares of the true lift.
ERRORS = (0.1, 0.2, 0.4)
FULL = SamplerSettings(chains=4, warmup=500, draws=500, seed=1)
SHORT = SamplerSettings(chains=2, warmup=300, draws=300, seed=1)
_MAX_LAG = 8


def true_lift(known: Market, place: int, first: int) -> float:
    """What switching a channel off for some weeks would have cost in them."""
    alpha, half, slope = known.shapes[place]
    spend = known.data.media.spend[0, :, place]
    media = spend / np.median(spend[spend > 0])
    off = media.copy()
    off[first : first + WEEKS] = 0.0
    ran, without = (
        saturation(adstock(each[None], alpha, _MAX_LAG), half, slope)[0]
        for each in (media, off)
    )
    height = known.outcome(place, 1.0) / ran.sum()
    window = slice(first, first + WEEKS)
    return float(height * (ran - without)[window].sum())


def tests_of(known: Market, error: float) -> tuple[list[Entry], np.ndarray]:
    """A test of each channel and window in which it ran, and the true lifts."""
    tests, lifts = [], []
    days = known.data.times.astype(str)
    for first in WINDOWS:
        for place, name in enumerate(known.data.media.names):
            lift = true_lift(known, place, first)
            if lift > 0:
                last = days[first + WEEKS - 1]
                test = Entry(
                    channel=name,
                    start=days[first],
                    end=last,
                    incremental_outcome=lift,
                    standard_error=error * lift,
                )
                tests.append(test)
                lifts.append(lift)
    return tests, np.array(lifts)


def alarm(lift: float, error: float, without: dict[str, float]) -> float:
    """Probability that a test which is right is called a conflict."""
    sd = float(np.hypot(error, without.sd))
    result = NormalDist(lift, error)
    low, high = (without.mean + side * TENSION * sd for side in (-1, 1))
    return result.cdf(low) + 1 - result.cdf(high)


def main(n_markets: int = 6) -> None:
    """Print rates and times, market by market and then together."""
    rates: dict[tuple[Family, float], list[float]] = {}
    times = []
    for seed in range(n_markets):
        for family in FAMILIES:
            known = market(family, seed)
            channels = tuple(ChannelSpec(name) for name in known.data.media.names)
            tests, lifts = tests_of(known, 1e6)
            spec = ModelSpec(channels, experiments=tuple(tests))
            model = build(known.data, spec, precision="float32")
            began = time.process_time()
            fitted = fit(model, FULL)
            full = time.process_time() - began
            said = experiments(model, flat_draws(fitted.posterior), 1)
            for error in ERRORS:
                rates.setdefault((family, error), []).extend(
                    alarm(lift, error * lift, each.posterior)
                    for lift, each in zip(lifts, said, strict=True)
                )
            times.append((full, *_one(known, channels)))
            print(family, seed, fitted.verdict.status, times[-1], flush=True)
            for key, each in rates.items():
                print("  ", *key, len(each), f"{np.mean(each):.3f}", flush=True)


def _one(known: Market, channels: tuple[ChannelSpec, ...]) -> tuple[float, float]:
    """Pareto's k of one real test, and seconds of the short fit without it."""
    spec = ModelSpec(channels)
    test = tests_of(known, 0.1)[0][0]
    model = build(known.data, replace(spec, experiments=(test,)), precision="float32")
    (said,) = experiments(model, flat_draws(fit(model, FULL).posterior), 1)
    began = time.process_time()
    fit(build(known.data, spec, precision="float32"), SHORT)
    return float(said.pareto_k or 0.0), time.process_time() - began


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
