"""Following: how likely each channel's spend follows demand, by the draws of a fit.

Beside it, which of those channels no lift test of the model has measured.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from core.model.build import Model
from core.model.terms.demand import PRESENT

#: From even odds on a channel is one of those that follow.
FOLLOWS = 0.5


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


def n_lift_tests(model: Model, names: Sequence[str]) -> list[int]:
    """How many lift tests of each channel the model has."""
    tests = [name for test in model.spec.experiments for name in test.channels]
    return [tests.count(name) for name in names]


def untested(model: Model, draws: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Channels that probably follow demand and have no lift test in the model."""
    chances = probabilities(model, draws)
    names = [name for name, chance in chances.items() if chance >= FOLLOWS]
    tests = n_lift_tests(model, names)
    return tuple(name for name, n in zip(names, tests, strict=True) if not n)
