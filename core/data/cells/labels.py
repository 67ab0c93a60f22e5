"""Labels: cells that name something, as somebody wrote them."""

import pandas as pd


def as_written(column: pd.Series) -> pd.Series:
    """A column of labels whose whole numbers have no point: `2`, not `2.0`.

    A column of whole numbers with an empty cell is read as decimals.
    """
    if not pd.api.types.is_float_dtype(column.dtype):
        return column
    filled = column.dropna()
    is_whole = (filled == filled.round()).all() and (filled.abs() < 2**63).all()
    return column.astype("Int64") if is_whole else column
