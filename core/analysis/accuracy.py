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
