"""Check: one number of the data and of its replications, and whether they agree."""

from typing import NamedTuple

import numpy as np

#: p-values (two-sided where both sides matter) below which a check is borderline, and
#: below which the model misses what it is about.
BORDERLINE, MISSED = 0.05, 0.01


class Check(NamedTuple):
    """One number of the data and of its replications.

    Attributes:
        name: What it is about.
        unit: `kpi`, `share`, `correlation` or `sd`.
        actual: Of the data; draw (the same in all where no parameter enters).
        replicated: Of the replications; draw.
        sides: 1 where only too large a number is a fault.
        least: Difference from what is expected below which it is none.
    """

    name: str
    unit: str
    actual: np.ndarray
    replicated: np.ndarray
    sides: int = 2
    least: float = 0.0


def p_value(check: Check) -> float:
    """Share of draws whose replicated number is at least the actual one; ties half."""
    above = (check.replicated > check.actual).mean()
    return float(above + 0.5 * (check.replicated == check.actual).mean())


def status(p: float, sides: int) -> str:
    """`ok`, `borderline` or `missed`."""
    tail = p if sides == 1 else 2 * min(p, 1 - p)
    if tail < MISSED:
        return "missed"
    return "borderline" if tail < BORDERLINE else "ok"


def matters(check: Check) -> bool:
    """Whether the data are far enough from the replications to matter."""
    away = check.actual.mean() - np.median(check.replicated)
    return bool(abs(away) >= check.least)
