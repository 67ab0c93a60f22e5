r"""Standardised coordinates: to them, from them, from one metric to another.

    position = centre + S z

with S S' near the covariance of the positions. S is a matrix, up to a thousand
coordinates. Of more, a leapfrog step would spend most of its time with it, and a
Hessian takes as many gradients as there are coordinates. There coordinates are in
groups, such as the deviations of the effects in one geo, beside those that all groups
share, and groups are taken as independent of each other given the shared coordinates:

    [shared]   [scale    0        ] [z of shared]
    [own   ] = [across   diag(own)] [z of groups]

Whatever the shared coordinates and a group do to each other is in it, what groups do to
each other directly is not. Everything about it grows with the number of groups, not
with its square.
"""

import numpy as np
from jaxtyping import Float, Int

from core.fit.chains.kernel import Metric

#: Above this many coordinates the metric is one of groups.
DENSE_LIMIT = 1000


def unscaled(dim: int, groups: Int[np.ndarray, "group k"] | None = None) -> Metric:
    """The metric whose standardised coordinates are the positions themselves.

    Args:
        dim: Length of a position.
        groups: Places of the coordinates of each group; what is in none is shared.
            Where they are not told, every coordinate is a group.
    """
    if dim <= DENSE_LIMIT:
        return Metric(np.zeros(dim), np.eye(dim))
    if groups is None:
        groups = np.arange(dim)[:, None]
    n_groups, k = groups.shape
    shared = np.setdiff1d(np.arange(dim), groups.ravel())
    return Metric(
        np.zeros(dim),
        np.eye(len(shared)),
        np.broadcast_to(np.eye(k), (n_groups, k, k)),
        np.zeros((n_groups, k, len(shared))),
        np.concatenate([shared, groups.ravel()]).astype(np.int32),
    )


def has_groups(metric: Metric) -> bool:
    """Whether the metric is one of groups."""
    return metric.own.size > 0


def parts(
    x: Float[np.ndarray, "*n dim"], metric: Metric
) -> tuple[Float[np.ndarray, "*n shared"], Float[np.ndarray, "*n group k"]]:
    """Shared coordinates and those of each group, of vectors."""
    in_parts, n_shared = x[..., metric.places], len(metric.scale)
    own = in_parts[..., n_shared:]
    return in_parts[..., :n_shared], own.reshape(*own.shape[:-1], *metric.own.shape[:2])


def whole(
    shared: Float[np.ndarray, "*n shared"],
    own: Float[np.ndarray, "*n group k"],
    metric: Metric,
) -> Float[np.ndarray, "*n dim"]:
    """Vectors of their shared coordinates and those of each group."""
    in_parts = np.concatenate([shared, own.reshape(*shared.shape[:-1], -1)], axis=-1)
    x = np.empty_like(in_parts)
    x[..., metric.places] = in_parts
    return x


def moved(z: np.ndarray, old: Metric, new: Metric) -> np.ndarray:
    """The same places in the coordinates of a new metric."""
    return to_z(to_position(z, old), new)


def to_position(z: np.ndarray, metric: Metric) -> np.ndarray:
    """Positions of standardised coordinates; the last axis is dim."""
    if not has_groups(metric):
        return metric.centre + z @ metric.scale.T
    shared, own = parts(z, metric)
    own = np.einsum("gij,...gj->...gi", metric.own, own)
    own += np.einsum("gim,...m->...gi", metric.across, shared)
    return metric.centre + whole(shared @ metric.scale.T, own, metric)


def to_z(position: np.ndarray, metric: Metric) -> np.ndarray:
    """Standardised coordinates of positions; the last axis is dim."""
    away = position - metric.centre
    if not has_groups(metric):
        return np.linalg.solve(metric.scale, away.T).T
    shared, own = parts(away, metric)
    shared = np.linalg.solve(metric.scale, shared[..., None])[..., 0]
    own = own - np.einsum("gim,...m->...gi", metric.across, shared)
    own = np.linalg.solve(metric.own, own[..., None])[..., 0]
    return whole(shared, own, metric)


def widths(metric: Metric) -> Float[np.ndarray, " dim"]:
    """Standard deviation of each coordinate where z is standard Normal."""
    shared = np.sqrt((metric.scale**2).sum(axis=1))
    if not has_groups(metric):
        return shared
    own = (metric.own**2).sum(axis=2) + (metric.across**2).sum(axis=2)
    return whole(shared, np.sqrt(own), metric)


def stretched(metric: Metric, factor: Float[np.ndarray, " dim"]) -> Metric:
    """S with each standardised coordinate times a factor."""
    if not has_groups(metric):
        return metric._replace(scale=metric.scale * factor)
    shared, own = parts(factor, metric)
    return metric._replace(
        scale=metric.scale * shared,
        own=metric.own * own[:, None, :],
        across=metric.across * shared,
    )
