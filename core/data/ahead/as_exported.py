"""Tables of actuals as people have them: days, dates side by side, rows of channels.

A table in another layout than the data's is read as the data's own files are, and its
columns are called as the data call them. Days become the data's periods where a period
has all of its days: a part of one would count as the whole.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from core.data.ahead.future_table import labels_of, read_columns
from core.data.ahead.horizon import next_times
from core.data.layout.again import read_again
from core.data.layout.kinds.exports import File
from core.data.layout.opening import opened
from core.data.layout.reading import Table, read_files, roles_of_table
from core.data.layout.recipe import Layout
from core.data.mapping import PAID, ColumnMapping
from core.data.observations import dates_of
from core.data.reading.beside import Beside
from core.errors import CoverageError, DataError, SchemaError
from core.text.near import alike
from core.text.sentences import count, listed

_DAY = np.timedelta64(1, "D")


def laid_out(
    tables: Mapping[str, pd.DataFrame],
    mapping: ColumnMapping,
    of_data: Iterable[str],
    layout: Layout | None = None,
    after: np.datetime64 | None = None,
) -> pd.DataFrame:
    """A table with a row per date and the columns of the data, whatever its layout.

    Args:
        tables: As they were loaded, by the name of their file.
        mapping: The roles of columns in the data.
        of_data: The columns of the data.
        layout: How the data were made from files, which these may be like.
        after: Last period of the data: of such files, rows up to it are not needed.

    Raises:
        DataError: They are laid out in no way that is known.
    """
    of_data = list(of_data)
    named = {
        name: read_columns(frame, mapping, of_data) for name, frame in tables.items()
    }
    first = next(iter(named.values()))
    paid = mapping.of_kind(*PAID)
    is_there = [{each.spend, each.name} & {*first.columns} for each in paid]
    is_plain = len(tables) == 1
    if is_plain and {mapping.time, mapping.kpi} <= {*first.columns} and all(is_there):
        return first
    files = [opened(name, frame) for name, frame in tables.items()]
    table = _again(layout, files)
    if table is not None:
        return _after(_with_stopped(table, mapping), mapping, after)
    table = read_files(files)
    if is_plain and table.layout is None and table.frame.columns.equals(first.columns):
        return first  # what is missing is said by its name
    return read_columns(_as_called(table, mapping), mapping, of_data)


def _again(layout: Layout | None, files: list[File]) -> Table | None:
    """Files like those of the data, read as they were; None where they are others."""
    try:
        return None if layout is None else read_again(layout, files)
    except DataError:
        return None


def _with_stopped(table: Table, mapping: ColumnMapping) -> pd.DataFrame:
    """A table in which channels without a row spent nothing.

    Raises:
        SchemaError: It lacks channels and has others: the same ones, perhaps, renamed.
    """
    paid = mapping.of_kind(*PAID)
    columns = {*table.frame.columns}
    stopped = [each for each in paid if not {each.spend, each.name} & columns]
    ours = {each.spend for each in paid} | {
        column for c in paid for column in c.columns()
    }
    others = [
        role.column
        for role in roles_of_table(table)
        if role.role == "spend" and role.column not in ours
    ]
    if stopped and others:
        absent, shown = listed([c.name for c in stopped]), listed(others, limit=8)
        raise SchemaError(
            f"The files say nothing of {absent}, which the fit knows, and have "
            f"{shown}, which it does not.",
            hint="If a channel was renamed, call it in the files as in the data. What "
            "is new has no response yet: leave it out.",
            where=stopped[0].name,
        )
    zeros = {str(each.spend or each.name): 0.0 for each in stopped}
    return table.frame.assign(**zeros)


def _after(
    frame: pd.DataFrame, mapping: ColumnMapping, last: np.datetime64 | None
) -> pd.DataFrame:
    """The rows of a table after a period."""
    if last is None or mapping.time not in frame:
        return frame
    return frame[dates_of(frame, mapping).values > last].reset_index(drop=True)


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
