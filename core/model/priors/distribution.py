"""A prior as a distribution: density, quantiles and moments, without JAX.

Screens and the command line show priors; only the worker samples them. SciPy's
special functions are imported inside functions: the web process starts without them.
"""

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np

from core.dims import INTERVAL
from core.estimate import Estimate
from core.model.priors.prior import Parameters, Prior

Numbers = Real | Sequence[Real] | np.ndarray
_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)


def quantile(prior: Prior, q: Numbers) -> np.ndarray:
    """Quantiles of a prior; the shape of `q`, which lies between 0 and 1."""
    from scipy import special  # noqa: PLC0415

    q = np.asarray(q, float)
    p = prior.numbers
    if prior.family == "Normal":
        plain = p.loc + p.scale * special.ndtri(q)
    elif prior.family == "LogNormal":
        plain = np.exp(p.loc + p.scale * special.ndtri(q))
    elif prior.family == "HalfNormal":
        plain = p.scale * special.ndtri(0.5 + q / 2)
    elif prior.family == "TruncatedNormal":
        plain = _truncated_quantile(p, q)
    elif prior.family == "Gamma":
        plain = special.gammaincinv(p.concentration, q) / p.rate
    elif prior.family == "Beta":
        plain = special.betaincinv(p.concentration1, p.concentration0, q)
    elif prior.family == "Uniform":
        plain = p.low + q * (p.high - p.low)
    else:
        plain = np.full(q.shape, p.loc)
    return np.asarray(prior.shift + plain)


def probability_below(prior: Prior, x: Numbers) -> np.ndarray:
    """Probability that the prior lies at or below `x`; the shape of `x`."""
    low, high = (end - prior.shift for end in prior.support)
    x = np.asarray(x, float) - prior.shift
    if prior.family == "Deterministic":
        return np.asarray(x >= low, float)
    return np.asarray(_below(prior, np.clip(x, low, high)))


def density(prior: Prior, grid: Numbers | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Density of a prior.

    Args:
        prior: The prior.
        grid: Where; by default 201 points that hold 99 % of it.

    Returns:
        The grid and the density on it; for a Deterministic prior a spike of height
        one.
    """
    if prior.family == "Deterministic":
        return np.full(3, prior.support[0]), np.array([0.0, 1.0, 0.0])
    if grid is None:
        low, high = quantile(prior, [0.0005, 0.9995])
        bottom, top = prior.support
        if math.isfinite(bottom) and not math.isfinite(top):
            low, high = bottom, float(quantile(prior, 0.99))
        elif math.isfinite(bottom) and prior.family == "Beta":
            low = bottom
        grid = np.linspace(low, high, 201)
    grid = np.asarray(grid, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.exp(_log_density(prior, grid - prior.shift))
    bottom, top = prior.support
    height = np.where((grid < bottom) | (grid > top), 0.0, height)
    return grid, np.where(np.isfinite(height), height, np.nan)


def log_density(prior: Prior, x: Numbers) -> np.ndarray:
    """Log density of a prior; zero where it is one number, and none off its support."""
    x = np.asarray(x, float)
    if prior.family == "Deterministic":
        return np.zeros(x.shape)
    low, high = prior.support
    with np.errstate(divide="ignore", invalid="ignore"):
        density = _log_density(prior, x - prior.shift)
    return np.where((x < low) | (x > high), -np.inf, density)


def mean(prior: Prior) -> float:
    """Mean of a prior."""
    return _moments(prior)[0]


def sd(prior: Prior) -> float:
    """Standard deviation of a prior."""
    return _moments(prior)[1]


def mode(prior: Prior) -> float:
    """Most likely value of a prior (the mean where there is none or several)."""
    p = prior.numbers
    if prior.family == "LogNormal":
        return prior.shift + math.exp(p.loc - p.scale**2)
    if prior.family == "TruncatedNormal":
        return prior.shift + min(max(p.loc, p.low), p.high)
    if prior.family == "HalfNormal":
        return prior.shift
    if prior.family == "Gamma":
        return prior.shift + max(0.0, p.concentration - 1) / p.rate
    if prior.family == "Beta":
        a, b = p.concentration1, p.concentration0
        if min(a, b) > 1:
            return prior.shift + (a - 1) / (a + b - 2)
        if max(a, b) > 1:
            return prior.shift + float(a > b)
    return mean(prior)


class Belief(Estimate, frozen=True, kw_only=True):
    """What a prior says of a number, with the value that it holds most likely."""

    mode: float


def estimate(prior: Prior) -> Belief:
    """Mean, median, sd, mode and the central interval `lo` to `hi` of a prior."""
    tail = (1 - INTERVAL) / 2
    low, median, high = quantile(prior, [tail, 0.5, 1 - tail])
    centre, spread = _moments(prior)
    return Belief(
        mean=float(centre),
        median=float(median),
        sd=float(spread),
        mode=float(mode(prior)),
        lo=float(low),
        hi=float(high),
    )


def _below(prior: Prior, x: Numbers) -> Numbers:
    from scipy import special  # noqa: PLC0415

    p = prior.numbers
    if prior.family == "Normal":
        return special.ndtr((x - p.loc) / p.scale)
    if prior.family == "LogNormal":
        # No warning at zero, where the probability is zero in the limit.
        logs = np.log(np.maximum(x, 1e-300))
        return special.ndtr((logs - p.loc) / p.scale)
    if prior.family == "HalfNormal":
        return 2 * special.ndtr(x / p.scale) - 1
    if prior.family == "TruncatedNormal":
        sign, below, above = _truncation(p)
        at = special.ndtr(sign * (x - p.loc) / p.scale)
        part = (at - below) / (above - below)
        return part if sign > 0 else 1 - part
    if prior.family == "Gamma":
        return special.gammainc(p.concentration, p.rate * x)
    if prior.family == "Beta":
        return special.betainc(p.concentration1, p.concentration0, x)
    return (x - p.low) / (p.high - p.low)


def _log_density(prior: Prior, x: np.ndarray) -> np.ndarray:
    """Log density at values less the shift, as if there were no limits."""
    from scipy import special  # noqa: PLC0415

    p = prior.numbers
    if prior.family == "Normal":
        return _log_bell((x - p.loc) / p.scale) - math.log(p.scale)
    if prior.family == "LogNormal":
        logs = np.log(np.maximum(x, 1e-300))
        return _log_bell((logs - p.loc) / p.scale) - logs - math.log(p.scale)
    if prior.family == "HalfNormal":
        return math.log(2) + _log_bell(x / p.scale) - math.log(p.scale)
    if prior.family == "TruncatedNormal":
        _, below, above = _truncation(p)
        mass = math.log(p.scale * (above - below))
        return _log_bell((x - p.loc) / p.scale) - mass
    if prior.family == "Gamma":
        k, rate = p.concentration, p.rate
        logs = special.xlogy(k - 1, x) - rate * x + k * math.log(rate)
        return logs - math.lgamma(k)
    if prior.family == "Beta":
        a, b = p.concentration1, p.concentration0
        logs = special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x)
        return logs - special.betaln(a, b)
    return np.full(x.shape, -math.log(p.high - p.low))


def _moments(prior: Prior) -> tuple[float, float]:
    """Mean and standard deviation."""
    p = prior.numbers
    if prior.family == "Normal":
        centre, spread = p.loc, p.scale
    elif prior.family == "LogNormal":
        variance = p.scale**2
        centre = math.exp(p.loc + variance / 2)
        spread = centre * math.sqrt(math.expm1(variance))
    elif prior.family == "HalfNormal":
        centre = p.scale * math.sqrt(2 / math.pi)
        spread = p.scale * math.sqrt(1 - 2 / math.pi)
    elif prior.family == "Gamma":
        centre = p.concentration / p.rate
        spread = math.sqrt(p.concentration) / p.rate
    elif prior.family == "Beta":
        a, b = p.concentration1, p.concentration0
        centre = a / (a + b)
        spread = math.sqrt(centre * (1 - centre) / (a + b + 1))
    elif prior.family == "Uniform":
        centre = (p.low + p.high) / 2
        spread = (p.high - p.low) / math.sqrt(12)
    elif prior.family == "TruncatedNormal":
        # Means of even quantiles: closed forms lose all digits far out in a tail.
        points = _truncated_quantile(p, (np.arange(4000) + 0.5) / 4000)
        centre, spread = float(points.mean()), float(points.std())
    else:
        centre, spread = p.loc, 0.0
    return prior.shift + centre, spread


def _truncated_quantile(p: Parameters, q: np.ndarray) -> np.ndarray:
    """Quantiles of a Normal between limits."""
    from scipy import special  # noqa: PLC0415

    sign, below, above = _truncation(p)
    part = q if sign > 0 else 1 - q
    z = sign * special.ndtri(below + part * (above - below))
    return np.clip(p.loc + p.scale * z, p.low, p.high)


def _truncation(p: Parameters) -> tuple[int, float, float]:
    """Mass of the whole Normal below each limit, in the tail that is exact.

    Returns:
        1, below the low limit, below the high limit; mirrored, with -1, where both
        limits lie above the centre and the cdf would round to one.
    """
    from scipy import special  # noqa: PLC0415

    low, high = ((end - p.loc) / p.scale for end in (p.low, p.high))
    if low > 0:
        return -1, float(special.ndtr(-high)), float(special.ndtr(-low))
    return 1, float(special.ndtr(low)), float(special.ndtr(high))


def _log_bell(z: np.ndarray) -> np.ndarray:
    return -0.5 * z**2 - _LOG_ROOT_TWO_PI
