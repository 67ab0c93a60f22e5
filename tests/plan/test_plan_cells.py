"""Limits of cells that may be off: what holds all of them is convex."""

import numpy as np

from core.plan.limits.cells import Cells
from core.plan.limits.change import Change


def cells(off, change=None):
    low, high = np.full((1, 4), 10.0), np.full((1, 4), 30.0)
    totals = np.zeros(1), np.full(1, 120.0)
    free = np.full(4, np.inf)
    limits = Cells(("a",), tuple("wxyz"), low, high, *totals, free, 60.0, change)
    return limits if off is None else type(limits)(**vars(limits) | {"off": off})


def test_changes_next_to_a_week_that_may_be_off_are_free():
    change = Change(np.array([0.2]), np.array([np.nan]), np.zeros((1, 3), bool))
    off = np.array([[False, False, True, False]])
    relaxed = cells(off, change).relaxed
    assert relaxed.off is None
    np.testing.assert_array_equal(relaxed.low, [[10.0, 10.0, 0.0, 10.0]])
    np.testing.assert_array_equal(relaxed.change.free, [[False, True, True]])


def test_where_every_change_is_free_none_is_limited():
    change = Change(np.array([0.2]), np.array([np.nan]), np.zeros((1, 3), bool))
    off = np.array([[False, True, True, False]])
    assert cells(off, change).relaxed.change is None


def test_limits_without_pauses_and_steps_are_their_own_relaxation():
    whole = cells(None)
    assert whole.relaxed is whole
