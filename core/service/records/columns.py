"""Columns as they are mapped, and what was found about them; loads no table."""

from core.data.files.limits import MAX_BYTES
from core.data.layout.recipe import WEEKDAYS, Layout, Period, Source
from core.data.layout.stated import AGAIN, FIELDS, Part, StatedColumns
from core.data.mapping import PAID, ColumnMapping, KpiType, SpendLevel, SpendUnit
from core.data.query.definition import FILES, Database, DatabaseKind, Query, database_of
from core.data.reading.findings import Finding, blocks
from core.declared import Field
