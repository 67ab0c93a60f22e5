"""Panel: a KPI of geos over time, which is all that a geo test is read from.

It comes from any table with a column of dates, one of geos and one of the KPI. Spend is
taken where a channel has some, so that a read-out can say what a unit of money brought
and whether the spend really changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from core.data.ahead.horizon import last_day
from core.data.input_data import InputData
from core.data.mapping import DateReading, Decimal
from core.data.observations import geo_names
from core.data.periods import periods
from core.data.reading.beside import Beside
from core.data.reading.origins import row_numbers
from core.data.recognition.recognise import guess_roles
from core.errors import CoverageError, SchemaError, SpecError
from core.text import listed

#: Months of a period of the calendar.
_MONTHS = {"monthly": 1, "quarterly": 3, "yearly": 12}
#: How close a geo is to the sum of the others that it is, and on which share of dates;
#: of two geos one may have the KPI of the other.
_SAME, _DATES, _TWO = 1e-3, 0.95, 2


@dataclass(frozen=True)
class Panel:
    """A KPI, and spend where it is known, per geo and period.

    Attributes:
        geos: Names.
        times: First day of each period, rising.
        kpi: In the unit of `unit`.
        spend: Of each channel, currency; empty where no channel has spend.
        unit: What the KPI is called.
    """

    geos: tuple[str, ...]
    times: np.ndarray
    kpi: Float[np.ndarray, "geo time"]
    spend: Mapping[str, Float[np.ndarray, "geo time"]] = field(default_factory=dict)
    unit: str = "KPI"

    @property
    def step(self) -> int:
        """Days of a period."""
        return int(np.median(np.diff(self.times).astype("timedelta64[D]").astype(int)))

    @property
    def last_day(self) -> str:
        """Last day of the last period, ISO."""
        return str(last_day(self.times.astype("datetime64[D]")))

    def is_in(self, geos: Sequence[str]) -> Bool[np.ndarray, " geo"]:
        """Which geos are among these."""
        return np.array([geo in geos for geo in self.geos])

    def refuse_foreign(self, geos: Sequence[str], where: str = "geos") -> None:
        """Refuse geos that the data have not.

        Args:
            geos: As somebody named them.
            where: The option that names them.

        Raises:
            SpecError: Any of them is not in the data.
        """
        foreign = [geo for geo in geos if geo not in self.geos]
        if foreign:
            one = f"{foreign[0]} is not in the data."
            raise SpecError(
                one if len(foreign) == 1 else f"{listed(foreign)} are not in the data.",
                hint="Name the geos as there. "
                f"The data have {listed(self.geos, limit=8)}.",
                where=where,
            )

    def refuse_unspent(self, channels: Sequence[str]) -> None:
        """Refuse channels that the data have no spend of, where they have any spend.

        Raises:
            SpecError: One of them has none.
        """
        unknown = [name for name in channels if self.spend and name not in self.spend]
        if unknown:
            raise SpecError(
                f"{listed(unknown)} is not a channel with spend in the data.",
                hint=f"Use one of {listed(list(self.spend), limit=10)}.",
                where="channel",
            )

    def within(self, start: str, end: str) -> Bool[np.ndarray, " time"]:
        """Which periods begin between two days, both included."""
        low, high = np.datetime64(start, "D"), np.datetime64(end, "D")
        return (self.times >= low) & (self.times <= high)

    def without(self, geos: tuple[str, ...]) -> "Panel":
        """The panel without some geos."""
        keep = ~self.is_in(geos)
        return replace(
            self,
            geos=tuple(geo for geo in self.geos if geo not in geos),
            kpi=self.kpi[keep],
            spend={name: money[keep] for name, money in self.spend.items()},
        )

    def before(self, day: str) -> "Panel":
        """The panel up to a day, which is left out."""
        past = self.times < np.datetime64(day, "D")
        return replace(
            self,
            times=self.times[past],
            kpi=self.kpi[:, past],
            spend={name: money[:, past] for name, money in self.spend.items()},
        )

    def year_before(self, day: str) -> int:
        """Place of the period a year earlier a day; below zero before the data."""
        months = _MONTHS.get(periods(self.times.astype("datetime64[D]")).frequency)
        if months is not None:
            first, then = (
                np.datetime64(date, "M").astype(int) for date in (self.times[0], day)
            )
            return int(then - first) // months - 12 // months
        ahead = (np.datetime64(day, "D") - self.times[0]).astype("timedelta64[D]")
        return int(ahead.astype(int) // self.step) - round(364 / self.step)

    def periods(self, weeks: int) -> int:
        """How many periods a number of weeks has."""
        return max(round(7 * weeks / self.step), 1)


def panel_of(data: InputData) -> Panel:
    """The outcome and the spend of a market's geos."""
    value = 1.0 if data.revenue_per_kpi is None else data.revenue_per_kpi
    spend = {}
    for treatments in (data.media, data.reach_frequency):
        if treatments is not None and treatments.spend is not None:
            for place, name in enumerate(treatments.names):
                spend[name] = np.asarray(treatments.spend[..., place], float)
    unit = "revenue" if data.kpi_type == "revenue" or np.ndim(value) else "KPI"
    return Panel(tuple(data.geos), data.times, data.kpi * value, spend, unit)


class _Columns(NamedTuple):
    """Columns of dates, of geos and of the KPI."""

    time: str
    geo: str
    kpi: str


def panel_of_table(
    frame: pd.DataFrame,
    filename: str,
    overrides: Mapping[str, str] | None = None,
    *,
    dates: DateReading | None = None,
    decimal: Mapping[str, Decimal] | None = None,
) -> Panel:
    """The panel of a table, its columns recognised; media are not needed.

    Args:
        frame: As it was loaded.
        filename: For messages.
        overrides: Columns of `time`, `geo` and `kpi`, where somebody has said.
        dates: How to read dates that could be read in several ways, where answered.
        decimal: The decimal sign of columns whose numbers could be two, likewise.

    Raises:
        SchemaError: There is no column of dates, of geos or of a KPI, or a cell can be
            read in several ways.
        CoverageError: There is one date only, or a geo lacks periods that others have.
    """
    roles = guess_roles(frame)
    column = _columns(
        {entry.role: entry.column for entry in roles}, overrides, filename
    )
    money = {
        entry.column: entry.channel or entry.column
        for entry in roles
        if entry.role == "spend"
    }
    if not money and column.kpi != "spend" and "spend" in frame:
        money = {"spend": "spend"}
    measures = [column.kpi, *(name for name in money if name != column.kpi)]
    labels = [column.time, column.geo]
    table = Beside(frame, filename)
    table.refuse_open(labels, [*labels, *measures])
    days = table.days([column.time], dates)[column.time]
    numbers = table.numbers(measures, dict(decimal or {}))
    places = _places(frame, days, column, filename)
    times, row = np.unique(days, return_inverse=True)
    _refuse_one(times, filename)
    geos = tuple(dict.fromkeys(places))
    cell = {geo: place for place, geo in enumerate(geos)}
    at = np.array([cell[place] for place in places])

    def grid(name: str) -> np.ndarray:
        table = np.full((len(geos), len(times)), np.nan)
        table[at, row] = numbers[name]
        return table

    kpi = grid(column.kpi)
    lacking = [
        geo for geo, values in zip(geos, kpi, strict=True) if np.isnan(values).any()
    ]
    if lacking:
        raise CoverageError(
            f"The KPI is missing in some periods of {listed(lacking)}.",
            hint="Fill the gaps, with 0 where nothing was sold, or drop these geos.",
            where=filename,
        )
    _refuse_whole(geos, kpi, filename)
    spend = {channel: np.nan_to_num(grid(name)) for name, channel in money.items()}
    return Panel(geos, times, kpi, spend, column.kpi)


def _places(
    frame: pd.DataFrame, days: np.ndarray, column: _Columns, filename: str
) -> np.ndarray:
    """The geo of each row.

    Raises:
        CoverageError: A row has no geo or date, or several rows have the same.
    """
    names = geo_names(frame[column.geo])
    for role, is_empty in (("geo", names == None), ("time", np.isnat(days))):  # noqa: E711
        if is_empty.any():
            row = row_numbers(frame)[int(np.argmax(is_empty))]
            raise CoverageError(
                f"{filename}, row {row} has no {getattr(column, role)}.",
                hint="Give it; delete the row if it is a total.",
                where=filename,
            )
    Beside(frame, filename).refuse_doubled({"geo": names, "date": days})
    return names


def _refuse_one(times: np.ndarray, filename: str) -> None:
    """Refuse a table of one date: a test is read against what was before it.

    Raises:
        CoverageError: It is such a table.
    """
    if len(times) == 1:
        day = str(times.astype("datetime64[D]")[0])
        raise CoverageError(
            f"All rows of the table are of one date, {day}.",
            hint="Use a table that has the periods before the test, too.",
            where=filename,
        )


def _refuse_whole(geos: Sequence[str], kpi: np.ndarray, filename: str) -> None:
    """Refuse a geo that is the sum of all others: the whole market, or a region of it.

    Raises:
        SchemaError: There is one.
    """
    for place, geo in enumerate(geos):
        others = kpi.sum(axis=0) - kpi[place]
        near = np.abs(others - kpi[place]) <= _SAME * np.abs(kpi[place])
        if len(geos) > _TWO and others.any() and near.mean() >= _DATES:
            raise SchemaError(
                f"{geo} in {filename} is the sum of the other geos, so that each would "
                "be compared with itself.",
                hint=f"Delete the rows of {geo}.",
                where=filename,
            )


def _columns(
    roles: Mapping[str, str], overrides: Mapping[str, str] | None, filename: str
) -> _Columns:
    """The columns of dates, geos and the KPI.

    Raises:
        SchemaError: There is none of one of them.
    """
    column = {**roles, **(overrides or {})}
    for role, what in (("time", "dates"), ("geo", "geos"), ("kpi", "the KPI")):
        if role not in column:
            raise SchemaError(
                f"{filename} has no column of {what}.",
                hint="A test is read from a table with a row per geo and period: "
                "dates, geos and a KPI. Name the columns date, geo and sales.",
                where=filename,
            )
    return _Columns(*(column[role] for role in _Columns._fields))
