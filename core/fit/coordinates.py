"""Standardised coordinates: to them, from them, from one metric to another."""

import numpy as np

from core.fit.kernel import Metric

#: Above this many coordinates the metric is diagonal.
DENSE_LIMIT = 2000


def unscaled(dim: int) -> Metric:
    """The metric whose standardised coordinates are the positions themselves."""
    return Metric(np.zeros(dim), np.ones(dim) if dim > DENSE_LIMIT else np.eye(dim))


def moved(z: np.ndarray, old: Metric, new: Metric) -> np.ndarray:
    """The same places in the coordinates of a new metric."""
    return to_z(to_position(z, old), new)


def to_position(z: np.ndarray, metric: Metric) -> np.ndarray:
    """Positions of standardised coordinates; the last axis is dim."""
    if metric.scale.ndim == 1:
        return metric.centre + metric.scale * z
    return metric.centre + z @ metric.scale.T


def to_z(position: np.ndarray, metric: Metric) -> np.ndarray:
    """Standardised coordinates of positions; the last axis is dim."""
    if metric.scale.ndim == 1:
        return (position - metric.centre) / metric.scale
    return np.linalg.solve(metric.scale, (position - metric.centre).T).T
