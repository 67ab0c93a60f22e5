"""Season: fewer years, fewer waves, and words about it."""

import numpy as np
import pytest

from core.model.spec import ModelSpec
from core.model.terms.season import season_pairs, short_history


def times(n, step=7):
    return np.datetime64("2024-01-01") + step * np.arange(n)


@pytest.mark.parametrize(
    ("n", "step", "pairs"),
    [(120, 1, 0), (40, 7, 0), (52, 7, 2), (104, 7, 4), (156, 7, 4), (365, 1, 2)],
)
def test_waves_of_the_year_by_length(n, step, pairs):
    assert season_pairs(ModelSpec(), times(n, step)) == pairs


def test_who_asks_for_waves_gets_them():
    assert season_pairs(ModelSpec(seasonality=3), times(40)) == 3
    assert season_pairs(ModelSpec(knots=5), times(156)) == 0


def test_what_a_third_of_a_year_cannot_tell():
    (finding,) = short_history(ModelSpec(), times(120, 1))
    assert finding.severity == "warning"
    assert "120 days" in finding.message
    assert "the model has none" in finding.message
    (finding,) = short_history(ModelSpec(), times(52))
    assert "2 waves of the year" in finding.message
    assert not list(short_history(ModelSpec(), times(104)))
