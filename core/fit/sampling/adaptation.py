"""Adaptation: what the metric becomes, from what chains saw or where they went."""

import numpy as np
from jaxtyping import Float

from core.fit.chains.chains import Chains, generator
from core.fit.chains.coordinates import (
    has_groups,
    parts,
    straight,
    stretched,
    to_position,
    to_z,
)
from core.fit.chains.kernel import Metric, Trace, narrow
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

#: Inverse errors that are considered, in prior scales of a spread; see `known_by`.
_KNOWN = (0.0, *2.0 ** np.arange(-2.0, 5.1, 0.5))

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
    if metric.known.size:
        positions = to_position(sample, metric)
        metric = metric._replace(known=known_by(positions, metric))
        sample = to_z(positions, metric)
    n_chains, n_seen, dim = sample.shape
    centre = straight(sample.mean(axis=(0, 1)), metric)
    deviation = (sample - sample.mean(axis=1, keepdims=True)).reshape(-1, dim)
    n = n_chains * (n_seen - 1)
    # A few observations of width one, the metric so far, keep a coordinate that hardly
    # moved from collapsing.
    width = np.sqrt(((deviation**2).sum(axis=0) + _BEFORE) / (n + _BEFORE))
    if not has_groups(metric):
        root = np.linalg.cholesky(shrunk_correlation(deviation, n))
        return metric._replace(
            centre=centre, scale=metric.scale @ (width[:, None] * root)
        )
    shared, _ = parts(deviation, metric)
    root = np.linalg.cholesky(shrunk_correlation(shared, n))
    wide = stretched(metric, width)
    return wide._replace(
        centre=centre, scale=wide.scale @ root, across=wide.across @ root
    )


def known_by(
    positions: Float[np.ndarray, "chain draw dim"], metric: Metric
) -> Float[np.ndarray, " dim"]:
    r"""How well data know what each spread multiplies, from where chains went.

    Of each spread the k at which that is nearest to independent Normals: of
    $\sum_i \tfrac{1}{2} \log \mathrm{Var}(x_i n_k) - \log n_k$ the least, with n_k what
    is divided by.

    References:
        Gorinova, Moore and Hoffman (2020), Automatic Reparameterisation of
        Probabilistic Programs.
    """
    known = metric.known.copy()
    is_spread = metric.spread != np.arange(len(known))
    for place in np.unique(metric.spread[is_spread]):
        own = np.flatnonzero(is_spread & (metric.spread == place))
        spread = positions[..., place, None]
        deviation = positions[..., own] / narrow(spread, metric.assumed[own])
        misfits = []
        for k in _KNOWN:
            width = narrow(spread, k)
            variance = (deviation * width).var(axis=1).mean(axis=0)
            misfits.append((np.log(variance) / 2 - np.log(width).mean()).sum())
        known[own] = _KNOWN[np.argmin(misfits)]
    return known


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
    if scale is None:
        return metric
    return chains.plain._replace(centre=ends.mean(axis=0), scale=scale)
