"""Observations: the mapped columns of a table, parsed once for checks and assembly."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from core.data.cells.labels import as_written
from core.data.cells.scales import stated_scale
from core.data.mapping import ColumnMapping
from core.data.periods import Periods, periods
from core.data.reading.dates import Dates, parse_dates
from core.data.reading.doubts import known_dates, number_columns
from core.data.reading.numbers import Numbers, as_numbers
from core.data.reading.origins import row_numbers
from core.dims import NATIONAL_GEO
from core.text.sentences import listed


@dataclass(frozen=True)
class Observations:
    """A table as geos, dates and numbers.

    Attributes:
        frame: The table as it came.
        mapping: The roles of the columns.
        rows: The file's row of each observation; the header is row 1.
        dates: The time column.
        geos: Names of geos in order of first appearance; one for a national table.
        geo_at: Position of each row's geo, -1 where it has none.
        numbers: Every column that must hold numbers.
    """

    frame: pd.DataFrame
    mapping: ColumnMapping
    rows: np.ndarray
    dates: Dates
    geos: tuple[str, ...]
    geo_at: np.ndarray
    numbers: dict[str, Numbers]

    @cached_property
    def times(self) -> np.ndarray:
        """Distinct dates in order, datetime64[D]."""
        values = self.dates.values
        return np.unique(values[~np.isnat(values)])

    @cached_property
    def time_at(self) -> np.ndarray:
        """Position of each row's date in `times`, -1 where it has none."""
        is_known = ~np.isnat(self.dates.values)
        at = np.full(len(is_known), -1)
        at[is_known] = np.searchsorted(self.times, self.dates.values[is_known])
        return at

    @cached_property
    def periods(self) -> Periods:
        """The periods behind the dates."""
        return periods(self.times)

    @property
    def fills_grid(self) -> bool:
        """Whether geo by time is not absurdly larger than the table."""
        cells = len(self.geos) * len(self.times)
        return 0 < cells <= max(4 * len(self.rows), 100_000)

    @cached_property
    def cell(self) -> np.ndarray:
        """Position of each row in the flattened geo-by-time grid, -1 for none."""
        is_inside = (self.geo_at >= 0) & (self.time_at >= 0)
        return np.where(is_inside, self.geo_at * len(self.times) + self.time_at, -1)

    @cached_property
    def first_rows(self) -> np.ndarray:
        """Position of the first row of every cell, geo time; -1 where there is none."""
        first = np.full(len(self.geos) * len(self.times), -1)
        at = np.flatnonzero(self.cell >= 0)[::-1]
        first[self.cell[at]] = at
        return first.reshape(len(self.geos), len(self.times))

    def row_list(self, where: np.ndarray) -> str:
        """The file's rows where a condition holds, in words: `rows 6, 9 and 20`."""
        rows = self.rows[where]
        return f"{'row' if len(rows) == 1 else 'rows'} {listed(list(rows))}"

    def cell_list(self, column: str, where: np.ndarray) -> str:
        """The cells of a column where a condition holds: `"n/k" (row 6)`."""
        at = np.flatnonzero(where)
        shown = [
            f'"{str(self.frame[column].iloc[i])[:40]}" (row {self.rows[i]})'
            for i in at[:3]
        ]
        return listed([*shown, *at[3:]], limit=3)

    def grid(self, column: str) -> np.ndarray:
        """A column as geo time, NaN where there is no row or no number."""
        values = self.numbers[column].values[self.first_rows]
        return np.where(self.first_rows >= 0, values, np.nan)

    def filled(self, column: str) -> np.ndarray:
        """Where a column has a cell with content, geo time."""
        filled = ~self.numbers[column].is_empty[self.first_rows]
        return filled & (self.first_rows >= 0)

    @cached_property
    def n_history(self) -> int:
        """Number of leading periods with media only: no geo has a KPI yet."""
        if not self.fills_grid:
            return 0
        any_kpi = self.filled(self.mapping.kpi).any(axis=0)
        return int(np.argmax(any_kpi)) if any_kpi.any() else 0


def observe(frame: pd.DataFrame, mapping: ColumnMapping) -> Observations:
    """Parse the mapped columns of a table; every column must be there."""
    geos: tuple[str, ...] = (NATIONAL_GEO,)
    geo_at = np.zeros(len(frame), dtype=int)
    if mapping.geo is not None:
        geo_at, names = pd.factorize(geo_names(frame[mapping.geo]))
        geos = tuple(str(name) for name in names)
    return Observations(
        frame=frame,
        mapping=mapping,
        rows=row_numbers(frame),
        dates=dates_of(frame, mapping),
        geos=geos,
        geo_at=geo_at,
        numbers={
            name: numbers_of(frame, mapping, name) for name in number_columns(mapping)
        },
    )


def dates_of(frame: pd.DataFrame, mapping: ColumnMapping) -> Dates:
    """The dates of a table, read once and for all: fits, screens and charts agree."""
    return parse_dates(frame[mapping.time], mapping.dates or known_dates(frame))


def numbers_of(frame: pd.DataFrame, mapping: ColumnMapping, column: str) -> Numbers:
    """A column of a table as numbers, with the answers on what it leaves open."""
    numbers = as_numbers(frame[column], mapping.decimal_of(column))
    return replace(numbers, values=in_units(mapping, column, numbers.values))


def in_units(mapping: ColumnMapping, column: str, values: np.ndarray) -> np.ndarray:
    """Numbers of a column as written, where its header only seemed to say thousands."""
    by = stated_scale(column) if column in mapping.whole_units else 1.0
    return values if by == 1 else values / by


def geo_names(column: pd.Series) -> np.ndarray:
    """Names of geos without spaces around, whole numbers without a point; or None."""
    column = as_written(column)
    text = column.astype("str").str.strip()
    filled = column.notna().to_numpy() & (text != "").to_numpy()
    return np.where(filled, text.to_numpy(dtype=object), None)
