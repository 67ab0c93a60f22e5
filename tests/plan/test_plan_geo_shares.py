"""Shares of geos of a plan of weeks: stated, found, and kept to once it is saved."""

import io

import numpy as np
import openpyxl
import pytest

from core.data.ahead.horizon import ahead, in_geos
from core.data.files.load import workbook_cells
from core.errors import PlanError
from core.plan.against.planned_forecast import in_all, plan_total
from core.plan.against.terms import terms_of
from core.plan.flighting import flight
from core.plan.geo_plan import geo_plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.record.tables import csv_text
from core.plan.record.teaching import Share, planned_shares, times_usual
from core.plan.response.curves import Frequency
from core.plan.response.periods import Horizon
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.scenario import scenario
from core.plan.scenario.weeks import week_request
from core.plan.scenario.workbook.weeks import edited_weeks
from core.report.books.report_book import plan_workbook
from tests.charts import synthetic
from tests.plan.flight_market import market, posterior
from tests.plan.geo_market import market as of_channels
from tests.plan.geo_market import response
from tests.plan.records import about, line, record

WEEKS = ("2025-01-06", "2025-01-13")
SHARES = (
    Share(channel="TV", geo="Harbour", usual=0.4, planned=0.5),
    Share(channel="TV", geo="Hill", usual=0.6, planned=0.5),
)


@pytest.fixture(scope="module")
def world():
    """A channel that does far more in the second of two geos, and its draws."""
    model = market(np.array([100.0]), max_lag=1, n_geos=2)
    rng = np.random.default_rng(0)
    size = (40, 1)
    draws = posterior(
        model,
        rng.uniform(800, 900, size),
        rng.uniform(0.2, 0.4, size),
        np.full(size, 1e4),
        np.ones(size),
    )
    geos = np.array([0.1, 1.9])[None, None, :, None]
    return model, draws.assign(beta_gm=draws["beta_gm"] * geos)


def request(geos=None, **more):
    channels = {"channel": {"a": {"geos": geos}}} if geos else {}
    return {"horizon": {"periods": 3}, "spend": {"a": [100.0] * 3}} | channels | more


def planned(world, table):
    return flight(*world, week_request(table)).record


def test_money_goes_where_a_scenario_says(world):
    even, all_in = (
        planned(world, request(geos)) for geos in (None, {"g0": "0 %", "g1": "100 %"})
    )
    assert even.shares == () and even.lifts == {}
    assert [row.planned for row in all_in.shares] == [0.0, 1.0]
    assert [row.usual for row in all_in.shares] == pytest.approx([0.5, 0.5])
    # Hardly any saturation: 1.9 in place of a mean of 1.
    lift = all_in.outcome.planned.mean / even.outcome.planned.mean
    assert lift == pytest.approx(1.9, rel=0.02)
    np.testing.assert_allclose(all_in.lifts["a"], lift, rtol=0.02)
    # What ran a year earlier stays where it ran.
    assert all_in.outcome.current.mean == pytest.approx(even.outcome.current.mean)
    assert all_in.outcome.today.mean == pytest.approx(even.outcome.today.mean)


@pytest.mark.parametrize(
    ("geos", "said"),
    [
        ({"g0": "50 %"}, "do not say what g1 has"),
        ({"g0": "50 %", "g1": "40 %"}, "add up to 90"),
        ({"g0": 1, "g1": 0, "Moon": 0}, "no geo Moon"),
        ({"g0": "150 %", "g1": "-50 %"}, "not the share of a that g0 has"),
        (["g0"], "table of shares"),
    ],
)
def test_shares_that_are_none_are_refused(world, geos, said):
    with pytest.raises(PlanError, match=said):
        planned(world, request(geos))


def test_shares_of_one_market_are_refused():
    model = market(np.array([100.0]), max_lag=1)
    draws = posterior(model, [[800.0]], [[0.3]], [[1e4]], [[1.0]])
    with pytest.raises(PlanError, match="one market"):
        planned((model, draws), request({"g0": 1.0}))


def saved(**more):
    no = (False, False)
    channel = line(
        "TV", 30.01, 30.0, weeks=(10.0, 20.01), weeks_beyond_seen=no, booked=no
    )
    gain = about(5e6, 1e5)
    return record(
        channel,
        over="weeks",
        weeks=WEEKS,
        horizon=Horizon(*WEEKS, 2, as_fitted=False),
        scenario={"channel": {"TV": {"price": 1.1}}, "teach": {"spread": "20 %"}},
        shares=SHARES,
        gain_over_even=gain,
        gain_over_fixed=gain,
        inherited=gain,
        terminal=gain,
        **more,
    )


def test_files_say_what_to_spend_in_which_geo():
    rows = [row.split(",") for row in csv_text(saved()).splitlines()]
    assert rows[0] == ["week", "TV", "TV: Harbour", "TV: Hill"]
    assert rows[2] == [WEEKS[1], "20.01", "10.01", "10.00"]
    book = openpyxl.load_workbook(io.BytesIO(plan_workbook(saved())))
    cells = [cell.value for row in book["Spend by geo"] for cell in row if cell.value]
    assert {"TV: Harbour", "TV: Hill", 0.5} <= set(cells)
    assert "=ROUND('Plan'!B5*D2,2)" in cells
    assert "='Plan'!B5-SUM(B7:B7)" in cells


def test_an_edited_workbook_keeps_the_shares(tmp_path):
    path = tmp_path / "plan.xlsx"
    path.write_bytes(plan_workbook(saved()))
    sheets = workbook_cells(path, "plan.xlsx")
    table = edited_weeks(sheets, "plan.xlsx", ["TV"], "")
    shares = {"Harbour": 0.5, "Hill": 0.5}
    assert table["channel"]["TV"] == {"price": 1.1, "geos": shares}
    assert planned_shares(SHARES) == {"TV": shares}


def test_what_comes_after_saving_counts_the_shares():
    view = synthetic.forecast()
    name = str(view["paid"].to_numpy()[0])
    days = view["time"].to_numpy().astype("datetime64[D]").astype(str)
    horizon = Horizon(days[2], days[5], 4, as_fitted=False)
    lift = np.linspace(1.1, 1.4, view.sizes["draw"])
    own = line(name, 100.0, 100.0)
    plans = [
        record(own, horizon=horizon, **more)
        for more in ({}, {"lifts": {name: tuple(lift.tolist())}})
    ]
    terms = terms_of(plans[1], view["time"].to_numpy(), (), view.sizes["draw"])
    np.testing.assert_allclose(terms.lifts[name], lift)
    whole = in_all(view, horizon)
    usual, other = (plan_total(plan, view, whole) for plan in plans)
    response = whole["response"].sel(paid=name)
    media = (response.sel(multiplier=1.0) - response.sel(multiplier=0.0)).to_numpy()
    np.testing.assert_allclose(other - usual, (lift - 1) * media, rtol=1e-3)


def test_periods_to_come_have_the_shares_in_the_plans_weeks(world):
    future = ahead(world[0].data, 3)
    where = np.array([False, True, True])
    rows = times_usual(
        [
            Share(channel="a", geo="g0", usual=0.5, planned=0.2),
            Share(channel="a", geo="g1", usual=0.5, planned=0.8),
        ]
    )
    made = in_geos(future, rows, where)
    times = made.media.units[:, -3:, 0] / future.media.units[:, -3:, 0]
    np.testing.assert_allclose(times, [[1, 0.4, 0.4], [1, 1.6, 1.6]])
    np.testing.assert_allclose(
        made.media.spend[:, :, 0].sum(axis=0), future.media.spend[:, :, 0].sum(axis=0)
    )


def test_a_plan_of_geos_keeps_its_shares():
    """Its lifts: what cells bring over the same totals in last year's pattern."""
    given = response((3, 4), seed=6)
    wanted = scenario(of_channels(given), bounds=(0.5, 2.0), supported=False)
    made = geo_plan(given, wanted, GeoRequest(bounds=(0.2, 3.0)))
    saved = as_record(as_dict(made.record()))
    assert set(saved.lifts) == set(given.channels)
    spend = made.spend.planned
    kept = given.curves.outcome(given.in_pattern(spend)) @ given.in_channel.T
    planned = given.curves.outcome(spend) @ given.in_channel.T
    assert planned.sum() > 1.02 * kept.sum()
    money, shares = given.table(spend), planned_shares(saved.divided)
    for place, name in enumerate(given.channels):
        lift = np.array(saved.lifts[name])
        np.testing.assert_allclose(lift * kept[:, place], planned[:, place])
        of_geos = [shares[name][geo] for geo in given.geos]
        np.testing.assert_allclose(of_geos, money[place] / money[place].sum())
    terms = terms_of(saved, np.array([], "datetime64[D]"), (), len(planned))
    assert set(terms.lifts) == set(given.channels)
    # Its scenario says it by geos and cells.
    assert saved.shares == () and saved.scenario_as_divided == saved.scenario


def test_a_plan_of_geos_in_last_years_pattern_has_no_shares_of_its_own():
    given = response((2, 3), seed=2)
    money = given.table(1.2 * given.curves.spend).T
    spend = {
        geo: dict(zip(given.channels, row.tolist(), strict=True))
        for geo, row in zip(given.geos, money, strict=True)
    }
    wanted = scenario(of_channels(given), budget=float(money.sum()))
    made = geo_plan(given, wanted, GeoRequest(spend=spend))
    assert made.record().lifts == {} and made.record().divided == ()


def test_a_lift_of_geos_and_one_of_frequency_multiply():
    name = "TV"
    often = Frequency(name, 3.0, 2.0, np.full(4, 1.2))
    plan = record(
        line(name, 100.0, 100.0),
        lifts={name: (1.5, 1.5)},
        scenario={"channel": {name: {"frequency": "best"}}},
    )
    lifts = terms_of(plan, np.array([], "datetime64[D]"), (often,), 4).lifts
    np.testing.assert_allclose(lifts[name], 1.8)
