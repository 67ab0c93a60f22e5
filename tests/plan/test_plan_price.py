"""Prices that rise with volume: units in plans of channels, geos and weeks."""

from itertools import pairwise

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.errors import PlanError
from core.plan.flighting import flight, media_draws
from core.plan.geo_plan import geo_plan
from core.plan.limit_costs import limit_costs
from core.plan.money.elsewhere import as_bought
from core.plan.plan import plan
from core.plan.portfolio.joined import joined
from core.plan.portfolio.plan import portfolio_plan
from core.plan.response.belief import Belief
from core.plan.response.curves import response_curves
from core.plan.response.geos import geo_response
from core.plan.response.horizon import horizon
from core.plan.response.price import (
    CHEAPEST,
    gammas_of,
    price_factors,
    price_rows,
    priced,
    repriced,
    units,
    units_slope,
)
from core.plan.response.weeks import outcomes
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.measure import measure_of
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import as_table, beliefs_table, of_table
from core.plan.scenario.weeks import week_request
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.search import ranks
from tests.plan import geo_market
from tests.plan.flight_market import by_reach, market, posterior
from tests.plan.synthetic import random_dataset

GAMMAS = {"Channel0": 0.35, "Channel2": 0.1}


def test_units_are_a_power_of_spend_and_bend_down():
    x = np.concatenate([[0.0], np.geomspace(1e-4, 30, 400)])
    for gamma in (0.0, 0.05, 0.4, 0.9):
        bought, slope = units(x, gamma), units_slope(x, gamma)
        dear = x >= CHEAPEST
        np.testing.assert_allclose(bought[dear], x[dear] ** (1 - gamma))
        assert units(np.array(1.0), gamma) == 1 and bought[0] == 0
        assert all(b <= a * (1 + 1e-12) for a, b in pairwise(slope))
        ahead = (units(x + 1e-7, gamma) - bought) / 1e-7
        off = np.abs(x - CHEAPEST) > 1e-6
        np.testing.assert_allclose(slope[off], ahead[off], rtol=1e-3)


@pytest.mark.parametrize("s_shaped", [False, True])
def test_a_curve_in_money_is_that_of_its_units(s_shaped):
    curves = response_curves(random_dataset(3, n_channels=3, s_shaped=s_shaped))
    dear = priced(curves, GAMMAS)
    gamma = np.array([0.35, 0.0, 0.1])
    rng = np.random.default_rng(0)
    at = np.concatenate([np.geomspace(CHEAPEST, 3, 200), rng.uniform(0, 3, 200)])
    spend = at[:, None] * curves.spend
    wanted, rise = curves.outcome_and_marginal(units(at[:, None], gamma) * curves.spend)
    rise = rise * units_slope(at[:, None], gamma)
    brought, slope = dear.outcome_and_marginal(spend)
    size = np.abs(wanted).max(axis=1, keepdims=True)
    assert (np.abs(brought - wanted) <= 2e-5 * size).all()
    inside = at > 2 * CHEAPEST
    near = np.abs(slope - rise)[:, inside] * curves.spend
    assert (near <= 5e-3 * size).all()
    np.testing.assert_allclose(brought[..., 1], wanted[..., 1], rtol=1e-9)
    np.testing.assert_allclose(dear.outcome(curves.spend), curves.outcome(curves.spend))
    assert priced(dear, GAMMAS) is dear and priced(curves, {"Channel1": 0}) is curves


def test_one_price_is_the_plan_of_today_to_the_cent():
    curves = response_curves(random_dataset(5, n_channels=4))
    table = {"bounds": [0.5, 2.0], "supported": False}
    plain = plan(curves, of_table(table, curves))
    zero = {f"Channel{i}": {"gamma": 0.0} for i in range(4)}
    rows = {name: row | {"min": "50 %", "max": "200 %"} for name, row in zero.items()}
    same = plan(curves, of_table(table | {"channel": rows}, curves))
    assert same == plain and "gamma" not in str(as_table(scenario(curves)))


@pytest.mark.parametrize("s_shaped", [False, True])
@pytest.mark.parametrize("objective", ["mean", "cvar10", "p10"])
def test_the_bound_holds_and_nothing_by_hand_is_better(s_shaped, objective):
    curves = response_curves(random_dataset(7, n_channels=3, s_shaped=s_shaped))
    table = {"bounds": [0.0, 2.5], "supported": False, "objective": objective}
    table["channel"] = {name: {"gamma": gamma} for name, gamma in GAMMAS.items()}
    asked = of_table(table, curves)
    assert gammas_of(as_table(asked)) == GAMMAS
    record = plan(curves, asked)
    best, bound = record.objective.planned, record.bound.best_possible
    if objective == "mean":
        assert record.bound.gap <= 1e-3
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(3), 4000)
    spend = shares * record.budget
    spend = spend[(spend <= 2.5 * curves.spend).all(axis=1)]
    gamma = np.array([0.35, 0.0, 0.1])
    bought = units(spend / curves.spend, gamma) * curves.spend
    measure = measure_of(objective)
    reached = max(
        float(measure.of(each)) for each in curves.outcome(bought).sum(axis=2).T
    )
    assert reached <= bound * (1 + 1e-5)
    if objective == "mean":
        assert reached <= best * (1 + 1e-5)
    plain = plan(curves, of_table(table | {"channel": {}}, curves))
    moved = {
        a.name: a.planned - b.planned
        for a, b in zip(record.channels, plain.channels, strict=True)
    }
    costs = limit_costs(curves, asked, record.money)
    assert any(abs(change) > 1 for change in moved.values()) and costs is not None


def test_geos_pay_for_what_they_buy_themselves():
    stored = geo_market.stored((3, 3), seed=2)
    response = geo_response(stored)
    channels = response_curves(
        stored.sum("geo").assign_coords(
            spend=("channel", stored["spend"].sum("geo").values),
            max_multiplier_seen=("channel", np.full(3, 1.8)),
        )
    )
    table = {"bounds": [0.5, 1.5], "supported": False}
    table["channel"] = {"TV": {"gamma": 0.3, "min": "50 %", "max": "150 %"}}
    asked = of_table(table, channels)
    found = geo_plan(response, asked, GeoRequest()).record()
    assert found.bound.gap <= 1e-3
    spend = np.array([cell.planned for cell in found.cells])
    names = [cell.channel for cell in found.cells]
    order = [response.channels[i] for i in response.channel]
    assert names == order
    today = response.curves.spend
    gamma = np.where(np.array(order) == "TV", 0.3, 0.0)
    bought = units(spend / today, gamma) * today
    brought = response.curves.outcome(bought).sum(axis=1).mean()
    assert found.outcome.planned.mean == pytest.approx(brought, rel=1e-4)


def uncertain():
    """Two channels, one of which works against the KPI, S-shaped or not by draw."""
    weekly, size = np.array([100.0, 60.0]), (12, 2)
    rng = np.random.default_rng(4)
    model = market(weekly, max_lag=2)
    beta = rng.uniform(300, 900, size) * np.array([1.0, -0.4])
    alpha, slope = rng.uniform(0.1, 0.8, size), rng.uniform(0.7, 3.0, size)
    return model, posterior(model, beta, alpha, 0.8 * np.tile(weekly, (12, 1)), slope)


WEEKS = {"mean": uncertain, "cvar25": uncertain}
WEEKS |= {"reach": lambda: by_reach(500.0), "negative reach": lambda: by_reach(-500.0)}


@pytest.mark.parametrize("kind", WEEKS)
def test_the_ceiling_of_weeks_is_concave_above_the_outcome(kind):
    model, drawn = WEEKS[kind]()
    given = horizon(model, 5, gammas={"a": 0.4, "b": 0.2, "v": 0.3})
    draws = media_draws(given, flat_draws(drawn))
    is_cautious = kind == "cvar25"
    measure = measure_of(kind if is_cautious else "mean")
    objective = Objective(
        given,
        draws,
        ranks(measure, len(draws["beta_grf" if "reach" in kind else "beta_gm"])),
    )
    shape = given.usual.shape
    low, high = np.full(shape, 20.0), np.full(shape, 400.0)
    objective.bend(low, high)
    rng = np.random.default_rng(0)
    none = outcomes(given, draws, np.zeros(shape))
    for _ in range(20):
        x, y = 20 + rng.uniform(0, 380, (2, *shape)) * rng.integers(0, 2, (2, *shape))
        value, rise = objective.ceiling(x)
        other, _ = objective.ceiling(y)
        assert other <= value + (rise * (y - x)).sum() + 1e-6 * abs(value)
        gains = (outcomes(given, draws, x) - none).sum(axis=(1, 2))
        assert float(measure.of(gains)) <= value + 1e-6 * abs(value)
        exact, slope_of = objective.exact(x)
        step = 1e-4 * np.ones_like(x)
        ahead = objective.exact(x + step)[0]
        if not is_cautious:
            assert ahead - exact == pytest.approx((slope_of * step).sum(), rel=1e-2)


def test_weeks_at_a_rising_price_are_flatter_and_spend_buys_what_it_did():
    model = market(np.array([100.0]), max_lag=0)
    draws = posterior(model, [500.0], [0.5], [250.0], [3.0])
    free = {"bounds": [0, 100], "horizon": {"periods": 4}}
    pulsing = flight(model, draws, week_request(free))
    dear = flight(model, draws, week_request(free | {"channel": {"a": {"gamma": 0.6}}}))
    assert dear.stored["spend"].std() < pulsing.stored["spend"].std()
    assert dear.record.bound.best_possible >= dear.record.objective.planned
    for gamma in (0.0, 0.3):
        given = horizon(model, 4, gammas={"a": gamma})
        bought = given.at_one_price(given.usual)
        assert bought.sum() == pytest.approx(given.usual.sum())
    uneven = np.tile(np.array([[20.0], [180.0], [100.0]]), (4, 1))
    given = horizon(market(np.array([100.0]), 0, spend=uneven), 12, gammas={"a": 0.4})
    assert given.at_one_price(given.usual).sum() == pytest.approx(given.usual.sum())
    same = flight(model, draws, week_request(free | {"channel": {"a": {"gamma": 0}}}))
    assert same.stored["spend"].equals(pulsing.stored["spend"])


def test_a_channel_without_history_has_no_price_of_its_own():
    curves = response_curves(random_dataset(7, n_channels=3))
    belief = Belief("New", 1e5, (1.0, 2.0))
    new = {"belief": beliefs_table([belief]), "supported": False}
    own = {"Channel0": {"gamma": 0.3}}
    asked = of_table(new | {"channel": own}, curves)
    record = plan(curves, asked)
    assert record.bound.gap <= 1e-3
    spend = np.array([record.money[name] for name in curves.names])
    bought = units(spend / curves.spend, np.array([0.3, 0, 0])) * curves.spend
    seen = [line for line in record.channels if line.name != "New"]
    for line, brought in zip(seen, curves.outcome(bought).mean(axis=0), strict=True):
        assert line.outcome.planned.mean == pytest.approx(brought, rel=1e-4)
    with pytest.raises(PlanError, match="never ran"):
        of_table(new | {"channel": own | {"New": {"gamma": 0.1}}}, curves)


def test_a_part_of_a_portfolio_has_its_price():
    curves = response_curves(random_dataset(1, n_channels=3))
    both = joined({"A": curves, "B": curves}, {"A": 1.0, "B": 1.0}, {})
    table = {"channel": {"A: Channel0": {"gamma": 0.3}}}
    record = portfolio_plan(both, table, None)
    assert [part.gammas for part in record.projects] == [{"Channel0": 0.3}, {}]
    total = sum(part.outcome.planned.mean for part in record.projects)
    assert total == pytest.approx(record.outcome.planned.mean, rel=1e-4)


@pytest.mark.parametrize("gamma", [-0.1, 0.95, "much", float("nan"), True])
def test_a_gamma_that_cannot_be_is_refused(gamma):
    curves = response_curves(random_dataset(1, n_channels=2))
    with pytest.raises(PlanError) as refused:
        of_table({"channel": {"Channel0": {"gamma": gamma}}}, curves)
    assert "gamma" in refused.value.message and refused.value.hint
    with pytest.raises(PlanError):
        week_request({"channel": {"TV": {"gamma": gamma}}})


PRICES = {"Channel0": 1.19, "Channel2": 0.8}


@pytest.mark.parametrize("s_shaped", [False, True])
def test_at_another_price_money_buys_what_less_bought(s_shaped):
    curves = response_curves(random_dataset(3, n_channels=3, s_shaped=s_shaped))
    price = np.array([1.19, 1.0, 0.8])
    dear = repriced(curves, PRICES)
    at = np.concatenate([[0.0, 1.0], np.random.default_rng(0).uniform(0, 6, 300)])
    spend = at[:, None] * curves.spend
    wanted, rise = curves.outcome_and_marginal(spend / price)
    brought, slope = dear.outcome_and_marginal(spend)
    np.testing.assert_allclose(brought, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(slope, rise / price, rtol=1e-6, atol=1e-12)
    assert repriced(dear, PRICES) is dear
    assert repriced(curves, {"Channel1": 1.0}) is curves


def test_a_price_and_volume_together_are_of_units():
    """At the dearer price today's units cost today's spend times it."""
    curves = response_curves(random_dataset(3, n_channels=3))
    table = {"channel": {"Channel0": {"gamma": 0.35, "price": 1.19}}}
    dear = as_bought(curves, table)
    spend = curves.spend * np.array([1.19, 1.0, 1.0])
    np.testing.assert_allclose(
        dear.outcome(spend), curves.outcome(curves.spend), rtol=1e-4
    )
    assert as_bought(dear, table) is dear
    assert price_rows(table) == table["channel"]
    of_weeks = {"channel": {"TV": {"price": [1.0, 1.2]}, "Radio": {"price": 1}}}
    assert price_factors(of_weeks) == {"TV": 1.1}


def test_if_everything_costs_a_fifth_more_so_does_the_plan():
    curves = response_curves(random_dataset(5, n_channels=4))
    bounds = {"bounds": [0.5, 2.0], "supported": False}
    plain = plan(curves, of_table(bounds, curves))
    rows = {
        line.name: {"price": 1.2, "min": 0.6 * line.current, "max": 2.4 * line.current}
        for line in plain.channels
    }
    request = {"budget": 1.2 * plain.budget, "channel": rows, "supported": False}
    dear = plan(curves, of_table(request, curves))
    for one, other in zip(plain.channels, dear.channels, strict=True):
        assert other.planned == pytest.approx(1.2 * one.planned, rel=1e-3)
    same = plain.outcome.planned.mean
    assert dear.outcome.planned.mean == pytest.approx(same, rel=1e-6)
    ran = plain.today.outcome.mean
    assert dear.today.outcome.mean == pytest.approx(ran, rel=1e-8)
    assert dear.today.at_plan_prices.mean < plain.today.outcome.mean
    assert dear.scenario["channel"]["Channel0"]["price"] == 1.2
    assert of_table(dear.scenario, curves).prices == dict.fromkeys(curves.names, 1.2)


@pytest.mark.parametrize("price", [0, -1, 1e6, [1.0, 1.1]])
def test_a_price_that_is_none_is_refused(price):
    curves = response_curves(random_dataset(5, n_channels=2))
    with pytest.raises(PlanError, match=r"price") as refused:
        of_table({"channel": {"Channel0": {"price": price}}}, curves)
    assert refused.value.hint
