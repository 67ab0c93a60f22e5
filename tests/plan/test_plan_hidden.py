"""How much hidden demand behind a mediator and the KPI turns the advice of a plan."""

from dataclasses import replace

import numpy as np
import pytest

from core.plan.advice.hidden import turning_correlations
from core.plan.advice.rule import is_supported
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.price import priced, repriced
from core.plan.scenario.measure import measure_of
from core.plan.scenario.table import of_table
from core.view.plan_words import robustness
from tests.plan.test_plan_elsewhere import market

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


def test_a_plan_says_it_beside_the_channels():
    curves, _ = market(2, n_draws=200)
    curves = with_k(curves, np.full(200, 0.5))
    for table in ({}, {"mediator": {"Clicks": {"bought": 1.0}}}):
        record = plan(curves, of_table({"bounds": [0.3, 2.0], **table}, curves)).record
        (hidden,) = record.hidden
        assert hidden.mediator == "Clicks"
        assert as_record(as_dict(record)).hidden == record.hidden
        said = robustness(record)
        assert not said or "hidden demand moves Clicks and" in said
