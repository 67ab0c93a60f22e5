"""Calendar: what a date alone says about a series: trend, waves of the year, weekday.

The columns are for least squares on one series at a time, before any model.
"""

import numpy as np

#: Mean length of a year in days.
YEAR = 365.25

#: Seasonal waves, and bends of the trend per year.
_WAVES, _BENDS = 4, 4 / 3


def days_between(times: np.ndarray) -> int:
    """Typical length of a period in days."""
    if len(times) < 2:
        return 7
    steps = np.diff(times.astype("datetime64[D]")).astype(np.int64)
    return max(int(np.median(steps)), 1)


def years(times: np.ndarray) -> float:
    """Length of the data in years."""
    return len(times) * days_between(times) / YEAR


def trend(times: np.ndarray, *, bends: float = _BENDS) -> np.ndarray:
    """A level and slow cosines, a bend in nine months; time column."""
    n = len(times)
    most = max(1, min(round(bends * years(times)), n // 8))
    at = (np.arange(n) + 0.5) / max(n, 1)
    slow = np.cos(np.pi * at[:, None] * np.arange(1, most + 1))
    return np.concatenate([np.ones((n, 1)), slow], axis=1)


def waves(times: np.ndarray) -> np.ndarray:
    """Sines and cosines of the year, as many as the periods tell apart; time column.

    None where the data are shorter than a year: there a wave is a trend.
    """
    if years(times) < 0.95:
        return np.zeros((len(times), 0))
    most = min(_WAVES, int(YEAR / (2.5 * days_between(times))))
    at = times.astype("datetime64[D]").astype(np.int64) / YEAR
    angle = 2 * np.pi * at[:, None] * np.arange(1, most + 1)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def weekdays(times: np.ndarray) -> np.ndarray:
    """Days of the week less one of them, for daily data; time column."""
    if days_between(times) > 1:
        return np.zeros((len(times), 0))
    days = times.astype("datetime64[D]").astype(np.int64)
    return np.eye(7)[(days + 3) % 7][:, 1:]


def usual(times: np.ndarray) -> np.ndarray:
    """A slow trend, the waves of the year and weekdays together; time column."""
    parts = [trend(times, bends=0.5), waves(times), weekdays(times)]
    return np.concatenate(parts, axis=1)


def explained(columns: np.ndarray, series: np.ndarray, use: np.ndarray) -> np.ndarray:
    """What columns explain of a series by least squares; time.

    Args:
        columns: time column.
        series: time.
        use: Periods that count, bool; the others are predicted.
    """
    coefficients = np.linalg.lstsq(columns[use], series[use], rcond=None)[0]
    return columns @ coefficients
