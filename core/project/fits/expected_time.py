"""Expected time: how long a fit should take, by one that was made before.

While the model is being read and compiled nothing moves that a time left could be told
from; an earlier fit knows what that takes.
"""

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.project.fits.runs import latest_fit
from core.store.fit_results import read_report
from core.store.run_about import read_about

#: Time of the results over that until the first iterations.
_OVER_COMPILING = 0.35


@functools.lru_cache(maxsize=64)
def expected_seconds(run: Path) -> float | None:
    """Seconds that a fit should take from its start, reading and saving included.

    By the newest finished fit of its project, with as many iterations as this one is
    to have; None where there is none.

    Args:
        run: The run's folder.
    """
    before = latest_fit(run.parents[1])
    if before is None or before.folder == run:
        return None
    try:
        seconds = read_report(before.folder).seconds
    except WorkspaceError:
        return None  # no estimate rather than one from a damaged report
    total, *moved = (seconds.get(name) for name in ("total", "warmup", "draws"))
    if total is None or None in moved:
        return None
    iterations = read_about(run).sampler.iterations
    share = iterations / max(before.sampler.iterations, 1.0)
    moving = sum(moved)
    return total - moving + moving * (share or 1.0)


def results_seconds(run: Path) -> float | None:
    """Seconds that a fit's results should take once it has sampled; None if unknown.

    By the newest finished fit of its project.

    Args:
        run: The run's folder.
    """
    try:
        before = latest_fit(run.parents[1])
        if before is None or before.folder == run:
            return None
        return read_report(before.folder).results_seconds
    except WorkspaceError:
        return None


class WholeFit:
    """Tells how far a fit is, the results in it, which follow the draws.

    Where no earlier fit says how long they take, what it took to get to the draws does:
    both are mostly compiling. Over five fits of 1 to 20 geos the results took 0.35
    times as long (median; 0.26 to 0.6). The time left is an estimate that rises and
    falls; the share that is done only rises.

    Args:
        run: The run's folder.
        report: Takes progress as progress.json shows it.
    """

    def __init__(self, run: Path, report: Callable[[dict[str, Any]], None]) -> None:
        self._report = report
        self._seconds = results_seconds(run)
        self._started = time.monotonic()
        self._sampled: float | None = None
        self._done = 0.0

    def sampling(self, progress: dict[str, Any]) -> None:
        """Tell what the sampler reports, `eta` and `elapsed` in seconds."""
        left, passed = progress.get("eta"), float(progress.get("elapsed") or 0.0)
        if left is None:
            self._tell(progress, progress["fraction"])
            return
        if self._seconds is None:
            self._seconds = _OVER_COMPILING * passed
        left += self._seconds
        self._tell(progress | {"eta": left}, passed / (passed + left))

    def results(self, phase: str) -> None:
        """Tell a phase of the results; their time begins with the first."""
        now = time.monotonic()
        if self._sampled is None:
            self._sampled = now
        passed, left = now - self._started, None
        if self._seconds is not None:
            left = max(self._seconds - (now - self._sampled), 0.0)
        share = passed / (passed + left) if left else 0.0
        self._tell({"phase": phase, "elapsed": passed, "eta": left}, share)

    def _tell(self, progress: dict[str, Any], share: float) -> None:
        self._done = max(self._done, share)
        self._report(progress | {"fraction": self._done})
