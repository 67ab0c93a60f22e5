"""Plans of weeks: against the channel level, fine grids, and examples by hand."""

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.analysis.response.curves import response_curves
from core.plan.flighting import flight, media_draws
from core.plan.plan import plan
from core.plan.response.curves import response_curves as curves_of
from core.plan.response.horizon import horizon
from core.plan.response.weeks import outcomes
from core.plan.scenario.scenario import scenario
from core.plan.scenario.weeks import week_request
from tests.plan.flight_market import N_TIMES, market, outcome, posterior, splits

FREE = {"bounds": [0, 100]}


def request(count, **more):
    return week_request({**FREE, **more, "horizon": {"periods": count}})


def mean_outcome(given, draws, spend) -> float:
    none = outcomes(given, draws, np.zeros_like(spend))
    rows = outcomes(given, draws, spend) - none
    return float(rows.sum(axis=(1, 2)).mean())


def spends(made) -> np.ndarray:
    return made.stored["spend"].to_numpy()


def test_one_week_without_carryover_is_the_channel_level_plan():
    rng = np.random.default_rng(3)
    weekly, size = np.array([100.0, 300.0, 200.0]), (40, 3)
    model = market(weekly, max_lag=0)
    draws = posterior(
        model,
        rng.uniform(300, 900, size),
        np.full(size, 0.5),
        weekly * rng.uniform(0.5, 2.0, size),
        np.ones(size),
    )
    made = flight(model, draws, week_request({"horizon": {"periods": 1}}))
    stored = curves_of(response_curves(model, flat_draws(draws)))
    level = plan(stored, scenario(stored))
    planned = np.array([channel.planned for channel in level.channels])
    assert spends(made)[:, 0] == pytest.approx(planned / N_TIMES, rel=2e-3)
    assert made.record.objective.planned * N_TIMES == pytest.approx(
        level.objective.planned, rel=1e-6
    )


@pytest.mark.parametrize("slope", [1.0, 3.0])
def test_the_pattern_that_a_fine_grid_finds(slope):
    model = market(np.array([100.0]), max_lag=2)
    known = ([500.0], [0.6], [90.0], [slope])
    made = flight(model, posterior(model, *known), request(4))
    grid = splits(40, 4)[:, None, :] * 10.0
    before = np.full((1, 2), 100.0)
    after = np.full((1, 2), 100.0)
    best = outcome(grid, before, after, *map(np.array, known), 2).max()
    found = outcome(spends(made)[None], before, after, *map(np.array, known), 2)[0]
    assert found == pytest.approx(made.record.objective.planned, rel=1e-9)
    assert found >= best * (1 - 1e-9)
    assert made.record.bound.best_possible >= best
    assert made.record.bound.best_possible >= found


def test_two_channels_by_three_weeks_against_a_grid():
    model = market(np.array([100.0, 60.0]), max_lag=1)
    known = ([500.0, 300.0], [0.7, 0.3], [80.0, 70.0], [1.0, 2.5])
    made = flight(model, posterior(model, *known), request(3))
    grid = splits(12, 6).reshape(-1, 2, 3) * 40.0
    before = np.array([[100.0], [60.0]])
    best = outcome(grid, before, before, *map(np.array, known), 1).max()
    assert made.record.objective.planned >= best
    assert made.record.bound.best_possible >= made.record.objective.planned


def test_what_arrives_after_the_end_counts():
    """Two weeks, each felt half at once and half a week later; nothing before or after.

    Outcome is h(x1/2) + h((x1+x2)/2) + h(x2/2), the last of it after the end. It is
    the same with x1 and x2 exchanged and concave, so the best plan is even. Without
    the last part all of it would go to week one.
    """
    spend = np.zeros((N_TIMES, 1))
    spend[:2] = 100.0  # the same weeks of the year before
    model = market(np.array([100.0]), max_lag=1, spend=spend)
    known = ([500.0], [1.0], [50.0], [1.0])
    made = flight(model, posterior(model, *known), request(2, budget=200.0))
    assert spends(made)[0] == pytest.approx([100.0, 100.0], abs=0.05)
    assert float(made.stored["terminal"][0]) == pytest.approx(500 * 50 / (50 + 50))
    assert float(made.stored["inherited"][0]) == pytest.approx(0.0)
    first = np.array([[[200.0, 0.0]], [[100.0, 100.0]]])
    nothing = np.zeros((1, 1))
    rest = (nothing, nothing[:, :0], *map(np.array, known), 1)
    without = outcome(first, *rest)
    assert without[0] > without[1]


def test_what_ran_before_is_felt():
    """The same, with 100 in the week before: (100+x1)/2 is felt in week one.

    h((100+x1)/2) + h(100) + h(x2/2) with x1 + x2 = 200 is largest where 100 + x1 is
    x2: 50 and 150.
    """
    spend = np.zeros((N_TIMES, 1))
    spend[[0, 1, -1]] = 100.0
    model = market(np.array([100.0]), max_lag=1, spend=spend)
    known = ([500.0], [1.0], [50.0], [1.0])
    made = flight(model, posterior(model, *known), request(2, budget=200.0))
    assert spends(made)[0] == pytest.approx([50.0, 150.0], abs=0.1)
    assert float(made.stored["inherited"][0]) == pytest.approx(500 * 50 / (50 + 50))
    assert float(made.stored["terminal"][0]) == pytest.approx(
        500 * 75 / (75 + 50), rel=1e-3
    )


def test_what_runs_after_the_end_saturates():
    """The same, with 100 in every week before and after: nothing tells weeks apart.

    h((100+x1)/2) + h(100) + h((x2+100)/2), so the best plan is even. With nothing
    after, money would be shifted to the last week.
    """
    model = market(np.array([100.0]), max_lag=1)
    draws = posterior(model, [500.0], [1.0], [50.0], [1.0])
    made = flight(model, draws, request(2))
    assert spends(made)[0] == pytest.approx([100.0, 100.0], abs=0.1)
    added = 500 * (100 / (100 + 50) - 50 / (50 + 50))
    assert float(made.stored["terminal"][0]) == pytest.approx(added, rel=1e-3)
    table = {**FREE, "horizon": {"periods": 2}, "weeks": {"after": 0}}
    alone = flight(model, draws, week_request(table))
    assert spends(alone)[0] == pytest.approx([50.0, 150.0], abs=0.1)


def several(seed, s_shaped, n_channels=3, n_draws=30):
    rng = np.random.default_rng(seed)
    weekly, size = rng.uniform(50, 300, n_channels), (n_draws, n_channels)
    pattern = rng.gamma(2.0, 0.5, (N_TIMES, n_channels)) * weekly
    model = market(weekly, max_lag=2, spend=pattern)
    steep = rng.uniform(1.0, 4.0, n_channels) + rng.uniform(0, 0.5, size)
    known = (
        rng.uniform(300, 900, size),
        rng.uniform(0.1, 0.8, size),
        weekly * rng.uniform(0.5, 2.0, size),
        steep if s_shaped else rng.uniform(0.6, 1.0, size),
    )
    return model, posterior(model, *known)


@pytest.mark.parametrize("s_shaped", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_never_worse_than_a_fixed_pattern_and_never_above_the_bound(seed, s_shaped):
    model, draws = several(seed, s_shaped)
    made = flight(model, draws, week_request({"horizon": {"periods": 6}}))
    mean = {
        str(name): float(made.stored["outcome"].sel(plan=name).mean("draw"))
        for name in made.stored["plan"].values
    }
    assert mean["planned"] >= mean["fixed"] >= mean["current"] * (1 - 1e-9)
    assert made.record.bound.best_possible >= mean["planned"]
    assert made.record.bound.gap < (0.25 if s_shaped else 1e-3)
    given = horizon(model, 6)
    kept = media_draws(given, flat_draws(draws))
    totals = made.stored["spend"].sum("week").to_numpy()
    rng = np.random.default_rng(seed)
    for _ in range(20):  # any other plan with the same channel totals
        shares = rng.dirichlet(np.full(6, 0.3), len(totals))
        tried = mean_outcome(given, kept, shares * totals[:, None])
        assert tried <= made.record.bound.best_possible


def test_fixed_pattern_is_the_best_one():
    model, draws = several(5, False, n_channels=2)
    made = flight(model, draws, request(5))
    given = horizon(model, 5)
    kept = media_draws(given, flat_draws(draws))
    pattern = given.usual / given.usual.sum(axis=1, keepdims=True)
    budget = float(made.stored["spend"].sum())
    values = [
        mean_outcome(given, kept, pattern * [[share * budget], [(1 - share) * budget]])
        for share in np.linspace(0, 1, 101)
    ]
    fixed = float(made.stored["outcome"].sel(plan="fixed").mean("draw"))
    assert fixed >= max(values) * (1 - 1e-6)


def test_a_cautious_plan_has_better_worst_draws():
    model, draws = several(7, False)
    mean, cautious = (
        flight(model, draws, request(6, objective=name)) for name in ("mean", "cvar20")
    )
    worst = [
        np.sort(one.stored["outcome"].sel(plan="planned").to_numpy())[:6].mean()
        for one in (mean, cautious)
    ]
    assert worst[1] >= worst[0]
    assert cautious.record.objective.planned == pytest.approx(worst[1])
    assert cautious.record.bound.best_possible >= worst[1]


def test_dearer_weeks_get_less_and_worthier_weeks_more():
    model = market(np.array([100.0]), max_lag=0)
    draws = posterior(model, [500.0], [0.5], [80.0], [1.0])
    dear = flight(model, draws, request(3, channel={"a": {"price": [1.0, 2.0, 1.0]}}))
    spent = spends(dear)[0]
    assert spent[1] < spent[0]
    assert spent[0] == pytest.approx(spent[2], rel=1e-2)
    table = {**FREE, "horizon": {"periods": 3}, "weeks": {"value": [1.0, 1.0, 1.5]}}
    worthy = spends(flight(model, draws, week_request(table)))[0]
    assert worthy[2] > worthy[0]
    assert worthy[0] == pytest.approx(worthy[1], rel=1e-2)


def test_geos_share_a_week_as_they_did():
    known = ([500.0, 300.0], [0.7, 0.3], [80.0, 70.0], [1.0, 1.5])
    one, four = (
        flight(model, posterior(model, *known), request(3))
        for model in (market(np.array([100.0, 60.0]), 1, n_geos=n) for n in (1, 4))
    )
    value = four.record.objective.planned
    assert one.record.objective.planned == pytest.approx(value, rel=1e-6)
    assert spends(one) == pytest.approx(spends(four), abs=1.0)


@pytest.mark.parametrize(
    ("untested", "advice"), [((), "change"), (("a",), "change"), (("b",), "test")]
)
def test_no_weeks_give_more_to_a_channel_that_follows_demand_untested(
    untested, advice, monkeypatch
):
    monkeypatch.setattr("core.plan.flighting.untested", lambda *_: untested)
    model = market(np.array([100.0, 100.0]), max_lag=0)
    rows = ([[100.0, 300.0]], [[0.5, 0.5]], [[80.0, 80.0]], [[1.0, 1.0]])
    plan = flight(model, posterior(model, *rows), request(3)).record
    assert [line.multiplier > 1 for line in plan.channels] == [False, True]
    assert plan.on_split.advice == advice
    assert ("rests on b" in plan.on_split.reasons[0]) == (advice == "test")
