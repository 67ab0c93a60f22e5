"""Designs: what a result is worth, what a test costs, which geos, and the order."""

from contextlib import contextmanager
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from core.data.files.load import load_table
from core.errors import SpecError
from core.experiments.design import assignment
from core.experiments.design.assignment import Constraints, assign, scored
from core.experiments.design.candidate import Arm, _net, design
from core.experiments.design.edited import edited
from core.experiments.design.ranking import Options, best_start, errors_over_time, rank
from core.experiments.design.sample_value import (
    SampleValue,
    planner,
    value_of_sample,
)
from core.experiments.panel import Panel, panel_of_table
from core.plan.solve.per_draw import own_plans
from tests.experiments.geo_panels import market, panel
from tests.reference import REFERENCE

BOUNDS = (0.5, 1.5)


def value_of_certainty(planner, plans=None):
    """Expected gain from knowing every channel's response exactly, outcome.

    Args:
        planner: What is planned.
        plans: Other plans that a draw may follow where they suit it better than its
            own, which is best up to the distance of knots.
    """
    curves = planner.curves
    own = own_plans(curves, planner.low, planner.high, planner.budget, planner.plan)
    value = np.array(
        [
            curves.draws(draw, draw + 1).total(plan[None])[0, 0]
            for draw, plan in enumerate(own.spend)
        ]
    )
    now = curves.total(planner.plan[None])[:, 0]
    best = np.maximum(value, now)
    if plans is not None:
        best = np.maximum(best, curves.total(plans).max(axis=1))
    return float((best - now).mean())


@contextmanager
def two_looked_at():
    """Of the sets of geos that are drawn two are scored: the best is not at issue."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "_LOOKED_AT", 2)
        yield


def effect_of(made, channel, geos=()):
    return np.abs(made.difference(channel, geos, 0.0)[0])


@pytest.mark.parametrize("seed", range(40))
def test_a_sample_is_worth_nothing_to_everything(seed):
    """0 <= value of the sample <= value of knowing exactly, whatever the market."""
    rng = np.random.default_rng(seed)
    spread, error = rng.uniform(0.05, 1.5), 10 ** rng.uniform(-3, 3)
    slope = rng.choice([0.7, 1.0, 2.0])
    made = market(3, 4, 40, seed=seed, spread=spread, slope=slope)
    plan = planner(made.curves, BOUNDS)
    effect = effect_of(made, "c0")
    sample = value_of_sample(plan, effect, error * float(effect.std()))
    assert sample.probability.sum() == pytest.approx(1)
    assert sample.probability.sum(axis=1) == pytest.approx(1 / len(effect))
    most = value_of_certainty(plan, sample.plans)
    assert 0 <= sample.value <= most * (1 + 1e-9) + 1e-9


def test_a_more_precise_test_is_worth_more():
    made = market(4, 8, 150, seed=3)
    plan, effect = (
        planner(made.curves, BOUNDS),
        effect_of(market(4, 8, 150, seed=3), "c1"),
    )
    worth = [
        value_of_sample(plan, effect, scale * effect.std()).value
        for scale in (0.05, 0.3, 1.0, 3.0, 30.0)
    ]
    assert all(np.diff(worth) < 0)
    assert worth[-1] < 0.02 * worth[0]


def test_a_result_that_tells_draws_apart_is_worth_certainty():
    """One uncertain channel, an exact test of it: nothing is left to know."""
    made = market(3, 4, 30, seed=5)
    value, slope = made.curves.value.copy(), made.curves.slope.copy()
    value[:, 1:], slope[:, 1:] = value[:1, 1:], slope[:1, 1:]
    scale = np.linspace(0.3, 3, 30)[:, None]
    value[:, 0], slope[:, 0] = value[0, 0] * scale, slope[0, 0] * scale
    curves = replace(made.curves, value=value, slope=slope)
    plan = planner(curves, BOUNDS)
    sample = value_of_sample(plan, value[:, 0, 5], 1e-6)
    assert sample.value == pytest.approx(value_of_certainty(plan), rel=0.02)


def test_a_channel_that_is_known_is_not_worth_a_test():
    made = market(3, 6, 60, seed=6)
    value, slope = made.curves.value.copy(), made.curves.slope.copy()
    value[:, 0], slope[:, 0] = value[:1, 0], slope[:1, 0]
    plan = planner(replace(made.curves, value=value, slope=slope), BOUNDS)
    assert value_of_sample(plan, np.full(60, 10.0), 1.0).value == pytest.approx(
        0, abs=1e-6
    )


NORMAL = np.array([NormalDist(0, 0.02).inv_cdf((k + 0.5) / 1000) for k in range(1000)])
ARM = Arm(("g00", "g03", "g05"), 4, 4, NORMAL, 4e4, "2025-01-06")


def test_costs_of_dark_and_heavy_tests_have_opposite_signs():
    made = market(4, 12, seed=8)
    plan = planner(made.curves, BOUNDS)
    dark = design(made, plan, "c0", "dark", ARM, 52)
    heavy = design(made, plan, "c0", "heavy-up", ARM, 52)
    assert dark.outcome_lost.mean > 0 > heavy.outcome_lost.mean
    assert dark.money_saved > 0 > heavy.money_saved
    part, level = 4 / 104, made.level("c0", ARM.geos, ARM.start, 4)
    change, spend = made.difference("c0", ARM.geos, 0.0, level)
    assert dark.money_saved == pytest.approx(-spend * part)
    lost = -change * part
    assert dark.outcome_lost.mean == pytest.approx(lost.mean())
    assert dark.cost.mean == pytest.approx(lost.mean() - plan.price * dark.money_saved)
    for each in (dark, heavy):
        charged = max(each.cost.mean, 0.0)
        assert each.net.mean == pytest.approx(each.value - charged)
    assert dark.expected.mean < lost.mean()  # what carries over is not seen
    assert dark.end == "2025-02-02"


def test_a_gain_that_needs_no_test_is_not_the_tests():
    """Heavy-up of a channel that pays far above the price: a plan can have that."""
    made = market(4, 12, seed=8)
    strong = made.cells.channel == 1
    curves = made.cells.curves
    value, slope = curves.value.copy(), curves.slope.copy()
    value[:, strong] *= 50
    slope[:, strong] *= 50
    cells = replace(made.cells, curves=replace(curves, value=value, slope=slope))
    made = replace(made, cells=cells)
    heavy = design(made, planner(made.curves, BOUNDS), "c1", "heavy-up", ARM, 52)
    assert heavy.cost.mean < 0
    assert heavy.net.mean == pytest.approx(heavy.value)


def test_power_is_that_of_the_interval():
    """At the smallest detectable effect, eight tests in ten find it."""
    at_mde = np.full(9, ARM.mde * ARM.outcome)
    assert ARM.power(at_mde) == ARM.power(-at_mde) == pytest.approx(0.8, abs=2e-3)
    assert ARM.power(np.zeros(5)) == pytest.approx(0.1, abs=2e-3)
    assert ARM.error == pytest.approx(0.02, rel=0.01)
    assert ARM.mde == pytest.approx((1.6449 + 0.8416) * 0.02, rel=0.01)
    assert ARM.power(np.full(3, 1e9)) == 1


@two_looked_at()
def test_designs_come_best_first_and_within_constraints():
    made = market(3, 16, seed=11)
    options = Options(
        weeks=(2, 4), left_out=("g01",), in_control=("g02",), most_at_risk=0.4
    )
    shares = []
    designs = rank(made, (), options, shares.append)
    assert len(designs) == 3 * 3 * 2 * 2
    net = [each.net.mean for each in designs]
    assert net == sorted(net, reverse=True)
    treated = {geo for each in designs for geo in each.geos}
    assert not treated & {"g01", "g02"}
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)
    again = rank(made, (), options)
    assert [each.as_dict() for each in again] == [each.as_dict() for each in designs]


@two_looked_at()
def test_a_national_market_is_tested_over_time_and_far_less_precisely():
    by_geo = market(3, 16, seed=4)
    total = by_geo.panel.kpi.sum(axis=0, keepdims=True)
    one = replace(by_geo.panel, geos=("national",), kpi=total, spend={})
    national = replace(by_geo, panel=one, cells=None)
    over_time = rank(national, ("c0",), Options(weeks=(4,), kinds=("dark",)))[0]
    in_geos = rank(by_geo, ("c0",), Options(weeks=(4,), kinds=("dark",)))
    assert over_time.geos == ()
    assert over_time.mde > min(each.mde for each in in_geos)


def test_errors_over_time_of_a_straight_line_are_none():
    assert errors_over_time(np.linspace(100, 200, 60), 6) == pytest.approx(0)


@pytest.mark.parametrize(
    ("channels", "options", "said"),
    [
        (("Radio",), {}, "Radio is not a channel"),
        ((), {"weeks": (60,)}, "too few to say"),
        ((), {"geos": ("Mars",)}, "Mars is not in the data"),
        ((), {"start": "soon"}, "soon is not a date"),
        ((), {"most_at_risk": 0.0}, "0 is not a share"),
        ((), {"horizon": 0}, "no use for a result"),
        ((), {"most_at_risk": 0.0001}, "has at most 0 %"),
    ],
)
def test_impossible_designs_are_refused(channels, options, said):
    with pytest.raises(SpecError, match=said) as caught:
        rank(market(2, 8, 20), channels, Options(**options))
    assert caught.value.hint


@two_looked_at()
def test_an_assignment_keeps_to_its_constraints_and_to_its_seed():
    used = panel(20, seed=1)
    constraints = Constraints(
        3, cells=2, left_out=("g00",), in_control=("g04", "g05"), most_at_risk=0.45
    )
    made = assign(used, constraints, 6)
    assert [len(cell) for cell in made.cells] == [3, 3]
    assert not {*made.cells[0]} & {*made.cells[1]}
    everyone = {geo for cell in made.cells for geo in cell}
    assert {"g04", "g05"} <= {*made.control}
    assert "g00" not in everyone | {*made.control}
    assert made.share <= 0.45
    assert made.cells == assign(used, constraints, 6).cells
    assert assign(used, replace(constraints, seed=1), 6).cells != made.cells


def test_a_chosen_assignment_beats_one_drawn_blindly():
    used = panel(30, seed=9, noise=0.08)
    rng = np.random.default_rng(0)
    blind = [
        scored(used, (tuple(rng.choice(used.geos, 5, replace=False)),), 6).error[0]
        for _ in range(12)
    ]
    assert assign(used, Constraints(5, most_at_risk=0.5), 6).error[0] < np.median(blind)


@pytest.mark.skipif(not (REFERENCE / "public").is_dir(), reason="no public tables")
def test_geox_designs_are_as_precise_here_as_geox_says():
    import json  # noqa: PLC0415

    folder = REFERENCE / "public"
    name = "geox_example_design_stratified_sampling_holdback.json"
    cell = json.loads((folder / name).read_text())["designs"]["cell_1"]
    table = "geox_example_design_data_single_cell.csv"
    used = panel_of_table(load_table(folder / table, table), table).without(("105",))
    theirs = scored(used, (tuple(cell["treatment_geos"]),), 30)
    mde = Arm((), 4, 30, theirs.null[0].effect, 1.0, "").mde
    assert 1 / 1.3 < mde / cell["minimum_detectable_effect"] < 1.3
    ours = assign(used, Constraints(27), 30)
    assert ours.error[0] <= theirs.error[0]


def seasonal(made, dear):
    """The market with five times the spend in the first weeks of each year, or not."""
    spend = {name: money.copy() for name, money in made.panel.spend.items()}
    for money in spend.values():
        weeks = np.arange(money.shape[1]) % 52
        money[:, weeks < 8] *= 5.0 if dear else 0.0
    return replace(made, panel=replace(made.panel, spend=spend))


@two_looked_at()
def test_a_test_is_not_run_in_weeks_in_which_its_channel_is_dark():
    """In the weeks after the data nothing is spent: nothing would be switched off."""
    made = seasonal(market(3, 12, 60, seed=4), dear=False)
    first = str(made.panel.times[-1] + 7)
    assert made.level("c0", ("g00",), first, 8) == 0
    asked = Options(weeks=(8,), kinds=("dark",))
    for each in rank(made, ("c0",), asked):
        assert each.start > first and each.expected.mean > 0
    (there, *_) = rank(made, ("c0",), replace(asked, start=first))
    assert there.start == first and there.value == 0 and there.money_saved == 0


def test_the_start_with_the_largest_net_value_is_chosen():
    for dear in (True, False):
        made = seasonal(market(3, 12, 60, seed=4), dear=dear)
        plan = planner(made.curves, BOUNDS)
        arm = replace(ARM, start=str(made.panel.times[-1] + 7))
        chosen = best_start(made, plan, ("c0", "dark"), arm, 52)
        worst = design(made, plan, "c0", "dark", arm, 52)
        assert chosen.net.mean >= worst.net.mean


def test_the_level_is_that_of_the_weeks_a_year_before():
    made = seasonal(market(2, 6, 10, seed=4), dear=True)
    money = made.panel.spend["c1"]
    asked = ("c1", (), "2025-01-06", 4)
    expected = money[:, 53:57].sum() / 4 / money.sum(axis=0).mean()
    assert made.level(*asked) == pytest.approx(min(expected, 2.0))
    assert made.level("c1", (), "2032-01-05", 4) == 1.0


def drawn_first(n_geos):
    """A market and the best of its designs."""
    made = market(3, n_geos, 60, seed=4)
    with two_looked_at():
        (best, *_) = rank(made, ("c0",), Options(weeks=(4,), kinds=("dark",)))
    return made, best


@pytest.fixture(scope="module")
def of_24_geos():
    """Read only."""
    return drawn_first(24)


@pytest.fixture(scope="module")
def of_12_geos():
    """Read only."""
    return drawn_first(12)


def test_the_drawn_geos_score_as_they_did(of_24_geos):
    made, best = of_24_geos
    same = edited(made, best, best.geos)
    assert same.design == best and same.assignment.cells == (best.geos,)


def test_geos_chosen_by_hand_are_scored_anew_and_warned_of(of_24_geos):
    made, best = of_24_geos
    sizes = made.panel.kpi.mean(axis=1)
    large = tuple(made.panel.geos[place] for place in np.argsort(-sizes)[:8])
    other = edited(made, best, large)
    assert other.design.geos == large and other.design.start == best.start
    assert other.assignment.balance > edited(made, best, best.geos).assignment.balance
    said = " ".join(other.warnings)
    assert "more than the 30" in said and "standard deviations" in said
    few = edited(made, best, made.panel.geos[:21]).warnings
    assert any("Only 3 geos are left" in warning for warning in few)


@pytest.mark.parametrize(
    ("geos", "words"),
    [
        ((), "0 treated geos"),
        (("nowhere",), "nowhere is not in the data"),
        (tuple(f"g{place:02d}" for place in range(11)), "leave 1 to compare"),
    ],
)
def test_geos_that_cannot_be_tested_are_refused(of_12_geos, geos, words):
    made, best = of_12_geos
    with pytest.raises(SpecError, match=words):
        edited(made, best, geos)


def test_rounding_pays_nothing():
    """A test that costs nothing and changes no plan: 1e6 less 1e6 is not money."""
    gain = np.full((20, 3), 4.5e-12)
    sample = SampleValue(gain, np.full((20, 3), 1 / 60), np.zeros((3, 2)))
    net = _net(sample, 1.0, np.zeros(20), 1e6)
    assert net["mean"] == 0
    assert net["probability_positive"] == 0
    real = _net(SampleValue(gain + 5.0, sample.probability, sample.plans), 1.0,
                np.zeros(20), 1e6)  # fmt: skip
    assert real["probability_positive"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("step", "day", "earlier"),
    [
        ("M", "2024-12-01", "2023-12-01"),
        ("M", "2025-03-01", "2024-03-01"),
        ("Q", "2025-04-01", "2024-04-01"),
        ("W", "2025-01-06", "2024-01-08"),
    ],
)
def test_the_period_a_year_earlier_keeps_to_the_calendar(step, day, earlier):
    months = np.arange("2019-01", "2024-12", 3 if step == "Q" else 1, "datetime64[M]")
    times = months.astype("datetime64[D]")
    if step == "W":
        times = np.arange("2019-01-07", "2024-12-31", 7, "datetime64[D]")
    place = Panel(("a",), times, np.ones((1, len(times)))).year_before(day)
    assert str(times[place]) == earlier
