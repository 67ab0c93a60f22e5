"""Carried notes: what is known of a table's columns, kept in its `attrs`.

pandas copies `attrs` to the bottom with every column that is looked at: of a table with
a column per week that is most of the time it takes to read it.
"""

from typing import Any

import pandas as pd


class Carried(dict):
    """Notes that go along as they are; nobody changes them in place."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Carried":
        """Itself."""
        return self


def carry(frame: pd.DataFrame) -> pd.DataFrame:
    """The table, whose notes go along without being copied."""
    frame.attrs = {
        key: Carried(each) if isinstance(each, dict) else each
        for key, each in frame.attrs.items()
    }
    return frame
