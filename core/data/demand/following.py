r"""Following: which channels are bought after demand, with a reason in one sentence.

Three things are looked at, on the sums over geos:

- season: how much log spend answers to the KPI's own season, in sd of that season. A
  plan may favour a season, but seldom as a budget that runs after every sale does;
- surprises: whether the KPI moves with what the calendar leaves of spend in the very
  same week, beyond what carryover would spread over the weeks that follow;
- the name: search, shopping, affiliates answer to people who already ask.

They add up to a logit, whose weights were chosen on simulated markets (see
docs/decisions.md). Cells that the likelihood does not see are not looked at.
"""

from dataclasses import dataclass, replace

import numpy as np

from core.data.demand import calendar
from core.data.demand.names import name_weight
from core.data.demand.spend import deviation, logarithms, paid_spend
from core.data.input_data import InputData
from core.text.sentences import listed

#: A logit of zero is even odds; the season in log spend per sd, the surprises in t.
_ORIGIN, _BY_SEASON, _BY_SURPRISE = -5.0, 14.0, 0.35
#: Most that one t value counts.
_MOST_T = 6.0
#: Periods and years that a decision from the data needs.
_LEAST_PERIODS, _LEAST_YEARS = 30, 1.4


@dataclass(frozen=True)
class Following:
    """What is known of one channel before a fit.

    Attributes:
        channel: Its name.
        follows: Whether its spend follows demand, as far as data and name tell.
        probability: That it does.
        season: Change of log spend with one sd of the KPI's season; None where it
            cannot be told.
        surprise: t value of the KPI on what the calendar leaves of spend in the same
            period; None where it cannot be told.
        explained: Share of log spend that the KPI's season, trend and last periods
            explain; None where it cannot be told.
        can_be_modelled: Whether its spend varies enough for a demand term.
        reason: One sentence.
    """

    channel: str
    follows: bool
    probability: float
    season: float | None
    surprise: float | None
    explained: float | None
    can_be_modelled: bool
    reason: str


def followings(
    data: InputData, is_seen: np.ndarray | None = None
) -> tuple[Following, ...]:
    """Every paid channel, judged by data and name.

    Args:
        data: The market.
        is_seen: Zero where the likelihood does not see a cell of the KPI, geo time;
            None for all seen.
    """
    spend = paid_spend(data)
    kpi, use = _kpi(data, is_seen)
    totals = {name: np.nansum(own, axis=0)[None] for name, own in spend.items()}
    moves = {name: deviation(total, data.times) for name, total in totals.items()}
    others = {name: move.values[0] for name, move in moves.items() if not move.why_not}
    is_long = use.sum() >= _LEAST_PERIODS
    is_long = is_long and calendar.years(data.times) >= _LEAST_YEARS
    seen = _seen(data, kpi, use, others) if is_long else None
    judged = []
    for name, total in totals.items():
        blank = Following(name, False, 0.0, None, None, None, False, "")
        why_not = moves[name].why_not or deviation(spend[name], data.times).why_not
        if why_not:
            reason = f"{name} {why_not}: whether it follows demand cannot be told."
            judged.append(replace(blank, reason=reason))
        elif seen is None:
            reason = (
                f"The data are too short to tell {name}'s spend from the season: "
                "a year and a half would do."
            )
            judged.append(replace(blank, can_be_modelled=True, reason=reason))
        else:
            judged.append(_judged(name, total, seen))
    return tuple(judged)


@dataclass(frozen=True)
class _Seen:
    """What every channel is judged against.

    Attributes:
        kpi: Over its mean, time.
        use: Periods that count, time.
        deviations: What the calendar leaves of each channel's log spend, time.
        trend: A level and slow waves, time column.
        slow: Trend, waves of the year and weekdays, time column.
        controls: Mean over geos of each control that varies, time control.
        pattern: The KPI's own season, in its sd; time.
    """

    kpi: np.ndarray
    use: np.ndarray
    deviations: dict[str, np.ndarray]
    trend: np.ndarray
    slow: np.ndarray
    controls: np.ndarray
    pattern: np.ndarray


def _seen(
    data: InputData,
    kpi: np.ndarray,
    use: np.ndarray,
    deviations: dict[str, np.ndarray],
) -> _Seen:
    trend = calendar.trend(data.times)
    season = calendar.waves(data.times), calendar.weekdays(data.times)
    waves = np.concatenate(season, axis=1)
    mean = np.nan_to_num(data.controls).mean(axis=0)
    spread = mean.std(axis=0)
    controls = (mean - mean.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    media = [_lagged(series, lag) for series in deviations.values() for lag in (0, 1)]
    # Without controls: a temperature that is the season would take it away.
    columns = [waves, trend, *(column[:, None] for column in media)]
    coefficients = _least_squares(np.concatenate(columns, axis=1), kpi, use)
    pattern = waves @ coefficients[: waves.shape[1]]
    pattern = pattern - pattern.mean()
    return _Seen(
        kpi=kpi,
        use=use,
        deviations=deviations,
        trend=trend,
        slow=np.concatenate([trend, waves], axis=1),
        controls=controls,
        pattern=pattern / pattern.std() if pattern.std() > 1e-9 else 0.0 * pattern,
    )


def _least_squares(
    columns: np.ndarray, series: np.ndarray, use: np.ndarray
) -> np.ndarray:
    return np.linalg.lstsq(columns[use], series[use], rcond=None)[0]


def _kpi(data: InputData, is_seen: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """KPI over its mean in the geos that are seen, and the periods that count.

    A period counts where geos that make up half of the KPI are seen.
    """
    known = np.isfinite(data.kpi)
    if is_seen is not None:
        known &= is_seen > 0
    kpi = np.where(known, data.kpi, 0.0)
    level = kpi.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    seen = (known * level[:, None]).sum(axis=0)
    use = seen > 0.5 * level.sum()
    return np.where(use, kpi.sum(axis=0) / np.where(seen > 0, seen, 1.0), 0.0), use


def _judged(name: str, spend: np.ndarray, seen: _Seen) -> Following:
    logs, is_on = logarithms(spend)
    use = seen.use & is_on[0]
    season, strength = _season(logs[0], use, seen)
    surprise = _surprise(name, seen)
    weight = name_weight(name)
    logit = _ORIGIN + _BY_SEASON * max(season, 0.0) * strength
    logit += _BY_SURPRISE * float(np.clip(surprise, 0.0, _MOST_T)) + weight
    probability = float(1.0 / (1.0 + np.exp(-logit)))
    share = _explained(logs[0], use, seen)
    follows = probability >= 0.5
    return Following(
        channel=name,
        follows=follows,
        probability=probability,
        season=season,
        surprise=surprise,
        explained=share,
        can_be_modelled=True,
        reason=_reason(name, follows, season * strength, surprise, weight, share),
    )


def _season(logs: np.ndarray, use: np.ndarray, seen: _Seen) -> tuple[float, float]:
    """Change of log spend with one sd of the KPI's season, and how sure it is, 0 to 1.

    Sure as t^2 / (2 + t^2), with as many periods as are independent of each other.
    """
    if not seen.pattern.any() or use.sum() < _LEAST_PERIODS:
        return 0.0, 0.0
    trend = seen.trend
    columns = np.concatenate([seen.pattern[:, None], trend], axis=1)
    coefficients = _least_squares(columns, logs, use)
    left = logs[use] - columns[use] @ coefficients
    without = logs[use] - calendar.explained(trend, logs, use)[use]
    gained = (without**2).sum() - (left**2).sum()
    # Neighbouring periods repeat each other: so many fewer are independent (AR(1)).
    memory = max(float(np.corrcoef(left[1:], left[:-1])[0, 1]), 0.0)
    independent = use.sum() * (1 - memory) / (1 + memory)
    t_squared = gained / max((left**2).sum(), 1e-12) * independent
    return float(coefficients[0]), float(t_squared / (2.0 + t_squared))


def _surprise(name: str, seen: _Seen) -> float:
    """How the KPI moves with the channel's deviation in the same period: a t value.

    Beside its deviations of the three periods before and the one after, and those of
    every other channel: carryover would be in the former.
    """
    own = seen.deviations[name]
    rest = [series for other, series in seen.deviations.items() if other != name]
    columns = [own, *(_lagged(own, lag) for lag in (1, 2, 3, -1))]
    columns += [_lagged(series, lag) for series in rest for lag in (0, 1)]
    design = np.concatenate([np.stack(columns, 1), seen.slow, seen.controls], axis=1)
    x, y = design[seen.use], seen.kpi[seen.use]
    free = len(y) - np.linalg.matrix_rank(x)
    if free < 10:
        return 0.0
    coefficients = np.linalg.lstsq(x, y, rcond=None)[0]
    variance = ((y - x @ coefficients) ** 2).sum() / free
    # The pseudo-inverse: channels that are bought together leave the design without
    # full rank.
    spread = np.linalg.pinv(x.T @ x)[0, 0] * variance
    return float(coefficients[0] / np.sqrt(spread)) if spread > 0 else 0.0


def _explained(logs: np.ndarray, use: np.ndarray, seen: _Seen) -> float:
    """Share of log spend that the KPI's season, trend and last periods explain."""
    trend = calendar.explained(seen.trend, seen.kpi, seen.use)
    rest = np.where(
        seen.use, seen.kpi - calendar.explained(seen.slow, seen.kpi, seen.use), 0.0
    )
    last = [_lagged(rest, lag) for lag in (1, 2)]
    columns = np.stack([np.ones(len(trend)), seen.pattern, trend, *last], axis=1)
    around = ((logs[use] - logs[use].mean()) ** 2).sum()
    left = ((logs - calendar.explained(columns, logs, use))[use] ** 2).sum()
    return float(np.clip(1.0 - left / around, 0.0, 1.0)) if around > 0 else 0.0


def _lagged(values: np.ndarray, lag: int) -> np.ndarray:
    """A series as it was `lag` periods before; zero where there is nothing before."""
    moved = np.zeros_like(values)
    if lag > 0:
        moved[lag:] = values[:-lag]
    elif lag < 0:
        moved[:lag] = values[-lag:]
    else:
        moved[:] = values
    return moved


def _reason(
    name: str,
    follows: bool,
    season: float,
    surprise: float,
    weight: float,
    share: float,
) -> str:
    """The decision and what it rests on."""
    part = f"{100 * share:.0f} % of its spend"
    explained = f"the KPI's season, trend and last periods explain {part}"
    if not follows:
        return f"{name} looks bought by plan: {explained}."
    signs = []
    if season > 0.15:
        rise = 100 * (np.exp(season) - 1)
        signs.append(f"it spends {rise:.0f} % more per sd of the KPI's season")
    if surprise > 2:
        signs.append("the KPI moves with its spend in the same period")
    if weight > 0:
        signs.append("its name says so")
    return f"{name} seems to follow demand: {explained}; {listed(signs)}."
