r"""Calibration: how many intervals held what came, beside how many should have.

Of $n$ intervals of level $L$ that are right, $K$ hold. For promises of one number $K$
is binomial. Periods of one forecast share what its fit does not know, so they hold or
miss together: for them the distribution of $K$ is that of the forecast's own draws, and
those of several promises are convolved. What $K$ may be without a reason to doubt lies
between its 2.5 % and 97.5 % quantiles.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.project.promises.record import LEVELS, Kind, Promise, Score

#: Probability, at either end, of what would be a reason to doubt.
_RARE = 0.025


class Calibration(NamedTuple):
    """How many intervals of one level held.

    Attributes:
        level: Per cent.
        n: Intervals.
        held: How many of them held what came.
        least: Fewest that are no reason to doubt.
        most: Most that are no reason to call the intervals too wide.
    """

    level: int
    n: int
    held: int
    least: int
    most: int

    @property
    def is_low(self) -> bool:
        """Whether too few held."""
        return self.held < self.least

    @property
    def is_high(self) -> bool:
        """Whether more held than right intervals would."""
        return self.held > self.most


def calibrated(
    settled: Sequence[tuple[Promise, Score]], kind: Kind | None = None
) -> list[Calibration]:
    """How many intervals held, by level; empty where nothing was scored.

    Args:
        settled: Promises with what came of them.
        kind: Of one kind only; None for all.
    """
    counted = [
        score
        for promise, score in settled
        if score.counted and kind in (None, promise.kind)
    ]
    if not counted:
        return []
    return [_of_level(counted, level) for level in LEVELS]


def _of_level(scores: Sequence[Score], level: int) -> Calibration:
    chance, n_held, n = np.ones(1), 0, 0
    for score in scores:
        outcomes = score.outcomes[: score.counted]
        n += len(outcomes)
        n_held += sum(outcome.is_held(level) for outcome in outcomes)
        chance = np.convolve(chance, score.chances[str(level)])
    at_most = np.cumsum(chance)
    at_least = np.cumsum(chance[::-1])[::-1]
    least = int((at_most > _RARE).argmax())
    most = int(n - (at_least[::-1] > _RARE).argmax())
    return Calibration(level, n, n_held, least, most)
