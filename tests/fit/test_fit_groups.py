"""Metrics of groups, their curvature, and where the mass of many coordinates is."""

import numpy as np
import pytest
from fit_densities import normal, quick, scaled_effects

from core.errors import SamplingError
from core.fit.chains import coordinates
from core.fit.chains.chains import Chains
from core.fit.chains.coordinates import (
    DENSE_LIMIT,
    has_groups,
    to_position,
    to_z,
    unscaled,
    widths,
)
from core.fit.chains.kernel import Metric, Trace
from core.fit.fit import sample
from core.fit.sampling.adaptation import corrected
from core.fit.sampling.warmup import begin
from core.fit.start.arrow import given_others, metric_around
from core.fit.start.mode import climb_all

#: Places of the coordinates of each group; 1 and 8 are shared.
GROUPS = np.array([[0, 5], [7, 2], [3, 4], [9, 6]])


@pytest.fixture
def few_are_many(monkeypatch):
    """Metrics of groups for ten coordinates."""
    monkeypatch.setattr(coordinates, "DENSE_LIMIT", 8)


def arrow_precision(rng, between: float = 0.0) -> np.ndarray:
    """Of ten coordinates: groups touch shared ones and, where told, each other."""
    root = rng.normal(size=(10, 10))
    group = np.full(10, -1)
    for number, places in enumerate(GROUPS):
        group[places] = number
    apart = (group[:, None] != group) & (group[:, None] >= 0) & (group >= 0)
    precision = root @ root.T
    precision = np.where(apart, between * precision, precision)
    shift = 1.0 - min(0.0, float(np.linalg.eigvalsh(precision)[0]))
    scale = np.exp(rng.normal(size=10))
    return (precision + shift * np.eye(10)) * np.outer(scale, scale)


def a_metric(rng) -> Metric:
    metric = unscaled(10, GROUPS)
    return metric._replace(
        centre=rng.normal(size=10),
        scale=rng.normal(size=(2, 2)),
        own=rng.normal(size=(4, 2, 2)),
        across=rng.normal(size=(4, 2, 2)),
    )


def matrix(metric: Metric) -> np.ndarray:
    """S."""
    return (to_position(np.eye(10), metric) - metric.centre).T


def evaluator(mean, precision):
    def evaluate(points):
        away = points - mean
        slope = -away @ precision
        return 0.5 * (away * slope).sum(axis=1), slope

    return evaluate


def test_a_metric_of_groups_there_and_back(few_are_many):
    rng = np.random.default_rng(0)
    metric = a_metric(rng)
    root, z = matrix(metric), rng.normal(size=(3, 10))
    there = to_position(z, metric)
    np.testing.assert_allclose(there, metric.centre + z @ root.T)
    np.testing.assert_allclose(to_z(there, metric), z, atol=1e-9)
    covariance = root @ root.T
    np.testing.assert_allclose(widths(metric), np.sqrt(np.diag(covariance)))
    alone = 1.0 / np.sqrt(np.diag(np.linalg.inv(covariance)))
    np.testing.assert_allclose(given_others(metric), np.minimum(alone, 1.0))
    assert np.abs(covariance[0, 7]) > 0  # of two groups, through what they share


def test_a_metric_of_no_groups_is_one_of_widths():
    plain = unscaled(DENSE_LIMIT + 1)
    assert has_groups(plain) and plain.own.shape == (DENSE_LIMIT + 1, 1, 1)
    assert not has_groups(unscaled(DENSE_LIMIT, GROUPS))
    x = np.random.default_rng(0).normal(size=(2, DENSE_LIMIT + 1))
    np.testing.assert_array_equal(to_position(x, plain), x)


def test_the_kernel_moves_as_the_metric_says(few_are_many):
    rng = np.random.default_rng(1)
    args = {"mean": rng.normal(size=10), "precision": arrow_precision(rng)}
    chains = Chains(normal, args, 10, quick(), GROUPS)
    metric, z = a_metric(rng), rng.normal(size=(4, 10))
    value, slope = chains.gradients(z, metric)
    expected, in_position = evaluator(*args.values())(to_position(z, metric))
    np.testing.assert_allclose(value, expected)
    np.testing.assert_allclose(slope, in_position @ matrix(metric))


def test_curvature_of_groups_is_exact_where_they_do_not_touch(few_are_many):
    rng = np.random.default_rng(2)
    precision, around = arrow_precision(rng), rng.normal(size=(3, 10))
    evaluate = evaluator(np.zeros(10), precision)
    metric = metric_around(evaluate, around, unscaled(10, GROUPS), rng)
    root = matrix(metric)
    np.testing.assert_allclose(root @ root.T, np.linalg.inv(precision), atol=1e-8)
    np.testing.assert_allclose(metric.centre, around.mean(axis=0))


def test_what_groups_do_to_each_other_averages_out(few_are_many):
    rng = np.random.default_rng(3)
    precision = arrow_precision(rng, between=0.3)
    evaluate = evaluator(np.zeros(10), precision)
    around = np.zeros((400, 10))
    root = matrix(metric_around(evaluate, around, unscaled(10, GROUPS), rng))
    found = np.linalg.inv(root @ root.T)
    for places in GROUPS:
        own = np.ix_(places, places)
        np.testing.assert_allclose(
            found[own], precision[own], atol=0.1 * precision[own].max()
        )


def test_curvature_of_groups_is_none_where_it_is_no_number(few_are_many):
    def nowhere(points):
        return np.full(len(points), -np.inf), np.full_like(points, np.nan)

    plain = unscaled(10, GROUPS)
    rng = np.random.default_rng(0)
    assert metric_around(nowhere, np.zeros((2, 10)), plain, rng) is None


def test_shared_coordinates_have_correlations_corrected(few_are_many):
    rng = np.random.default_rng(4)
    covariance = np.eye(10)
    covariance[1, 8] = covariance[8, 1] = 0.9
    z = rng.multivariate_normal(np.zeros(10), covariance, size=(4, 400))
    zero = np.zeros((4, 400))
    trace = Trace(z, zero, zero, zero + 0.8, zero, zero > 0)
    root = matrix(corrected(unscaled(10, GROUPS), trace))
    np.testing.assert_allclose(root @ root.T, covariance, atol=0.12)


def test_groups_are_sampled_right(few_are_many):
    rng = np.random.default_rng(5)
    precision = arrow_precision(rng, between=0.3)
    args = {"mean": rng.normal(size=10), "precision": precision}
    draws = sample(normal, args, 10, quick(draws=500), groups=GROUPS)
    assert draws.compilations <= 1
    flat, sd = (
        draws.position.reshape(-1, 10),
        np.sqrt(np.diag(np.linalg.inv(precision))),
    )
    error = (flat.mean(axis=0) - args["mean"]) / sd * np.sqrt(len(flat))
    assert np.abs(error).max() < 5
    np.testing.assert_allclose(flat.std(axis=0), sd, rtol=0.12)


def test_many_effects_of_one_scale():
    """Their joint mode is far from the mass, the beginning is not."""
    effects = 0.3 * np.random.default_rng(6).standard_normal(DENSE_LIMIT + 200)
    dim = len(effects) + 1
    groups = np.arange(1, dim)[:, None]
    chains = Chains(scaled_effects, effects, dim, quick(), groups)
    true = np.log(np.sqrt((effects**2).mean() - 0.05**2))

    def evaluate(points):
        return chains.gradients(points, chains.plain)

    (mode,) = climb_all(evaluate, np.zeros((1, dim)))
    assert mode.position[0] - true > 1.0
    assert np.abs(begin(chains).metric.centre[0] - true) < 0.3
    draws = sample(scaled_effects, effects, dim, quick(), groups=groups)
    assert draws.n_steps.mean() < 40 and draws.n_divergences == 0
    scale = draws.position[:, :, 0]
    assert np.abs(scale.mean() - true) < 0.03
    assert 0.5 < scale.std() * np.sqrt(2 * len(effects)) < 2.0


def test_no_finite_start_of_many_coordinates():
    chains = Chains(nowhere_finite, np.zeros(1), DENSE_LIMIT + 1, quick())
    with pytest.raises(SamplingError, match="not a finite number"):
        begin(chains)


def nowhere_finite(x, args):
    """No number anywhere."""
    return x.sum() * np.nan + args[0]
