"""Estimates from draws: the centre and the 90 % interval that figures show."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr

from core.dims import DRAW, INTERVAL

Centre = Literal["mean", "median"]


def estimates(draws: xr.DataArray, centre: Centre = "mean") -> xr.Dataset:
    """Centre, `lo` and `hi` of draws.

    Args:
        draws: Draws of anything.
        centre: Mean, or median for ratios that may divide by almost nothing.

    Returns:
        Dataset with `mid`, `lo` and `hi`, without the dimension of draws; NaN where any
        draw is not finite.
    """
    # A draw without a value leaves none for all: an interval of the rest alone would be
    # too narrow.
    draws = draws.where(np.isfinite(draws))
    tail = (1 - INTERVAL) / 2
    ends = draws.quantile([tail, 1 - tail], dim=DRAW, skipna=False)
    middle = getattr(draws, centre)(DRAW, skipna=False)
    return xr.Dataset(
        {
            "mid": middle,
            "lo": ends.isel(quantile=0, drop=True),
            "hi": ends.isel(quantile=1, drop=True),
        }
    )


#: Of a density's grid: finer than a screen draws it.
_POINTS = 160


def density(draws: Sequence[float] | np.ndarray) -> np.ndarray:
    """Smoothed density of draws (Gaussian kernel, Silverman's width).

    Returns:
        Two rows: the grid and the density on it.
    """
    draws = np.asarray(draws, float)
    draws = draws[np.isfinite(draws)]
    low, high = np.quantile(draws, [0.25, 0.75])
    # Where most draws are one number the quartiles are, too, and say nothing of the
    # rest.
    spread = min(draws.std(), (high - low) / 1.34) or draws.std()
    size = max(abs(float(draws.mean())), 1e-12)
    # Draws that are all the same still need a width to be divided by.
    width = max(0.9 * spread * len(draws) ** -0.2, 1e-9 * size)
    grid = np.linspace(draws.min() - 3 * width, draws.max() + 3 * width, _POINTS)
    kernel = np.exp(-0.5 * ((grid[:, None] - draws[None, :]) / width) ** 2)
    return np.stack([grid, kernel.sum(1) / (len(draws) * width * np.sqrt(2 * np.pi))])
