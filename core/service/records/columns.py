"""Columns as they are mapped, and what was found about them; loads no table."""

from core.data.files.limits import MAX_BYTES, TABLES
from core.data.layout.recipe import (
    PERIODS,
    WEEKDAYS,
    Cancelled,
    GeoColumns,
    Layout,
    Overlap,
    Period,
    Source,
    WeekDates,
)
from core.data.mapping import (
    PAID,
    ColumnMapping,
    DateReading,
    Decimal,
    KpiType,
    SpendLevel,
    SpendUnit,
)
from core.data.query.definition import FILES, Database, DatabaseKind, Query, database_of
from core.data.reading.findings import Finding, blocks
