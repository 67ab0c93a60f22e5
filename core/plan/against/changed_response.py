r"""What changed since the fit: a channel's response, or the baseline.

In draw d of the fit the periods after the data leave, at the spend that there was,

    r_t = Y_t - expected_dt = sum_c delta_c f_dct + s h_t + w_t h_t + e_t

with $f_{dct}$ what channel c brings, $h_t$ the outcome that is expected, and priors

    delta_c ~ N(0, RESPONSE^2)          a channel's response, share of what it brought
    s ~ N(0, LEVEL^2)                   the level of the baseline, share of the outcome
    w_t = w_{t-1} + N(0, STEP^2)        the baseline from one period to the next
    e                                   the model's own noise, with its memory

All are Gaussian given $r$: with $U$ the covariance of $w h + e$, $X = (f_1, ..., h)$
and $V$ the prior variances of $(\delta, s)$, draw * from the priors and correct it by
the gain (Matheron's rule), here with the Woodbury identity in the space of the causes:

    (delta, s) = (delta, s)* + (X' U^-1 X + V^-1)^-1 X' U^-1 (r - X (delta, s)* - u*)

so that each draw of the fit has one explanation. A few periods say little; then the
explanations differ as widely as the priors do.

References:
    Wilson et al. (2021), Pathwise conditioning of Gaussian processes, section 3.1.
"""

import numpy as np
from jaxtyping import Float

#: Standard deviations of the priors, shares.
RESPONSE, LEVEL, STEP = 0.6, 0.08, 0.01

_SEED = 20


def changed_response(
    left: Float[np.ndarray, "draw time"],
    brought: Float[np.ndarray, "draw channel time"],
    usual: Float[np.ndarray, " time"],
    noise: Float[np.ndarray, "draw time"],
) -> Float[np.ndarray, "draw channel"]:
    """Share by which each channel's response changed since the fit, in each draw.

    Args:
        left: Actual less expected outcome of each period.
        brought: What each channel brings at the spend that there was.
        usual: Outcome that is expected.
        noise: The model's own noise, one path a draw.
    """
    n_draws, n_channels, n_times = brought.shape
    rng = np.random.default_rng(_SEED)
    level = np.broadcast_to(usual, (n_draws, 1, n_times))
    columns = np.concatenate([brought, level], axis=1)
    sd = np.append(np.full(n_channels, RESPONSE), LEVEL)
    rest = _rest(usual, noise)
    change = sd * rng.standard_normal((n_draws, n_channels + 1))
    other = rng.standard_normal((n_draws, n_times)) @ np.linalg.cholesky(rest).T
    apart = left - noise.mean(axis=0) - other
    apart -= np.einsum("dc,dct->dt", change, columns)
    weighted = columns @ np.linalg.inv(rest)
    precision = weighted @ columns.swapaxes(1, 2) + np.diag(sd**-2.0)
    pull = np.einsum("dct,dt->dc", weighted, apart)
    return (change + np.linalg.solve(precision, pull[..., None])[..., 0])[:, :-1]


def _rest(
    usual: Float[np.ndarray, " time"], noise: Float[np.ndarray, "draw time"]
) -> Float[np.ndarray, "time time"]:
    """Covariance of the baseline's steps and of the model's noise."""
    at = np.arange(1, len(usual) + 1)
    apart = noise - noise.mean(axis=0)
    variance = float((apart**2).mean())
    together = float((apart[:, 1:] * apart[:, :-1]).mean()) if len(at) > 1 else 0.0
    memory = np.clip(together / variance, 0.0, 0.99) if variance else 0.0
    steps = STEP**2 * np.minimum(at[:, None], at) * np.outer(usual, usual)
    whole = steps + variance * memory ** np.abs(at[:, None] - at)
    # Neither noise nor anything expected: so little that it changes no number.
    return whole + (1e-9 * whole.trace() / len(at) + 1e-9) * np.eye(len(at))
