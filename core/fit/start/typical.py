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

from core.fit.chains.coordinates import parts, to_position, to_z, whole
from core.fit.chains.kernel import Metric
from core.fit.start.arrow import given_others, metric_around
from core.fit.start.mode import climb_all

#: Turns: enough of them when one moves the centre less than this, in mean squares of
#: standardised coordinates. They need not converge: chains go on from there.
_MOST_ROUNDS, _NEAR = 6, 0.5

#: Draws that averages are taken over, each with its mirror image.
_PAIRS = 2

#: Steps of a climb.
_STEPS = 100

#: Shared coordinates are drawn at most this wide: there are few, and a mode of theirs
#: with the groups averaged out is where the mass is.
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
    metric = plain._replace(centre=start)
    for turn in range(_MOST_ROUNDS):
        noise = rng.standard_normal((max(_PAIRS, -(-n_chains // 2)), len(start)))
        noise = _finite(lambda z, of=metric: evaluate(z, of), _narrow(noise, metric))
        if noise is None:
            return None

        def mean(points, noise=noise, of=metric):
            evaluations = [evaluate(point + noise, of) for point in points]
            return (
                np.array([value.mean() for value, _ in evaluations]),
                np.array([gradient.mean(axis=0) for _, gradient in evaluations]),
            )

        (top,) = climb_all(mean, np.zeros((1, len(start))), _STEPS)
        places = to_position(top.position + noise, metric)
        around = metric_around(evaluate, places, metric, rng)
        if around is None:
            return None
        metric = around._replace(centre=to_position(top.position, metric))
        if turn and (top.position**2).mean() < _NEAR:
            break
    return metric, places[:n_chains]


def _narrow(noise: np.ndarray, metric: Metric) -> np.ndarray:
    """Draws of each group given the shared coordinates, and these nearly fixed."""
    of_shared, _ = parts(np.minimum(given_others(metric), _NARROW), metric)
    shared, own = parts(noise, metric)
    own = np.einsum("gij,ngj->ngi", metric.own, own)
    return to_z(metric.centre + whole(of_shared * shared, own, metric), metric)


def _finite(evaluate: Callable, noise: np.ndarray) -> np.ndarray | None:
    """The draws with their mirror images, drawn in until the density is a number."""
    # Mirror images: odd terms of the density cancel, and a few draws give a steady
    # mean.
    both = np.concatenate([noise, -noise])
    for _ in range(20):
        if np.isfinite(evaluate(both)[0]).all():
            return both
        both = 0.7 * both
    return None
