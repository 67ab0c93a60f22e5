r"""The demand that spend reveals: what season, trend and weekday leave of log spend.

    z_gt = log(spend_gt / median spend of g) - trend - waves of the year - weekdays

in standard deviations of the channel, zero where nothing was spent. A channel that is
bought after demand has its demand in there, mixed with whatever else moved its budget.
"""

from dataclasses import dataclass

import numpy as np

from core.data.demand import calendar
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
    left = np.zeros(spend.shape)
    columns = calendar.usual(times)
    for geo, use in enumerate(is_on):
        if use.sum() < max(LEAST_PERIODS, columns.shape[1] + 5):
            continue  # the columns would follow every one of them
        rest = logs[geo] - calendar.explained(columns, logs[geo], use)
        left[geo] = np.where(use, rest, 0.0)
    why_not = _why_not(spend, is_on, left)
    if why_not:
        return Deviation(np.zeros(spend.shape), 0.0, why_not)
    is_used = is_on & (left != 0).any(axis=1, keepdims=True)
    return Deviation(left / left[is_used].std(), _memory(left, is_on), "")


def logarithms(spend: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log of spend over its median in the geo, zero where there is none, and where."""
    is_on = np.isfinite(spend) & (spend > 0)
    logs = np.zeros(spend.shape)
    for geo, use in enumerate(is_on):
        if use.any():
            row = spend[geo, use]
            logs[geo, use] = np.log(row / np.median(row))
    return logs, is_on


def _why_not(spend: np.ndarray, is_on: np.ndarray, left: np.ndarray) -> str:
    most = int(is_on.sum(axis=1).max(initial=0))
    if most == 0:
        return "has no spend"
    if most < LEAST_PERIODS:
        return f"has spend in only {most} periods, and {LEAST_PERIODS} are needed"
    used = spend[is_on]
    if np.ptp(used) <= 1e-9 * np.abs(used).max():
        return "spends the same amount in every period"
    if not left.any():
        return "has too few periods with spend to tell its season from the rest"
    if left[is_on & (left != 0)].std() < _LEAST_DEVIATION:
        return "hardly deviates from its own season and trend"
    return ""


def _memory(left: np.ndarray, is_on: np.ndarray) -> float:
    """Lag-one autocorrelation over pairs of periods that both have spend."""
    pairs = is_on[:, 1:] & is_on[:, :-1]
    before, after = left[:, :-1][pairs], left[:, 1:][pairs]
    if not len(before) or not before.any():
        return 0.0
    return float(np.clip((before @ after) / (before @ before), 0.0, 0.95))
