r"""Learnt: what the data of a fit say of a return, its own prior divided out.

Posterior = prior x likelihood, so on the logarithm, with Normal approximations,

    1/s² = 1/v_post - 1/v_prior,    y = s² (m_post / v_post - m_prior / v_prior).

Medians and 90 % ranges stand for means and variances: a tail of draws near zero has
logarithms without end. The error of 1/v_post from a finite number of draws is taken
off 1/s², three times: a fit that learnt nothing then says nothing, however often it is
copied, and one that learnt much loses next to nothing.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.dims import INTERVAL
from core.model.priors.distribution import quantile
from core.model.priors.prior import Prior

_TAIL = (1 - INTERVAL) / 2
#: Half the width of a 90 % range, in standard deviations.
HALF = NormalDist().inv_cdf(1 - _TAIL)
#: Standard error of a precision that comes from the 5 % and 95 % points of n draws of
#: a Normal, as a share of it, times the root of n: that of their distance is
#: sqrt(2 q (1 - 2 q)) / φ(z_q) = 2.9, over 2 z_q; a precision moves twice as far.
_ERROR = 1.77
#: Standard errors that are taken off.
_TAKEN_OFF = 3.0


class Learnt(NamedTuple):
    """A Normal likelihood of the logarithm of a return.

    Attributes:
        location: Its middle; zero where nothing was learnt.
        spread: Its standard deviation; infinite where nothing was learnt.
    """

    location: float
    spread: float

    @property
    def is_something(self) -> bool:
        """Whether anything was learnt."""
        return math.isfinite(self.spread)


NOTHING = Learnt(0.0, math.inf)


def learnt(
    draws: Float[np.ndarray, " draw"], prior: Prior, factor: float = 1.0
) -> Learnt:
    """What data say of a return beside what its prior said.

    Args:
        draws: Of the return, from the posterior.
        prior: Of the return over `factor`.
        factor: Return for one unit of what the prior is of: 1 for a prior of the
            return itself, outcome over spend for one of a share of the outcome.
    """
    if prior.family == "Deterministic" or len(draws) < 50:
        return NOTHING
    ends = np.array([_TAIL, 0.5, 1 - _TAIL])
    before, after = quantile(prior, ends) * factor, np.quantile(draws, ends)
    if min(before[0], after[0]) <= 0:
        return NOTHING
    return divided(_normal(after), _normal(before), len(draws))


def divided(posterior: Learnt, prior: Learnt, n_draws: float = math.inf) -> Learnt:
    """A posterior over its prior, both Normal.

    Args:
        posterior: Middle and standard deviation.
        prior: The same.
        n_draws: That the posterior's are estimated from.
    """
    after, before = posterior.spread**-2, prior.spread**-2
    sure = after * (1 - _TAKEN_OFF * _ERROR / math.sqrt(n_draws)) - before
    if not sure > 0:
        return NOTHING
    middle = (posterior.location * after - prior.location * before) / (after - before)
    return Learnt(middle, sure**-0.5)


def _normal(ends: Float[np.ndarray, " 3"]) -> Learnt:
    """Middle and spread on the logarithm of the low end, the median, the high end."""
    low, middle, high = np.log(ends).tolist()
    return Learnt(middle, (high - low) / (2 * HALF))
