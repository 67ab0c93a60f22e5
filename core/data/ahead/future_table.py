"""Plans as tables: media, spend, controls and treatments of periods after the data.

A plan has the date column of the data, its geo column where there are several geos,
and any of the data's other columns; a column with a channel's name is its spend. What
the table leaves out is as a year earlier. Spend without media buys media at the
price from a year earlier.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.ahead.other_units import refuse_other_total, spend_in_all
from core.data.currency import money_columns_of, refuse_other_currency
from core.data.input_data import InputData, Treatments
from core.data.mapping import KINDS, PAID, ColumnMapping
from core.data.observations import in_units
from core.data.reading.beside import Beside
from core.data.reading.dates import is_mostly_dates
from core.data.reading.origins import done_to, row_numbers
from core.errors import CoverageError, SchemaError, ValueRangeError
from core.text.near import alike, near_name
from core.text.sentences import count, listed

_EMPTY = "Leave a cell empty to take what ran a year earlier."
_DASHES = frozenset("-–—")
_HAS_REACH = ("reach_frequency", "organic_reach_frequency")


def planned(
    future: InputData,
    frame: pd.DataFrame,
    mapping: ColumnMapping,
    *,
    currency: str = "",
) -> InputData:
    """The periods to come with what a plan says about them.

    Args:
        future: What `core.data.ahead.horizon.ahead` gives.
        frame: The plan.
        mapping: The roles of columns in the data.
        currency: Of the data, where it is known.

    Raises:
        SchemaError: A column is missing or means nothing, a cell is not a number
            or a date, or could be two, or amounts are in another currency.
        CoverageError: A date or geo is not among those to come, or comes twice.
        ValueRangeError: A cell is negative where it cannot be.
    """
    frame = frame.drop(columns=mapping.kpi, errors="ignore")
    Beside(frame, "The plan").refuse_open(labels_of(mapping))
    refuse_other_currency(frame, "The plan", money_columns_of(mapping), currency)
    grids = table_grids(future, frame, mapping)
    _refuse_dashes(frame, list(grids))
    value = mapping.revenue_per_kpi
    changed: dict[str, object] = {}
    if future.revenue_per_kpi is not None and isinstance(value, str):
        changed["revenue_per_kpi"] = _filled(future.revenue_per_kpi, grids.get(value))
    controls = [
        _filled(future.controls[:, :, place], grids.get(name))
        for place, name in enumerate(future.control_names)
    ]
    if controls:
        changed["controls"] = np.stack(controls, axis=-1)
    for kind in KINDS:
        if getattr(future, kind):
            changed[kind] = _treatments(future, kind, mapping, grids)
    new = replace(future, **changed)
    refuse_other_total(spend_in_all(new), spend_in_all(future), "plan")
    return new


def _refuse_dashes(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse `-`: an empty cell is as a year earlier, and spreadsheets write 0 so.

    Raises:
        SchemaError: A column has such cells.
    """
    for name, numbers in Beside(frame, "The plan").numbers_together(columns).items():
        for step in (*numbers.done, *done_to(frame, name)[0]):
            if step.kind == "nothing" and _DASHES & {*step.example}:
                raise SchemaError(
                    f'Column {name} of the plan has "{step.example}" in '
                    f"{count(step.count, 'cell')}. Does nothing run there, or what ran "
                    "a year earlier?",
                    hint="Write 0, or leave the cells empty to take what ran a year "
                    "earlier.",
                    where=name,
                )


def _treatments(
    future: InputData, kind, mapping: ColumnMapping, grids: Mapping[str, np.ndarray]
) -> Treatments:
    """The channels of one kind with the plan's numbers."""
    treatments: Treatments = getattr(future, kind)
    n = future.n_times
    units = treatments.units.copy()
    frequency = None if treatments.frequency is None else treatments.frequency.copy()
    spend = None if treatments.spend is None else treatments.spend.copy()
    for place, channel in enumerate(mapping.of_kind(kind)):
        column = channel.column if kind == "non_media" else channel.media
        column = channel.reach if kind in _HAS_REACH else column
        before = units[:, -n:, place]
        media = grids.get(column)
        if kind in PAID:
            amounts = grids.get(channel.spend, grids.get(channel.name))
            if media is None and amounts is not None:
                media = _bought(channel.name, before, spend[:, :, place], amounts)
            spend[:, :, place] = _filled(spend[:, :, place], amounts)
        units[:, -n:, place] = _filled(before, media)
        if frequency is not None:
            planned_frequency = grids.get(channel.frequency)
            frequency[:, -n:, place] = _filled(
                frequency[:, -n:, place], planned_frequency
            )
    return replace(treatments, units=units, frequency=frequency, spend=spend)


def _bought(
    name: str, units: np.ndarray, spend: np.ndarray, amounts: np.ndarray
) -> np.ndarray:
    """Media that spend buys at the mean price from a year earlier; geo time."""
    if not (units.sum() > 0 and spend.sum() > 0):
        raise ValueRangeError(
            f"{name} did not run a year earlier, so its plan has no price.",
            hint="Give its media beside its spend.",
            where=name,
        )
    return amounts * (units.sum() / spend.sum())


def _filled(before: np.ndarray, amounts: np.ndarray | None) -> np.ndarray:
    """What is given, and what was before where nothing is given."""
    return before if amounts is None else np.where(np.isnan(amounts), before, amounts)


def table_grids(
    future: InputData,
    frame: pd.DataFrame,
    mapping: ColumnMapping,
    what: str = "plan",
    *,
    in_all: bool = False,
) -> dict[str, np.ndarray]:
    """Every column as geo time, NaN where it says nothing; dates and geos left out.

    Args:
        future: What `core.data.ahead.horizon.ahead` gives.
        frame: The table.
        mapping: The roles of columns in the data.
        what: The table's name in messages.
        in_all: Whether rows are of all geos together, in grids of one row.

    Raises:
        SchemaError: A column is missing or means nothing, or a cell is not a number
            or a date, or could be two.
        CoverageError: A date or geo is not among those to come, or comes twice.
        ValueRangeError: A cell is negative where it cannot be.
    """
    owners, n_geos = _known(mapping), 1 if in_all else future.n_geos
    names = [str(name) for name in frame.columns]
    roles = labels_of(mapping)
    if mapping.time not in names:
        raise SchemaError(
            f"The {what} has no column {mapping.time}.",
            hint="Give the first day of each period in it, as in the data.",
            where=what,
        )
    for name in names:
        if name not in (*owners, *roles):
            near = near_name(name, owners)
            hint = f"Did you mean {near}?" if near else "Take it out."
            message = f"Column {name} of the {what} is not a column of the data."
            raise SchemaError(message, hint=hint, where=name)
    times = _dates(future, frame, mapping, what)
    whole = np.zeros(len(frame), dtype=int)
    geos = _geos(future, frame, mapping, what) if n_geos > 1 else whole
    keys = {"date": future.times[times]}
    if n_geos > 1:
        keys[str(mapping.geo)] = np.array(future.geos)[geos]
    table = Beside(frame, f"The {what}")
    table.refuse_doubled(keys)
    columns = [name for name in names if name not in roles]
    answers = dict(mapping.decimal)
    # Of what happened, a cell cannot be as a year earlier.
    hint = _EMPTY if what == "plan" else ""
    numbers = table.numbers(columns, answers, hint=hint)
    grids = {}
    for name in columns:
        _refuse_no_amounts(table, name, owners[name], numbers[name], hint)
        grid = np.full((n_geos, future.n_times), np.nan)
        grid[geos, times] = in_units(mapping, name, numbers[name])
        grids[name] = grid
    return grids


def _refuse_no_amounts(
    table: Beside, name: str, owner: str, amounts: np.ndarray, hint: str
) -> None:
    """Refuse cells in percent, or below zero, where a column cannot have them.

    Raises:
        SchemaError: Some are in percent.
        ValueRangeError: Some are below zero.
    """
    what = table.called.removeprefix("The ")
    if owner not in ("control", "non_media") and table.units(name)[0]:
        raise SchemaError(
            f"Column {name} of the {what} has cells in percent.",
            hint="Write amounts, in the unit of the data.",
            where=name,
        )
    # Returns can exceed what a geo sold in a period.
    if owner not in ("control", "non_media", "kpi") and (amounts < 0).any():
        raise ValueRangeError(
            f"Column {name} of the {what} has cells that are negative.",
            hint=hint or "Enter refunds where they belong: it is 0 or more.",
            where=name,
        )


def read_columns(
    frame: pd.DataFrame, mapping: ColumnMapping, of_data: Iterable[str]
) -> pd.DataFrame:
    """The table by the data's names, without their columns that nothing reads.

    Upper and lower case, spaces and underscores make no other name, and the only dates
    are those that are meant. Next month's export of the same table has columns that
    nothing reads; one that the data do not have stays, and is refused.

    Args:
        frame: The table.
        mapping: The roles of columns in the data.
        of_data: The columns of the data.
    """
    read, of_data = {*_known(mapping), *labels_of(mapping)}, list(of_data)
    unread = [name for name in of_data if name in frame and name not in read]
    frame = frame.drop(columns=unread)
    others = [str(name) for name in frame.columns if name not in read]
    renamed = alike(others, [name for name in read if name not in frame])
    dated = [name for name in others if is_mostly_dates(frame[name])]
    if mapping.time not in (*frame.columns, *renamed.values()) and len(dated) == 1:
        renamed[dated[0]] = mapping.time
    return frame.rename(columns=renamed)


def _known(mapping: ColumnMapping) -> dict[str, str]:
    """Columns that a plan may have, and whose they are."""
    owners = {mapping.kpi: "kpi"} | dict.fromkeys(mapping.controls, "control")
    if isinstance(mapping.revenue_per_kpi, str):
        owners[mapping.revenue_per_kpi] = "value"
    if mapping.population:
        owners[mapping.population] = "population"
    for channel in mapping.channels:
        owners |= dict.fromkeys(channel.columns(), channel.kind)
        if channel.kind in PAID:
            owners.setdefault(channel.name, channel.kind)
    return owners


def _dates(
    future: InputData, frame: pd.DataFrame, mapping: ColumnMapping, what: str
) -> np.ndarray:
    """The place of each row's date among the periods to come."""
    dates = known_dates_of(frame, mapping, future.times, what)
    outside = ~np.isin(dates, future.times)
    if outside.any():
        row = int(np.argmax(outside))
        first, hint = future.times[0], "Keep the rhythm of the data"
        hint += ", or forecast more periods." if what == "plan" else "."
        if dates[row] < first:
            hint = f"Delete the rows before {first}, which the data have."
        raise CoverageError(
            f"Date {frame[mapping.time].iloc[row]} of the {what} is not a future "
            f"period: they begin on {first}, the last on {future.times[-1]}.",
            hint=hint,
            where=mapping.time,
        )
    return np.searchsorted(future.times, dates)


def labels_of(mapping: ColumnMapping) -> list[str]:
    """Columns of dates and geos."""
    return [mapping.time, *([mapping.geo] if mapping.geo else [])]


def known_dates_of(
    frame: pd.DataFrame, mapping: ColumnMapping, expected: np.ndarray, what: str
) -> np.ndarray:
    """The dates of a table of periods to come.

    Raises:
        SchemaError: A cell is not a date, or they can be read in several ways that all
            make sense.
    """
    if len(frame) == 0:
        return np.array([], "datetime64[D]")
    column = mapping.time
    table = Beside(frame, f"The {what}")
    days = table.days([column], mapping.dates, expected)[column]
    if np.isnat(days).any():
        row = row_numbers(frame)[int(np.argmax(np.isnat(days)))]
        raise SchemaError(
            f"The {what}, row {row} has no {column}.",
            hint="Give its date; delete the row if it is a total.",
            where=column,
        )
    return days


def _geos(
    future: InputData, frame: pd.DataFrame, mapping: ColumnMapping, what: str
) -> np.ndarray:
    """The place of each row's geo, in a market of several."""
    if mapping.geo not in frame:
        message = f"The {what} has no column {mapping.geo}."
        raise SchemaError(message, hint="Give one row per geo and period.", where=what)
    names = [str(name) for name in frame[mapping.geo]]
    meant = alike(set(names) - {*future.geos}, future.geos)
    names = [meant.get(name, name) for name in names]
    for name in names:
        if name not in future.geos:
            near = near_name(name, future.geos)
            hint = f"Did you mean {near}?" if near else "Take it out, or rename it."
            raise CoverageError(
                f"Geo {name} of the {what} is not in the data, which have "
                f"{listed(future.geos, limit=6)}.",
                hint=hint,
                where=name,
            )
    return np.array([future.geos.index(name) for name in names])
