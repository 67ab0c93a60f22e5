r"""Predicted: where observations should lie, rather than their expectation.

Given a draw, the outcome of a period is Normal: its expectation, and the scale of the
noise. So the predictive distribution is the mixture over draws. Noise with memory has
that scale at any one time: its memory moves neighbouring periods together, and widens
nothing. Geos add up with what their noise has in common:

    Var = (1 - c) sum_g (s_g sigma_g)^2 + c (sum_g s_g sigma_g)^2 + xi^2 (sum_g s_g)^2

with the outcome s_g of a unit of the scaled KPI, the correlation c of residuals of
geos, and the scale xi of the model's own common noise.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from core.analysis.checking.pointwise import sigmas
from core.analysis.checking.residual import common_noise
from core.estimate import quantiles
from core.model.build import Model

#: Scales of the noise beyond which no end of an interval lies.
_FARTHEST = 6.0
#: Steps to an end of an interval at most. One of Newton's is the last that is as short
#: as this, in scales of the noise: it leads to within a ten-millionth of them.
_STEPS, _LAST, _NEAR = 60, 3e-4, 1e-7


class Spread(NamedTuple):
    """Scale of the noise per draw; outcome units.

    Attributes:
        total: Of the sum over geos; draw time.
        own: sigma and common noise of a geo, scaled KPI; draw geo.
        scale: Outcome of a unit of the scaled KPI; geo time.
    """

    total: np.ndarray
    own: np.ndarray
    scale: np.ndarray


def spread(model: Model, draws: Mapping[str, np.ndarray]) -> Spread:
    """Scale of the noise of every cell, and of the sum over geos.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    sigma = sigmas(model, draws)
    scale = np.asarray(model.arrays.outcome_scale, np.float64)
    xi = np.zeros(len(sigma))
    for term in model.structure.terms:
        if term.is_noise:
            xi = np.hypot(xi, np.asarray(draws[f"xi_{term.name}"], np.float64))
    shared = common_noise(model, draws)
    apart = np.einsum("sg,gt->st", sigma**2, scale**2)
    # Perfectly correlated noise adds up in sd, independent noise in variance.
    together = np.einsum("sg,gt->st", sigma, scale) ** 2
    variance = (1 - shared) * apart + shared * together
    variance += xi[:, None] ** 2 * scale.sum(axis=0) ** 2
    own = np.hypot(sigma, xi[:, None])
    return Spread(np.sqrt(variance), own, scale)


def predictive_interval(mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Interval of a mixture of Normals, one per draw, by Newton's steps and halvings.

    Args:
        mean: draw time.
        scale: draw time, or what broadcasts to it; positive.

    Returns:
        Lower and upper end, time ci; the mass is `core.dims.INTERVAL`.
    """
    scale = np.broadcast_to(scale, mean.shape)
    low, _, high = quantiles()
    return np.stack([_end(mean, scale, share) for share in (low, high)], axis=-1)


def _end(mean: np.ndarray, scale: np.ndarray, share: float) -> np.ndarray:
    """Where a share of the mixture is below, of all periods at once.

    A quantile of drawn noise would need thousands of draws for the same digits.
    """
    left = (mean - _FARTHEST * scale).min(axis=0)
    right = (mean + _FARTHEST * scale).max(axis=0)
    spread = np.sqrt(mean.var(axis=0) + (scale**2).mean(axis=0))
    at = np.clip(mean.mean(axis=0) + ndtri(share) * spread, left, right)
    least, precision = scale.min(axis=0), 1 / scale
    for _ in range(_STEPS):
        z = (at - mean) * precision
        off = ndtr(z).mean(axis=0) - share
        left, right = np.where(off < 0, at, left), np.where(off < 0, right, at)
        z *= z
        z *= -0.5
        np.exp(z, out=z)
        z *= precision
        with np.errstate(all="ignore"):  # far from every draw
            to = at - off * np.sqrt(2 * np.pi) / z.mean(axis=0)
        by_halves = ~((left < to) & (to < right))
        to[by_halves] = (left + right)[by_halves] / 2
        step, at = np.abs(to - at), to
        if (step <= np.where(by_halves, _NEAR, _LAST) * least).all():
            break
    return at
