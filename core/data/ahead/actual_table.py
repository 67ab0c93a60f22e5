"""Actuals as a table: what was spent and what came in, in periods after the data.

One row per period or day (and geo), the date column and the KPI column of the data, and
the spend of every paid channel, under the name of its spend column or its own. Periods
are the first ones after the data, without a gap; other columns are not needed. Without
a column of geos, rows are of all geos together.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from jaxtyping import Float

from core.data.ahead.as_exported import in_periods
from core.data.ahead.future_table import known_dates_of, labels_of, table_grids
from core.data.ahead.horizon import ahead, longest_horizon
from core.data.ahead.other_units import (
    IN_ALL,
    refuse_other_total,
    refuse_other_unit,
    spend_in_all,
)
from core.data.currency import money_columns_of, refuse_other_currency
from core.data.input_data import InputData
from core.data.mapping import PAID, ChannelColumns, ColumnMapping
from core.data.reading.beside import Beside
from core.errors import CoverageError, SchemaError, ValueRangeError
from core.text.escaping import inert
from core.text.languages.language import marked
from core.text.sentences import count

_WHAT = marked("table of actuals")


@dataclass(frozen=True)
class Actuals:
    """What happened in the first periods after the data.

    Attributes:
        times: Period starts, datetime64[D].
        outcome: Outcome of each period over all geos, in the unit of the fit.
        spend: The same of each paid channel's spend, currency.
        by_geo: Spend in each geo and period, of channels of which the table says it;
            empty of one market, and where rows are of all geos together.
    """

    times: np.ndarray
    outcome: Float[np.ndarray, " time"]
    spend: Mapping[str, Float[np.ndarray, " time"]]
    by_geo: Mapping[str, Float[np.ndarray, "geo time"]] = field(default_factory=dict)

    @property
    def n_times(self) -> int:
        """Number of periods."""
        return len(self.times)


def read_actuals(
    data: InputData, frame: pd.DataFrame, mapping: ColumnMapping, *, currency: str = ""
) -> Actuals:
    """What a table says was spent and came in.

    Args:
        data: What the model was fitted on.
        frame: The table.
        mapping: The roles of columns in the data.
        currency: Of the data, where it is known.

    Raises:
        SchemaError: A column is missing or means nothing, or amounts are in another
            currency.
        CoverageError: Periods are missing, doubled, or not those after the data.
        ValueRangeError: A cell is empty, no number, or negative.
    """
    frame = _as_named(frame, data, mapping)
    _require(frame, mapping)
    Beside(frame, f"The {_WHAT}").refuse_open(labels_of(mapping))
    money = money_columns_of(mapping)
    refuse_other_currency(frame, f"The {_WHAT}", money, currency)
    future = ahead(data, longest_horizon(data))
    frame = in_periods(frame, mapping, future.times, _WHAT)
    n = _periods(future, frame, mapping)
    future = ahead(data, n)
    is_split = data.n_geos > 1 and mapping.geo in frame
    grids = table_grids(future, frame, mapping, _WHAT, in_all=not is_split)
    spend, by_geo = {}, {}
    for channel in mapping.of_kind(*PAID):
        name = _spend_column(channel, frame)
        amounts = _full(grids[name], name)
        if channel.spend_level != "total":
            per_period = amounts.mean(axis=0)
            if channel.spend_level != "time":
                per_period = amounts.sum(axis=0)
            past = spend_of(data, channel.name)
            refuse_other_unit(per_period, past, _WHAT, str(name))
        usual = spend_of(future, channel.name)
        spend[channel.name] = _per_period(amounts, channel.spend_level, usual)
        if is_split and channel.spend_level == "geo_time":
            by_geo[channel.name] = amounts
    kpi = _full(grids[mapping.kpi], mapping.kpi)
    _refuse_nothing(kpi.sum(axis=0), data.kpi.sum(axis=0), future, mapping.kpi)
    sold, usual = kpi.sum(axis=0), data.kpi.sum(axis=0)
    refuse_other_unit(sold, usual, _WHAT, mapping.kpi, most=IN_ALL, both=True)
    refuse_other_total(sum(spend.values(), np.zeros(n)), spend_in_all(data), _WHAT)
    value = future.revenue_per_kpi
    if value is not None and not is_split:
        value = np.average(value, axis=0, weights=_sold(data, n))[None]
    if value is not None and isinstance(mapping.revenue_per_kpi, str):
        known_value = grids.get(mapping.revenue_per_kpi, np.full_like(value, np.nan))
        value = np.where(np.isnan(known_value), value, known_value)
    outcome = kpi if value is None else kpi * value
    return Actuals(future.times, outcome.sum(axis=0), spend, by_geo)


def _sold(data: InputData, n: int) -> Float[np.ndarray, "geo time"]:
    """What each geo sold in the last periods of the data, to weigh geos with."""
    sold = np.maximum(data.kpi[:, -n:].mean(axis=1), 0.0)
    weights = sold if sold.any() else np.ones(data.n_geos)
    return np.repeat(weights[:, None], n, axis=1)


def template(data: InputData, mapping: ColumnMapping, n: int) -> pd.DataFrame:
    """A table to fill in: the next n periods, every geo, empty numbers.

    Names that a spreadsheet would take for formulas have an apostrophe, which reading
    takes off again.

    Args:
        data: What the model was fitted on.
        mapping: The roles of columns in the data.
        n: Periods.
    """
    times = ahead(data, n).times.astype(str)
    columns: dict[str, object] = {mapping.time: np.tile(times, data.n_geos)}
    if data.n_geos > 1:
        columns[str(mapping.geo)] = np.repeat([inert(geo) for geo in data.geos], n)
    numbers = [mapping.kpi]
    if isinstance(mapping.revenue_per_kpi, str):
        numbers.append(mapping.revenue_per_kpi)
    numbers += [channel.spend or channel.name for channel in mapping.of_kind(*PAID)]
    table = pd.DataFrame(columns | dict.fromkeys(numbers, ""))
    return table.rename(columns=inert)


def _as_named(
    frame: pd.DataFrame, data: InputData, mapping: ColumnMapping
) -> pd.DataFrame:
    """The table with columns and geos as the data call them.

    A template has an apostrophe before what a spreadsheet would take for a formula.
    """
    channels = mapping.of_kind(*PAID)
    columns = [*labels_of(mapping), mapping.kpi, str(mapping.revenue_per_kpi)]
    columns += [each.spend for each in channels if each.spend]
    columns += [each.name for each in channels]
    raw = {inert(name): name for name in columns if inert(name) != name}
    raw = {sign: name for sign, name in raw.items() if name not in frame}
    table = frame.rename(columns=raw)
    geos = {inert(geo): geo for geo in data.geos if inert(geo) != geo}
    if not geos or mapping.geo not in table:
        return table
    return table.assign(
        **{mapping.geo: table[mapping.geo].map(lambda geo: geos.get(geo, geo))}
    )


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
            hint="Give what came in, in the unit of the data, or add the file that has "
            "it.",
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
    dates = known_dates_of(frame, mapping, future.times, _WHAT)
    if len(dates) == 0:
        raise CoverageError(
            f"The {_WHAT} has no periods.",
            hint=f"Give at least the one that begins on {future.times[0]}.",
            where=mapping.time,
        )
    has_actuals = np.isin(future.times, dates)
    n = int(has_actuals.nonzero()[0].max()) + 1 if has_actuals.any() else 1
    missing = future.times[:n][~has_actuals[:n]]
    if len(missing) and has_actuals.any():
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
            f"Column {name} of the {_WHAT} has empty cells.",
            hint="Fill them in, with 0 where there was nothing.",
            where=name,
        )
    return grid


def spend_of(data: InputData, channel: str) -> np.ndarray:
    """Spend of a channel in each period of the data; empty where there is none.

    Args:
        data: The data.
        channel: Its name.
    """
    for treatments in (data.media, data.reach_frequency):
        if channel in treatments.names and treatments.spend is not None:
            spend = treatments.spend[..., treatments.names.index(channel)]
            return spend.sum(axis=0)
    return np.zeros(0)


def spend_by_geo(data: InputData, channel: str) -> Float[np.ndarray, "geo time"]:
    """Spend of a paid channel in each geo and period.

    Args:
        data: The data.
        channel: Its name.
    """
    treatments = data.media if channel in data.media.names else data.reach_frequency
    return treatments.spend[..., treatments.names.index(channel)]


def _refuse_nothing(
    now: np.ndarray, known: np.ndarray, future: InputData, name: str
) -> None:
    """Refuse periods in which nothing came in, where something did in all of the data.

    A report of periods that are not over yet has 0 for what is not known.
    """
    is_zero = now == 0
    if is_zero.any() and (known != 0).all():
        n, first = int(is_zero.sum()), future.times[int(np.argmax(is_zero))]
        raise ValueRangeError(
            f"Column {name} of the {_WHAT} is 0 in {count(n, 'period')}, the first "
            f"{first}, and nowhere in the data.",
            hint="Leave out the rows of periods whose outcome is not known yet.",
            where=name,
        )


def _per_period(
    spend: np.ndarray, level: str, usual: np.ndarray
) -> Float[np.ndarray, " time"]:
    """Spend of each period over geos; a number for several of them stands in each.

    One number for all periods is spent as it was a year earlier.
    """
    if level == "time":
        return spend.mean(axis=0)
    if level != "total":
        return spend.sum(axis=0)
    share = usual if usual.sum() > 0 else np.ones(spend.shape[1])
    return float(spend.mean()) * share / share.sum()
