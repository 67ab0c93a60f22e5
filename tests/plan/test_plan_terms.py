"""How a plan buys: prices by the dates of periods, and the frequency that pays most."""

import numpy as np
import pytest

from core.plan.against.at_spend import outcome_at
from core.plan.against.planned_forecast import multiples
from core.plan.against.planned_spend import planned_spend
from core.plan.against.terms import Terms, places, terms_of
from core.plan.response.curves import Frequency
from core.plan.response.periods import Horizon
from tests.charts import synthetic
from tests.plan.records import line, record

PRICES = (1.0, 1.2, 1.5, 0.8)


@pytest.fixture(scope="module")
def view():
    return synthetic.forecast()


def days(view):
    return view["time"].to_numpy().astype("datetime64[D]").astype(str)


def name_of(view):
    return str(view["paid"].to_numpy()[0])


def priced(view, first, *, over="channels", n=4, **more):
    """A plan of some periods of a forecast at PRICES."""
    horizon = Horizon(*days(view)[[first, first + n - 1]], n, as_fitted=False)
    name = name_of(view)
    usual = view["spend"].sel(paid=name).to_numpy()[first : first + n]
    total = float((usual * PRICES).sum())
    own = line(name, total, float(usual.sum()), **more)
    scenario = {"channel": {name: {"price": list(PRICES)}}}
    return record(own, horizon=horizon, over=over, scenario=scenario)


def test_prices_are_found_by_the_dates_of_the_periods(view):
    name, plan = name_of(view), priced(view, 2)
    found = terms_of(plan, view["time"].to_numpy()[:8])
    assert found.price(name, 8).tolist() == [1, 1, *PRICES, 1, 1]
    # A newer fit forecasts only what is left of the plan.
    later = terms_of(plan, view["time"].to_numpy()[4:8])
    assert later.price(name, 4).tolist() == [*PRICES[2:], 1, 1]
    assert found.price("another", 8).tolist() == [1.0] * 8


def test_periods_of_the_data_have_one_mean_price(view):
    plan = priced(view, 0)
    again = Horizon("2021-01-04", "2021-01-25", 4, as_fitted=True)
    plan = record(*plan.channels, horizon=again, scenario=plan.scenario)
    found = terms_of(plan, view["time"].to_numpy()[:3])
    assert found.price(name_of(view), 3) == pytest.approx([np.mean(PRICES)] * 3)


def test_months_are_told_apart_by_their_dates():
    months = np.arange("2024-01", "2026-01", dtype="datetime64[M]")
    year = Horizon("2024-04-01", "2025-03-01", 12, as_fitted=False)
    place = places(year, months.astype("datetime64[ns]"))
    assert place.tolist() == list(range(-3, 21))
    one = Horizon("2024-04-01", "2024-04-01", 1, as_fitted=False)
    assert (places(one, months) == 0).sum() == 1


def test_money_at_dearer_prices_buys_what_ran_in_its_weeks(view):
    """All money of last year times each week's price is last year's media."""
    name, plan = name_of(view), priced(view, 2)
    spend = planned_spend(plan, view, 8)
    usual = view["spend"].sel(paid=name).to_numpy()[:8]
    paid = usual * np.array([1, 1, *PRICES, 1, 1])
    np.testing.assert_allclose(spend[name], paid)
    ran = outcome_at(view, {name: usual})
    terms = terms_of(plan, view["time"].to_numpy()[:8])
    np.testing.assert_allclose(outcome_at(view, spend, {}, terms), ran, rtol=1e-6)
    assert multiples(plan, view, 8)[name] == pytest.approx(1.0)


def test_weeks_are_paid_at_the_price_of_each(view):
    name = name_of(view)
    plan = priced(view, 2, weeks=(10.0, 24.0, 30.0, 8.0))
    plan = record(
        *plan.channels,
        horizon=plan.horizon,
        over="weeks",
        weeks=tuple(days(view)[2:6]),
        scenario=plan.scenario,
    )
    usual = view["spend"].sel(paid=name).to_numpy()[:8]
    bought = (usual.sum() - usual[2:6].sum() + 10 + 20 + 20 + 10) / usual.sum()
    assert multiples(plan, view, 8)[name] == pytest.approx(bought)


def test_the_best_frequency_lifts_what_spend_adds_and_nothing_else(view):
    name, n = name_of(view), 6
    n_draws = view.sizes["draw"]
    lift = np.linspace(1.0, 1.3, n_draws)
    known = (Frequency(name, 2.0, 3.0, lift),)
    usual = view["spend"].sel(paid=name).to_numpy()[:n]
    horizon = Horizon(days(view)[0], days(view)[n - 1], n, as_fitted=False)
    own = line(name, float(usual.sum()), float(usual.sum()))
    scenario = {"channel": {name: {"frequency": "best"}}}
    plan = record(own, horizon=horizon, scenario=scenario)
    times = view["time"].to_numpy()[:n]
    terms = terms_of(plan, times, known, n_draws)
    np.testing.assert_allclose(terms.lifts[name], lift)
    spend = planned_spend(plan, view, n)
    more = outcome_at(view, spend, {}, terms) - outcome_at(view, spend)
    some = view["response"].sel(paid=name).isel(time=slice(n)).transpose("draw", ...)
    added = (some.sel(multiplier=1.0) - some.sel(multiplier=0.0)).to_numpy()
    np.testing.assert_allclose(more, (lift[:, None] - 1) * added, rtol=1e-3, atol=1e-3)
    none = {**spend, name: np.zeros(n)}
    np.testing.assert_allclose(
        outcome_at(view, none, {}, terms), outcome_at(view, none)
    )
    assert not terms_of(record(own, horizon=horizon), times, known, n_draws).lifts


def test_without_terms_media_is_bought_as_it_ran():
    spend = np.array([[3.0, 0.0]])
    assert Terms().bought(["TV"], spend, np.ones((1, 2))).tolist() == spend.tolist()
