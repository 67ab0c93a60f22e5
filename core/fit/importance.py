r"""Pareto-smoothed importance sampling, for many sets of weights at once.

The largest weights of a set are replaced by quantiles of a generalised Pareto
distribution fitted to them (Vehtari, Simpson, Gelman, Yao and Gabry 2024), by the
empirical Bayes estimate of Zhang and Stephens (2009) with the prior of the former.
Agrees with `psislw` of arviz-stats, which takes one set at a time, except where one
weight outdoes all others by more than a float can tell: there is no shape to such a
tail, where arviz-stats has one near zero.
"""

import math

import numpy as np

#: Pareto's k above which weights are not to be trusted, with draws enough.
HIGHEST_K = 0.7
#: Sets whose tails are fitted together: what they need stays in the cache.
_TOGETHER = 16
#: Of b in the fit of a tail, and of its shape: worth so many draws at one half.
_PRIOR_B, _PRIOR_K = 3, 10
#: Ratios whose logarithms differ by less are the same.
_FLAT = 1e-6


def pareto_smoothed(
    log_ratios: np.ndarray, n_tail: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Smoothed log weights, each set's adding up to one, and the shapes of tails.

    Args:
        log_ratios: Logarithms of raw weights up to a constant, finite; set draw, 25
            draws or more.
        n_tail: Draws of a tail; where not given, what suits draws that do not depend on
            each other.

    Returns:
        Log weights, set draw, as they were where a tail has no shape; Pareto's k of
        each set, infinite where it has none.
    """
    log_weights = np.array(log_ratios, np.float64)
    n = log_weights.shape[1]
    usual = int(3 * math.sqrt(n)) if n > 225 else n // 5
    k = np.empty(len(log_weights))
    for first in range(0, len(log_weights), _TOGETHER):
        some = slice(first, first + _TOGETHER)
        # A tail of equal weights has no shape.
        with np.errstate(all="ignore"):
            k[some] = _smooth(log_weights[some], n_tail or usual)
    return log_weights, k


def highest_k(n_draws: int) -> float:
    """The limit of Pareto's k, lower where draws are few (Vehtari et al. 2024)."""
    return min(HIGHEST_K, 1 - 1 / math.log10(n_draws)) if n_draws > 10 else -np.inf


def importance_weights(log_ratios: np.ndarray) -> tuple[np.ndarray, float]:
    """Smoothed weights of one set that add up to one, and the shape of their tail.

    Args:
        log_ratios: As for `pareto_smoothed`; draw. Ratios that are all the same have
            no tail: its shape is 0.
    """
    if np.ptp(log_ratios) < _FLAT:
        return np.full(len(log_ratios), 1 / len(log_ratios)), 0.0
    log_weights, k = pareto_smoothed(log_ratios[None])
    return np.exp(log_weights[0]), float(k[0])


def _smooth(log_weights: np.ndarray, n: int) -> np.ndarray:
    """Smooth the n largest of a few sets in place; Pareto's k of each."""
    n_draws = log_weights.shape[1]
    log_weights -= log_weights.max(axis=1, keepdims=True)
    # Only the tail has to be in order, and the largest weight below it known.
    places = np.argpartition(log_weights, n_draws - n - 1, axis=1)[:, -n - 1 :]
    cut = np.exp(np.take_along_axis(log_weights, places[:, :1], axis=1))
    places = places[:, 1:]
    raw = np.take_along_axis(log_weights, places, axis=1)
    order = np.argsort(raw, axis=1)
    places = np.take_along_axis(places, order, axis=1)
    raw = np.take_along_axis(raw, order, axis=1)
    tail = np.exp(raw)
    k, scale = _shapes(tail - cut)
    parts = np.log1p(-np.arange(0.5, n) / n)
    k_, scale_ = k[:, None], scale[:, None]
    quantiles = np.where(k_ == 0, -parts, np.expm1(-k_ * parts) / k_)
    quantiles = np.where(scale_ > 0, cut + scale_ * quantiles, np.nan)
    smoothed = np.minimum(np.log(quantiles), 0.0)
    has_shape = np.isfinite(smoothed).all(axis=1)
    smoothed[~has_shape] = raw[~has_shape]
    np.put_along_axis(log_weights, places, smoothed, axis=1)
    log_weights -= np.log(np.exp(log_weights).sum(axis=1, keepdims=True))
    return np.where(np.isfinite(k), k, np.inf)


def _shapes(tail: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape k and scale of the Pareto distribution of sorted tails, set draw."""
    n = tail.shape[1]
    m = 30 + int(math.sqrt(n))
    quartile = tail[:, int(n / 4 + 0.5) - 1, None]
    b = (1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))) / (_PRIOR_B * quartile)
    b += 1 / tail[:, -1:]
    mean = np.log1p(-b[:, :, None] * tail[:, None, :]).mean(axis=2)
    likelihood = n * (np.log(-b / mean) - mean - 1)
    weight = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    weight[weight < 10 * np.finfo(float).eps] = 0
    # What has no weight may be no number.
    b = np.where(weight > 0, b, 0.0)
    b = (b * weight).sum(axis=1) / weight.sum(axis=1)
    k = np.log1p(-b[:, None] * tail).mean(axis=1)
    return (n * k + _PRIOR_K * 0.5) / (n + _PRIOR_K), -k / b
