"""Cells held out: listed, or by dates, geos and a share drawn with a seed."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SpecError
from core.model.build import build
from core.model.holdout import Holdout, describe, is_seen
from core.model.shares.agreement import check
from tests.small_market import market, spec

JANUARY = ("2024-01-01", "2024-01-31")  # five periods of the small market


def held_out(rule, data=None):
    return is_seen(rule, data or market()) == 0


def test_listed_cells():
    out = held_out((("g1", "2024-01-08"), ("g2", "2024-01-01")))
    assert np.argwhere(out).tolist() == [[1, 1], [2, 0]]


def test_dates_hold_out_every_geo():
    out = held_out(Holdout(dates=(JANUARY, ("2024-05-13", "2024-05-13"))))
    assert (np.flatnonzero(out[0]) == [0, 1, 2, 3, 4, 19]).all()
    assert (out == out[0]).all()


def test_each_part_narrows():
    out = held_out(Holdout(dates=(JANUARY,), geos=("g1",)))
    assert out.sum() == 5 and out[1, :5].all()


def test_random_takes_the_same_share_of_each_geo():
    out = held_out(Holdout(random=0.2))
    assert out.sum(axis=1).tolist() == [4, 4, 4]
    assert not (out == out[0]).all()


def test_random_within_dates_and_geos():
    out = held_out(Holdout(dates=(JANUARY,), geos=("g0", "g2"), random=0.4))
    assert out.sum(axis=1).tolist() == [2, 0, 2]
    assert not out[:, 5:].any()


def test_random_is_reproduced_by_its_seed_whatever_other_geos_there_are():
    rule = Holdout(random=0.3, seed=7)
    out = held_out(rule)
    np.testing.assert_array_equal(out, held_out(rule, market(seed=5)))
    np.testing.assert_array_equal(out[:2], held_out(rule, market(n_geos=2)))
    assert (out != held_out(replace(rule, seed=8))).any()


def test_a_rule_is_the_same_model_as_its_cells():
    data = market(n_times=60)
    rule = Holdout(random=0.3, seed=3)
    options = spec(knots="auto", holdout=rule)
    listed = tuple(
        (data.geos[g], str(data.times[t])) for g, t in np.argwhere(held_out(rule, data))
    )
    same = build(data, replace(options, holdout=listed))
    model = build(data, options)
    np.testing.assert_array_equal(model.knots, same.knots)
    np.testing.assert_array_equal(model.arrays.is_seen, same.arrays.is_seen)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({}, "needs dates, geos or random"),
        ({"random": 0.0}, "between 0 and 1"),
        ({"random": 1.5}, "between 0 and 1"),
        ({"random": 0.1, "seed": -1}, "seed"),
        ({"dates": (("2024-02-01", "2024-01-01"),)}, "not a range"),
        ({"dates": (("soon", "later"),)}, "not a range"),
    ],
)
def test_rules_that_mean_nothing(rule, said):
    with pytest.raises(SpecError, match=said):
        Holdout(**rule)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ((("g9", "2024-01-01"),), "g9 2024-01-01 is not in the data"),
        (Holdout(geos=("g9",)), "Geo g9 is to be held out and is not in the data"),
        (Holdout(dates=(("2020-01-01", "2020-02-01"),)), "No period begins"),
        (Holdout(geos=("g0", "g1", "g2")), "Every cell is held out"),
        (Holdout(random=0.01), "holds out no cell"),
    ],
)
def test_rules_that_do_not_fit_the_data(rule, said):
    with pytest.raises(SpecError, match=said):
        check(spec(holdout=rule), market())


def test_geos_of_a_national_market_are_refused_plainly():
    with pytest.raises(SpecError, match="the data are national"):
        check(spec(holdout=Holdout(geos=("North",))), market(n_geos=1))


def test_in_words():
    assert describe(()) == "nothing"
    assert describe((("g0", "2024-01-01"),)) == "1 cell"
    rule = Holdout(dates=(JANUARY,), geos=("g0", "g1"), random=0.1)
    said = "10 % of periods at random, 2024-01-01 to 2024-01-31, in g0 and g1"
    assert describe(rule) == said
