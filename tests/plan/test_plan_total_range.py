"""Least and most total of cells: in closed form where channels are free of each other.

The same limits with a maximum of the week that is far away go through the solver.
"""

from dataclasses import replace

import numpy as np
import pytest

from core.plan.limits import program
from core.plan.limits.cells import Cells


def cells(seed):
    rng = np.random.default_rng(seed)
    low = np.round(rng.uniform(0, 10, (3, 4)) * (rng.random((3, 4)) < 0.4), 2)
    high = low + np.round(rng.uniform(0, 20, (3, 4)), 2)
    least = np.round(rng.uniform(0, 40, 3), 2)
    most = least + np.round(rng.uniform(-2, 40, 3), 2)
    weeks = np.full(4, np.inf)
    return Cells(tuple("abc"), tuple("wxyz"), low, high, least, most, weeks, 100.0)


@pytest.mark.parametrize("seed", range(40))
def test_it_is_what_the_program_finds(seed, monkeypatch):
    given = cells(seed)
    with monkeypatch.context() as patch:
        patch.setattr(program, "cheapest", None)  # not asked
        found = program.total_range(given.polytope)
    monkeypatch.setattr(program, "_range_of_parts", None)
    # Maximums that no sum of highs keeps below, and that bind nothing.
    tight = replace(given, column_most=given.high.sum(axis=0) * (1 - 1e-8))
    expected = program.total_range(tight.polytope)
    assert (found is None) == (expected is None)
    if found is not None:
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_limits_that_contradict_have_no_total():
    found = [program.total_range(cells(seed).polytope) for seed in range(40)]
    assert None in found
    assert any(found)
