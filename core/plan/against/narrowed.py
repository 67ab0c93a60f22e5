"""Narrowed: by how much intervals of returns are narrower by a newer fit."""

import numpy as np
from jaxtyping import Float

from core.dims import INTERVAL
from core.plan.response.curves import ResponseCurves


def narrowed(before: ResponseCurves, after: ResponseCurves) -> dict[str, float]:
    """Share by which the interval of each channel's return is narrower.

    Both fits are asked for the return of the same money per period, in the year after
    their data. Negative where an interval is wider.

    Args:
        before: Curves of the older fit's horizon.
        after: Of the newer fit's; channels that only one of them has are left out.
    """
    spend = dict(zip(before.names, before.spend.tolist(), strict=True))
    periods = before.horizon.periods
    longer = after.horizon.periods / periods if periods else 1.0
    then = np.array([longer * spend.get(name, 0.0) for name in after.names])
    was = dict(zip(before.names, _widths(before, before.spend), strict=True))
    now = dict(zip(after.names, _widths(after, then), strict=True))
    return {
        name: float(1 - now[name] / was[name])
        for name in before.names
        if name in now and was[name] > 0
    }


def _widths(
    curves: ResponseCurves, spend: Float[np.ndarray, " channel"]
) -> Float[np.ndarray, " channel"]:
    """Width of the interval of each channel's return."""
    lo, hi = np.quantile(
        curves.outcome(spend), [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2], axis=0
    )
    return (hi - lo) / np.maximum(spend, 1e-300)
