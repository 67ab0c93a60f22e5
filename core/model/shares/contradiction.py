"""Contradiction: priors that leave paid media next to nothing, or more than there is.

Asked before a fit, of data and priors alone. Free of JAX.

A return prior says nothing about a share until the data give spend and outcome: at a
spend of 84 and an outcome of 945,000 an ROI between 0.3 and 5.4 is a share of at most
0.05 %.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from core.data.mapping import PAID
from core.data.reading.findings import Finding, Severity
from core.model.priors.distribution import quantile
from core.model.priors.prior import Prior
from core.model.shares.default import (
    LEAST_SHARE,
    MOST_SHARE,
    default_kind,
    is_absurd,
    ordinary_roi,
    parameter_prior,
)
from core.model.shares.settled import settled
from core.model.shares.totals import Totals
from core.model.spec import ChannelSpec, ModelSpec
from core.text.sentences import listed

#: Points of each prior, shuffled against the other channels' to give their sum.
_POINTS = 4001
_TAIL = 0.05

Range = tuple[float, float]
#: Below, a share is written as less than this, percent.
_LEAST_PERCENT = 0.01
#: What to do, by what is true; `_WHERE` says where.
_ANSWERS = (
    "If spend is in thousands, an index or scaled, it is in another unit (spend_unit = "
    '"other"), and priors are then on each channel\'s share of {kpi}.',
    'If {kpi} is a count and not money: kpi_type = "non_revenue".',
    'If both are the same money after all: spend_unit = "currency".',
)
_WHERE = (
    "Answer under Units on the Data screen, in [data] of project.toml, or with "
    "--spend-unit or --kpi-is of core init."
)


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


def contradictions(spec: ModelSpec, about: Totals, kpi: str) -> list[Finding]:
    """What data and priors cannot both be right about.

    An error where spend and KPI cannot be the same money and nobody has said that they
    are, or where all of a prior's 90 % range leaves paid media less than 1 % or more
    than all of the outcome. Who has said that spend is in the KPI's currency gets a
    warning: media may be that small.

    Args:
        spec: The options.
        about: Totals of the market.
        kpi: Name of the KPI.
    """
    if not (about.outcome > 0 and about.total_spend > 0):
        return []
    spec = settled(spec, about)
    allowed = allowed_shares(spec, about)
    if about.outcome_unit == "revenue" and about.spend_unit is None:
        if is_absurd(about):
            return [_not_the_same_money(about, kpi)]
    return [
        *_of_all(allowed, about, kpi),
        *_of_channels(allowed, about, kpi),
        *_chosen(spec, allowed, about, kpi),
    ]


def _chosen(
    spec: ModelSpec, allowed: Allowed, about: Totals, kpi: str
) -> Iterator[Finding]:
    """Says that priors are on shares where that is the default, and how wide."""
    paid = [channel for channel in spec.channels if allowed.channels.get(channel.name)]
    own = [
        channel
        for channel in paid
        if default_kind(spec, channel, about) == "contribution"
    ]
    on_share = [
        channel
        for channel in own
        if channel.prior is None and channel.prior_kind == "contribution"
    ]
    if not on_share:
        return
    why = f"A unit of {kpi} has no value in money"
    if about.spend_unit == "other":
        why = f"Spend is not counted in the money of {kpi}"
    each = allowed.channels[on_share[0].name]
    message = (
        f"{why}, so the default prior of paid channels is on their share of {kpi}: "
        f"{_range(each)} for each (90 %)."
    )
    hint = "Change it on the Model screen where you know more."
    yield Finding("info", "priors", message, hint)


def _not_the_same_money(about: Totals, kpi: str) -> Finding:
    spend, outcome = _plain(about.total_spend), _plain(about.outcome)
    per = _plain(about.outcome / about.total_spend)
    message = (
        f"Spend adds up to {spend} and {kpi} to {outcome}, {per} for each unit of "
        "spend. They cannot be the same money: with an ordinary ROI of 0.3 to 5.4 paid "
        f"media would bring {_range_of_roi(about)} of {kpi}."
    )
    hint = f"{' '.join(_ANSWERS).format(kpi=kpi)} {_WHERE}"
    return Finding("error", "data.spend_unit", message, hint)


def _range_of_roi(about: Totals) -> str:
    per_roi = about.total_spend / about.outcome
    low, high = ordinary_roi()
    return _range((low * per_roi, high * per_roi))


def _of_all(allowed: Allowed, about: Totals, kpi: str) -> Iterator[Finding]:
    if allowed.total is None:
        return
    low, high = allowed.total
    if high >= LEAST_SHARE and low <= MOST_SHARE:
        return
    few = high < LEAST_SHARE
    message = (
        f"By their priors all paid media together bring {_range(allowed.total)} of "
        f"{kpi} (90 %): {'next to nothing' if few else 'more than there is'}, whatever "
        "the data say."
    )
    yield Finding(_severity(about), "priors", message, _remedy(few))


def _of_channels(allowed: Allowed, about: Totals, kpi: str) -> Iterator[Finding]:
    for name, share in allowed.channels.items():
        if share is not None and share[0] > MOST_SHARE:
            message = (
                f"By its prior channel {name} brings {_range(share)} of {kpi} (90 %): "
                "more than there is."
            )
            where = f"channel {name}"
            yield Finding(_severity(about), where, message, _remedy(False))
    tiny = [
        f"{name} ({_range(share)})"
        for name, share in allowed.channels.items()
        if share is not None and share[1] < LEAST_SHARE / 10
    ]
    if tiny and allowed.total is not None and allowed.total[1] >= LEAST_SHARE:
        message = (
            f"By their priors these bring next to nothing of {kpi}: {listed(tiny)}."
        )
        hint = (
            "Nothing to do if they are that small; else check the unit of their spend."
        )
        yield Finding("info", "priors", message, hint)


def _severity(about: Totals) -> Severity:
    """A warning for who has said that spend is in the KPI's currency."""
    return "warning" if about.spend_unit == "currency" else "error"


def _remedy(few: bool) -> str:
    size = "in thousands" if few else "in another currency or in smaller units"
    return (
        f"Check whether spend is {size}, whether the KPI is money (kpi_type, "
        "revenue_per_kpi), or put priors on each channel's share: kind = "
        '"contribution" in [channel.prior].'
    )


def _range(share: tuple[float, float]) -> str:
    if 100 * share[1] < _LEAST_PERCENT:
        return _percent(share[1])
    return f"{_percent(share[0])} to {_percent(share[1])}"


def _percent(value: float) -> str:
    percent = 100 * value
    if percent < _LEAST_PERCENT:
        return f"<\u00a0{_LEAST_PERCENT}\u00a0%"
    digits = f"{percent:,.0f}" if percent >= 10 else f"{percent:.2g}"
    return f"{digits}\u00a0%"


def _plain(value: float) -> str:
    """Whole numbers from 100 on, else three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


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
        name: None if values is None else _range_of_share(values)
        for name, values in draws.items()
    }
    if any(values is None for values in draws.values()):
        return Allowed(ranges, None)
    # Channels are independent a priori: shuffled quantiles are draws of the sum with
    # almost no noise.
    rng = np.random.default_rng(1)
    total = sum(rng.permutation(values) for values in draws.values())
    return Allowed(ranges, _range_of_share(total))


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


def _range_of_share(values: np.ndarray) -> Range:
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL])
    return float(low), float(high)
