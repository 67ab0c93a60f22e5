"""Years: counted back from the end, and sums that agree with the whole."""

import numpy as np
import pytest

from core.analysis.by_period import year_of

WEEKS = np.datetime64("2022-01-03") + 7 * np.arange(156)


def test_years_are_counted_back_from_the_end():
    place = year_of(WEEKS)
    assert place[-52:].tolist() == [0] * 52
    assert place[:52].tolist() == [2] * 52


def test_what_does_not_fill_a_year_belongs_to_none():
    place = year_of(WEEKS[:120])
    assert (place == -1).sum() == 120 - 104


@pytest.mark.parametrize("n", [10, 51])
def test_less_than_a_year_is_one(n):
    assert year_of(WEEKS[:n]).tolist() == [0] * n
