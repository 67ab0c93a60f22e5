"""Draws: what a sampler returns, as NumPy arrays, or that it was stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.errors import SamplingError


class SamplingStopped(SamplingError):
    """The run was told to stop; its checkpoint, if it has one, can be resumed."""

    def __init__(self) -> None:
        super().__init__(
            "The run was stopped.", hint="Resume it to make the remaining draws."
        )


@dataclass(frozen=True)
class Draws:
    """Draws of every chain, and how they came about.

    Attributes:
        position: Unconstrained vectors; chain draw dim.
        log_density: Of each draw, up to a constant; chain draw.
        energy: Hamiltonian of each draw; chain draw.
        acceptance_rate: Mean acceptance along the trajectory; chain draw.
        n_steps: Leapfrog steps, each one gradient; chain draw.
        diverging: Whether the trajectory left the level set; chain draw.
        step_size: Of each chain, in standardised coordinates.
        metric_sd: Square root of the inverse mass matrix's diagonal: the spread the
            sampler took each coordinate to have; dim.
        seconds: Wall time of `setup`, `mode`, `preview`, `compile`, `warmup`, `draws`,
            which add up to `total`.
        compilations: Functions compiled or fetched from the compilation cache.
        n_warmup: Iterations of warm-up per chain, without restarts.
        n_modes: Separate modes that chains started from.
        restarts: Chains moved out of a bad region in warm-up.
        notes: What the user should know, in sentences.
    """

    position: np.ndarray
    log_density: np.ndarray
    energy: np.ndarray
    acceptance_rate: np.ndarray
    n_steps: np.ndarray
    diverging: np.ndarray
    step_size: np.ndarray
    metric_sd: np.ndarray
    seconds: dict[str, float] = field(default_factory=dict)
    compilations: int = 0
    n_warmup: int = 0
    n_modes: int = 1
    restarts: int = 0
    notes: tuple[str, ...] = ()

    @property
    def n_divergences(self) -> int:
        """Divergent trajectories of all chains."""
        return int(self.diverging.sum())


def added(seconds: Mapping[str, float], **more: float) -> dict[str, float]:
    """What parts took, with more of some of them.

    Args:
        seconds: Wall time by part.
        more: What is added to a part, which may be new.
    """
    sums = {part: seconds.get(part, 0.0) + took for part, took in more.items()}
    return {**seconds, **sums}
