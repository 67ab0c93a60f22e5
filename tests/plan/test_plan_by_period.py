"""Prices and values by period over channels: exact, since media keeps its timing."""

from dataclasses import replace

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.analysis.response.curves import response_curves as stored_curves
from core.data.ahead.horizon import plan_horizon
from core.errors import PlanError
from core.plan.money.elsewhere import as_bought
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.response.periods import Horizon, horizon_of
from core.plan.scenario.horizon import HorizonRequest, horizon_request
from core.plan.scenario.table import of_table
from core.plan.scenario.weeks import week_request
from tests.plan.flight_market import market, posterior
from tests.plan.synthetic import random_dataset


def test_a_price_by_period_is_its_average_over_what_was_spent():
    curves = response_curves(random_dataset(3, n_channels=2))
    shares = np.array([[0.7, 0.25], [0.2, 0.25], [0.1, 0.5]])
    ahead = Horizon("2025-01-06", "2025-01-20", 3, as_fitted=False)
    curves = replace(curves, by_period=shares * curves.spend, horizon=ahead)
    by_period = {"Channel0": {"price": [1.0, 1.5, 2.0]}}
    asked = of_table({"channel": by_period}, curves)
    assert asked.prices == {"Channel0": pytest.approx(0.7 + 0.3 + 0.2)}
    record = plan(curves, asked)
    one = plan(curves, of_table({"channel": {"Channel0": {"price": 1.2}}}, curves))
    assert record.money == one.money
    bought = as_bought(curves, record.scenario)
    assert bought.prices[0] == pytest.approx(1.2)
    # The prices stay those of the periods: actuals, weeks and reports are paid so.
    assert record.scenario["channel"]["Channel0"]["price"] == [1.0, 1.5, 2.0]
    assert of_table(record.scenario, curves).prices == asked.prices


@pytest.mark.parametrize("price", [[1.0, 1.1], [1.0, -1.0, 1.0], [1.0, "x", 1.0]])
def test_prices_of_other_periods_are_refused(price):
    curves = response_curves(random_dataset(3, n_channels=2))
    known = replace(curves, by_period=np.ones((3, 2)))
    for each, there in ((known, "3"), (curves, "fit again")):
        with pytest.raises(PlanError) as caught:
            of_table({"channel": {"Channel0": {"price": price}}}, each)
        assert "not one number above 0 for each period" in caught.value.message
        assert there in caught.value.message


def test_values_by_period_weigh_what_each_period_brings():
    """Without carryover a curve is the sum of its periods', each times its value."""
    model = market(np.array([100.0, 60.0]), max_lag=0)
    known = ([500.0, 300.0], [0.5, 0.5], [80.0, 70.0], [1.0, 1.5])
    draws = flat_draws(posterior(model, *known))
    times, value = model.data.times, (1.0, 0.5, 3.0)
    worth = stored_curves(model, draws, plan_horizon(times, 3, None, value))
    plain = stored_curves(model, draws, plan_horizon(times, 3))
    brought = [
        each["incremental_outcome"].values for each in (worth, plain)
    ]  # the same media in every week, so that a week brings a third
    np.testing.assert_allclose(brought[0], brought[1] * np.mean(value), rtol=1e-9)
    assert plain["spend_by_period"].values.tolist() == [[100.0, 60.0]] * 3
    about = horizon_of(worth.attrs)
    assert about.value == value and about.as_table()["value"] == list(value)
    assert horizon_request({"horizon": about.as_table()}).value == value
    same = plan_horizon(times, 3, None, (1.0,))
    assert same.value == () and "value" not in horizon_of(plain.attrs).as_table()


def test_one_key_says_it_for_weeks_too():
    table = {"horizon": {"periods": 2, "value": [1.0, 1.2]}}
    assert list(week_request(table).value) == [1.0, 1.2]
    own = week_request(table | {"weeks": {"value": 1.1}})
    assert own.value == 1.1
    assert HorizonRequest(value=(1.1,)).as_table() == {"value": [1.1]}


@pytest.mark.parametrize(
    ("horizon", "message"),
    [
        ({"value": [1.0, 0.0]}, "is not a value of a KPI unit"),
        ({"value": "dear"}, "dear"),
        ({"value": 1.1, "as_fitted": True}, "have the values that a KPI unit had"),
    ],
)
def test_values_that_are_none_are_refused(horizon, message):
    with pytest.raises(PlanError) as caught:
        horizon_request({"horizon": horizon})
    assert message in caught.value.message


def test_as_many_values_as_periods():
    times = np.datetime64("2024-01-01") + 7 * np.arange(60)
    with pytest.raises(PlanError, match="2 values of a KPI unit for 5 periods"):
        plan_horizon(times, 5, None, (1.0, 2.0))


def test_periods_of_data_shorter_than_a_year_are_not_called_last_years():
    days = "2025-01-06", "2025-12-29", 52
    short = Horizon(*days, as_fitted=False, is_repeated=True)
    assert short.as_it_ran == "the data's weeks as they ran"
    assert not short.has_last_year and short.heading == "As it ran"
    told = [short.note, short.budget_that_ran, short.brief_heading]
    assert "last year's" in told[0] and "last year" not in " ".join(told[1:]).lower()
    usual = Horizon(*days, as_fitted=False)
    assert usual.has_last_year and usual.heading == "Same weeks last year"
