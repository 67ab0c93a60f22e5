"""Comparison: spend of a channel beside the KPI, both without their trend."""

from typing import NamedTuple

import numpy as np

from core.data.demand import calendar
from core.data.demand.following import logarithms, paid_spend
from core.data.input_data import InputData


class Comparison(NamedTuple):
    """Two series in standard deviations from their trend.

    Attributes:
        channel: Whose spend.
        times: Period starts.
        spend: Log spend over all geos, NaN where nothing was spent; time.
        kpi: KPI over all geos; time.
    """

    channel: str
    times: np.ndarray
    spend: np.ndarray
    kpi: np.ndarray


def comparison(data: InputData, channel: str) -> Comparison:
    """Spend of a channel and the KPI, comparable by eye.

    Args:
        data: The market.
        channel: Name of a paid channel.
    """
    total = np.nansum(paid_spend(data)[channel], axis=0)[None]
    logs, is_on = logarithms(total)
    kpi = np.nansum(data.kpi, axis=0)
    spend = _standard(logs[0], is_on[0], data.times)
    return Comparison(
        channel=channel,
        times=data.times,
        spend=np.where(is_on[0], spend, np.nan),
        kpi=_standard(kpi, np.ones(len(kpi), bool), data.times),
    )


def _standard(series: np.ndarray, use: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Deviations from a straight trend, in their standard deviations."""
    if use.sum() < 3:
        return np.zeros(len(series))
    at = np.linspace(-1.0, 1.0, len(series))
    columns = np.stack([np.ones(len(series)), at], axis=1)
    if calendar.years(times) < 0.5:
        columns = columns[:, :1]
    residual = series - calendar.explained(columns, series, use)
    spread = residual[use].std()
    return residual / spread if spread > 1e-12 else 0.0 * residual
