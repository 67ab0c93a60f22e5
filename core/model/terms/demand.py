r"""Demand: the term for what the spend of channels that follow demand reveals of it.

    mu_gt = ... + sum_m,k gamma_mk l_gt z_gtmk,  gamma_mk = i_m xi d_mk,  d_mk ~ N(0, 1)

with z what season, trend and weekdays leave of log spend
(`core.data.demand.following`), nationally in two parts, what lasts and what passes
(`core.data.demand.lasting`), with what is above zero of it beside them, as a peak of
demand says more than a week in which spend happens to be low; l the usual level of the
KPI (`usual_level`), as a wave of demand is a share of what is sold anyway, and i_m one
where the channel follows demand, which has a prior probability of its own.
Which channels follow is summed over (`core.model.block.patterns`), exactly for up to
`MOST_OPEN` channels. The column of any further one is there with its size multiplied by
the root of its probability: the same prior mean and variance, and no indicator.

Spend says nothing of the demand of periods to come but its mean, zero; what it may be
beside that is noise of a forecast.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from core.data.demand import calendar
from core.data.demand.following import (
    LEAST_PERIODS,
    Following,
    deviation,
    followings,
    paid_spend,
)
from core.data.demand.lasting import lasting
from core.data.input_data import InputData
from core.model.spec import ChannelSpec, ModelSpec
from core.model.terms.linear_terms import LinearTerm, TermDesign, TermStructure
from core.text.languages.language import marked

#: Name of the term.
TERM = "demand"
#: Posterior variable: whether each channel that may follow does, one or zero.
PRESENT = "follows_demand"

#: Channels whose indicators are summed over: 1,024 patterns. Those whose prior says
#: least come first.
MOST_OPEN = 10

#: Columns of a channel nationally: what lasts of its deviation, what passes, and what
#: demand counts for more in peaks of spend.
_PARTS = ("", f" · {marked('what passes')}", f" · {marked('in peaks')}")
#: Prior standard deviation of that over the one of the others.
_MORE_IN_PEAKS = 0.5

#: Correlation of two columns that say the same.
_SAME = 0.97
#: A level below this share of the mean is none: demand there would count for nothing.
_LEAST_LEVEL = 0.1


@dataclass(frozen=True)
class Demand:
    """Whether one paid channel's spend follows demand, before the fit.

    Attributes:
        channel: Its name.
        probability: That it does; 1 or 0 only if the options say so or its spend
            allows no demand term.
        column: `none`; `fixed`, there for sure; `open`, there or not; `shrunk`, there
            with the prior variance of one that may not be.
        by: Who said so: `you` in the options, or `data` for name and spend.
        reason: One sentence.
        twin: The channel whose column stands for this one's, too; else empty.
    """

    channel: str
    probability: float
    column: Literal["none", "fixed", "open", "shrunk"]
    by: Literal["you", "data"]
    reason: str
    twin: str = ""


def prior_demand(spec: ModelSpec, data: InputData) -> tuple[Demand, ...]:
    """Every paid channel, by the options or by name and spend.

    With Meridian's preset none follows; a baseline of knots has the term for channels
    that the options name.
    """
    spend = paid_spend(data)
    if spec.preset == "meridian" or not spend:
        return ()
    channels = {channel.name: channel for channel in spec.channels}
    lines = [
        _one(channels[one.channel], one, is_structural=spec.is_structural)
        for one in followings(data)
    ]
    columns: dict[str, np.ndarray] = {}
    settled = {}
    # The surest first: of two that are bought together, it has the column.
    for one in sorted(lines, key=lambda one: -one.probability):
        values = deviation(spend[one.channel], data.times).values
        twin = _twin(values, columns) if one.probability else ""
        if twin:
            reason = (
                f"{one.channel} is bought together with {twin}, whose demand term "
                "stands for both."
            )
            one = replace(one, column="none", reason=reason, twin=twin)
        elif one.probability:
            columns[one.channel] = values
        settled[one.channel] = one
    return _at_most([settled[one.channel] for one in lines])


def _one(channel: ChannelSpec, following: Following, *, is_structural: bool) -> Demand:
    name, text = channel.name, channel.follows_demand
    by, chance, reason = "you", float(text != "auto" and text), ""
    if text == "auto":
        by, chance, reason = "data", following.probability, following.reason
        if not is_structural and chance:
            chance = 0.0
            reason += " Beside knots it has a demand term only if you ask for it."
    elif chance in (0.0, 1.0):
        how = "follows demand" if chance else "is bought by plan"
        reason = f"{name} {how}, as set on the Model screen or in project.toml."
    else:
        reason = (
            f"{name} follows demand with a probability of {100 * chance:.0f} % before "
            "the fit, as set on the Model screen or in project.toml."
        )
    if chance and not following.can_be_modelled:
        why_not = following.reason.partition(": ")[0]
        chance, reason = 0.0, f"{why_not}: it has no demand term."
    kind = "none" if not chance else "fixed" if chance == 1.0 else "open"
    return Demand(name, chance, kind, by, reason)


def _at_most(demand: list[Demand]) -> tuple[Demand, ...]:
    """No more open columns than are summed over."""
    openly = [one for one in demand if one.column == "open"]
    openly.sort(key=lambda one: abs(one.probability - 0.5))
    rest = {one.channel for one in openly[MOST_OPEN:]}
    return tuple(
        replace(one, column="shrunk") if one.channel in rest else one for one in demand
    )


def _twin(values: np.ndarray, columns: dict[str, np.ndarray]) -> str:
    """The channel whose column is nearly the same; empty where there is none."""
    for name, other in columns.items():
        norm = np.sqrt((values**2).sum() * (other**2).sum())
        if norm > 0 and (values * other).sum() > _SAME * norm:
            return name
    return ""


def demand_terms(
    data: InputData, demand: tuple[Demand, ...], *, n_ahead: int | None = None
) -> tuple[TermDesign, ...]:
    """The term of the channels that may follow demand; none where no channel may.

    Args:
        data: The market.
        demand: What `prior_demand` gives.
        n_ahead: Later periods, whose columns are zero; None for those of the data.
    """
    openly = [one for one in demand if one.column == "open"]
    surely = [one for one in demand if one.column in ("fixed", "shrunk")]
    ordered = surely + openly
    if not ordered:
        return ()
    parts = _PARTS if data.n_geos == 1 else _PARTS[:1]
    names = tuple(f"{one.channel}{part}" for one in ordered for part in parts)
    if n_ahead is None:
        size = np.sqrt([1.0 if d.column == "open" else d.probability for d in ordered])
        columns = revealed(data, tuple(one.channel for one in ordered))
        sizes = np.repeat(size, len(parts))
        design = columns * sizes * usual_level(data)[:, :, None]
    else:
        design = np.zeros((data.n_geos, n_ahead, len(names)))
    chance = np.array([[one.probability] * len(parts) for one in openly])
    chance = chance.reshape(-1, len(parts))
    log_odds = np.log(chance) - np.log1p(-chance)
    numbers = LinearTerm(design, np.zeros(len(names)), np.zeros(0), log_odds)
    return (TermDesign(TermStructure(TERM, by_cell=True), numbers, names),)


def revealed(data: InputData, names: tuple[str, ...]) -> np.ndarray:
    """What the spend of channels reveals of demand; geo time column.

    One channel after another. Nationally what lasts of it, in its standard deviations,
    the rest as it is, and its peaks; one column each with several geos
    (docs/decisions.md).
    """
    spend, columns = paid_spend(data), []
    for name in names:
        values = deviation(spend[name], data.times).values
        if data.n_geos > 1:
            columns.append(values)
            continue
        is_used = values != 0
        stays = lasting(values, is_used)
        stays = stays / stays[is_used].std()
        passes = values - stays * (values * stays).sum() / (stays**2).sum()
        columns += [stays, passes, _MORE_IN_PEAKS * _peaks(values, is_used)]
    return np.stack(columns, axis=2)


def _peaks(values: np.ndarray, is_used: np.ndarray) -> np.ndarray:
    """What of a deviation is above zero, less its mean; geo time.

    Less the mean, as a forecast, which knows no deviation, takes the column for zero.
    """
    above = np.maximum(values, 0.0)
    return (above - above[is_used].mean()) * is_used


def usual_level(data: InputData) -> np.ndarray:
    """What season, trend and weekdays say of the KPI, over its mean; geo time.

    Ones where that is no level: with a KPI around zero, or too few periods. Ones with
    several geos, too, where it has not been measured (docs/decisions.md).
    """
    kpi, columns = data.kpi, calendar.usual(data.times)
    n_periods, mean = len(data.times), float(kpi.mean())
    is_short = n_periods < columns.shape[1] + LEAST_PERIODS
    if data.n_geos > 1 or mean <= 0 or is_short:
        return np.ones(kpi.shape)
    use = np.ones(n_periods, dtype=bool)
    level = calendar.explained(columns, kpi[0], use) / mean
    return np.maximum(level, _LEAST_LEVEL)[None]
