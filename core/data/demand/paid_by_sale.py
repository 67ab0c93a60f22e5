r"""Paid by sale: channels whose spend is a nearly fixed share of what is sold.

A commission on sales, or a budget that is booked as a share of them: then sales decide
what is spent, and no model of the two can tell what the channel brings from what pays
for it. How far the share varies is held against how far spend itself does,

    range(log(spend / KPI)) / range(log spend),

each the range of the middle 80 %, which some odd periods do not move: over all periods,
and of what trend, season and weekdays leave of both. A budget that is planned with the
season goes with sales in the first, and not in the second.
"""

import numpy as np

from core.data.demand import calendar
from core.data.demand.following import paid_spend
from core.data.input_data import InputData

#: Ratios below which the share is fixed. On markets that they were not chosen on, 47
#: of 60 channels that are paid by sale lie below both, and 2 of 660 others; of
#: bench.markets none of 15,000 (bench/TRUTH.md).
_SHARE, _BESIDE_CALENDAR = 0.65, 0.92
#: Percentiles between which the middle of a distribution lies.
_MIDDLE = (10, 90)
#: Share of the cells with spend and sales that this can be asked of, and periods beyond
#: the columns of the calendar.
_MOST, _LEAST_PERIODS = 0.8, 20


def paid_by_sale(data: InputData) -> tuple[str, ...]:
    """Paid channels whose spend is a nearly fixed share of the KPI."""
    return tuple(
        name for name, spend in paid_spend(data).items() if _is_share(spend, data)
    )


def _is_share(spend: np.ndarray, data: InputData) -> bool:
    use = np.isfinite(spend) & (spend > 0) & (data.kpi > 0)
    if use.mean() < _MOST:
        return False
    columns = calendar.usual(data.times)
    level = np.ones((data.n_times, 1))
    return (
        _varies(spend, data.kpi, use, level) < _SHARE
        and _varies(spend, data.kpi, use, columns) < _BESIDE_CALENDAR
    )


def _varies(
    spend: np.ndarray, kpi: np.ndarray, use: np.ndarray, columns: np.ndarray
) -> float:
    """Range of the log share over that of log spend, both less columns."""
    own, share = [], []
    for money, sold, there in zip(spend, kpi, use, strict=True):
        if there.sum() < columns.shape[1] + _LEAST_PERIODS:
            continue
        logs = np.zeros((2, len(there)))
        logs[0, there] = np.log(money[there])
        logs[1, there] = np.log(money[there] / sold[there])
        residuals = [
            (row - calendar.explained(columns, row, there))[there] for row in logs
        ]
        own.append(residuals[0])
        share.append(residuals[1])
    if not own or not (of_spend := _range(own)):
        return 1.0
    return _range(share) / of_spend


def _range(parts: list[np.ndarray]) -> float:
    low, high = np.percentile(np.concatenate(parts), _MIDDLE)
    return float(high - low)
