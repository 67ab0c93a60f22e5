"""A portfolio's times: five fits of ten channels and 1,000 draws, joined and planned.

    python -m bench.portfolio          prints a table, half a minute
    python -m bench.portfolio --noise  what is left of a tenth percentile that is
                                       fitted to single draws, a minute

Half of the channels of two projects are shared, one project is in another currency.
Every time is the median of five, everything that a plan says included (odds, bound,
advice, robustness, each project's part).
"""

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from statistics import median

import numpy as np
from scipy.optimize import linprog

from bench.planner import market
from core.plan.limits.polytope import Polytope
from core.plan.portfolio.joined import in_money, joined
from core.plan.portfolio.plan import portfolio_plan
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.measure import Measure, measure_of
from core.plan.scenario.table import of_table
from core.plan.solve.dispatch import Best, best_plan

PROJECTS, CHANNELS, DRAWS, REPEATS = 5, 10, 1000, 5
TABLES = {
    "expected revenue": {},
    "expected revenue, the best plan": {"supported": False},
    "tenth percentile": {"objective": "p10"},
}
SETS, FRESH = 6, 6000  # sets of draws to plan with, and draws that no plan has seen
_STEPS = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05)
_ROUNDS, _WIDTH, _NEAR = 12, 0.05, 1.06


def main() -> None:
    """Measure and print."""
    if "--noise" in sys.argv:
        noise()
        return
    plain = market(CHANNELS, DRAWS)

    def timed(work) -> tuple[float, object]:
        seconds, last = [], None
        for _ in range(REPEATS):
            start = time.perf_counter()
            last = work()
            seconds.append(time.perf_counter() - start)
        return median(seconds), last

    markets, rates = brands(plain)
    seconds, both = timed(lambda: joined(markets, rates, {}))
    print(f"| joined | {seconds:.2f} s | |")
    for name, table in TABLES.items():
        seconds, record = timed(
            lambda table=table: portfolio_plan(both, table, "trustworthy")
        )
        print(f"| {name} | {seconds:.2f} s | gap {record.bound.gap:.3%} |")


def brands(
    plain: ResponseCurves,
) -> tuple[Mapping[str, ResponseCurves], Mapping[str, float]]:
    """Five projects of one market, whose channels stand in other orders."""
    markets, rates = {}, {}
    for place in range(PROJECTS):
        rate = 1.08 if place == PROJECTS - 1 else 1.0
        order = [(place + i) % CHANNELS for i in range(CHANNELS)]
        own = replace(
            plain,
            spend=plain.spend[order],
            value=plain.value[:, order],
            slope=plain.slope[:, order],
            highest_seen=plain.highest_seen[order],
        )
        name = f"Brand {place + 1}"
        markets[name] = in_money(own, worth=rate, rate=rate, currency="EUR")
        rates[name] = rate
    return markets, rates


def noise() -> None:
    """How much of a tenth percentile is the luck of the draws that were planned with.

    The plan's tenth percentile is lifted further by choosing spends that suit single
    draws near it: the lowest of the 900 best draws is raised, step by step, by linear
    programs. All plans are then measured on draws that none has seen.
    """
    everything = market(CHANNELS, SETS * DRAWS + FRESH)

    def of(first: int, last: int) -> ResponseCurves:
        return joined(*brands(everything.draws(first, last)), {}).curves

    p10 = measure_of("p10")
    fresh = of(SETS * DRAWS, SETS * DRAWS + FRESH)
    print(
        "| p10 of draws | its error | bound | fitted to single draws | for the mean |"
    )
    rows = []
    for first in range(0, SETS * DRAWS, DRAWS):
        seen = of(first, first + DRAWS)
        best = best_plan(seen, of_table({"objective": "p10"}, seen), p10)
        mean = best_plan(seen, of_table({}, seen), measure_of("mean"))
        plans = np.stack([best.spend, lifted_split(seen, best, p10), mean.spend])
        on_seen, on_fresh = (p10.of(curves.total(plans)) for curves in (seen, fresh))
        rng, outcome = np.random.default_rng(0), seen.total(plans[:1])[:, 0]
        error = np.std([p10.of(rng.choice(outcome, DRAWS)) for _ in range(300)])
        changes = on_seen[1:] / on_seen[0] - 1, on_fresh[1:] / on_fresh[0] - 1
        bound = best.bound / on_seen[0] - 1
        rows.append([error / on_seen[0], bound, *np.transpose(changes).ravel()])
    for name, row in (
        *((f"set {place}", row) for place, row in enumerate(rows)),
        ("all", np.mean(rows, axis=0)),
    ):
        told = f"| {name} | {row[0]:.2%} | +{row[1]:.2%} |"
        for of_seen, of_fresh in (row[2:4], row[4:6]):
            told += f" {of_seen:+.2%}, on fresh draws {of_fresh:+.2%} |"
        print(told)


def lifted_split(curves: ResponseCurves, best: Best, measure: Measure) -> np.ndarray:
    """A split near a plan with a higher quantile of these draws."""
    domain, spend, width = best.domain, best.spend, _WIDTH
    value = float(measure.of(curves.outcome(spend).sum(axis=1)))
    for _ in range(_ROUNDS):
        goal = _max_min(curves, domain, spend, measure.level, width)
        tried = np.stack([spend + step * (goal - spend) for step in _STEPS])
        reached = measure.of(curves.total(tried))
        if reached.max() > value:
            spend, value = tried[reached.argmax()], float(reached.max())
        else:
            width /= 2
    return spend


def _max_min(
    curves: ResponseCurves,
    domain: Polytope,
    spend: np.ndarray,
    level: float,
    width: float,
) -> np.ndarray:
    """Near a split, the highest least outcome of the draws above a quantile there."""
    outcome, slope = curves.outcome_and_marginal(spend)
    total = outcome.sum(axis=1)
    kept = np.argsort(total)[int(level * (len(total) - 1)) + 1 :]
    size, money = total[kept[0]], (domain.high - domain.low).mean()
    kept = kept[total[kept] < _NEAR * size]
    room = width * (domain.high - domain.low)
    low = np.maximum(domain.low - spend, -room) / money
    high = np.minimum(domain.high - spend, room) / money
    solved = linprog(
        np.append(np.zeros(len(spend)), -1.0),
        A_ub=np.column_stack([-slope[kept] * money / size, np.ones(len(kept))]),
        b_ub=total[kept] / size,
        A_eq=np.append(np.ones(len(spend)), 0.0)[None],
        b_eq=[0.0],
        bounds=[*zip(low, high, strict=True), (None, None)],
        method="highs",
    )
    return spend + solved.x[:-1] * money if solved.success else spend


if __name__ == "__main__":
    main()
