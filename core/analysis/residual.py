"""Residual noise of a forecast, with what residuals of geos have in common."""

from collections.abc import Mapping

import numpy as np

from core.analysis.pointwise import scaled_means
from core.model.build import Model


def noise(shape: tuple[int, ...], common: float, seed: int) -> np.ndarray:
    """Standard Normal, draw geo time, with a part that geos have in common."""
    rng = np.random.default_rng([seed, 20])
    own, shared = rng.normal(size=shape), rng.normal(size=(shape[0], 1, shape[2]))
    return np.sqrt(common) * shared + np.sqrt(1 - common) * own


def common_noise(model: Model, draws: Mapping[str, np.ndarray]) -> float:
    """Mean correlation of the residuals of two geos, zero to one.

    The likelihood takes geos as independent given the mean; a sum over geos whose
    residuals go together varies more than that.
    """
    if model.data.n_geos == 1:
        return 0.0
    few = {name: value[:: -(-len(value) // 50)] for name, value in draws.items()}
    expected = scaled_means(model, few)
    residual = np.asarray(model.arrays.kpi) - expected.mean(axis=0)
    seen = np.asarray(model.arrays.is_seen).all(axis=0)
    return mean_correlation(residual[:, seen])


def mean_correlation(residual: np.ndarray) -> float:
    """Mean correlation of two rows, from the variance of their standardised mean.

    Args:
        residual: geo time.
    """
    n = len(residual)
    spread = residual.std(axis=1, keepdims=True)
    standard = (residual - residual.mean(axis=1, keepdims=True)) / np.where(
        spread > 0, spread, 1.0
    )
    found = (n * standard.mean(axis=0).var() - 1) / (n - 1)
    return float(np.clip(np.nan_to_num(found), 0.0, 1.0))
