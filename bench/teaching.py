"""Plans that teach: true outcome over quarters, against plans that only earn.

    python -m bench.teaching [--markets 20] [--quarters 8] [--families redrawn ...]
                             [--policies earn teach] [--out FILE] [--table FILE]
                             [--time]

Simulated national markets of known truth: channels whose media are redrawn, of which
two follow hidden demand, or whose effects drift. Two years of weeks are seen; then
every quarter is planned, happens with its own noise, joins the data and is fitted
again. Policies differ in how a quarter's weeks are planned: `earn` only earns; `phased`
raises and lowers four-week blocks of the same plan by the signs of a Hadamard matrix,
at the cost that teaching is allowed; `tested` earns, and tests in each quarter the
channel whose response is worth most to know, where that is worth what the test costs;
`teach` is `--teach`. All have the same limits and truth and, but for what a year
earlier cost, budget. Every market is written to --out as
it ends. The fit of a quarter is a whole one: what is compared are plans.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.linalg import hadamard

from bench.jax_set_up import configure

configure("float64", "cpu")

from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.response.curves import (  # noqa: E402
    response_curves as stored_curves,
)
from core.analysis.returns import returns  # noqa: E402
from core.data.ahead.horizon import plan_horizon  # noqa: E402
from core.data.experiments.entry import Entry  # noqa: E402
from core.data.input_data import InputData, Treatments  # noqa: E402
from core.data.recognition.campaigns import (  # noqa: E402
    PROFILES,
    activity,
    autoregression,
)
from core.data.simulate import adstock, saturation  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402
from core.plan.advice.information import worth_of_knowing  # noqa: E402
from core.plan.flighting import flight  # noqa: E402
from core.plan.response.curves import response_curves  # noqa: E402
from core.plan.scenario.weeks import week_request  # noqa: E402

FAMILIES = ("redrawn", "following", "drifting")
POLICIES = ("earn", "phased", "tested", "teach")
#: Weeks seen at first, of a quarter, of a year; longest carryover.
_SEEN, _QUARTER, _YEAR, _MAX_LAG = 104, 13, 52, 8
_NAMES = ("TV", "Video", "Search", "Social")
_BOUNDS, _COST = [0.5, 1.5], 0.005
#: Blocks of the known phasing rule, weeks.
_BLOCK = 4
#: Of a lift test: its weeks in the quarter, and the part of the market that is dark.
_TESTED, _DARK = slice(4, 8), 0.2


@dataclass(frozen=True)
class World:
    """A market of which everything is known, in its first weeks and later.

    Attributes:
        names: Of the channels.
        spend: What ran, and would run later without a plan; channel time.
        unit: Spend of a typical week, channel.
        shapes: Retention rate, half saturation (in units) and slope of each channel.
        height: Most that a channel brings in a week.
        drift: What its effect is multiplied by; channel time.
        baseline: Outcome without media, hidden demand included; time.
        noise: Of each week; time.
    """

    names: tuple[str, ...]
    spend: np.ndarray
    unit: np.ndarray
    shapes: tuple[tuple[float, float, float], ...]
    height: np.ndarray
    drift: np.ndarray
    baseline: np.ndarray
    noise: np.ndarray

    def brought(self, spend: np.ndarray) -> np.ndarray:
        """Outcome of each channel; channel time."""
        parts = []
        for place, (alpha, half, slope) in enumerate(self.shapes):
            carried = adstock(spend[place][None] / self.unit[place], alpha, _MAX_LAG)
            parts.append(self.height[place] * saturation(carried, half, slope)[0])
        return np.stack(parts) * self.drift[:, : spend.shape[1]]

    def data(self, spend: np.ndarray) -> InputData:
        """What is seen after so many weeks of spend."""
        n = spend.shape[1]
        kpi = self.baseline[:n] + self.brought(spend).sum(axis=0) + self.noise[:n]
        times = np.datetime64("2021-01-04") + 7 * np.arange(n)
        paid = spend.T[None]
        return InputData(
            geos=("national",),
            times=times,
            media_times=times,
            kpi=np.maximum(kpi, 0.0)[None],
            kpi_type="revenue",
            revenue_per_kpi=None,
            population=np.ones(1),
            controls=np.zeros((1, n, 0)),
            control_names=(),
            media=Treatments(self.names, paid, spend=paid.copy()),
        )


def world(
    family: str, seed: int, quarters: int, names: tuple[str, ...] = _NAMES
) -> World:
    """A market of a family; the same seed gives the same one."""
    rng = np.random.default_rng([seed, FAMILIES.index(family), 78])
    n = _SEEN + _QUARTER * quarters + _MAX_LAG
    turn = 2 * np.pi * np.arange(n) / 52.18
    season = np.cos(turn - rng.uniform(0, 2 * np.pi))
    sales = 1 + rng.uniform(0.03, 0.15) * season
    sales += rng.uniform(-0.03, 0.06) * np.arange(n) / _YEAR
    sales += 0.02 * autoregression(rng, n, persistence=0.98)
    demand = autoregression(rng, n, persistence=0.6)
    follows = family == "following"
    sales += 0.05 * demand * follows
    media, shapes, height, spend = [], [], [], []
    for place in range(len(names)):
        runs = activity(rng, PROFILES[int(rng.integers(0, 6))], season, 1)[0]
        runs = runs * np.exp(0.35 * demand * (follows and place < 2))
        media.append(runs / runs.mean())
        slope = float(np.exp(0.3 * rng.standard_normal()))
        shapes.append((float(rng.uniform(0, 0.8)), float(rng.uniform(0.5, 2)), slope))
        carried = adstock(media[-1][None], shapes[-1][0], _MAX_LAG)
        raw = saturation(carried, *shapes[-1][1:])[0].mean()
        worth = rng.uniform(0.03, 0.09) * 1e6
        height.append(worth / raw)
        roi = float(np.exp(0.3 + 0.5 * rng.standard_normal()))
        spend.append(media[-1] * worth / roi)
    drift = np.ones((len(names), n))
    if family == "drifting":
        walk = rng.standard_normal((len(names), n)).cumsum(axis=1) / np.sqrt(_YEAR)
        drift = np.exp(0.25 * (walk - walk[:, :_SEEN].mean(axis=1, keepdims=True)))
    paid = np.stack(spend)
    return World(
        names=names,
        spend=paid,
        unit=paid.mean(axis=1),
        shapes=tuple(shapes),
        height=np.array(height),
        drift=drift,
        baseline=1e6 * sales,
        noise=rng.uniform(0.015, 0.03) * 1e6 * rng.standard_normal(n),
    )


def learned(
    known: World,
    spend: np.ndarray,
    settings: SamplerSettings,
    tests: Sequence[Entry] = (),
):
    """Model and posterior of what was seen, in the precision that plans take."""
    channels = tuple(map(ChannelSpec, known.names))
    spec = ModelSpec(channels, max_lag=_MAX_LAG, experiments=tuple(tests))
    data = known.data(spend)
    model = build(data, spec, precision="float64")
    return model, fit(model, settings).posterior


def planned(
    policy: str, model, posterior, seed: int, later: int, n_weeks: int = _QUARTER
) -> tuple:
    """Weekly spend of a quarter, or of other weeks, and the record of its plan."""
    table = {"horizon": {"periods": n_weeks}, "bounds": _BOUNDS, "scaled": True}
    if policy == "teach":
        table["teach"] = {"cost": f"{_COST:.1%}", "later": later, "seed": seed + 1}
    made = flight(model, posterior, week_request(table))
    spend = made.stored["spend"].to_numpy()
    if policy == "phased":
        spend = _phased(model, posterior, spend, seed)
    return spend, made.record


def _phased(model, posterior, spend: np.ndarray, seed: int) -> np.ndarray:
    """Hadamard blocks around a plan, as far as teaching may cost."""
    n_blocks = -(-_QUARTER // _BLOCK)
    rows = np.random.default_rng([seed, 79]).permutation(hadamard(4)[1:])
    rows = np.concatenate([rows, -rows])[: len(spend), :n_blocks]
    signs = np.repeat(rows, _BLOCK, axis=1)[:, :_QUARTER]

    def at(swing: float) -> np.ndarray:
        moved = spend * (1 + swing * signs)
        money = spend.sum(axis=1) / np.maximum(moved.sum(axis=1), 1e-9)
        return moved * money[:, None]

    def brings(plan: np.ndarray) -> float:
        of = {name: row.tolist() for name, row in zip(_NAMES, plan, strict=True)}
        table = {"horizon": {"periods": _QUARTER}, "spend": of}
        return float(
            flight(model, posterior, week_request(table)).record.objective.planned
        )

    most = brings(spend)
    low, high = 0.0, 0.9
    for _ in range(5):
        swing = (low + high) / 2
        is_kept = most - brings(at(swing)) <= _COST * most
        low, high = (swing, high) if is_kept else (low, swing)
    return at(low)


def tested(
    known: World, spend: np.ndarray, state: tuple, later: int, seed: int
) -> tuple[np.ndarray, list[Entry]]:
    """A quarter with a lift test in it, and what the test read; as it was without one.

    The channel is dark in a part of the market, its money in the quarter's other weeks.
    The test reads the difference to the rest of the market, whose noise is as large by
    size.

    Args:
        known: The market.
        spend: Before the quarter and in it.
        state: Model and posterior before it.
        later: Quarters that use what is read.
        seed: Of the noise.
    """
    model, posterior = state
    horizon = plan_horizon(model.data.times, _QUARTER)
    draws = flat_draws(posterior)
    curves = response_curves(stored_curves(model, draws, horizon))
    worth = worth_of_knowing(curves, tuple(_BOUNDS))
    name = max(worth, key=lambda each: worth[each].outcome)
    n = _TESTED.stop - _TESTED.start
    place, first = known.names.index(name), spend.shape[1] - _QUARTER
    own = curves.names.index(name)
    cost = _DARK * n / _QUARTER * float(curves.mean().outcome(curves.spend)[0, own])
    if later * worth[name].outcome <= cost:
        return spend, []
    moved = spend.copy()
    quarter = moved[place, first:]
    quarter[_TESTED] *= 1 - _DARK
    quarter *= spend[place, first:].sum() / max(quarter.sum(), 1e-9)
    weeks = slice(first + _TESTED.start, first + _TESTED.stop)
    dark = moved.copy()
    dark[place, weeks] = 0.0
    lift = float((known.brought(moved) - known.brought(dark))[place, weeks].sum())
    noise = float(known.noise.std()) * np.sqrt(n * (1 / _DARK + 1 / (1 - _DARK)))
    read = lift + noise * float(np.random.default_rng([seed, 81]).standard_normal())
    days = known.data(moved).times[weeks]
    test = Entry(
        channel=name,
        start=str(days[0]),
        end=str(days[-1]),
        incremental_outcome=read,
        standard_error=noise,
    )
    return moved, [test]


def interval_score(lo: np.ndarray, hi: np.ndarray, truth: np.ndarray) -> float:
    """Mean interval score of 90 % intervals (Gneiting and Raftery 2007)."""
    below, above = np.maximum(lo - truth, 0), np.maximum(truth - hi, 0)
    return float((hi - lo + 2 / 0.1 * (below + above)).mean())


def by_policy(
    family: str,
    seed: int,
    quarters: int,
    settings: SamplerSettings,
    policies: Sequence[str] = POLICIES,
) -> dict:
    """One market under some policies."""
    known = world(family, seed, quarters)
    first = known.spend[:, :_SEEN]
    begin = learned(known, first, settings)
    record = {"family": family, "seed": seed, "quarters": quarters}
    for policy in policies:
        spend, state, costs, promises, tests = first, begin, [], [], []
        for quarter in range(quarters):
            later = max(1, quarters - 1 - quarter)
            weeks, plan = planned(policy, *state, seed + quarter, later)
            if plan.teaching is not None:
                costs.append(plan.teaching.cost.mean)
                promises.append(plan.teaching.later.mean)
            spend = np.concatenate([spend, weeks], axis=1)
            if policy == "tested":
                spend, read = tested(known, spend, state, later, seed + quarter)
                tests += read
            state = learned(known, spend, replace(settings, seed=quarter + 2), tests)
        record[policy] = _truth_of(known, spend, state) | {
            "cost_expected": costs,
            "later_expected": promises,
            "tests": len(tests),
        }
    return record


def _truth_of(known: World, spend: np.ndarray, state: tuple) -> dict:
    """What media truly brought in each quarter, and how well returns are known."""
    tail = known.spend[:, spend.shape[1] : spend.shape[1] + _MAX_LAG]
    with_after = known.brought(np.concatenate([spend, tail], axis=1)).sum(axis=0)
    before = known.brought(
        np.concatenate([spend[:, :_SEEN], 0 * spend[:, _SEEN:], tail], axis=1)
    ).sum(axis=0)
    gained = (with_after - before)[_SEEN:]
    n = (spend.shape[1] - _SEEN) // _QUARTER
    ends = [*range(0, n * _QUARTER, _QUARTER)]
    by_quarter = np.add.reduceat(gained, ends)  # the last with its carryover
    model, posterior = state
    roi = returns(model, flat_draws(posterior))["roi"].to_numpy()
    lo, hi = np.quantile(roi, [0.05, 0.95], axis=0)
    truth = known.brought(spend).sum(axis=1) / spend.sum(axis=1)
    return {
        "outcome": by_quarter.tolist(),
        "score": interval_score(lo, hi, truth),
        "covered": float(((lo <= truth) & (truth <= hi)).mean()),
        "spend": float(spend[:, _SEEN:].sum()),
    }


def timed(settings: SamplerSettings) -> str:
    """Processor seconds of a plan of 52 weeks and ten channels, once compiled."""
    names = tuple(f"Channel {place}" for place in range(10))
    known = world("redrawn", 0, 4, names)
    model, posterior = learned(known, known.spend[:, :_SEEN], settings)
    said = []
    for teach in (False, True):
        for _ in range(2):  # the first compiles
            start = time.process_time()
            table = {"horizon": {"periods": _YEAR}, "teach": teach}
            made = flight(model, posterior, week_request(table))
            spent = time.process_time() - start
        said.append(f"teach {teach}: {spent:.1f} s of processors")
    promise = made.record.teaching
    share = 1 - promise.total / promise.bound
    return f"{'; '.join(said)}; at most {share:.2%} below the best of both"


HEAD = """| family | policy | markets | true outcome against `earn` | worse over the \
whole | worst quarter | interval score of ROI | against `earn` | cost expected | later \
gain expected |
|---|---|---|---|---|---|---|---|---|---|"""


def rows(markets: list[dict]) -> Iterator[str]:
    """A line per family and policy, and per policy over all."""
    for family in (*FAMILIES, "all"):
        part = [one for one in markets if family in (one["family"], "all")]
        for policy in POLICIES[1:] if part else ():
            if all(policy in one for one in part):
                yield _row(family, policy, part)


def _row(family: str, policy: str, part: list[dict]) -> str:
    own, earn = (
        np.array([one[each]["outcome"] for one in part]) for each in (policy, "earn")
    )
    gain = own.sum(axis=1) / earn.sum(axis=1) - 1
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
    scores = np.array(
        [[one[each]["score"] for each in (policy, "earn")] for one in part]
    )
    better = scores[:, 0].sum() / scores[:, 1].sum() - 1
    promised = [one[policy]["cost_expected"] for one in part]
    later = [one[policy]["later_expected"] for one in part]
    shares = [
        f"{np.sum(each) / earn.sum():.2%}" if np.size(each) else "–"
        for each in (promised, later)
    ]
    return (
        f"| {family} | {policy} | {len(part)} | {gain.mean():+.2%} ± {error:.2%} | "
        f"{int((gain < 0).sum())} of {len(part)} | {(own / earn - 1).min():+.1%} | "
        f"{scores[:, 0].mean():.2f} | {better:+.0%} | {shares[0]} | {shares[1]} |"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markets", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--quarters", type=int, default=8)
    parser.add_argument("--families", nargs="*", choices=FAMILIES, default=FAMILIES)
    parser.add_argument("--policies", nargs="*", choices=POLICIES, default=POLICIES)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--out", type=Path, help="a file of one JSON object a line")
    parser.add_argument("--time", action="store_true", help="time one plan instead")
    parser.add_argument("--table", type=Path, help="print the table of such a file")
    options = parser.parse_args()
    if options.table is not None:
        lines = options.table.read_text().splitlines()
        print("\n".join([HEAD, *rows([json.loads(line) for line in lines])]))
        return
    n = options.draws
    settings = SamplerSettings(chains=2, warmup=n, draws=n, seed=1, precision="float64")
    if options.time:
        print(timed(settings))
        return
    markets = []
    for seed in range(options.first, options.first + options.markets):
        for family in options.families:
            asked = options.quarters, settings, options.policies
            markets.append(by_policy(family, seed, *asked))
            line = json.dumps(markets[-1])
            print(line, flush=True)
            if options.out is not None:
                with options.out.open("a") as file:
                    file.write(line + "\n")
    print("\n".join([HEAD, *rows(markets)]))


if __name__ == "__main__":
    main()
