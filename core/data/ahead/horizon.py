"""Horizons: a market's data up to a period, between two, and after the last one.

What comes after the data is `InputData` too: its KPI is unknown (NaN), its media
reaches back to the first period, so that what ran before carries over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool

from core.data.ahead.began import new_channels, with_latest
from core.data.input_data import InputData, Treatments
from core.data.mapping import KINDS
from core.data.periods import PER_YEAR, periods
from core.errors import PlanError

#: Years after the data in which a plan has to end.
MOST_YEARS = 2

_MONTHS = {"monthly": 1, "quarterly": 3, "yearly": 12}


def periods_per_year(times: np.ndarray) -> int:
    """Periods after which the season comes again; 364 for days: whole weeks.

    Args:
        times: Period starts, datetime64[D].
    """
    calendar = periods(times)
    if calendar.frequency == "daily":
        return 364
    if calendar.frequency in PER_YEAR:
        return round(PER_YEAR[calendar.frequency])
    days = calendar.days or float(np.median(np.diff(times).astype(int)))
    return max(1, round(365.25 / days))


def next_times(times: np.ndarray, n: int) -> np.ndarray:
    """The n periods after the last one, datetime64[D]; months by the calendar."""
    calendar = periods(times)
    every = _MONTHS.get(calendar.frequency)
    steps = np.arange(1, n + 1)
    if every is None:
        days = calendar.days or int(np.median(np.diff(times).astype(int)))
        return times[-1] + days * steps
    months = times[-1].astype("datetime64[M]") + every * steps
    offset = times[-1] - times[-1].astype("datetime64[M]").astype("datetime64[D]")
    last = (months + 1).astype("datetime64[D]") - np.timedelta64(1, "D")
    return np.minimum(months.astype("datetime64[D]") + offset, last)


def last_day(times: np.ndarray) -> np.datetime64:
    """Last day of the last period; of a single one, of unknown length, its date.

    Args:
        times: Period starts, datetime64[D].
    """
    if len(times) < 2:
        return times[-1]
    return next_times(times, 1)[0] - np.timedelta64(1, "D")


@dataclass(frozen=True)
class PlanHorizon:
    """The periods that a plan is for.

    Attributes:
        times: First days of the periods, datetime64[D].
        skip: Periods between the data and the first of them.
        value: Value of a KPI unit in each over a year earlier's; empty for the same.
    """

    times: np.ndarray
    skip: int = 0
    value: tuple[float, ...] = ()

    @property
    def start(self) -> str:
        """First day of the first period, YYYY-MM-DD."""
        return str(self.times[0])

    @property
    def n(self) -> int:
        """Number of periods."""
        return len(self.times)

    def as_dict(self) -> dict[str, str | int]:
        """The horizon as --json prints it."""
        return {"start": self.start, "end": str(self.times[-1]), "periods": self.n}


def plan_horizon(
    times: np.ndarray,
    n: int | None = None,
    start: str | None = None,
    value: Sequence[float] = (),
) -> PlanHorizon:
    """The periods that a plan is for: by default the year after the data.

    Args:
        times: Period starts of the data, datetime64[D].
        n: Periods; a year's where not given, or as many as the data have.
        start: The plan begins with the first period that starts on this day or later,
            YYYY-MM-DD; the first after the data where not given.
        value: Of a KPI unit over a year earlier's: one number, or one per period.

    Raises:
        PlanError: It begins before the data end, ends too late, or has no periods, or
            the values are not as many.
    """
    year = periods_per_year(times)
    n = min(year, len(times)) if n is None else n
    later = next_times(times, MOST_YEARS * year)
    first, last = str(later[0]), str(later[-1])
    if n < 1:
        raise _no_horizon(
            f"A plan of {n} periods is not possible.", "Ask for 1 or more."
        )
    skip = 0
    if start is not None:
        try:
            day = np.datetime64(start, "D")
        except ValueError:
            day = np.datetime64("NaT")
        if np.isnat(day):
            raise _no_horizon(f"{start} is not a date.", f"Write one such as {first}.")
        if day <= times[-1]:
            raise _no_horizon(
                f"The plan would begin on {day}, and the data go on to the period that "
                f"begins on {times[-1]}.",
                f"Begin on {first} or later, or plan the data's own periods.",
            )
        skip = int((later < day).sum())
    if skip + n > len(later):
        raise _no_horizon(
            f"The plan would end more than {MOST_YEARS} years after the data.",
            f"End with the period that begins on {last}, or earlier: what was "
            "measured longer ago says too little.",
        )
    if len(value) not in (0, 1, n):
        raise _no_horizon(
            f"There are {len(value)} values of a KPI unit for {n} periods.",
            "Give one number for all of them, or one per period.",
        )
    by_period = tuple(value) if len(value) == n else tuple(value) * n
    is_same = all(each == 1.0 for each in by_period)
    return PlanHorizon(later[skip : skip + n], skip, () if is_same else by_period)


def _no_horizon(message: str, hint: str) -> PlanError:
    return PlanError(message, hint=hint, where="horizon")


def longest_horizon(data: InputData) -> int:
    """Periods that can be forecast: a year, and no more than the data have."""
    return min(periods_per_year(data.times), data.n_times)


def between(data: InputData, start: int, stop: int) -> InputData:
    """The KPI periods from start to before stop, with all media before them.

    Args:
        data: The market.
        start: First KPI period kept, counted from zero.
        stop: The one after the last.
    """
    history = data.n_media_times - data.n_times
    value = data.revenue_per_kpi
    return replace(
        data,
        times=data.times[start:stop],
        media_times=data.media_times[: history + stop],
        kpi=data.kpi[:, start:stop],
        revenue_per_kpi=None if value is None else value[:, start:stop],
        controls=data.controls[:, start:stop],
        **{
            kind: _cut(getattr(data, kind), history, start, stop, kind == "non_media")
            for kind in KINDS
        },
    )


def _cut(
    treatments: Treatments, history: int, start: int, stop: int, is_static: bool
) -> Treatments:
    if not treatments:
        return treatments
    units = treatments.units[:, start:stop] if is_static else treatments.units
    return replace(
        treatments,
        units=units if is_static else units[:, : history + stop],
        frequency=None
        if treatments.frequency is None
        else treatments.frequency[:, : history + stop],
        spend=None if treatments.spend is None else treatments.spend[:, start:stop],
    )


def is_short(data: InputData) -> bool:
    """Whether the data have no year before the periods ahead."""
    return is_shorter_than_a_year(data.times)


def is_shorter_than_a_year(times: np.ndarray) -> bool:
    """Whether these periods, datetime64[D], are fewer than a year's."""
    return len(times) < periods_per_year(times)


def year_before(data: InputData, n: int) -> np.ndarray:
    """For each of the next n periods, the KPI period of the data one year earlier.

    Data shorter than a year are repeated from their first period on.
    """
    year = min(periods_per_year(data.times), data.n_times)
    return data.n_times - year + np.arange(n) % year


def ahead(data: InputData, n: int) -> InputData:
    """The next n periods as the same periods of the year before.

    Media, spend, frequency, controls, treatments and the value of a KPI unit are
    those of one year earlier; the KPI is unknown. A channel that did not run yet a year
    earlier runs as it did lately (`core.data.ahead.began`).

    Args:
        data: The market.
        n: Number of periods.
    """
    place = year_before(data, n)
    times = next_times(data.times, n)
    value = data.revenue_per_kpi
    return replace(
        data,
        times=times,
        media_times=np.concatenate([data.media_times, times]),
        kpi=np.full((data.n_geos, n), np.nan),
        revenue_per_kpi=None if value is None else value[:, place],
        controls=data.controls[:, place],
        **{
            kind: _repeated(getattr(data, kind), place, data, kind == "non_media")
            for kind in KINDS
        },
    )


def _repeated(
    treatments: Treatments, place: np.ndarray, data: InputData, is_static: bool
) -> Treatments:
    if not treatments:
        return treatments
    if is_static:
        return replace(treatments, units=treatments.units[:, place])
    history = data.n_media_times - data.n_times

    def longer(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values, values[:, history + place]], axis=1)

    future = replace(
        treatments,
        units=longer(treatments.units),
        frequency=None
        if treatments.frequency is None
        else longer(treatments.frequency),
        spend=None if treatments.spend is None else treatments.spend[:, place],
    )
    year = periods_per_year(data.times)
    return with_latest(future, treatments, data, place, year)


def began_since(data: InputData, skip: int, n: int) -> dict[str, str]:
    """Channels that did not run yet in some of these periods a year earlier.

    Args:
        data: The market.
        skip: Periods between the data and the first of them.
        n: How many they are.

    Returns:
        Their first days, YYYY-MM-DD, by name.
    """
    earlier = data.times[year_before(data, skip + n)[skip:]].min()
    days = new_channels(data, periods_per_year(data.times))
    return {name: str(day) for name, day in days.items() if day > earlier}


def multiplied(future: InputData, multipliers: Mapping[str, float]) -> InputData:
    """The same periods with each named channel's media and spend multiplied.

    Media before the first of the periods stays as it ran; reach is multiplied where
    frequency is given.

    Args:
        future: What `ahead` gives.
        multipliers: By channel; others stay.
    """
    changed = {}
    n = future.n_times
    for kind in KINDS[:-1]:
        treatments: Treatments = getattr(future, kind)
        if not treatments:
            continue
        by = np.array([multipliers.get(name, 1.0) for name in treatments.names])
        units = treatments.units.copy()
        units[:, -n:] *= by
        spend = None if treatments.spend is None else treatments.spend * by
        changed[kind] = replace(treatments, units=units, spend=spend)
    return replace(future, **changed)


def in_geos(
    future: InputData,
    times_usual: Mapping[str, Mapping[str, float]],
    where: Bool[np.ndarray, " time"],
) -> InputData:
    """The same periods with channels' media divided over geos in other shares.

    Args:
        future: What `ahead` gives.
        times_usual: What each geo has over what it had, by channel; others stay.
        where: In which of the periods.
    """
    changed = {}
    places = np.flatnonzero(where)
    for kind in ("media", "reach_frequency"):
        paid: Treatments = getattr(future, kind)
        if not paid or not times_usual:
            continue
        units, spend = paid.units.copy(), paid.spend.copy()
        at = places + units.shape[1] - future.n_times
        for channel, name in enumerate(paid.names):
            for geo, times in times_usual.get(name, {}).items():
                g = future.geos.index(geo)
                units[g, at, channel] *= times
                spend[g, places, channel] *= times
        changed[kind] = replace(paid, units=units, spend=spend)
    return replace(future, **changed)


def at_frequency(
    future: InputData,
    frequencies: Mapping[str, float],
    where: Bool[np.ndarray, " time"],
) -> InputData:
    """The same periods with channels at other frequencies, for the same impressions.

    Args:
        future: What `ahead` gives.
        frequencies: Exposures per person reached, by channel; others stay.
        where: In which of the periods.
    """
    paid = future.reach_frequency
    if not paid or not frequencies:
        return future
    units, often = paid.units.copy(), paid.frequency.copy()
    at = np.flatnonzero(where) + units.shape[1] - future.n_times
    for place, name in enumerate(paid.names):
        if name in frequencies:
            units[:, at, place] *= often[:, at, place] / frequencies[name]
            often[:, at, place] = frequencies[name]
    return replace(future, reach_frequency=replace(paid, units=units, frequency=often))
