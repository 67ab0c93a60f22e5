"""Convergence: R-hat and effective sample sizes of every scalar parameter.

Rank-normalised split R-hat, bulk and tail effective sample size (Vehtari et al., 2021)
come from arviz-stats. Its array layer is given all scalars at once, already split and
rank-normalised, which takes half the time that one call per scalar takes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from threading import Thread
from typing import Any

import numpy as np

from core.text.parameters import scalar_name

#: Axis and label of each place of a parameter's own axes.
Labels = Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]

#: Draws that the two outer tails of 5 % have.
_TAILS = (0.05, 0.95)


@dataclass(frozen=True)
class Table:
    """Convergence of every scalar parameter that varies.

    Attributes:
        name: Parameter of each row.
        index: Place in the parameter's array; empty for a scalar.
        rhat: Rank-normalised split R-hat.
        ess_bulk: Bulk effective sample size.
        ess_tail: Tail effective sample size.
        mean: Posterior mean.
        sd: Posterior standard deviation.
        n_draws: Draws per chain.
        not_finite: Parameters with draws that are no numbers; they have no row.
        labels: Of each parameter's own axes: name and labels.
    """

    name: tuple[str, ...]
    index: tuple[tuple[int, ...], ...]
    rhat: np.ndarray
    ess_bulk: np.ndarray
    ess_tail: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    n_draws: int = 0
    not_finite: tuple[str, ...] = ()
    labels: Labels = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.name)

    def rows(self, places: np.ndarray) -> "Table":
        """Some of the rows, as a table."""
        which = np.flatnonzero(places)
        figures = ("rhat", "ess_bulk", "ess_tail", "mean", "sd")
        return replace(
            self,
            name=tuple(self.name[row] for row in which),
            index=tuple(self.index[row] for row in which),
            **{key: getattr(self, key)[which] for key in figures},
        )

    def label(self, row: int) -> str:
        """The scalar as people write it: `knot_values[3]`."""
        return _label(self.name[row], self.index[row])

    def plain(self, row: int) -> str:
        """The scalar by its plain name, `Radio · slope`, if it has one."""
        axes = self.labels.get(self.name[row])
        if axes is None:
            return self.label(row)
        places = zip(axes, self.index[row], strict=True)
        return scalar_name(self.name[row], [(axis, of[i]) for (axis, of), i in places])

    def as_rows(self) -> list[dict[str, Any]]:
        """One dictionary per scalar; None where a figure is not a number."""
        figures = ("rhat", "ess_bulk", "ess_tail", "mean", "sd")
        return [
            {"name": self.name[row], "index": list(self.index[row])}
            | {key: number(getattr(self, key)[row]) for key in figures}
            for row in range(len(self))
        ]


def import_ahead() -> None:
    """Import the statistics on a thread: a second that the chains can use."""
    name = "arviz_stats.base"
    Thread(target=import_module, args=(name,), name=name, daemon=True).start()


def diagnostics_table(
    by_name: dict[str, np.ndarray], labels: Labels | None = None
) -> Table:
    """Convergence of every scalar that varies.

    Args:
        by_name: Draws of each parameter; chain draw, then its own axes.
        labels: Names and labels of these axes, for plain names.
    """
    names: list[str] = []
    places: list[tuple[int, ...]] = []
    parts: list[np.ndarray] = []
    not_finite: list[str] = []
    n_draws = 0
    for name, draws in by_name.items():
        draws = np.asarray(draws, float)
        n_chains, n_draws = draws.shape[:2]
        flat = np.moveaxis(draws.reshape(n_chains, n_draws, -1), 2, 0)
        finite = np.isfinite(flat).all(axis=(1, 2))
        varies = np.ptp(flat, axis=(1, 2)) > 0
        for row in np.flatnonzero(~finite | varies):
            place = tuple(int(i) for i in np.unravel_index(row, draws.shape[2:]))
            if not finite[row]:
                not_finite.append(_label(name, place))
                continue
            names.append(name)
            places.append(place)
        parts.append(flat[finite & varies])
    x = np.concatenate(parts) if parts else np.zeros((0, 1, 1))
    figures = _figures(x) if len(x) else (np.zeros(0),) * 3
    return Table(
        tuple(names),
        tuple(places),
        *figures,
        mean=x.mean(axis=(1, 2)) if len(x) else np.zeros(0),
        sd=x.std(axis=(1, 2)) if len(x) else np.zeros(0),
        n_draws=n_draws,
        not_finite=tuple(not_finite),
        labels=labels or {},
    )


def _figures(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R-hat, bulk and tail effective sample size of rows; row chain draw."""
    from arviz_stats.base import array_stats  # noqa: PLC0415  slow to import

    if x.shape[2] < 4:
        return (np.full(len(x), np.nan),) * 3
    halves = _split(x)
    bulk = _rank_normal(halves)
    folded = _rank_normal(np.abs(halves - np.median(halves, (1, 2), keepdims=True)))

    def size(values):
        return np.asarray(array_stats.ess(values, method="identity"))

    def disagreement(values):
        with np.errstate(divide="ignore", invalid="ignore"):  # chains that stand still
            return np.asarray(array_stats.rhat(values, method="identity"))

    rhat = np.maximum(disagreement(bulk), disagreement(folded))
    tails = [
        size(
            _split(x <= np.quantile(x, share, axis=(1, 2), keepdims=True)).astype(float)
        )
        for share in _TAILS
    ]
    return rhat, size(bulk), np.minimum(*tails)


def _split(x: np.ndarray) -> np.ndarray:
    """First and second half of every chain as chains of their own."""
    half = x.shape[2] // 2
    return np.concatenate([x[:, :, :half], x[:, :, -half:]], axis=1)


def _rank_normal(x: np.ndarray) -> np.ndarray:
    """Normal scores of the ranks over all chains of a row (Blom)."""
    from scipy.special import ndtri  # noqa: PLC0415
    from scipy.stats import rankdata  # noqa: PLC0415

    ranks = rankdata(x.reshape(len(x), -1), axis=1)
    return ndtri((ranks - 0.375) / (ranks.shape[1] + 0.25)).reshape(x.shape)


def number(value: float) -> float | None:
    """The value, or None where it is not a number."""
    return float(value) if np.isfinite(value) else None


def _label(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]" if place else name
