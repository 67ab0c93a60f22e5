"""Accuracy: how well the expected outcome follows the actual one."""

from typing import NamedTuple

import numpy as np


class Accuracy(NamedTuple):
    """Measures of fit; all dimensionless.

    Attributes:
        r2: Share of variance explained, one less MSE over variance.
        mape: Mean of the absolute error as a share of the actual outcome, over
            cells where that is not zero.
        wmape: Sum of the absolute errors as a share of the total actual outcome.
    """

    r2: float
    mape: float
    wmape: float


def accuracy(actual: np.ndarray, expected: np.ndarray) -> Accuracy:
    """Measures of fit over cells.

    Args:
        actual: Outcome, any shape.
        expected: Posterior mean of the expected outcome, same shape.
    """
    error = np.abs(actual - expected)
    is_on = actual != 0
    variance = actual.var()
    return Accuracy(
        r2=float(1 - (error**2).mean() / variance) if variance > 0 else float("nan"),
        mape=float((error[is_on] / np.abs(actual[is_on])).mean())
        if is_on.any()
        else float("nan"),
        wmape=float(error.sum() / np.abs(actual).sum())
        if is_on.any()
        else float("nan"),
    )


def accuracy_sets(
    actual: np.ndarray, expected: np.ndarray, is_seen: np.ndarray
) -> dict[str, dict[str, Accuracy]]:
    """Measures of fit of cells seen, held out, and all; by geo and nationally.

    Args:
        actual: Outcome, geo time.
        expected: Posterior mean of the expected outcome, geo time.
        is_seen: Whether the likelihood saw a cell, geo time.

    Returns:
        `train`, `test` and `all` (only `all` where nothing is held out), each with
        `geo` (every cell counts) and `national` (sums over the set's geos).
    """
    sets = {"all": np.ones(actual.shape, dtype=bool)}
    if not np.all(is_seen):
        seen = np.asarray(is_seen, dtype=bool)
        sets = {"train": seen, "test": ~seen} | sets
    result = {}
    for name, cells in sets.items():
        has_any = cells.any(axis=0)
        summed = [
            np.where(cells, values, 0.0).sum(axis=0)[has_any]
            for values in (actual, expected)
        ]
        result[name] = {
            "geo": accuracy(actual[cells], expected[cells]),
            "national": accuracy(*summed),
        }
    return result
