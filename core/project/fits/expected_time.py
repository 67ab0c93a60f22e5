"""Expected time: how long a fit should take, by one that was made before.

While the model is being read and compiled nothing moves that a time left could be told
from; an earlier fit knows what that takes.
"""

import functools
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


class WithResults:
    """Progress whose time left has the results in it, which follow the draws.

    Where no earlier fit says how long they take, what it took to get to the draws does:
    both are mostly compiling. Over five fits of 1 to 20 geos the results took 0.35
    times as long (median; 0.26 to 0.6).

    Attributes:
        seconds: What the results should take; None until that can be told.
    """

    def __init__(self, run: Path) -> None:
        self.seconds = results_seconds(run)

    def __call__(self, progress: dict[str, Any]) -> dict[str, Any]:
        """The progress with the results in its time left.

        Args:
            progress: As the sampler reports it, `eta` and `elapsed` in seconds.
        """
        if progress.get("eta") is None:
            return progress
        if self.seconds is None:
            self.seconds = _OVER_COMPILING * float(progress.get("elapsed") or 0.0)
        return progress | {"eta": progress["eta"] + self.seconds}
