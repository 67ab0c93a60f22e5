"""Preview: the posterior that the Laplace approximation promises, before sampling."""

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from core.fit.chains.chains import generator
from core.fit.draws import SamplingStopped
from core.fit.settings import SamplerSettings
from core.fit.start.approximation import approximation
from core.fit.start.laplace import Laplace

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
