r"""Pooled: what channels of one kind returned elsewhere, as a prior for one more.

A random-effects model of log returns, integrated on a grid of (mu, tau):

    y_i ~ N(theta_i, s_i²),    theta_i ~ 0.9 N(mu, tau²) + 0.1 N(mu, tau² + 1)
    mu ~ N(m_0, v_0 - 1/4 - 1/10),    tau ~ HalfNormal(0.5)

m_0 and v_0 are those of the prior that counts without other projects, less what
heterogeneity and outliers add on average: with nothing learnt elsewhere the prediction
is as wide as that prior. The second part of the mixture is a market that differs from
all others by a factor of three or more; it costs the others little. The suggestion is
the LogNormal with the 90 % range of a new theta, mu and tau integrated, and no narrower
than 0.5 on the logarithm unless tests alone would make it so.

References:
    Röver et al. (2021), On weakly informative prior distributions for the
    heterogeneity parameter in Bayesian random-effects meta-analysis.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.model.priors.elicitation import from_range
from core.model.priors.pooling.learnt import HALF, Learnt
from core.model.priors.prior import Prior

#: Scale of the half-Normal prior of tau; share and variance of markets that are apart.
TAU, APART, FAR = 0.5, 0.1, 1.0
#: Least standard deviation of a suggestion that no test carries.
LEAST = 0.5
#: Least variance that is left to mu where the prior without others is a narrow one.
_LEAST_VARIANCE = 0.05
_N_TAU, _N_MU, _REACH = 40, 201, 4.5


@dataclass(frozen=True)
class Source:
    """A fit's channel or a lift test.

    Attributes:
        learnt: What it says of the logarithm of the return.
        is_tested: Whether a lift test is in it.
    """

    learnt: Learnt
    is_tested: bool = False


@dataclass(frozen=True)
class Pooled:
    """A prior from others.

    Attributes:
        loc: Mean of the logarithm.
        scale: Its standard deviation.
        weights: Of each source in what kinds of its channels return on average.
        default_weight: Of the prior that counts without them; all weights add up to 1.
        heterogeneity: Median of tau.
        is_held: Whether the suggestion would be narrower, had tests carried it.
    """

    loc: float
    scale: float
    weights: tuple[float, ...]
    default_weight: float
    heterogeneity: float
    is_held: bool

    @property
    def range(self) -> tuple[float, float]:
        """The 90 % range of the return, to three figures."""
        ends = (math.exp(self.loc + side * HALF * self.scale) for side in (-1, 1))
        low, high = (float(f"{end:.3g}") for end in ends)
        return low, high

    @property
    def prior(self) -> Prior:
        """The prior, as somebody would type it: a range."""
        return from_range(*self.range)


class Grid(NamedTuple):
    """What the sources say of mu and tau.

    Attributes:
        mu: Mean of the logarithm, by node.
        tau: Heterogeneity, by node.
        weight: Posterior probability of each node.
    """

    mu: Float[np.ndarray, " node"]
    tau: Float[np.ndarray, " node"]
    weight: Float[np.ndarray, " node"]


def pooled(sources: Sequence[Source], default: tuple[float, float]) -> Pooled | None:
    """The prior that sources suggest; None where none of them has learnt anything.

    Args:
        sources: Of one kind of channel, without the project that it is for.
        default: Mean and standard deviation of the logarithm by the prior that counts
            without them.
    """
    learnt = [source.learnt for source in sources]
    if not any(each.is_something for each in learnt):
        return None
    nodes = grid(learnt, default)
    loc, scale = _predicted(nodes)
    tested = [source.learnt for source in sources if source.is_tested]
    has_tests = any(each.is_something for each in tested)
    of_tests = _predicted(grid(tested, default))[1] if has_tests else math.inf
    least = min(LEAST, of_tests)
    shares = _shares(learnt, nodes, default)
    order = np.argsort(nodes.tau)
    middle = np.searchsorted(np.cumsum(nodes.weight[order]), 0.5)
    return Pooled(
        loc=loc,
        scale=max(scale, least),
        weights=tuple(shares[:-1].tolist()),
        default_weight=float(shares[-1]),
        heterogeneity=float(nodes.tau[order][min(middle, len(order) - 1)]),
        is_held=scale < least,
    )


def grid(learnt: Sequence[Learnt], default: tuple[float, float]) -> Grid:
    """The posterior of mu and tau on a grid.

    Args:
        learnt: The sources.
        default: As in `pooled`.
    """
    middle, spread = default[0], math.sqrt(_variance(default))
    steps = np.linspace(-_REACH, _REACH, _N_MU)
    quantiles = (np.arange(_N_TAU) + 0.5) / _N_TAU
    taus = [TAU * NormalDist().inv_cdf(0.5 + q / 2) for q in quantiles.tolist()]
    mu = np.repeat(middle + spread * steps, _N_TAU)
    tau = np.tile(np.array(taus), _N_MU)
    log_weight = np.repeat(-0.5 * steps**2, _N_TAU)
    for each in learnt:
        if each.is_something:
            log_weight = log_weight + log_predictive(each, mu, tau)
    weight = np.exp(log_weight - log_weight.max())
    return Grid(mu, tau, weight / weight.sum())


def log_predictive(
    each: Learnt, mu: Float[np.ndarray, "*node"], tau: Float[np.ndarray, "*node"]
) -> Float[np.ndarray, "*node"]:
    """Log density of a source, given mu and tau; a spread of zero is theta itself."""
    near, far = _parts(each, mu, tau)
    return np.logaddexp(near, far)


def _parts(each: Learnt, mu: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, ...]:
    """Log density of a source as a market like others, and as one that is apart."""
    shares = ((1 - APART, 0.0), (APART, FAR))
    variances = [tau**2 + more + each.spread**2 for _, more in shares]
    return tuple(
        math.log(share) - 0.5 * ((each.location - mu) ** 2 / v + np.log(2 * np.pi * v))
        for (share, _), v in zip(shares, variances, strict=True)
    )


def _variance(default: tuple[float, float]) -> float:
    """Prior variance of mu."""
    return max(default[1] ** 2 - TAU**2 - APART * FAR, _LEAST_VARIANCE)


def _predicted(nodes: Grid) -> tuple[float, float]:
    """Middle and width of the 90 % range of a new theta, as those of a Normal."""
    from scipy.special import ndtr

    low, high = nodes.mu.min() - 4.0, nodes.mu.max() + 4.0
    points = np.linspace(low, high, 601)
    # Nodes without weight count for nothing, and are most of them.
    mask = nodes.weight > 1e-7 * nodes.weight.max()
    mu, tau, weight = (part[mask, None] for part in nodes)
    near, far = (ndtr((points - mu) / np.sqrt(tau**2 + v)) for v in (0.0, FAR))
    below = (weight * ((1 - APART) * near + APART * far)).sum(0) / weight.sum()
    ends = np.interp([0.05, 0.95], below, points)
    return float(ends.mean()), float(np.ptp(ends) / (2 * HALF))


def _shares(
    learnt: Sequence[Learnt], nodes: Grid, default: tuple[float, float]
) -> np.ndarray:
    """Share of each source, and of the default at last, in the precision of mu."""
    precision = []
    for each in learnt:
        if not each.is_something:
            precision.append(0.0)
            continue
        near, far = _parts(each, nodes.mu, nodes.tau)
        like_others = np.exp(near - np.logaddexp(near, far))
        variance = nodes.tau**2 + each.spread**2
        own = like_others / variance + (1 - like_others) / (variance + FAR)
        precision.append(float((nodes.weight * own).sum()))
    total = np.array([*precision, 1 / _variance(default)])
    return total / total.sum()
