"""Response: what media does in a simulated market, in NumPy, as the model has it.

Written apart from the model that is fitted, so that a simulated truth does not depend
on the code it is to check.
"""

import numpy as np


def adstock(media: np.ndarray, alpha: float, max_lag: int) -> np.ndarray:
    r"""Geometric adstock over time, nothing before the first period; geo time.

    $\sum_{\ell=0}^{L} \alpha^\ell x_{t-\ell} / \sum_{\ell=0}^{L} \alpha^\ell$
    """
    n_lags = min(max_lag + 1, media.shape[1])
    weights = alpha ** np.arange(n_lags)
    summed = sum(
        weight * np.pad(media, ((0, 0), (lag, 0)))[:, : media.shape[1]]
        for lag, weight in enumerate(weights)
    )
    return summed / weights.sum()


def saturation(media: np.ndarray, ec: float, slope: float) -> np.ndarray:
    """Hill: $x^s / (x^s + ec^s)$."""
    return media**slope / (media**slope + ec**slope)


def scaled_media(units: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Media units per head over the median of those that are not zero; geo time."""
    per_head = units / people[:, None]
    return per_head / np.median(per_head[per_head > 0])
