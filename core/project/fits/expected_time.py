"""Expected time: how long a fit should take, by one that was made before.

While the model is being read and compiled nothing moves that a time left could be told
from; an earlier fit knows what that takes.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import WorkspaceError
from core.project.fits.runs import latest_fit, read_json
from core.store.stored import read_object

#: Time of the results over that until the first iterations.
_OVER_COMPILING = 1.4


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
        seconds = read_json(before.folder, "fit")["seconds"]
        took = {name: float(seconds[name]) for name in ("total", "warmup", "draws")}
    except (WorkspaceError, KeyError, TypeError, ValueError):
        return None
    sampler = read_object(run / "run.json").get("sampler")
    share = _iterations(sampler) / max(_iterations(before.sampler), 1.0)
    moving = took["warmup"] + took["draws"]
    return took["total"] - moving + moving * (share or 1.0)


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
        return float(read_json(before.folder, "fit")["seconds"]["results"])
    except (WorkspaceError, KeyError, TypeError, ValueError):
        return None


class WithResults:
    """Progress whose time left has the results in it, which follow the draws.

    Where no earlier fit says how long they take, what it took to get to the draws does:
    both are mostly compiling. Over nine fits of 1 to 20 geos the results took 1.4 times
    as long (median; 0.5 to 2.8).

    Attributes:
        seconds: What the results should take; None until that can be told.
    """

    def __init__(self, run: Path) -> None:
        self.seconds = results_seconds(run)

    def __call__(self, told: dict[str, Any]) -> dict[str, Any]:
        """The progress with the results in its time left.

        Args:
            told: As the sampler reports it, `eta` and `elapsed` in seconds.
        """
        if told.get("eta") is None:
            return told
        if self.seconds is None:
            self.seconds = _OVER_COMPILING * float(told.get("elapsed") or 0.0)
        return told | {"eta": told["eta"] + self.seconds}


def _iterations(sampler: Mapping[str, Any] | Any) -> float:
    """Iterations of all chains; zero where they are not known."""
    if not isinstance(sampler, Mapping):
        return 0.0
    numbers = [sampler.get(name) for name in ("chains", "warmup", "draws")]
    if not all(isinstance(number, int) for number in numbers):
        return 0.0
    chains, warmup, draws = numbers
    return float(chains * (warmup + draws))
