"""Weeks of channels that work through a mediator: totals, slopes and bounds."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from core.analysis.ahead.planned_periods import planned_periods
from core.analysis.incremental import treatment_outcome
from core.analysis.response.best_frequency import best_frequency
from core.analysis.response.curves import response_curves
from core.analysis.response.frequency import media_at_frequency
from core.analysis.response.mediated import split
from core.data.ahead.horizon import plan_horizon
from core.errors import PlanError
from core.model.mediation.mediators import draws_of, units_per_scaled
from core.plan.flighting import flight, media_draws, ran_of
from core.plan.response.horizon import horizon
from core.plan.response.weeks import outcomes
from core.plan.scenario.weeks import week_request
from core.plan.solve.weeks.objective import Objective
from core.plan.week_elsewhere import paying
from core.plan.week_mediators import without
from core.view.sections.funnel_words import elsewhere
from tests.small_funnel import small_funnel

N = 5


@pytest.fixture(scope="module")
def weeks():
    """The response of weeks with the blog on the way, and joint draws."""
    _, _, whole, draws = small_funnel()
    response = horizon(whole, N)
    return whole, response, media_draws(response, draws), draws


def added(response, draws, spend):
    none = outcomes(response, draws, np.zeros_like(spend))
    return (outcomes(response, draws, spend) - none).sum(axis=(1, 2))


def objective_of(response, draws):
    n = len(next(iter(draws.values())))
    return Objective(response, draws, np.full(n, 1 / n))


def some_spend(response, seed=0):
    rng = np.random.default_rng(seed)
    return response.usual * rng.uniform(0.3, 2.0, response.usual.shape)


def test_last_years_weeks_bring_what_the_curves_say(weeks):
    """Totals, with what the blog sells after the end of the plan."""
    whole, response, draws, every = weeks
    curves = response_curves(whole, every, plan_horizon(whole.data.times, N))
    at_one = curves["incremental_outcome"].sel(spend_multiplier=1.0, method="nearest")
    np.testing.assert_allclose(ran_of(response, draws), at_one, rtol=1e-5)


@pytest.mark.parametrize("gamma", [0.0, 0.3])
def test_the_ascent_climbs_the_total(weeks, gamma):
    whole, plain, draws, _ = weeks
    response = horizon(whole, N, gammas={"tv": gamma}) if gamma else plain
    objective, spend = objective_of(response, draws), some_spend(response)
    np.testing.assert_allclose(
        objective.by_draw(spend), added(response, draws, spend), rtol=1e-9
    )
    _, slope = objective.exact(spend)
    step = 1e-5 * spend
    for cell in ((0, 0), (0, N - 1), (1, 2)):
        moved = spend.copy()
        moved[cell] += step[cell]
        rise = objective.exact(moved)[0] - objective.exact(spend)[0]
        assert slope[cell] == pytest.approx(rise / step[cell], rel=1e-3)


def test_what_comes_through_the_blog_is_part_of_it(weeks):
    """Without the other model tv brings less, search as much."""
    whole, response, draws, every = weeks
    sales, _, _, _ = small_funnel()
    alone = horizon(sales, N)
    spend = some_spend(response)
    total, direct = (
        objective_of(each, media_draws(each, every)).along(
            spend, spend.sum(axis=1)[:, None]
        )[:, :, 0]
        for each in (response, alone)
    )
    assert (total[:, 0] > direct[:, 0]).all()
    np.testing.assert_allclose(total[:, 1], direct[:, 1], rtol=1e-6)
    np.testing.assert_allclose(total.sum(axis=1), added(response, draws, spend))


def test_no_plan_is_above_the_ceiling(weeks):
    _, response, draws, _ = weeks
    objective = objective_of(response, draws)
    low, high = np.zeros_like(response.usual), 2.5 * response.usual
    objective.bend(low, high)
    here = some_spend(response, 7)
    value, slope = objective.ceiling(here)
    for seed in range(8):
        other = some_spend(response, seed)
        tangent = value + (slope * (other - here)).sum()
        assert objective.ceiling(other)[0] >= objective.exact(other)[0] * (1 - 1e-9)
        assert tangent >= objective.exact(other)[0] * (1 - 1e-9)


def test_weeks_that_teach_are_refused_with_a_mediator(weeks):
    whole = weeks[0]
    request = week_request({"horizon": {"periods": 3}, "teach": True})
    with pytest.raises(PlanError, match="Weeks that teach cannot be planned"):
        flight(whole, xr.Dataset(), request)


@pytest.fixture(scope="module")
def reached():
    """The same with video, which moves the blog, too, by reach and frequency."""
    _, _, whole, draws = small_funnel(by_reach=True)
    response = horizon(whole, N)
    return whole, response, media_draws(response, draws), draws


def test_reach_moves_a_mediator_as_media_does(reached):
    """By curves and by weeks, at the frequency that ran; linear in its spend."""
    whole, response, draws, every = reached
    assert response.names == ("tv", "search", "video")
    curves = response_curves(whole, every, plan_horizon(whole.data.times, N))
    at_one = curves["incremental_outcome"].sel(spend_multiplier=1.0, method="nearest")
    np.testing.assert_allclose(ran_of(response, draws), at_one, rtol=1e-5)
    parts = split(whole, every)["through"].sel(channel="video")
    assert (parts.values > 0).all()
    objective, spend = objective_of(response, draws), some_spend(response)
    np.testing.assert_allclose(
        objective.by_draw(spend), added(response, draws, spend), rtol=1e-9
    )
    _, slope = objective.exact(spend)
    moved = spend.copy()
    moved[2, 1] *= 1.01
    rise = objective.exact(moved)[0] - objective.exact(spend)[0]
    assert slope[2, 1] == pytest.approx(rise / (0.01 * spend[2, 1]), rel=1e-6)


def test_the_best_frequency_is_that_of_the_total(reached):
    """In both models at once: what comes through the blog changes with it."""
    whole, _, _, every = reached
    group = next(each for each in whole.structure.groups if each.by_reach)
    own = planned_periods(whole, None)
    found = best_frequency(whole, every, own)
    media = media_at_frequency(whole, group, float(found.best[2]))
    assert set(media) == {"rf", "through0_rf"}
    media = jax.tree.map(jnp.asarray, media)
    for place in range(4):
        draw = {name: jnp.asarray(each[place]) for name, each in every.items()}
        there, now = (
            float(treatment_outcome(own.structure, own.arrays, draw, some)[2].sum())
            for some in (media, None)
        )
        assert found.lift[place, 2] == pytest.approx(there / now, rel=1e-6)


PRICE = 0.4


@pytest.fixture(scope="module")
def paid(weeks):
    """The same market where blog visits cost money, as a posterior to plan with."""
    whole, _, _, every = weeks
    dims = {
        name: ("chain", "draw", *(f"{name}_{i}" for i in range(each.ndim - 1)))
        for name, each in every.items()
    }
    posterior = xr.Dataset(
        {name: (dims[name], each[None]) for name, each in every.items()}
    )
    return replace(whole, mediator_prices=(PRICE,)), posterior


def planned(paid, **table):
    model, posterior = paid
    table = {"horizon": {"periods": 4}, "bounds": [0.3, 2.0], **table}
    return flight(model, posterior, week_request(table)).record


@pytest.mark.parametrize(("share", "gamma"), [(1.0, 0.0), (0.5, 0.0), (1.0, 0.3)])
def test_a_plan_of_weeks_pays_for_the_blog(paid, weeks, share, gamma):
    """Its cash is the budget, no spend of that cash is above its bound."""
    model = paid[0]
    _, _, draws, _ = weeks
    bought = {"mediator": {"blog": {"bought": share}}}
    dear = {"channel": {"tv": {"gamma": gamma}}} if gamma else {}
    record = planned(paid, **bought, **dear)
    response = horizon(model, 4, gammas={"tv": gamma})
    pays = paying(model, response, draws, {"blog": share})
    usual = float(pays.cash(response.usual).mean())
    assert record.cash.mean == pytest.approx(usual, abs=0.03)
    assert usual > response.usual.sum() and record.cash.hi > record.cash.lo
    spend = np.array([line.weeks for line in record.channels])
    assert record.budget == pytest.approx(spend.sum(), abs=0.01)
    np.testing.assert_allclose(pays.cash(spend).mean(), record.cash.mean)
    value = added(response, pays.draws, spend).mean()
    assert record.objective.planned == pytest.approx(value, rel=1e-6)
    assert record.outcome.current.mean <= value * (1 + 1e-9)
    low, high = (each * response.usual.sum(axis=1) for each in (0.3, 2.0))
    rng, tried = np.random.default_rng(0), 0
    for _ in range(200):
        pattern = response.usual * rng.uniform(0.2, 2.4, response.usual.shape)
        other = pays.in_cash(pattern, usual)
        total = other.sum(axis=1)
        if ((total < low) | (total > high)).any():
            continue
        tried += 1
        brings = added(response, pays.draws, other).mean()
        assert brings <= record.bound.best_possible * (1 + 1e-6)
        assert brings <= value * (1 + 2e-3)
    assert tried > 20


def test_what_a_channel_makes_us_spend_is_its_visits_times_their_price(paid, weeks):
    """Less by half where half is bought; what is not bought does not sell."""
    model = paid[0]
    _, _, draws, _ = weeks
    response = horizon(model, N)
    whole, half = (
        paying(model, response, draws, {"blog": share}) for share in (1.0, 0.5)
    )
    spend = some_spend(response)
    np.testing.assert_allclose(half.induced(spend), whole.induced(spend) / 2)
    assert (whole.induced(spend)[:, 0] > 0).all()
    assert not whole.induced(spend)[:, 1].any()
    all_of_it, some = (added(response, x.draws, spend) for x in (whole, half))
    direct = added(response, without(model, 0, draws), spend)
    np.testing.assert_allclose(some - direct, (all_of_it - direct) / 2, rtol=1e-6)
    theirs = draws_of(0, draws)
    (link,) = response.structure.mediators
    scaled = response.arrays.mediators[0]
    other = response._replace(
        structure=link.structure, arrays=scaled, bought=draws_of(0, response.bought)
    )
    units = outcomes(other, theirs, spend[:1]) - outcomes(other, theirs, 0 * spend[:1])
    people = units_per_scaled(model)[0]
    assert model.data.n_geos == len(people)
    mean = units.sum(axis=(1, 2)) * PRICE
    spent = whole.induced(spend)[:, 0]
    assert (spent > people.min() * mean * 0.999).all()
    assert (spent < people.max() * mean * 1.001).all()


def test_the_plan_says_what_it_costs_in_all(paid):
    record = planned(paid, mediator={"blog": {"bought": 1.0}})
    tv, search = record.channels
    assert tv.own == pytest.approx(tv.planned) and search.own is None
    assert tv.roi_of_own.mean > tv.roi_with_induced.mean
    said = elsewhere(record, record.units)
    assert "Amounts by week are the channels' own media" in said and "tv:" in said
    assert not any("does not pay" in reason for reason in record.reasons)
    assert not record.current_scaled
    plain = planned(paid)
    assert plain.cash is None and elsewhere(plain, plain.units) == ""
    assert any("tv also makes us spend on blog" in each for each in plain.reasons)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"objective": "p10"}, "an objective other than the mean"),
        ({"discount": "8 %"}, "a discount"),
        ({"find": {"kind": "roi", "target": 2.0}}, "a budget to find"),
        ({"teach": True}, "weeks that teach"),
    ],
)
def test_what_weeks_cannot_pay_with_is_refused(table, said):
    with pytest.raises(PlanError, match=said):
        week_request({"mediator": {"blog": {"bought": 1.0}}, **table})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"mediator": {"visits": {"bought": 1.0}}}, "no mediator visits that costs"),
        ({"mediator": {"blog": {"bought": 2.0}}}, "is 2, not from 0 to 1"),
        (
            {"mediator": {"blog": {}}, "channel": {"tv": {"step": 5}}},
            "pause or are bought in steps",
        ),
        ({"mediator": {"blog": {}}, "budget": 1e7}, "elsewhere: the nearest costs"),
    ],
)
def test_what_no_weeks_can_pay_is_refused(paid, table, said):
    with pytest.raises(PlanError, match=said):
        planned(paid, **table)
