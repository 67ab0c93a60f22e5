"""Patterns that residuals of a right model do not have; one number per draw.

Residuals are standardised, draw time: under the model they are standard Normal noise.
"""

import numpy as np

from core.data.ahead.horizon import periods_per_year
from core.data.periods import periods

_DAYS = 365.25
#: Pairs of sine and cosine of the year that a leftover season is looked for in.
_PAIRS = 2


def autocorrelation(residual: np.ndarray, lag: int) -> np.ndarray:
    """Correlation with the residual so many periods before."""
    centred = residual - residual.mean(axis=1, keepdims=True)
    product = (centred[:, lag:] * centred[:, :-lag]).sum(axis=1)
    return product / np.maximum((centred**2).sum(axis=1), 1e-300)


def share_explained(residual: np.ndarray, design: np.ndarray) -> np.ndarray:
    """Share of the residuals' variance that columns of a design take.

    What a straight line takes is taken out first.

    Args:
        residual: draw time.
        design: time column.
    """
    n = residual.shape[1]
    line = np.column_stack([np.ones(n), np.linspace(-1, 1, n)])
    line, _ = np.linalg.qr(line)
    # An orthonormal basis: the share explained is then a sum of squares, without
    # solving per draw.
    basis, _ = np.linalg.qr(design - line @ (line.T @ design))
    left = residual - (residual @ line) @ line.T
    total = (left**2).sum(axis=1)
    return ((left @ basis) ** 2).sum(axis=1) / np.maximum(total, 1e-300)


def farthest(residual: np.ndarray) -> np.ndarray:
    """Largest distance of a period from zero, in the residuals' own sd."""
    spread = np.sqrt((residual**2).mean(axis=1))
    return np.abs(residual).max(axis=1) / np.maximum(spread, 1e-300)


def year_design(times: np.ndarray) -> np.ndarray | None:
    """Sines and cosines of the year; None where the data are too short for them."""
    years = times.astype("datetime64[D]").astype(float) / _DAYS
    per_year = periods_per_year(times)
    pairs = min(_PAIRS, (per_year - 1) // 2)
    if pairs < 1 or len(times) < 1.5 * per_year:
        return None
    waves = 2 * np.pi * years[:, None] * np.arange(1, pairs + 1)
    return np.hstack([np.sin(waves), np.cos(waves)])


def weekday_design(times: np.ndarray) -> np.ndarray | None:
    """Days of the week but one, less their mean; None for data that are not daily."""
    if periods(times).frequency != "daily" or len(times) < 28:
        return None
    day = (times.astype("datetime64[D]").astype(int) + 3) % 7
    design = (day[:, None] == np.arange(6)).astype(float)
    # Six of seven days: all of them would be the mean once more.
    return design - design.mean(axis=0)


def season_lag(times: np.ndarray) -> int | None:
    """Periods after which what is left may come again; None where data are short."""
    lag = 7 if periods(times).frequency == "daily" else periods_per_year(times)
    return lag if lag > 1 and len(times) >= 1.5 * lag else None
