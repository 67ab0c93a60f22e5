r"""Smooth deviation of the baseline: a Gaussian process on a basis of sines.

    f(x) = sum_j sqrt(S(omega_j)) phi_j(x) d_j,   d_j ~ N(0, 1)
    phi_j(x) = sin(omega_j (x - low)) / sqrt(h),   omega_j = j pi / (2 h)

with h half the width of the basis' domain and S the spectral density of the squared
exponential covariance xi^2 exp(-r^2 / (2 l^2)). Time x runs from -1 to 1 over the data.
The domain reaches beyond the data on both sides, because every phi_j is zero at its
ends, and further into the future, so that a forecast is the same function at later x.

References:
    Solin and Sarkka (2020), Hilbert Space Methods for Reduced-Rank Gaussian Process
    Regression; Riutort-Mayol et al. (2022), Practical Hilbert Space Approximate
    Bayesian Gaussian Processes.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

#: Room at both ends, as a share of half the span of the data: a boundary factor of 1.5.
_MARGIN = 0.5

#: Days after the data for which the basis holds, at most the length of the data.
_HORIZON = 366.0


def span(times: np.ndarray) -> tuple[float, float]:
    """Middle of the data in days since 1970, and half its length; half a day or more.

    Args:
        times: Periods of the data, datetime64[D].
    """
    first, last = (float(day.astype(int)) for day in times[[0, -1]])
    return (first + last) / 2, max((last - first) / 2, 0.5)


def standard_time(at: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Dates as x: -1 at the first period of the data, 1 at the last.

    Args:
        at: Dates to place, datetime64[D].
        times: Periods of the data.
    """
    middle, half = span(times)
    return (at.astype("datetime64[D]").astype(int) - middle) / half


def basis(
    at: np.ndarray, times: np.ndarray, n_per_span: int
) -> tuple[np.ndarray, np.ndarray]:
    """The basis at given dates, and its frequencies.

    Args:
        at: Dates to evaluate at.
        times: Periods of the data.
        n_per_span: Basis functions for a domain of 1.5 times the data; a domain that
            reaches into the future has as many more as it is wider.

    Returns:
        at column; column, radians per unit of x.
    """
    low = -1.0 - _MARGIN
    # Twice the half-span at most: a longer domain needs ever more sines for the same
    # detail.
    high = 1.0 + _MARGIN + min(_HORIZON / span(times)[1], 2.0)
    half = (high - low) / 2
    n = int(np.ceil(n_per_span * half / (1.0 + _MARGIN)))
    omega = np.arange(1, n + 1) * np.pi / (2 * half)
    x = standard_time(at, times)
    return np.sin(omega * (x[:, None] - low)) / np.sqrt(half), omega


def spectral_scale(
    frequency: Float[Array, " column"],
    amplitude: Float[Array, ""],
    length: Float[Array, ""],
) -> Float[Array, " column"]:
    r"""Prior scale of each basis function: $\sqrt{S(\omega)}$.

    $S(\omega) = \xi^2 \sqrt{2\pi}\, l\, e^{-l^2\omega^2/2}$
    """
    root = (2 * jnp.pi) ** 0.25 * jnp.sqrt(length)
    return amplitude * root * jnp.exp(-0.25 * (length * frequency) ** 2)
