"""Sums of left-out scores over cells, from a sample of them: free of JAX."""

import numpy as np


def expected_sum(full: np.ndarray, left_out: np.ndarray) -> tuple[float, float]:
    """Sum of left-out scores over all cells, and its standard error.

    Scores are those of a model, or differences of two models' scores.

    Args:
        full: Scores with the cell seen; NaN where there is no cell.
        left_out: Scores with it left out; NaN where not in the sample.
    """
    is_cell = ~np.isnan(full)
    has = is_cell & ~np.isnan(left_out)
    size, n = int(is_cell.sum()), int(has.sum())
    if n == 0:
        return float("nan"), float("nan")
    # The difference varies far less over cells than the score, so a few of them settle
    # the sum (difference estimator).
    change = left_out[has] - full[has]
    total = full[is_cell].sum() + size * change.mean()
    if n < 2:
        return float(total), float("nan")
    variance = size * left_out[has].var(ddof=1)
    # Of drawing without replacement: no error is left where all cells are in the
    # sample.
    variance += size**2 * (1 - n / size) * change.var(ddof=1) / n
    return float(total), float(np.sqrt(variance))
