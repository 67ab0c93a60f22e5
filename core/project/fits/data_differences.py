"""Differences between the tables of two runs, in words."""

import numpy as np
import pandas as pd

from core.data.ahead.new_periods import arrival
from core.data.files.parquet import read_table
from core.data.mapping import ColumnMapping
from core.data.observations import dates_of
from core.errors import MMMError
from core.project.fits.runs import Run
from core.project.settings.project import data_file, load_project
from core.text.languages.language import say, say_count
from core.text.languages.locale import date
from core.text.sentences import count, listed

#: Columns that are named where cells changed.
_NAMED = 3


def in_words(first: Run, second: Run) -> tuple[str, str]:
    """What the table of each run is; beside the second, what changed since the first.

    Raises:
        MMMError: A table cannot be read.
    """
    projects = [load_project(run.folder) for run in (first, second)]
    (old, old_mapping), (new, mapping) = (
        (read_table(data_file(run.folder, project)), project.mapping)
        for run, project in zip((first, second), projects, strict=True)
    )
    changed = _changed(old, new, mapping) if mapping == old_mapping else ""
    facts = _facts(old, old_mapping), _facts(new, mapping)
    return facts[0], f"{facts[1]}; {changed}" if changed else facts[1]


def _facts(frame: pd.DataFrame, mapping: ColumnMapping) -> str:
    """How many rows a table has, and of which days."""
    rows, days = count(len(frame), "row"), dates_of(frame, mapping).values
    if not len(days) or np.isnat(days).all():
        return rows
    first, last = (date(str(day)[:10]) for day in (np.nanmin(days), np.nanmax(days)))
    return say("{rows}, {first} to {last}", rows=rows, first=first, last=last)


def _changed(old: pd.DataFrame, new: pd.DataFrame, mapping: ColumnMapping) -> str:
    """What came, what is gone, and which cells have another value."""
    try:
        came, departures = arrival(old, new, mapping), arrival(new, old, mapping)
    except MMMError:  # their columns differ
        return ""
    parts = []
    if came.n_rows:
        parts.append(count(came.n_rows, "new row"))
    if departures.n_rows or came.absent:
        n_rows = departures.n_rows + len(came.absent)
        parts.append(count(n_rows, "removed row"))
    if came.changed:
        names = list(dict.fromkeys(cell.column for cell in came.changed))
        parts.append(
            say_count(
                len(came.changed),
                "{number} cell changed ({columns})",
                "{number} cells changed ({columns})",
                number=f"{len(came.changed):,}",
                columns=listed(names, limit=_NAMED),
            )
        )
    return ", ".join(parts)
