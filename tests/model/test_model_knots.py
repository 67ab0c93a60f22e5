"""Knots on whole periods, straight lines between them, automatic selection."""

import numpy as np
import pytest

from core.errors import SpecError
from core.model.terms.automatic_knots import automatic_knots
from core.model.terms.knots import knot_locations, knot_weights


@pytest.mark.parametrize(
    ("n_times", "locations", "expected"),
    [
        (3, [0, 2], [[1, 0.5, 0], [0, 0.5, 1]]),
        (
            7,
            [0, 1, 6],
            [
                [1, 0, 0, 0, 0, 0, 0],
                [0, 1, 0.8, 0.6, 0.4, 0.2, 0],
                [0, 0, 0.2, 0.4, 0.6, 0.8, 1],
            ],
        ),
        (4, [1, 2], [[1, 1, 0, 0], [0, 0, 1, 1]]),
    ],
)
def test_weights(n_times, locations, expected):
    np.testing.assert_allclose(knot_weights(np.array(locations), n_times), expected)


def test_evenly_spread_knots_sit_on_whole_periods():
    locations = knot_locations(5, 156, is_national=False)
    np.testing.assert_array_equal(locations, [0, 38, 77, 116, 155])


def test_defaults_are_meridians():
    assert len(knot_locations(None, 20, is_national=True)) == 1
    assert len(knot_locations(None, 20, is_national=False)) == 20


def test_knots_may_stand_on_the_first_and_the_last_period():
    np.testing.assert_array_equal(
        knot_locations((0, 19), 20, is_national=False), [0, 19]
    )


@pytest.mark.parametrize("knots", [0, 21, (3, 30), (-1, 3), (0, 20), (2, 2)])
def test_impossible_knots_are_refused(knots):
    with pytest.raises(SpecError):
        knot_locations(knots, 20, is_national=False)


def kinked(n_geos=4, n_times=120, seed=0):
    """A KPI with two bends, at 40 and 80, and little noise."""
    rng = np.random.default_rng(seed)
    time = np.arange(n_times)
    level = np.interp(time, [0, 40, 80, n_times - 1], [0.0, 3.0, -1.0, 2.0])
    return level[None, :] + 0.1 * rng.normal(size=(n_geos, n_times))


def test_automatic_knots_find_the_bends():
    kpi = kinked()
    knots = automatic_knots(kpi, np.ones_like(kpi), n_features=5)
    assert knots[0] == 0 and knots[-1] == 119
    for bend in (40, 80):
        assert np.abs(knots - bend).min() <= 2


def test_automatic_knots_do_not_see_held_out_cells():
    kpi = kinked()
    is_seen = np.ones_like(kpi)
    is_seen[1, 60:] = 0.0
    is_seen[2, :20] = 0.0
    changed = np.where(is_seen > 0, kpi, 1e3)
    np.testing.assert_array_equal(
        automatic_knots(kpi, is_seen, 5), automatic_knots(changed, is_seen, 5)
    )


def test_automatic_knots_need_some_periods():
    with pytest.raises(SpecError, match="too few"):
        automatic_knots(np.zeros((1, 10)), np.ones((1, 10)), 8)
