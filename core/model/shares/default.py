"""Default priors of paid channels: on ROI where spend and outcome are the same money.

Where a unit of the KPI has no value, or spend is not counted in the outcome's money,
nobody can say beforehand what a return is, but everybody can say what share of the
outcome media may have. So the default is then a prior on that share. The preset
`meridian` keeps Meridian's ways.

The ROI prior of a market whose KPI has no value per unit.
"""

import math
from collections.abc import Sequence
from numbers import Real
from statistics import NormalDist

import numpy as np

from core.data.mapping import PAID
from core.model.priors.default_priors import default_prior
from core.model.priors.prior import Prior, prior
from core.model.shares.totals import Totals
from core.model.spec import (
    DEFAULT_PRIOR_KIND,
    SUFFIX,
    ChannelSpec,
    ModelSpec,
    PriorKind,
)

#: Range of a share beyond which a prior says that money is not the same money.
LEAST_SHARE, MOST_SHARE = 0.01, 1.0

#: Share of the outcome that all paid media together bring by the default share prior,
#: most that one channel does, and the Beta's shape. See docs/decisions.md.
TOTAL_SHARE, MOST_OF_ONE, SHAPE = 0.4, 0.2, 1.5


def kind_left_out(spec: ModelSpec, channel: ChannelSpec, about: Totals) -> PriorKind:
    """The kind that a channel without one would be taken to have."""
    if channel.prior is not None:
        return DEFAULT_PRIOR_KIND[channel.kind]
    return default_kind(spec, channel, about)


def default_kind(spec: ModelSpec, channel: ChannelSpec, about: Totals) -> PriorKind:
    """What the prior of a channel is about where nobody has said."""
    usual = DEFAULT_PRIOR_KIND[channel.kind]
    if channel.kind not in PAID or spec.preset == "meridian" or channel.calibration:
        return usual
    if f"roi_{SUFFIX[channel.kind]}" in dict(spec.priors):
        return usual  # a prior on ROI for every channel says what it is about
    return usual if shares_money(about) else "contribution"


def shares_money(about: Totals) -> bool:
    """Whether spend and outcome count the same money, as far as anyone can tell."""
    if about.outcome_unit != "revenue":
        return False
    return about.spend_unit == "currency" or not is_absurd(about)


def is_absurd(about: Totals) -> bool:
    """Whether an ordinary ROI would leave paid media less than 1 % or more than all.

    Of the 90 % range of the default ROI prior times total spend over total outcome.
    """
    if not (about.outcome > 0 and about.total_spend > 0):
        return False
    low, high = ordinary_roi()
    per_roi = about.total_spend / about.outcome
    return bool(high * per_roi < LEAST_SHARE or low * per_roi > MOST_SHARE)


def ordinary_roi() -> tuple[float, float]:
    """The 90 % range of the default ROI prior."""
    parameters = default_prior("roi_m", "mixwright").numbers
    width = NormalDist().inv_cdf(0.95) * parameters.scale
    return math.exp(parameters.loc - width), math.exp(parameters.loc + width)


def parameter_prior(spec: ModelSpec, channel: ChannelSpec, about: Totals) -> Prior:
    """Prior of the treatment parameter: the channel's, the model's, the default."""
    own = channel.prior or dict(spec.priors).get(channel.treatment_parameter)
    return own if own is not None else default_parameter_prior(spec, channel, about)


def default_parameter_prior(
    spec: ModelSpec, channel: ChannelSpec, about: Totals
) -> Prior:
    """Default prior of the treatment parameter.

    On ROI without a value per KPI unit: Meridian's total paid-media contribution
    prior, 40 % (sd 20 %) of the KPI in proportion to spend. On the contribution of a
    paid channel: `share_prior`; Meridian's Beta(1, 99) with its preset.
    """
    kind = channel.effective_prior_kind
    is_paid = channel.kind in PAID
    if kind == "roi" and about.outcome_unit == "kpi":
        if about.total_spend > 0 and about.outcome > 0:
            return roi_of_total_contribution(list(about.spend.values()), about.outcome)
    elif kind == "contribution" and is_paid and spec.preset != "meridian":
        return share_prior(sum(other.kind in PAID for other in spec.channels))
    return default_prior(channel.treatment_parameter, spec.preset)


def share_prior(n_channels: int) -> Prior:
    r"""Prior of one paid channel's share of the outcome.

    $\mathrm{Beta}(1.5, 1.5/m - 1.5)$ with mean $m$: 40 % over the number of paid
    channels, at most 20 %. Of two channels each brings 3 to 47 % (90 %), of six 1 to
    18 %. Spend has no say: where this prior is needed, its unit is what is in doubt.

    Args:
        n_channels: Number of paid channels.
    """
    mean = min(TOTAL_SHARE / max(n_channels, 1), MOST_OF_ONE)
    # A first parameter above one: the density is zero at no effect, but rises at once.
    other = SHAPE * (1 - mean) / mean
    return prior("Beta", concentration1=SHAPE, concentration0=other)


#: Share of the KPI that paid media are expected to bring where a KPI unit has no
#: value: Meridian's total paid-media contribution prior.
TOTAL_CONTRIBUTION_MEAN = 0.4
TOTAL_CONTRIBUTION_SD = 0.2


def roi_of_total_contribution(
    spend: np.ndarray | Sequence[Real], kpi_total: Real
) -> Prior:
    """LogNormal ROI prior, in KPI units per currency, the same for all paid channels.

    Together, paid media bring 40 % (sd 20 %) of the KPI, in proportion to spend.

    Args:
        spend: Total spend of each paid channel.
        kpi_total: The KPI, summed over all geos and periods.

    References:
        Meridian 2.1, total paid media contribution prior.
    """
    spend = np.asarray(spend, float)
    mean = TOTAL_CONTRIBUTION_MEAN * kpi_total / spend.sum()
    # One sd for all channels, with which independent returns give the total the sd that
    # it should have.
    sd = TOTAL_CONTRIBUTION_SD * kpi_total / np.sqrt((spend**2).sum())
    variance = np.log1p((sd / mean) ** 2)
    loc = np.log(mean) - variance / 2
    return prior("LogNormal", loc=float(loc), scale=float(np.sqrt(variance)))
