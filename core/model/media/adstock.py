"""Adstock: media keeps working after it runs.

Inside the log density arrays are channel first: on two CPU cores one product of
weights and precomputed lags is three times faster that way (docs/decisions.md).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.spec import Adstock

#: Powers that are worked out one by one.
_MANY = 16


def geometric_weights(
    alpha: Float[Array, " channel"], window: Float[Array, " channel"], n_lags: int
) -> Float[Array, "channel lag"]:
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


def _powers(alpha: Float[Array, " channel"], n: int) -> Float[Array, "channel lag"]:
    """Powers 0 to n - 1, by whole exponents: their gradient is finite at alpha = 0."""
    if n <= _MANY:
        return jnp.stack([alpha**lag for lag in range(n)], axis=1)
    # Products of two powers: one for each lag would take long to compile.
    n_blocks = -(-n // _MANY)
    of_blocks = jnp.stack([alpha ** (_MANY * k) for k in range(n_blocks)], axis=1)
    products = of_blocks[:, :, None] * _powers(alpha, _MANY)[:, None, :]
    return products.reshape(len(alpha), -1)[:, :n]


def binomial_weights(
    alpha: Float[Array, " channel"], window: Float[Array, " channel"], n_lags: int
) -> Float[Array, "channel lag"]:
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
    lag = jnp.arange(n_lags, dtype=alpha.dtype)
    # Clipped, not masked: log 0 has no gradient; the window cuts it off afterwards.
    share = jnp.clip(1.0 - lag[None, :] / window[:, None], 1e-12, 1.0)
    # At alpha = 0 the limit is no carryover; below 1e-6 the weights are already that.
    exponent = 1.0 / jnp.maximum(alpha, 1e-6) - 1.0
    return _normalised(jnp.exp(exponent[:, None] * jnp.log(share)), window, n_lags)


def _normalised(weights, window, n_lags: int):
    lag = jnp.arange(n_lags, dtype=weights.dtype)
    weights = jnp.where(lag[None, :] < window[:, None], weights, 0.0)
    return weights / weights.sum(axis=1, keepdims=True)


class Decay(NamedTuple):
    """Parameters of carryover, one per channel; None where no channel has them.

    Attributes:
        alpha: Retention (geometric, binomial, delayed).
        theta: Lag of the peak in periods (delayed).
        lam: Scale in periods (Weibull).
        k: Shape (Weibull).
    """

    alpha: jax.Array
    theta: jax.Array | None = None
    lam: jax.Array | None = None
    k: jax.Array | None = None


def delayed_weights(
    decay: Decay, window: Float[Array, " channel"], n_lags: int
) -> Float[Array, "channel lag"]:
    r"""Weights that peak some periods after the exposure.

    $w_\ell \propto \alpha^{(\ell - \theta)^2}$ for $\ell < W$, zero beyond.

    References:
        Jin et al. (2017); PyMC-Marketing, `delayed_adstock`.
    """
    lag = jnp.arange(n_lags, dtype=decay.alpha.dtype)
    distance = (lag[None, :] - decay.theta[:, None]) ** 2
    # Relative to the nearest lag, so that a small alpha cannot make all weights zero.
    distance = distance - distance.min(axis=1, keepdims=True)
    log_alpha = jnp.log(jnp.maximum(decay.alpha, 1e-6))
    return _normalised(jnp.exp(distance * log_alpha[:, None]), window, n_lags)


def weibull_cdf_weights(
    decay: Decay, window: Float[Array, " channel"], n_lags: int
) -> Float[Array, "channel lag"]:
    r"""Weights whose decay rate follows a Weibull distribution function.

    $w_0 = 1$, $w_\ell = w_{\ell-1}\,e^{-(\ell/\lambda)^k}$, then normalised.

    References:
        Robyn, `weibull_cdf`; PyMC-Marketing, `weibull_adstock(type="CDF")`.
    """
    survival = _survival(decay, n_lags)
    factors = jnp.concatenate(
        [jnp.ones_like(survival[:, :1]), survival[:, :-1]], axis=1
    )
    return _normalised(jnp.cumprod(factors, axis=1), window, n_lags)


def weibull_pdf_weights(
    decay: Decay, window: Float[Array, " channel"], n_lags: int
) -> Float[Array, "channel lag"]:
    r"""Weights that follow a Weibull density, which may peak late.

    The density at $\ell + 1$ less its smallest value in the window, normalised.

    References:
        Robyn, `weibull_pdf`; PyMC-Marketing, `weibull_adstock(type="PDF")`.
    """
    lag = jnp.arange(n_lags, dtype=decay.alpha.dtype)
    log_time = jnp.log(lag + 1.0)[None, :] - jnp.log(decay.lam)[:, None]
    k = decay.k[:, None]
    log_density = (k - 1.0) * log_time - jnp.exp(k * log_time)
    # Relative to the mode, so that a narrow density does not underflow.
    density = jnp.exp(log_density - log_density.max(axis=1, keepdims=True))
    inside = lag[None, :] < window[:, None]
    smallest = jnp.where(inside, density, jnp.inf).min(axis=1, keepdims=True)
    # A window of one lag, or a flat density, keeps its largest weight.
    density = density - jnp.where(smallest < 1.0, smallest, 0.0)
    return _normalised(density, window, n_lags)


def _survival(decay: Decay, n_lags: int) -> jax.Array:
    """Weibull survival at 1, 2, ... periods; channel lag."""
    time = jnp.arange(1, n_lags + 1, dtype=decay.alpha.dtype)
    log_time = jnp.log(time)[None, :] - jnp.log(decay.lam)[:, None]
    return jnp.exp(-jnp.exp(decay.k[:, None] * log_time))


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
    window: Float[Array, " channel"],
    n_lags: int,
) -> Float[Array, "channel lag"]:
    """Weights of channels that may differ in kind; see the functions above."""
    distinct = tuple(dict.fromkeys(kinds))
    weights = _WEIGHTS[distinct[0]](decay, window, n_lags)
    for kind in distinct[1:]:
        is_kind = jnp.array([own == kind for own in kinds])[:, None]
        # Every kind for every channel, then a choice: lags are few, and nothing is
        # gathered or scattered.
        weights = jnp.where(is_kind, _WEIGHTS[kind](decay, window, n_lags), weights)
    return weights


def lagged(
    media: Float[Array | np.ndarray, "channel geo media_time"],
    n_lags: int,
    n_times: int,
) -> Float[Array | np.ndarray, "channel lag geo {n_times}"]:
    """Media of this period and of each earlier one, for the last `n_times` periods.

    Periods before the first are zero. Same units as `media`, and of NumPy or JAX as it
    is: data are lagged without compiling anything.
    """
    xp = media.__array_namespace__()
    padded = xp.pad(media, ((0, 0), (0, 0), (n_lags, 0)))
    start = padded.shape[2] - n_times
    return xp.stack(
        [padded[:, :, start - lag : start - lag + n_times] for lag in range(n_lags)],
        axis=1,
    )


def adstock(
    lags: Float[Array | np.ndarray, "channel lag geo time"],
    weights: Float[Array, "channel lag"],
) -> Float[Array, "channel geo time"]:
    r"""Media with its carryover.

    $\sum_\ell w_\ell\, x_{t-\ell}$, as one product. Same units as the media.

    Args:
        lags: Media at each lag; see `lagged`.
        weights: Share felt at each lag.
    """
    n_channels, n_lags, n_geos, n_times = lags.shape
    flat = lags.reshape(n_channels, n_lags, n_geos * n_times)
    return jnp.einsum("cl,cln->cn", weights, flat).reshape(n_channels, n_geos, n_times)
