from dataclasses import replace

import numpy as np
import pytest
from exhaustive import best_mean
from synthetic import curves_dataset, random_dataset

from core.plan.response.curves import response_curves
from core.plan.solve.bisection import best_split


def problem(seed: int):
    """A random market, limits and budget; every other one is S-shaped."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    stored = random_dataset(seed, n_channels=n, n_draws=20, s_shaped=seed % 2 == 1)
    curves = response_curves(stored).mean()
    low = curves.spend * rng.uniform(0, 0.9, n) * (rng.random(n) < 0.7)
    high = curves.spend * rng.uniform(1, 3.5, n)
    budget = low.sum() + (high.sum() - low.sum()) * rng.uniform(0.1, 0.9)
    return curves, low, high, float(budget)


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_no_split_on_a_fine_grid_is_better_or_above_the_bound(start):
    for seed in range(start, start + 50):
        curves, low, high, budget = problem(seed)
        found = best_split(curves, low, high, budget)
        grid = best_mean(curves, low, high, budget)
        assert found.outcome >= grid * (1 - 1e-6), seed
        assert found.bound >= max(grid, found.outcome), seed
        assert found.bound - found.outcome <= 1e-6 * found.bound, seed
        assert abs(found.spend.sum() - budget) <= 1e-9 * budget
        assert (found.spend >= low - 1e-9).all()
        assert (found.spend <= high + 1e-9).all()


def test_equal_channels_get_equal_money():
    stored = curves_dataset([[3e5] * 3], [[0.8] * 3], [[1.0] * 3], [1e5] * 3)
    curves = response_curves(stored)
    found = best_split(curves, curves.spend * 0, curves.spend * 3, 3e5)
    np.testing.assert_allclose(found.spend, 1e5, rtol=1e-6)


def test_two_steep_channels_are_served_one_after_the_other():
    # Each needs its whole range to work, and the money is enough for one of them.
    stored = curves_dataset([[9e5] * 2], [[1.5] * 2], [[6.0] * 2], [1e5] * 2)
    curves = response_curves(stored)
    found = best_split(curves, curves.spend * 0, curves.spend * 3, 2e5)
    assert sorted(found.spend)[0] < 5e3
    assert found.boxes > 1
    assert found.bound - found.outcome <= 1e-6 * found.bound


def test_marginals_agree_where_limits_do_not_bind():
    curves = response_curves(random_dataset(7, n_channels=5)).mean()
    found = best_split(curves, curves.spend * 0.2, curves.spend * 2.5, 1.1e6)
    margin = curves.marginal(found.spend)[0]
    free = (found.spend > curves.spend * 0.2001) & (found.spend < curves.spend * 2.499)
    assert free.sum() >= 2
    np.testing.assert_allclose(margin[free], margin[free][0], rtol=1e-6)


def test_straight_and_falling_curves_are_no_trouble():
    stored = random_dataset(8, n_channels=3, n_draws=1)
    grid = stored["spend_multiplier"].values
    for channel, rise in enumerate((2.0, 1.0, -1.0)):
        stored["incremental_outcome"].values[0, channel] = rise * 1e6 * grid
        stored["slope"].values[0, channel] = rise * 1e6
    stored["spend"].values[:] = 1e5
    curves = response_curves(stored)
    found = best_split(curves, np.full(3, 1e4), np.full(3, 2e5), 2.5e5)
    np.testing.assert_allclose(found.spend, [2e5, 4e4, 1e4])
    assert found.bound - found.outcome <= 1e-9 * found.bound


def test_limits_without_room_and_the_same_answer_twice():
    curves = response_curves(random_dataset(9, n_channels=4)).mean()
    budget = float(curves.spend.sum())
    locked = best_split(curves, curves.spend, curves.spend, budget)
    np.testing.assert_allclose(locked.spend, curves.spend)
    again = [
        best_split(curves, curves.spend * 0.5, curves.spend * 2, budget)
        for _ in range(2)
    ]
    assert np.array_equal(again[0].spend, again[1].spend)
    assert again[0].bound == again[1].bound


def test_noise_of_single_precision_does_no_harm():
    curves = response_curves(random_dataset(10, n_channels=6)).mean()
    noisy = replace(
        curves,
        value=curves.value.astype("float32").astype(float),
        slope=curves.slope.astype("float32").astype(float),
    )
    budget = float(curves.spend.sum())
    found = best_split(noisy, noisy.spend * 0.7, noisy.spend * 1.3, budget)
    exact = best_split(curves, noisy.spend * 0.7, noisy.spend * 1.3, budget)
    assert found.bound - found.outcome <= 1e-6 * found.bound
    np.testing.assert_allclose(found.outcome, exact.outcome, rtol=1e-6)
