r"""Linear terms of the baseline over time, as data: design, prior mean, prior scale.

    mu_t = sum_k b_k W_kt + sum_terms sum_j X_tj gamma_j
    gamma_j = mean_j + xi d_j,   d_j ~ N(0, 1)

A term called `x` has the scale `xi_x`, a latent with a prior of its own: Deterministic
where the scale is fixed, any other where it is learned. Its deviations
`gamma_x_dev` are Normal, so they are integrated out with the linear block: given xi,
the term is the columns xi X with unit prior scale, which is stable at xi = 0 and needs
no new Gram matrices. Seasons, trends, events and Gaussian processes (a basis whose
columns carry their spectral weights) are further entries of `linear_terms` with a
default prior of their xi; neither the density nor the sampler knows them by name.
"""

from typing import NamedTuple

import numpy as np

from core.data.input_data import InputData
from core.model.spec import ModelSpec

#: Mean length of a year in days.
YEAR = 365.25


class LinearTerm(NamedTuple):
    """One term, the same in every geo.

    Attributes:
        design: X, time column.
        mean: Prior mean of each coefficient, column; scaled KPI.
    """

    design: np.ndarray
    mean: np.ndarray


def linear_terms(spec: ModelSpec, data: InputData) -> dict[str, LinearTerm]:
    """The terms that the options ask for, by name."""
    terms = {}
    if spec.seasonality:
        design = fourier(data.times, spec.seasonality)
        terms["fourier"] = LinearTerm(design, np.zeros(design.shape[1]))
    return terms


def fourier(times: np.ndarray, n_pairs: int) -> np.ndarray:
    r"""Sines, then cosines, of the year: $\sin 2\pi jt$, $\cos 2\pi jt$, $j = 1..J$.

    Args:
        times: Dates, datetime64[D]; t is counted in years from 1970-01-01.
        n_pairs: J, the number of pairs.

    Returns:
        time column, 2J columns.

    References:
        Harvey and Shephard (1993), Structural Time Series Models; Taylor and Letham
        (2018), Forecasting at Scale.
    """
    years = times.astype("datetime64[D]").astype(np.int64) / YEAR
    angle = 2 * np.pi * years[:, None] * np.arange(1, n_pairs + 1)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def most_pairs(times: np.ndarray) -> int:
    """Pairs that periods so long can tell apart: half the periods of a year."""
    if len(times) < 2:
        return 0
    return int(
        YEAR / (2 * np.median(np.diff(times).astype("timedelta64[D]").astype(int)))
    )


def deviations(name: str) -> str:
    """The latent of a term's deviations."""
    return f"gamma_{name}_dev"
