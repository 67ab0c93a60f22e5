"""Events: holidays of a country and own events, as columns over time. Free of JAX.

The same event works for daily, weekly and monthly data: columns count days.
"""

from dataclasses import dataclass
from datetime import date

import numpy as np

from core.errors import SpecError


@dataclass(frozen=True)
class Event:
    """Something that happened, or will, and may move the KPI while it lasts.

    Attributes:
        name: As shown; entries of the same name share one effect.
        start: First day, ISO.
        end: Last day, ISO.
    """

    name: str
    start: str
    end: str

    def __post_init__(self) -> None:
        """Refuse dates that mean nothing.

        Raises:
            SpecError: A date cannot be read, or the end lies before the start.
        """
        try:
            first = date.fromisoformat(self.start)
            last = date.fromisoformat(self.end)
        except ValueError as error:
            raise SpecError(
                f"Event {self.name}: {error}.",
                hint="Write dates as 2024-11-29.",
                where="event",
            ) from error
        if last < first:
            raise SpecError(
                f"Event {self.name} ends before it starts.",
                hint="Exchange start and end.",
                where="event",
            )

    @property
    def days(self) -> np.ndarray:
        """Its days, datetime64[D]."""
        return np.arange(np.datetime64(self.start), np.datetime64(self.end) + 1)


def event_columns(
    events: tuple[Event, ...], times: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of own events, and the share of each period that they cover.

    Args:
        events: Own events.
        times: First day of each period, datetime64[D].

    Returns:
        Names, each once, in order; time event.
    """
    names = tuple(dict.fromkeys(event.name for event in events))
    days = [[e.days for e in events if e.name == name] for name in names]
    lengths = (_ends(times) - times).astype(int)
    # Shares of a period, so that an effect means the same in days, weeks and months.
    columns = [days_within(np.concatenate(own), times) / lengths for own in days]
    return names, np.stack(columns, 1) if columns else np.zeros((len(times), 0))


def holiday_columns(
    country: str, window: tuple[int, int], times: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Public holidays of a country, with leads and lags.

    A holiday's column counts its days in each period. The columns of its leads and
    lags are the same, shifted: sales move in the weeks before Christmas, too.

    Args:
        country: ISO code, or country and subdivision: `DE`, `DE-BY`.
        window: Periods before and after that have an effect of their own.
        times: First day of each period, datetime64[D].

    Returns:
        Names, such as `Christmas Day` and `Christmas Day -1`; time column. Columns
        that are zero everywhere are left out.

    Raises:
        SpecError: The country is not known.
    """
    n_before, n_after = window
    step = typical_step(times)
    before = times[:1] - step * np.arange(n_after, 0, -1)
    after = times[-1:] + step * np.arange(1, n_before + 1)
    longer = np.concatenate([before, times, after])
    names, columns = [], []
    for name, days in sorted(holidays_of(country, longer).items()):
        column = days_within(days, longer)
        for shift in range(-n_before, n_after + 1):
            moved = column[n_after - shift :][: len(times)]
            if moved.any():
                names.append(f"{name} {shift:+d}" if shift else name)
                columns.append(moved)
    return tuple(names), np.stack(columns, 1) if columns else np.zeros((len(times), 0))


def holidays_of(country: str, times: np.ndarray) -> dict[str, np.ndarray]:
    """Days of each public holiday around the given periods, by English name.

    Raises:
        SpecError: The country is not known.
    """
    import holidays  # half a second, and only for who asks

    code, _, subdivision = country.partition("-")
    if len(code) == 2:  # a code, not a name
        code, subdivision = code.upper(), subdivision.upper()
    years = range(_year(times[0]), _year(times[-1] + typical_step(times)) + 1)
    try:
        calendar = holidays.country_holidays(
            code, subdiv=subdivision or None, years=years, language="en_US"
        )
    except NotImplementedError as error:
        raise SpecError(
            f"There is no calendar of holidays for {country}.",
            hint="Give an ISO code, with a subdivision if you like: US, DE, DE-BY.",
            where="model.holidays",
        ) from error
    days: dict[str, list[np.datetime64]] = {}
    for day, names in calendar.items():
        for name in names.split("; "):
            plain = name.removesuffix(" (observed)").removesuffix(" (estimated)")
            days.setdefault(plain, []).append(np.datetime64(day))
    return {name: np.array(sorted(set(own))) for name, own in days.items()}


def days_within(days: np.ndarray, times: np.ndarray) -> np.ndarray:
    """How many of `days` lie in each period; time."""
    days = np.unique(days)
    counts = np.searchsorted(days, _ends(times)) - np.searchsorted(days, times)
    return counts.astype(float)


def _ends(times: np.ndarray) -> np.ndarray:
    """First day after each period."""
    return np.append(times[1:], times[-1:] + typical_step(times))


def typical_step(times: np.ndarray) -> np.timedelta64:
    """Median length of a period, whole days; a week where there is only one."""
    if len(times) < 2:
        return np.timedelta64(7, "D")
    days = np.diff(times.astype("datetime64[D]")).astype(int)
    return np.timedelta64(int(np.median(days)), "D")


def _year(day: np.datetime64) -> int:
    return int(np.datetime64(day, "Y").astype(int)) + 1970
