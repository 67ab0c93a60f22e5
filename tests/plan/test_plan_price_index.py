"""Plans pay the prices of a price index, and say so."""

from dataclasses import replace

import numpy as np

from core.data.ahead.horizon import plan_horizon
from core.data.input_data import Treatments
from core.data.price_index import index_at, prices_of_weeks
from core.model.build import build
from core.plan.flighting import flight
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.response.horizon import horizon
from core.plan.response.periods import Horizon
from core.plan.response.price import at_indexed_prices
from core.plan.scenario.table import of_table
from core.plan.scenario.weeks import week_request
from core.plan.week_terms import prices_of_plan
from tests.plan.flight_market import market, posterior
from tests.plan.synthetic import random_dataset

INDEX = (("2024-01-01", 1.0), ("2024-02-05", 1.2), ("2024-04-01", 1.5))
AHEAD = Horizon("2025-01-06", "2025-01-20", 3, as_fitted=False)


def indexed_market():
    """Two channels of money, the first deflated by an index."""
    model = market(np.array([100.0, 60.0]), max_lag=1)
    data = model.data
    units = data.media.units.copy()
    units[:, :, 0] /= index_at(INDEX, data.media_times)
    media = Treatments(data.media.names, units, spend=data.media.spend)
    indexed = replace(data, media=media, price_index=(("a", INDEX),))
    return build(indexed, model.spec)


def test_a_plan_over_channels_is_that_of_the_same_prices_stated():
    curves = response_curves(random_dataset(3, n_channels=2))
    shares = np.array([[0.7, 0.25], [0.2, 0.25], [0.1, 0.5]])
    curves = replace(curves, by_period=shares * curves.spend, horizon=AHEAD)
    listed = (1.0, 1.5, 2.0)
    indexed = replace(curves, indexed=(("Channel0", listed),))
    stated = {"channel": {"Channel0": {"price": list(listed)}}}
    one = plan(curves, of_table(stated, curves))
    other = plan(indexed, of_table({}, indexed))
    assert other.money == one.money and other.scenario == one.scenario
    said = "Prices follow the price index, over last year's: Channel0 1.50."
    assert said in other.reasons and said not in one.reasons
    own = {"channel": {"Channel0": {"price": 1.0}}}
    mine = plan(indexed, of_table(own, indexed))
    assert mine.money == plan(curves, of_table({}, curves)).money
    assert said not in mine.reasons


def test_weeks_buy_units_at_the_price_of_the_index():
    model = indexed_market()
    n = 4
    price = prices_of_weeks(model.data, 0, n, 52)["a"]
    prices = np.stack([price, np.ones(n)])
    bought = horizon(model, n, price=prices).bought["m"]
    ahead = plan_horizon(model.data.times, n).times
    units = model.data.media.units[0, :, 0]
    per_money = np.asarray(bought.per_money)[0, 0] * np.median(units)
    np.testing.assert_allclose(per_money, 1 / index_at(INDEX, ahead), rtol=1e-6)


def test_a_plan_of_weeks_says_that_it_pays_the_index():
    model = indexed_market()
    known = ([500.0, 300.0], [0.5, 0.5], [80.0, 70.0], [1.0, 1.5])
    draws = posterior(model, *known)
    table = {"horizon": {"periods": 3}}
    prices = prices_of_plan(model, week_request(table))
    priced = at_indexed_prices(table, prices)
    made = flight(model, draws, week_request(priced))
    said = "\n".join(made.record.reasons)
    assert "Prices follow the price index, over last year's: a" in said
    plain = flight(model, draws, week_request(table))
    assert "price index" not in "\n".join(plain.record.reasons)
    assert made.record.objective.planned < plain.record.objective.planned
