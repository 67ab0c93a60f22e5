"""What channels make us spend on mediators: curves in cash, their plans, refusals."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from core import text as fmt
from core.analysis.response.by_way import Mediated
from core.errors import PlanError
from core.plan.geo_plan import geo_plan
from core.plan.money.elsewhere import as_bought, own_and_elsewhere, paying
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.response.geos import geo_response
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.table import as_table, of_table
from core.view.sections.funnel_words import elsewhere
from tests.plan.geo_market import market as market_of_geos
from tests.plan.geo_market import stored
from tests.plan.synthetic import GRID, random_dataset

#: Clicks that a doubling of spend adds, as shares of today's spend.
SHARE = np.array([0.5, 0.0, 0.2])


def market(seed: int = 4, n_draws: int = 40) -> tuple[ResponseCurves, xr.Dataset]:
    """Three channels; two make clicks, which cost money and bring a part of sales."""
    stored = random_dataset(seed, n_channels=3, n_draws=n_draws)
    rng = np.random.default_rng(seed)
    size = rng.lognormal(0.0, 0.3, (n_draws, 3)) * SHARE * stored["spend"].values
    bend = 1 + GRID  # size * 2 m / (1 + m): as much as the share at m = 1
    caused = size[..., None] * 2 * GRID / bend
    rise = size[..., None] * 2 / bend**2
    per_click = (
        stored["incremental_outcome"].values[..., 20] * 0.4 / np.maximum(size, 1)
    )
    per_click = np.where(SHARE > 0, per_click, 0.0)[..., None]
    dims = ("draw", "mediator", "channel", "spend_multiplier")
    rows = {
        "induced": caused,
        "induced_slope": rise,
        "through": caused * per_click,
        "through_slope": rise * per_click,
    }
    stored = stored.assign_coords(mediator=["Clicks"]).assign(
        {name: (dims, values[:, None]) for name, values in rows.items()}
        | {"mediator_k": (dims[:2], rng.uniform(0.2, 2.0, (n_draws, 1)))}
    )
    return response_curves(stored), stored


def cash_of(curves: ResponseCurves, own: np.ndarray) -> np.ndarray:
    """Expected spend elsewhere at own spends, from the formula."""
    m = own / curves.spend
    return paid_at_one(curves) * 2 * m / (1 + m)


def paid_at_one(curves: ResponseCurves) -> np.ndarray:
    """Expected spend elsewhere of today's own spend."""
    (paid,) = curves.paid
    return paid.induced[0][:, :, 20].mean(axis=0)


def asked(curves, bought=1.0, **table):
    table = {"bounds": [0.2, 2.0], "supported": False, **table}
    return of_table(table | {"mediator": {"Clicks": {"bought": bought}}}, curves)


def test_amounts_are_what_channels_cost_in_all():
    curves, _ = market()
    paid = paying(curves, {"Clicks": 1.0})
    np.testing.assert_allclose(paid.spend, curves.spend + cash_of(curves, curves.spend))
    own = curves.spend * np.array([0.35, 1.2, 1.9])
    amounts = own + cash_of(curves, own)
    np.testing.assert_allclose(paid.outcome(amounts), curves.outcome(own), rtol=1e-4)
    _, steep = paid.outcome_and_marginal(amounts)
    ahead = (paid.outcome(amounts * 1.0001) - paid.outcome(amounts)) / (1e-4 * amounts)
    np.testing.assert_allclose(steep, ahead, rtol=2e-2)
    back, spent = own_and_elsewhere(paid, amounts)
    np.testing.assert_allclose(back, own, rtol=1e-3)
    np.testing.assert_allclose(back + spent.mean(axis=0), amounts, rtol=1e-12)
    assert paying(paid, {"Clicks": 1.0}) is paid
    assert not spent[:, 1].any() and spent[:, 0].std() > 0


@pytest.mark.parametrize("bought", [1.0, 0.5])
def test_the_best_plan_of_the_cash(bought):
    """No own spends of the same cash bring more than the plan, none than its bound."""
    curves, _ = market(7)
    request = asked(curves, bought)
    record = plan(curves, request)
    now = curves.spend + bought * cash_of(curves, curves.spend)
    assert record.budget == pytest.approx(now.sum(), abs=0.01)
    assert record.cash.mean == pytest.approx(record.budget, abs=0.005)
    assert record.cash.lo < record.budget < record.cash.hi
    assert sum(line.planned for line in record.channels) == pytest.approx(record.budget)
    assert record.bound.gap <= 1e-3
    (through,) = (each.through[0] for each in curves.paid)
    rng = np.random.default_rng(0)
    own = curves.spend * rng.uniform(0.05, 2.4, (6000, 3))
    amounts = own + bought * cash_of(curves, own)
    low, high = 0.2 * now, 2.0 * now
    amounts[:, 1] = record.budget - amounts[:, 0] - amounts[:, 2]  # it makes no clicks
    own[:, 1] = amounts[:, 1]
    own = own[((amounts >= low) & (amounts <= high)).all(axis=1)]
    lost = through[:, :, 20].mean(axis=0) * 2 * own / (own + curves.spend)
    brought = curves.mean().outcome(own)[0] - (1 - bought) * lost
    best, bound = record.objective.planned, record.bound.best_possible
    assert len(own) > 100
    assert brought.sum(axis=1).max() <= bound * (1 + 1e-4)
    assert brought.sum(axis=1).max() <= best * (1 + 1e-3)


@pytest.mark.parametrize("bought", [1.0, 0.5])
@pytest.mark.parametrize(
    ("gamma", "price"), [(0.3, 1.0), (0.0, 1.2), (0.25, 0.9)], ids=str
)
def test_the_best_plan_where_media_that_makes_clicks_gets_dearer(bought, gamma, price):
    """Media u = (x / p)^(1 - gamma) makes clicks; its cash is x and what u causes."""
    curves, _ = market(7)
    dear = {"Channel0": {"gamma": gamma, "price": price}, "Channel1": {"gamma": gamma}}
    record = plan(curves, asked(curves, bought, channel=dear))
    today = curves.spend + bought * cash_of(curves, curves.spend)
    assert record.budget == pytest.approx(today.sum(), abs=0.01)
    assert record.cash.mean == pytest.approx(record.budget, abs=0.005)
    assert record.bound.gap <= 1e-3
    power = 1 - np.array([gamma, gamma, 0.0])
    factor = np.array([price, 1.0, 1.0])
    (through,) = (each.through[0] for each in curves.paid)

    def media(own):
        return curves.spend * (own / factor / curves.spend) ** power

    def brought(own):
        bought_media = media(own)
        lost = through[:, :, 20].mean(axis=0) * 2 * bought_media
        lost = lost / (bought_media + curves.spend)
        return curves.mean().outcome(bought_media)[0] - (1 - bought) * lost

    first = record.channels[0]
    own = np.array([line.own or line.planned for line in record.channels])
    assert first.multiplier == pytest.approx(first.own / curves.spend[0])
    cash = own + bought * cash_of(curves, media(own))
    assert cash == pytest.approx([line.planned for line in record.channels], rel=1e-3)
    planned = brought(own).sum()
    assert record.objective.planned == pytest.approx(planned, rel=1e-3)
    rng = np.random.default_rng(0)
    own = curves.spend * rng.uniform(0.05, 2.4, (6000, 3))
    amounts = own + bought * cash_of(curves, media(own))
    amounts[:, 1] = record.budget - amounts[:, 0] - amounts[:, 2]  # it makes no clicks
    own[:, 1] = amounts[:, 1]
    own = own[((amounts >= 0.2 * today) & (amounts <= 2.0 * today)).all(axis=1)]
    assert len(own) > 100
    best = brought(own).sum(axis=1).max()
    assert best <= record.bound.best_possible * (1 + 1e-4)
    assert best <= record.objective.planned * (1 + 1e-3)
    again = of_table(record.scenario, curves)
    assert plan(curves, again).money == record.money


def test_no_gamma_is_the_same_to_the_cent():
    curves, _ = market(5)
    plain = plan(curves, asked(curves))
    none = {"Channel0": {"gamma": 0.0, "price": 1.0}, "Channel2": {"gamma": 0.0}}
    assert plan(curves, asked(curves, channel=none)).money == plain.money


def test_many_channels_that_pay_share_no_more_knots_than_a_plan_can_wait_for():
    """Four times those of a stored curve, however many channels have their own."""
    stored = random_dataset(2, n_channels=12, n_draws=20)
    curves = response_curves(stored)
    size = np.linspace(0.05, 0.6, 12)[:, None] * curves.spend[:, None]
    caused = np.broadcast_to(size * 2 * GRID / (1 + GRID), curves.value.shape)
    rise = np.broadcast_to(size * 2 / (1 + GRID) ** 2, curves.value.shape)
    parts = (0 * caused, 0 * rise), (caused, rise), np.ones(20)
    curves = replace(
        curves, mediators=(Mediated("Clicks", curves.names, GRID, *parts),)
    )
    rng = np.random.default_rng(0)
    for table in ({}, {"channel": {name: {"gamma": 0.2} for name in curves.names}}):
        own = as_bought(curves, table)
        paid = as_bought(curves, table | {"mediator": {"Clicks": {"bought": 1.0}}})
        assert len(paid.grid) <= max(len(own.grid), 4 * len(GRID)) + 1
        spend = curves.spend * rng.uniform(0.3, 2.0, 12)
        power = 0.8 if table else 1.0
        times = (spend / curves.spend) ** power
        amounts = spend + size[:, 0] * 2 * times / (1 + times)
        np.testing.assert_allclose(paid.outcome(amounts), own.outcome(spend), rtol=2e-4)


def test_curves_that_pay_take_prices_as_curves_of_own_spend_do():
    curves, _ = market(5)
    table = {"channel": {"Channel0": {"gamma": 0.3, "price": 1.1}}}
    paid = {"mediator": {"Clicks": {"bought": 0.8}}}
    late = as_bought(paying(curves, {"Clicks": 0.8}), table)
    at_once = as_bought(curves, table | paid)
    amounts = 1.3 * at_once.spend
    np.testing.assert_array_equal(late.outcome(amounts), at_once.outcome(amounts))
    assert as_bought(late, table | paid) is late


def test_both_returns_stand_beside_each_other_each_named():
    curves, _ = market()
    record = plan(curves, asked(curves))
    first, middle, _ = record.channels
    assert middle.own is None and middle.roi_of_own is None
    assert first.own + first.induced.mean == pytest.approx(first.planned)
    assert first.multiplier == pytest.approx(first.own / curves.spend[0], rel=1e-3)
    assert first.roi_of_own.mean > first.roi_with_induced.mean
    said = elsewhere(record, fmt.Units("revenue", "EUR"))
    assert (
        "on its own spend" in said and "with what it makes us spend elsewhere" in said
    )
    assert as_record(as_dict(record)) == record
    again = of_table(record.scenario, curves)
    assert again.bought == {"Clicks": 1.0}
    assert plan(curves, again).money == record.money
    bought = as_bought(curves, record.scenario)
    assert bought.spend.sum() == pytest.approx(record.budget, abs=0.01)


def test_without_it_a_plan_is_as_before_and_says_what_it_leaves_out():
    curves, stored = market()
    table = {"bounds": [0.5, 2.0], "supported": False}
    plain = plan(curves, of_table(table, curves))
    gone = response_curves(stored.drop_dims("mediator"))
    before = plan(gone, of_table(table, gone))
    assert plain.money == before.money and plain.cash is None
    assert "mediator" not in as_table(of_table(table, curves))
    assert any("does not pay" in reason for reason in plain.reasons)
    assert not any("does not pay" in reason for reason in before.reasons)
    assert elsewhere(plain, fmt.Units("revenue", "EUR")) == ""


@pytest.mark.parametrize(
    ("mediator", "more", "message"),
    [
        ({"Visits": {}}, {}, "There is no mediator Visits that costs money"),
        ({"Clicks": {"bought": 1.2}}, {}, "bought is 1.2, not from 0 to 1"),
        ({"Clicks": {"share": 1}}, {}, "unknown key share"),
    ],
)
def test_what_is_refused(mediator, more, message):
    curves, _ = market()
    with pytest.raises(PlanError) as caught:
        of_table({"mediator": mediator, **more}, curves)
    assert message in caught.value.message


def geo_market_with_clicks(shape=(2, 3), seed=0):
    """Two channels in three geos; the first makes clicks, twice as many in one geo."""
    given = stored(shape, seed=seed)
    grid = given["spend_multiplier"].values
    n_draws, (n_channels, n_geos) = given.sizes["draw"], shape
    rng = np.random.default_rng(seed)
    share = np.zeros((n_channels, n_geos))
    share[0] = np.linspace(0.3, 0.6, n_geos)
    drawn = rng.lognormal(0.0, 0.3, (n_draws, 1, 1))
    size = (drawn * share * given["spend"].values)[..., None]
    rows = {
        "induced": size * 2 * grid / (1 + grid),
        "induced_slope": size * 2 / (1 + grid) ** 2,
    }
    rows |= {f"through{x}": 0.5 * rows[f"induced{x}"] for x in ("", "_slope")}
    dims = ("draw", "mediator", "channel", "geo", "spend_multiplier")
    given = given.assign_coords(mediator=["Clicks"]).assign(
        {name: (dims, values[:, None]) for name, values in rows.items()}
        | {"mediator_k": (dims[:2], np.ones((n_draws, 1)))}
    )
    return given


def channels_of(given: xr.Dataset) -> ResponseCurves:
    """The market's curves, with what channels make us spend in all geos."""
    response = geo_response(given)
    names = ("through", "through_slope", "induced", "induced_slope")
    summed = [
        given[name].isel(mediator=0).sum("geo").transpose("draw", "channel", ...).values
        for name in names
    ]
    clicks = Mediated(
        "Clicks",
        response.channels,
        given["spend_multiplier"].values,
        tuple(summed[:2]),
        tuple(summed[2:]),
        given["mediator_k"].values[:, 0],
    )
    return replace(market_of_geos(response), mediators=(clicks,))


def test_geos_pay_what_their_channels_make_us_spend():
    """To the cent on average, and no own spends of the same cash bring more."""
    given = geo_market_with_clicks()
    response = geo_response(given)
    cells = response.curves
    asked = of_table(
        {
            "bounds": [0.2, 3.0],
            "supported": False,
            "mediator": {"Clicks": {"bought": 1.0}},
        },
        channels_of(given),
    )
    caused = given["induced"].isel(mediator=0).mean("draw").sel(spend_multiplier=1.0)
    today = float(given["spend"].sum() + caused.sum())
    made = geo_plan(response, asked, GeoRequest(bounds=(0.2, 3.0)))
    record = made.record()
    assert record.budget == pytest.approx(today, abs=0.01)
    assert record.cash.mean == pytest.approx(record.budget, abs=0.005)
    assert record.cash.lo < record.budget < record.cash.hi
    total = sum(cell.planned for cell in record.cells)
    assert total == pytest.approx(record.budget, abs=0.005)
    assert record.bound.gap <= 1e-3
    first, second = record.channels
    assert first.own + first.induced.mean == pytest.approx(first.planned, rel=1e-9)
    assert second.own is None and first.roi_of_own.mean > first.roi_with_induced.mean
    assert "The budget also pays" in elsewhere(record, fmt.Units("revenue", "EUR"))
    assert as_record(as_dict(record)) == record
    at_one = caused.transpose("channel", "geo").values[response.channel, response.geo]
    rng = np.random.default_rng(1)
    own = cells.spend * rng.uniform(0.1, 3.2, (60_000, len(cells.spend)))
    times = own / cells.spend
    cash = own + at_one * 2 * times / (1 + times)
    cash[:, -1] = record.budget - cash[:, :-1].sum(axis=1)  # it makes no clicks
    own[:, -1] = cash[:, -1]
    low, high = (ends * made.spend.current for ends in (0.2, 3.0))
    kept = ((cash >= low) & (cash <= high)).all(axis=1)
    brought = cells.mean().outcome(own[kept])[0].sum(axis=1)
    assert kept.sum() > 500
    assert brought.max() <= record.bound.best_possible * (1 + 1e-4)
    assert brought.max() <= record.objective.planned * (1 + 1e-3)


def test_geos_pay_at_a_price_that_rises_with_volume():
    """In each geo media of x^(1 - gamma) makes clicks; no own spends bring more."""
    given = geo_market_with_clicks(seed=3)
    response = geo_response(given)
    cells, gamma = response.curves, 0.3
    request = {
        "bounds": [0.2, 3.0],
        "supported": False,
        "mediator": {"Clicks": {"bought": 1.0}},
        "channel": {"TV": {"gamma": gamma}},
    }
    asked = of_table(request, channels_of(given))
    made = geo_plan(response, asked, GeoRequest(bounds=(0.2, 3.0)))
    record = made.record()
    assert record.cash.mean == pytest.approx(record.budget, abs=0.005)
    assert record.bound.gap <= 1e-3
    caused = given["induced"].isel(mediator=0).mean("draw").sel(spend_multiplier=1.0)
    at_one = caused.transpose("channel", "geo").values[response.channel, response.geo]
    power = np.where(response.channel == 0, 1 - gamma, 1.0)
    rng = np.random.default_rng(1)
    own = cells.spend * rng.uniform(0.1, 3.2, (60_000, len(cells.spend)))
    times = (own / cells.spend) ** power
    cash = own + at_one * 2 * times / (1 + times)
    cash[:, -1] = record.budget - cash[:, :-1].sum(axis=1)  # it makes no clicks
    own[:, -1] = cash[:, -1]
    low, high = (ends * made.spend.current for ends in (0.2, 3.0))
    kept = ((cash >= low) & (cash <= high)).all(axis=1)
    media = cells.spend * (own[kept] / cells.spend) ** power
    brought = cells.mean().outcome(media)[0].sum(axis=1)
    assert kept.sum() > 500
    assert brought.max() <= record.bound.best_possible * (1 + 1e-4)
    assert brought.max() <= record.objective.planned * (1 + 1e-3)


def test_geos_without_it_are_as_before_and_say_what_they_leave_out():
    given = geo_market_with_clicks()
    gone = given.drop_dims("mediator")
    asked = of_table({"bounds": [0.5, 2.0]}, market_of_geos(geo_response(gone)))
    plain, before = (geo_plan(each, asked).record() for each in (given, gone))
    assert plain.cells == before.cells and plain.cash is None
    said = [reason for reason in plain.reasons if "does not pay" in reason]
    assert len(said) == 1 and said[0].startswith("TV also makes us spend on Clicks")
    assert not any("does not pay" in reason for reason in before.reasons)


def test_a_new_channel_beside_one_that_makes_us_spend():
    """Its knots are others: what is paid elsewhere stays what it was."""
    curves, _ = market()
    new = {"belief": {"Podcasts": {"spend": 20_000, "roi": [0.5, 3.0]}}}
    record = plan(curves, asked(curves, **new))
    now = curves.spend + cash_of(curves, curves.spend)
    assert record.budget == pytest.approx(now.sum(), abs=0.01)
    assert record.cash.mean == pytest.approx(record.budget, abs=0.005)
    assert record.channels[-1].name == "Podcasts"
    dear = {"channel": {"Channel0": {"gamma": 0.3}}}
    late, at_once = (
        plan(each, asked(each, **new, **dear))
        for each in (paying(curves, {"Clicks": 1.0}), curves)
    )
    assert late.money == pytest.approx(at_once.money)
    assert late.cash.mean == pytest.approx(at_once.cash.mean)


def test_another_price_of_a_channel_that_makes_no_clicks():
    """Its curve has other knots then: what others make us spend stays what it is."""
    curves, _ = market()
    plain = plan(curves, asked(curves, channel={"Channel1": {"lock": True}}))
    dearer = {"Channel1": {"lock": True, "price": 1.1, "gamma": 0.2}}
    record = plan(curves, asked(curves, channel=dearer))
    assert record.money == pytest.approx(plain.money, rel=1e-3)
    for line, before in zip(record.channels[::2], plain.channels[::2], strict=True):
        assert line.own == pytest.approx(before.own, rel=1e-3)
        assert line.induced.sd == pytest.approx(before.induced.sd, rel=1e-3)


def test_far_beyond_what_ran_own_spend_goes_on():
    curves, _ = market()
    paid = paying(curves, {"Clicks": 1.0})
    own = curves.spend * np.array([4.0, 1.0, 6.0])  # the knots end at 3
    marginal = 2 / (1 + 3.0) ** 2 * paid_at_one(curves)
    at_last = 3 * curves.spend + cash_of(curves, 3 * curves.spend)
    amounts = at_last + (own - 3 * curves.spend) * (1 + marginal / curves.spend)
    back, spent = own_and_elsewhere(paid, amounts)
    np.testing.assert_allclose(back[[0, 2]], own[[0, 2]], rtol=1e-2)
    np.testing.assert_allclose(back + spent.mean(axis=0), amounts, rtol=1e-12)


def test_a_channel_that_saves_more_than_it_costs_is_no_price():
    curves, stored = market()
    stored["induced"] = -4 * stored["induced"]
    with pytest.raises(PlanError, match="saves more on Clicks than it costs"):
        paying(response_curves(stored), {"Clicks": 1.0})
