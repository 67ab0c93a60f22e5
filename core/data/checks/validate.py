"""Validation: everything that is wrong with a table, at once, before any model sees it.

`check_table` collects all findings; `core.data.assemble` raises the errors among them.
Of cells that is how they were read, other currencies, and columns without a use.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from core.data.cells.amounts import TWO_CURRENCIES
from core.data.checks.adequacy import KnotChoice, check_adequacy
from core.data.checks.collinearity import check_collinearity
from core.data.checks.coverage import check_coverage, check_months
from core.data.checks.exposure import check_exposure
from core.data.checks.idle_controls import without_idle_controls
from core.data.checks.levels import (
    check_levels,
    check_outliers,
    check_place_units,
    check_running,
)
from core.data.checks.schema import (
    check_dates,
    check_geos,
    check_mapping,
    check_numbers,
    present_part,
)
from core.data.checks.values import check_values
from core.data.mapping import ColumnMapping, money_columns
from core.data.observations import Observations, observe
from core.data.reading.doubts import number_columns
from core.data.reading.findings import Finding
from core.data.reading.numbers import Done, as_numbers
from core.data.reading.origins import done_to, row_numbers
from core.data.reading.reading_notes import notes
from core.data.recognition.unused_spend import check_unused_spend
from core.errors import CoverageError, DataError, SchemaError, ValueRangeError
from core.text.sentences import count, listed, verb

_SAMPLE = 20_000
#: Share of numbers from which a column of text may have been meant as numbers.
_SOME = 0.1


def check_reading(observed: Observations) -> Iterator[Finding]:
    """What was done to cells, by kind, and amounts in two currencies."""
    by_kind: dict[str, dict[str, Done]] = {}
    for column, numbers in observed.numbers.items():
        for step in (*numbers.done, *_done_at_loading(observed, column)):
            by_kind.setdefault(step.kind, {})[column] = step
    yield from notes(by_kind)
    yield from _currencies(observed)
    yield from _stated(observed)


def _done_at_loading(observed: Observations, column: str) -> list[Done]:
    """What was done when the file was loaded, less what an answer took back."""
    taken_back = column in observed.mapping.whole_units
    steps = done_to(observed.frame, column)[0]
    return [each for each in steps if not (taken_back and each.kind == "scale")]


def check_left_out(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[Finding]:
    """Columns without a role that hold numbers among other things."""
    used = {mapping.time, mapping.geo, *number_columns(mapping)}
    for name in frame.columns:
        if name in used or frame[name].dtype != "str":
            continue
        filled = frame[name].dropna().head(_SAMPLE)
        numbers = as_numbers(filled, ".")
        bad, n_numbers = numbers.bad, int(np.isfinite(numbers.values).sum())
        if numbers.fault.startswith(TWO_CURRENCIES):
            message = f"Column {name} cannot be read: {numbers.fault}."
            hint = (
                "Put the currency of each row into a column of its own, or convert "
                "the amounts."
            )
            yield Finding("error", f"column {name}", message, hint)
            continue
        # Cells such as "na" are neither: beside names alone there are no numbers.
        if not bad.any() or n_numbers < _SOME * (n_numbers + bad.sum()):
            continue
        numbers_of_rows = row_numbers(filled.to_frame())
        cells = [
            f'"{str(filled.iloc[at])[:40]}" (row {numbers_of_rows[at]})'
            for at in np.flatnonzero(bad)[:3]
        ]
        message = (
            f"Column {name} is not used: {int(bad.sum()):,} of its "
            f"{count(len(filled), 'cell')} are not numbers: {listed(cells)}."
        )
        hint = "Correct these cells if it should be a control, or leave it out."
        yield Finding("warning", f"column {name}", message, hint)


def _currencies(observed: Observations) -> Iterator[Finding]:
    """Amounts of two currencies are never added."""
    mapping = observed.mapping
    money = [channel.spend for channel in mapping.channels if channel.spend]
    if mapping.kpi_type == "revenue":
        money.append(mapping.kpi)
    elif isinstance(mapping.revenue_per_kpi, str):
        money.append(mapping.revenue_per_kpi)
    known: dict[str, frozenset[str]] = {}
    for column in dict.fromkeys(money):
        codes = observed.numbers[column].currency if column in observed.numbers else {}
        known[column] = frozenset(codes) or done_to(observed.frame, column)[1]
    known = {column: codes for column, codes in known.items() if codes}
    if len(known) < 2 or frozenset.intersection(*known.values()):
        return
    shown = [f"{column} in {'/'.join(sorted(c)[:3])}" for column, c in known.items()]
    message = f"Amounts are in more than one currency: {listed(shown)}."
    hint = "Convert them to one currency: spend and revenue are compared and added."
    yield Finding("error", f"column {next(iter(known))}", message, hint)


def _stated(observed: Observations) -> Iterator[Finding]:
    """Headers of money of which some state thousands and others state nothing."""
    factors = {}
    for column in money_columns(observed.mapping):
        steps = [d for d in _done_at_loading(observed, column) if d.kind == "scale"]
        is_money = column != observed.mapping.kpi or (
            observed.mapping.kpi_type == "revenue"
        )
        if is_money and column in observed.numbers:
            factors[column] = steps[0].detail if steps else ""
    stated = [column for column, detail in factors.items() if detail]
    silent = [column for column, detail in factors.items() if not detail]
    if not (stated and silent):
        return
    message = (
        f"{listed(stated, limit=3)} {verb(len(stated), 'are')} in "
        f"{factors[stated[0]]} by the header, and read so; "
        f"{listed(silent, limit=3)} {verb(len(silent), 'state')} nothing, and "
        f"{verb(len(silent), 'are')} read as written."
    )
    hint = "If all are in the same unit, say so in every header, and load it again."
    yield Finding("warning", f"column {silent[0]}", message, hint)


_ORDER = {"error": 0, "warning": 1, "info": 2}

Kinds = dict[type[DataError], list[Finding]]


def check_table(
    frame: pd.DataFrame, mapping: ColumnMapping, spec: KnotChoice | None = None
) -> list[Finding]:
    """Everything that is worth knowing about a table, errors first.

    Args:
        frame: The table as loaded.
        mapping: The roles of its columns.
        spec: The `ModelSpec` it is meant for, to check that there is data enough.
    """
    _, kinds = examine(frame, mapping, spec)
    return in_order(finding for of_kind in kinds.values() for finding in of_kind)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings with the worst first."""
    return sorted(findings, key=lambda finding: _ORDER[finding.severity])


def examine(
    frame: pd.DataFrame, mapping: ColumnMapping, spec: KnotChoice | None = None
) -> tuple[Observations | None, Kinds]:
    """The parsed table and its findings, by the error that they would raise.

    The table is parsed as far as the mapping fits it: None where it lacks the column
    of dates, of the KPI or of geos.
    """
    columns = [str(name) for name in frame.columns]
    kinds: Kinds = {SchemaError: check_mapping(columns, mapping)}
    if not {mapping.time, mapping.kpi} <= set(columns):
        return None, kinds
    observed = observe(frame, present_part(columns, mapping))
    observed, idle = without_idle_controls(observed)
    kinds[SchemaError] += [
        *check_dates(observed),
        *check_geos(observed),
        *check_numbers(observed),
        *check_reading(observed),
        *check_left_out(frame, mapping),
        *check_unused_spend(frame, mapping),
    ]
    if mapping.geo is not None and mapping.geo not in columns:
        return None, kinds  # without it every geo's row would look like a copy
    kinds[CoverageError] = list(check_coverage(observed))
    kinds[ValueRangeError] = [*idle, *_check_numbers(observed, spec)]
    return observed, kinds


def _check_numbers(
    observed: Observations, spec: KnotChoice | None
) -> Iterator[Finding]:
    """Findings about values and how they go together."""
    if not len(observed.times):
        return
    yield from check_values(observed)
    yield from check_exposure(observed)
    yield from check_outliers(observed)
    yield from check_levels(observed)
    yield from check_place_units(observed)
    yield from check_running(observed)
    yield from check_months(observed)
    yield from check_collinearity(observed)
    if spec is not None:
        yield from check_adequacy(observed, spec)
