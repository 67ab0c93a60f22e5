"""Scores of forecasts whose outcome is known by now: free of JAX, for screens too."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from core.errors import CoverageError

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
    folds: Sequence[Mapping[str, Any]],
    skipped: Sequence[Mapping[str, str]],
    *,
    horizon: int,
    is_structural: bool,
) -> dict[str, Any]:
    """A backtest as --json prints it, from its folds.

    Args:
        folds: One object per origin with `weeks`.
        skipped: Origins that could not be fitted, with `why`.
        horizon: Periods of each forecast.
        is_structural: Whether the model's baseline goes on after its data.

    Returns:
        The arguments, `scores` of every forecast over all weeks, and `skill` of the
        model against each other one.
    """
    weeks = [week for fold in folds for week in fold["weeks"]]
    names = [name for name in _NAMES if weeks and all(name in week for week in weeks)]
    scores = {name: score(weeks, name) for name in names}
    return {
        "folds": list(folds),
        "skipped": list(skipped),
        "horizon": horizon,
        "is_structural": is_structural,
        "scores": scores,
        "skill": {
            name: skill(scores["model"]["wmape"], scores[name]["wmape"])
            for name in names[1:]
        },
    }


_NAMES = ("model", "seasonal_naive", "knots")


def score(weeks: Sequence[Mapping[str, Any]], name: str) -> dict[str, float | None]:
    """wMAPE, bias, and the share of periods within each interval.

    Args:
        weeks: Periods with `actual` and a forecast of that name.
        name: The forecast.
    """
    actual = np.array([week["actual"] for week in weeks])
    middle = np.array([week[name]["median"] for week in weeks])
    size = np.abs(actual).sum() or 1.0
    scores: dict[str, float | None] = {
        "wmape": float(np.abs(middle - actual).sum() / size),
        "bias": float((middle - actual).sum() / size),
        "coverage_50": None,
        "coverage_90": None,
    }
    if "lo90" in weeks[0][name]:
        for mass in ("50", "90"):
            low, high = _ends(weeks, name, mass)
            scores[f"coverage_{mass}"] = float(
                ((low <= actual) & (actual <= high)).mean()
            )
    return scores


def _ends(weeks, name: str, mass: str) -> Iterator[np.ndarray]:
    return (
        np.array([week[name][f"{end}{mass}"] for week in weeks]) for end in ("lo", "hi")
    )


def skill(error: float, reference: float) -> float | None:
    """One less the error over that of a reference; None where that has none."""
    return float(1 - error / reference) if reference > 0 else None


def stability(by_drop: Mapping[int, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """How far numbers of channels move when the last periods are dropped.

    Args:
        by_drop: For each number of periods dropped (zero among them), by channel:
            `roi`, an estimate, and `share` of the best split, with `mean` and `sd`,
            where it was planned.

    Returns:
        `drops`; `channels`: name, `roi` and `share` per drop, and how far each moved
        at most from that of all data, over its sd with all data (`moved`,
        `share_moved`); `largest`, the channel whose ROI moved most.
    """
    drops = sorted(by_drop)
    rows = []
    for name, now in by_drop[0].items():
        there = {n: by_drop[n][name] for n in drops if name in by_drop[n]}
        row = {"name": name}
        for key, moved in (("roi", "moved"), ("share", "share_moved")):
            row[key] = {
                str(n): numbers[key] for n, numbers in there.items() if key in numbers
            }
            least = _LEAST_SHARE if key == "share" else 0.0
            row[moved] = (
                _moved(row[key].values(), now[key], least) if key in now else None
            )
        rows.append(row)
    largest = max(rows, key=lambda row: row["moved"] or 0.0, default=None)
    return {"drops": drops, "channels": rows, "largest": largest and largest["name"]}


def _moved(values, now: Mapping[str, Any], least: float) -> float | None:
    """Largest move of the mean, in the sd of all data or in the least that counts."""
    spread = max(now["sd"] or 0.0, least)
    if now["mean"] is None or not spread:
        return None
    moves = [
        abs(estimate["mean"] - now["mean"])
        for estimate in values
        if estimate["mean"] is not None
    ]
    return float(max(moves, default=0.0) / spread)
