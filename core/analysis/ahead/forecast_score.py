"""Scores of forecasts whose outcome is known by now: free of JAX, for screens too."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from core.analysis.ahead.backtest_record import (
    NAMES,
    BacktestRecord,
    Fold,
    Moved,
    Refitted,
    Scores,
    Share,
    Skipped,
    Stability,
    Week,
)
from core.errors import CoverageError
from core.estimate import OptionalEstimate

#: Moves of a share of the split are reckoned in its sd, or in this where that is less:
#: a channel at its limit has none.
_LEAST_SHARE = 0.01
#: Fewest periods that a model is fitted to: as multiples of the horizon, and at all.
_FEWEST, _FEWEST_AT_ALL = 3, 12


def origins(n_times: int, folds: int, horizon: int) -> list[int]:
    """First periods of the test windows, which follow on one another to the end.

    Raises:
        CoverageError: Not one origin leaves enough to fit.
    """
    every = [n_times - horizon * back for back in range(folds, 0, -1)]
    least = max(_FEWEST * horizon, _FEWEST_AT_ALL)
    good = [origin for origin in every if origin >= least]
    if not good:
        raise CoverageError(
            f"{n_times} periods are too few to test forecasts of {horizon}.",
            hint="Shorten the horizon.",
            where="horizon",
        )
    return good


def scored(
    folds: Sequence[Fold],
    skipped: Sequence[Skipped],
    *,
    horizon: int,
    is_structural: bool,
) -> BacktestRecord:
    """A backtest from its folds.

    Args:
        folds: One per origin.
        skipped: Origins that could not be fitted.
        horizon: Periods of each forecast.
        is_structural: Whether the model's baseline goes on after its data.
    """
    weeks = [week for fold in folds for week in fold.weeks]
    names = [
        name
        for name in NAMES
        if weeks and all(week.forecast(name) is not None for week in weeks)
    ]
    scores = {name: score(weeks, name) for name in names}
    return BacktestRecord(
        folds=tuple(folds),
        skipped=tuple(skipped),
        horizon=horizon,
        is_structural=is_structural,
        scores=scores,
        skill={
            name: skill(scores[NAMES[0]].wmape, scores[name].wmape)
            for name in names[1:]
        },
    )


def score(weeks: Sequence[Week], name: str) -> Scores:
    """wMAPE, bias, and the share of periods within each interval.

    Args:
        weeks: Periods that all have the forecast.
        name: The forecast, one of `NAMES`.
    """
    actual = np.array([week.actual for week in weeks])
    ends = [week.forecast(name) for week in weeks]
    middle = np.array([each.median for each in ends])
    size = np.abs(actual).sum() or 1.0
    return Scores(
        wmape=float(np.abs(middle - actual).sum() / size),
        bias=float((middle - actual).sum() / size),
        coverage_50=_coverage(actual, [(each.lo50, each.hi50) for each in ends]),
        coverage_90=_coverage(actual, [(each.lo90, each.hi90) for each in ends]),
    )


def _coverage(actual: np.ndarray, ends: list[tuple]) -> float | None:
    """Share of periods within an interval; None of a forecast without one."""
    if None in ends[0]:
        return None
    low, high = np.array(ends).T
    return float(((low <= actual) & (actual <= high)).mean())


def skill(error: float, reference: float) -> float | None:
    """One less the error over that of a reference; None where that has none."""
    return float(1 - error / reference) if reference > 0 else None


def stability(by_drop: Mapping[int, Mapping[str, Refitted]]) -> Stability:
    """How far numbers of channels move when the last periods are dropped.

    Args:
        by_drop: For each number of periods dropped (zero among them), by channel.
    """
    drops = sorted(by_drop)
    rows = []
    for name, now in by_drop[0].items():
        there = {str(n): by_drop[n][name] for n in drops if name in by_drop[n]}
        roi = {n: refitted.roi for n, refitted in there.items()}
        share = {n: each.share for n, each in there.items() if each.share is not None}
        rows.append(
            Moved(
                name=name,
                roi=roi,
                moved=_moved(roi.values(), now.roi, 0.0),
                share=share,
                share_moved=_moved(share.values(), now.share, _LEAST_SHARE),
            )
        )
    largest = max(rows, key=lambda row: row.moved or 0.0, default=None)
    return Stability(
        drops=tuple(drops),
        channels=tuple(rows),
        largest=None if largest is None else largest.name,
    )


def _moved(
    each: Iterable[OptionalEstimate | Share],
    now: OptionalEstimate | Share | None,
    least: float,
) -> float | None:
    """Largest move of the mean, in the sd of all data or in the least that counts."""
    spread = 0.0 if now is None else max(now.sd or 0.0, least)
    if now is None or now.mean is None or not spread:
        return None
    moves = [abs(one.mean - now.mean) for one in each if one.mean is not None]
    return float(max(moves, default=0.0) / spread)
