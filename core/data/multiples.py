"""Multiples: one column of money times another, such as gross beside net."""

import numpy as np

#: Different amounts, at least, before a constant factor says much.
_ENOUGH = 8
#: Share of rows in which one is so many times the other.
_ALWAYS = 0.98
#: Most that rounding explains, as a share of the mean.
_ROUNDED = 0.02
#: Correlation beyond which two columns are one, which blocks a fit as in Meridian.
SAME_CORRELATION = 0.999


def multiple(first: np.ndarray, second: np.ndarray) -> float | None:
    """What a column of money is times another one, up to cents; None if nothing is.

    Args:
        first: Amounts by row.
        second: The others, in the same order.
    """
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    runs = (first > 0) | (second > 0)
    if len(np.unique(first[runs])) < _ENOUGH or not first.sum() > 0 < second.sum():
        return None
    factor = float(second.sum() / first.sum())
    # Cents are rounded away; not where whole amounts are as small as they.
    cents = min(0.02, _ROUNDED * float(second[runs].mean()))
    near = np.isclose(first[runs] * factor, second[runs], rtol=1e-3, atol=cents)
    return factor if near.mean() >= _ALWAYS else None
