r"""Following: how likely a channel is bought after demand, before a fit, and why.

The probability is knowledge of how channels of such a name are bought, moved by what
the channel's own spend shows:

- season: the share of its log spend that the waves of the year and the days of the week
  explain. Demand has a season in most markets, and a budget that runs after demand has
  it, too; a plan may have one as well, so it counts little;
- pauses: the share of periods without spend between the first and the last with some.
  What people ask for does not stop for weeks; a plan does.

    logit p = logit p(name) + 1.5 (season - 0.2) - 2 pauses

The KPI is never looked at: the likelihood sees it, and would count it twice. What KPI
and spend say together, the fit adds.

The demand that spend reveals: what season, trend and weekday leave of log spend.

    z_gt = log(spend_gt / median spend of g) - trend - waves of the year - weekdays

in standard deviations of the channel, zero where nothing was spent. A channel that is
bought after demand has its demand in there, mixed with whatever else moved its budget.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from core.data.demand import calendar
from core.data.demand.names import kind_of
from core.data.input_data import InputData
from core.data.mapping import PAID

#: Periods with spend that a deviation needs, and the smallest that is one: 2 %.
LEAST_PERIODS, _LEAST_DEVIATION = 20, 0.02


@dataclass(frozen=True)
class Deviation:
    """What the calendar leaves of a channel's log spend.

    Attributes:
        values: In standard deviations, zero where nothing was spent; geo time.
        memory: Share of a deviation that is there in the next period, 0 to 0.95.
        why_not: Why there is none, to follow the name of the channel; else empty.
    """

    values: np.ndarray
    memory: float
    why_not: str


def paid_spend(data: InputData) -> dict[str, np.ndarray]:
    """Spend of every paid channel; geo time."""
    return {
        name: getattr(data, kind).spend[:, :, place]
        for kind in PAID
        for place, name in enumerate(getattr(data, kind).names)
    }


def deviation(spend: np.ndarray, times: np.ndarray) -> Deviation:
    """What the calendar leaves of log spend.

    Args:
        spend: Currency, geo time.
        times: Period starts.
    """
    logs, is_on = logarithms(spend)
    residual = np.zeros(spend.shape)
    columns = calendar.usual(times)
    for geo, use in enumerate(is_on):
        if use.sum() < max(LEAST_PERIODS, columns.shape[1] + 5):
            continue  # the columns would follow every one of them
        rest = logs[geo] - calendar.explained(columns, logs[geo], use)
        residual[geo] = np.where(use, rest, 0.0)
    why_not = _why_not(spend, is_on, residual)
    if why_not:
        return Deviation(np.zeros(spend.shape), 0.0, why_not)
    is_used = is_on & (residual != 0).any(axis=1, keepdims=True)
    return Deviation(residual / residual[is_used].std(), _memory(residual, is_on), "")


def logarithms(spend: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log of spend over its median in the geo, zero where there is none, and where."""
    is_on = np.isfinite(spend) & (spend > 0)
    logs = np.zeros(spend.shape)
    for geo, use in enumerate(is_on):
        if use.any():
            row = spend[geo, use]
            logs[geo, use] = np.log(row / np.median(row))
    return logs, is_on


def _why_not(spend: np.ndarray, is_on: np.ndarray, residual: np.ndarray) -> str:
    most = int(is_on.sum(axis=1).max(initial=0))
    if most == 0:
        return "has no spend"
    if most < LEAST_PERIODS:
        return f"has spend in only {most} periods, and {LEAST_PERIODS} are needed"
    used = spend[is_on]
    if np.ptp(used) <= 1e-9 * np.abs(used).max():
        return "spends the same amount in every period"
    if not residual.any():
        return "has too few periods with spend to tell its season from the rest"
    if residual[is_on & (residual != 0)].std() < _LEAST_DEVIATION:
        return "hardly deviates from its own season and trend"
    return ""


def _memory(residual: np.ndarray, is_on: np.ndarray) -> float:
    """Lag-one autocorrelation over pairs of periods that both have spend."""
    pairs = is_on[:, 1:] & is_on[:, :-1]
    before, after = residual[:, :-1][pairs], residual[:, 1:][pairs]
    if not len(before) or not before.any():
        return 0.0
    return float(np.clip((before @ after) / (before @ before), 0.0, 0.95))


#: What season and pauses count for, and the season of an ordinary plan.
_BY_SEASON, _BY_PAUSES, _ORDINARY = 1.5, 2.0, 0.2
#: Years from which a season is told from a trend.
_LEAST_YEARS = 1.4
#: Shares from which season and pauses are worth a word.
_SEASONAL, _PAUSED = 0.35, 0.15


@dataclass(frozen=True)
class Following:
    """What is known of one channel before a fit.

    Attributes:
        channel: Its name.
        probability: That its spend follows demand; zero where it has no demand term.
        kind: What its name says of how it is bought.
        season: Share of log spend that the calendar explains; None where it cannot be
            told.
        pauses: Share of periods without spend between the first and the last.
        can_be_modelled: Whether its spend varies enough for a demand term.
        reason: One sentence.
    """

    channel: str
    probability: float
    kind: str
    season: float | None
    pauses: float
    can_be_modelled: bool
    reason: str


def followings(data: InputData) -> tuple[Following, ...]:
    """Every paid channel, by its name and its spend."""
    spend = paid_spend(data)
    return tuple(_following(name, own, data.times) for name, own in spend.items())


def _following(name: str, spend: np.ndarray, times: np.ndarray) -> Following:
    total = np.nansum(spend, axis=0)[None]
    kind = kind_of(name)
    why_not = deviation(total, times).why_not or deviation(spend, times).why_not
    blank = Following(name, 0.0, kind.name, None, 0.0, False, "")
    if why_not:
        reason = f"{name} {why_not}: whether it follows demand cannot be told."
        return replace(blank, reason=reason)
    season, pauses = _season(total, times), _pauses(total[0])
    logit = math.log(kind.probability / (1.0 - kind.probability))
    if season is not None:
        logit += _BY_SEASON * (season - _ORDINARY)
    logit -= _BY_PAUSES * pauses
    chance = 1.0 / (1.0 + math.exp(-logit))
    return Following(
        channel=name,
        probability=chance,
        kind=kind.name,
        season=season,
        pauses=pauses,
        can_be_modelled=True,
        reason=_reason(name, chance, season, pauses),
    )


def _season(spend: np.ndarray, times: np.ndarray) -> float | None:
    """Share of log spend, less its trend, that the calendar explains; zero to one.

    Adjusted for the number of columns, so that noise has none.
    """
    logs, is_on = logarithms(spend)
    use = is_on[0]
    trend = calendar.trend(times)
    waves = np.concatenate([calendar.waves(times), calendar.weekdays(times)], axis=1)
    columns = np.concatenate([trend, waves], axis=1)
    n_free = int(use.sum()) - columns.shape[1]
    if calendar.years(times) < _LEAST_YEARS or n_free < 10 or not waves.shape[1]:
        return None
    series = logs[0]
    before = ((series - calendar.explained(trend, series, use))[use] ** 2).sum()
    after = ((series - calendar.explained(columns, series, use))[use] ** 2).sum()
    if before <= 0:
        return None
    free_before = n_free + waves.shape[1]
    return float(np.clip(1.0 - (after / n_free) / (before / free_before), 0.0, 1.0))


def _pauses(spend: np.ndarray) -> float:
    """Share of periods without spend between the first and the last with some."""
    active = np.flatnonzero(spend > 0)
    ran = spend[active[0] : active[-1] + 1]
    return float((ran <= 0).mean())


def _reason(name: str, chance: float, season: float | None, pauses: float) -> str:
    """The probability and what it rests on."""
    kind = kind_of(name)
    share = f"{100 * kind.probability:.0f} %"
    parts = [f"its name says {kind.name} ({share})"]
    if not kind.words:
        parts = [f"its name says nothing of how it is bought ({share})"]
    if season is not None and season >= _SEASONAL:
        parts.append(f"the calendar explains {100 * season:.0f} % of its spend")
    if pauses >= _PAUSED:
        parts.append(f"it pauses in {100 * pauses:.0f} % of the periods")
    return (
        f"{name} follows demand with a probability of {100 * chance:.0f} % before the "
        f"fit: {'; '.join(parts)}."
    )
