"""The best frequency inside a plan: of channels, of weeks and of geos."""

import numpy as np
import pytest

from core.analysis.ahead.planned_periods import planned_periods
from core.analysis.draws import flat_draws
from core.analysis.response.best_frequency import best_frequency
from core.analysis.response.curves import geo_curves
from core.analysis.response.curves import response_curves as stored_curves
from core.data.ahead.horizon import plan_horizon
from core.errors import PlanError
from core.plan.flighting import flight
from core.plan.geo_plan import geo_plan
from core.plan.money.elsewhere import as_bought
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.response.geos import geo_response
from core.plan.response.price import price_rows
from core.plan.scenario.geos import geo_request
from core.plan.scenario.table import as_table, of_table
from core.plan.scenario.weeks import week_request
from tests.plan.flight_market import by_reach, market, posterior

BEST = {"channel": {"v": {"frequency": "best"}}}


@pytest.fixture(scope="module")
def video():
    """A channel that reaches people twice, and its best frequency and lift by hand."""
    model, draws = by_reach(400.0)
    ec = 1.5 * float(np.asarray(model.arrays.groups["rf"].typical)[0])
    tried = np.linspace(1.0, 2.0, 41)
    worth = tried / (tried**2 + ec**2)  # Hill of slope two over the frequency
    best = tried[worth.argmax()]
    return model, draws, best, worth.max() / worth[-1]


def test_the_best_frequency_is_that_of_the_curve(video):
    model, draws, best, lift = video
    flat = flat_draws(draws)
    for horizon in (None, plan_horizon(model.data.times)):
        found = best_frequency(model, flat, planned_periods(model, horizon))
        assert found.best == pytest.approx([best])
        assert found.ran == pytest.approx([2.0])
        assert found.lift == pytest.approx(np.array([[lift]]), rel=1e-6)
    plain = market(np.array([100.0]), max_lag=1)
    known = posterior(plain, [[300.0]], [[0.5]], [[50.0]], [[2.0]])
    periods = planned_periods(plain, None)
    assert best_frequency(plain, flat_draws(known), periods) is None


def test_a_plan_at_the_best_frequency_brings_more_and_says_so(video):
    model, draws, best, lift = video
    stored = stored_curves(model, flat_draws(draws), plan_horizon(model.data.times))
    curves = response_curves(stored)
    usual = plan(curves, of_table({}, curves))
    often = plan(curves, of_table(BEST, curves))
    mean = usual.outcome.planned.mean
    assert often.outcome.planned.mean == pytest.approx(lift * mean)
    assert often.today.outcome == usual.today.outcome
    assert often.today.at_plan_prices.mean == pytest.approx(lift * mean)
    said = next(reason for reason in often.reasons if "best frequency" in reason)
    assert f"{best:.2f} exposures per person reached instead of 2.00" in said
    again = of_table(often.scenario, curves)
    assert as_table(again)["channel"]["v"]["frequency"] == "best"
    assert price_rows(often.scenario) == BEST["channel"]
    bought = as_bought(curves, often.scenario)
    assert as_bought(bought, often.scenario) is bought


def test_weeks_at_the_best_frequency_bring_as_much_more(video):
    model, draws, _, lift = video
    request = {"horizon": {"periods": 4}}
    usual = flight(model, draws, week_request(request))
    often = flight(model, draws, week_request(request | BEST))
    ratio = often.stored["outcome"].sel(plan="planned") / usual.stored["outcome"].sel(
        plan="planned"
    )
    assert ratio.to_numpy() == pytest.approx([lift], rel=1e-4)
    ran = (usual.stored["outcome_ran"], often.stored["outcome_ran"])
    np.testing.assert_allclose(*ran)


def test_what_has_no_frequency_is_refused(video):
    model, draws, _, _ = video
    stored = stored_curves(model, flat_draws(draws), None)
    curves = response_curves(stored)
    with pytest.raises(PlanError, match="cannot|not a frequency"):
        of_table({"channel": {"v": {"frequency": "often"}}}, curves)
    plain = market(np.array([100.0]), max_lag=1)
    known = posterior(plain, [[300.0]], [[0.5]], [[50.0]], [[2.0]])
    none = response_curves(stored_curves(plain, flat_draws(known), None))
    with pytest.raises(PlanError, match="no reach and frequency"):
        of_table({"channel": {"a": {"frequency": "best"}}}, none)
    request = week_request({"channel": {"a": {"frequency": "best"}}})
    with pytest.raises(PlanError, match="no reach and frequency"):
        flight(plain, known, request)


def test_geos_at_the_best_frequency_against_a_grid():
    """One frequency for all; what it adds differs by how often each was reached."""
    ran = (2.0, 1.25)
    model, draws = by_reach(400.0, ran)
    ec = 1.5 * float(np.asarray(model.arrays.groups["rf"].typical)[0])
    worth = [f / (f**2 + ec**2) for f in ran]
    tried = np.linspace(1.0, 2.0, 41)
    highest = max(f / (f**2 + ec**2) for f in tried)
    lift = highest / np.array(worth)
    flat, horizon = flat_draws(draws), plan_horizon(model.data.times)
    curves = response_curves(stored_curves(model, flat, horizon))
    response = geo_response(geo_curves(model, flat, horizon))
    table = {"bounds": [0.5, 1.5], "supported": False}
    asked = [of_table(table | more, curves) for more in ({}, BEST)]
    request = geo_request({"bounds": [0.5, 1.5]})
    usual, often = (geo_plan(response, each, request).record(each) for each in asked)
    now = response.curves.spend
    first = np.linspace(0.5 * now[0], 1.5 * now[0], 2001)
    splits = np.stack([first, now.sum() - first], axis=1)
    splits = splits[(splits[:, 1] >= 0.5 * now[1]) & (splits[:, 1] <= 1.5 * now[1])]
    brought = np.array([response.curves.outcome(split)[0] for split in splits])
    brute = (brought * lift).sum(axis=1).max()
    assert often.outcome.planned.mean == pytest.approx(brute, rel=1e-5)
    assert often.bound.best_possible >= brute * (1 - 1e-9)
    planned = np.array([cell.planned for cell in often.cells])
    exact = (response.curves.outcome(planned)[0] * lift).sum()
    assert often.outcome.planned.mean == pytest.approx(exact, rel=1e-5)
    assert often.today.outcome == usual.today.outcome
    said = [reason for reason in often.reasons if "best frequency" in reason]
    assert len(said) == 1 and said[0].startswith("v is planned at its best frequency")
    assert not [reason for reason in usual.reasons if "best frequency" in reason]
