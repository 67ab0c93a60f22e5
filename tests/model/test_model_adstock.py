"""Carryover against tables of numbers: guides' values from Meridian's own tests."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from core.model.decay import (
    Decay,
    binomial_weights,
    decay_weights,
    geometric_weights,
)
from core.model.media.adstock import adstock, lagged

MEDIA = np.array(
    [
        [0.12, 0.55, 0.89],
        [0.34, 0.71, 0.23],
        [0.91, 0.08, 0.67],
        [0.45, 0.82, 0.11],
        [0.78, 0.29, 0.95],
    ]
)
ALPHA = jnp.array([0.1, 0.5, 0.9])
WINDOW = jnp.array([5.0, 5.0, 5.0])


def unnormalised(weights):
    return np.asarray(weights / weights[:, :1])


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.5, [1, 0.5, 0.25, 0.125, 0.0625]),
        (0.0, [1, 0, 0, 0, 0]),
        (1.0, [1, 1, 1, 1, 1]),
    ],
)
def test_geometric_weights(alpha, expected):
    weights = geometric_weights(jnp.array([alpha]), jnp.array([5.0]), 5)
    np.testing.assert_allclose(unnormalised(weights)[0], expected, atol=1e-12)
    np.testing.assert_allclose(weights.sum(), 1.0)


@pytest.mark.parametrize("n_lags", [16, 17, 57])
def test_geometric_weights_of_long_windows_are_powers(n_lags):
    alpha = jnp.array([0.0, 0.3, 0.95, 1.0])
    window = jnp.full(4, float(n_lags))
    weights = geometric_weights(alpha, window, n_lags)
    by_hand = np.asarray(alpha)[:, None] ** np.arange(n_lags)
    np.testing.assert_allclose(unnormalised(weights), by_hand, rtol=1e-12)

    def second(alpha):
        return geometric_weights(alpha, window, n_lags)[:, 1].sum()

    # w_1 = alpha / (1 + alpha + ...), whose slope at zero is one.
    assert jax.grad(second)(alpha)[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.25, [1, 0.512, 0.216, 0.064, 0.008]),
        (0.5, [1, 0.8, 0.6, 0.4, 0.2]),
        (2 / 3, np.sqrt([1, 0.8, 0.6, 0.4, 0.2])),
        (1.0, [1, 1, 1, 1, 1]),
        (0.0, [1, 0, 0, 0, 0]),
    ],
)
def test_binomial_weights(alpha, expected):
    weights = binomial_weights(jnp.array([alpha]), jnp.array([5.0]), 5)
    np.testing.assert_allclose(unnormalised(weights)[0], expected, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("geometric", [0.751, 0.435, 0.572]),
        ("binomial", [0.742, 0.463, 0.567]),
    ],
)
def test_last_period_of_a_known_series(kind, expected):
    media = jnp.asarray(MEDIA.T)[:, None, :]
    weights = decay_weights((kind,) * 3, Decay(ALPHA), WINDOW, 5)
    carried = adstock(lagged(media, 5, 5), weights)
    np.testing.assert_allclose(carried[:, 0, -1], expected, rtol=1e-2)


def test_history_that_is_missing_counts_as_zero():
    media = jnp.ones((1, 1, 6))
    weights = geometric_weights(jnp.array([0.6]), jnp.array([4.0]), 4)
    carried = adstock(lagged(media, 4, 6), weights)[0, 0]
    n = np.minimum(np.arange(6) + 1, 4)
    np.testing.assert_allclose(carried, (1 - 0.6**n) / (1 - 0.6**4), rtol=1e-12)


def test_history_before_the_kpi_is_used():
    media = jnp.arange(1.0, 7.0)[None, None, :]
    lags = lagged(media, 3, 4)
    np.testing.assert_array_equal(lags[0, :, 0, 0], [3.0, 2.0, 1.0])


def test_windows_may_differ_between_channels():
    weights = decay_weights(
        ("geometric", "binomial"),
        Decay(jnp.array([0.5, 0.5])),
        jnp.array([2.0, 4.0]),
        4,
    )
    np.testing.assert_allclose(weights[0], [2 / 3, 1 / 3, 0, 0])
    np.testing.assert_allclose(weights[1], np.array([1, 0.75, 0.5, 0.25]) / 2.5)


@pytest.mark.parametrize("kind", ["geometric", "binomial"])
def test_gradient_is_finite_at_the_ends(kind):
    def first(alpha):
        return decay_weights((kind,), Decay(alpha[None]), jnp.array([5.0]), 5)[0, 1]

    for alpha in (0.0, 1e-6, 1.0):
        assert np.isfinite(jax.grad(first)(jnp.array(alpha)))


def test_delayed_weights_against_their_equation():
    decay = Decay(jnp.array([0.4]), theta=jnp.array([1.7]))
    weights = decay_weights(("delayed",), decay, WINDOW[:1], 5)[0]
    direct = 0.4 ** ((np.arange(5) - 1.7) ** 2)
    np.testing.assert_allclose(weights, direct / direct.sum(), rtol=1e-10)


def test_weibull_cdf_weights_against_their_equation():
    decay = Decay(jnp.zeros(1), lam=jnp.array([2.3]), k=jnp.array([1.4]))
    weights = decay_weights(("weibull_cdf",), decay, WINDOW[:1], 5)[0]
    cdf = scipy.stats.weibull_min(1.4, scale=2.3).cdf(np.arange(1, 5))
    direct = np.cumprod(np.concatenate([[1.0], 1 - cdf]))
    np.testing.assert_allclose(weights, direct / direct.sum(), rtol=1e-10)


def test_weibull_pdf_weights_against_their_equation():
    decay = Decay(jnp.zeros(1), lam=jnp.array([2.3]), k=jnp.array([1.9]))
    weights = decay_weights(("weibull_pdf",), decay, WINDOW[:1], 5)[0]
    pdf = scipy.stats.weibull_min(1.9, scale=2.3).pdf(np.arange(1, 6))
    direct = pdf - pdf.min()
    np.testing.assert_allclose(weights, direct / direct.sum(), rtol=1e-10, atol=1e-12)


def test_a_window_of_one_period_means_no_carryover():
    decay = Decay(jnp.full(5, 0.5), *(jnp.full(5, 1.5) for _ in range(3)))
    kinds = ("geometric", "binomial", "delayed", "weibull_cdf", "weibull_pdf")
    weights = decay_weights(kinds, decay, jnp.ones(5), 3)
    np.testing.assert_allclose(weights, np.eye(5, 3)[[0] * 5], atol=1e-12)
