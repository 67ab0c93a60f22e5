"""What ran geo by geo: the lift of other shares, and a plan beside it."""

import numpy as np
import pytest
import xarray as xr

from core.data.ahead.actual_table import Actuals
from core.plan.against.actuals import Geos, against_actuals
from core.plan.against.terms import AS_RAN, Terms, at_geos
from core.plan.money.where_spent import WhereSpent, by_shares
from core.plan.response.geos import geo_response
from tests.plan.geo_market import GEOS, stored

TIMES = np.datetime64("2024-01-01") + 7 * np.arange(4)
CHANNELS = ("TV", "Search")


@pytest.fixture(scope="module")
def views():
    """Curves by geo of four weeks, and a forecast of the same curves."""
    by_geo = stored((2, 4), seed=3, s_shaped=True)
    response = geo_response(by_geo)
    grid = by_geo["spend_multiplier"].to_numpy()
    whole = by_geo["incremental_outcome"].sum("geo").to_numpy()
    weeks = np.repeat(whole[..., None] / 4, 4, axis=-1)
    spend = by_geo["spend"].sum("geo").to_numpy()
    n = by_geo.sizes["draw"]
    level = 1e6 + np.zeros((n, 4)) + weeks[:, :, np.searchsorted(grid, 1.0)].sum(1)
    forecast = xr.Dataset(
        {
            "outcome": (("draw", "time"), level),
            "expected": (("draw", "time"), level),
            "response": (("draw", "paid", "multiplier", "time"), weeks),
            "spend": (("paid", "time"), np.repeat(spend[:, None] / 4, 4, axis=1)),
        },
        coords={"time": TIMES, "paid": list(CHANNELS), "multiplier": grid},
    )
    return response, by_geo, forecast


def where_of(response, by_geo):
    usual = dict(zip(CHANNELS, by_geo["spend"].to_numpy(), strict=True))
    return WhereSpent(response, GEOS, usual, by_geo.sizes["draw"])


def test_what_ran_brings_what_its_geos_bring(views):
    """Against the sum over cells of what each brings at what was spent there."""
    response, by_geo, forecast = views
    where = where_of(response, by_geo)
    rng = np.random.default_rng(0)
    times = rng.choice([0.3, 0.5, 1.0, 1.45, 2.0], size=(2, 4))
    money = by_geo["spend"].to_numpy() * times
    went = dict(zip(CHANNELS, money, strict=True))
    spent, planned = where.spread(went), where.spread(where.usual)
    terms = at_geos(AS_RAN, spent, np.ones(4, bool), CHANNELS)
    totals = {name: np.full(4, each.sum() / 4) for name, each in went.items()}
    actuals = Actuals(TIMES, np.full(4, 1.1e6), totals)
    usual = {name: np.full(4, each.sum() / 4) for name, each in where.usual.items()}
    geos = Geos(GEOS, planned, spent, terms)
    told = against_actuals(forecast, usual, actuals, geos=geos)
    cells = by_geo["incremental_outcome"].to_numpy()
    grid = by_geo["spend_multiplier"].to_numpy().tolist()
    one = cells[..., grid.index(1.0)].sum(axis=(1, 2))
    truth = sum(
        cells[:, c, g, np.abs(np.array(grid) - times[c, g]).argmin()]
        for c in range(2)
        for g in range(4)
        if np.isclose(grid, times[c, g]).any()
    )
    assert all(np.isclose(grid, each).any() for each in times.ravel())
    # A multiple of all geos together lies between two that are stored.
    np.testing.assert_allclose(told.part("spend"), truth - one, rtol=0.02)
    rows = told.record().geos
    assert [row.name for row in rows] == list(GEOS)
    assert sum(row.spend.mean for row in rows) == pytest.approx(
        told.part("spend").mean()
    )
    for g, row in enumerate(rows):
        here = sum(
            cells[:, c, g, np.abs(np.array(grid) - times[c, g]).argmin()]
            for c in range(2)
        )
        assert row.brought.mean == pytest.approx(here.mean(), rel=0.02)
        assert row.actual_spend == pytest.approx(money[:, g].sum())
    # Without geos the same money counts as in last year's pattern.
    other = against_actuals(forecast, usual, actuals)
    assert abs(other.part("spend").mean() - (truth - one).mean()) > 0.1 * abs(
        (truth - one).mean()
    )


def test_a_plan_that_was_kept_to_differs_in_no_geo(views):
    response, by_geo, forecast = views
    where = where_of(response, by_geo)
    plan = {"TV": {"North": 1.5, "South": 0.5, "East": 0.8, "West": 1.1}}
    totals = {name: 1.2 * each.sum() for name, each in where.usual.items()}
    money = by_shares(totals, where.usual, GEOS, plan)
    assert {name: each.sum() for name, each in money.items()} == pytest.approx(totals)
    ratio = money["TV"] / where.usual["TV"]
    np.testing.assert_allclose(ratio / ratio[0], np.array([1.5, 0.5, 0.8, 1.1]) / 1.5)
    spread, inside = where.spread(money), np.ones(4, bool)
    np.testing.assert_allclose(spread.lift["Search"], 1.0)
    assert abs(spread.lift["TV"].mean() - 1) > 0.01
    terms = at_geos(Terms(), spread, inside)
    each = {name: np.full(4, total / 4) for name, total in totals.items()}
    actuals = Actuals(TIMES, np.full(4, 1.1e6), each)
    ran = at_geos(Terms(), spread, inside, CHANNELS)
    geos = Geos(GEOS, spread, spread, ran)
    told = against_actuals(forecast, each, actuals, terms=terms, geos=geos)
    np.testing.assert_allclose(told.part("spend"), 0.0, atol=1e-6)
    np.testing.assert_allclose([row.spend.mean for row in told.record().geos], 0.0)


def test_shares_of_a_plan_hold_in_its_periods_only(views):
    response, by_geo, _ = views
    spread = where_of(response, by_geo).spread(
        {
            name: each * [2, 1, 1, 0.5]
            for name, each in where_of(*views[:2]).usual.items()
        }
    )
    inside = np.array([False, True, True, False])
    lift = at_geos(AS_RAN, spread, inside).lifts["TV"]
    np.testing.assert_allclose(lift[:, [0, 3]], 1.0)
    np.testing.assert_allclose(lift[:, 1], spread.lift["TV"])
    everywhere = at_geos(AS_RAN, spread, inside, ("TV",)).lifts["TV"]
    np.testing.assert_allclose(everywhere[:, 0], spread.lift["TV"])


def test_money_where_nothing_ran_in_these_weeks_has_the_pattern_of_the_year(views):
    """And a channel without curves brings in proportion to what was spent."""
    response, by_geo, _ = views
    usual = dict(zip(CHANNELS, by_geo["spend"].to_numpy() / 10, strict=True))
    usual["TV"] = np.append(usual["TV"][:3], 0.0)
    usual["Radio"] = np.full(4, 5.0)
    where = WhereSpent(response, GEOS, usual, by_geo.sizes["draw"])
    even = where.spread({name: np.full(4, 100.0) for name in usual})
    assert np.isfinite(even.lift["TV"]).all() and (even.share["TV"][:, 3] > 0).all()
    np.testing.assert_allclose(even.share["TV"].sum(axis=1), 1.0)
    np.testing.assert_allclose(even.share["Radio"], 0.25)
    np.testing.assert_allclose(even.lift["Radio"], 1.0)
    nothing = where.spread({name: np.zeros(4) for name in usual})
    np.testing.assert_allclose(nothing.lift["TV"], 1.0)
