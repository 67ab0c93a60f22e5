"""Findings: what media brought in some periods, in four numbers and a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import xarray as xr

from core import text as fmt
from core.analysis.record.sections import Channel
from core.charts.drawing import interval
from core.data.mapping import PAID
from core.estimate import OptionalEstimate, estimate
from core.text.languages.language import marked, say
from core.view.sections import headline
from core.view.sections.headline import Headline

#: Ends and middle of a 90 % interval.
_ENDS = (0.05, 0.5, 0.95)


class Returned(NamedTuple):
    """What a paid channel returned in some periods.

    Attributes:
        name: Its name.
        spend: Currency.
        roi: None where nothing was spent.
        cpik: Spend per unit of the KPI, by its median; None where nothing was spent.
    """

    name: str
    spend: float
    roi: OptionalEstimate | None
    cpik: Mapping[str, float] | None


#: A channel of a fit, or of some of its periods.
One = TypeVar("One", Channel, Returned)


def tiles(
    view: xr.Dataset, units: fmt.Units, share: Mapping[str, Any] | None = None
) -> list[Headline]:
    """The four numbers at the top.

    Args:
        view: channels.nc, or the same for some periods.
        units: Words for the units.
        share: Baseline share of the outcome; None to take it from the draws.
    """
    media = paid(view)
    spend = float(media["spend"].sum())
    brought = interval.estimates(media["incremental_outcome"].sum("channel"))
    total = {"mean": brought["mid"], "lo": brought["lo"], "hi": brought["hi"]}
    total = {key: float(value) for key, value in total.items()}
    headlines = [headline.exact(say("Media spend"), spend, "money", units.currency)]
    kind = ("money", units.currency) if units.is_money else ("number", units.outcome)
    name = say("{outcome} from paid media", outcome=units.outcome_name)
    headlines.append(headline.estimated(name, total, *kind))
    if spend > 0:
        headlines.append(_return(units, media, total, spend))
    if share is None:
        share = estimate((view["baseline_outcome"] / view["expected_outcome"]).values)
    return [*headlines, headline.estimated(say("Baseline share"), share, "share")]


def _return(
    units: fmt.Units, media: xr.Dataset, total: Mapping[str, float], spend: float
) -> Headline:
    """What paid media returned: ROI, or the cost of one more unit of the KPI."""
    if units.is_money:
        roi = {key: value / spend for key, value in total.items()}
        return headline.estimated(fmt.titled(say("ROI"), units.roi), roi, "ratio")
    cost = _cost(spend, media["incremental_outcome"].sum("channel").values)
    money = ("money", units.currency)
    return headline.estimated(units.cost_name, cost, *money, centre=_MID)


_MEAN, _MID = "mean", "median"
#: The best of several channels, and the only one.
_HIGHEST = marked("{name} has the highest ROI, {roi} {unit}")
_ONLY = marked("{name} has an ROI of {roi} {unit}")


def _cost(spend: float, brought: np.ndarray) -> dict[str, float]:
    """Spend per unit of what it brought; infinite where it brought nothing."""
    cost = spend / np.where(brought > 0, brought, np.nan)
    low, median, high = np.quantile(np.nan_to_num(cost, nan=np.inf), _ENDS)
    return {_MID: float(median), "lo": float(low), "hi": float(high)}


def returns(view: xr.Dataset) -> list[Returned]:
    """What each paid channel returned.

    Args:
        view: channels.nc, or the same for some periods.
    """
    media, channels = paid(view), []
    for i, name in enumerate(media["channel"].values):
        own = media.isel(channel=i)
        spend = float(own["spend"])
        roi = cpik = None
        if spend > 0:
            cost = _cost(spend, own["incremental_outcome"].values)
            roi = estimate(own["roi"].values)
            cpik = cost | {"mean": cost[_MID]}
        channels.append(Returned(str(name), spend, roi, cpik))
    return channels


def sentence(
    channels: Sequence[Returned | Channel], view: xr.Dataset, units: fmt.Units
) -> str:
    """The finding in a sentence; empty where no channel has an ROI.

    Args:
        channels: Of a fit, or what `returns` gives.
        view: channels.nc, or the same for some periods.
        units: Words for the units.
    """
    best, sure = best_channel(channels, view)
    if best is None:
        return ""
    text = say(
        _HIGHEST if sure else _ONLY,
        name=best.name,
        roi=fmt.estimate(best.roi, "ratio"),
        unit=units.roi,
    )
    if not units.is_money and has(best.cpik):
        text = say(
            "{name} has the lowest cost per incremental unit of {kpi}, {cost}",
            name=best.name,
            kpi=units.kpi_name,
            cost=fmt.estimate(best.cpik, "money", units.currency, centre=_MID),
        )
    if sure:
        text = say(
            "{finding}; the probability that it is the best channel is {odds}",
            finding=text,
            odds=sure,
        )
    text += "."
    if units.is_money:
        losing = [
            channel.name
            for channel in channels
            if has(channel.roi) and channel.roi.hi < 1
        ]
        if losing:
            names = ", ".join(losing)
            text += " " + say("Very likely below break-even: {names}.", names=names)
    return text


def best_channel(channels: Sequence[One], view: xr.Dataset) -> tuple[One | None, str]:
    """The channel of the highest mean ROI, and the probability that it is the best.

    The probability is empty where no other channel has an ROI; the channel is None
    where none has.
    """
    candidates = [channel for channel in channels if has(channel.roi)]
    if not candidates:
        return None, ""
    best = max(candidates, key=lambda channel: channel.roi.mean)
    return best, "" if len(candidates) == 1 else _probability_best(view, best.name)


def _probability_best(view: xr.Dataset, name: str) -> str:
    roi = paid(view)["roi"].transpose("draw", "channel")
    names = roi["channel"].values.astype(str)
    best = np.argmax(np.nan_to_num(roi.values, nan=-np.inf), axis=1)
    return fmt.probability(float((names[best] == name).mean()))


def paid(view: xr.Dataset) -> xr.Dataset:
    """The channels that cost something."""
    is_paid = np.isin(view["kind"].values.astype(str), PAID)
    return view.isel(channel=np.flatnonzero(is_paid))


def has(estimated: Mapping[str, Any] | None) -> bool:
    """Whether there is an estimate."""
    return bool(estimated) and estimated.get("mean") is not None
