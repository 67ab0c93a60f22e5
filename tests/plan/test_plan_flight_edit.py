"""Typed totals: free cells share them in proportion, locked ones stay."""

import numpy as np
import pytest

from core.plan.limits.cents import with_total

AMOUNTS = np.array([10.0, 20.0, 30.0, 40.0])
ALL = np.ones(4, bool)


def test_free_amounts_keep_their_proportions():
    assert with_total(AMOUNTS, ALL, 200.0) == pytest.approx(2 * AMOUNTS)
    free = np.array([True, False, True, True])
    made = with_total(AMOUNTS, free, 180.0)
    assert made == pytest.approx([20.0, 20.0, 60.0, 80.0])


def test_limits_stop_one_and_the_others_take_the_rest():
    most = np.array([100.0, 100.0, 100.0, 50.0])
    made = with_total(AMOUNTS, ALL, 170.0, most)
    assert made == pytest.approx([20.0, 40.0, 60.0, 50.0])
    assert with_total(AMOUNTS, ALL, 1e6, most) == pytest.approx(most)


def test_what_cannot_be_is_met_as_nearly_as_can_be():
    locked = np.array([False, True, True, True])
    assert with_total(AMOUNTS, locked, 4.0) == pytest.approx([10.0, 0, 0, 0])
    assert with_total(AMOUNTS, ~ALL, 4.0) == pytest.approx(AMOUNTS)


def test_to_the_cent():
    made = with_total(np.array([1.0, 1.0, 1.0]), np.ones(3, bool), 100.0)
    assert round(float(made.sum()), 9) == 100.0
    assert sorted(made) == [33.33, 33.33, 33.34]
    made = with_total(np.zeros(3), np.ones(3, bool), 0.02)
    assert sorted(made) == [0.0, 0.01, 0.01]
