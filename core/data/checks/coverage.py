"""Coverage: one row for every geo and period, none twice, none missing.

Months: columns that count by the month, or the week, in a table of shorter periods.

Month to date instead of the amount of each week, or the whole month's amount in each of
its weeks, or a week's in each of its days: sums of such columns are several times what
was spent.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from core.data.cells.words import NOT_GEO, words
from core.data.checks.geo_names import check_geo_names, same_places
from core.data.checks.levels import is_running
from core.data.checks.values import window
from core.data.observations import Observations
from core.data.periods import weekday
from core.data.reading.findings import Finding
from core.text.sentences import count, listed, verb

#: Steps within a month, and months, at least.
_STEPS, _MONTHS = 20, 6
#: Share of steps within a month that go up; of first ones that fall.
_RISES, _FALLS = 0.5, 0.8
#: Share of months with one amount in all their periods.
_SAME = 0.95
#: Days of the longest period that months are made of.
_WEEK = 7


def check_months(observed: Observations) -> Iterator[Finding]:
    """Spend and KPI by the month to date, or with a month's amount in each period."""
    step = np.diff(observed.times[:2]).astype(int)
    if not observed.fills_grid or not len(step) or step[0] > _WEEK:
        return
    mapping, period = observed.mapping, observed.periods.period
    times = observed.times[observed.n_history :]
    spends = [channel.spend for channel in mapping.channels if channel.spend]
    for column in dict.fromkeys([mapping.kpi, *spends]):
        values = np.nan_to_num(window(observed, column)).sum(axis=0)
        ends = times + (step[0] - 1)
        by = [day.astype("datetime64[M]") for day in (times, ends)]
        if any(_begins_again(values, month) for month in by):
            if not is_running(values):  # which has been said
                message = (
                    f"Column {column} looks like sums to date: it rises within each "
                    "month, and begins again with the next."
                )
                hint = f"Export what each {period} has alone, not month to date."
                yield Finding("warning", f"column {column}", message, hint)
        elif step[0] == 1 and any(_is_level(values, week) for week in _weeks(times)):
            message = (
                f"Column {column} has the same amount on every day of a week, and "
                "another one in the next: each day counts it in full."
            )
            hint = "If it is what the whole week had, divide it by 7."
            yield Finding("warning", f"column {column}", message, hint)
        elif any(_is_level(values, month) for month in by):
            message = (
                f"Column {column} has the same amount in every {period} of a month, "
                f"and another one in the next: each {period} counts it in full."
            )
            periods = f"{period}s"
            hint = (
                f"If it is what the whole month had, divide it by the {periods} of the "
                "month."
            )
            yield Finding("warning", f"column {column}", message, hint)


def _begins_again(values: np.ndarray, months: np.ndarray) -> bool:
    """Whether amounts only rise within months, and fall from one to the next."""
    within = months[1:] == months[:-1]
    steps = np.diff(values)
    inside, between = steps[within], steps[~within & (values[:-1] > 0)]
    if len(inside) < _STEPS or len(between) < _MONTHS:
        return False
    rises = (inside > 0).mean() >= _RISES and (inside >= 0).all()
    return bool(rises and (between < 0).mean() >= _FALLS)


def _weeks(times: np.ndarray) -> list[np.ndarray]:
    """The week of each day, of weeks that begin on a Monday and on a Sunday."""
    days = times.astype("datetime64[D]").astype(int)
    return [(days + back) // _WEEK for back in (3, 4)]


def _is_level(values: np.ndarray, months: np.ndarray) -> bool:
    """Whether each month, or week, has one amount, and few have the same."""
    names, first, sizes = np.unique(months, return_index=True, return_counts=True)
    whole = [
        values[at : at + size]
        for at, size in zip(first, sizes, strict=True)
        if size > 1 and values[at : at + size].any()
    ]
    if len(whole) < _MONTHS or len(whole) < len(names) / 2:
        return False
    level = [month[0] for month in whole if np.ptp(month) == 0]
    return len(level) >= _SAME * len(whole) and len(set(level)) >= _MONTHS


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
    several = list(
        check_geo_names(
            str(observed.mapping.geo), observed.geos, observed.times, ~absent
        )
    )
    yield from several
    named = {at for group in same_places(observed.geos, ~absent) for at in group}
    gaps = np.flatnonzero(absent.any(axis=1))
    geos = np.array([at for at in gaps if at not in named], dtype=int)
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
