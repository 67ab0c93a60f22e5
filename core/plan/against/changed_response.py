r"""What changed since the fit: a channel's response, or the baseline.

In draw d of the fit the periods after the data leave, at the spend that there was,

    r_t = Y_t - expected_dt = sum_c delta_c f_dct + s h_t + w_t h_t + e_t

with $f_{dct}$ what channel c brings, $h_t$ the outcome that is expected, and priors

    delta_c ~ N(0, 0.5^2 + z_c 0.8^2)     a channel's response, a share of it
    s       ~ N(0, 0.03^2 + z_s 0.08^2)   the level of the baseline, likewise
    w_t = w_{t-1} + N(0, STEP^2)          the baseline from one period to the next
    e                                     the model's own noise, with its memory

Everything wanders, and now and then something breaks: $z_s$ is one with the stated
odds, and of $z_c$ none, one or two are, any channels alike. So a large miss is rather
one cause than a little of each. Given $z$ all are Gaussian: with $U$ the
covariance of $w h + e$, $X = (f_1, ..., h)$ and $V$ the prior variances of $(\delta,
s)$, the marginal likelihoods of all $z$ are summed exactly in each draw of the fit, one
$z$ is drawn, and a draw * from its priors is corrected by the gain (Matheron's rule),
with the Woodbury identity in the space of the causes:

    (delta, s) = (delta, s)* + (X' U^-1 X + V^-1)^-1 X' U^-1 (r - X (delta, s)* - u*)

so that each draw of the fit has one explanation. A few periods say little; then the
explanations differ as widely as the priors do.

References:
    Wilson et al. (2021), Pathwise conditioning of Gaussian processes, section 3.1.
"""

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float


class Change(NamedTuple):
    """How much something may have changed since the fit, standard deviations of shares.

    Attributes:
        wanders: Where nothing broke.
        breaks: What a break adds to it.
    """

    wanders: float
    breaks: float


RESPONSE, LEVEL = Change(0.5, 0.8), Change(0.03, 0.08)
#: Probability that the level broke, and that none, one or two responses did.
LEVEL_BROKE, RESPONSES_BROKE = 0.4, (0.3, 0.4, 0.3)
#: Standard deviation of the baseline's steps from period to period, share.
STEP = 0.01

#: The same as --json says it.
PRIORS = {
    "response": RESPONSE._asdict() | {"broke": list(RESPONSES_BROKE)},
    "level": LEVEL._asdict() | {"broke": LEVEL_BROKE},
    "step": STEP,
}

_SEED = 20


def changed_response(
    residual: Float[np.ndarray, "draw time"],
    brought: Float[np.ndarray, "draw channel time"],
    usual: Float[np.ndarray, " time"],
    noise: Float[np.ndarray, "draw time"],
) -> Float[np.ndarray, "draw channel"]:
    """Share by which each channel's response changed since the fit, in each draw.

    Args:
        residual: Actual less expected outcome of each period.
        brought: What each channel brings at the spend that there was.
        usual: Outcome that is expected.
        noise: The model's own noise, one path a draw.
    """
    n_draws, n_channels, n_times = brought.shape
    rng = np.random.default_rng(_SEED)
    level = np.broadcast_to(usual, (n_draws, 1, n_times))
    columns = np.concatenate([brought, level], axis=1)
    rest = _rest(usual, noise)
    weighted = columns @ np.linalg.inv(rest)
    gram = weighted @ columns.swapaxes(1, 2)
    apart = residual - noise.mean(axis=0)
    pull = np.einsum("dct,dt->dc", weighted, apart)
    sd = _standard_deviations(gram, pull, rng)
    change = sd * rng.standard_normal((n_draws, n_channels + 1))
    other = rng.standard_normal((n_draws, n_times)) @ np.linalg.cholesky(rest).T
    draws = np.einsum("dc,dct->dt", change, columns) + other
    pull -= np.einsum("dct,dt->dc", weighted, draws)
    precision = gram + (sd**-2.0)[:, :, None] * np.eye(sd.shape[1])
    return (change + np.linalg.solve(precision, pull[..., None])[..., 0])[:, :-1]


def _standard_deviations(
    gram: Float[np.ndarray, "draw cause cause"],
    pull: Float[np.ndarray, "draw cause"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "draw cause"]:
    """Prior standard deviations of the causes, by which of them broke in each draw.

    What wanders is integrated out first, so that only what breaks is left: blocks of
    three causes at most.

    Args:
        gram: X' U^-1 X.
        pull: X' U^-1 r.
        rng: Decides what broke.
    """
    n_causes = gram.shape[1]
    changes = [RESPONSE] * (n_causes - 1) + [LEVEL]
    wanders, breaks = (np.array(each) for each in zip(*changes, strict=True))
    shrinkage = np.linalg.solve(gram + np.diag(wanders**-2.0), gram)
    gram = gram - gram @ shrinkage
    pull = pull - np.einsum("dc,dce->de", pull, shrinkage)
    broken, prior = _scenarios(n_causes - 1)
    scores = np.tile(np.log(prior)[:, None], len(pull))
    for score, which in zip(scores, broken, strict=True):
        some = np.flatnonzero(which)
        if len(some):
            block = gram[:, some][:, :, some] + np.diag(breaks[some] ** -2.0)
            by = pull[:, some]
            explained = np.linalg.solve(block, by[..., None])[..., 0]
            score += 0.5 * (by * explained).sum(axis=1)
            score -= 0.5 * np.linalg.slogdet(block)[1] + np.log(breaks[some]).sum()
    chosen = (scores + rng.gumbel(size=scores.shape)).argmax(axis=0)
    return np.sqrt(wanders**2 + broken[chosen] * breaks**2)


def _scenarios(
    n_channels: int,
) -> tuple[Bool[np.ndarray, "scenario cause"], Float[np.ndarray, " scenario"]]:
    """What may have broken together, the level last, and its prior probability."""
    rows, prior = [], []
    for at_once, odds in enumerate(RESPONSES_BROKE):
        for some in combinations(range(n_channels), at_once):
            for level in (False, True):
                row = np.zeros(n_channels + 1, bool)
                row[[*some, -1] if level else list(some)] = True
                rows.append(row)
                which = LEVEL_BROKE if level else 1 - LEVEL_BROKE
                prior.append(odds / comb(n_channels, at_once) * which)
    return np.array(rows), np.array(prior) / sum(prior)


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
