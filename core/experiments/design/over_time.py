r"""Over time: tests of a national market, where everything is treated at once.

There are no control geos. What is left is time: the outcome of the weeks of the test
against the weeks on both sides of it. How far such a comparison is off where nothing
was tested is read from the market's own history, season, trend and all:

    error = sd over windows of (mean of the window / mean of its neighbours - 1)

It is honest, and it is large: a market that is split by region is tested far better.
"""

import numpy as np

from core.experiments.design.candidate import Arm
from core.experiments.panel import Panel

#: Said with every design over time.
WEAK = (
    "A national market can only be tested over time: the test weeks are compared with "
    "the weeks around them, and every other change counts as error. Split your market "
    "by region first, if you can."
)


def arm_over_time(panel: Panel, weeks: int, start: str) -> Arm:
    """A test of everything for some weeks, with its error from the market's history.

    Args:
        panel: A market of one geo.
        weeks: How long.
        start: First day, ISO.
    """
    length = panel.periods(weeks)
    errors = errors_over_time(panel.kpi.sum(axis=0), length)
    per_period = panel.kpi.sum(axis=0)[-round(364 / panel.step) :].mean()
    return Arm(
        geos=(),
        weeks=weeks,
        length=length,
        errors=errors,
        outcome=float(per_period * length),
        start=start,
    )


def errors_over_time(total: np.ndarray, length: int) -> np.ndarray:
    """Every window of a series against its neighbours of half its length; shares."""
    half = max(length // 2, 1)
    summed = np.concatenate([[0.0], total.cumsum()])
    starts = np.arange(half, len(total) - length - half + 1)

    def mean(first: np.ndarray, n: int) -> np.ndarray:
        return (summed[first + n] - summed[first]) / n

    around = (mean(starts - half, half) + mean(starts + length, half)) / 2
    return mean(starts, length) / around - 1
