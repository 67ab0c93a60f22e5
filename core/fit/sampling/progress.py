"""Progress: how far a run is, and how well its chains agree so far."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

#: Coordinates looked at while sampling; enough to see trouble, cheap for any model.
_LOOKED_AT = 200

#: Points of a chain's line while sampling.
_DRAWN = 120

#: Share of a run's progress bar before and after the iterations.
_BEFORE, _AFTER = 0.05, 0.05


def agreement(position: np.ndarray) -> tuple[float | None, float | None]:
    """Largest split R-hat and smallest effective sample size so far.

    Rough and quick, for a screen: no ranks, a sample of the coordinates. The verdict
    on a finished run uses `core.fit.diagnostics`.

    Args:
        position: chain draw dim.
    """
    n_draws, dim = position.shape[1:]
    half = n_draws // 2
    if half < 10:
        return None, None
    some = np.linspace(0, dim - 1, min(dim, _LOOKED_AT)).astype(int)
    x = position[:, :, some].astype(float)
    x = np.concatenate([x[:, :half], x[:, -half:]])
    x = x - x.mean(axis=(0, 1))
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)
    moves = within > 0
    if not moves.any():
        return None, None
    within, between, x = within[moves], between[moves], x[:, :, moves]
    total = within * (half - 1) / half + between
    rhat = np.sqrt(total / within)
    size = len(x) * half / _correlation_time(x, within, total)
    return float(rhat.max()), float(size.min())


def recent(log_density: np.ndarray) -> dict[str, Any]:
    """The log density of every chain so far, thinned for a picture.

    Args:
        log_density: chain draw.
    """
    n_draws = log_density.shape[1]
    at = np.unique(np.linspace(0, n_draws - 1, min(n_draws, _DRAWN)).astype(int))
    values = log_density[:, at].astype(float).round(3)
    chains = [[v if np.isfinite(v) else None for v in row] for row in values.tolist()]
    return {"iterations": (at + 1).tolist(), "log_density": chains}


def _correlation_time(x: np.ndarray, within: np.ndarray, total: np.ndarray):
    """Geyer's initial positive sequence, all coordinates at once."""
    n = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n].mean(axis=0) / n
    correlation = 1 - (within * (n - 1) / n - covariance) / total
    correlation[0] = 1
    even = n - n % 2
    pairs = correlation[:even:2] + correlation[1:even:2]
    pairs = np.where(np.cumprod(pairs > 0, axis=0), pairs, 0)
    pairs = np.minimum.accumulate(pairs, axis=0)
    return np.maximum(2 * pairs.sum(axis=0) - 1, 1 / np.log10(len(x) * n))


class Reporter:
    """Tells the caller how far a run is, in the words of progress.json.

    Args:
        on_progress: Takes a dictionary; None to tell nobody.
    """

    def __init__(self, on_progress: Callable[[dict[str, Any]], None] | None):
        self._tell = on_progress
        self._started = time.monotonic()
        self._pace: list[tuple[float, int]] = []
        self._stage = ""

    def tell(self, phase: str, fraction: float = 0.0, **more: Any) -> None:
        """Report a phase without iterations."""
        if self._tell is not None:
            nothing = {"chains": [], "rhat_max": None, "ess_min": None, "eta": None}
            report = nothing | {"phase": phase, "fraction": fraction, "message": ""}
            self._tell(report | {"elapsed": self.elapsed} | more)

    def tell_iterations(
        self,
        phase: str,
        done: int,
        total: int,
        chains: list[dict],
        *,
        pace: str,
        **more: Any,
    ) -> None:
        """Report iterations done, of all chains and phases, and the time left.

        `pace` is the stage whose iterations foretell the rest; empty while chains
        arrive, when one takes up to a hundred times as long as those that follow.
        """
        if pace != self._stage:
            self._stage, self._pace = pace, []
        self._pace = [*self._pace, (time.monotonic(), done)][-6:]
        (then, before), (now, _) = self._pace[0], self._pace[-1]
        eta = None
        if pace and done > before:
            eta = (now - then) / (done - before) * (total - done)
        fraction = _BEFORE + (1 - _BEFORE - _AFTER) * done / max(total, 1)
        self.tell(phase, fraction, chains=chains, eta=eta, **more)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._started
