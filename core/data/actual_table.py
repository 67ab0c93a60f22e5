"""Actuals as a table: what was spent and what came in, in periods after the data.

One row per period (and geo), the date column and the KPI column of the data, and the
spend of every paid channel, under the name of its spend column or its own. Periods are
the first ones after the data, without a gap; other columns are not needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.future_table import known_dates_of, table_grids
from core.data.horizon import ahead, longest_horizon
from core.data.input_data import InputData
from core.data.mapping import PAID, ChannelColumns, ColumnMapping
from core.errors import CoverageError, SchemaError, ValueRangeError

_WHAT = "table of actuals"


@dataclass(frozen=True)
class Actuals:
    """What happened in the first periods after the data.

    Attributes:
        times: Period starts, datetime64[D].
        outcome: Outcome over all geos and periods, in the unit of the fit.
        spend: The same of each paid channel's spend, currency.
    """

    times: np.ndarray
    outcome: float
    spend: Mapping[str, float]

    @property
    def n_times(self) -> int:
        """Number of periods."""
        return len(self.times)


def read_actuals(
    data: InputData, frame: pd.DataFrame, mapping: ColumnMapping
) -> Actuals:
    """What a table says was spent and came in.

    Args:
        data: What the model was fitted on.
        frame: The table.
        mapping: The roles of columns in the data.

    Raises:
        SchemaError: A column is missing or means nothing.
        CoverageError: Periods are missing, doubled, or not those after the data.
        ValueRangeError: A cell is empty, no number, or negative.
    """
    _require(frame, mapping)
    future = ahead(data, longest_horizon(data))
    n = _periods(future, frame, mapping)
    future = ahead(data, n)
    grids = table_grids(future, frame, mapping, _WHAT)
    spend = {}
    for channel in mapping.of_kind(*PAID):
        name = _spend_column(channel, frame)
        spend[channel.name] = _total(_full(grids[name], name), channel.spend_level)
    kpi = _full(grids[mapping.kpi], mapping.kpi)
    value = future.revenue_per_kpi
    if value is not None and isinstance(mapping.revenue_per_kpi, str):
        given = grids.get(mapping.revenue_per_kpi, np.full_like(value, np.nan))
        value = np.where(np.isnan(given), value, given)
    outcome = kpi if value is None else kpi * value
    return Actuals(future.times, float(outcome.sum()), spend)


def template(data: InputData, mapping: ColumnMapping, n: int) -> pd.DataFrame:
    """A table to fill in: the next n periods, every geo, empty numbers.

    Args:
        data: What the model was fitted on.
        mapping: The roles of columns in the data.
        n: Periods.
    """
    times = ahead(data, n).times.astype(str)
    columns: dict[str, object] = {mapping.time: np.tile(times, data.n_geos)}
    if data.n_geos > 1:
        columns[str(mapping.geo)] = np.repeat(list(data.geos), n)
    wanted = [mapping.kpi]
    if isinstance(mapping.revenue_per_kpi, str):
        wanted.append(mapping.revenue_per_kpi)
    wanted += [one.spend or one.name for one in mapping.of_kind(*PAID)]
    return pd.DataFrame(columns | dict.fromkeys(wanted, ""))


def _spend_column(channel: ChannelColumns, frame: pd.DataFrame) -> str | None:
    for name in (channel.spend, channel.name):
        if name is not None and name in frame:
            return name
    return None


def _require(frame: pd.DataFrame, mapping: ColumnMapping) -> None:
    """Refuse a table that does not say what came in and what was spent."""
    if mapping.time not in frame:
        raise SchemaError(
            f"The {_WHAT} has no column {mapping.time}.",
            hint="Give the first day of each period in it, as in the data.",
            where=mapping.time,
        )
    if mapping.kpi not in frame:
        raise SchemaError(
            f"The {_WHAT} has no column {mapping.kpi}.",
            hint="Give what came in, in the unit of the data.",
            where=mapping.kpi,
        )
    for channel in mapping.of_kind(*PAID):
        if _spend_column(channel, frame) is None:
            raise SchemaError(
                f"The {_WHAT} does not say what {channel.name} spent.",
                hint=f"Add the column {channel.spend or channel.name}, with 0 where "
                "it spent nothing.",
                where=channel.name,
            )


def _periods(future: InputData, frame: pd.DataFrame, mapping: ColumnMapping) -> int:
    """How many periods the table has: the first ones after the data, without a gap."""
    dates = known_dates_of(frame, mapping, future.times)
    if len(dates) == 0:
        raise CoverageError(
            f"The {_WHAT} has no periods.",
            hint=f"Give at least the one that begins on {future.times[0]}.",
            where=mapping.time,
        )
    keys = [dates]
    if future.n_geos > 1 and mapping.geo in frame:
        keys.append(frame[mapping.geo].astype(str).to_numpy())
    doubled = pd.DataFrame(dict(enumerate(keys))).duplicated()
    if doubled.any():
        raise CoverageError(
            f"The {_WHAT} has {dates[int(np.argmax(doubled))]} twice.",
            hint="Keep one row per period and geo.",
            where=mapping.time,
        )
    known = np.isin(future.times, dates)
    n = int(known.nonzero()[0].max()) + 1 if known.any() else 1
    missing = future.times[:n][~known[:n]]
    if len(missing) and known.any():
        raise CoverageError(
            f"The {_WHAT} has no row for {missing[0]}.",
            hint=f"Give every period from {future.times[0]} on, the first after the "
            "data that the plan was made with.",
            where=mapping.time,
        )
    return n


def _full(grid: np.ndarray, name: str) -> np.ndarray:
    """The grid, refused where a cell is empty."""
    if np.isnan(grid).any():
        raise ValueRangeError(
            f"The {_WHAT}'s column {name} has empty cells.",
            hint="Fill them in, with 0 where there was nothing.",
            where=name,
        )
    return grid


def _total(spend: np.ndarray, level: str) -> float:
    """Spend over geos and periods; a number for several of them stands in each."""
    if level == "total":
        return float(spend.mean())
    return float((spend.mean(axis=0) if level == "time" else spend).sum())
