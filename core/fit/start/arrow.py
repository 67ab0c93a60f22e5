"""Curvature of coordinates in groups, from few gradients however many groups there are.

A coordinate that groups share is moved by itself. The first of every group are moved at
once, each up or down at random, then the second of each, and so on: what is found in a
group is its own curvature, and what other groups add to it has a random sign and mean
zero.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.fit.chains.coordinates import parts, whole
from core.fit.chains.kernel import Metric
from core.fit.start.mode import Evaluate

#: Curvatures below this share of a coordinate's own are taken as this.
_FLATTEST = 0.05

#: Gradients are compared over this share of a coordinate's width on each side: wide
#: enough for float32.
_REACH = 0.3

#: Width of a coordinate that bends upwards somewhere: that of its prior.
_WIDEST = 1.0


class Arrow(NamedTuple):
    """Minus a Hessian without what groups do to each other directly.

    Attributes:
        shared: Between shared coordinates, shared shared.
        across: Between those of a group and shared ones, group k shared.
        own: Within each group, group k k.
    """

    shared: np.ndarray
    across: np.ndarray
    own: np.ndarray


def metric_around(
    evaluate: Evaluate,
    positions: Float[np.ndarray, "n dim"],
    metric: Metric,
    rng: np.random.Generator,
) -> Metric | None:
    """The metric of groups of the mean curvature at some positions, centred on them.

    Args:
        evaluate: Log density and gradient.
        positions: Where to look.
        metric: So far; it says which groups there are and how far to look.
        rng: Of the directions in which groups are moved.

    Returns:
        None where the curvature makes no sense.
    """
    reach = _REACH * given_others(metric)
    curvatures = [
        _curvature(evaluate, position, metric, reach, rng) for position in positions
    ]
    mean = Arrow(*[np.mean(leaves, axis=0) for leaves in zip(*curvatures, strict=True)])
    if not all(np.isfinite(leaf).all() for leaf in mean):
        return None
    return _metric(mean, metric)._replace(centre=positions.mean(axis=0))


def given_others(metric: Metric) -> Float[np.ndarray, " dim"]:
    """Width of each coordinate given the others, at most that of a prior."""
    root_shared, root = np.linalg.inv(metric.scale), np.linalg.inv(metric.own)
    with_own = np.einsum("gij,gjm->gim", root, metric.across) @ root_shared
    shared = (root_shared**2).sum(axis=0) + (with_own**2).sum(axis=(0, 1))
    bend = whole(shared, (root**2).sum(axis=1), metric)
    return np.minimum(1.0 / np.sqrt(bend), _WIDEST)


def _curvature(
    evaluate: Evaluate, centre: np.ndarray, metric: Metric, reach: np.ndarray, rng
) -> Arrow:
    n_groups, k = metric.own.shape[:2]
    n_shared = len(metric.scale)
    # All groups in one gradient; random signs keep their mutual effects from adding up.
    signs = rng.choice([-1.0, 1.0], (k, n_groups))
    of_group = signs[:, :, None] * np.eye(k)[:, None, :]
    nothing = np.zeros((n_shared, n_groups, k))
    steps = reach * np.concatenate(
        [
            whole(np.eye(n_shared), nothing, metric),
            whole(np.zeros((k, n_shared)), of_group, metric),
        ]
    )
    rise = evaluate(centre - steps)[1] - evaluate(centre + steps)[1]
    shared, own = parts(rise / 2, metric)
    of_shared, of_own = parts(reach, metric)
    in_shared = shared[:n_shared] / of_shared[:, None]
    across = own[:n_shared] / of_shared[:, None, None]
    in_own = own[n_shared:] * (signs[:, :, None] / of_own.T[:, :, None])
    in_own = np.moveaxis(in_own, 0, 2)
    return Arrow(
        (in_shared + in_shared.T) / 2,
        np.moveaxis(across, 0, 2),
        (in_own + np.swapaxes(in_own, 1, 2)) / 2,
    )


def _metric(curvature: Arrow, metric: Metric) -> Metric:
    """Groups first, then the shared coordinates with the groups integrated out."""
    own = _root_of_inverse(curvature.own)
    solved = own @ (np.swapaxes(own, 1, 2) @ curvature.across)
    correction = np.einsum("gim,gin->mn", curvature.across, solved)
    scale = _root_of_inverse(curvature.shared - correction)
    return metric._replace(scale=scale, own=own, across=-solved @ scale)


def _root_of_inverse(bend: Float[np.ndarray, "*n k k"]) -> np.ndarray:
    """Matrices whose products with their transposes are inverses of curvatures."""
    steepness = np.abs(np.diagonal(bend, axis1=-2, axis2=-1))
    width = 1.0 / np.sqrt(np.clip(steepness, 0.01, 1e8))
    bends, axes = np.linalg.eigh(bend * width[..., :, None] * width[..., None, :])
    # A few positions give a noisy curvature: no direction is believed to be twenty
    # times flatter than its coordinates.
    bends = np.maximum(np.abs(bends), _FLATTEST)
    return width[..., :, None] * axes / np.sqrt(bends)[..., None, :]
