"""Weeks that teach with geos that differ: against differences, sums and brute force."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from core.analysis.draws import flat_draws
from core.errors import PlanError
from core.plan.flighting import Valued, media_draws
from core.plan.limits.cells import Cells
from core.plan.response.curves import ResponseCurves
from core.plan.response.horizon import horizon
from core.plan.response.weeks import outcomes
from core.plan.response.worth import worth_of
from core.plan.scenario.weeks import Teach, WeekRequest, week_request
from core.plan.solve.weeks.objective import Objective
from core.plan.teaching.by_geo import BesideByGeo, KnowledgeByGeo
from core.plan.teaching.geo_search import bound_of, divisions, limits_of, spread_of
from core.plan.teaching.knowledge import Beside, Knowledge
from core.plan.teaching.shares import divided, shares_of
from core.plan.teaching.stakes import stakes
from core.plan.teaching.taught import Choice, Earning, Geos, Lesson, lesson, taught
from core.plan.week_shares import shares_in
from tests.plan.flight_market import market, posterior

N_DRAWS, N_WEEKS, N_GEOS = 150, 6, 4
MOST = 0.3


def curves_of(beta):
    """The next horizon, of which a channel's outcome grows with its effect here."""
    a = 3 + 0.5 * (beta - beta.mean(axis=0)) / beta.std(axis=0)
    grid = np.linspace(0, 3, 16)
    value, slope = a[..., None] * grid - grid**2 / 2, a[..., None] - grid
    money = np.ones(2), grid, 500 * value, 500 * slope, np.full(2, 9.0)
    return ResponseCurves(("a", "b"), *money)


@pytest.fixture(scope="module")
def world():
    """Two channels in four geos whose noise is mostly shared, and what they tell."""
    rng = np.random.default_rng(5)
    model = market(np.array([100.0, 60.0]), max_lag=2, n_geos=N_GEOS)
    size = (N_DRAWS, 2)
    beta = rng.uniform(300, 900, size)
    joint = posterior(
        model,
        beta,
        rng.uniform(0.2, 0.7, size),
        rng.uniform(50, 150, size),
        rng.uniform(0.8, 2.0, size),
    )
    response = horizon(model, N_WEEKS)
    draws = media_draws(response, flat_draws(joint))
    shape = (N_DRAWS, 1, N_WEEKS)
    expected = np.repeat(250 + 8 * rng.normal(size=shape), N_GEOS, axis=1)
    lag = np.abs(np.arange(N_WEEKS)[:, None] - np.arange(N_WEEKS))
    beside = BesideByGeo(
        expected,
        geos=0.9 * np.ones((N_GEOS, N_GEOS)) + 0.1 * np.eye(N_GEOS),
        weeks=0.5**lag,
        unit=np.full((N_GEOS, N_WEEKS), 20.0),
    )
    noise = 20.0**2 * beside.geos.sum() * beside.weeks
    together = Beside(expected.sum(axis=1), noise)
    at_stake = stakes(curves_of(beta), (0.0, 3.0), 2.0)
    known = Knowledge(response, draws, together, at_stake.pull)
    spread = spread_of(response, shares_of(response, model.data.population), MOST)
    return SimpleNamespace(
        model=model,
        response=response,
        draws=draws,
        stakes=at_stake,
        known=known,
        by_geo=KnowledgeByGeo(known, beside),
        spread=spread,
        worth=worth_of(N_WEEKS, response.n_after, 52),
    )


def some_multiple(seed=0):
    """Geos that differ, each channel's money kept; all shares are a quarter."""
    off = np.random.default_rng(seed).uniform(-MOST, MOST, (2, N_GEOS))
    off -= off.mean(axis=1, keepdims=True)
    return 1 + off * min(1.0, MOST / np.abs(off).max())


def objective_of(world):
    even = np.full(N_DRAWS, 1 / N_DRAWS)
    return Objective(world.response, world.draws, even, world.worth)


def cells_of(plan):
    return Cells(
        names=("a", "b"),
        columns=tuple(map(str, range(N_WEEKS))),
        low=np.zeros_like(plan),
        high=np.full_like(plan, 2.0 * plan.max()),
        least=0.7 * plan.sum(axis=1),
        most=1.3 * plan.sum(axis=1),
        column_most=np.full(N_WEEKS, np.inf),
        budget=float(plan.sum()),
    )


def earning_of(world):
    cells, plan = cells_of(world.response.usual), world.response.usual
    valued = Valued(world.response, world.draws, cells, world.worth)
    return Earning(plan, np.inf, valued.of, objective_of(world), cells)


def test_the_money_of_a_channel_stays_and_buys_elsewhere(world):
    shares = world.spread.shares
    assert shares.sum(axis=1) == pytest.approx(1)
    multiple = some_multiple()
    assert (shares * multiple).sum(axis=1) == pytest.approx(1)
    before, after = (
        np.asarray(each.bought["m"].per_money)
        for each in (world.response, divided(world.response, multiple))
    )
    assert after.sum(axis=1) == pytest.approx(before.sum(axis=1))
    assert after / before == pytest.approx(np.repeat(multiple[..., None], 6, axis=2))


def test_gradient_of_what_geos_tell_against_differences(world):
    spend, multiple = world.response.usual, some_multiple()
    value, slope = world.by_geo(spend, multiple)

    def worth(at):
        return 0.5 * np.trace(world.by_geo.reading(spend, at).learned)

    assert value == pytest.approx(worth(multiple), rel=1e-3)
    for cell in np.ndindex(multiple.shape):
        step = np.zeros_like(multiple)
        step[cell] = 1e-3
        rise = (worth(multiple + step) - worth(multiple - step)) / 2e-3
        assert slope[cell] == pytest.approx(rise, rel=0.02, abs=1e-3 * value)


def test_geos_one_by_one_tell_more_than_together_and_less_than_everything(world):
    spend, ones = world.response.usual, np.ones((2, N_GEOS))
    together = 0.5 * np.trace(world.known.reading(spend).learned)
    everything = 0.5 * world.known.pull.var(axis=0, ddof=1).sum()
    told = [
        0.5 * np.trace(world.by_geo.reading(spend, each).learned)
        for each in (ones, some_multiple(1), some_multiple(2))
    ]
    assert told[0] >= 0.999 * together
    assert max(told) <= everything


def test_geos_that_differ_keep_to_spread_and_cost_and_tell_more(world):
    spend, objective = world.response.usual, objective_of(world)
    before, cost = objective(spend)[0], 20.0
    ends = divisions(
        world.spread, spend, world.by_geo, (objective, 5.0, before - cost, cost), 1
    )
    ones = np.ones((2, N_GEOS))
    told = [world.by_geo(spend, each)[0] for each in ends]
    assert max(told) > 1.05 * world.by_geo(spend, ones)[0]
    none = outcomes(world.response, world.draws, np.zeros_like(spend))
    for each in ends:
        assert np.abs(each - 1).max() <= MOST + 1e-6
        assert (world.spread.shares * each).sum(axis=1) == pytest.approx(1)
        moved = divided(world.response, each)
        brings = outcomes(moved, world.draws, spend) - none
        assert brings.sum(axis=(1, 2)).mean() >= before - cost - 0.1


def test_channels_that_keep_their_shares_do(world):
    kept = world.spread._replace(free=np.array([True, False]))
    spend = world.response.usual
    cells = limits_of(kept, spend, ("w", "x", "y", "z"), ("a", "b"))
    assert (cells.low[1] == cells.high[1]).all()
    assert (cells.low[0] < cells.high[0]).all()
    named = spread_of(world.response, world.spread.shares, MOST, {"a"})
    assert named.free.tolist() == [False, True]


def test_no_plan_with_other_geos_is_above_the_bound(world):
    plan, objective = world.response.usual, objective_of(world)
    cells = cells_of(plan)
    bound = bound_of(objective, cells, world.spread, plan)
    same = bound_of(objective, cells, world.spread._replace(most=0.0), plan)
    assert same <= bound <= 1.1 * same
    none = outcomes(world.response, world.draws, np.zeros_like(plan))
    rng = np.random.default_rng(3)
    for seed in range(20):
        spend = plan * rng.uniform(0.8, 1.2, plan.shape)
        spend *= plan.sum() / spend.sum()
        moved = divided(world.response, some_multiple(seed))
        brings = outcomes(moved, world.draws, spend) - none
        assert brings.sum(axis=(1, 2)).mean() <= bound


def whole_lesson(world):
    geos = Geos(world.model.data.geos, world.spread, world.by_geo, world.by_geo)
    known = world.known, world.known
    return Lesson(world.model, world.draws, world.stakes, *known, 5.0, geos)


def test_the_plan_whose_geos_differ_is_worth_it_and_says_where(world):
    request = WeekRequest(teach=Teach(cost=0.02, spread=MOST))
    about, earning = whole_lesson(world), earning_of(world)
    choice, said = taught(about, earning, request)
    assert choice.multiple is not None
    first = Choice(earning.spend)
    values = [float(earning.worth(each).mean()) for each in (first, choice)]
    assert values[1] >= values[0] - said.limit - 1e-6
    assert said.cost.mean == pytest.approx(values[0] - values[1])
    told = [0.5 * np.trace(about.read(each).learned) for each in (first, choice)]
    both = [f + about.counted * g for f, g in zip(values, told, strict=True)]
    assert both[1] > both[0]
    assert both[1] <= said.bound
    said = shares_in(world.model, world.response, choice)
    rows = {(row.channel, row.geo): row for row in said}
    for name in {row.channel for row in said}:
        mine = [rows[name, geo] for geo in about.geos.names]
        assert sum(row.planned for row in mine) == pytest.approx(1)
        for row in mine:
            assert abs(row.planned / row.usual - 1) <= MOST + 1e-6


def test_geos_of_one_market_cannot_differ():
    model = market(np.array([100.0, 60.0]), max_lag=2)
    request = WeekRequest(teach=Teach(spread=MOST))
    with pytest.raises(PlanError, match="no geos that could differ"):
        lesson(model, xr.Dataset(), request, horizon(model, 3), lambda draws: draws)


def test_the_spread_is_read():
    assert week_request({"teach": True}).teach.spread == 0
    asked = week_request({"teach": {"spread": "20 %"}}).teach
    assert asked.spread == pytest.approx(0.2)
    with pytest.raises(PlanError) as caught:
        week_request({"teach": {"spread": "150 %"}})
    texts = [str(caught.value), *(each.message for each in caught.value.findings)]
    assert any("150 %" in text for text in texts)
