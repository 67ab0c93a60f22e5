"""Following: how likely each channel's spend follows demand, by the draws of a fit."""

from collections.abc import Mapping

import numpy as np

from core.model.build import Model
from core.model.terms.demand import PRESENT


def indicators(
    model: Model, draws: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray | float]:
    """Whether each paid channel follows demand: one or zero per draw.

    Where no indicator was summed over, the probability, which is the same in all draws.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    openly = [one.channel for one in model.demand if one.column == "open"]
    results: dict[str, np.ndarray | float] = {}
    for one in model.demand:
        results[one.channel] = one.probability
        if one.column == "open" and PRESENT in draws:
            results[one.channel] = np.asarray(draws[PRESENT])[
                :, openly.index(one.channel)
            ]
    for one in model.demand:
        if one.twin:
            results[one.channel] = results[one.twin]
    return results


def probabilities(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, float]:
    """How likely each paid channel follows demand, by the fit."""
    return {
        name: float(np.mean(present))
        for name, present in indicators(model, draws).items()
    }
