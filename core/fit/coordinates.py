r"""Standardised coordinates: to them, from them, from one metric to another.

    position = centre + S z

with S S' near the covariance C of the positions. S is a matrix, up to some hundreds of
coordinates. Of more, a leapfrog step would spend most of its time with it; there S is a
width per coordinate and a stretch along the directions that need one most:

    S = diag(width) (I + U diag(stretch) U'),   U'U = I,   width^4 = C_ii / (C^-1)_ii

which is inverted as easily. The width is between what a coordinate has alone and what
it has given the others, so that neither long nor short axes change it much; of all
widths it has the least Fisher divergence (Seyboldt et al. 2024, Preconditioning
Hamiltonian Monte Carlo by minimizing Fisher divergence).
"""

import numpy as np
from jaxtyping import Float

from core.fit.kernel import Metric

#: Above this many coordinates the metric has few directions.
DENSE_LIMIT = 1000

#: Directions of such a metric.
DIRECTIONS = 256

#: Above this many coordinates the metric is diagonal; a Hessian would take as many
#: gradients.
CURVATURE_LIMIT = 2000


def unscaled(dim: int) -> Metric:
    """The metric whose standardised coordinates are the positions themselves."""
    if dim <= DENSE_LIMIT:
        return Metric(np.zeros(dim), np.eye(dim))
    n = DIRECTIONS if dim <= CURVATURE_LIMIT else 0
    return Metric(np.zeros(dim), np.ones(dim), np.zeros((dim, n)), np.zeros(n))


def metric_of(centre: np.ndarray, scale: Float[np.ndarray, "dim dim"]) -> Metric:
    """The metric of a matrix S, or what its directions say of it."""
    if len(centre) <= DENSE_LIMIT:
        return Metric(centre, scale)
    alone = (scale**2).sum(axis=1)
    given_others = 1.0 / (np.linalg.inv(scale) ** 2).sum(axis=0)
    width = (alone * given_others) ** 0.25
    root = scale / width[:, None]
    squares, axes = np.linalg.eigh(root @ root.T)
    log_length = np.log(np.maximum(squares, np.finfo(float).tiny)) / 2
    kept = np.argsort(-np.abs(log_length))[:DIRECTIONS]
    return Metric(centre, width, axes[:, kept], np.expm1(log_length[kept]))


def matrix(metric: Metric) -> Float[np.ndarray, "dim dim"]:
    """S."""
    if metric.scale.ndim == 2:
        return metric.scale
    return metric.scale[:, None] * _stretched(np.eye(len(metric.scale)), metric)


def moved(z: np.ndarray, old: Metric, new: Metric) -> np.ndarray:
    """The same places in the coordinates of a new metric."""
    return to_z(to_position(z, old), new)


def to_position(z: np.ndarray, metric: Metric) -> np.ndarray:
    """Positions of standardised coordinates; the last axis is dim."""
    if metric.scale.ndim == 2:
        return metric.centre + z @ metric.scale.T
    return metric.centre + metric.scale * _stretched(z, metric)


def to_z(position: np.ndarray, metric: Metric) -> np.ndarray:
    """Standardised coordinates of positions; the last axis is dim."""
    away = position - metric.centre
    if metric.scale.ndim == 2:
        return np.linalg.solve(metric.scale, away.T).T
    back = -metric.stretch / (1.0 + metric.stretch)
    return _stretched(away / metric.scale, metric._replace(stretch=back))


def _stretched(z: np.ndarray, metric: Metric) -> np.ndarray:
    """Of the metric's directions: (I + U diag(stretch) U') z."""
    if not metric.stretch.size:
        return z
    return z + ((z @ metric.directions) * metric.stretch) @ metric.directions.T
