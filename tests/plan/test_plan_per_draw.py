from dataclasses import replace

import numpy as np
import pytest
from synthetic import random_dataset

from core.plan.response.curves import response_curves
from core.plan.solve.bisection import best_split
from core.plan.solve.per_draw import knots_between, majorant_slopes, own_plans


@pytest.mark.parametrize("seed", range(4))
def test_each_draw_gets_what_it_would_get_alone(seed):
    stored = random_dataset(seed, n_channels=4, n_draws=15)
    curves = response_curves(stored)
    low, high = 0.7 * curves.spend, 1.3 * curves.spend
    budget = float(curves.spend.sum())
    own = own_plans(curves, low, high, budget, curves.spend)
    np.testing.assert_allclose(own.spend.sum(axis=1), budget)
    for draw in range(15):
        alone = replace(
            curves,
            value=curves.value[draw : draw + 1],
            slope=curves.slope[draw : draw + 1],
        )
        best = best_split(alone, low, high, budget)
        reached = float(alone.outcome(own.spend[draw]).sum())
        assert reached >= best.outcome * (1 - 1e-4)
        assert abs(own.spend[draw] - best.spend).max() <= 0.1 * curves.spend.max()


def test_majorant_is_the_upper_hull():
    rng = np.random.default_rng(0)
    width = rng.uniform(0.0, 1.0, (3, 20))
    width[0, 4] = width[1, 0] = width[2, 19] = 0.0
    rise = rng.normal(size=(5, 3, 20)) * (width > 0)
    slopes = majorant_slopes(width, rise)
    for channel in range(3):
        wide = width[channel] > 0
        x = np.concatenate([[0.0], np.cumsum(width[channel][wide])])
        for draw in range(5):
            y = np.concatenate([[0.0], np.cumsum(rise[draw, channel][wide])])
            slope = slopes[draw, channel][wide]
            hull = np.concatenate([[0.0], np.cumsum(slope * np.diff(x))])
            assert (np.diff(slope) <= 1e-9).all()
            assert (hull >= y - 1e-9).all()
            assert abs(hull[-1] - y[-1]) <= 1e-9
            touch = np.flatnonzero(np.diff(slope) < -1e-9) + 1
            np.testing.assert_allclose(hull[touch], y[touch], atol=1e-9)


def test_an_anchor_takes_the_place_of_the_nearest_knot():
    low, high = np.array([70.0, 0.0, 50.0]), np.array([130.0, 64.0, 90.0])
    anchor = np.array([100.004, 1.0, 20.0])
    knots = knots_between(low, high, anchor)
    assert (np.diff(knots, axis=1) > 0).all()
    assert (knots[:, 0] == low).all() and (knots[:, -1] == high).all()
    assert anchor[0] in knots[0] and anchor[1] in knots[1]
    assert np.diff(knots[0]).min() > 0.9 * (high[0] - low[0]) / (knots.shape[1] - 1)
