"""Approximation: draws from the Laplace approximation, mended by importance sampling.

Before a chain has moved, the modes and the curvature there give a mixture of normals.
Its draws are weighed by how much denser the posterior is where they lie; the largest
weights are smoothed (PSIS, Vehtari et al., 2024), and k-hat tells how far the mixture
is from the posterior: above 0.7 what comes out is rough, and from 1 on the weights mean
nothing, and the draws are used as they are: fewer of them, as they are off by more than
chance, and all that is worked out of them takes time from the chains.

Preview: the posterior that the Laplace approximation promises, before sampling.
"""

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from core.fit.chains.chains import generator
from core.fit.draws import SamplingStopped
from core.fit.importance import pareto_smoothed
from core.fit.settings import SamplerSettings
from core.fit.start.laplace import Laplace
from core.model.chunks import CHUNK

#: Candidates per draw that is kept.
_CANDIDATES = 3

#: Above this k-hat importance weights cannot be relied on; from `_USELESS` on they
#: have no mean.
K_HAT_LIMIT, _USELESS = 0.7, 1.0


#: Log weights that differ by less count as equal.
_EVEN = 1e-3


class Approximation(NamedTuple):
    """Draws of an approximate posterior.

    Attributes:
        position: Vectors of the sampler; draw dim.
        k_hat: How far the approximation is from the posterior; infinite where it
            could not be told.
    """

    position: np.ndarray
    k_hat: float

    @property
    def is_rough(self) -> bool:
        """Whether the draws cannot be relied on."""
        return not self.k_hat <= K_HAT_LIMIT


def approximation(
    fits: Sequence[Laplace],
    log_density: Callable[[np.ndarray], np.ndarray],
    n: int,
    rng: np.random.Generator,
) -> Approximation:
    """Draws from a mixture of Laplace approximations, corrected where that can be.

    Args:
        fits: One per mode.
        log_density: Of positions, point dim; minus infinity where it is not a number.
        n: Draws; where weights mean nothing a chunk of them at most.
        rng: Random numbers.

    Raises:
        ValueError: No candidate has a finite density.
    """
    candidates, log_ratio = _weighed(fits, log_density, n, rng)
    log_weight, k_hat = smoothed(log_ratio)
    if k_hat < _USELESS:
        more = _weighed(fits, log_density, (_CANDIDATES - 1) * n, rng)
        candidates = np.concatenate([candidates, more[0]])
        log_weight, k_hat = smoothed(np.concatenate([log_ratio, more[1]]))
    if k_hat < _USELESS:
        chosen = _resampled(np.exp(log_weight), n, rng)
    else:
        chosen = np.arange(min(n, CHUNK)) % len(candidates)
    return Approximation(candidates[chosen], k_hat)


def _weighed(
    fits: Sequence[Laplace],
    log_density: Callable[[np.ndarray], np.ndarray],
    n: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Draws of the mixture where the density is finite, and their log weights."""
    draws = _mixture_draws(fits, n, rng)
    density = log_density(draws)
    is_finite = np.isfinite(density)
    if not is_finite.any():
        raise ValueError("No draw of the approximation has a finite density.")
    draws = draws[is_finite]
    return draws, density[is_finite] - _mixture_density(fits, draws)


def _mixture_draws(
    fits: Sequence[Laplace], n: int, rng: np.random.Generator
) -> np.ndarray:
    component = rng.choice(len(fits), size=n, p=np.exp(_log_shares(fits)))
    noise = rng.standard_normal((n, len(fits[0].mode.position)))
    draws = np.empty_like(noise)
    for i, fit in enumerate(fits):
        here = component == i
        draws[here] = fit.mode.position + noise[here] @ fit.scale.T
    return draws


def _mixture_density(fits: Sequence[Laplace], points: np.ndarray) -> np.ndarray:
    """Log density of the mixture, up to a constant that all modes share."""
    parts = []
    for share, fit in zip(_log_shares(fits), fits, strict=True):
        z = np.linalg.solve(fit.scale, (points - fit.mode.position).T)
        log_volume = np.linalg.slogdet(fit.scale)[1]
        parts.append(share - log_volume - 0.5 * (z**2).sum(axis=0))
    return np.logaddexp.reduce(parts, axis=0)


def _log_shares(fits: Sequence[Laplace]) -> np.ndarray:
    mass = np.array([fit.log_mass for fit in fits])
    return mass - np.logaddexp.reduce(mass)


def smoothed(log_ratio: np.ndarray) -> tuple[np.ndarray, float]:
    """Smoothed log weights that add up to one, and k-hat."""
    if np.ptp(log_ratio) < _EVEN:
        return np.full(len(log_ratio), -np.log(len(log_ratio))), -np.inf
    log_weight, k_hat = pareto_smoothed(log_ratio[None])
    return log_weight[0], float(k_hat[0])


def _resampled(weight: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Places of `n` draws in proportion to their weight, evenly spaced."""
    # Systematic resampling: less noise than drawing each by itself.
    steps = (rng.uniform() + np.arange(n)) / n
    places = np.searchsorted(np.cumsum(weight) / weight.sum(), steps)
    return rng.permutation(np.minimum(places, len(weight) - 1))


_LOG = logging.getLogger(__name__)
#: Draws of a preview.
_DRAWS = 400


class Preview(NamedTuple):
    """An approximate posterior.

    Attributes:
        posterior: One chain of independent draws.
        k_hat: How far it is from the posterior; see `core.fit.start.approximation`.
        is_rough: Whether importance sampling could not mend it reliably.
        n_modes: Modes that it covers.
    """

    posterior: xr.Dataset
    k_hat: float
    is_rough: bool
    n_modes: int


def previewer(
    settings: SamplerSettings,
    posterior_of: Callable[[np.ndarray], xr.Dataset],
    on_preview: Callable[[Preview], None],
) -> Callable[[Sequence[Laplace], Callable[[np.ndarray], np.ndarray]], None]:
    """What the sampler is to do once it knows the modes.

    A preview is a courtesy: whatever goes wrong with it is logged, and the fit goes on.

    Args:
        settings: Of the run.
        posterior_of: Posterior variables of positions, chain draw dim.
        on_preview: Takes the preview.
    """
    n = min(_DRAWS, settings.chains * settings.draws)

    def show(fits, log_density) -> None:
        try:
            rng = generator(settings.seed, "preview")
            approximate = approximation(fits, log_density, n, rng)
            posterior = posterior_of(approximate.position[None])
            preview = Preview(
                posterior, approximate.k_hat, approximate.is_rough, len(fits)
            )
            on_preview(preview)
        except SamplingStopped:
            raise
        except Exception:
            _LOG.warning("There is no preview; the fit goes on.", exc_info=True)

    return show
