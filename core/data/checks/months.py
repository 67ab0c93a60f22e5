"""Months: columns that count by the month, or the week, in a table of shorter periods.

Month to date instead of the amount of each week, or the whole month's amount in each of
its weeks, or a week's in each of its days: sums of such columns are several times what
was spent.
"""

from collections.abc import Iterator

import numpy as np

from core.data.checks.levels import is_running
from core.data.checks.values import window
from core.data.observations import Observations
from core.data.reading.findings import Finding

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
