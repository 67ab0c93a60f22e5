r"""Standardised coordinates: to them, from them, from one metric to another.

    position = (centre + S z) / narrowing

with S S' near the covariance of what is divided. What is divided by is one, but for
coordinates that another one spreads, such as the effects of geos: how wide they are
changes with it, and no matrix follows that. Data that know the effects make them the
narrower the larger their spread. Positions allow for that as far as could be guessed
(core/model/latents.py); `core.fit.chains.kernel.narrowing` for what the guess missed.

S is a matrix, up to a thousand coordinates. Of more, a leapfrog step would spend most
of its time with it, and a Hessian takes as many gradients as there are coordinates.
There coordinates are in groups, such as the deviations of the effects in one geo,
beside those that all groups share, and groups are taken as independent of each other
given the shared coordinates:

    [shared]   [scale    0        ] [z of shared]
    [own   ] = [across   diag(own)] [z of groups]

Whatever the shared coordinates and a group do to each other is in it, what groups do to
each other directly is not. Everything about it grows with the number of groups, not
with its square.
"""

import numpy as np
from jaxtyping import Float, Int

from core.fit.chains.kernel import Metric, narrowing

#: Above this many coordinates the metric is one of groups.
DENSE_LIMIT = 1000


def unscaled(
    dim: int,
    groups: Int[np.ndarray, "group k"] | None = None,
    spread: tuple[Int[np.ndarray, " dim"], Float[np.ndarray, " dim"]] | None = None,
) -> Metric:
    """The metric whose standardised coordinates are the positions themselves.

    Args:
        dim: Length of a position.
        groups: Places of the coordinates of each group; what is in none is shared.
            Where they are not told, every coordinate is a group.
        spread: Place of the coordinate that each is spread by, its own where there is
            none; and how well data are assumed to know it (`Metric`).
    """
    spreads = {}
    if spread is not None:
        places, assumed = spread
        spreads = {"known": assumed, "assumed": assumed, "spread": places}
    if dim <= DENSE_LIMIT:
        return Metric(np.zeros(dim), np.eye(dim), **spreads)
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
        **spreads,
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
    x = straight(z, metric)
    return x / narrowing(x, metric) if metric.known.size else x


def straight(z: np.ndarray, metric: Metric) -> np.ndarray:
    """Centre + S z: positions before anything is narrowed; the last axis is dim."""
    if not has_groups(metric):
        return metric.centre + z @ metric.scale.T
    shared, own = parts(z, metric)
    own = np.einsum("gij,...gj->...gi", metric.own, own)
    own += np.einsum("gim,...m->...gi", metric.across, shared)
    return metric.centre + whole(shared @ metric.scale.T, own, metric)


def to_z(position: np.ndarray, metric: Metric) -> np.ndarray:
    """Standardised coordinates of positions; the last axis is dim."""
    if metric.known.size:
        position = position * narrowing(position, metric)
    away = position - metric.centre
    if not has_groups(metric):
        flat = away.reshape(-1, away.shape[-1])
        return np.linalg.solve(metric.scale, flat.T).T.reshape(away.shape)
    shared, own = parts(away, metric)
    shared = np.linalg.solve(metric.scale, shared[..., None])[..., 0]
    own = own - np.einsum("gim,...m->...gi", metric.across, shared)
    own = np.linalg.solve(metric.own, own[..., None])[..., 0]
    return whole(shared, own, metric)


def of_positions(
    log_density: Float[np.ndarray, "*n"], z: Float[np.ndarray, "*n dim"], metric: Metric
) -> Float[np.ndarray, "*n"]:
    """Log density of positions, given that of their standardised coordinates."""
    if not metric.known.size:
        return log_density
    narrow = narrowing(straight(z.astype(float), metric), metric)
    return log_density + np.log(narrow).sum(axis=-1).astype(log_density.dtype)


def widths(metric: Metric) -> Float[np.ndarray, " dim"]:
    """Standard deviation of each where z is standard Normal, if nothing is narrowed."""
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
