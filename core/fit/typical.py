"""Where the mass of a density of thousands of coordinates is: a Normal fitted to it.

The joint mode of a model with thousands of effects and a few scales of theirs is far
from where its draws are: there scales are too large and effects too small, and the
log density is higher by half of one for each effect. From there chains sink, in steps a
hundred times too short, for as long as they are allowed to. The centre of the Normal
that approximates the density best is where the log density, averaged over the Normal,
is highest, and the curvature, averaged likewise, is the inverse of its covariance
(Opper and Archambeau, 2009, The Variational Gaussian Approximation Revisited). So the
two are found in turns, each with the same few draws.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from core.fit.arrow import metric_around
from core.fit.coordinates import stretched, to_position, whole
from core.fit.kernel import Metric
from core.fit.mode import climb_all

#: Turns. They need not converge: chains go on from there.
_ROUNDS = 2

#: Draws that averages are taken over, each with its mirror image; and draws that the
#: curvature is averaged over.
_PAIRS = 2

#: Steps of a climb in the first turn, in later ones.
_STEPS, _MORE_STEPS = 100, 30

#: Width of shared coordinates in the first turn; those of groups have their prior's.
_NARROW = 0.1


def typical(
    evaluate: Callable,
    plain: Metric,
    start: Float[np.ndarray, " dim"],
    n_chains: int,
    rng: np.random.Generator,
) -> tuple[Metric, Float[np.ndarray, "chain dim"]] | None:
    """A metric of groups where the mass is, and places there.

    Args:
        evaluate: Log density and gradient of points of a metric's coordinates, or of
            positions where no metric is told.
        plain: The metric of positions; it says which groups there are.
        start: Where to begin.
        n_chains: Places.
        rng: Random numbers.

    Returns:
        None where the density or its curvature make no sense.
    """
    metric = _first(plain)._replace(centre=start)
    for turn in range(_ROUNDS):
        noise = rng.standard_normal((max(_PAIRS, -(-n_chains // 2)), len(start)))
        noise = _finite(lambda z, of=metric: evaluate(z, of), noise)
        if noise is None:
            return None

        def mean(points, noise=noise, of=metric):
            found = [evaluate(point + noise, of) for point in points]
            return (
                np.array([value.mean() for value, _ in found]),
                np.array([gradient.mean(axis=0) for _, gradient in found]),
            )

        steps = _MORE_STEPS if turn else _STEPS
        (top,) = climb_all(mean, np.zeros((1, len(start))), steps)
        places = to_position(top.position + noise, metric)
        centre = to_position(top.position, metric)
        found = metric_around(evaluate, places[:_PAIRS], metric, rng)
        if found is None:
            return None
        metric = found._replace(centre=centre)
    return metric, places[:n_chains]


def _first(plain: Metric) -> Metric:
    n_shared = len(plain.scale)
    factor = whole(np.full(n_shared, _NARROW), np.ones(plain.own.shape[:2]), plain)
    return stretched(plain, factor)


def _finite(evaluate, noise: np.ndarray) -> np.ndarray | None:
    """The draws with their mirror images, drawn in until the density is a number."""
    both = np.concatenate([noise, -noise])
    for _ in range(20):
        if np.isfinite(evaluate(both)[0]).all():
            return both
        both = 0.7 * both
    return None
