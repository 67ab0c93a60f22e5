"""Decay: the share of an exposure's effect that is felt at each lag.

Of NumPy or JAX, as the parameters are: the model samples them, screens show what priors
say of them, without loading JAX.
"""

import math
from typing import Any, NamedTuple

from jaxtyping import Float

from core.model.spec import Adstock

#: Powers that are worked out one by one.
_MANY = 16


def geometric_weights(
    alpha: Float[Any, " channel"], window: Float[Any, " channel"], n_lags: int
) -> Float[Any, "channel lag"]:
    r"""Share of an exposure's effect felt at each lag.

    $w_\ell = \alpha^\ell / \sum_{k<W} \alpha^k$ for $\ell < W$, zero beyond.

    Args:
        alpha: Retention rate per period, in [0, 1).
        window: Number of periods $W$ that an exposure works, `max_lag + 1`.
        n_lags: Largest window of all channels.

    Returns:
        Weights that sum to one over `lag`. Dimensionless.

    References:
        Jin et al. (2017), Bayesian Methods for Media Mix Modeling with Carryover
        and Shape Effects.
    """
    return _normalised(_powers(alpha, n_lags), window, n_lags)


def _powers(alpha: Float[Any, " channel"], n: int) -> Float[Any, "channel lag"]:
    """Powers 0 to n - 1, by whole exponents: their gradient is finite at alpha = 0."""
    xp = alpha.__array_namespace__()
    if n <= _MANY:
        return xp.stack([alpha**lag for lag in range(n)], axis=1)
    # Products of two powers: one for each lag would take long to compile.
    n_blocks = -(-n // _MANY)
    of_blocks = xp.stack([alpha ** (_MANY * k) for k in range(n_blocks)], axis=1)
    products = of_blocks[:, :, None] * _powers(alpha, _MANY)[:, None, :]
    return products.reshape(len(alpha), -1)[:, :n]


def binomial_weights(
    alpha: Float[Any, " channel"], window: Float[Any, " channel"], n_lags: int
) -> Float[Any, "channel lag"]:
    r"""Weights that reach zero at the end of the window.

    $w_\ell \propto (1 - \ell/W)^{1/\alpha - 1}$ for $\ell < W$, zero beyond.

    Args:
        alpha: Retention, in [0, 1]; one means a flat window.
        window: Number of periods $W$ that an exposure works, `max_lag + 1`.
        n_lags: Largest window of all channels.

    Returns:
        Weights that sum to one over `lag`. Dimensionless.

    References:
        Meridian 2.1, `adstock_decay_spec="binomial"`.
    """
    xp = alpha.__array_namespace__()
    lag = xp.arange(n_lags, dtype=alpha.dtype)
    # Clipped, not masked: log 0 has no gradient; the window cuts it off afterwards.
    share = xp.clip(1.0 - lag[None, :] / window[:, None], 1e-12, 1.0)
    # At alpha = 0 the limit is no carryover; below 1e-6 the weights are already that.
    exponent = 1.0 / xp.maximum(alpha, 1e-6) - 1.0
    return _normalised(xp.exp(exponent[:, None] * xp.log(share)), window, n_lags)


def _normalised(weights, window, n_lags: int):
    xp = weights.__array_namespace__()
    lag = xp.arange(n_lags, dtype=weights.dtype)
    weights = xp.where(lag[None, :] < window[:, None], weights, 0.0)
    return weights / weights.sum(axis=1, keepdims=True)


class Decay(NamedTuple):
    """Parameters of carryover, one per channel; None where no channel has them.

    Attributes:
        alpha: Retention (geometric, binomial, delayed).
        theta: Lag of the peak in periods (delayed).
        lam: Scale in periods (Weibull).
        k: Shape (Weibull).
    """

    alpha: Any = None
    theta: Any = None
    lam: Any = None
    k: Any = None


def delayed_weights(
    decay: Decay, window: Float[Any, " channel"], n_lags: int
) -> Float[Any, "channel lag"]:
    r"""Weights that peak some periods after the exposure.

    $w_\ell \propto \alpha^{(\ell - \theta)^2}$ for $\ell < W$, zero beyond.

    References:
        Jin et al. (2017); PyMC-Marketing, `delayed_adstock`.
    """
    xp = decay.alpha.__array_namespace__()
    lag = xp.arange(n_lags, dtype=decay.alpha.dtype)
    distance = (lag[None, :] - decay.theta[:, None]) ** 2
    # Relative to the nearest lag, so that a small alpha cannot make all weights zero.
    distance = distance - distance.min(axis=1, keepdims=True)
    log_alpha = xp.log(xp.maximum(decay.alpha, 1e-6))
    return _normalised(xp.exp(distance * log_alpha[:, None]), window, n_lags)


def weibull_cdf_weights(
    decay: Decay, window: Float[Any, " channel"], n_lags: int
) -> Float[Any, "channel lag"]:
    r"""Weights whose decay rate follows a Weibull distribution function.

    $w_0 = 1$, $w_\ell = w_{\ell-1}\,e^{-(\ell/\lambda)^k}$, then normalised.

    References:
        Robyn, `weibull_cdf`; PyMC-Marketing, `weibull_adstock(type="CDF")`.
    """
    xp = decay.lam.__array_namespace__()
    survival = _survival(decay, n_lags)
    factors = xp.concatenate([xp.ones_like(survival[:, :1]), survival[:, :-1]], axis=1)
    return _normalised(xp.cumprod(factors, axis=1), window, n_lags)


def weibull_pdf_weights(
    decay: Decay, window: Float[Any, " channel"], n_lags: int
) -> Float[Any, "channel lag"]:
    r"""Weights that follow a Weibull density, which may peak late.

    The density at $\ell + 1$ less its smallest value in the window, normalised.

    References:
        Robyn, `weibull_pdf`; PyMC-Marketing, `weibull_adstock(type="PDF")`.
    """
    xp = decay.lam.__array_namespace__()
    lag = xp.arange(n_lags, dtype=decay.lam.dtype)
    log_time = xp.log(lag + 1.0)[None, :] - xp.log(decay.lam)[:, None]
    k = decay.k[:, None]
    log_density = (k - 1.0) * log_time - _exp(k * log_time)
    # Relative to the mode, so that a narrow density does not underflow.
    density = xp.exp(log_density - log_density.max(axis=1, keepdims=True))
    inside = lag[None, :] < window[:, None]
    smallest = xp.where(inside, density, xp.inf).min(axis=1, keepdims=True)
    # A window of one lag, or a flat density, keeps its largest weight.
    density = density - xp.where(smallest < 1.0, smallest, 0.0)
    return _normalised(density, window, n_lags)


def _survival(decay: Decay, n_lags: int) -> Any:
    """Weibull survival at 1, 2, ... periods; channel lag."""
    xp = decay.lam.__array_namespace__()
    time = xp.arange(1, n_lags + 1, dtype=decay.lam.dtype)
    log_time = xp.log(time)[None, :] - xp.log(decay.lam)[:, None]
    return xp.exp(-_exp(decay.k[:, None] * log_time))


def _exp(x: Float[Any, "channel lag"]) -> Float[Any, "channel lag"]:
    """exp, at most what the precision has a number for: infinities have no order."""
    xp = x.__array_namespace__()
    most = math.log(float(xp.finfo(x.dtype).max)) - 1.0
    return xp.exp(xp.minimum(x, most))


_WEIGHTS = {
    "geometric": lambda decay, *rest: geometric_weights(decay.alpha, *rest),
    "binomial": lambda decay, *rest: binomial_weights(decay.alpha, *rest),
    "delayed": delayed_weights,
    "weibull_cdf": weibull_cdf_weights,
    "weibull_pdf": weibull_pdf_weights,
}


def decay_weights(
    kinds: tuple[Adstock, ...],
    decay: Decay,
    window: Float[Any, " channel"],
    n_lags: int,
) -> Float[Any, "channel lag"]:
    """Weights of channels that may differ in kind; see the functions above."""
    distinct = tuple(dict.fromkeys(kinds))
    weights = _WEIGHTS[distinct[0]](decay, window, n_lags)
    xp = weights.__array_namespace__()
    for kind in distinct[1:]:
        is_kind = xp.array([own == kind for own in kinds])[:, None]
        # Every kind for every channel, then a choice: lags are few, and nothing is
        # gathered or scattered.
        weights = xp.where(is_kind, _WEIGHTS[kind](decay, window, n_lags), weights)
    return weights
