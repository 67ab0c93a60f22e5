"""Adaptation: what the metric becomes, from what chains saw or where they went."""

import numpy as np
from jaxtyping import Float

from core.fit.chains.chains import Chains, generator
from core.fit.chains.coordinates import has_groups, parts, stretched, to_position
from core.fit.chains.kernel import Metric, Trace
from core.fit.start.arrow import metric_around
from core.fit.start.laplace import mean_curvature

#: Mean square of a standardised coordinate, 1 where the approximation is right, or mean
#: leapfrog steps above which the chains' own curvature replaces it.
_FAR, _SLOW = 4.0, 128

#: Log density that few coordinates may climb before the approximation is wrong.
_CLIMB = 50.0

#: Chains whose curvature is taken.
_MOST_POSITIONS = 4

#: Share of a window that counts as the way there and does not inform the metric.
_ON_THE_WAY = 0.25

#: Observations of each coordinate that the metric so far counts as.
_BEFORE = 5.0


def corrected(metric: Metric, trace: Trace) -> Metric:
    """The metric after a window: centre, widths and correlations of what chains saw.

    Within chains, so that chains in separate modes do not stretch it. Correlations are
    shrunk towards none in the coordinates so far, as far as chance can explain them: of
    hundreds of coordinates a few hundred iterations show long axes where there are
    none, and a step is as long as the shortest axis. In a metric of groups only the
    shared coordinates have correlations corrected.
    """
    sample = trace.z[:, int(_ON_THE_WAY * trace.z.shape[1]) :].astype(float)
    n_chains, n_seen, dim = sample.shape
    centre = to_position(sample.mean(axis=(0, 1)), metric)
    deviation = (sample - sample.mean(axis=1, keepdims=True)).reshape(-1, dim)
    n = n_chains * (n_seen - 1)
    # A few observations of width one, the metric so far, keep a coordinate that hardly
    # moved from collapsing.
    width = np.sqrt(((deviation**2).sum(axis=0) + _BEFORE) / (n + _BEFORE))
    if not has_groups(metric):
        root = np.linalg.cholesky(shrunk_correlation(deviation, n))
        return Metric(centre, metric.scale @ (width[:, None] * root))
    shared, _ = parts(deviation, metric)
    root = np.linalg.cholesky(shrunk_correlation(shared, n))
    wide = stretched(metric, width)
    return wide._replace(
        centre=centre, scale=wide.scale @ root, across=wide.across @ root
    )


def shrunk_correlation(
    deviation: Float[np.ndarray, "seen dim"], n: int
) -> Float[np.ndarray, "dim dim"]:
    r"""Correlations $(1 - \lambda) r_{ij}$ of deviations from a mean.

    $\lambda = \sum_{i \ne j} \widehat{\mathrm{Var}}(r_{ij}) / \sum_{i \ne j} r_{ij}^2$

    Args:
        deviation: Rows are observations.
        n: Degrees of freedom, at most the number of rows.

    References:
        Schaefer and Strimmer (2005), A Shrinkage Approach to Large-Scale Covariance
        Matrix Estimation.
    """
    dim = deviation.shape[1]
    length = np.sqrt((deviation**2).sum(axis=0))
    if n < 2 or dim == 1 or not length.all():
        return np.eye(dim)
    # Deviations of unit variance, so that products are correlations and their spread
    # follows from the same rows.
    x = deviation * np.sqrt(n) / length
    r = x.T @ x / n
    of_chance = ((x**2).T @ (x**2) / n - r**2) / n
    np.fill_diagonal(r, 0.0)
    np.fill_diagonal(of_chance, 0.0)
    squares = (r**2).sum()
    share = min(1.0, of_chance.sum() / squares) if squares > 0 else 1.0
    return (1.0 - share) * r + np.eye(dim)


def arrived(chains: Chains, metric: Metric, trace: Trace, *, n_modes: int) -> Metric:
    """The metric after an arrival: the chains' own curvature if it does not fit them.

    It does not fit chains that take many steps, nor chains that climbed farther than
    their dispersion explains (by one for each coordinate; their starts are 0.6 below
    what is usual), nor chains that went far, unless they started in separate
    modes: then far is where they began.

    Args:
        chains: The chains.
        metric: So far.
        trace: Of the arrival, of chains that are not astray.
        n_modes: Modes that the chains started from.
    """
    half = trace.z.shape[1] // 2
    is_far = n_modes == 1 and (trace.z[:, half:] ** 2).mean() > _FAR
    is_slow = trace.n_steps[:, half:].mean() > _SLOW
    climbed = np.median(trace.log_density[:, -1] - trace.log_density[:, 0])
    fits = not (is_far or is_slow or climbed > max(_CLIMB, chains.dim))
    if fits:
        return metric
    ends = to_position(trace.z[:_MOST_POSITIONS, -1].astype(float), metric)

    def evaluate(points):
        return chains.gradients(points, chains.plain)

    if has_groups(metric):
        rng = generator(chains.settings.seed, "curvature")
        return metric_around(evaluate, ends, metric, rng) or metric
    scale = mean_curvature(evaluate, ends)
    return metric if scale is None else Metric(ends.mean(axis=0), scale)
