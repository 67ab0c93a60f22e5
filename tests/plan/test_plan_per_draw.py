from dataclasses import replace

import numpy as np
import pytest
from synthetic import random_dataset

from core.plan.allocation import best_split
from core.plan.curves import response_curves
from core.plan.per_draw import majorant_slopes, own_plans


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
