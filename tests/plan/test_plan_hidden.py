"""How much hidden demand behind a mediator and the KPI turns the advice of a plan."""

from dataclasses import replace

import numpy as np
import pytest

from core.plan.advice.hidden import turning_correlations
from core.plan.advice.rule import is_supported
from core.plan.geo_plan import geo_plan
from core.plan.money.elsewhere import own_and_elsewhere, paying
from core.plan.plan import plan
from core.plan.portfolio.joined import in_money, joined
from core.plan.portfolio.plan import portfolio_plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.geos import geo_response
from core.plan.response.price import priced, repriced
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.measure import measure_of
from core.plan.scenario.table import of_table
from core.view.plan_words import robustness
from tests.plan.test_plan_elsewhere import (
    channels_of,
    geo_market_with_clicks,
    market,
)

MEAN = measure_of("mean")


def with_k(curves, k):
    (clicks,) = curves.mediators
    return replace(curves, mediators=(clicks._replace(k=k),))


def through(curves, multiples):
    (clicks,) = curves.mediators
    at_one = clicks.through[0][:, :, 20]
    return (at_one * 2 * multiples / (1 + multiples)).sum(axis=1)


def is_followed(outcome, parts, k, correlation):
    taken = np.minimum(correlation / np.sqrt(1 - correlation**2) / k, 1.0)
    before, after = (
        each.sum(axis=1) - taken * part
        for each, part in zip(outcome, parts, strict=True)
    )
    gain = after - before
    return bool(is_supported(gain, gain.mean(), before.mean()))


@pytest.mark.parametrize("seed", range(6))
def test_the_advice_turns_where_the_formula_says(seed):
    curves, _ = market(seed, n_draws=200)
    k = np.random.default_rng(seed).uniform(0.3, 1.5, curves.n_draws)
    curves = with_k(curves, k)
    multiples = np.array([1.9, 0.6, 1.0])
    spend = curves.spend, curves.spend * multiples
    outcome = tuple(map(curves.outcome, spend))
    parts = through(curves, np.ones(3)), through(curves, multiples)
    (found,) = turning_correlations(curves, spend, outcome, MEAN)
    first = is_followed(outcome, parts, k, 0.0)
    tried = np.linspace(0.0, 0.95, 400)
    turned = [is_followed(outcome, parts, k, each) != first for each in tried]
    if not any(turned):
        assert found.correlation is None
    else:
        brute = tried[turned.index(True)]
        assert found.correlation == pytest.approx(brute, abs=0.006)
    assert found.mediator == "Clicks"


def test_a_mediator_that_nothing_hides_behind_turns_nothing():
    curves, _ = market(1)
    spend = curves.spend, curves.spend * np.array([2.0, 1.0, 1.0])
    outcome = tuple(map(curves.outcome, spend))
    (strong,) = turning_correlations(
        with_k(curves, np.full(curves.n_draws, 1e6)), spend, outcome, MEAN
    )
    assert strong.correlation is None
    same = spend[0], spend[0]
    assert not turning_correlations(curves, same, (outcome[0],) * 2, MEAN)
    moved = spend[0], spend[0] * np.array([1.0, 2.0, 1.0])  # it makes no clicks
    outcome = tuple(map(curves.outcome, moved))
    assert not turning_correlations(curves, moved, outcome, MEAN)


def test_the_same_media_in_other_money_turns_at_the_same_correlation():
    """Prices and volume change what media costs, not what it brings by the way."""
    curves, _ = market(3, n_draws=200)
    curves = with_k(curves, np.full(200, 0.7))
    media = np.array([1.8, 0.7, 1.0])
    spend = curves.spend, curves.spend * media
    outcome = tuple(map(curves.outcome, spend))
    plain = turning_correlations(curves, spend, outcome, MEAN)
    dearer = repriced(curves, np.array([1.2, 1.0, 1.1]))
    rising = priced(curves, np.array([0.3, 0.0, 0.0]))
    for other, factor in (
        (dearer, (np.array([1.2, 1.0, 1.1]), np.array([1.2, 1.0, 1.1]) * media)),
        (rising, (np.ones(3), media ** np.array([1 / 0.7, 1.0, 1.0]))),
    ):
        money = tuple(each * curves.spend for each in factor)
        assert turning_correlations(other, money, outcome, MEAN) == plain


def brute(outcome, parts, k):
    """The first correlation at which the advice is another; None without one."""
    first = is_followed(outcome, parts, k, 0.0)
    for each in np.linspace(0.0, 0.95, 400):
        if is_followed(outcome, parts, k, each) != first:
            return each
    return None


@pytest.mark.parametrize("seed", range(4))
def test_a_portfolio_says_it_of_each_project(seed):
    """Of totals of all projects, each mediator's draws in its own fit's order."""
    curves, _ = market(seed, n_draws=200)
    k = np.random.default_rng(seed).uniform(0.3, 1.5, curves.n_draws)
    markets = {"A": with_k(curves, k), "B": with_k(market(seed + 9, n_draws=200)[0], k)}
    money = {
        n: in_money(c, worth=1.0, rate=2.0, currency="EUR") for n, c in markets.items()
    }
    bought = {"A": {"Clicks": 1.0}} if seed % 2 else {}
    both = joined(money, dict.fromkeys(money, 2.0), {}, bought=bought)
    table = {"bounds": [0.3, 2.0], "supported": False}
    record = portfolio_plan(both, table, "trustworthy")
    assert [each.mediator for each in record.hidden] == ["A: Clicks", "B: Clicks"]
    spends = [
        np.array([getattr(line, what) for line in record.channels])
        for what in ("comparison", "planned")
    ]
    outcome = tuple(map(both.curves.outcome, spends))
    for part, found in zip(both.parts, record.hidden, strict=True):
        amounts = [each[part.cells] for each in spends]
        before = paying(part.curves, part.bought)
        if before.elsewhere is not None:
            amounts = [own_and_elsewhere(before, each)[0] for each in amounts]
            before = before.elsewhere.before
        parts = tuple(through(before, each / before.spend) for each in amounts)
        (clicks,) = before.mediators
        expected = brute(outcome, parts, clicks.k)
        assert (found.correlation is None) == (expected is None)
        if expected is not None:
            assert found.correlation == pytest.approx(expected, abs=0.006)
    assert as_record(as_dict(record)).hidden == record.hidden
    said = robustness(record)
    assert not said or "hidden demand moves A: Clicks and" in said


def test_spend_that_two_projects_share_moves_the_mediator_of_both():
    curves = with_k(market(2, n_draws=200)[0], np.full(200, 0.5))
    once = in_money(curves, worth=1.0, rate=1.0, currency="EUR")
    both = joined(
        {"New": once, "Repeat": once},
        {"New": 1.0, "Repeat": 1.0},
        {f"C{i}": [f"New: Channel{i}", f"Repeat: Channel{i}"] for i in range(3)},
    )
    media = np.array([1.8, 0.6, 1.0])
    spend = both.curves.spend, both.curves.spend * media
    outcome = tuple(map(both.curves.outcome, spend))
    found = turning_correlations(both.curves, spend, outcome, MEAN)
    assert [each.mediator for each in found] == ["New: Clicks", "Repeat: Clicks"]
    for each, part in zip(found, both.parts, strict=True):
        parts = through(part.curves, np.ones(3)), through(part.curves, media)
        expected = brute(outcome, parts, np.full(200, 0.5))
        assert (each.correlation is None) == (expected is None)
        if expected is not None:
            assert each.correlation == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("bought", [{}, {"Clicks": {"bought": 1.0}}])
def test_a_plan_over_geos_says_it(bought):
    """The mediated part of each geo's spend, summed over geos."""
    given = geo_market_with_clicks(seed=2)
    given["mediator_k"] = 0.4 * given["mediator_k"]
    response = geo_response(given)
    table = {"bounds": [0.2, 3.0], "supported": False, "mediator": bought}
    asked = of_table(table, channels_of(given))
    made = geo_plan(
        response, asked, GeoRequest(bounds=(0.2, 3.0)), verdict="trustworthy"
    )
    record = made.record()
    (hidden,) = record.hidden
    assert hidden.mediator == "Clicks"
    curves = made.response.curves
    own = [made.spend.comparison, made.spend.planned]
    if bought:
        own = [own_and_elsewhere(curves, each)[0] for each in own]
    at_one = given["through"].isel(mediator=0).sel(spend_multiplier=1.0)
    at_one = at_one.transpose("draw", "channel", "geo").values
    at_one = at_one[:, response.channel, response.geo]
    times = [each / response.curves.spend for each in own]
    parts = tuple((at_one * 2 * m / (1 + m)).sum(axis=1) for m in times)
    outcome = made.draws.comparison, made.draws.planned
    expected = brute(outcome, parts, np.full(len(at_one), 0.4))
    assert (hidden.correlation is None) == (expected is None)
    if expected is not None:
        assert hidden.correlation == pytest.approx(expected, abs=0.02)
    assert as_record(as_dict(record)).hidden == record.hidden


def test_a_plan_says_it_beside_the_channels():
    curves, _ = market(2, n_draws=200)
    curves = with_k(curves, np.full(200, 0.5))
    for table in ({}, {"mediator": {"Clicks": {"bought": 1.0}}}):
        record = plan(curves, of_table({"bounds": [0.3, 2.0], **table}, curves))
        (hidden,) = record.hidden
        assert hidden.mediator == "Clicks"
        assert as_record(as_dict(record)).hidden == record.hidden
        said = robustness(record)
        assert not said or "hidden demand moves Clicks and" in said
