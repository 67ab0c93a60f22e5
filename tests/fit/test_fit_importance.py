"""Pareto-smoothed weights of many sets, held to those of arviz-stats one by one."""

import numpy as np
import pytest
from arviz_stats.base import array_stats

from core.fit.importance import importance_weights, pareto_smoothed


@pytest.mark.parametrize("n_draws", [25, 225, 226, 1000])
def test_weights_and_shapes_are_those_of_arviz(n_draws):
    rng = np.random.default_rng(n_draws)
    raw = np.concatenate(
        [
            rng.normal(size=(9, n_draws)),
            rng.exponential(1, (9, n_draws)) * np.linspace(0.1, 3, 9)[:, None],
            rng.normal(size=(9, n_draws)).astype(np.float32) * 30,
            rng.normal(size=(9, n_draws)) * 1e-6 - 1e4,
        ]
    )
    weights, k = pareto_smoothed(raw)
    for ratios, weight, shape in zip(raw, weights, k, strict=True):
        expected, expected_k = array_stats.psislw(-ratios)
        np.testing.assert_allclose(weight, expected, atol=1e-7)
        assert shape == pytest.approx(float(expected_k), abs=1e-6)


def test_a_weight_beyond_all_others_has_no_shape_and_keeps_the_weights():
    raw = np.random.default_rng(1).normal(size=(2, 400))
    raw[1, 7] = 2000.0
    weights, k = pareto_smoothed(raw)
    assert np.isfinite(k[0])
    assert k[1] == np.inf
    np.testing.assert_allclose(weights[1], raw[1] - 2000.0)


def test_what_it_is_given_stays_as_it_was():
    raw = np.random.default_rng(2).normal(size=(3, 100))
    before = raw.copy()
    pareto_smoothed(raw)
    np.testing.assert_array_equal(raw, before)


@pytest.mark.parametrize("level", [0.0, -1e4])
def test_ratios_that_are_the_same_weigh_the_same(level):
    weights, k = importance_weights(np.full(40, level))
    assert k == 0.0
    np.testing.assert_allclose(weights, 1 / 40)


def test_weights_of_one_set_add_up_to_one():
    ratios = np.random.default_rng(2).normal(size=400) * 2
    weights, k = importance_weights(ratios)
    assert weights.sum() == pytest.approx(1.0) and np.isfinite(k)
    assert (np.diff(weights[np.argsort(ratios)]) >= -1e-12).all()
