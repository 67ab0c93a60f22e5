"""Origins: the row of the file that a row of a table came from, how a column was read.

The index of a table is the row of the file less two, so that the first row of data
under a header in row 1 has index 0, and messages can name rows as a spreadsheet does.
"""

import numpy as np
import pandas as pd

from core.data.reading.numbers import Done


def row_numbers(frame: pd.DataFrame) -> np.ndarray:
    """The row of the file that each row of a table came from; the header is row 1."""
    if pd.api.types.is_integer_dtype(frame.index.dtype):
        return frame.index.to_numpy(dtype=np.int64) + 2
    return np.arange(len(frame), dtype=np.int64) + 2


def done_to(
    frame: pd.DataFrame, column: str
) -> tuple[tuple[Done, ...], frozenset[str]]:
    """What was done to read a column when its file was loaded, and its currency."""
    notes = frame.attrs.get("read", {}).get(column)
    if not isinstance(notes, dict):
        return (), frozenset()
    return tuple(Done(**step) for step in notes["done"]), frozenset(notes["currency"])
