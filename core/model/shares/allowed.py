"""Allowed shares: how much of the outcome priors let paid media have, before a fit.

A return prior says nothing about a share until the data give spend and outcome: at a
spend of 84 and an outcome of 945,000 an ROI between 0.3 and 5.4 is a share of at most
0.05 %. Free of JAX: screens and the command line ask it, too.
"""

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from core.data.mapping import PAID
from core.model.priors.distribution import quantile
from core.model.priors.prior import Prior
from core.model.shares.default import parameter_prior
from core.model.shares.totals import Totals
from core.model.spec import ChannelSpec, ModelSpec

#: Points of each prior, shuffled against the other channels' to give their sum.
_POINTS = 4001
_TAIL = 0.05

Range = tuple[float, float]


@dataclass(frozen=True)
class Allowed:
    """90 % ranges of the share of the outcome by the priors alone.

    Attributes:
        channels: Of each paid channel; None where its prior is not about a share of
            the outcome (marginal ROI, a coefficient).
        total: Of all paid channels together; None where a channel has none.
    """

    channels: dict[str, Range | None]
    total: Range | None


def allowed_shares(spec: ModelSpec, about: Totals) -> Allowed:
    """What the priors allow paid media to bring, as shares of the outcome.

    Args:
        spec: The options, settled (`core.model.shares.default.settled`).
        about: Totals of the market.
    """
    paid = [
        channel
        for channel in spec.channels
        if channel.kind in PAID and (about.spend.get(channel.name, 0.0) > 0)
    ]
    if not paid or not about.outcome > 0:
        return Allowed({}, None)
    draws = {channel.name: _shares(spec, channel, about) for channel in paid}
    ranges = {
        name: None if values is None else _range(values)
        for name, values in draws.items()
    }
    if any(values is None for values in draws.values()):
        return Allowed(ranges, None)
    # Channels are independent a priori: shuffled quantiles are draws of the sum with
    # almost no noise.
    rng = np.random.default_rng(1)
    total = sum(rng.permutation(values) for values in draws.values())
    return Allowed(ranges, _range(total))


def _shares(spec: ModelSpec, channel: ChannelSpec, about: Totals) -> np.ndarray | None:
    """Evenly spaced quantiles of a channel's share."""
    kind = channel.effective_prior_kind
    if kind not in ("roi", "contribution"):
        return None
    values = _quantiles(parameter_prior(spec, channel, about))
    if kind == "roi":
        values = values * about.spend[channel.name] / about.outcome
    return values


def _quantiles(prior: Prior) -> np.ndarray:
    """Evenly spaced quantiles; without SciPy for the usual family of a return.

    Screens ask at every start, and SciPy takes long to load.
    """
    if prior.family == "LogNormal":
        parameters = prior.numbers
        return prior.shift + np.exp(parameters.loc + parameters.scale * _standard())
    return quantile(prior, (np.arange(_POINTS) + 0.5) / _POINTS)


@cache
def _standard() -> np.ndarray:
    """The same quantiles of a standard Normal."""
    normal = NormalDist()
    return np.array([normal.inv_cdf((i + 0.5) / _POINTS) for i in range(_POINTS)])


def _range(values: np.ndarray) -> Range:
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL])
    return float(low), float(high)
