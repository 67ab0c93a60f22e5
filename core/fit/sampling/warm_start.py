"""Warm start: a fit that begins where an earlier fit of nearly the same density ended.

The earlier fit's draws say where the mass is and its metric how wide it is, so that no
mode is climbed to and the first windows of the warm-up are short. It stays a warm-up:
chains start more dispersed than the draws, the step size adapts, and where the chains
find that the old metric does not fit, their own curvature replaces it and is corrected
as ever. The draws that are kept are those of a NUTS run like any other.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.fit.chains.coordinates import of_positions, to_position, to_z
from core.fit.chains.kernel import Metric, Trace
from core.fit.sampling.adaptation import corrected
from core.fit.sampling.checkpoint import DAMAGE, read_saved

#: Iterations of the arrival, of the metric where that was replaced, and of the step
#: size.
WARM_WINDOWS = (5, 50, 50)


class WarmStart(NamedTuple):
    """What an earlier fit knows.

    Attributes:
        metric: Standardised coordinates in which its draws are.
        position: Its draws, chain draw dim.
        log_density: Of each of them in the earlier fit, up to a constant; chain draw.
        n_modes: Separate modes that its chains were in.
    """

    metric: Metric
    position: np.ndarray
    log_density: np.ndarray
    n_modes: int

    def starts(
        self, n_chains: int, dispersion: float, rng: np.random.Generator
    ) -> np.ndarray:
        """Starts in standardised coordinates, chain dim: draws of the same chains.

        Args:
            n_chains: Chains of the new fit.
            dispersion: How much farther from the centre than the draw each one is.
            rng: Random numbers.
        """
        old, n_draws = self.position.shape[:2]
        chains = np.arange(n_chains) % old
        draws = self.position[chains, rng.integers(n_draws, size=n_chains)]
        return dispersion * to_z(draws.astype(float), self.metric)


def read_warm_start(checkpoint: Path) -> WarmStart | None:
    """What the finished fit behind a checkpoint knows; None where it is not all there.

    Args:
        checkpoint: The folder of the checkpoint.
    """
    try:
        saved = read_saved(checkpoint)
        if saved is None or saved.about.plan[saved.about.stage][0] != "draws":
            return None
        metric = Metric(
            *[saved.arrays[name] for name in Metric._fields if name in saved.arrays]
        )
        rows: dict[str, np.ndarray] = saved.rows
        z, log_density = rows["z"], rows["log_density"]
    except (*DAMAGE, IndexError, AttributeError):
        return None
    if not z.size or not np.isfinite(log_density).all():
        return None
    position = to_position(z.astype(float), metric)
    log_density = of_positions(log_density, z, metric)
    # All of its draws say more of widths and correlations than a window did.
    metric = corrected(metric, Trace(z, *[None] * (len(Trace._fields) - 1)))
    return WarmStart(metric, position, log_density, saved.about.n_modes)
