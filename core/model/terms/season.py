"""Season: how many waves of the year the data can tell. Free of JAX.

A season that was seen once cannot be told from a trend or from what happened once,
and a third of a year shows none: the fewer years, the coarser the season.
"""

from collections.abc import Iterator

import numpy as np

from core.data.periods import periods
from core.data.reading.findings import Finding
from core.model.inputs.events import typical_step
from core.model.spec import ModelSpec
from core.text.sentences import count

#: Mean length of a year in days.
YEAR = 365.25

#: Years from which a structural baseline has pairs of sine and cosine of the year, and
#: how many.
_PAIRS = ((1.9, 4), (0.9, 2))


def years(times: np.ndarray) -> float:
    """Length of the data in years.

    Args:
        times: Period starts, datetime64[D].
    """
    if len(times) < 2:
        return 0.0
    span = (times[-1] - times[0] + typical_step(times)).astype("timedelta64[D]")
    return float(span.astype(int) / YEAR)


def has_two_years(times: np.ndarray) -> bool:
    """Whether every week of the year is there about twice.

    Args:
        times: Period starts, datetime64[D], at least two.
    """
    return years(times) * YEAR >= 2 * YEAR - 14


def most_pairs(times: np.ndarray) -> int:
    """Pairs that periods so long can tell apart: half the periods of a year."""
    if len(times) < 2:
        return 0
    return int(YEAR / (2 * typical_step(times).astype(int)))


def season_pairs(spec: ModelSpec, times: np.ndarray) -> int:
    """Pairs of sine and cosine of the year."""
    if spec.seasonality is not None:
        return spec.seasonality
    if not spec.is_structural:
        return 0
    span = years(times)
    pairs = next((pairs for least, pairs in _PAIRS if span >= least), 0)
    return min(pairs, most_pairs(times))


def short_history(spec: ModelSpec, times: np.ndarray) -> Iterator[Finding]:
    """What season and trend can and cannot be told from in less than two years.

    Args:
        spec: The options.
        times: Period starts of the KPI, datetime64[D].
    """
    span, pairs = years(times), season_pairs(spec, times)
    if span >= _PAIRS[0][0] or len(times) < 2:
        return
    shown = count(len(times), periods(times).period)
    where = "model.seasonality"
    if span < _PAIRS[1][0]:
        message = (
            f"{shown} are {span:.1f} years: no yearly season can be identified"
            + (", so the model has none. " if not pairs else ". ")
            + "A slow rise or fall may be season, trend or media, and intervals are "
            "wide because of it; a forecast knows no season that comes later."
        )
    else:
        has = f"{count(pairs, 'wave')} of the year" if pairs else "no season"
        message = (
            f"{shown} are {span:.1f} years: every season came about once, so it cannot "
            "be told from the trend or from what happened once. The model has "
            f"{has}, and what media did at the same time of the year stays uncertain."
        )
    hint = (
        "You can still fit it; more history, lift tests or priors from other markets "
        "narrow the intervals."
    )
    yield Finding("warning", where, message, hint)
