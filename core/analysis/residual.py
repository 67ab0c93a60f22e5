"""Residual noise of a forecast, with what residuals of geos have in common."""

from collections.abc import Mapping

import numpy as np

from core.analysis.pointwise import scaled_means
from core.model.build import Model
from core.model.linear_terms import noise_blocks


def noise(shape: tuple[int, ...], common: float, seed: int) -> np.ndarray:
    """Standard Normal, draw geo time, with a part that geos have in common."""
    rng = np.random.default_rng([seed, 20])
    own, shared = rng.normal(size=shape), rng.normal(size=(shape[0], 1, shape[2]))
    return np.sqrt(common) * shared + np.sqrt(1 - common) * own


def period_noise(
    model: Model, draws: Mapping[str, np.ndarray], times: np.ndarray, seed: int
) -> np.ndarray:
    """What the model's own common noise is in later periods; scaled KPI, draw time.

    Args:
        model: The model; zero where it has no such term.
        draws: Posterior variables, draws first.
        times: The later periods.
        seed: Of the random numbers.
    """
    total = np.zeros((len(draws["sigma"]), len(times)))
    for term in model.structure.terms:
        if term.is_noise:
            blocks = noise_blocks(times, model.data.times)
            distinct, place = np.unique(blocks, return_inverse=True)
            rng = np.random.default_rng([seed, 21])
            drawn = rng.normal(size=(len(total), len(distinct)))[:, place]
            total += np.asarray(draws[f"xi_{term.name}"])[:, None] * drawn
    return total


def demand_noise(
    model: Model, draws: Mapping[str, np.ndarray], n_ahead: int, seed: int
) -> np.ndarray:
    """What hidden demand may be in later periods; scaled KPI, draw geo time.

    The demand term knows a period's demand from its spend, which is a plan later on.
    So each draw has a stretch of the past instead, from a random period on: with the
    memory it had, and what geos and channels had in common.

    Args:
        model: The model; zero where no channel follows demand.
        draws: Posterior variables, draws first.
        n_ahead: Number of later periods.
        seed: Of the random numbers.
    """
    total = np.zeros((len(draws["sigma"]), model.data.n_geos, n_ahead))
    for term in model.terms:
        if term.structure.by_cell:
            design = term.term.design
            rng = np.random.default_rng([seed, 22])
            start = rng.integers(0, design.shape[1], len(total))
            places = (start[:, None] + np.arange(n_ahead)) % design.shape[1]
            gamma = np.asarray(draws[f"gamma_{term.structure.name}"], np.float64)
            for one, (place, by_channel) in enumerate(zip(places, gamma, strict=True)):
                total[one] += design[:, place] @ by_channel
    return total


def common_noise(model: Model, draws: Mapping[str, np.ndarray]) -> float:
    """Mean correlation of the residuals of two geos, zero to one.

    Of what is left after the model's own common noise, if it has that term. The
    likelihood takes geos as independent then; a sum over geos whose residuals still go
    together varies more than that.
    """
    if model.data.n_geos == 1:
        return 0.0
    few = {name: value[:: -(-len(value) // 50)] for name, value in draws.items()}
    expected = scaled_means(model, few)
    residual = np.asarray(model.arrays.kpi) - expected.mean(axis=0)
    seen = np.asarray(model.arrays.is_seen).all(axis=0)
    return mean_correlation(residual[:, seen])


def mean_correlation(residual: np.ndarray) -> float:
    """Mean correlation of two rows, from the variance of their standardised mean.

    Args:
        residual: geo time.
    """
    n = len(residual)
    spread = residual.std(axis=1, keepdims=True)
    standard = (residual - residual.mean(axis=1, keepdims=True)) / np.where(
        spread > 0, spread, 1.0
    )
    found = (n * standard.mean(axis=0).var() - 1) / (n - 1)
    return float(np.clip(np.nan_to_num(found), 0.0, 1.0))
