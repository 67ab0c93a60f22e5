"""Laplace approximation: a mode and the curvature around it; and around chains."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.fit.start.mode import Evaluate, Mode

#: Curvatures below this share of a coordinate's own are taken as this.
_FLATTEST = 1e-6

#: The same for curvatures around chains, of which only few are averaged.
_FLATTEST_MEAN = 0.05

#: Width of a coordinate that bends upwards somewhere: that of its prior.
_WIDEST = 1.0

#: Share of downward-bent directions above which the curvature says nothing.
_HOPELESS = 0.1


class Laplace(NamedTuple):
    """A normal approximation of the density around a mode.

    Attributes:
        mode: Its centre.
        scale: Matrix whose product with its transpose is the covariance.
        log_mass: Log of the mass that the approximation gives the mode.
    """

    mode: Mode
    scale: np.ndarray
    log_mass: float


def laplace(evaluate: Evaluate, mode: Mode) -> Laplace | None:
    """The approximation at a mode; None where the curvature makes no sense."""
    width, curvature = _curvature(evaluate, mode.position)
    if not np.isfinite(curvature).all():
        return None
    # A Hessian is symmetric: what is not is error, and no bend below it can be told.
    noise = np.linalg.norm(curvature - curvature.T, 2) / 2
    bends, directions = np.linalg.eigh((curvature + curvature.T) / 2)
    flattest = max(noise, _FLATTEST)
    if (bends < -flattest).mean() > _HOPELESS:
        return None
    # Few directions bend up by error; their size still says how far to go.
    bends = np.maximum(np.abs(bends), flattest)
    scale = width[:, None] * directions / np.sqrt(bends)
    log_volume = np.log(width).sum() - 0.5 * np.log(bends).sum()
    log_volume += 0.5 * len(width) * np.log(2 * np.pi)
    return Laplace(mode, scale, mode.log_density + log_volume)


def mean_curvature(
    evaluate: Evaluate, positions: Float[np.ndarray, "chain dim"]
) -> Float[np.ndarray, "dim dim"] | None:
    """Scale of the metric from the curvature where chains are, averaged.

    The mean of minus the Hessian over the posterior is the inverse covariance where
    the posterior is Normal. The curvature at a joint mode is not, where a scale and the
    effects that it scales are multiplied: there the scale is far too large and the
    effects too small (Neal's funnel), and the widths are wrong by an order.

    Returns:
        Matrix whose product with its transpose stands for the covariance; None where
        the curvature makes no sense.
    """
    # Widths of one place do for the others: they only say how far to look.
    width = _widths(evaluate, positions[0], _WIDEST)
    bends = [_bend(evaluate, position, width) for position in positions]
    curvature = np.mean(bends, axis=0) / np.outer(width, width)
    if not np.isfinite(curvature).all():
        return None
    own = np.clip(np.abs(np.diag(curvature)), 0.01, 1e8)
    width = 1 / np.sqrt(own)
    curvature = (curvature + curvature.T) / 2 * np.outer(width, width)
    bends, directions = np.linalg.eigh(curvature)
    bends = np.maximum(np.abs(bends), _FLATTEST_MEAN)
    return width[:, None] * directions / np.sqrt(bends)


def _curvature(evaluate: Evaluate, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Widths of the coordinates, and minus the Hessian in units of the widths."""
    width = _widths(evaluate, centre, widest=10.0)
    return width, _bend(evaluate, centre, width)


def _widths(evaluate: Evaluate, centre: np.ndarray, widest: float) -> np.ndarray:
    """How far each coordinate reaches, everything else given."""
    eye = np.eye(len(centre))
    steep = evaluate(centre[None, :])[1]
    own = np.diag(steep - evaluate(centre + 0.01 * eye)[1]) / 0.01
    width = np.minimum(1 / np.sqrt(np.clip(own, 0.01, 1e8)), widest)
    # Again at the width just found: the first step, of 0.01, may be below float32's
    # resolution or far too wide.
    own = np.diag(steep - evaluate(centre + 0.3 * width[:, None] * eye)[1])
    width = 1 / np.sqrt(np.clip(own / (0.3 * width), 0.01, 1e8))
    return np.minimum(width, widest)


def _bend(evaluate: Evaluate, centre: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Minus the Hessian in units of the widths.

    By differences of gradients over a third of each coordinate's width: wide enough
    for float32, and it sees the curvature that a chain meets rather than that of a
    point. What of it is not symmetric tells how exact it is.
    """
    reach = 0.3 * width[:, None] * np.eye(len(centre))
    bend = evaluate(centre - reach)[1] - evaluate(centre + reach)[1]
    return bend * width[None, :] / 0.6
