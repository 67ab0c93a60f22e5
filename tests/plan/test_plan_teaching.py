"""What a plan of weeks tells, against algebra by hand, and the plans that teach."""

from dataclasses import replace

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.errors import PlanError
from core.plan.flighting import media_draws
from core.plan.limits.cells import Cells
from core.plan.response.belief import Belief, believed
from core.plan.response.curves import ResponseCurves
from core.plan.response.horizon import horizon
from core.plan.response.weeks import outcomes
from core.plan.scenario.weeks import week_request
from core.plan.teaching.beside import stationary
from core.plan.teaching.knowledge import Beside, Knowledge, reading
from core.plan.teaching.lesson import changed
from core.plan.teaching.patterns import patterns
from core.plan.teaching.sample import gains_of_sample
from core.plan.teaching.search import Goal, finalists
from core.plan.teaching.stakes import stakes
from tests.plan.flight_market import market, posterior


def linear_gaussian(seed=0, n=200_000, n_params=3, n_weeks=5):
    """Draws of phi, the design J, C, V and A; means are zero."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_params, n_params))
    phi = rng.standard_normal((n, n_params)) @ root.T
    j = rng.normal(size=(n_weeks, n_params))
    c = rng.normal(size=(2, n_params))
    noise = np.eye(n_weeks) + 0.5
    return phi, root @ root.T, j, c, noise


def test_what_is_learned_is_the_fall_of_the_posterior_covariance():
    phi, sigma0, j, c, noise = linear_gaussian()
    told = reading(phi @ j.T, noise, phi @ c.T)
    sigma1 = np.linalg.inv(np.linalg.inv(sigma0) + j.T @ np.linalg.inv(noise) @ j)
    wanted = c @ (sigma0 - sigma1) @ c.T
    assert told.learned == pytest.approx(wanted, rel=0.02, abs=0.02)
    share = np.diag(wanted) / np.diag(c @ sigma0 @ c.T)
    assert told.share == pytest.approx(share, abs=0.01)


def test_noise_tells_nothing_of_what_it_is_not_of():
    rng = np.random.default_rng(1)
    seen, wanted = rng.normal(size=(200, 40)), rng.normal(size=(200, 3))
    told = reading(seen, 0.01 * np.eye(40), wanted)
    assert (told.share < 0.15).all()  # without a correction it is 40 of 199


def knowledge_of_weeks(n_draws=60, n_weeks=6):
    rng = np.random.default_rng(5)
    model = market(np.array([100.0, 60.0, 80.0]), max_lag=2)
    size = (n_draws, 3)
    joint = posterior(
        model,
        rng.uniform(300, 900, size),
        rng.uniform(0.2, 0.7, size),
        rng.uniform(50, 150, size),
        rng.uniform(0.8, 2.0, size),
    )
    response = horizon(model, n_weeks)
    draws = media_draws(response, flat_draws(joint))
    beside = Beside(
        1000 + 30 * rng.normal(size=(n_draws, n_weeks)), 400 * np.eye(n_weeks)
    )
    return Knowledge(response, draws, beside, rng.normal(size=(n_draws, 2))), response


def test_gradient_of_what_is_learned_against_differences():
    known, response = knowledge_of_weeks()
    rng = np.random.default_rng(2)
    spend = response.usual * rng.uniform(0.5, 1.5, response.usual.shape)
    value, slope = known(spend)
    exact = 0.5 * np.trace(known.reading(spend).learned)
    assert value == pytest.approx(exact, rel=1e-4)

    def worth(at):
        return 0.5 * np.trace(known.reading(at).learned)

    for cell in np.ndindex(spend.shape):
        step = np.zeros_like(spend)
        step[cell] = 0.01
        rise = (worth(spend + step) - worth(spend - step)) / 0.02
        assert slope[cell] == pytest.approx(rise, rel=5e-3, abs=1e-5)


def test_what_a_plan_tells_is_less_than_everything():
    known, response = knowledge_of_weeks()
    everything = 0.5 * known.pull.var(axis=0, ddof=1).sum()
    rng = np.random.default_rng(3)
    for _ in range(5):
        spend = response.usual * rng.uniform(0, 2, response.usual.shape)
        assert 0 <= known(spend)[0] <= everything


def quadratic_curves(n_draws=300, spread=0.3, seed=0):
    """Three channels, outcome a s - s^2 / 2 per unit of spend over one."""
    rng = np.random.default_rng(seed)
    a = 3 + spread * rng.standard_normal((n_draws, 3))
    grid = np.linspace(0, 3, 16)
    value = a[:, :, None] * grid - grid**2 / 2
    slope = a[:, :, None] - grid
    spend = np.ones(3)
    return ResponseCurves(
        ("a", "b", "c"), spend, grid, value, slope, np.full(3, 9.0)
    ), a


def test_stakes_are_the_gain_of_following_each_draw():
    curves, a = quadratic_curves()
    at = stakes(curves, (0.0, 3.0), 3.0)
    apart = a - a.mean(axis=1, keepdims=True)
    apart -= apart.mean(axis=0)
    assert at.certainty == pytest.approx(0.5 * (apart**2).sum(1).mean(), rel=0.02)
    assert 0.5 * (at.pull**2).sum(axis=1).mean() == pytest.approx(at.certainty)
    assert at.plan == pytest.approx(1 + a.mean(0) - a.mean(), abs=0.06)


@pytest.mark.parametrize("noise", [0.01, 0.3, 10.0])
def test_simulated_weeks_are_worth_what_they_tell(noise):
    curves, a = quadratic_curves(n_draws=1000)
    at = stakes(curves, (0.0, 3.0), 3.0)
    told = reading(a @ np.diag([1.0, 2.0, 0.5]), noise * np.eye(3), at.pull)
    value = float(gains_of_sample(at, told, 1).mean())
    linear = 0.5 * np.trace(told.learned)
    assert value <= at.certainty * 1.02
    assert value == pytest.approx(linear, rel=0.25, abs=0.12 * at.certainty)


def free_cells(plan, limit=3.0):
    n, weeks = plan.shape
    total = plan.sum(axis=1)
    return Cells(
        names=tuple("abc"[:n]),
        columns=tuple(map(str, range(weeks))),
        low=np.zeros_like(plan),
        high=np.full_like(plan, limit * plan.max()),
        least=0.7 * total,
        most=1.3 * total,
        column_most=np.full(weeks, np.inf),
        budget=float(plan.sum()),
    )


def test_the_plan_that_teaches_keeps_to_limits_and_cost():
    known, response = knowledge_of_weeks()
    plan = response.usual
    cells = free_cells(plan)
    cells.low[0, 2] = cells.high[0, 2] = plan[0, 2]  # booked

    def earns(spend):
        way = spend - plan
        return 1e4 - 0.01 * float((way**2).sum()), -0.02 * way

    cost = 50.0
    goal = Goal(earns, known, 1e4 / known(plan)[0], 1e4 - cost, cost)
    for spend in finalists(goal, cells, plan, seed=1):
        assert earns(spend)[0] >= 1e4 - cost - 1e-6
        assert spend.sum() == pytest.approx(plan.sum())
        assert spend[0, 2] == pytest.approx(plan[0, 2])
        assert (spend.sum(axis=1) <= cells.most + 1e-6).all()
        assert known(spend)[0] >= known(plan)[0]
    assert max(known(s)[0] for s in finalists(goal, cells, plan, 1)) > known(plan)[0]


def test_patterns_keep_each_channels_money_and_come_from_the_seed():
    plan = np.full((3, 26), 10.0)
    cells = free_cells(plan)
    found = list(patterns(plan, cells, 7))
    assert len(found) == 20
    for spend in found:
        assert spend.sum(axis=1) == pytest.approx(plan.sum(axis=1))
        assert (spend >= 0).all()
    again = list(patterns(plan, cells, 7))
    assert all(
        np.array_equal(one, other) for one, other in zip(found, again, strict=True)
    )
    assert not np.array_equal(found[0], next(patterns(plan, cells, 8)))


def test_dark_weeks_are_consecutive_and_their_money_follows():
    plan = np.full((2, 12), 10.0)
    spend = plan.copy()
    spend[0, 3:6], spend[0, 6:9] = 0.0, 20.0
    weeks = np.datetime64("2025-01-06") + 7 * np.arange(12)
    dark, more = changed(("tv", "b"), weeks, plan, spend)
    assert (dark.kind, dark.weeks, dark.first, dark.last) == (
        "dark",
        3,
        "2025-01-27",
        "2025-02-10",
    )
    assert (more.kind, more.spend) == ("more", 30.0)


def test_noise_that_is_the_same_at_any_time():
    rng = np.random.default_rng(0)
    fresh = rng.standard_normal((4000, 30))
    noise = np.empty_like(fresh)
    noise[:, 0] = fresh[:, 0]
    for t in range(1, 30):
        noise[:, t] = 0.6 * noise[:, t - 1] + 0.8 * fresh[:, t]
    lag = np.abs(np.arange(30)[:, None] - np.arange(30))
    assert stationary(noise) == pytest.approx(0.6**lag, abs=0.05)
    assert np.linalg.eigvalsh(stationary(noise)).min() > 0


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"teach": True, "objective": "cvar10"}, "objective cvar10"),
        ({"teach": True, "find": {"kind": "profit", "margin": 0.4}}, "to be found"),
        ({"teach": {"cost": "50 %"}}, "50 %"),
        ({"teach": {"later": 0}}, "0 later horizons"),
        ({"teach": {"costs": 1}}, "unknown key costs"),
    ],
)
def test_what_cannot_teach_is_refused(table, said):
    with pytest.raises(PlanError) as caught:
        week_request(table)
    texts = [str(caught.value), *(each.message for each in caught.value.findings)]
    assert any(said in text for text in texts)


def test_a_budget_is_found_before_it_teaches():
    with pytest.raises(PlanError) as caught:
        week_request({"teach": True, "find": {"kind": "profit", "margin": 0.4}})
    assert caught.value.hint == (
        "Find the budget without teach first, then set what it found as the budget. Or "
        "leave out teach."
    )


def test_teach_is_read():
    assert week_request({}).teach is None
    assert week_request({"teach": False}).teach is None
    first = week_request({"teach": True}).teach
    assert (first.cost, first.later) == (0.005, 1)
    asked = week_request({"teach": {"cost": "1 %", "later": 3}}).teach
    assert replace(asked, cost=0.01) == replace(first, cost=0.01, later=3)
    assert asked.cost == pytest.approx(0.01)


def test_a_market_of_geos_is_read_as_one():
    rng = np.random.default_rng(6)
    model = market(np.array([100.0, 60.0]), max_lag=2, n_geos=3)
    size = (40, 2)
    shapes = (rng.uniform(a, b, size) for a, b in ((300, 900), (0.2, 0.7), (50, 150)))
    joint = posterior(model, *shapes, np.ones(size))
    response = horizon(model, 6)
    draws = media_draws(response, flat_draws(joint))
    beside = Beside(1000 + rng.normal(size=(40, 6)), 400 * np.eye(6))
    known = Knowledge(response, draws, beside, rng.normal(size=(40, 2)))
    spend = response.usual * rng.uniform(0.5, 1.5, response.usual.shape)
    brought = outcomes(response, draws, spend).sum(axis=1)[:, :6]
    np.testing.assert_allclose(known.expected(spend), brought + beside.expected)


def test_a_channel_that_never_ran_may_get_money_in_the_next_plan():
    curves, _ = quadratic_curves()
    curves = believed(curves, [Belief("Podcast", 2.0, (1.0, 4.0))])
    without = stakes(curves, (0.0, 3.0), 3.0)
    at = stakes(curves, (0.0, 3.0), 3.0, {"Podcast": 2.0})
    assert (at.low[-1], at.high[-1]) == (0.0, 2.0)
    assert at.plan[-1] > 0.1 > without.plan[-1]
    assert at.certainty > without.certainty
