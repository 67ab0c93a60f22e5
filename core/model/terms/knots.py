"""Knots: the baseline moves along straight lines between a few points in time."""

import numpy as np

from core.errors import SpecError
from core.text import count


def knot_locations(
    knots: int | tuple[int, ...] | None, n_times: int, *, is_national: bool
) -> np.ndarray:
    """Zero-based periods of the knots.

    Args:
        knots: Their number, their positions, or None for Meridian's default: one
            knot for a national model, one per period for a geo model.
        n_times: Number of periods.
        is_national: Whether there is one geo only.

    Returns:
        knot, ascending integers. As in Meridian, evenly spread knots sit on whole
        periods: `linspace(0, n_times - 1, K)` cut to integers.

    Raises:
        SpecError: More knots than periods, or a position outside the data.
    """
    if knots is None:
        knots = 1 if is_national else n_times
    if isinstance(knots, int):
        if not 1 <= knots <= n_times:
            raise SpecError(
                f"{knots:,} knots do not fit {count(n_times, 'period')}.",
                hint=f"Use between 1 and {n_times}.",
                where="model.knots",
            )
        return np.linspace(0, n_times - 1, knots, dtype=int)
    positions = np.unique(np.asarray(knots, dtype=int))
    if len(positions) != len(knots) or len(positions) == 0:
        raise SpecError("Knot positions must differ.", where="model.knots")
    if positions[0] < 0 or positions[-1] >= n_times:
        raise SpecError(
            f"Knot positions must lie between 0 and {n_times - 1}.",
            where="model.knots",
        )
    return positions


def knot_weights(locations: np.ndarray, n_times: int) -> np.ndarray:
    r"""Weights $W$ of $\mu_t = \sum_k b_k W_{kt}$: linear between knots, flat outside.

    Args:
        locations: Zero-based periods of the knots, ascending.
        n_times: Number of periods.

    Returns:
        knot time; every column sums to one.
    """
    times = np.arange(n_times)
    identity = np.eye(len(locations))
    return np.stack([np.interp(times, locations, row) for row in identity])
