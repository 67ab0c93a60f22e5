"""Values: impossible or missing numbers in the KPI, its value, people and controls."""

from collections.abc import Iterator

import numpy as np

from core import quoted
from core.data.cells.words import RATIO, word_set, words
from core.data.mapping import ColumnMapping
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text.sentences import count

#: Words in the name of a KPI that cannot be added up over periods.
_RATE = RATIO | word_set("values.rate")
#: Words of prices of one's own, and of others'.
_PRICE = word_set("values.price")
_OTHERS = word_set("channels.competitors") | {"index"}
#: Relative spread below which a column does not vary.
CONSTANT = 1e-9


def check_values(observed: Observations) -> Iterator[Finding]:
    """KPI, revenue per KPI, population and controls."""
    mapping = observed.mapping
    if not observed.fills_grid:
        return
    yield from _kpi(observed)
    if isinstance(mapping.revenue_per_kpi, str):
        yield from _revenue_per_kpi(observed, mapping.revenue_per_kpi)
    yield from _value_known(mapping)
    yield from _population(observed)
    for column in mapping.controls:
        if column in observed.numbers:
            yield from check_filled(observed, column, "The model needs every value.")


def window(observed: Observations, column: str) -> np.ndarray:
    """A column as geo time, over the periods that have a KPI."""
    return observed.grid(column)[:, observed.n_history :]


def in_window(observed: Observations) -> np.ndarray:
    """Which rows are in periods that have a KPI."""
    return observed.time_at >= observed.n_history


def is_constant(values: np.ndarray) -> bool:
    """Whether no geo's values change over time; empty columns are not judged here."""
    if np.isnan(values).all() or values.shape[1] < 2:
        return False
    spread = np.fmax.reduce(values, axis=1) - np.fmin.reduce(values, axis=1)
    scale = np.fmax.reduce(np.abs(values), axis=None)
    return not (spread > CONSTANT * scale).any()


def check_filled(observed: Observations, column: str, hint: str) -> Iterator[Finding]:
    """Empty cells in a column that needs every value."""
    empty = observed.numbers[column].is_empty & in_window(observed)
    if empty.any() and not observed.numbers[column].is_empty.all():
        cells = f"{count(int(empty.sum()), 'row')} ({observed.row_list(empty)})"
        message = f"Column {column} is empty in {cells}."
        yield Finding("error", f"column {column}", message, f"Fill it in. {hint}")


def _kpi(observed: Observations) -> Iterator[Finding]:
    column = observed.mapping.kpi
    where = f"column {column}"
    numbers = observed.numbers[column]
    if numbers.is_empty.all() or numbers.bad.all():
        return
    trailing = _trailing(observed, column)
    if trailing:
        period = observed.periods.period
        periods = f"{period}s"
        message = f"The KPI {column} is empty in the last {count(trailing, period)}."
        hint = f"Delete {periods} that have no KPI yet."
        yield Finding("error", where, message, hint)
    else:
        hint = "Write 0 only where nothing was sold."
        yield from check_filled(observed, column, hint)
    values, period = window(observed, column), observed.periods.period
    filled = values[~np.isnan(values)]
    if not (filled != 0).any():
        hint = "Choose the column of sales or conversions."
        yield Finding("error", where, f"The KPI {column} is zero everywhere.", hint)
    elif is_constant(values):
        hint = "Choose the column of sales or conversions."
        message = f"The KPI {column} never changes, so there is nothing to explain."
        yield Finding("error", where, message, hint)
    elif filled.sum() <= 0:
        message = f"The KPI {column} adds up to {filled.sum():,.0f}."
        yield Finding("error", where, message, "It must add up to more than zero.")
    else:
        yield from _odd_kpi(observed, values[:, : values.shape[1] - trailing])
        yield from _rate(column, filled)


def _rate(column: str, filled: np.ndarray) -> Iterator[Finding]:
    """A KPI that its name calls a rate or an average, and that counts nothing."""
    named = {word.text for word in words(column)} & _RATE
    if named and (filled != np.rint(filled)).any():
        yield Finding(
            "warning",
            f"column {column}",
            f"The KPI {column} is a rate or an average by its name, but plans and "
            "totals add the KPI up over time.",
            "Choose the amount behind it, such as orders or revenue.",
        )


def _odd_kpi(observed: Observations, values: np.ndarray) -> Iterator[Finding]:
    """What a KPI below zero, or of zero, may be.

    Args:
        observed: The table.
        values: Of the KPI, up to the last period that has one; geo time.
    """
    column, period = observed.mapping.kpi, observed.periods.period
    where, numbers = f"column {column}", observed.numbers[column]
    filled = values[~np.isnan(values)]
    if (filled < 0).any():
        negative = numbers.values < 0
        cells = f"{count(int(negative.sum()), 'row')} ({observed.row_list(negative)})"
        message = f"The KPI {column} is negative in {cells}."
        hint = "Check that returns were meant to be subtracted."
        yield Finding("warning", where, message, hint)
    if (unsold := _unsold(values)) > 1:
        message = (
            f"The KPI {column} is 0 in the last {count(unsold, period)}, and never "
            "before."
        )
        periods = f"{period}s"
        hint = f"Delete {periods} that have no KPI yet: they would count as a loss."
        yield Finding("warning", where, message, hint)
    elif (filled == 0).any():
        yield _of_zeros(column, filled, period)


def _of_zeros(column: str, filled: np.ndarray, period: str) -> Finding:
    """What a KPI of zero in some periods may be."""
    zero, periods = count(int((filled == 0).sum()), "row"), f"{period}s"
    return Finding(
        "info",
        f"column {column}",
        f"The KPI {column} is zero in {zero} of {filled.size:,}.",
        f"If nothing could be sold in these {periods} (closed, sold out), add a "
        "control that is 1 in them: without it they count as noise. If sales are "
        "just rare, there is nothing to do.",
    )


def _unsold(values: np.ndarray) -> int:
    """Last periods with a KPI of 0 everywhere, where no other period has that."""
    is_zero = (np.nan_to_num(values) == 0).all(axis=0)
    last = int(np.argmin(is_zero[::-1]))
    return last if is_zero.sum() == last else 0


def _trailing(observed: Observations, column: str) -> int:
    """Number of last periods in which no geo has a value of the column."""
    filled = observed.filled(column).any(axis=0)
    return int(np.argmax(filled[::-1])) if filled.any() else 0


def _revenue_per_kpi(observed: Observations, column: str) -> Iterator[Finding]:
    where = f"column {column}"
    yield from check_filled(observed, column, "Every KPI unit has a value.")
    values = observed.numbers[column].values
    inside = in_window(observed)
    negative, zero = (values < 0) & inside, (values == 0) & inside
    if negative.any():
        message = f"Column {column} is negative in {observed.row_list(negative)}."
        hint = "The value of a KPI unit must be above zero."
        yield Finding("error", where, message, hint)
    elif zero.any() and not (values[inside] > 0).any():
        message = f"Column {column} is zero everywhere, so no KPI unit has a value."
        hint = "Give the value of a KPI unit, or leave the column out."
        yield Finding("error", where, message, hint)
    elif zero.any():
        message = (
            f"Column {column} is zero in {count(int(zero.sum()), 'row')} "
            f"({observed.row_list(zero)}): the KPI counts for nothing there."
        )
        hint = "Fill in the value of a KPI unit."
        yield Finding("warning", where, message, hint)


def _value_known(mapping: ColumnMapping) -> Iterator[Finding]:
    """Whether a KPI unit has a value, and only one."""
    value = mapping.revenue_per_kpi
    where = "revenue_per_kpi"
    if mapping.kpi_type == "revenue" and value is not None:
        message = f"The KPI {mapping.kpi} is money, so its value {value} is not used."
        hint = "Leave the value out, or say that the KPI counts units."
        yield Finding("warning", where, message, hint)
    elif isinstance(value, int | float) and not 0 < value < np.inf:
        message = f"The value of a KPI unit is {value:g}."
        yield Finding("error", where, message, "It must be above zero.")
    elif mapping.kpi_type == "non_revenue" and value is None:
        message = (
            f"A unit of {mapping.kpi} has no value in money: ROI will be in "
            f"{mapping.kpi} per unit of currency."
        )
        hint = (
            "Give the revenue per unit, as a column or as one number, to see money: "
            "--value with core init, or Value per KPI unit on the Data screen."
        )
        price = _price(mapping)
        if price is not None:
            hint = (
                f"Column {price} may say what a unit is worth: --value {quoted(price)} "
                "with core init, or Value per KPI unit on the Data screen."
            )
        yield Finding("info", where, message, hint)


def _price(mapping: ColumnMapping) -> str | None:
    """A control or treatment that is called a price; of a competitor's, none."""
    others = [c.column for c in mapping.of_kind("non_media") if c.column]
    for name in (*others, *mapping.controls):
        has = {word.text for word in words(name)}
        if has & _PRICE and not has & _OTHERS:
            return name
    return None


def _population(observed: Observations) -> Iterator[Finding]:
    column = observed.mapping.population
    if len(observed.geos) == 1:
        return
    if column is None:
        message = "Without a population column each geo counts as large as its KPI."
        hint = "Add the people of each geo to compare geos per head."
        yield Finding("warning", "population", message, hint)
        return
    where = f"column {column}"
    values = observed.numbers[column].values
    low = values <= 0
    if low.any():
        message = f"Column {column} is zero or negative in {observed.row_list(low)}."
        yield Finding("error", where, message, "Every geo needs people.")
    grid = observed.grid(column)
    empty = np.isnan(grid).all(axis=1)
    if empty.all():
        return
    for geo in np.flatnonzero(empty)[:3]:
        message = f"Geo {observed.geos[geo]} has no population."
        hint = f"Fill in column {column}."
        yield Finding("error", f"geo {observed.geos[geo]}", message, hint)
    if not is_constant(grid):
        low, high = np.fmin.reduce(grid, axis=1), np.fmax.reduce(grid, axis=1)
        changing = count(int((high > low).sum()), "geo")
        message = f"The population of {changing} changes over time: the mean is used."
        yield Finding("info", where, message)
