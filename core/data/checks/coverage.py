"""Coverage: one row for every geo and period, none twice, none missing."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from core.data.cells.words import NOT_GEO, words
from core.data.observations import Observations
from core.data.periods import weekday
from core.data.reading.findings import Finding
from core.text.sentences import count, listed, verb

#: Fewer periods than this cannot tell one channel from a baseline and noise.
MIN_PERIODS = 10
_SHOWN_GEOS = 3


def check_coverage(observed: Observations) -> Iterator[Finding]:
    """Rows that are doubled or missing, dates out of step, and too few periods."""
    if not len(observed.times) or not observed.geos:
        return
    if not observed.fills_grid:
        yield _too_many_geos(observed)
        return
    yield from _doubled(observed)
    yield from _irregular(observed)
    yield from _missing_periods(observed)
    yield from _missing_rows(observed)
    yield from _length(observed)


def dates_shown(dates: np.ndarray) -> str:
    """The first of some dates, in words."""
    return listed([str(date) for date in dates], limit=5)


def _too_many_geos(observed: Observations) -> Finding:
    column = observed.mapping.geo
    cells = len(observed.geos) * len(observed.times)
    message = (
        f"Column {column} has {len(observed.geos):,} different values and there are "
        f"{len(observed.times):,} dates, but only {len(observed.rows):,} of their "
        f"{cells:,} combinations have a row."
    )
    hint = "Choose the column of geos, or give every geo a row for every date."
    return Finding("error", f"column {column}", message, hint)


def _doubled(observed: Observations) -> Iterator[Finding]:
    """Several rows for the same geo and date."""
    cell = observed.cell
    is_known = cell >= 0
    doubled = pd.Series(cell).duplicated(keep=False).to_numpy() & is_known
    if not doubled.any():
        return
    cells = pd.unique(cell[doubled])
    first = cells[0]
    geo, time = divmod(int(first), len(observed.times))
    at = np.flatnonzero(cell == first)
    date = str(observed.times[time])
    in_words = f"{count(len(at), 'row')} for {date} ({observed.row_list(at)})"
    period = observed.periods.period
    if observed.mapping.geo:
        place = f"geo {observed.geos[geo]}"
        message = f"Geo {observed.geos[geo]} has {in_words}."
        unit = f"geo and {period}"
    else:
        place = f"column {observed.mapping.time}"
        message = f"There are {in_words}."
        unit = period
    if len(cells) > 1:
        message += f" {count(len(cells) - 1, 'more case')} like it."
    yield Finding("error", place, message, _remedy(observed, doubled, unit))


def _remedy(observed: Observations, doubled: np.ndarray, unit: str) -> str:
    """What to do about rows for the same geo and date."""
    sample = observed.frame[doubled].head(20_000)
    if sample.duplicated(keep=False).all():
        return "The rows are equal: delete the copies."
    keys = observed.cell[doubled][: len(sample)]
    used = {observed.mapping.time, observed.mapping.geo}
    for column in sample.columns:
        is_number = pd.api.types.is_numeric_dtype(sample[column].dtype)
        if is_number or column in used or column in observed.numbers:
            continue
        labels = sample[column].to_numpy(dtype=object)
        if pd.DataFrame({"key": keys, "label": labels}).duplicated().any():
            continue
        difference = f"Column {column} tells these rows apart:"
        if observed.mapping.geo is None and not _names_parts(column):
            return (
                f"{difference} map it as the geo, or make one column of each of its "
                "values."
            )
        return f"{difference} make one column of each of its values, or sum over it."
    return f"Sum them into one row per {unit}, or delete the wrong one."


def _names_parts(column: str) -> bool:
    """Whether a column is named after parts of a market that are no places."""
    return any(word.text in NOT_GEO for word in words(column))


def _irregular(observed: Observations) -> Iterator[Finding]:
    """Dates without a step, or out of it."""
    where = f"column {observed.mapping.time}"
    calendar, times = observed.periods, observed.times
    if calendar.frequency == "irregular" and len(times) > 1:
        steps = np.unique(np.diff(times).astype(int))
        message = (
            "The dates follow no regular step: between one and the next there are "
            f"{listed(list(steps))} days."
        )
        hint = "Use one row per day, week, month or quarter."
        yield Finding("error", where, message, hint)
    if len(calendar.out_of_step):
        is_odd = np.isin(observed.dates.values, calendar.out_of_step)
        number = count(len(calendar.out_of_step), "date")
        falls = "falls" if len(calendar.out_of_step) == 1 else "fall"
        periods = f"{calendar.period}s"
        usual = f"the other {periods}"
        if calendar.frequency == "weekly":
            in_step = np.setdiff1d(times, calendar.out_of_step)
            usual = f"weeks that start on a {weekday(in_step[0])}"
        shown = f"{dates_shown(calendar.out_of_step)} ({observed.row_list(is_odd)})"
        message = f"{number} {falls} between {usual}: {shown}."
        hint = f"Correct the dates, or sum the rows to {periods}."
        yield Finding("error", where, message, hint)


def _missing_periods(observed: Observations) -> Iterator[Finding]:
    """Dates that no geo has."""
    calendar = observed.periods
    if not len(calendar.missing):
        return
    number = count(len(calendar.missing), calendar.period)
    are = verb(len(calendar.missing), "are")
    span = f"between {observed.times[0]} and {observed.times[-1]}"
    message = f"{number} {are} missing {span}: {dates_shown(calendar.missing)}."
    hint = "Add a row for each, with 0 where no media ran."
    if calendar.frequency == "daily" and _only_weekends(calendar.missing):
        hint = (
            "The data skips weekends: add them, or sum the days to weeks with --period "
            "week of core init, or on the Data screen."
        )
    yield Finding("error", f"column {observed.mapping.time}", message, hint)


def _only_weekends(dates: np.ndarray) -> bool:
    return bool((((dates.astype(int) + 3) % 7) > 4).all())


def _missing_rows(observed: Observations) -> Iterator[Finding]:
    """Periods that some geos lack."""
    absent = observed.first_rows < 0
    absent[:, np.isin(observed.times, observed.periods.out_of_step)] = False
    geos = np.flatnonzero(absent.any(axis=1))
    period = observed.periods.period
    n_times = len(observed.times)
    hint = "Add the rows, with 0 where no media ran, or leave the geo out."
    for geo in geos[:_SHOWN_GEOS]:
        name = observed.geos[geo]
        missing = observed.times[absent[geo]]
        message = (
            f"Geo {name} has no row for {len(missing):,} of {count(n_times, period)}: "
            f"{dates_shown(missing)}."
        )
        yield Finding("error", f"geo {name}", message, hint)
    rest = geos[_SHOWN_GEOS:]
    if len(rest):
        names = listed([observed.geos[geo] for geo in rest])
        number = count(int(absent[rest].sum()), "row")
        geo_word = "geo lacks" if len(rest) == 1 else "geos lack"
        message = f"{len(rest):,} more {geo_word} {number}: {names}."
        yield Finding("error", f"column {observed.mapping.geo}", message, hint)


def _length(observed: Observations) -> Iterator[Finding]:
    """Too few periods for a model."""
    where = f"column {observed.mapping.time}"
    calendar = observed.periods
    n_times = len(observed.times) - observed.n_history
    period = calendar.period if len(observed.times) > 1 else "period"
    advised = "About two years of weeks are advisable."
    if n_times < MIN_PERIODS:
        only = f"only {count(n_times, period)}" + (
            " with a KPI" * bool(observed.n_history)
        )
        message = f"The table has {only}; a model needs at least {MIN_PERIODS}."
        yield Finding("error", where, message, advised)
