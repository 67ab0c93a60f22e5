"""Convergence: R-hat and effective sample sizes of every scalar parameter.

Rank-normalised split R-hat, bulk and tail effective sample size (Vehtari et al., 2021),
of all scalars at once. arviz-stats takes them one by one, in two to four times the
processor time; tests hold these figures to its.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from core.text.parameters import scalar_name

#: Axis and label of each place of a parameter's own axes.
Labels = Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]

#: Draws that the two outer tails of 5 % have.
_TAILS = (0.05, 0.95)

#: Numbers that are looked at at a time; more would not stay in the processor's cache.
_AT_ONCE = 2**15


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
    if x.shape[2] < 4:
        return (np.full(len(x), np.nan),) * 3
    at_once = max(1, _AT_ONCE // x[0].size)
    parts = [
        _figures_of_some(x[first : first + at_once])
        for first in range(0, len(x), at_once)
    ]
    rhat, bulk, tail = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rhat, bulk, tail


def _figures_of_some(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    halves = split(x)
    bulk = _rank_normal(halves)
    folded = _rank_normal(np.abs(halves - np.median(halves, (1, 2), keepdims=True)))
    rhat = np.maximum(_disagreement(bulk), _disagreement(folded))
    limits = np.quantile(x, _TAILS, axis=(1, 2), keepdims=True)
    tails = [effective_sizes(split((x <= limit).astype(float))) for limit in limits]
    return rhat, effective_sizes(bulk), np.minimum(*tails)


def _disagreement(x: np.ndarray) -> np.ndarray:
    """R-hat of rows as they are; row chain draw."""
    n = x.shape[2]
    between = n * x.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # chains that stand still
        return np.sqrt((between / x.var(axis=2, ddof=1).mean(axis=1) + n - 1) / n)


def effective_sizes(x: np.ndarray) -> np.ndarray:
    r"""Effective sample sizes of the means of rows; row chain draw.

    $mn / \tau$ with $\tau = -1 + 2 \sum_k P_k$, where $P_k$ is the correlation at the
    lags 2k and 2k + 1: summed as long as it is positive (Geyer's initial positive
    sequence) and made to fall, with half of the even lag after them.

    Args:
        x: Draws that are neither split nor ranked here.
    """
    n_rows, n_chains, n = x.shape
    covariance = _autocovariance(x)
    within = covariance[:, 0] * n / (n - 1)
    total = covariance[:, 0] + (
        x.mean(axis=2).var(axis=1, ddof=1) if n_chains > 1 else 0
    )
    with np.errstate(divide="ignore", invalid="ignore"):  # rows that stand still
        correlation = 1 - (within[:, None] - covariance) / total[:, None]
    correlation[:, 0] = 1
    n_pairs = max(1, (n - 1) // 2)
    even = correlation[:, 0 : 2 * n_pairs : 2]
    pairs = even + correlation[:, 1 : 2 * n_pairs : 2]
    # The first pair that is not positive; the last one where all are.
    ends = ~(pairs > 0)
    ends[:, -1] = True
    end = ends.argmax(axis=1)
    falling = np.minimum.accumulate(pairs, axis=1)
    summed = np.where(np.arange(n_pairs) < end[:, None], falling, 0).sum(axis=1)
    here = np.arange(n_rows), end
    after = np.where((pairs[here] >= 0) | (even[here] > 0), even[here], 0)
    n_all = n_chains * n
    time = np.maximum(2 * summed + after - 1, 1 / np.log10(n_all))
    stands_still = np.ptp(x, axis=(1, 2)) < np.finfo(float).resolution
    return np.where(stands_still, float(n_all), n_all / time)


def _autocovariance(x: np.ndarray) -> np.ndarray:
    """Covariance at each lag, the mean over chains; row chain draw to row lag."""
    n = x.shape[2]
    length = _fast(2 * n)
    spectrum = np.fft.rfft(x - x.mean(axis=2, keepdims=True), length, axis=2)
    # Summed over chains before the way back, which is linear.
    power = (spectrum.real**2 + spectrum.imag**2).mean(axis=1)
    return np.fft.irfft(power, length, axis=1)[:, :n] / n


@cache
def _fast(n: int) -> int:
    """The least number from n on of which a Fourier transform is fast: 2^a 3^b 5^c."""
    most = n.bit_length() + 1
    odd = (3**b * 5**c for b in range(most) for c in range(most))
    return min(factor << max(0, (-(-n // factor) - 1).bit_length()) for factor in odd)


def split(x: np.ndarray) -> np.ndarray:
    """First and second half of every chain as chains of their own."""
    half = x.shape[2] // 2
    return np.concatenate([x[:, :, :half], x[:, :, -half:]], axis=1)


def _rank_normal(x: np.ndarray) -> np.ndarray:
    """Normal scores of the ranks over all chains of a row (Blom)."""
    from scipy.special import ndtri  # noqa: PLC0415

    flat = x.reshape(len(x), -1)
    n = flat.shape[1]
    # Ranks are whole or, of ties, halves: one table has the scores of all.
    scores = ndtri((np.arange(2 * n + 1) / 2 - 0.375) / (n + 0.25))
    order = np.argsort(flat, axis=1)
    ordered = np.take_along_axis(flat, order, axis=1)
    is_new = ordered[:, 1:] != ordered[:, :-1]
    ties = ~is_new.all(axis=1)
    normal = np.empty(flat.shape)
    np.put_along_axis(normal, order, scores[None, 2 : 2 * n + 1 : 2], axis=1)
    if ties.any():
        # Of equals the mean rank, from where the first and the last of them are.
        at, edge = np.arange(n), np.ones((ties.sum(), 1), bool)
        new = is_new[ties]
        first = np.where(np.hstack([edge, new]), at, 0)
        first = np.maximum.accumulate(first, axis=1)
        last = np.where(np.hstack([new, edge]), at, n)[:, ::-1]
        last = np.minimum.accumulate(last, axis=1)[:, ::-1]
        tied = np.empty((len(new), n))
        np.put_along_axis(tied, order[ties], scores[first + last + 2], axis=1)
        normal[ties] = tied
    return normal.reshape(x.shape)


def number(value: float) -> float | None:
    """The value, or None where it is not a number."""
    return float(value) if np.isfinite(value) else None


def _label(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]" if place else name
