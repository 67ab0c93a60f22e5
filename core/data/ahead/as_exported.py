"""Tables of actuals as people have them: days, dates side by side, rows of channels.

A table in another layout than the data's is read as the data's own files are, and its
columns are called as the data call them. Days become the data's periods where a period
has all of its days: a part of one would count as the whole.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from core.data.ahead.future_table import labels_of, read_columns
from core.data.ahead.horizon import next_times
from core.data.layout.opening import opened
from core.data.layout.reading import Table, read_files, roles_of_table
from core.data.mapping import PAID, ColumnMapping
from core.data.reading.beside import Beside
from core.errors import CoverageError
from core.text.near import alike
from core.text.sentences import count

_DAY = np.timedelta64(1, "D")


def laid_out(
    frame: pd.DataFrame, called: str, mapping: ColumnMapping, of_data: Iterable[str]
) -> pd.DataFrame:
    """A table with a row per date and the columns of the data, whatever its layout.

    Args:
        frame: As it was loaded.
        called: The table, for messages.
        mapping: The roles of columns in the data.
        of_data: The columns of the data.

    Raises:
        DataError: It is laid out in no way that is known.
    """
    of_data = list(of_data)
    named = read_columns(frame, mapping, of_data)
    paid = mapping.of_kind(*PAID)
    is_there = [{each.spend, each.name} & {*named.columns} for each in paid]
    if {mapping.time, mapping.kpi} <= {*named.columns} and all(is_there):
        return named
    table = read_files([opened(called, frame)])
    if table.layout is None and table.frame.columns.equals(frame.columns):
        return named  # what is missing is said by its name
    return read_columns(_as_called(table, mapping), mapping, of_data)


def _as_called(table: Table, mapping: ColumnMapping) -> pd.DataFrame:
    """A table whose channels, dates and geos are called as in the data."""
    paid = {channel.name: channel for channel in mapping.of_kind(*PAID)}
    roles = roles_of_table(table)
    said = {role.channel for role in roles if role.channel} - paid.keys()
    meant = alike(said, paid) | {name: name for name in paid}
    labels = {"time": mapping.time, "geo": mapping.geo}
    renamed, unread = {}, []
    for role in roles:
        channel = paid.get(meant.get(role.channel, ""))
        if channel is not None and role.role == "spend":
            renamed[role.column] = channel.spend or channel.name
        elif channel is not None and role.column not in channel.columns():
            unread.append(role.column)
        elif labels.get(role.role):
            renamed[role.column] = labels[role.role]
    return table.frame.drop(columns=unread).rename(columns=renamed)


def in_periods(
    frame: pd.DataFrame, mapping: ColumnMapping, times: np.ndarray, what: str
) -> pd.DataFrame:
    """A table of days with a row per period; any other table as it is.

    Args:
        frame: With the columns of the data.
        mapping: The roles of columns in the data.
        times: First days of the periods to come, datetime64[D].
        what: The table's name in messages.

    Raises:
        SchemaError: A cell is not a number, or could be two.
        CoverageError: Days are of the data, come twice, or a period lacks some.
    """
    if len(times) < 2 or not len(frame) or times[1] - times[0] <= _DAY:
        return frame
    table = Beside(frame, f"The {what}")
    ends = np.append(times[1:], next_times(times, 1))
    every_day = np.arange(times[0], ends[-1], _DAY)
    if table.dates_together([mapping.time], mapping.dates, times).doubt is None:
        every_day = times  # settled by the periods themselves
    dates = table.dates_together([mapping.time], mapping.dates, every_day)
    days = np.unique(dates.values[~np.isnat(dates.values)])
    if dates.doubt or dates.bad.any() or np.isnat(dates.values).any():
        return frame
    if len(days) < 2 or np.median(np.diff(days)) != _DAY or days[-1] >= ends[-1]:
        return frame
    first = times[0]
    if days[0] < first:
        raise CoverageError(
            f"The {what} begins on {days[0]}, and the data end on {first - _DAY}.",
            hint=f"Delete the rows before {first}, which the data have.",
            where=mapping.time,
        )
    is_split = bool(mapping.geo) and mapping.geo in frame
    geos = frame[mapping.geo].astype("str") if is_split else pd.Series("", frame.index)
    table.refuse_doubled({"date": dates.values, "geo": geos})
    place = np.searchsorted(times, dates.values, side="right") - 1
    keys = [pd.Series(place, frame.index, name="period"), geos.rename("geo")]
    _refuse_parts(keys, (times, ends), what, mapping.time)
    return _summed(table, keys, mapping, times)


def _refuse_parts(
    keys: list[pd.Series], spans: tuple[np.ndarray, np.ndarray], what: str, where: str
) -> None:
    """Refuse a period of which some days are missing.

    Raises:
        CoverageError: There is one; a part of it would count as the whole.
    """
    times, ends = spans
    n_days = keys[0].groupby(keys, sort=True).size()
    for (place, geo), n in n_days.items():
        whole = int((ends[place] - times[place]) / _DAY)
        if n < whole:
            of_geo = f" in {geo}" if geo else ""
            raise CoverageError(
                f"The {what} has {count(int(n), 'day')} of the {whole} from "
                f"{times[place]} to {ends[place] - _DAY}{of_geo}.",
                hint="Add the other days, with 0 where there was nothing, or delete "
                "the rows of this period: a part of it would count as the whole.",
                where=where,
            )


def _summed(
    table: Beside, keys: list[pd.Series], mapping: ColumnMapping, times: np.ndarray
) -> pd.DataFrame:
    """Sums of every column of numbers; what a KPI unit is worth as it was sold."""
    labels = [name for name in labels_of(mapping) if name in table.frame]
    value = str(mapping.revenue_per_kpi)
    names = [str(name) for name in table.frame if name not in labels]
    numbers = pd.DataFrame(
        table.numbers(names, dict(mapping.decimal)), table.frame.index
    )
    if value in numbers:
        numbers[value] *= numbers[mapping.kpi]
    sums = numbers.groupby(keys, sort=True).sum(skipna=False)
    if value in numbers:
        sums[value] /= sums[mapping.kpi].where(sums[mapping.kpi] != 0)
    sums.insert(0, mapping.time, times[sums.index.get_level_values(0)])
    if len(labels) > 1:
        sums.insert(1, labels[1], sums.index.get_level_values(1))
    return sums.reset_index(drop=True)
