"""The best split found by trying every one on a fine grid."""

import numpy as np

from core.plan.response.curves import ResponseCurves


def best_mean(
    curves: ResponseCurves,
    low: np.ndarray,
    high: np.ndarray,
    budget: float,
    *,
    steps: int = 1000,
) -> float:
    """Largest outcome over all splits in `steps` parts of the free budget.

    Channels are taken in one after the other, so that every split is covered without
    being listed.
    """
    size = (budget - low.sum()) / steps
    best = None
    for channel in range(len(low)):
        room = min(steps, int(np.floor((high - low)[channel] / size + 1e-9)))
        splits = np.tile(low, (room + 1, 1))
        splits[:, channel] += size * np.arange(room + 1)
        value = curves.outcome(splits)[0][:, channel]
        if best is None:
            best = np.full(steps + 1, -np.inf)
            best[: room + 1] = value
            continue
        with_it = np.full(steps + 1, -np.inf)
        for used in range(room + 1):
            before = best[: steps + 1 - used] + value[used]
            with_it[used:] = np.maximum(with_it[used:], before)
        best = with_it
    return float(best[steps])


def splits_of_three(
    low: np.ndarray, high: np.ndarray, budget: float, *, points: int = 120
) -> np.ndarray:
    """Splits of a budget over up to three channels, plan channel."""
    axes = [np.linspace(low[i], high[i], points) for i in range(len(low) - 1)]
    mesh = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    first = mesh.reshape(-1, len(low) - 1)
    last = budget - first.sum(axis=1)
    fits = (last >= low[-1]) & (last <= high[-1])
    return np.column_stack([first, last])[fits]
