"""Optimal frequency: how often to reach the same people, for the same impressions."""

from functools import partial
from typing import NamedTuple

import jax
import numpy as np

from core.analysis.incremental import over_draws, treatment_outcome
from core.analysis.media import media_at_frequency
from core.model.build import Model
from core.model.structure import GroupStructure

#: Step of the grid of frequencies, as in Meridian.
STEP = 0.1


class OptimalFrequency(NamedTuple):
    """ROI of reach-and-frequency channels over frequencies.

    Attributes:
        grid: Frequencies tried, from one up to the largest seen.
        roi: draw grid channel.
        best: Frequency with the highest mean ROI, channel.
        best_of_draw: Frequency with the highest ROI of each draw, draw channel.
    """

    grid: np.ndarray
    roi: np.ndarray
    best: np.ndarray
    best_of_draw: np.ndarray


@partial(jax.jit, static_argnums=(0, 1))
def _outcomes(structure, suffix, arrays, draws, media):
    start = 0
    for group in structure.groups:
        if group.suffix == suffix:
            break
        start += group.n_channels
    places = slice(start, start + group.n_channels)

    def of_draw(draw):
        outcome = treatment_outcome(structure, arrays, draw, media)
        return outcome[places].sum(axis=(1, 2))

    return over_draws(of_draw, draws)


def optimal_frequency(
    model: Model, draws: dict[str, np.ndarray], group: GroupStructure
) -> OptimalFrequency:
    """The frequency at which the same impressions return the most.

    Every geo and period gets one frequency, and reach changes so that impressions,
    and with them spend, stay.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        group: The paid reach-and-frequency group.
    """
    treatments = getattr(model.data, group.kind)
    grid = np.arange(1.0, treatments.frequency.max(), STEP)
    outcomes = [
        np.asarray(
            _outcomes(
                model.structure,
                group.suffix,
                model.arrays,
                draws,
                media_at_frequency(model, group, float(frequency)),
            ),
            np.float64,
        )
        for frequency in grid
    ]
    roi = np.stack(outcomes, axis=1) / treatments.spend.sum(axis=(0, 1))
    return OptimalFrequency(
        grid=grid,
        roi=roi,
        best=grid[roi.mean(axis=0).argmax(axis=0)],
        best_of_draw=grid[roi.argmax(axis=1)],
    )
