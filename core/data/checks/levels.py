"""Levels: money that changes its unit in the middle, amounts far out, running totals.

A table may go on in thousands, cents or another currency's unit from some row on. No
market moves every period by such a factor at once: the levels before and after say so.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from core.data.checks.values import window
from core.data.mapping import money_columns
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text.sentences import count, listed

#: Other units that amounts are given in, as factors.
UNITS = (1e2, 1e3, 1e6)
#: How far below the first of them a change of level may be, since amounts move by
#: themselves, too; above it each change is near one of them.
_NEAR = 3.2
#: Least gap between the levels, as a factor: no value of one is near the other.
_APART = 4.0
#: Periods before and after a change by which its size is judged.
_AROUND = 13
#: Periods that run, at least, on either side.
_LEAST = 4
#: A single amount so many times the next largest is looked at.
FAR_OUT = 8.0
#: Periods that run, at least, before a single one can stand out.
_ENOUGH = 13
#: Least factor between a stretch of periods and all others.
_HUNDREDS = 200.0
#: Geos of a column that are named one by one.
_SHOWN = 3
#: Of a running total: periods with an amount, at least; the share of the last at which
#: it begins again, at most; shares of steps that go up, and on which it begins again.
_RUNS, _AGAIN, _RISES, _RESETS = 20, 0.6, 0.6, 0.3
#: Amounts that are added differ so much from one to the next, as a share of their mean.
_VARIES = 0.1
_WHOLE = 1e4
_RIGHT = "Give all rows in the same unit."
#: Distance from the periods around, in robust standard deviations.
_FAR = 8.0
#: Distance from the periods around, relative to them.
_LARGE = 0.5
#: Geos that a typical one can be told from, at least.
_FEWEST = 3
#: How far from all others a geo is, and how far they are from their middle, at most.
_UNIT, _ALIKE = UNITS[0] / 3.2, 4.0


def other_unit(before: np.ndarray, after: np.ndarray) -> float | None:
    """The factor of another unit that lies between two stretches of amounts.

    Args:
        before: Amounts by period, in order; zeros and NaN do not count.
        after: Those that follow.

    Returns:
        100, 1,000 or 1,000,000, or one over it; None where the levels are no such
        factor apart, or overlap.
    """
    before, after = (np.abs(v[np.isfinite(v) & (v != 0)]) for v in (before, after))
    if not (len(before) and len(after)):
        return None
    # Of the periods around the change: budgets move over the years.
    ratio = float(np.median(after[:_AROUND]) / np.median(before[-_AROUND:]))
    size = max(ratio, 1 / ratio)
    low, high = (before, after) if ratio > 1 else (after, before)
    if size < UNITS[0] / _NEAR or high.min() < _APART * low.max():
        return None
    near = min(UNITS, key=lambda unit: abs(np.log(unit / size)))
    return near if ratio > 1 else 1 / near


def shown(amount: float) -> str:
    """An amount in a message: whole where it is large."""
    return f"{amount:,.0f}" if abs(amount) >= _WHOLE else f"{amount:,.6g}"


def check_levels(observed: Observations) -> Iterator[Finding]:
    """Amounts whose unit changes, and single spends far out: of all geos, or of one."""
    if not observed.fills_grid:
        return
    for column in money_columns(observed.mapping):
        grid = np.nan_to_num(np.abs(window(observed, column)))
        results = list(_of_place(observed, column, grid.sum(axis=0), ""))
        if not results and len(observed.geos) > 1:
            # The mistake of one geo drowns in the sum of all.
            for geo, values in zip(observed.geos, grid, strict=True):
                results += _of_place(observed, column, values, f" of {geo}")
        yield from results[:_SHOWN]
        if (more := len(results) - _SHOWN) > 0:
            message = f"Column {column} has {count(more, 'more geo')} like these."
            yield Finding("warning", f"column {column}", message, _RIGHT)


def _of_place(
    observed: Observations, column: str, values: np.ndarray, place: str
) -> Iterator[Finding]:
    """What stands out in the amounts of all geos, or of one."""
    change, stretch = _change(values), _stretch(values)
    if change is not None:
        yield _changed(observed, column + place, values, *change)
    elif stretch is not None:
        yield _stretched(observed, column + place, values, stretch)
    elif column != observed.mapping.kpi:
        yield from _single(observed, column + place, values)


def _change(values: np.ndarray) -> tuple[int, float] | None:
    """Where the unit changes, and by what factor; None where it does not."""
    runs = np.flatnonzero(values > 0)
    if len(runs) < 2 * _LEAST:
        return None
    logs = np.log(values[runs])
    # The largest step between the lowest level on one side and the highest of the other
    # is where the two levels part.
    least, most = np.minimum.accumulate, np.maximum.accumulate
    up = least(logs[::-1])[::-1][1:] - most(logs)[:-1]
    down = least(logs)[:-1] - most(logs[::-1])[::-1][1:]
    gap = np.maximum(up, down)[_LEAST - 1 : len(runs) - _LEAST]
    at = int(np.argmax(gap)) + _LEAST
    factor = other_unit(values[runs[:at]], values[runs[at:]])
    return None if factor is None else (int(runs[at]), factor)


def _stretch(values: np.ndarray) -> np.ndarray | None:
    """Periods in a row that have hundreds of times what all others have, or less.

    Thousands for a while, or a code such as 9999999 for what is not known.
    """
    runs = np.flatnonzero(values > 0)
    logs = np.log(values[runs])
    order = np.sort(logs)
    if len(runs) < 2 * _ENOUGH:
        return None
    gaps = np.diff(order)
    at = int(np.argmax(gaps))
    if gaps[at] < np.log(_HUNDREDS):
        return None
    high = logs > order[at]
    odd = high if high.sum() <= len(runs) / 2 else ~high
    places = np.flatnonzero(odd)
    in_a_row = len(places) == places[-1] - places[0] + 1
    return runs[places] if len(places) > 2 and in_a_row else None


def _stretched(
    observed: Observations, column: str, values: np.ndarray, places: np.ndarray
) -> Finding:
    times = observed.times[observed.n_history :]
    rest = np.delete(values, places)
    message = (
        f"Column {column} has another level from {times[places[0]]} to "
        f"{times[places[-1]]}: {shown(np.median(values[places]))} a "
        f"{observed.periods.period}, where the others have "
        f"{shown(np.median(rest[rest > 0]))}."
    )
    hint = "Is it in another unit there, or a code for what is not known? Correct it."
    return Finding("warning", f"column {column}", message, hint)


def _changed(
    observed: Observations, column: str, values: np.ndarray, at: int, factor: float
) -> Finding:
    day = observed.times[observed.n_history :][at]
    before, after = (np.median(v[v > 0]) for v in (values[:at], values[at:]))
    times = f"{factor:,.0f} times" if factor > 1 else f"a part in {1 / factor:,.0f} of"
    message = (
        f"Column {column} changes its level on {day}: {shown(after)} a "
        f"{observed.periods.period} after {shown(before)}, about {times} as much."
    )
    if factor < 1:
        message = message.replace(" as much.", " it.")
    hint = "Is it in another unit from there on? Give all rows in the same one."
    return Finding("warning", f"column {column}", message, hint)


def _single(
    observed: Observations, column: str, values: np.ndarray
) -> Iterator[Finding]:
    """One or two periods whose spend is many times that of all others."""
    runs = np.sort(values[values > 0])[::-1]
    few = 2 if len(runs) > 2 * _ENOUGH else 1
    if len(runs) < _ENOUGH:
        return
    out = next((n for n in range(few, 0, -1) if runs[n - 1] > FAR_OUT * runs[n]), 0)
    if not out:
        return
    at = np.flatnonzero(values >= runs[out - 1])
    days = [str(observed.times[observed.n_history :][i]) for i in at]
    message = (
        f"The spend {column} stands out on {listed(days)}: "
        f"{listed([shown(values[i]) for i in at])}, where no other "
        f"{observed.periods.period} has more than {shown(runs[out])}."
    )
    hint = "Correct it if it is a mistake: a zero too many, or another unit."
    yield Finding("warning", f"column {column}", message, hint)


def check_running(observed: Observations) -> Iterator[Finding]:
    """Columns that only rise, but for falls that look like a new year or month."""
    if not observed.fills_grid:
        return
    mapping = observed.mapping
    channels = [c for channel in mapping.channels for c in channel.columns()]
    for column in dict.fromkeys([mapping.kpi, *channels]):
        if column not in observed.numbers:
            continue
        values = np.nan_to_num(window(observed, column)).sum(axis=0)
        if not is_running(values):
            continue
        period = observed.periods.period
        message = (
            f"Column {column} looks like a running total: it rises from {period} to "
            f"{period}, and falls only to begin again."
        )
        hint = f"Export what each {period} has alone, not year or month to date."
        yield Finding("warning", f"column {column}", message, hint)


def is_running(values: np.ndarray) -> bool:
    """Whether amounts by period are sums since some date.

    Periods to the next fall differ by one at most but for the first and the last, as
    those of a year, quarter or month do.
    """
    runs = np.flatnonzero(values)
    if len(runs) < _RUNS:
        return False
    values = values[runs[0] :]
    before, after = values[:-1], values[1:]
    falls = np.flatnonzero(after < before)
    if len(falls) > _RESETS * len(before) or (after > before).mean() < _RISES:
        return False
    lengths = np.diff(falls)
    regular = len(lengths) < 2 or np.ptp(lengths) <= max(1, 0.1 * lengths.max())
    again = (after[falls] <= _AGAIN * before[falls]).all()
    # A smooth trend is no sum: amounts that are added differ.
    steps = np.delete(np.diff(values), falls)
    varied = np.std(np.diff(steps)) > _VARIES * np.abs(np.mean(steps))
    return bool(regular and again and varied)


def check_outliers(observed: Observations) -> Iterator[Finding]:
    """KPI values far from the median of the 13 periods around them."""
    if not observed.fills_grid:
        return
    column = observed.mapping.kpi
    values = window(observed, column)
    if values.shape[1] < _AROUND:
        return
    usual = _usual(values)
    distance = np.abs(values - usual)
    # The median absolute deviation, as a standard deviation of a Normal: outliers do
    # not widen it.
    spread = 1.4826 * pd.DataFrame(distance).median(axis=1).to_numpy()[:, None]
    far = (distance > _FAR * spread) & (distance > _LARGE * np.abs(usual))
    far &= (spread > 0) & (usual != 0)
    outliers = np.argwhere(far)
    if not len(outliers) or len(outliers) > 0.02 * values.size + 1:
        return
    ratio = values[far] / usual[far]
    order = np.argsort(-np.abs(np.log(np.maximum(ratio, 1e-6))))
    times = observed.times[observed.n_history :]
    named = []
    for at in order[:_SHOWN]:
        geo, time = outliers[at]
        place = f"{observed.geos[geo]}, " if len(observed.geos) > 1 else ""
        named.append(f"{place}{times[time]} ({ratio[at]:.2g} times its surroundings)")
    places = listed([*named, *order[_SHOWN:]], limit=_SHOWN)
    message = f"The KPI {column} stands out on {places}."
    hint = (
        "If these were holidays or events, tell the model: Public holidays and Events "
        "on the Model screen, holidays and events under [model] in project.toml. If "
        "it is a mistake, correct it."
    )
    yield Finding("warning", f"column {column}", message, hint)


def _usual(values: np.ndarray) -> np.ndarray:
    """Median of the periods around each period, per geo."""
    around = pd.DataFrame(values.T).rolling(_AROUND, center=True, min_periods=4)
    return around.median().to_numpy().T


def check_place_units(observed: Observations) -> Iterator[Finding]:
    """Columns of money of which one geo has hundreds of times its share, or less."""
    columns = money_columns(observed.mapping)
    if len(observed.geos) < _FEWEST or len(columns) < 2 or not observed.fills_grid:
        return
    sums = np.array(
        [np.nansum(np.abs(window(observed, column)), axis=1) for column in columns]
    )
    if not sums.all():
        return
    # By column and geo, beside what the column and the geo have otherwise: medians, so
    # that one cell moves none of them. Of two columns the KPI is the one believed.
    levels = np.log(sums) - np.median(np.log(sums), axis=1, keepdims=True)
    levels -= levels[0] if len(columns) == 2 else np.median(levels, axis=0)
    for relative, column in zip(levels, columns, strict=True):
        geo = int(np.argmax(np.abs(relative - np.median(relative))))
        others = np.delete(relative, geo)
        middle = float(np.median(others))
        away = relative[geo] - middle
        if abs(away) < np.log(_UNIT) or np.ptp(others) > 2 * np.log(_ALIKE):
            continue
        period = observed.periods.period
        own = np.nan_to_num(np.abs(window(observed, column)))
        amount, rest = own[geo].mean(), np.delete(own, geo, axis=0).mean()
        times, way = np.exp(abs(away)), "much" if away > 0 else "little"
        # Where its own amounts are like those elsewhere, the geo's others may be odd.
        is_usual = amount and rest and abs(np.log(amount / rest)) < np.log(_UNIT)
        other = "little" if away > 0 else "much"
        or_others = f", or its others too {other}" if is_usual else ""
        yield Finding(
            "warning",
            f"column {column}",
            f"Column {column} of {observed.geos[geo]} is {shown(amount)} a {period}, "
            f"where other geos have {shown(rest)} on average: beside the other amounts "
            f"of each geo about {times:,.0f} times too {way}{or_others}.",
            "Is it in another unit there, such as cents or thousands? Give all geos in "
            "the same one.",
        )
