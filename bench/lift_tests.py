"""Lift tests: how often intervals hold, how often effects are found, who is followed.

Run: python -m bench.lift_tests [aa|power|known|rank|rounds] ... (all without a name).
Prints the tables of bench/TESTS.md.
"""

import json
import sys
import time
from dataclasses import replace

import numpy as np

from core.data.files.load import load_table
from core.experiments.design.assignment import Constraints, assign, scored
from core.experiments.design.candidate import Arm, Design
from core.experiments.design.market import Market
from core.experiments.design.ranking import Options, arms_of, rank
from core.experiments.design.sample_value import planner
from core.experiments.panel import Panel, panel_of_table
from core.experiments.reading.geo_test import GeoTest
from core.experiments.reading.readout import read_out
from core.plan.response.curves import ResponseCurves
from tests.experiments.geo_panels import market
from tests.reference import REFERENCE

TABLES = (
    "public/geolift_pretest.csv",
    "public/geox_example_design_data_single_cell.csv",
    "data/geo_media.csv",
    "data/geo_all_channels.csv",
)
#: Placebo windows of each table; tests of known lifts, and the lifts, in MDE.
WINDOWS, TESTS = 50, 150
LIFTS = np.linspace(0.3, 1.7, 15)


def table(name: str) -> Panel:
    """A reference table, without geos that have no KPI."""
    given = panel_of_table(load_table(REFERENCE / name, name), name)
    silent = [
        geo
        for geo, values in zip(given.geos, given.kpi, strict=True)
        if not values.any()
    ]
    return given.without(tuple(silent))


def drawn_test(given: Panel, rng: np.random.Generator) -> GeoTest:
    """A window and treated geos, both at random: nothing happened there."""
    n_geos, n_times = given.kpi.shape
    length = rng.integers(14, 29) if given.step == 1 else rng.integers(3, 9)
    first = rng.integers(max(n_times // 2, 30), n_times - length + 1)
    n_treated = rng.integers(2, max(n_geos // 4, 3) + 1)
    geos = tuple(rng.choice(given.geos, n_treated, replace=False))
    days = given.times[[first, first + length - 1]]
    return GeoTest(geos, str(days[0]), str(days[1]))


def a_a() -> None:
    """Share of 90 % intervals that hold zero where nothing was tested."""
    print("| table | windows | hold zero | median half width |\n|---|---|---|---|")
    every = []
    for name in TABLES:
        given, rng = table(name), np.random.default_rng(7)
        holds, width = [], []
        for window in range(WINDOWS):
            read = read_out(given, drawn_test(given, rng), seed=window)
            lift = read.lift
            holds.append(lift.lo <= 0 <= lift.hi)
            width.append((lift.hi - lift.lo) / 2)
        every += holds
        print(
            f"| {name} | {WINDOWS} | {100 * np.mean(holds):.0f} % | "
            f"{100 * np.median(width):.1f} % |",
            flush=True,
        )
    print(f"| together | {len(every)} | {100 * np.mean(every):.1f} % | |", flush=True)


def power() -> None:
    """Share of known lifts that are found, beside what was promised before the test.

    A lift multiplies the treated geos' KPI and leaves counterfactual and interval as
    they are, so one read-out answers for every lift.
    """
    print("| table | tests | promised | found | past: test over promise |")
    print("|---|---|---|---|---|")
    for name in TABLES:
        given, rng = table(name), np.random.default_rng(23)
        promised, found, pasts = [], [], []
        for number in range(TESTS):
            test = drawn_test(given, rng)
            past = given.before(test.start)
            length = int(given.within(test.start, test.end).sum())
            if len(past.times) < 12 + length:
                continue
            plan = scored(past, (test.treated,), length, seed=number)
            arm = Arm(test.treated, 4, length, plan.null[0].effect, 1.0, test.start)
            lifts = LIFTS * arm.mde
            promised.append([arm.power(lifts[[place]]) for place in range(len(lifts))])
            read = read_out(given, test, seed=number).lift
            error, reach = read.mean, (read.hi - read.lo) / 2
            found.append(np.abs(error + lifts * (1 + error)) > reach)
            pasts.append(len(past.times) / (len(past.times) - length))
        print(
            f"| {name} | {len(found)} | {100 * np.mean(promised):.0f} % | "
            f"{100 * np.mean(found):.0f} % | {np.median(pasts):.1f} |",
            flush=True,
        )


def known() -> None:
    """GeoLift's test and GeoX's design and test."""
    given = table("public/geolift_test.csv")
    test = GeoTest(("chicago", "portland"), "2021-04-01", "2021-04-15")
    read = read_out(given, test)
    _say("GeoLift, lift", read.lift, 100)
    _say("GeoLift, incremental", read.incremental, 1)
    print(f"| GeoLift, p | {read.p:.3f} | |")
    name = "public/geox_example_design_stratified_sampling_holdback.json"
    cell = json.loads((REFERENCE / name).read_text())["designs"]["cell_1"]
    geos = tuple(cell["treatment_geos"])
    given = table("public/geox_example_design_data_single_cell.csv").without(("105",))
    theirs = _mde(scored(given, (geos,), 30))
    print(f"| GeoX's 27 geos, MDE | {theirs:.3f} % | GeoX says 1.314 % |")
    ours = [_mde(assign(given, Constraints(27, seed=s), 30)) for s in range(5)]
    print(f"| own 27 geos, MDE, five seeds | {min(ours):.3f} to {max(ours):.3f} % | |")
    given = table("public/geox_example_analysis_data_single_cell_holdback.csv")
    test = GeoTest(geos, "2020-04-01", "2020-04-30", left_out=("105",))
    read = read_out(given, test)
    _say("GeoX's test, lift", read.lift, 100)
    _say("GeoX's test, iROAS", read.iroas, 1)


def _say(what: str, told: dict[str, float], scale: float) -> None:
    mean, lo, hi = (scale * told[key] for key in ("mean", "lo", "hi"))
    print(f"| {what} | {mean:.2f} | {lo:.2f} to {hi:.2f} |")


def _mde(made) -> float:
    return 100 * Arm((), 4, 30, made.null[0].effect, 1.0, "").mde


def ranking() -> None:
    """Seconds of ten channels by eight designs."""
    made = market(10, 40, 300, seed=2)
    began, cpu = time.monotonic(), time.process_time()
    n_designs = len(rank(made, (), Options(kinds=("dark",))))
    print(
        f"| {n_designs} designs, 10 channels, 40 geos, 104 weeks, 300 draws | "
        f"{time.monotonic() - began:.1f} s | {time.process_time() - cpu:.1f} s of CPU |"
    )


RULES = ("net value", "net value per money", "widest interval", "random")
#: All tests begin on the first day after the data, whichever rule chooses.
OPTIONS = Options(weeks=(4, 8), kinds=("dark", "heavy-up"), start="2024-12-30")


def rounds(n_markets: int = 20, n_rounds: int = 4) -> None:
    """Regret after rounds of tests that rules choose, and what the tests cost.

    A market's truth is one of its draws. Each round a rule chooses a test, the truth
    answers with the design's error, and the draws are weighted by the likelihood of
    the answer: an exact update, in the place of a refit. Then the best plan of the
    weighted draws is taken. The value rules stop where no test is expected to pay.
    """
    played = {rule: [] for rule in RULES}
    for number in range(n_markets):
        made = market(5, 20, 600, seed=100 + number, spread=0.8)
        arms = arms_of(made.panel, OPTIONS)
        for rule in RULES:
            rng = np.random.default_rng(number)
            played[rule].append(_played(made, arms, rule, n_rounds, rng))
    print(
        "| rule | round | regret left | gained | cost | money moved | per cost | se |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for rule in RULES:
        left, cost, money = np.moveaxis(np.array(played[rule]), 2, 0)
        for after in range(1, n_rounds + 1):
            gain = left[:, 0] - left[:, after]
            share = 100 * left[:, after].mean() / left[:, 0].mean()
            per_money = "{:.1f} ± {:.1f}".format(*_ratio(gain, money[:, after]))
            per_cost = "{:.1f} ± {:.1f}".format(*_ratio(gain, cost[:, after]))
            print(
                f"| {rule} | {after} | {share:.0f} % | {gain.mean():,.0f} | "
                f"{money[:, after].mean():,.0f} | {per_money} | "
                f"{cost[:, after].mean():,.0f} | {per_cost} |",
                flush=True,
            )


def _ratio(gain: np.ndarray, cost: np.ndarray) -> tuple[float, float]:
    """Gain per cost over markets, and half of what 68 % of 2,000 bootstraps span."""
    rng = np.random.default_rng(0)
    picked = rng.integers(len(gain), size=(2000, len(gain)))
    drawn = gain[picked].sum(axis=1) / cost[picked].sum(axis=1)
    low, high = np.quantile(drawn, (0.16, 0.84))
    return float(gain.sum() / cost.sum()), float(high - low) / 2


def _played(
    made: Market, arms: tuple[Arm, ...], rule: str, n_rounds: int, rng
) -> list[tuple[float, float, float]]:
    """Regret, cost of the tests and money moved by them, before and after each round.

    Cost is outcome lost in truth less what the saved money brings elsewhere.
    """
    truth = 0
    weights = np.full(made.curves.n_draws, 1 / made.curves.n_draws)
    now = planner(made.curves, OPTIONS.bounds)
    history = [(_regret(made, weights, truth, rng), 0.0, 0.0)]
    for _ in range(n_rounds):
        designs = rank(_resampled(made, weights, rng), (), OPTIONS, arms=arms)
        chosen = _chosen(designs, rule, made, weights, rng)
        if chosen is None:
            history.append(history[-1])
            continue
        length = made.panel.periods(chosen.weeks)
        where = chosen.channel, chosen.geos
        level = made.level(*where, chosen.start, length)
        change, _money = made.difference(*where, chosen.multiple, level)
        part = length / made.n_times
        effect = np.abs(change) * part * made.seen(chosen.channel, length)
        answer = effect[truth] + chosen.standard_error * rng.normal()
        deviation = (answer - effect) / chosen.standard_error
        weights = weights * np.exp(-0.5 * (deviation**2 - (deviation**2).min()))
        weights = weights / weights.sum()
        cost = float(-change[truth] * part) - now.price * chosen.money_saved
        money = abs(chosen.money_saved)
        _, so_far, moved = history[-1]
        regret = _regret(made, weights, truth, rng)
        history.append((regret, so_far + cost, moved + money))
    return history


def _chosen(designs: tuple[Design, ...], rule: str, made: Market, weights, rng):
    """The test that a rule takes; None where it takes none."""
    if rule == "net value":
        return designs[0] if designs[0].net.mean > 0 else None
    if rule == "net value per money":
        return _most_per_money(designs)
    names = made.curves.names
    now = made.curves.outcome(made.curves.spend)
    spread = np.sqrt(weights @ now**2 - (weights @ now) ** 2)
    wanted = names[int(spread.argmax())]
    if rule == "random":
        wanted = names[rng.integers(len(names))]
    of_it = [each for each in designs if each.channel == wanted]
    return of_it[rng.integers(len(of_it))]


def _most_per_money(designs: tuple[Design, ...]) -> Design | None:
    """The test with most net value per money moved; None where none pays."""
    paying = [each for each in designs if each.net.mean > 0]
    if not paying:
        return None
    return max(paying, key=lambda each: each.net.mean / abs(each.money_saved))


def _resampled(made: Market, weights: np.ndarray, rng: np.random.Generator) -> Market:
    """The market with draws drawn again by weight."""
    picked = rng.choice(len(weights), 200, p=weights)

    def of(curves: ResponseCurves) -> ResponseCurves:
        return replace(curves, value=curves.value[picked], slope=curves.slope[picked])

    cells = replace(made.cells, curves=of(made.cells.curves))
    return replace(made, curves=of(made.curves), cells=cells)


def _regret(made: Market, weights: np.ndarray, truth: int, rng) -> float:
    """Outcome that the plan of what is known lacks against the best for the truth."""
    own = made.curves.draws(truth, truth + 1)
    known = _resampled(made, weights, rng).curves
    best, taken = (planner(each, OPTIONS.bounds).plan for each in (own, known))
    return float(own.total(best[None])[0, 0] - own.total(taken[None])[0, 0])


if __name__ == "__main__":
    parts = {
        "known": known,
        "rank": ranking,
        "aa": a_a,
        "power": power,
        "rounds": rounds,
    }
    for part in sys.argv[1:] or parts:
        print(f"\n## {part}", flush=True)
        parts[part]()
