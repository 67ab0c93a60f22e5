"""Text events: a column such as `na, na, event1` as dated events of the model."""

import numpy as np
import pandas as pd

from core.data.cells.apart import EMPTY
from core.data.cells.words import word_set
from core.data.mapping import ColumnMapping
from core.data.observations import dates_of
from core.data.periods import periods
from core.data.recognition.evidence import evidence

#: Most different values of a column of events, and share of rows that have one.
_MOST_VALUES, _MOST_FILLED = 20, 0.5
_NONE = frozenset({*EMPTY, "0", "no", "nein", "non", "regular", "normal"})


def event_values(frame: pd.DataFrame, mapping: ColumnMapping) -> dict[str, list[str]]:
    """Columns of text that look like events, with the names that they hold."""
    used = {mapping.time, mapping.geo, mapping.kpi, *mapping.controls}
    used |= {column for channel in mapping.channels for column in channel.columns()}
    values_of = {}
    for column, facts in evidence(frame).items():
        if column in used or facts.is_number or facts.is_date or facts.is_empty:
            continue
        if facts.name.has(_ORDINARY):
            continue
        filled = _filled(frame[column])
        values = [str(value) for value in pd.unique(filled.dropna())]
        if 0 < len(values) <= _MOST_VALUES and filled.notna().mean() <= _MOST_FILLED:
            values_of[column] = values
    return values_of


def text_events(
    frame: pd.DataFrame, mapping: ColumnMapping, column: str
) -> list[tuple[str, str, str]]:
    """Name, first and last day of each event; periods in a row are one event.

    Args:
        frame: The table.
        mapping: Its roles, of which the time column counts.
        column: The column of text.
    """
    times = dates_of(frame, mapping).values
    step = periods(times)
    labels = _filled(frame[column])
    events = []
    distinct = np.unique(times[~np.isnat(times)])
    for label in pd.unique(labels.dropna()):
        at = np.unique(times[(labels == label).to_numpy()])
        at = at[~np.isnat(at)]
        places = np.searchsorted(distinct, at)
        for run in np.split(at, np.flatnonzero(np.diff(places) > 1) + 1):
            last = _end(run[-1], distinct, step.days)
            events.append((str(label), str(run[0]), str(last)))
    return sorted(events, key=lambda event: event[1])


def _end(start: np.datetime64, times: np.ndarray, days: int | None) -> np.datetime64:
    """Last day of the period that begins on a date."""
    later = times[times > start]
    if days is None and len(later):
        return later[0] - 1
    return start + np.timedelta64((days or 28) - 1, "D")


def _filled(column: pd.Series) -> pd.Series:
    """Text without spaces around; missing where it says that there is nothing."""
    text = column.astype("str").str.strip()
    is_none = column.isna() | text.str.lower().isin(_NONE)
    return text.mask(is_none)


_ORDINARY = word_set("text_events.ordinary")
