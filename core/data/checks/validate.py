"""Validation: everything that is wrong with a table, at once, before any model sees it.

`check_table` collects all findings; `core.data.assemble` raises the errors among them.
"""

from collections.abc import Iterable, Iterator

import pandas as pd

from core.data.checks.adequacy import KnotChoice, check_adequacy
from core.data.checks.cells import check_left_out, check_reading
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
from core.data.mapping import ColumnMapping
from core.data.observations import Observations, observe
from core.data.reading.findings import Finding
from core.data.recognition.unused_spend import check_unused_spend
from core.errors import CoverageError, DataError, SchemaError, ValueRangeError

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
